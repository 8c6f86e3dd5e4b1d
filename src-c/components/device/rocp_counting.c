/* SPDX-License-Identifier: BSD-3-Clause
 *
 * AMD's counters, counted by rocprofiler-sdk: as the device's own, which are sampled while it works, or
 * kernel by kernel, whose counts come when a kernel has ended.
 */
#include "components/device/device_library.h"
#include "components/device/rocp.h"
#include "papi.h"

#include <stdio.h>
#include <stdlib.h>

struct rocp_plan {
    struct kernel_plan shared;
    struct rocp *rocp;
    struct rocp_device *device;
    struct rocp_handle config;
    bool has_config;
    size_t room; /* records of a sample */
    struct rocp_record *record;
    double first[MAX_COUNTERS]; /* when the device was started */
};

/* ---- records */

struct records {
    const struct rocp_functions *call;
    const struct rocp_record *record;
};

static double number_of(void *numbers, size_t index)
{
    return ((const struct records *)numbers)->record[index].value;
}

/* True if a record is of the instances that an event counts. */
static bool is_of(void *numbers, size_t index, const struct device_choice *event)
{
    const struct records *from = numbers;
    uint64_t record = from->record[index].id;
    struct rocp_handle counter;
    size_t position;
    if (from->call->record_counter(record, &counter) != ROCP_SUCCESS || counter.handle != event->metric->id)
        return false;
    for (int i = 0; i < event->n_axes; i++)
        if (event->position[i] >= 0 &&
            (from->call->record_position(record, event->axis[i].id, &position) != ROCP_SUCCESS ||
             position != (size_t)event->position[i]))
            return false;
    return true;
}

/* ---- plans */

static void discard(struct device_plan *made)
{
    struct rocp_plan *plan = (struct rocp_plan *)made;
    if (plan->has_config)
        plan->rocp->call.destroy_config(plan->config);
    free(plan->record);
}

static int make_config(struct rocp_plan *plan, struct reason *why)
{
    const struct device_metric *metric[MAX_COUNTERS];
    struct rocp_handle counter[MAX_COUNTERS];
    int n = device_ranges_metrics(&plan->shared.ranges, metric, &plan->room);
    for (int i = 0; i < n; i++)
        counter[i].handle = metric[i]->id;
    plan->record = calloc(plan->room, sizeof *plan->record);
    if (plan->record == NULL)
        return reason_set(why, PAPI_ENOMEM, "out of memory");
    int status = plan->rocp->call.create_config(plan->device->agent, counter, (size_t)n, &plan->config);
    plan->has_config = status == ROCP_SUCCESS;
    return plan->has_config
               ? PAPI_OK
               : rocp_failed(plan->rocp, status, n > 1 ? PAPI_ECNFLCT : PAPI_ENOSUPP, "these counters", why);
}

static int prepare(struct device_plan *made, struct reason *why)
{
    struct rocp_plan *plan = (struct rocp_plan *)made;
    struct device_ranges *ranges = &plan->shared.ranges;
    plan->rocp = made->opened;
    ranges->is_of = is_of;
    ranges->number = number_of;
    int code = rocp_configure(plan->rocp, why) ?: device_ranges_begin(ranges, made, why);
    if (code != PAPI_OK)
        return code;
    plan->device = &plan->rocp->device[ranges->event[0].unit];
    return make_config(plan, why);
}

/* ---- devices */

void rocp_choose_config(struct rocp_handle context, struct rocp_handle agent,
                        rocp_set_config_function *set_config, void *data)
{
    struct rocp_device *device = data;
    (void)agent;
    if (device->running == NULL)
        return;
    device->config_asked = true;
    device->config_status = set_config(context, device->running->config);
}

static int take_sample(struct rocp_plan *plan, double *sum, struct reason *why)
{
    size_t n = plan->room;
    struct records records = {&plan->rocp->call, plan->record};
    int status =
        plan->rocp->call.sample_device(plan->device->context, (union rocp_user_data){0}, 0, plan->record, &n);
    if (status != ROCP_SUCCESS)
        return rocp_failed(plan->rocp, status, PAPI_ESYS, "the device's counters cannot be read", why);
    if (n > plan->room)
        return reason_set(why, PAPI_EMISC, "AMD's rocprofiler-sdk gave %zu values where %zu were expected", n,
                          plan->room);
    return device_ranges_sum(&plan->shared.ranges, &records, n, sum, why);
}

static int stop_device(struct rocp_plan *plan, struct reason *why)
{
    int status = plan->rocp->call.stop(plan->device->context);
    plan->device->running = NULL;
    return rocp_result(plan->rocp, status, "the device does not stop counting", why);
}

/* Starts, and takes a first sample, from which the others are counted. */
static int start_device(struct rocp_plan *plan, struct reason *why)
{
    struct rocp_device *device = plan->device;
    device->running = plan;
    device->config_asked = false;
    device->config_status = ROCP_SUCCESS;
    int status = plan->rocp->call.start(device->context);
    if (status == ROCP_SUCCESS && device->config_asked && device->config_status == ROCP_SUCCESS) {
        int code = take_sample(plan, plan->first, why);
        if (code != PAPI_OK)
            stop_device(plan, NULL);
        return code;
    }
    if (status == ROCP_SUCCESS)
        plan->rocp->call.stop(device->context);
    device->running = NULL;
    return rocp_failed(plan->rocp, status ?: device->config_status, PAPI_ENOSUPP,
                       device->config_asked || status != ROCP_SUCCESS
                           ? "the device does not start to count"
                           : "the device does not ask what it is to count",
                       why);
}

static int sample(struct rocp_plan *plan, uint64_t *count, struct reason *why)
{
    const struct device_ranges *ranges = &plan->shared.ranges;
    double sum[MAX_COUNTERS];
    int code = take_sample(plan, sum, why);
    for (int i = 0; i < ranges->n && code == PAPI_OK; i++) {
        const struct device_metric *metric = ranges->event[i].metric;
        sum[i] -= metric->value != DEVICE_SUM ? 0 : plan->first[i];
        if (sum[i] < 0)
            code = reason_set(why, PAPI_EMISC, "%s of AMD's device went back: another program has reset it",
                              metric->name);
    }
    if (code == PAPI_OK)
        device_ranges_round(sum, ranges->n, count);
    return code;
}

/* ---- kernels */

static int device_of_agent(const struct rocp *rocp, struct rocp_handle agent)
{
    int i = 0;
    while (i < rocp->units.n_devices && rocp->device[i].agent.handle != agent.handle)
        i++;
    return i;
}

void rocp_kernel_launched(struct rocp_dispatch dispatch, struct rocp_handle *config,
                          union rocp_user_data *user_data, void *data)
{
    struct rocp *rocp = data;
    int device = device_of_agent(rocp, dispatch.kernel.agent);
    user_data->value = 0;
    if (device == rocp->units.n_devices)
        return;
    sigset_t before = device_kernels_lock(&rocp->kernels);
    const struct kernel_plan *plan = device_kernel_launched(&rocp->kernels, device, &user_data->value);
    if (plan != NULL)
        *config = ((const struct rocp_plan *)plan)->config;
    device_kernels_unlock(&rocp->kernels, before);
}

void rocp_kernel_recorded(struct rocp_dispatch dispatch, struct rocp_record *record, size_t n,
                          union rocp_user_data user_data, void *data)
{
    struct rocp *rocp = data;
    struct records records = {&rocp->call, record};
    (void)dispatch;
    device_kernel_ended(&rocp->kernels, user_data.value, &records, n);
}

/* ---- both */

static int start(struct device_plan *planned, struct reason *why)
{
    struct rocp_plan *plan = (struct rocp_plan *)planned;
    if (!plan->rocp->dispatch)
        return start_device(plan, why);
    return rocp_result(plan->rocp, device_kernels_start(&plan->rocp->kernels, &plan->shared),
                       "kernels are not counted", why);
}

static int read_counts(struct device_plan *planned, uint64_t *count, struct reason *why)
{
    struct rocp_plan *plan = (struct rocp_plan *)planned;
    if (!plan->rocp->dispatch)
        return sample(plan, count, why);
    return device_kernels_read(&plan->rocp->kernels, &plan->shared, "hipDeviceSynchronize()", count, why);
}

static int stop(struct device_plan *planned, struct reason *why)
{
    struct rocp_plan *plan = (struct rocp_plan *)planned;
    if (!plan->rocp->dispatch)
        return stop_device(plan, why);
    return rocp_result(plan->rocp, device_kernels_stop(&plan->rocp->kernels, &plan->shared),
                       "kernels are counted on", why);
}

const struct device_counting rocp_counting = {
    .name = "rocp_sdk",
    .size = sizeof(struct rocp_plan),
    .device = device_unit_of,
    .prepare = prepare,
    .discard = discard,
    .start = start,
    .read = read_counts,
    .stop = stop,
};
