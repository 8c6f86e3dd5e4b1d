/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "papi.h"
#include "tools/common/tool.h"

/* Cost of a call, in ticks of PAPI_get_real_cyc: it is called many times, and each time is noted. */

/* ---- what is measured with */

enum { COST_MAX_EVENTS = 16 };

struct cost_events {
    int n;
    bool software; /* the kernel's own, where the processor's counters do not count */
    char name[COST_MAX_EVENTS][PAPI_MIN_STR_LEN];
};

/* Chooses two events to measure with. TOOL_FINE; TOOL_ERROR: nothing counts here, after a message. */
int cost_events_find(struct tool *tool, struct cost_events *events);
/* Adds an event, if there is room. */
void cost_events_add(struct cost_events *events, const char *name);
void cost_events_show(struct report *report, const struct cost_events *events);

/* An event set that calls are made with, and the place for what they give. */
struct cost_set {
    int set;
    bool multiplexed;
    long long counts[COST_MAX_EVENTS], cycles;
};

/* Creates an event set of the first n events. PAPI_OK or an error. */
int cost_set_create(struct cost_set *set, const struct cost_events *events, int n, bool multiplexed);
void cost_set_destroy(struct cost_set *set);

/* ---- measuring */

/* Makes the call that is measured. Returns a code of PAPI's. */
typedef int cost_call(struct cost_set *set);
cost_call cost_start_stop, cost_read, cost_reset;

struct cost_test {
    const char *what;
    cost_call *call;
    bool running; /* the set */
};

struct costs {
    int n;
    long long *ticks; /* of each call, with those of the two readings of the clock; sorted by costs_measure */
    double mean, deviation;
};

/* Room for n calls. TOOL_FINE or TOOL_ERROR. */
int costs_create(struct tool *tool, struct costs *costs, int n);
void costs_destroy(struct costs *costs);

/* Makes the calls, a few more before them to warm up. PAPI_OK, or the code of the first one that failed. */
int costs_measure(struct costs *costs, const struct cost_test *test, struct cost_set *set);

/* The cost that a part of the calls (0 to 1) does not exceed. */
long long costs_quantile(const struct costs *costs, double part);

/* ---- showing */

/* Parts of the text that are printed on request. deviations: how many calls lie in each of the first ten
 * standard deviations above the mean. histogram: bars for bins of equal width up to the cost that all calls
 * but a thousandth stay below, and a last bin for those. */
struct cost_form {
    int bins;
    bool histogram, deviations;
};

/* Shows the costs under the labels that scripts know. what: the name of the call. */
void costs_show(struct report *report, const struct costs *costs, const char *what,
                const struct cost_form *form);
