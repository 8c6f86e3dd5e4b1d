/* SPDX-License-Identifier: BSD-3-Clause */
#include "costs.h"
#include "machine.h"
#include "papi.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* ----------------------------------------------------------------------- measuring */

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

int costs_measure(struct costs *costs, cost_call *call, void *data)
{
    enum { WARM_UP = 10 };
    for (int i = -WARM_UP; i < costs->n; i++) {
        long long before = PAPI_get_real_cyc();
        int code = call(data);
        long long after = PAPI_get_real_cyc();
        if (code != PAPI_OK)
            return code;
        if (i >= 0)
            costs->ticks[i] = after - before;
    }
    summarize(costs);
    return PAPI_OK;
}

void cost_set_destroy(struct cost_set *set)
{
    PAPI_cleanup_eventset(set->set);
    PAPI_destroy_eventset(&set->set);
}

int cost_set_reset(void *data)
{
    struct cost_set *set = data;
    return PAPI_reset(set->set);
}

int costs_measure_set(struct costs *costs, cost_call *call, bool running, struct cost_set *set)
{
    int code = running ? PAPI_start(set->set) : PAPI_OK;
    if (code == PAPI_OK)
        code = costs_measure(costs, call, set);
    if (running)
        PAPI_stop(set->set, NULL);
    return code;
}

long long costs_quantile(const struct costs *costs, double part)
{
    int last = (int)ceil(part * costs->n) - 1;
    return costs->ticks[last < 0 ? 0 : last];
}

double costs_nanoseconds(double ticks)
{
    const PAPI_hw_info_t *hw = PAPI_get_hardware_info();
    return hw != NULL && hw->clock_mhz > 0 ? ticks * 1000 / hw->clock_mhz : 0;
}

/* ------------------------------------------------------------------------- printing */

static const struct quantile {
    double part;
    const char *label, *key;
} quantiles[] = {
    {0.25, "25% cycles", "p25"}, {0.5, "50% cycles", "p50"},       {0.75, "75% cycles", "p75"},
    {0.99, "99% cycles", "p99"}, {0.999, "99.9% cycles", "p99.9"},
};
enum { N_QUANTILES = sizeof quantiles / sizeof quantiles[0] };

void costs_print(const struct costs *costs, const char *what)
{
    printf("\nTotal cost for %s over %d iterations\n", what, costs->n);
    printf("min cycles   : %lld\n", costs->ticks[0]);
    printf("max cycles   : %lld\n", costs->ticks[costs->n - 1]);
    printf("mean cycles  : %f\n", costs->mean);
    printf("std deviation: %f\n", costs->deviation);
    for (int i = 0; i < N_QUANTILES; i++)
        printf("%-13s: %lld\n", quantiles[i].label, costs_quantile(costs, quantiles[i].part));
    printf("mean time    : %.1f ns\n", costs_nanoseconds(costs->mean));
}

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

static void print_bar(long long from, const char *sign, int count, int most)
{
    enum { COLUMNS = 56 };
    int stars = most > 0 ? (int)((long long)count * COLUMNS / most) : 0;
    printf("%9lld%s: %8d ", from, sign, count);
    for (int i = 0; i < stars || (i == 0 && count > 0); i++)
        putchar('*');
    putchar('\n');
}

void costs_print_histogram(const struct costs *costs, int bins)
{
    struct histogram histogram;
    int most = 0;
    if (histogram_make(&histogram, costs, bins) != 0)
        return;
    for (int i = 0; i <= histogram.n; i++)
        most = histogram.count[i] > most ? histogram.count[i] : most;
    printf("\nCost distribution: cycles from, calls; a bin is %lld wide\n", histogram.width);
    for (int i = 0; i < histogram.n; i++)
        print_bar(histogram.first + i * histogram.width, " ", histogram.count[i], most);
    if (histogram.count[histogram.n] > 0)
        print_bar(histogram.first + histogram.n * histogram.width, "+", histogram.count[histogram.n], most);
    free(histogram.count);
}

static int above(const struct costs *costs, double deviations)
{
    int n = 0;
    for (int i = costs->n - 1; i >= 0; i--, n++)
        if ((double)costs->ticks[i] <= costs->mean + deviations * costs->deviation)
            break;
    return n;
}

void costs_print_deviations(const struct costs *costs)
{
    puts("\nStandard deviations above the mean: calls");
    for (int i = 0; i < 10; i++)
        printf("%3d to %2d: %8d\n", i, i + 1, above(costs, i) - above(costs, i + 1));
    printf("  beyond : %8d\n", above(costs, 10));
}

static void histogram_json(struct json *json, const struct costs *costs, int bins)
{
    struct histogram histogram;
    if (histogram_make(&histogram, costs, bins) != 0)
        return;
    json_open(json, "histogram", '{');
    json_integer(json, "from", histogram.first);
    json_integer(json, "width", histogram.width);
    json_open(json, "calls", '[');
    for (int i = 0; i < histogram.n; i++)
        json_integer(json, NULL, histogram.count[i]);
    json_close(json, ']');
    json_integer(json, "beyond", histogram.count[histogram.n]);
    json_close(json, '}');
    free(histogram.count);
}

void costs_json(struct json *json, const struct costs *costs, const char *what, int bins)
{
    json_open(json, NULL, '{');
    json_string(json, "what", what);
    json_integer(json, "iterations", costs->n);
    json_integer(json, "min", costs->ticks[0]);
    json_integer(json, "max", costs->ticks[costs->n - 1]);
    json_number(json, "mean", costs->mean);
    json_number(json, "deviation", costs->deviation);
    for (int i = 0; i < N_QUANTILES; i++)
        json_integer(json, quantiles[i].key, costs_quantile(costs, quantiles[i].part));
    json_number(json, "mean_ns", costs_nanoseconds(costs->mean));
    histogram_json(json, costs, bins);
    json_close(json, '}');
}

/* ---------------------------------------------------------------------------- events */

int costs_find_events(struct tool *tool, struct cost_events *events)
{
    static const struct cost_events choices[] = {
        {2, {"PAPI_TOT_CYC", "PAPI_TOT_INS"}, false},
        {2, {"PAPI_TOT_INS", "PAPI_BR_INS"}, false}, /* the emulator has no cycles */
        {2, {"perf::TASK-CLOCK", "perf::PAGE-FAULTS"}, true},
    };
    int code = PAPI_OK;
    for (size_t i = 0; i < sizeof choices / sizeof choices[0]; i++) {
        *events = choices[i];
        code = PAPI_query_named_event(events->names[0]);
        if (code == PAPI_OK)
            code = PAPI_query_named_event(events->names[1]);
        if (code == PAPI_OK)
            return TOOL_FINE;
    }
    return tool_error(tool, "no event counts here: %s", PAPI_strerror(code));
}

void costs_print_events(const struct cost_events *events)
{
    printf("Events: %s, %s\n", events->names[0], events->names[1]);
    if (events->software)
        print_wrapped(stdout,
                      "These are the kernel's own, because the processor's counters do not count here "
                      "(papi_doctor says why): calls on hardware counters cost about as much, but for reads "
                      "in user space, which are far faster.",
                      0, 0);
}
