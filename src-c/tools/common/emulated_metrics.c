/* SPDX-License-Identifier: BSD-3-Clause */
#include "emulated_metrics.h"
#include "allocate.h"
#include "metrics/metrics.h"
#include "other_program.h"
#include "papi.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct finding {
    bool by_line;
    char *of_row; /* events of the formula that is read */
};

/* The list with the events of another one that it lacks; both are to be freed. */
static char *joined(char *list, const char *more)
{
    while (more[0] != '\0') {
        size_t n = strcspn(more, ",");
        char *event = memory_print(",%.*s,", (int)n, more), *all = memory_print(",%s,", list);
        if (strstr(all, event) == NULL) {
            char *longer = memory_print("%s%s%.*s", list, list[0] != '\0' ? "," : "", (int)n, more);
            free(list);
            list = longer;
        }
        free(event);
        free(all);
        more += n + (more[n] == ',');
    }
    return list;
}

static bool is_usable(const struct finding *finding, const char *events)
{
    return strstr(events, "ESTIMATED") == NULL &&
           !(finding->by_line && (strstr(events, "L1I_") != NULL || strstr(events, "FETCH") != NULL));
}

static int take_name(const void *context, const char *name, double *value, struct reason *why)
{
    struct finding *finding = *(struct finding *const *)context;
    const char *events = emulated_preset(name, strlen(name));
    *value = NAN;
    if (strcmp(name, METRICS_TIME) == 0 || strcmp(name, METRICS_CPU_TIME) == 0 ||
        strcmp(name, METRICS_CACHE_LINE) == 0)
        return PAPI_OK;
    if (events == NULL || !is_usable(finding, events))
        return reason_set(why, PAPI_ENOEVNT, "the emulator does not count %.100s%s", name,
                          events != NULL && finding->by_line ? " by line" : "");
    finding->of_row = joined(finding->of_row, events);
    return PAPI_OK;
}

/* The events of all rows that are asked for; *found: there is a row. */
static char *find(const struct metrics *metrics, const char *name, bool by_line, bool *found,
                  struct reason *first)
{
    char *events = memory_text("");
    const char *done = "";
    for (const struct metrics_row *row = metrics->first; row != NULL; row = row->next) {
        struct finding finding = {by_line, NULL}, *context = &finding;
        struct reason why = {.code = PAPI_OK};
        bool asked = row->formula != NULL && (strcmp(row->group, name) == 0 || strcmp(row->name, name) == 0);
        if (!asked || strcmp(done, row->name) == 0) /* an alternative before it is there */
            continue;
        *found = true;
        finding.of_row = memory_text("");
        if (metrics_value(row->formula, take_name, &context, NULL, &why) == PAPI_OK) {
            events = joined(events, finding.of_row);
            done = row->name;
        } else if (first->code == PAPI_OK)
            *first = why;
        free(finding.of_row);
    }
    return events;
}

char *emulated_metric(const char *word, bool by_line, char **why)
{
    struct metrics *metrics = metrics_load();
    struct reason first = {.code = PAPI_OK};
    char near[NEAREST_TEXT];
    bool found = false;
    *why = NULL;
    if (metrics == NULL)
        memory_is_out();
    char *events = find(metrics, word + 1, by_line, &found, &first);
    if (metrics->fault.code != PAPI_OK)
        *why = memory_print("%s", metrics->fault.text);
    else if (!found)
        *why =
            memory_print("%s is neither a group of metrics nor a metric%s; papi_event_chooser @ lists them",
                         word, metrics_nearest(metrics, word + 1, true, near));
    else if (events[0] == '\0')
        *why = memory_print("%s: %s", word, first.code != PAPI_OK ? first.text : "it has no events");
    metrics_free(metrics);
    if (*why == NULL)
        return events;
    free(events);
    return NULL;
}
