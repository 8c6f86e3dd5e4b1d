/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/device/device_spans.h"
#include "base/seconds.h"
#include "components/device/device_units.h"
#include "papi.h"

#include <math.h>
#include <string.h>

static struct device_spans *spans_of(struct device_plan *plan)
{
    return (struct device_spans *)plan;
}

/* ---- values */

/* The library is not linked with libm. */
static long long nearest_integer(double value)
{
    return (long long)(value < 0 ? value - 0.5 : value + 0.5);
}

/* Adds what the last span has to a level. A share of nothing, which is not a number, weighs nothing. */
static void add_level(struct device_spans *spans, int i, double value, double seconds)
{
    double *level = &spans->level[i], *weight = &spans->weight[i];
    enum device_together together = spans->together[i];
    if (!isfinite(value))
        return;
    if (together == DEVICE_ADDED)
        *level += value;
    else if (together == DEVICE_LEAST)
        *level = *weight > 0 && *level < value ? *level : value;
    else if (together == DEVICE_GREATEST)
        *level = *weight > 0 && *level > value ? *level : value;
    else
        *level = (*level * *weight + value * seconds) / (*weight + seconds);
    *weight += seconds;
}

static int add_span(struct device_spans *spans, const double *value, double seconds, struct reason *why)
{
    for (int i = 0; i < spans->plan.n; i++) {
        const struct component_event *event = spans->plan.event[i];
        if (event->level)
            add_level(spans, i, value[i], seconds > 1e-9 ? seconds : 1e-9);
        else if (value[i] >= 0 && value[i] < 0x1p62)
            spans->count[i] += (uint64_t)nearest_integer(value[i]);
        else
            return reason_set(why, PAPI_EMISC, "%s: the device gave no number", event->name);
    }
    return PAPI_OK;
}

/* The value of a level as the event gives it. Without one the bits are those of no number. */
static uint64_t level_value(const struct device_spans *spans, int i)
{
    double level = spans->weight[i] > 0 ? spans->level[i] : NAN;
    uint64_t bits;
    memcpy(&bits, &level, sizeof bits);
    if (spans->plan.event[i]->real)
        return bits;
    return __builtin_fabs(level) < 0x1p62 ? (uint64_t)nearest_integer(level) : (uint64_t)INT64_MIN;
}

/* Gives the values. PAPI_ECLOST: a level has no value, the others are there. */
static int give(const struct device_spans *spans, uint64_t *count, struct reason *why)
{
    int code = reason_pass(&spans->lost, why);
    for (int i = 0; i < spans->plan.n && spans->lost.code == PAPI_OK; i++) {
        const struct component_event *event = spans->plan.event[i];
        if (event->level && spans->weight[i] <= 0)
            code =
                reason_set(why, PAPI_ECLOST,
                           "%s has no value: nothing that it is a share of has happened on the device since "
                           "the start",
                           event->name);
        count[i] = event->level ? level_value(spans, i) : spans->count[i];
    }
    return code;
}

/* ---- spans */

static int begin(struct device_spans *spans, struct reason *why)
{
    int code = spans->begin(spans, why);
    spans->since = seconds_now();
    return code;
}

static int end(struct device_spans *spans, double *value, struct reason *why)
{
    const struct device_units *units = spans->plan.opened;
    int unit = units->maker->counting->device(spans->plan.event[0]);
    for (int i = 0; i < spans->plan.n; i++)
        value[i] = NAN;
    spans->dropped = false;
    int code = spans->end(spans, value, why);
    if (code == PAPI_OK && spans->dropped)
        return reason_set(why, PAPI_EMISC, "%s: %s has dropped a range, whose counts are lost: start again",
                          units->unit[unit].name, units->maker->library);
    return code;
}

/* Ends a span and begins the next. */
static int turn(struct device_spans *spans, struct reason *why)
{
    double value[MAX_COUNTERS];
    int code = end(spans, value, why);
    if (code == PAPI_OK)
        code = add_span(spans, value, spans->seconds, why);
    return code ?: begin(spans, why);
}

void device_spans_renew(struct device_plan *plan)
{
    struct device_spans *spans = spans_of(plan);
    memset(spans->level, 0, sizeof spans->level);
    memset(spans->weight, 0, sizeof spans->weight);
}

int device_spans_start(struct device_plan *plan, struct reason *why)
{
    struct device_spans *spans = spans_of(plan);
    spans->lost = (struct reason){.code = PAPI_OK};
    memset(spans->count, 0, sizeof spans->count);
    device_spans_renew(plan);
    int code = begin(spans, why);
    if (code != PAPI_OK)
        spans->close(spans);
    return code;
}

int device_spans_read(struct device_plan *plan, uint64_t *count, struct reason *why)
{
    struct device_spans *spans = spans_of(plan);
    if (spans->lost.code == PAPI_OK)
        turn(spans, &spans->lost);
    return give(spans, count, why);
}

int device_spans_stop(struct device_plan *plan, struct reason *why)
{
    (void)why;
    spans_of(plan)->close(spans_of(plan));
    return PAPI_OK;
}
