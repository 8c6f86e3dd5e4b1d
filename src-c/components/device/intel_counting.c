/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Intel's metrics, sampled: while a set is started the device writes a report of all metrics of a group in
 * each period, and a reading takes all that there are.
 */
#include "components/device/device_library.h"
#include "components/device/intel.h"
#include "papi.h"

#include <stdio.h>
#include <stdlib.h>

struct plan {
    struct device_plan shared;
    struct intel *intel;
    struct device_choice event[MAX_COUNTERS];
    void *streamer;
    bool lost;
    uint64_t n_reports;
    double sum[MAX_COUNTERS];     /* of numbers that are not whole ones, and of shares */
    uint64_t whole[MAX_COUNTERS]; /* of whole numbers, or the last one */
};

static int prepare(struct device_plan *made, struct reason *why)
{
    struct plan *plan = (struct plan *)made;
    int code = device_choose_all(made, plan->event, why);
    plan->intel = made->opened;
    for (int i = 1; i < made->n && code == PAPI_OK; i++)
        if (plan->event[i].metric->group != plan->event[0].metric->group)
            code = reason_set(why, PAPI_ECNFLCT, "a device counts the metrics of one group at a time");
    return code;
}

/* ---- reports */

static int wrong(struct reason *why)
{
    return reason_set(why, PAPI_EMISC, "Level Zero gave reports in which a metric has no number");
}

static int take_number(struct plan *plan, int i, const struct lz_value *value)
{
    bool last = plan->event[i].metric->value == DEVICE_LAST,
         mean = plan->event[i].metric->value == DEVICE_MEAN;
    uint64_t whole = 0;
    double real = 0;
    switch (value->type) {
    case LZ_UINT32:
        whole = value->u32;
        break;
    case LZ_UINT64:
        whole = value->u64;
        break;
    case LZ_BOOL8:
        whole = value->b8 != 0;
        break;
    case LZ_FLOAT32:
        real = value->f32;
        break;
    case LZ_FLOAT64:
        real = value->f64;
        break;
    default:
        return PAPI_EMISC;
    }
    if (!(real >= 0 && real < 0x1p62))
        return PAPI_EMISC;
    plan->whole[i] = last ? whole : mean ? 0 : plan->whole[i] + whole;
    plan->sum[i] = last ? real : plan->sum[i] + real + (mean ? (double)whole : 0);
    return PAPI_OK;
}

/* Takes the values of a set of reports, of a device or of one of its tiles: n_metrics after one another of
 * each. */
static int take_set(struct plan *plan, const struct lz_value *value, uint32_t n)
{
    uint32_t n_metrics = (uint32_t)plan->event[0].metric->n_in_group;
    int code = n % n_metrics == 0 ? PAPI_OK : PAPI_EMISC;
    for (uint32_t at = 0; at < n && code == PAPI_OK; at += n_metrics, plan->n_reports++)
        for (int i = 0; i < plan->shared.n && code == PAPI_OK; i++)
            code = take_number(plan, i, &value[at + (uint32_t)plan->event[i].metric->index]);
    return code;
}

static int take_sets(struct plan *plan, const uint32_t *of_set, uint32_t n_sets, const struct lz_value *value,
                     uint32_t n_values)
{
    uint32_t used = 0;
    int code = PAPI_OK;
    for (uint32_t i = 0; i < n_sets && code == PAPI_OK; used += of_set[i++])
        code = of_set[i] <= n_values - used ? take_set(plan, value + used, of_set[i]) : PAPI_EMISC;
    return code;
}

/* Has the library make numbers of raw reports. */
static int calculate(struct plan *plan, const uint8_t *data, size_t size, struct reason *why)
{
    enum { MOST_SETS = 1 << 10, MOST_VALUES = 1 << 24 };
    uint32_t n_sets = 0, n_values = 0;
    void *group = plan->event[0].metric->group;
    int status =
        plan->intel->call.calculate(group, LZ_METRIC_VALUES, size, data, &n_sets, &n_values, NULL, NULL);
    if (status != LZ_SUCCESS || n_sets == 0 || n_sets > MOST_SETS || n_values > MOST_VALUES)
        return status != LZ_SUCCESS ? intel_failed(status, "the metrics cannot be calculated", why)
                                    : wrong(why);
    uint32_t *of_set = calloc(n_sets, sizeof *of_set), room_sets = n_sets, room = n_values;
    struct lz_value *value = calloc(n_values > 0 ? n_values : 1, sizeof *value);
    int code = PAPI_OK;
    if (of_set == NULL || value == NULL)
        code = reason_set(why, PAPI_ENOMEM, "out of memory");
    if (code == PAPI_OK) {
        status = plan->intel->call.calculate(group, LZ_METRIC_VALUES, size, data, &n_sets, &n_values, of_set,
                                             value);
        if (status == LZ_DROPPED_DATA)
            plan->lost = true;
        else if (status != LZ_SUCCESS)
            code = intel_failed(status, "the metrics cannot be calculated", why);
        else if (n_sets > room_sets || n_values > room)
            code = wrong(why);
    }
    if (code == PAPI_OK && take_sets(plan, of_set, n_sets < room_sets ? n_sets : room_sets, value,
                                     n_values < room ? n_values : room) != PAPI_OK)
        code = wrong(why);
    free(of_set);
    free(value);
    return code;
}

/* Takes the reports that there are. Those that the driver had no room for are missed. */
static int take_reports(struct plan *plan, struct reason *why)
{
    enum { MOST = 1 << 28 };
    size_t size = 0;
    int status = plan->intel->call.read(plan->streamer, UINT32_MAX, &size, NULL);
    if (status == LZ_NOT_READY || (status == LZ_SUCCESS && size == 0))
        return PAPI_OK;
    uint8_t *data = size > 0 && size <= MOST ? malloc(size) : NULL;
    size_t got = size;
    if (data == NULL && (status == LZ_SUCCESS || status == LZ_DROPPED_DATA))
        return reason_set(why, PAPI_ENOMEM, "no memory for %zu bytes of reports", size);
    plan->lost |= status == LZ_DROPPED_DATA;
    if (status == LZ_SUCCESS || status == LZ_DROPPED_DATA)
        status = plan->intel->call.read(plan->streamer, UINT32_MAX, &got, data);
    plan->lost |= status == LZ_DROPPED_DATA;
    int code = status != LZ_SUCCESS && status != LZ_DROPPED_DATA
                   ? intel_failed(status, "the device's reports cannot be read", why)
               : got > size ? wrong(why)
               : got > 0    ? calculate(plan, data, got, why)
                            : PAPI_OK;
    plan->lost |= code != PAPI_OK && data != NULL; /* they are not there any more */
    free(data);
    return code;
}

/* ---- counting */

static int start(struct device_plan *planned, struct reason *why)
{
    struct plan *plan = (struct plan *)planned;
    const struct lz_functions *call = &plan->intel->call;
    void *group = plan->event[0].metric->group, *context = plan->intel->of_unit[plan->event[0].unit].context;
    void *device = plan->intel->of_unit[plan->event[0].unit].handle;
    struct lz_streamer wanted = {.structure = LZ_STREAMER, .notify = 1, .period = plan->intel->period};
    plan->lost = false;
    plan->n_reports = 0;
    memset(plan->sum, 0, sizeof plan->sum);
    memset(plan->whole, 0, sizeof plan->whole);
    int status = call->activate(context, device, 1, &group);
    if (status != LZ_SUCCESS)
        return intel_failed(status, "the device does not take the group of metrics", why);
    status = call->open(context, device, group, &wanted, NULL, &plan->streamer);
    if (status == LZ_SUCCESS)
        return PAPI_OK;
    call->activate(context, device, 0, NULL);
    return intel_failed(status, "the device does not start to count", why);
}

static bool has_level(const struct plan *plan)
{
    for (int i = 0; i < plan->shared.n; i++)
        if (plan->event[i].metric->value != DEVICE_SUM)
            return true;
    return false;
}

static int read_counts(struct device_plan *planned, uint64_t *count, struct reason *why)
{
    struct plan *plan = (struct plan *)planned;
    int code = take_reports(plan, why);
    if (code != PAPI_OK)
        return code;
    for (int i = 0; i < plan->shared.n; i++) {
        bool mean = plan->event[i].metric->value == DEVICE_MEAN;
        double real = mean && plan->n_reports > 0 ? plan->sum[i] / (double)plan->n_reports : plan->sum[i];
        count[i] = plan->whole[i] + (uint64_t)(real + 0.5);
    }
    if (plan->lost)
        return reason_set(why, PAPI_ECLOST,
                          "the device wrote more reports than its driver has room for, or a reading failed: "
                          "some are missing "
                          "until the next start; read more often, or have fewer of them by "
                          "METRICS_SAMPLING_PERIOD (%u ns now)",
                          plan->intel->period);
    if (plan->n_reports == 0 && has_level(plan))
        return reason_set(why, PAPI_ECLOST,
                          "the device has not written a report yet, of which there is one in %u ns",
                          plan->intel->period);
    return PAPI_OK;
}

static int stop(struct device_plan *planned, struct reason *why)
{
    struct plan *plan = (struct plan *)planned;
    const struct lz_functions *call = &plan->intel->call;
    int status = call->close(plan->streamer);
    int released = call->activate(plan->intel->of_unit[plan->event[0].unit].context,
                                  plan->intel->of_unit[plan->event[0].unit].handle, 0, NULL);
    plan->streamer = NULL;
    return status == LZ_SUCCESS && released == LZ_SUCCESS
               ? PAPI_OK
               : intel_failed(status ?: released, "the device does not stop counting", why);
}

const struct device_counting intel_counting = {
    .name = "intel_gpu",
    .size = sizeof(struct plan),
    .device = device_unit_of,
    .prepare = prepare,
    .start = start,
    .read = read_counts,
    .stop = stop,
};
