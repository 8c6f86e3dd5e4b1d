/* SPDX-License-Identifier: BSD-3-Clause
 *
 * papi_clockres: what the timers cost, and the smallest time that they tell apart.
 */
#include "papi.h"
#include "tools/common/tool.h"

#include <limits.h>

static const char usage_text[] =
    "Usage: papi_clockres [-n CALLS] [--json]\n"
    "Measures the latency and the resolution of the timers.\n"
    "\n"
    "  -n, --calls=CALLS  of each timer (100000)\n"
    "      --json         the same for programs: one JSON object\n"
    "      --version      the version of the interface\n"
    "  -h, --help         this text\n"
    "\n"
    "The latency is the time of a call, in nanoseconds; the resolution the smallest\n"
    "step between two different values, in the timer's unit.\n"
    "\n"
    "Exit status: 0; 1 if a timer stood still or ran backwards, or after an error; 2\n"
    "for wrong options.\n";

static const struct timer {
    const char *name, *unit;
    long long (*read)(void);
} timers[] = {
    {"PAPI_get_real_cyc", "cycles", PAPI_get_real_cyc}, {"PAPI_get_real_usec", "us", PAPI_get_real_usec},
    {"PAPI_get_real_nsec", "ns", PAPI_get_real_nsec},   {"PAPI_get_virt_cyc", "cycles", PAPI_get_virt_cyc},
    {"PAPI_get_virt_usec", "us", PAPI_get_virt_usec},   {"PAPI_get_virt_nsec", "ns", PAPI_get_virt_nsec},
};
enum { N_TIMERS = sizeof timers / sizeof timers[0] };

struct resolution {
    double latency;       /* of a call, in ns */
    long long step;       /* the smallest that is not 0 */
    int steps, backwards; /* their number, and the number of those below 0 */
};

/* The steps are looked at apart, in calls of their own: looking takes time. */
static void measure(const struct timer *timer, long long calls, struct resolution *resolution)
{
    long long begin = PAPI_get_real_nsec();
    for (long long i = 0; i < calls; i++)
        timer->read();
    long long end = PAPI_get_real_nsec(), last = timer->read();
    *resolution = (struct resolution){.latency = (double)(end - begin) / (double)calls, .step = LLONG_MAX};
    for (long long i = 0; i < calls; i++) {
        long long now = timer->read(), step = now - last;
        resolution->backwards += step < 0;
        resolution->steps += step > 0;
        if (step > 0 && step < resolution->step)
            resolution->step = step;
        last = now;
    }
}

static void show_timer(struct report *report, const struct timer *timer, const struct resolution *resolution)
{
    bool stood = resolution->steps == 0;
    report_row(report, NULL, "{timer:%-18s} {latency_ns:%12.1f} {resolution:%12d|0} {unit}",
               AS_TEXT("timer", timer->name), AS_TEXT("unit", timer->unit),
               AS_REAL("latency_ns", resolution->latency),
               AS_NUMBER("resolution", stood ? REPORT_UNKNOWN : resolution->step),
               AS_NUMBER("backwards", resolution->backwards));
}

static int run(struct tool *tool, long long calls)
{
    struct report *report = &tool->report;
    struct resolution resolution;
    report_sentence(report, NULL, "Latency and resolution of the timers, from {calls} calls",
                    AS_NUMBER("calls", calls));
    report_line(report, NULL, "%-18s %12s %12s", "Timer", "Latency (ns)", "Resolution");
    report_list(report, "timers");
    for (int i = 0; i < N_TIMERS; i++) {
        measure(&timers[i], calls, &resolution);
        show_timer(report, &timers[i], &resolution);
        if (resolution.backwards > 0)
            tool_error(tool, "%s ran backwards, %d times", timers[i].name, resolution.backwards);
        if (resolution.steps == 0)
            tool_error(tool, "%s stood still in %lld calls", timers[i].name, calls);
    }
    return tool->status;
}

int main(int argc, char **argv)
{
    static const struct option_row rows[] = {{'n', "calls", OPTION_NUMBER, 0, 100, 1000000000}, {0}};
    struct tool tool = {.name = "papi_clockres", .usage = usage_text};
    long long calls = 100000;
    if (tool_ready(&tool, argc, argv, rows, &calls))
        tool.status = run(&tool, calls);
    return tool_end(&tool);
}
