/* SPDX-License-Identifier: BSD-3-Clause
 *
 * papi_cost: what the calls that count cost a program.
 */
#include "costs.h"
#include "tools/common/event.h"

#include <stdio.h>
#include <string.h>

static const char usage_text[] =
    "Usage: papi_cost [-dps] [-b BINS] [-t THRESHOLD] [--json]\n"
    "Measures what PAPI_start with PAPI_stop, PAPI_read, PAPI_read_ts, PAPI_accum\n"
    "and PAPI_reset cost, in ticks of PAPI_get_real_cyc.\n"
    "Measured with cycles and instructions, or else with events of the kernel.\n"
    "\n"
    "  -b, --bins=BINS    of the histogram (100)\n"
    "  -d, --graph        a histogram of each call's costs\n"
    "  -p, --percentiles  as always: 25%, 50%, 75%, 99% and 99.9%\n"
    "  -s, --std-dev      how many calls lie how many deviations above the mean\n"
    "  -t, --threshold=THRESHOLD  how many times each is called (100000)\n"
    "      --json         the same for programs: one JSON object\n"
    "      --version      the version of the interface\n"
    "  -h, --help         this text\n"
    "\n"
    "Exit status: 0; 1 if nothing counts here, or after an error; 2 for wrong\n"
    "options.\n";

struct options {
    long long bins, calls;
    bool histogram, deviations;
};

static const struct option_row rows[] = {
    {'b', "bins", OPTION_NUMBER, offsetof(struct options, bins), 1, 10000},
    {'d', "graph", OPTION_SET, offsetof(struct options, histogram), 0, 0},
    {'p', "percentiles", OPTION_IGNORED, 0, 0, 0},
    {'s', "std-dev", OPTION_SET, offsetof(struct options, deviations), 0, 0},
    {'t', "threshold", OPTION_NUMBER, offsetof(struct options, calls), 1, 100000000},
    {0},
};

/* ---- the calls */

static int nothing(struct cost_set *set)
{
    (void)set;
    return PAPI_OK;
}

static int read_with_time(struct cost_set *set)
{
    return PAPI_read_ts(set->set, set->counts, &set->cycles);
}

static int accumulate(struct cost_set *set)
{
    return PAPI_accum(set->set, set->counts);
}

static const struct cost_test tests[] = {
    {"loop latency", nothing, false},
    {"PAPI_start/stop (2 counters)", cost_start_stop, false},
    {"PAPI_read (2 counters)", cost_read, true},
    {"PAPI_read_ts (2 counters)", read_with_time, true},
    {"PAPI_accum (2 counters)", accumulate, true},
    {"PAPI_reset (2 counters)", cost_reset, true},
};
enum { N_TESTS = sizeof tests / sizeof tests[0] };

/* ---- measuring */

/* Measures each of the tests with a set of the events. */
static int measure(struct tool *tool, const struct cost_form *form, struct costs *costs,
                   const struct cost_events *events, const struct cost_test *test, int n)
{
    struct cost_set set;
    int code = cost_set_create(&set, events, events->n, false);
    if (code != PAPI_OK)
        tool_error(tool, "no event set of %s: %s", events->name[0], PAPI_strerror(code));
    for (int i = 0; i < n && code == PAPI_OK && !tool_output_failed(); i++) {
        code = costs_measure(costs, &test[i], &set);
        if (code == PAPI_OK)
            costs_show(&tool->report, costs, test[i].what, form);
        else
            tool_error(tool, "%s: %s", test[i].what, PAPI_strerror(code));
    }
    cost_set_destroy(&set);
    return code == PAPI_OK ? TOOL_FINE : TOOL_ERROR;
}

/* ---- derived events */

/* The first preset that counts here and is derived in this way. */
static bool find_derived(const char *derivation, PAPI_event_info_t *info)
{
    struct events presets = {.code = PAPI_PRESET_MASK};
    while (events_next(&presets))
        if (event_is_derived(&presets.info) && strcmp(presets.info.derived, derivation) == 0) {
            *info = presets.info;
            return true;
        }
    return false;
}

static void measure_derived(struct tool *tool, const struct cost_form *form, struct costs *costs)
{
    static const char *const derivations[] = {"DERIVED_ADD", "DERIVED_SUB", "DERIVED_POSTFIX"};
    PAPI_event_info_t info;
    char what[PAPI_MAX_STR_LEN];
    int found = 0;
    for (size_t i = 0; i < sizeof derivations / sizeof derivations[0]; i++) {
        struct cost_events one = {.n = 0};
        if (!find_derived(derivations[i], &info))
            continue;
        found++;
        cost_events_add(&one, info.symbol);
        snprintf(what, sizeof what, "PAPI_read of %s (%s, %u counters)", info.symbol, derivations[i],
                 info.count);
        const struct cost_test test = {what, cost_read, true};
        if (measure(tool, form, costs, &one, &test, 1) != TOOL_FINE)
            return;
    }
    if (found == 0)
        report_line(&tool->report, NULL,
                    "\nNo derived preset counts here, so that its cost was not measured.");
}

/* ---- the whole */

static int run(struct tool *tool, const struct options *options)
{
    struct report *report = &tool->report;
    const struct cost_form form = {(int)options->bins, options->histogram, options->deviations};
    struct cost_events events;
    struct costs costs;
    if (cost_events_find(tool, &events) != TOOL_FINE ||
        costs_create(tool, &costs, (int)options->calls) != TOOL_FINE)
        return TOOL_ERROR;
    report_line(report, NULL,
                "What calls cost, in ticks of PAPI_get_real_cyc, with those of its two readings");
    cost_events_show(report, &events);
    if (events.software)
        report_say(report,
                   "Calls on hardware counters cost about as much, but for reads in user space, which are "
                   "far faster.");
    report_list(report, "costs");
    if (measure(tool, &form, &costs, &events, tests, N_TESTS) == TOOL_FINE)
        measure_derived(tool, &form, &costs);
    costs_destroy(&costs);
    return tool->status;
}

int main(int argc, char **argv)
{
    struct tool tool = {.name = "papi_cost", .usage = usage_text};
    struct options options = {.bins = 100, .calls = 100000};
    if (tool_ready(&tool, argc, argv, rows, &options))
        tool.status = run(&tool, &options);
    return tool_end(&tool);
}
