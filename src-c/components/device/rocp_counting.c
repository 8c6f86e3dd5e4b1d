/* SPDX-License-Identifier: BSD-3-Clause
 *
 * AMD's counters, counted by rocprofiler-sdk: as the device's own, which are sampled while it works, or
 * kernel by kernel, whose counts come when a kernel has ended.
 */
#include "components/device/device_library.h"
#include "components/device/rocp.h"
#include "papi.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* The time for which a reading waits for kernels that were launched before it. */
enum { WAIT_SECONDS = 2 };

struct rocp_plan {
    struct rocp *rocp;
    struct rocp_device *device;
    struct rocp_handle config;
    int n_events;
    struct rocp_event event[MAX_COUNTERS];
    size_t room; /* records of a sample */
    struct rocp_record *record;
    double first[MAX_COUNTERS];   /* when the device was started */
    size_t n_found[MAX_COUNTERS]; /* records of each event, 0: not known yet */

    /* Kernels, guarded by rocp.lock: those that have not ended are of one of two phases, so that a reading
     * waits for those launched before it and not for later ones. */
    uint64_t serial;
    int phase;
    long launched[2];
    int code; /* of a record */
    double sum[MAX_COUNTERS];
};

static struct rocp *rocp_of(const struct component_event *event)
{
    return event->opened;
}

static struct device_owners *owners(const struct component_event *event)
{
    return &rocp_of(event)->owners;
}

static int device_of(const struct component_event *listed)
{
    struct rocp_event event;
    return rocp_event(rocp_of(listed), listed->name, &event, NULL) == PAPI_OK ? event.device : 0;
}

/* ---- plans */

static void discard(void *planned)
{
    struct rocp_plan *plan = planned;
    plan->rocp->call.destroy_config(plan->config);
    free(plan->record);
    free(plan);
}

/* Lists the counters of events, each once, and their instances. */
static size_t list_counters(struct rocp_plan *plan, struct rocp_handle counter[MAX_COUNTERS])
{
    size_t n = 0;
    for (int i = 0; i < plan->n_events; i++) {
        size_t k = 0;
        while (k < n && counter[k].handle != plan->event[i].counter->id.handle)
            k++;
        if (k < n)
            continue;
        counter[n++] = plan->event[i].counter->id;
        plan->room += plan->event[i].instances;
    }
    return n;
}

static int make_config(struct rocp_plan *plan, struct reason *why)
{
    struct rocp_handle counter[MAX_COUNTERS];
    size_t n = list_counters(plan, counter);
    plan->record = calloc(plan->room, sizeof *plan->record);
    if (plan->record == NULL)
        return reason_set(why, PAPI_ENOMEM, "out of memory");
    int status = plan->rocp->call.create_config(plan->device->agent, counter, n, &plan->config);
    if (status == ROCP_SUCCESS)
        return PAPI_OK;
    rocp_failed(plan->rocp, status, "these counters", why);
    if (why != NULL)
        why->code = n > 1 ? PAPI_ECNFLCT : PAPI_ENOSUPP;
    return n > 1 ? PAPI_ECNFLCT : PAPI_ENOSUPP;
}

static int prepare(const struct component_event *const *event, int n, void **out, struct reason *why)
{
    struct rocp *rocp = rocp_of(event[0]);
    int code = rocp_configure(rocp, why);
    struct rocp_plan *plan = code == PAPI_OK ? calloc(1, sizeof *plan) : NULL;
    if (plan == NULL)
        return code ?: reason_set(why, PAPI_ENOMEM, "out of memory");
    plan->rocp = rocp;
    plan->n_events = n;
    for (int i = 0; i < n && code == PAPI_OK; i++)
        code = rocp_event(rocp, event[i]->name, &plan->event[i], why);
    plan->device = &rocp->device[plan->event[0].device];
    if (code == PAPI_OK)
        code = make_config(plan, why);
    if (code != PAPI_OK) {
        free(plan->record);
        free(plan);
    }
    *out = plan;
    return code;
}

/* ---- records */

/* True if a record is of the instances that an event counts. */
static bool is_of(const struct rocp_plan *plan, const struct rocp_record *record,
                  const struct rocp_event *event)
{
    struct rocp_handle counter;
    size_t position;
    if (plan->rocp->call.record_counter(record->id, &counter) != ROCP_SUCCESS ||
        counter.handle != event->counter->id.handle)
        return false;
    for (int i = 0; i < event->n_dimensions; i++)
        if (plan->rocp->call.record_position(record->id, event->at[i].dimension, &position) != ROCP_SUCCESS ||
            position != event->at[i].position)
            return false;
    return true;
}

/* Adds up the records of each event. PAPI_EMISC: one has none, or a value that no counter has. */
static int add_up(struct rocp_plan *plan, const struct rocp_record *record, size_t n, double *sum,
                  struct reason *why)
{
    enum { MOST = 1 << 30 };
    for (int i = 0; i < plan->n_events; i++) {
        size_t found = 0;
        sum[i] = 0;
        for (size_t k = 0; k < n; k++)
            if (is_of(plan, &record[k], &plan->event[i])) {
                sum[i] += record[k].value;
                found++;
            }
        if (plan->n_found[i] == 0)
            plan->n_found[i] = found;
        if (found == 0 || found != plan->n_found[i])
            return reason_set(why, PAPI_EMISC, "AMD's rocprofiler-sdk gave %zu values of %s, and not %zu",
                              found, plan->event[i].counter->name,
                              plan->n_found[i] > 0 ? plan->n_found[i] : 1);
        if (!(sum[i] >= 0 && sum[i] < (double)MOST * MOST))
            return reason_set(why, PAPI_EMISC, "AMD's rocprofiler-sdk gave %g for %s, which is no count",
                              sum[i], plan->event[i].counter->name);
    }
    return PAPI_OK;
}

static bool is_level(const struct rocp_event *event)
{
    return event->counter->ratio || event->counter->constant;
}

/* Whole numbers: counts are, and ratios are rounded. */
static void round_off(const struct rocp_plan *plan, const double *sum, uint64_t *count)
{
    for (int i = 0; i < plan->n_events; i++) {
        count[i] = (uint64_t)sum[i];
        count[i] += sum[i] - (double)count[i] >= 0.5;
    }
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
    int status =
        plan->rocp->call.sample_device(plan->device->context, (union rocp_user_data){0}, 0, plan->record, &n);
    if (status != ROCP_SUCCESS) {
        rocp_failed(plan->rocp, status, "the device's counters cannot be read", why);
        if (why != NULL)
            why->code = PAPI_ESYS;
        return PAPI_ESYS;
    }
    if (n > plan->room)
        return reason_set(why, PAPI_EMISC, "AMD's rocprofiler-sdk gave %zu values where %zu were expected", n,
                          plan->room);
    return add_up(plan, plan->record, n, sum, why);
}

static int stop_device(struct rocp_plan *plan, struct reason *why)
{
    int status = plan->rocp->call.stop(plan->device->context);
    plan->device->running = NULL;
    return status == ROCP_SUCCESS ? PAPI_OK
                                  : rocp_failed(plan->rocp, status, "the device does not stop counting", why);
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
    return rocp_failed(plan->rocp, status ?: device->config_status,
                       device->config_asked || status != ROCP_SUCCESS
                           ? "the device does not start to count"
                           : "the device does not ask what it is to count",
                       why);
}

static int sample(struct rocp_plan *plan, uint64_t *count, struct reason *why)
{
    double sum[MAX_COUNTERS];
    int code = take_sample(plan, sum, why);
    for (int i = 0; i < plan->n_events && code == PAPI_OK; i++) {
        sum[i] -= is_level(&plan->event[i]) ? 0 : plan->first[i];
        if (sum[i] < 0)
            code = reason_set(why, PAPI_EMISC, "%s of AMD's device went back: another program has reset it",
                              plan->event[i].counter->name);
    }
    if (code == PAPI_OK)
        round_off(plan, sum, count);
    return code;
}

/* ---- kernels */

/* The plan that counts on a device; NULL. Under the lock. */
static struct rocp_plan *plan_of_agent(struct rocp *rocp, struct rocp_handle agent)
{
    for (int i = 0; i < rocp->n_devices; i++)
        if (rocp->device[i].agent.handle == agent.handle)
            return rocp->device[i].running;
    return NULL;
}

static struct rocp_plan *plan_of_serial(struct rocp *rocp, uint64_t serial)
{
    for (int i = 0; i < rocp->n_devices; i++)
        if (rocp->device[i].running != NULL && rocp->device[i].running->serial == serial)
            return rocp->device[i].running;
    return NULL;
}

/* Both run in the program's threads and the library's, and a handler there may read. */
void rocp_kernel_launched(struct rocp_dispatch dispatch, struct rocp_handle *config,
                          union rocp_user_data *user_data, void *data)
{
    struct rocp *rocp = data;
    sigset_t before = device_hold_signals();
    pthread_mutex_lock(&rocp->lock);
    struct rocp_plan *plan = plan_of_agent(rocp, dispatch.kernel.agent);
    user_data->value = 0;
    if (plan != NULL) {
        *config = plan->config;
        plan->launched[plan->phase]++;
        user_data->value = plan->serial << 1 | (uint64_t)plan->phase;
    }
    pthread_mutex_unlock(&rocp->lock);
    device_release_signals(before);
}

/* Takes the counts of a kernel that has ended. A ratio is that of the last one. */
static void take_kernel(struct rocp_plan *plan, const struct rocp_record *record, size_t n)
{
    double sum[MAX_COUNTERS];
    int code = add_up(plan, record, n, sum, NULL);
    plan->code = plan->code ?: code;
    for (int i = 0; i < plan->n_events && code == PAPI_OK; i++)
        plan->sum[i] = plan->event[i].counter->ratio || plan->event[i].counter->constant
                           ? sum[i]
                           : plan->sum[i] + sum[i];
}

void rocp_kernel_recorded(struct rocp_dispatch dispatch, struct rocp_record *record, size_t n,
                          union rocp_user_data user_data, void *data)
{
    struct rocp *rocp = data;
    (void)dispatch;
    sigset_t before = device_hold_signals();
    pthread_mutex_lock(&rocp->lock);
    struct rocp_plan *plan = plan_of_serial(rocp, user_data.value >> 1);
    if (plan != NULL && plan->launched[user_data.value & 1] > 0) {
        take_kernel(plan, record, n);
        plan->launched[user_data.value & 1]--;
        pthread_cond_broadcast(&rocp->recorded);
    }
    pthread_mutex_unlock(&rocp->lock);
    device_release_signals(before);
}

/* Has kernels on a device counted by a plan, or by none (NULL). */
static void show_plan(struct rocp_device *device, struct rocp *rocp, struct rocp_plan *plan)
{
    pthread_mutex_lock(&rocp->lock);
    if (plan != NULL) {
        plan->serial = ++rocp->serial;
        plan->phase = 0;
        plan->launched[0] = plan->launched[1] = 0;
        plan->code = PAPI_OK;
        memset(plan->sum, 0, sizeof plan->sum);
    }
    device->running = plan;
    pthread_mutex_unlock(&rocp->lock);
}

/* Begins to count kernels. Those that end after a stop carry a serial number that is no one's any more. */
static int start_kernels(struct rocp_plan *plan, struct reason *why)
{
    struct rocp *rocp = plan->rocp;
    pthread_mutex_lock(&rocp->switching);
    show_plan(plan->device, rocp, plan);
    int status = rocp->n_running == 0 ? rocp->call.start(rocp->context) : ROCP_SUCCESS;
    if (status == ROCP_SUCCESS)
        rocp->n_running++;
    else
        show_plan(plan->device, rocp, NULL);
    pthread_mutex_unlock(&rocp->switching);
    return status == ROCP_SUCCESS ? PAPI_OK : rocp_failed(rocp, status, "kernels are not counted", why);
}

/* Waits for the kernels launched before: under the lock. A phase that still waits for some is not begun
 * again. */
static long wait_for_kernels(struct rocp_plan *plan)
{
    struct timespec until;
    bool turns = plan->launched[!plan->phase] == 0;
    int earlier = plan->phase;
    if (turns)
        plan->phase = !plan->phase;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += WAIT_SECONDS;
    int error = 0;
    long left;
    while ((left = plan->launched[earlier] + (turns ? 0 : plan->launched[!earlier])) > 0 && error == 0)
        error = pthread_cond_timedwait(&plan->rocp->recorded, &plan->rocp->lock, &until);
    return left;
}

static int read_kernels(struct rocp_plan *plan, uint64_t *count, struct reason *why)
{
    pthread_mutex_lock(&plan->rocp->lock);
    long left = wait_for_kernels(plan);
    int code = plan->code;
    round_off(plan, plan->sum, count);
    pthread_mutex_unlock(&plan->rocp->lock);
    if (code != PAPI_OK)
        return reason_set(why, code,
                          "AMD's rocprofiler-sdk gave a kernel's counts with no value of an event");
    return left == 0
               ? PAPI_OK
               : reason_set(why, PAPI_ECLOST,
                            "%ld kernels that were launched have not ended: their counts are missing; call "
                            "hipDeviceSynchronize() first",
                            left);
}

static int stop_kernels(struct rocp_plan *plan, struct reason *why)
{
    struct rocp *rocp = plan->rocp;
    pthread_mutex_lock(&rocp->switching);
    show_plan(plan->device, rocp, NULL);
    int status = --rocp->n_running == 0 ? rocp->call.stop(rocp->context) : ROCP_SUCCESS;
    pthread_mutex_unlock(&rocp->switching);
    return status == ROCP_SUCCESS ? PAPI_OK : rocp_failed(rocp, status, "kernels are counted on", why);
}

/* ---- both */

static int start(void *planned, struct reason *why)
{
    struct rocp_plan *plan = planned;
    return plan->rocp->dispatch ? start_kernels(plan, why) : start_device(plan, why);
}

static int read_counts(void *planned, uint64_t *count, struct reason *why)
{
    struct rocp_plan *plan = planned;
    return plan->rocp->dispatch ? read_kernels(plan, count, why) : sample(plan, count, why);
}

static int stop(void *planned, struct reason *why)
{
    struct rocp_plan *plan = planned;
    return plan->rocp->dispatch ? stop_kernels(plan, why) : stop_device(plan, why);
}

const struct device_counting rocp_counting = {
    .name = "rocp_sdk",
    .owners = owners,
    .device = device_of,
    .prepare = prepare,
    .discard = discard,
    .start = start,
    .read = read_counts,
    .stop = stop,
};
