/* SPDX-License-Identifier: BSD-3-Clause
 *
 * papi_avail: which preset events this machine counts, and what any event is.
 */
#include "event.h"
#include "machine.h"
#include "nodes.h"

#include <stdio.h>

struct options {
    bool detail;
    bool only_available;
    bool nodes;        /* the nodes of a job instead of events */
    const char *event; /* one event in detail; NULL: all presets */
};

static const struct option_row rows[] = {
    {'a', "avail", OPTION_SET, offsetof(struct options, only_available), 0, 0},
    {'c', "check", OPTION_SET, offsetof(struct options, only_available), 0, 0},
    {'d', "detail", OPTION_RETURNED, 0, 0, 0},
    {'t', "table", OPTION_RETURNED, 0, 0, 0},
    {'e', "event", OPTION_TEXT, offsetof(struct options, event), 0, 0},
    {0, "nodes", OPTION_SET, offsetof(struct options, nodes), 0, 0},
    {0},
};

/* The presets that were printed, or would have been. */
struct totals {
    int possible, available, derived;
    int defined; /* of natives that this machine has by name, whether they count or not */
};

static const char usage_text[] =
    "Usage: papi_avail [-acdt] [--json] [-e EVENT]\n"
    "       mpirun ... papi_avail --nodes [--json]\n"
    "Lists the preset events and whether this machine counts them.\n"
    "\n"
    "  -a, --avail        only the events that count here\n"
    "  -c, --check        the same: the kernel is always asked\n"
    "  -d, --detail       with descriptions, native events and formulas\n"
    "  -t, --table        one line an event (this is the default)\n"
    "  -e, --event=EVENT  one preset or native event; if it does not count here, why\n"
    "      --nodes        under mpirun: which nodes of the job differ, by kind\n"
    "      --json         the same for programs: one JSON object\n"
    "      --version      the version of the interface\n"
    "  -h, --help         this text\n"
    "\n"
    "Exit status: 0; 1 after an error (-e: no such event); 2 for wrong options.\n";

/* --------------------------------------------------------------------- listing */

static bool has_definition(const PAPI_event_info_t *info)
{
    int n = event_natives(info), code;
    for (int i = 0; i < n; i++)
        if (PAPI_event_name_to_code(info->name[i], &code) != PAPI_OK)
            return false;
    return n > 0;
}

static void list_event(struct report *report, const struct options *options, struct totals *totals,
                       const PAPI_event_info_t *info)
{
    const char *why;
    totals->possible++;
    totals->defined += has_definition(info); /* first: the reason lasts until the next call */
    bool available = event_counts(info, &why);
    totals->available += available;
    totals->derived += event_is_derived(info);
    if (options->only_available && !available)
        return;
    if (options->detail) {
        event_show(report, NULL, info, available, why);
        report_blank(report);
    } else {
        event_show_row(report, info, available, why, !options->only_available);
    }
}

/* Presets, or the user's own events. */
static void list_kind(struct report *report, const struct options *options, struct totals *totals, int code)
{
    struct events events = {.code = code};
    report_list(report, code == PAPI_PRESET_MASK ? "presets" : "user_events");
    while (events_next(&events))
        list_event(report, options, totals, &events.info);
    report_end(report);
}

/* The last line of each list is as scripts know it. */
static void show_totals(struct report *report, const struct options *options, const struct totals *totals)
{
    report_number(report, NULL, "possible", totals->possible);
    report_number(report, NULL, "available", totals->available);
    report_number(report, NULL, "derived", totals->derived);
    report_number(report, NULL, "defined", totals->defined);
    if (totals->available == 0 && totals->defined > 0)
        report_line(report, NULL, "%d of the %d have a definition for this processor: papi_avail -d",
                    totals->defined, totals->possible);
    if (options->only_available)
        report_line(report, NULL, "\nOf %d available events, %d are derived.", totals->available,
                    totals->derived);
    else
        report_line(report, NULL, "\nOf %d possible events, %d are available, of which %d are derived.",
                    totals->possible, totals->available, totals->derived);
}

static int list_all(struct tool *tool, const struct options *options)
{
    struct report *report = &tool->report;
    struct totals totals = {.possible = 0};
    machine_show(report, "Preset events, and the machine that would count them");
    if (!options->detail)
        report_line(report, NULL, "    Name        Code    %sDeriv Description (Note)",
                    options->only_available ? "" : "Avail ");
    list_kind(report, options, &totals, PAPI_PRESET_MASK);
    list_kind(report, options, &totals, PAPI_UE_MASK);
    machine_explain(report, totals.available);
    show_totals(report, options, &totals);
    return machine_check(tool);
}

static int show_event(struct tool *tool, const char *name)
{
    PAPI_event_info_t info;
    const char *why;
    if (event_find(tool, name, &info) != TOOL_FINE)
        return TOOL_ERROR;
    bool available = event_counts(&info, &why);
    event_show(&tool->report, event_is_preset(&info) ? "preset" : "event", &info, available, why);
    event_show_masks(&tool->report, &info);
    return machine_check(tool);
}

/* -------------------------------------------------------------------- options */

static int run(struct tool *tool, const struct options *options)
{
    if (options->nodes)
        return nodes_list(tool);
    return options->event != NULL ? show_event(tool, options->event) : list_all(tool, options);
}

int main(int argc, char **argv)
{
    struct tool tool = {.name = "papi_avail", .usage = usage_text};
    struct options options = {.detail = false};
    int c;
    while ((c = tool_read(&tool, argc, argv, rows, &options)) > 0) {
        options.detail = c == 'd';
        tool.report.json = false; /* the last one says the format */
    }
    if (c == 0 && tool_ready(&tool, argc, argv, rows, &options))
        tool.status = run(&tool, &options);
    return tool_end(&tool);
}
