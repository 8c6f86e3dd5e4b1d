/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PAPI_UTILS_COSTS_H
#define PAPI_UTILS_COSTS_H

#include "base/json.h"
#include "tool.h"

/* What a call costs, in ticks of PAPI_get_real_cyc: it is called many times, and each time is noted. */

/* The call; how it went. */
typedef int cost_call(void *data);

struct costs {
    int n;
    long long *ticks; /* of each call, with those of the two readings of the clock; sorted by costs_measure */
    double mean, deviation;
};

/* Room for n calls. TOOL_FINE or TOOL_ERROR. */
int costs_create(struct tool *tool, struct costs *costs, int n);
void costs_destroy(struct costs *costs);

/* Makes the calls, a few more before them to warm up. PAPI_OK, or the code of the first one that failed. */
int costs_measure(struct costs *costs, cost_call *call, void *data);

/* An event set that calls are made with, and the place for what they give. */
enum { COST_MAX_EVENTS = 16 };
struct cost_set {
    int set;
    long long counts[COST_MAX_EVENTS], cycles;
};

void cost_set_destroy(struct cost_set *set);
/* The call of PAPI_reset. */
cost_call cost_set_reset;
/* The same as costs_measure, while the set counts or not. */
int costs_measure_set(struct costs *costs, cost_call *call, bool running, struct cost_set *set);

/* The cost that a part of the calls (0 to 1) does not exceed. */
long long costs_quantile(const struct costs *costs, double part);

double costs_nanoseconds(double ticks);

/* Under the labels that scripts know. */
void costs_print(const struct costs *costs, const char *what);
/* Bars: bins of equal width up to what all but a thousandth took, and a last one for those. */
void costs_print_histogram(const struct costs *costs, int bins);
/* How many calls lie in each of the first ten standard deviations above the mean. */
void costs_print_deviations(const struct costs *costs);

/* An object with all of that. */
void costs_json(struct json *json, const struct costs *costs, const char *what, int bins);

/* ------------------------------------------------------------ what is measured with */

/* Events to measure with: the processor's where they count, or else the kernel's own. */
struct cost_events {
    int n;
    const char *names[2];
    bool software; /* the kernel's */
};

/* TOOL_FINE; TOOL_ERROR: nothing counts here, which was said. */
int costs_find_events(struct tool *tool, struct cost_events *events);
void costs_print_events(const struct cost_events *events);

#endif
