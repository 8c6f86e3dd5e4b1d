/* SPDX-License-Identifier: BSD-3-Clause */
#include "metric_groups.h"
#include "count_sets.h"

#include <stdlib.h>
#include <string.h>

/* A set of events that are tried together. */
struct trial {
    struct count_sets sets;
    char *name[MAX_COUNT_EVENTS];
};

static int take(void *context, const char *event)
{
    struct trial *trial = context;
    int n = trial->sets.n_events;
    for (int i = 0; i < n; i++)
        if (strcmp(trial->name[i], event) == 0)
            return PAPI_OK;
    if (n == MAX_COUNT_EVENTS || (trial->name[n] = strdup(event)) == NULL)
        return PAPI_ECOUNT;
    count_sets_add(&trial->sets, trial->name[n]);
    return PAPI_OK;
}

static void end(struct trial *trial)
{
    count_sets_end(&trial->sets);
    for (int i = 0; i < trial->sets.n_events; i++)
        free(trial->name[i]);
    free(trial);
}

static struct trial *begin(void)
{
    struct trial *trial = calloc(1, sizeof *trial);
    if (trial != NULL)
        trial->sets.may_take_turns = true;
    return trial;
}

/* The first event that was refused. */
static const struct count_event *refused(const struct trial *trial)
{
    for (int i = 0; i < trial->sets.n_events; i++)
        if (!trial->sets.event[i].added)
            return &trial->sets.event[i];
    return NULL;
}

static bool takes_turns(const struct trial *trial)
{
    for (int i = 0; i < trial->sets.n_events; i++)
        if (trial->sets.event[i].added && count_sets_estimated(&trial->sets, &trial->sets.event[i]))
            return true;
    return false;
}

static const struct report_layout how = {.indent = 4, .separator = ": ", .width = 9, .hang = 15};

/* Prints how the events are counted. reason: why they are not, if that is known already; else NULL. Returns
 * true if all of them are counted. */
static bool show_how(struct report *report, const struct trial *trial, const char *reason)
{
    const struct count_event *first = reason == NULL ? refused(trial) : NULL;
    const char *word = reason != NULL || first != NULL ? "not counted"
                       : takes_turns(trial)            ? "multiplexed"
                                                       : "one group";
    report->layout = &how;
    report_string(report, "counted", "how",
                  strcmp(word, "one group") == 0 ? "in one group of counters"
                  : strcmp(word, "multiplexed") == 0
                      ? "multiplexed: the events take turns, and the values are estimates"
                      : "not at all");
    if (first != NULL) {
        char text[2 * PAPI_HUGE_STR_LEN];
        snprintf(text, sizeof text, "%s: %s", first->name, first->why);
        report_string(report, "because", "reason", text);
    } else
        report_string(report, "because", "reason", reason);
    return reason == NULL && first == NULL;
}

static void show_events(struct report *report, const struct trial *trial)
{
    static const struct report_layout unbroken = {.indent = 4, .separator = ": ", .width = 9};
    report->layout = &unbroken;
    report_words(report, "events", "events", (const char *const *)trial->name, trial->sets.n_events);
}

static void show_row(struct report *report, const struct metrics_row *row)
{
    report_sentence(report, NULL, "\n{name} ({unit}): {description}", AS_TEXT("name", row->name),
                    AS_TEXT("group", row->group), AS_TEXT("unit", row->unit),
                    AS_TEXT("description", row->description));
    report->layout = &how;
    report_string(report, "formula", "formula", row->formula);
}

static bool show_pick(struct report *report, const struct metrics_pick *pick)
{
    struct trial *trial = begin();
    bool counted = false;
    if (trial == NULL)
        return false;
    report_object(report, NULL);
    show_row(report, pick->row);
    bool counts = pick->why.code == PAPI_OK;
    metrics_events(pick, take, trial);
    if (counts)
        show_events(report, trial);
    counted = show_how(report, trial, counts ? NULL : pick->why.text);
    report_end(report);
    end(trial);
    return counted;
}

/* Prints how all metrics are counted together, as far as they can be counted at all. */
static void show_together(const struct by_name *by_name, struct report *report)
{
    struct trial *trial = begin();
    if (trial == NULL)
        return;
    for (int i = 0; i < by_name->picks.n; i++)
        metrics_events(&by_name->picks.pick[i], take, trial);
    report_line(report, NULL, "\nAll of these that are counted, together:");
    report_object(report, "together");
    show_events(report, trial);
    show_how(report, trial, NULL);
    report_end(report);
    end(trial);
}

int groups_show(const struct by_name *by_name, struct report *report)
{
    int counted = 0;
    report_list(report, "metrics");
    for (int i = 0; i < by_name->picks.n; i++)
        counted += show_pick(report, &by_name->picks.pick[i]);
    report_end(report);
    if (counted > 1)
        show_together(by_name, report);
    return counted;
}

static bool is_first_of_name(const struct metrics *metrics, const struct metrics_row *row)
{
    const struct metrics_row *first = metrics->first;
    while (first != row && (first->formula == NULL || strcmp(first->name, row->name) != 0))
        first = first->next;
    return first == row;
}

static void list_row(struct report *report, const struct metrics *metrics, const struct metrics_row *row)
{
    bool is_group = row->formula == NULL;
    report_row(report, NULL,
               is_group                         ? "\n@{name}: {description}"
               : is_first_of_name(metrics, row) ? "    {name:%-18s} {unit:%-12s} {description}"
                                                : NULL,
               AS_FLAG("is_group", is_group), AS_TEXT("name", row->name), AS_TEXT("group", row->group),
               AS_TEXT("unit", row->unit), AS_TEXT("formula", row->formula),
               AS_TEXT("description", row->description));
}

void groups_list(const struct by_name *by_name, struct report *report)
{
    const struct metrics *metrics = by_name->metrics;
    report_list(report, "table");
    for (const struct metrics_row *row = metrics->first; row != NULL; row = row->next)
        list_row(report, metrics, row);
    report_end(report);
}
