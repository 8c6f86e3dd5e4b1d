/* SPDX-License-Identifier: BSD-3-Clause */
#include "metrics/metrics.h"
#include "papi.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "ZONE#": ZONE0, and those that follow it without a gap. */
static int numbered(const char *name, int (*take)(void *context, const char *event), void *context)
{
    char event[PAPI_HUGE_STR_LEN];
    int number, code = PAPI_OK;
    for (int i = 0; code == PAPI_OK; i++) {
        snprintf(event, sizeof event, "%.*s%d", (int)strlen(name) - 1, name, i);
        if (i > 0 && PAPI_event_name_to_code(event, &number) != PAPI_OK)
            break;
        code = take(context, event);
    }
    return code;
}

/* Who takes the events of a formula, which is computed without values. */
struct taker {
    int (*take)(void *context, const char *event);
    void *context;
};

static int take_operand(const void *context, const char *name, double *value, struct reason *why)
{
    const struct taker *to = context;
    (void)why;
    *value = NAN;
    if (strcmp(name, METRICS_TIME) == 0 || strcmp(name, METRICS_CACHE_LINE) == 0)
        return PAPI_OK;
    if (name[strlen(name) - 1] == '#')
        return numbered(name, to->take, to->context);
    return to->take(to->context, strcmp(name, METRICS_CPU_TIME) == 0 ? "perf::TASK-CLOCK" : name);
}

int metrics_events(const struct metrics_row *row, int (*take)(void *context, const char *event),
                   void *context)
{
    const struct taker to = {take, context};
    double none;
    return metrics_compute(row->formula, take_operand, &to, &none, NULL);
}

static int ask(void *context, const char *event)
{
    int code = PAPI_query_named_event(event);
    if (code != PAPI_OK)
        reason_set(context, code, "%.100s: %s", event, PAPI_strerror(code));
    return code;
}

static int put(struct metrics_picks *picks, const struct metrics_row *row, const struct reason *why)
{
    bool counts = why->code == PAPI_OK;
    struct metrics_pick *pick = realloc(picks->pick, (size_t)(picks->n + 1) * sizeof *pick);
    char *copy = pick != NULL && !counts ? strdup(why->text) : NULL;
    if (pick != NULL)
        picks->pick = pick;
    if (pick == NULL || (!counts && copy == NULL))
        return PAPI_ENOMEM;
    pick[picks->n++] = (struct metrics_pick){row, copy};
    return PAPI_OK;
}

static bool has(const struct metrics_picks *picks, const char *name)
{
    for (int i = 0; i < picks->n; i++)
        if (strcmp(picks->pick[i].row->name, name) == 0)
            return true;
    return false;
}

/* The first of the alternatives that counts here. */
static int pick_one(const struct metrics *metrics, const char *name, struct metrics_picks *picks)
{
    const struct metrics_row *first = metrics_find(metrics, name, NULL), *row = first;
    struct reason why = {0}, other;
    if (has(picks, name))
        return PAPI_OK;
    if (metrics_events(first, ask, &why) == PAPI_OK)
        return put(picks, first, &why);
    while ((row = metrics_find(metrics, name, row)) != NULL) {
        other = (struct reason){0};
        if (metrics_events(row, ask, &other) == PAPI_OK)
            return put(picks, row, &other);
    }
    return put(picks, first, &why);
}

int metrics_pick(const struct metrics *metrics, const char *word, struct metrics_picks *picks,
                 struct reason *why)
{
    int code = PAPI_OK;
    bool found = false;
    for (int i = 0; i < metrics->n && code == PAPI_OK; i++) {
        const struct metrics_row *row = metrics->row[i];
        if (row->ended || row->is_group || (strcmp(row->group, word) != 0 && strcmp(row->name, word) != 0))
            continue;
        found = true;
        code = pick_one(metrics, row->name, picks);
    }
    if (code != PAPI_OK)
        return reason_set(why, code, "out of memory");
    return found ? PAPI_OK
                 : reason_set(why, PAPI_EINVAL,
                              "@%.60s is neither a group of metrics nor a metric: "
                              "papi_event_chooser @ lists them",
                              word);
}

void metrics_picks_free(struct metrics_picks *picks)
{
    for (int i = 0; i < picks->n; i++)
        free(picks->pick[i].why);
    free(picks->pick);
    *picks = (struct metrics_picks){0};
}
