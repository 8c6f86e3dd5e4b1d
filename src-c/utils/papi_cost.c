/* SPDX-License-Identifier: BSD-3-Clause
 *
 * papi_cost: what the calls that count cost a program.
 */
#include "base/json.h"
#include "costs.h"
#include "event.h"
#include "papi.h"
#include "tool.h"

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

/* ------------------------------------------------------------------------- the calls */

static int nothing(void *data)
{
    (void)data;
    return PAPI_OK;
}

static int start_stop(void *data)
{
    struct cost_set *target = data;
    int code = PAPI_start(target->set);
    return code == PAPI_OK ? PAPI_stop(target->set, target->counts) : code;
}

static int read_counts(void *data)
{
    struct cost_set *target = data;
    return PAPI_read(target->set, target->counts);
}

static int read_with_time(void *data)
{
    struct cost_set *target = data;
    return PAPI_read_ts(target->set, target->counts, &target->cycles);
}

static int accumulate(void *data)
{
    struct cost_set *target = data;
    return PAPI_accum(target->set, target->counts);
}

static const struct test {
    const char *what;
    cost_call *call;
    bool running; /* the set */
} tests[] = {
    {"loop latency", nothing, false},
    {"PAPI_start/stop (2 counters)", start_stop, false},
    {"PAPI_read (2 counters)", read_counts, true},
    {"PAPI_read_ts (2 counters)", read_with_time, true},
    {"PAPI_accum (2 counters)", accumulate, true},
    {"PAPI_reset (2 counters)", cost_set_reset, true},
};
enum { N_TESTS = sizeof tests / sizeof tests[0] };

/* ------------------------------------------------------------------------- measuring */

struct measurement {
    struct tool *tool;
    const struct options *options;
    struct json json;
    struct costs costs;
};

static void show(struct measurement *measurement, const char *what)
{
    const struct options *options = measurement->options;
    if (measurement->tool->report.json) {
        costs_json(&measurement->json, &measurement->costs, what, (int)options->bins);
        return;
    }
    costs_print(&measurement->costs, what);
    if (options->deviations)
        costs_print_deviations(&measurement->costs);
    if (options->histogram)
        costs_print_histogram(&measurement->costs, (int)options->bins);
}

static int measure(struct measurement *measurement, const struct test *test, struct cost_set *target)
{
    int code = costs_measure_set(&measurement->costs, test->call, test->running, target);
    if (code != PAPI_OK)
        return tool_error(measurement->tool, "%s: %s", test->what, PAPI_strerror(code));
    show(measurement, test->what);
    return TOOL_FINE;
}

static int make_set(struct tool *tool, struct cost_set *target, const char *const *names, int n)
{
    target->set = PAPI_NULL;
    int code = PAPI_create_eventset(&target->set);
    for (int i = 0; i < n && code == PAPI_OK; i++)
        code = PAPI_add_named_event(target->set, names[i]);
    return code == PAPI_OK ? TOOL_FINE
                           : tool_error(tool, "no event set of %s: %s", names[0], PAPI_strerror(code));
}

static int measure_calls(struct measurement *measurement, const struct cost_events *events)
{
    struct cost_set target;
    if (make_set(measurement->tool, &target, events->names, events->n) != TOOL_FINE)
        return TOOL_ERROR;
    for (int i = 0; i < N_TESTS && !tool_output_failed(); i++)
        if (measure(measurement, &tests[i], &target) != TOOL_FINE)
            return TOOL_ERROR;
    cost_set_destroy(&target);
    return TOOL_FINE;
}

/* ------------------------------------------------------------------ derived events */

static bool is_derived_by(const PAPI_event_info_t *info, const char *derivation)
{
    return event_is_derived(info) && strcmp(info->derived, derivation) == 0;
}

/* The first preset that counts here and is derived in this way. */
static bool find_derived(const char *derivation, PAPI_event_info_t *info)
{
    int code = PAPI_PRESET_MASK;
    int more = PAPI_enum_event(&code, PAPI_ENUM_FIRST);
    for (; more == PAPI_OK; more = PAPI_enum_event(&code, PAPI_ENUM_EVENTS))
        if (PAPI_get_event_info(code, info) == PAPI_OK && is_derived_by(info, derivation))
            return true;
    return false;
}

static int measure_derived(struct measurement *measurement)
{
    static const char *const derivations[] = {"DERIVED_ADD", "DERIVED_SUB", "DERIVED_POSTFIX"};
    PAPI_event_info_t info;
    struct cost_set target;
    char what[PAPI_MAX_STR_LEN];
    int found = 0;
    for (size_t i = 0; i < sizeof derivations / sizeof derivations[0]; i++) {
        if (!find_derived(derivations[i], &info))
            continue;
        const char *name = info.symbol;
        snprintf(what, sizeof what, "PAPI_read of %s (%s, %u counters)", info.symbol, derivations[i],
                 info.count);
        found++;
        if (make_set(measurement->tool, &target, &name, 1) != TOOL_FINE ||
            measure(measurement, &(struct test){what, read_counts, true}, &target) != TOOL_FINE)
            return TOOL_ERROR;
        cost_set_destroy(&target);
    }
    if (found == 0 && !measurement->tool->report.json)
        puts("\nNo derived preset counts here, so that its cost was not measured.");
    return TOOL_FINE;
}

/* ------------------------------------------------------------------------- the whole */

static void print_head(const struct cost_events *events)
{
    puts("What calls cost, in ticks of PAPI_get_real_cyc, with those of its two readings");
    costs_print_events(events);
}

static void begin_json(struct json *json, const struct cost_events *events)
{
    json->out = stdout;
    json_open(json, NULL, '{');
    json_open(json, "events", '[');
    for (int i = 0; i < events->n; i++)
        json_string(json, NULL, events->names[i]);
    json_close(json, ']');
    json_boolean(json, "software_events", events->software);
    json_open(json, "costs", '[');
}

static int run(struct tool *tool, const struct options *options)
{
    struct measurement measurement = {.tool = tool, .options = options};
    struct cost_events events;
    if (tool_open(tool) != TOOL_FINE || costs_find_events(tool, &events) != TOOL_FINE ||
        costs_create(tool, &measurement.costs, (int)options->calls) != TOOL_FINE)
        return TOOL_ERROR;
    if (tool->report.json)
        begin_json(&measurement.json, &events);
    else
        print_head(&events);
    if (measure_calls(&measurement, &events) == TOOL_FINE)
        measure_derived(&measurement);
    if (tool->report.json) {
        json_close(&measurement.json, ']');
        json_close(&measurement.json, '}');
    }
    costs_destroy(&measurement.costs);
    return tool->status;
}

int main(int argc, char **argv)
{
    static const struct option long_options[] = {
        {"bins", required_argument, NULL, 'b'},      {"graph", no_argument, NULL, 'd'},
        {"percentiles", no_argument, NULL, 'p'},     {"std-dev", no_argument, NULL, 's'},
        {"threshold", required_argument, NULL, 't'}, {NULL, 0, NULL, 0},
    };
    struct tool tool = {.name = "papi_cost", .usage = usage_text};
    struct options options = {.bins = 100, .calls = 100000};
    int c;
    tool_start(&tool, "b:dhpst:", long_options);
    while ((c = tool_option(&tool, argc, argv)) >= 0) {
        if (c == 'd')
            options.histogram = true;
        else if (c == 's')
            options.deviations = true;
        else if (c == 'b' && tool_number(&tool, "-b", optarg, 1, 10000, &options.bins) != TOOL_FINE)
            break;
        else if (c == 't' && tool_number(&tool, "-t", optarg, 1, 100000000, &options.calls) != TOOL_FINE)
            break;
    }
    if (c == TOOL_NO_MORE && tool_no_arguments(&tool, argc, argv) == TOOL_FINE)
        tool.status = run(&tool, &options);
    return tool_end(&tool);
}
