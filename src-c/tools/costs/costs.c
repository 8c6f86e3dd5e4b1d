/* SPDX-License-Identifier: BSD-3-Clause */
#include "costs.h"

#include <math.h>
#include <stdlib.h>

/* ---- what is measured with */

void cost_events_add(struct cost_events *events, const char *name)
{
    if (events->n < COST_MAX_EVENTS)
        snprintf(events->name[events->n++], sizeof events->name[0], "%s", name);
}

int cost_events_find(struct tool *tool, struct cost_events *events)
{
    static const char *const choices[][2] = {
        {"PAPI_TOT_CYC", "PAPI_TOT_INS"},
        {"PAPI_TOT_INS", "PAPI_BR_INS"}, /* the emulator has no cycles */
        {"perf::TASK-CLOCK", "perf::PAGE-FAULTS"},
    };
    enum { N_CHOICES = sizeof choices / sizeof choices[0] };
    int code = PAPI_OK;
    for (int i = 0; i < N_CHOICES; i++) {
        code = PAPI_query_named_event(choices[i][0]);
        if (code == PAPI_OK)
            code = PAPI_query_named_event(choices[i][1]);
        if (code != PAPI_OK)
            continue;
        *events = (struct cost_events){.software = i == N_CHOICES - 1};
        cost_events_add(events, choices[i][0]);
        cost_events_add(events, choices[i][1]);
        return TOOL_FINE;
    }
    return tool_error(tool, "no event counts here: %s", PAPI_strerror(code));
}

void cost_events_show(struct report *report, const struct cost_events *events)
{
    const char *name[COST_MAX_EVENTS];
    for (int i = 0; i < events->n; i++)
        name[i] = events->name[i];
    report_words(report, "Events", "events", name, events->n);
    report_paragraph(report,
                     events->software ? "These are the kernel's own, because the processor's counters do not "
                                        "count here (papi_doctor says why)."
                                      : NULL,
                     AS_FLAG("software_events", events->software));
}

int cost_set_create(struct cost_set *set, const struct cost_events *events, int n, bool multiplexed)
{
    int first, code = PAPI_event_name_to_code(events->name[0], &first);
    *set = (struct cost_set){.set = PAPI_NULL, .multiplexed = multiplexed};
    if (code == PAPI_OK)
        code = PAPI_create_eventset(&set->set);
    if (code == PAPI_OK && multiplexed)
        code = PAPI_assign_eventset_component(set->set, PAPI_get_event_component(first));
    if (code == PAPI_OK && multiplexed)
        code = PAPI_set_multiplex(set->set);
    for (int i = 0; i < n && code == PAPI_OK; i++)
        code = PAPI_add_named_event(set->set, events->name[i]);
    return code;
}

void cost_set_destroy(struct cost_set *set)
{
    PAPI_cleanup_eventset(set->set);
    PAPI_destroy_eventset(&set->set);
}

/* ---- measuring */

/* A multiplexed event that has had no turn yet has no count, which is not a failure of the call that reads.
 */
static int without_turn(const struct cost_set *set, int code)
{
    return set->multiplexed && code == PAPI_ECNFLCT ? PAPI_OK : code;
}

int cost_start_stop(struct cost_set *set)
{
    int code = PAPI_start(set->set);
    return code == PAPI_OK ? without_turn(set, PAPI_stop(set->set, set->counts)) : code;
}

int cost_read(struct cost_set *set)
{
    return without_turn(set, PAPI_read(set->set, set->counts));
}

int cost_reset(struct cost_set *set)
{
    return without_turn(set, PAPI_reset(set->set));
}

int costs_create(struct tool *tool, struct costs *costs, int n)
{
    costs->n = n;
    costs->ticks = calloc((size_t)n, sizeof costs->ticks[0]);
    return costs->ticks != NULL ? TOOL_FINE : tool_error(tool, "out of memory for %d measurements", n);
}

void costs_destroy(struct costs *costs)
{
    free(costs->ticks);
}

static int ascending(const void *a, const void *b)
{
    long long x = *(const long long *)a, y = *(const long long *)b;
    return (x > y) - (x < y);
}

static void summarize(struct costs *costs)
{
    double sum = 0, squares = 0;
    qsort(costs->ticks, (size_t)costs->n, sizeof costs->ticks[0], ascending);
    for (int i = 0; i < costs->n; i++)
        sum += (double)costs->ticks[i];
    costs->mean = sum / costs->n;
    for (int i = 0; i < costs->n; i++) {
        double distance = (double)costs->ticks[i] - costs->mean;
        squares += distance * distance;
    }
    costs->deviation = costs->n > 1 ? sqrt(squares / (costs->n - 1)) : 0;
}

static int measure(struct costs *costs, cost_call *call, struct cost_set *set)
{
    enum { WARM_UP = 10 };
    for (int i = -WARM_UP; i < costs->n; i++) {
        long long before = PAPI_get_real_cyc();
        int code = call(set);
        long long after = PAPI_get_real_cyc();
        if (code != PAPI_OK)
            return code;
        if (i >= 0)
            costs->ticks[i] = after - before;
    }
    summarize(costs);
    return PAPI_OK;
}

int costs_measure(struct costs *costs, const struct cost_test *test, struct cost_set *set)
{
    int code = test->running ? PAPI_start(set->set) : PAPI_OK;
    if (code == PAPI_OK)
        code = measure(costs, test->call, set);
    if (test->running)
        PAPI_stop(set->set, NULL);
    return code;
}

long long costs_quantile(const struct costs *costs, double part)
{
    int last = (int)ceil(part * costs->n) - 1;
    return costs->ticks[last < 0 ? 0 : last];
}

static double nanoseconds(double ticks)
{
    const PAPI_hw_info_t *hw = PAPI_get_hardware_info();
    return hw != NULL && hw->clock_mhz > 0 ? ticks * 1000 / hw->clock_mhz : 0;
}

/* ---- histogram */

struct histogram {
    long long first, width;
    int n;      /* bins */
    int *count; /* of each, and of those behind the last */
};

static int histogram_make(struct histogram *histogram, const struct costs *costs, int bins)
{
    long long last = costs_quantile(costs, 0.999);
    histogram->first = costs->ticks[0];
    histogram->width = (last - histogram->first) / bins + 1;
    /* No more bins than there are different costs. */
    long long needed = (last - histogram->first) / histogram->width + 1;
    histogram->n = needed < bins ? (int)needed : bins;
    histogram->count = calloc((size_t)histogram->n + 1, sizeof histogram->count[0]);
    if (histogram->count == NULL)
        return -1;
    for (int i = 0; i < costs->n; i++) {
        long long bin = (costs->ticks[i] - histogram->first) / histogram->width;
        histogram->count[bin < histogram->n ? bin : histogram->n]++;
    }
    return 0;
}

/* A bin, or with i of n what lies behind the last one, of which the text has a line only where it is not 0.
 */
static void show_bar(struct report *report, const char *key, const struct histogram *histogram, int i,
                     int most)
{
    static const char stars[] = "********************************************************";
    enum { COLUMNS = sizeof stars - 1 };
    int count = histogram->count[i], length = (int)((long long)count * COLUMNS / most);
    const char *bar = stars + COLUMNS - (length == 0 && count > 0 ? 1 : length);
    report_sentence(report, NULL,
                    i < histogram->n ? "{.from:%9d} : {:%8d} {.bar}"
                    : count > 0      ? "{.from:%9d}+: {beyond:%8d} {.bar}"
                                     : NULL,
                    AS_NUMBER(key, count), AS_NUMBER(".from", histogram->first + i * histogram->width),
                    AS_TEXT(".bar", bar));
}

static void show_histogram(struct report *report, const struct costs *costs, int bins)
{
    struct histogram histogram;
    int most = 1;
    if (histogram_make(&histogram, costs, bins) != 0)
        return;
    for (int i = 0; i <= histogram.n; i++)
        most = histogram.count[i] > most ? histogram.count[i] : most;
    report_object(report, "histogram");
    report_sentence(report, NULL, "\nCost distribution: cycles from, calls; a bin is {width} wide",
                    AS_NUMBER("from", histogram.first), AS_NUMBER("width", histogram.width));
    report_list(report, "calls");
    for (int i = 0; i < histogram.n; i++)
        show_bar(report, NULL, &histogram, i, most);
    report_end(report);
    show_bar(report, "beyond", &histogram, histogram.n, most);
    report_end(report);
    free(histogram.count);
}

/* ---- showing */

static int above(const struct costs *costs, double deviations)
{
    int n = 0;
    for (int i = costs->n - 1; i >= 0; i--, n++)
        if ((double)costs->ticks[i] <= costs->mean + deviations * costs->deviation)
            break;
    return n;
}

static void print_deviations(struct report *report, const struct costs *costs)
{
    report_line(report, NULL, "\nStandard deviations above the mean: calls");
    for (int i = 0; i < 10; i++)
        report_line(report, NULL, "%3d to %2d: %8d", i, i + 1, above(costs, i) - above(costs, i + 1));
    report_line(report, NULL, "  beyond : %8d", above(costs, 10));
}

void costs_show(struct report *report, const struct costs *costs, const char *what,
                const struct cost_form *form)
{
    static const struct report_layout layout = {.width = 13, .separator = ": "};
    static const struct {
        double part;
        const char *label, *key;
    } quantiles[] = {
        {0.25, "25% cycles", "p25"}, {0.5, "50% cycles", "p50"},       {0.75, "75% cycles", "p75"},
        {0.99, "99% cycles", "p99"}, {0.999, "99.9% cycles", "p99.9"},
    };
    report->layout = &layout;
    report_object(report, NULL);
    report_sentence(report, NULL, "\nTotal cost for {what} over {iterations} iterations",
                    AS_TEXT("what", what), AS_NUMBER("iterations", costs->n));
    report_number(report, "min cycles", "min", costs->ticks[0]);
    report_number(report, "max cycles", "max", costs->ticks[costs->n - 1]);
    report_real(report, "mean cycles", "mean", costs->mean, 6, "");
    report_real(report, "std deviation", "deviation", costs->deviation, 6, "");
    for (size_t i = 0; i < sizeof quantiles / sizeof quantiles[0]; i++)
        report_number(report, quantiles[i].label, quantiles[i].key, costs_quantile(costs, quantiles[i].part));
    report_real(report, "mean time", "mean_ns", nanoseconds(costs->mean), 1, " ns");
    if (form->deviations)
        print_deviations(report, costs);
    if (form->histogram || report->json)
        show_histogram(report, costs, form->bins);
    report_end(report);
}
