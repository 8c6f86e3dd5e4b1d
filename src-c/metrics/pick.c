/* SPDX-License-Identifier: BSD-3-Clause */
#include "metrics/metrics.h"
#include "papi.h"

#include <stdlib.h>
#include <string.h>

static bool has(const struct metrics_picks *picks, const char *name)
{
    for (int i = 0; i < picks->n; i++)
        if (strcmp(picks->pick[i].row->name, name) == 0)
            return true;
    return false;
}

static int pick_one(const struct metrics *metrics, const char *name, struct metrics_picks *picks)
{
    struct metrics_pick *pick = realloc(picks->pick, (size_t)(picks->n + 1) * sizeof *pick);
    if (pick == NULL)
        return PAPI_ENOMEM;
    picks->pick = pick;
    pick += picks->n++;
    pick->row = metrics_countable(metrics, name, &pick->why);
    return PAPI_OK;
}

int metrics_pick(const struct metrics *metrics, const char *word, struct metrics_picks *picks,
                 struct reason *why)
{
    int code = PAPI_OK;
    bool found = false;
    for (int i = 0; i < metrics->n && code == PAPI_OK; i++) {
        const struct metrics_row *row = metrics->row[i];
        if (row->formula == NULL || (strcmp(row->group, word) != 0 && strcmp(row->name, word) != 0))
            continue;
        found = true;
        code = has(picks, row->name) ? PAPI_OK : pick_one(metrics, row->name, picks);
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
    free(picks->pick);
    *picks = (struct metrics_picks){0};
}
