/* SPDX-License-Identifier: BSD-3-Clause
 *
 * papi_multiplex_cost: what calls cost where events take turns on the counters.
 */
#include "base/json.h"
#include "costs.h"
#include "event.h"
#include "papi.h"
#include "tool.h"

#include <stdio.h>
#include <string.h>

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

/* ------------------------------------------------------------------------- the events */

struct events {
    int n;
    bool software;
    char names[COST_MAX_EVENTS][PAPI_MIN_STR_LEN];
};

static void add(struct events *events, const char *name)
{
    if (events->n < COST_MAX_EVENTS)
        snprintf(events->names[events->n++], sizeof events->names[0], "%s", name);
}

/* Presets of one event each, or else what the kernel itself counts. */
static void find_events(struct events *events)
{
    static const char *const kernel[] = {"TASK-CLOCK",   "CPU-CLOCK",        "PAGE-FAULTS",   "MINOR-FAULTS",
                                         "MAJOR-FAULTS", "CONTEXT-SWITCHES", "CPU-MIGRATIONS"};
    PAPI_event_info_t info;
    char name[PAPI_MIN_STR_LEN];
    int code = PAPI_PRESET_MASK;
    int more = PAPI_enum_event(&code, PAPI_ENUM_FIRST);
    for (; more == PAPI_OK; more = PAPI_enum_event(&code, PAPI_ENUM_EVENTS))
        if (PAPI_get_event_info(code, &info) == PAPI_OK && info.count == 1)
            add(events, info.symbol);
    events->software = events->n == 0;
    for (size_t i = 0; i < sizeof kernel / sizeof kernel[0] && events->software; i++) {
        snprintf(name, sizeof name, "perf::%s", kernel[i]);
        if (PAPI_query_named_event(name) == PAPI_OK)
            add(events, name);
    }
}

/* ------------------------------------------------------------------------- one number */

/* An event that has had no turn yet has no count, which is no failure of the call that reads. */
static int without_turn(int code)
{
    return code == PAPI_ECNFLCT ? PAPI_OK : code;
}

static int start_stop(void *data)
{
    struct cost_set *target = data;
    int code = PAPI_start(target->set);
    return code == PAPI_OK ? without_turn(PAPI_stop(target->set, NULL)) : code;
}

static int read_counts(void *data)
{
    struct cost_set *target = data;
    return without_turn(PAPI_read(target->set, target->counts));
}

static int reset(void *data)
{
    return without_turn(cost_set_reset(data));
}

static const struct test {
    const char *what;
    cost_call *call;
    bool running;
} tests[] = {{"start/stop", start_stop, false}, {"read", read_counts, true}, {"reset", reset, true}};
enum { N_TESTS = sizeof tests / sizeof tests[0] };

static int make_set(struct cost_set *target, const struct events *events, int n)
{
    int first;
    target->set = PAPI_NULL;
    int code = PAPI_event_name_to_code(events->names[0], &first);
    if (code == PAPI_OK)
        code = PAPI_create_eventset(&target->set);
    if (code == PAPI_OK)
        code = PAPI_assign_eventset_component(target->set, PAPI_get_event_component(first));
    if (code == PAPI_OK)
        code = PAPI_set_multiplex(target->set);
    for (int i = 0; i < n && code == PAPI_OK; i++)
        code = PAPI_add_named_event(target->set, events->names[i]);
    return code;
}

static void row_json(struct json *json, struct costs *costs, const char *what)
{
    json_open(json, what, '{');
    json_integer(json, "min", costs->ticks[0]);
    json_number(json, "mean", costs->mean);
    json_number(json, "deviation", costs->deviation);
    json_integer(json, "p50", costs_quantile(costs, 0.5));
    json_integer(json, "p99", costs_quantile(costs, 0.99));
    json_close(json, '}');
}

static int measure_number(struct tool *tool, struct json *json, struct costs *costs,
                          const struct events *events, int n)
{
    struct cost_set target;
    int code = make_set(&target, events, n);
    if (tool->report.json) {
        json_open(json, NULL, '{');
        json_integer(json, "events", n);
    } else
        printf("%6d", n);
    for (int i = 0; i < N_TESTS && code == PAPI_OK; i++) {
        code = costs_measure_set(costs, tests[i].call, tests[i].running, &target);
        if (code == PAPI_OK && tool->report.json)
            row_json(json, costs, tests[i].what);
        else if (code == PAPI_OK)
            printf("  %12.1f %10lld", costs->mean, costs_quantile(costs, 0.5));
    }
    if (tool->report.json)
        json_close(json, '}');
    else
        putchar('\n');
    if (code != PAPI_OK)
        return tool_error(tool, "%d multiplexed events: %s", n, PAPI_strerror(code));
    cost_set_destroy(&target);
    return TOOL_FINE;
}

/* --------------------------------------------------------------------------- the whole */

static void print_head(const struct events *events, int most)
{
    puts("What calls cost with multiplexed events, in ticks of PAPI_get_real_cyc");
    printf("Events:");
    for (int i = 0; i < most; i++)
        printf(" %s", events->names[i]);
    putchar('\n');
    if (events->software)
        puts("These are the kernel's own, because the processor's counters do not count here\n"
             "(papi_doctor says why).");
    puts("\n#         PAPI_start/stop                 PAPI_read               PAPI_reset");
    puts("#events          mean     median          mean     median          mean     median");
}

static void begin_json(struct json *json, const struct events *events, int most)
{
    json->out = stdout;
    json_open(json, NULL, '{');
    json_open(json, "events", '[');
    for (int i = 0; i < most; i++)
        json_string(json, NULL, events->names[i]);
    json_close(json, ']');
    json_boolean(json, "software_events", events->software);
    json_open(json, "kernel", '[');
}

static int measure_all(struct tool *tool, const struct options *options, const struct events *events,
                       int most)
{
    struct costs costs;
    struct json json = {0};
    if (costs_create(tool, &costs, (int)options->calls) != TOOL_FINE)
        return TOOL_ERROR;
    if (tool->report.json)
        begin_json(&json, events, most);
    else
        print_head(events, most);
    for (int n = (int)options->least; n <= most && !tool_output_failed(); n++)
        if (measure_number(tool, &json, &costs, events, n) != TOOL_FINE)
            break;
    if (tool->report.json) {
        json_close(&json, ']');
        json_close(&json, '}');
    }
    costs_destroy(&costs);
    return tool->status;
}

static int run(struct tool *tool, const struct options *options)
{
    struct events events = {.n = 0};
    struct cost_events any;
    if (options->no_kernel)
        return tool_error(tool, "this library multiplexes in the kernel alone: without it nothing is left");
    if (tool_open(tool) != TOOL_FINE || costs_find_events(tool, &any) != TOOL_FINE ||
        PAPI_multiplex_init() != PAPI_OK)
        return TOOL_ERROR;
    find_events(&events);
    int most = options->most != 0 ? (int)options->most : events.n;
    if (most > events.n)
        return tool_error(tool, "only %d events count here, not %d", events.n, most);
    if (options->least > most)
        return tool_usage_error(tool, "-m %lld is more than the %d events of -x", options->least, most);
    return measure_all(tool, options, &events, most);
}

int main(int argc, char **argv)
{
    static const struct option long_options[] = {
        {"min", required_argument, NULL, 'm'},       {"max", required_argument, NULL, 'x'},
        {"no-kernel", no_argument, NULL, 'k'},       {"no-software", no_argument, NULL, 's'},
        {"threshold", required_argument, NULL, 't'}, {NULL, 0, NULL, 0},
    };
    struct tool tool = {.name = "papi_multiplex_cost", .usage = usage_text};
    struct options options = {.least = 1, .calls = 10000};
    int c;
    tool_start(&tool, "hkm:st:x:", long_options);
    while ((c = tool_option(&tool, argc, argv)) >= 0) {
        if (c == 'k')
            options.no_kernel = true;
        else if (c == 'm' &&
                 tool_number(&tool, "-m", optarg, 1, COST_MAX_EVENTS, &options.least) != TOOL_FINE)
            break;
        else if (c == 'x' && tool_number(&tool, "-x", optarg, 1, COST_MAX_EVENTS, &options.most) != TOOL_FINE)
            break;
        else if (c == 't' && tool_number(&tool, "-t", optarg, 1, 100000000, &options.calls) != TOOL_FINE)
            break;
    }
    if (c == TOOL_NO_MORE && tool_no_arguments(&tool, argc, argv) == TOOL_FINE)
        tool.status = run(&tool, &options);
    return tool_end(&tool);
}
