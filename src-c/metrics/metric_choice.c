/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/array.h"
#include "metrics/metrics.h"
#include "papi.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- events, which are the names of a formula that is computed without values */

struct taker {
    int (*take)(void *context, const char *event); /* NULL: it is only asked for */
    void *context;
};

static int take_event(const void *context, const char *name, double *value, struct reason *why)
{
    const struct taker *to = context;
    *value = NAN;
    if (strcmp(name, METRICS_TIME) == 0 || strcmp(name, METRICS_CACHE_LINE) == 0)
        return PAPI_OK;
    int code = PAPI_query_named_event(name);
    if (code != PAPI_OK)
        return reason_set(why, code, "%.100s: %s", name, PAPI_strerror(code));
    return to->take != NULL ? to->take(to->context, name) : PAPI_OK;
}

int metrics_events(const struct metrics_pick *pick, int (*take)(void *context, const char *event),
                   void *context)
{
    const struct taker to = {take, context};
    struct reason why = pick->why;
    return why.code == PAPI_OK ? metrics_value(pick->row->formula, take_event, &to, NULL, &why) : PAPI_OK;
}

/* ---- the alternatives of a name */

struct metrics_pick metrics_first(const struct metrics *metrics, const char *name, metrics_lookup *lookup,
                                  const void *context, double *value)
{
    struct metrics_pick first = {0};
    for (const struct metrics_row *row = metrics->first; row != NULL; row = row->next) {
        struct metrics_pick next = {.row = row};
        if (row->formula == NULL || strcmp(row->name, name) != 0)
            continue;
        if (metrics_value(row->formula, lookup, context, value, &next.why) == PAPI_OK)
            return next;
        if (first.row == NULL)
            first = next;
    }
    return first;
}

const char *metrics_nearest(const struct metrics *metrics, const char *name, bool groups,
                            char text[NEAREST_TEXT])
{
    struct nearest nearest;
    nearest_begin(&nearest, name);
    for (const struct metrics_row *row = metrics->first; row != NULL; row = row->next) {
        if (row->formula != NULL)
            nearest_try(&nearest, row->name);
        if (groups)
            nearest_try(&nearest, row->group);
    }
    return nearest_text(&nearest, text);
}

static bool has(const struct metrics_picks *picks, const char *name)
{
    for (int i = 0; i < picks->n; i++)
        if (strcmp(picks->pick[i].row->name, name) == 0)
            return true;
    return false;
}

int metrics_pick(const struct metrics *metrics, const char *word, struct metrics_picks *picks,
                 struct reason *why)
{
    bool found = false;
    for (const struct metrics_row *row = metrics->first; row != NULL; row = row->next) {
        if (row->formula == NULL || (strcmp(row->group, word) != 0 && strcmp(row->name, word) != 0))
            continue;
        found = true;
        if (has(picks, row->name))
            continue;
        if (!ARRAY_GROW(picks->pick, picks->n))
            return reason_set(why, PAPI_ENOMEM, "out of memory");
        picks->pick[picks->n++] = metrics_first(metrics, row->name, take_event, &(struct taker){0}, NULL);
    }
    if (found)
        return PAPI_OK;
    char near[NEAREST_TEXT];
    return reason_set(why, PAPI_EINVAL,
                      "@%.60s is neither a group of metrics nor a metric%s; papi_event_chooser @ lists them",
                      word, metrics_nearest(metrics, word, true, near));
}

void metrics_picks_free(struct metrics_picks *picks)
{
    free(picks->pick);
    *picks = (struct metrics_picks){0};
}
