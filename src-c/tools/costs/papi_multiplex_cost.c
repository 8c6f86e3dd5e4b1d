/* SPDX-License-Identifier: BSD-3-Clause
 *
 * papi_multiplex_cost: what calls cost where events take turns on the counters.
 */
#include "costs.h"
#include "tools/common/event.h"
#include "tools/common/machine_head.h"

#include <stdio.h>

static const char usage_text[] =
    "Usage: papi_multiplex_cost [-ks] [-m MIN] [-x MAX] [-t THRESHOLD] [--json]\n"
    "Measures what PAPI_start with PAPI_stop, PAPI_read and PAPI_reset cost, in ticks\n"
    "of PAPI_get_real_cyc, for multiplexed event sets of MIN to MAX events.\n"
    "\n"
    "  -m, --min=MIN      the fewest events (1)\n"
    "  -x, --max=MAX      the most events (as many as count here, at most 16)\n"
    "  -k, --no-kernel    not with the kernel's multiplexing: there is no other here\n"
    "  -s, --no-software  not with the library's own: there is none anyway\n"
    "  -t, --threshold=THRESHOLD  how many times each is called (10000)\n"
    "      --json         the same for programs: one JSON object\n"
    "      --version      the version of the interface\n"
    "  -h, --help         this text\n"
    "\n"
    "Exit status: 0; 1 if nothing counts here, or after an error; 2 for wrong\n"
    "options.\n";

struct options {
    long long least, most, calls; /* most 0: as many as there are */
    bool no_kernel;
};

static const struct option_row rows[] = {
    {'m', "min", OPTION_NUMBER, offsetof(struct options, least), 1, COST_MAX_EVENTS},
    {'x', "max", OPTION_NUMBER, offsetof(struct options, most), 1, COST_MAX_EVENTS},
    {'k', "no-kernel", OPTION_SET, offsetof(struct options, no_kernel), 0, 0},
    {'s', "no-software", OPTION_IGNORED, 0, 0, 0},
    {'t', "threshold", OPTION_NUMBER, offsetof(struct options, calls), 1, 100000000},
    {0},
};

/* Presets of one event each, or else what the kernel itself counts. */
static void find_events(struct cost_events *events)
{
    struct events presets = {.code = PAPI_PRESET_MASK};
    *events = (struct cost_events){.n = 0};
    while (events_next(&presets))
        if (presets.info.count == 1)
            cost_events_add(events, presets.info.symbol);
    events->software = events->n == 0;
    for (const char *const *name = machine_software_events; *name != NULL && events->software; name++)
        if (PAPI_query_named_event(*name) == PAPI_OK)
            cost_events_add(events, *name);
}

/* ---- one number */

static const struct cost_test tests[] = {
    {"start/stop", cost_start_stop, false}, {"read", cost_read, true}, {"reset", cost_reset, true}};
enum { N_TESTS = sizeof tests / sizeof tests[0] };

static void show_cell(struct report *report, const struct costs *costs, const char *what)
{
    report_object(report, what);
    report_cell(report, "  {mean:%12.1f} {p50:%9d}", AS_NUMBER("min", costs->ticks[0]),
                AS_REAL("mean", costs->mean), AS_REAL("deviation", costs->deviation),
                AS_NUMBER("p50", costs_quantile(costs, 0.5)), AS_NUMBER("p99", costs_quantile(costs, 0.99)));
    report_end(report);
}

static int measure_number(struct tool *tool, struct costs *costs, const struct cost_events *events, int n)
{
    struct report *report = &tool->report;
    struct cost_set set;
    int code = cost_set_create(&set, events, n, true);
    report_object(report, NULL);
    report_cell(report, "{events:%6d}", AS_NUMBER("events", n));
    for (int i = 0; i < N_TESTS && code == PAPI_OK; i++) {
        code = costs_measure(costs, &tests[i], &set);
        if (code == PAPI_OK)
            show_cell(report, costs, tests[i].what);
    }
    report_end(report);
    report_blank(report);
    cost_set_destroy(&set);
    return code == PAPI_OK ? TOOL_FINE
                           : tool_error(tool, "%d multiplexed events: %s", n, PAPI_strerror(code));
}

/* ---- the whole */

static int measure_all(struct tool *tool, const struct options *options, const struct cost_events *events)
{
    struct report *report = &tool->report;
    struct costs costs;
    if (costs_create(tool, &costs, (int)options->calls) != TOOL_FINE)
        return TOOL_ERROR;
    report_line(report, NULL, "What calls cost with multiplexed events, in ticks of PAPI_get_real_cyc");
    cost_events_show(report, events);
    report_line(report, NULL, "\n#        PAPI_start/stop                PAPI_read              PAPI_reset");
    report_line(report, NULL,
                "#events         mean    median          mean    median          mean    median");
    report_list(report, "kernel");
    for (int n = (int)options->least; n <= events->n && !tool_output_failed(); n++)
        if (measure_number(tool, &costs, events, n) != TOOL_FINE)
            break;
    costs_destroy(&costs);
    return tool->status;
}

static int run(struct tool *tool, const struct options *options)
{
    struct cost_events events;
    if (options->no_kernel)
        return tool_error(tool, "this library multiplexes in the kernel alone: without it nothing is left");
    if (cost_events_find(tool, &events) != TOOL_FINE || PAPI_multiplex_init() != PAPI_OK)
        return TOOL_ERROR;
    find_events(&events);
    int most = options->most != 0 ? (int)options->most : events.n;
    if (most > events.n)
        return tool_error(tool, "only %d events count here, not %d", events.n, most);
    if (options->least > most)
        return tool_usage_error(tool, "-m %lld is more than the %d events of -x", options->least, most);
    events.n = most;
    return measure_all(tool, options, &events);
}

int main(int argc, char **argv)
{
    struct tool tool = {.name = "papi_multiplex_cost", .usage = usage_text};
    struct options options = {.least = 1, .calls = 10000};
    if (tool_ready(&tool, argc, argv, rows, &options))
        tool.status = run(&tool, &options);
    return tool_end(&tool);
}
