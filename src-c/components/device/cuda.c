/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The component cuda: plans of events on NVIDIA's devices, for the groups of device_session.c. A reading ends
 * the range of a device and begins a new one: sums and averages over the units are added up, minima and
 * maxima kept, and all else, which is a share or a rate, is averaged over the time of the ranges.
 */
#include "components/device/cuda.h"
#include "components/components.h"
#include "components/device/device_library.h"
#include "components/device/device_session.h"
#include "papi.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct plan {
    struct device_plan shared;
    struct cuda_session session;
    uint64_t count[MAX_COUNTERS]; /* since the start */
    double level[MAX_COUNTERS], weight[MAX_COUNTERS];
    struct reason lost; /* a range's counts are, since the start */
};

/* ---- values */

/* The library is not linked with libm. */
static long long nearest_integer(double value)
{
    return (long long)(value < 0 ? value - 0.5 : value + 0.5);
}

/* Adds what the last range has to a level. A share of nothing, which is not a number, weighs nothing. */
static void add_level(struct plan *plan, int i, double value, double seconds)
{
    struct cuda_event event = cuda_event(plan->shared.event[i]);
    bool whole = plan->shared.event[i]->name[event.base] != '.' && !event.of_peak;
    double *level = &plan->level[i], *weight = &plan->weight[i];
    if (!isfinite(value))
        return;
    if (whole && (event.statistic == CUDA_SUM || event.statistic == CUDA_AVG))
        *level += value;
    else if (whole && event.statistic == CUDA_MIN)
        *level = *weight > 0 && *level < value ? *level : value;
    else if (whole && event.statistic == CUDA_MAX)
        *level = *weight > 0 && *level > value ? *level : value;
    else
        *level = (*level * *weight + value * seconds) / (*weight + seconds);
    *weight += seconds;
}

static int add_range(struct plan *plan, struct reason *why)
{
    double seconds = plan->session.seconds > 1e-9 ? plan->session.seconds : 1e-9;
    for (int i = 0; i < plan->session.config.n; i++) {
        double value = plan->session.value[i];
        if (plan->shared.event[i]->level)
            add_level(plan, i, value, seconds);
        else if (value >= 0 && value < 0x1p62)
            plan->count[i] += (uint64_t)nearest_integer(value);
        else
            return reason_set(why, PAPI_EMISC, "%s: the device gave no number", plan->shared.event[i]->name);
    }
    return PAPI_OK;
}

/* The value of a level as the event gives it. Without one the bits are those of no number. */
static uint64_t level_value(const struct plan *plan, int i)
{
    double level = plan->weight[i] > 0 ? plan->level[i] : NAN;
    uint64_t bits;
    memcpy(&bits, &level, sizeof bits);
    if (plan->shared.event[i]->real)
        return bits;
    return __builtin_fabs(level) < 0x1p62 ? (uint64_t)nearest_integer(level) : (uint64_t)INT64_MIN;
}

/* Gives the values. PAPI_ECLOST: a level has no value, the others are there. */
static int give(const struct plan *plan, uint64_t *count, struct reason *why)
{
    int code = reason_pass(&plan->lost, why);
    for (int i = 0; i < plan->session.config.n && plan->lost.code == PAPI_OK; i++) {
        if (plan->shared.event[i]->level && plan->weight[i] <= 0)
            code =
                reason_set(why, PAPI_ECLOST,
                           "%s has no value: nothing that it is a share of has happened on the device since "
                           "the start",
                           plan->shared.event[i]->name);
        count[i] = plan->shared.event[i]->level ? level_value(plan, i) : plan->count[i];
    }
    return code;
}

/* ---- plans */

static int device_of(const struct component_event *event)
{
    return cuda_event(event).device;
}

static void discard(struct device_plan *made)
{
    struct plan *plan = (struct plan *)made;
    cuda_session_close(&plan->session);
    cuda_unconfigure(plan->session.cuda, &plan->session.config);
}

static int prepare(struct device_plan *made, struct reason *why)
{
    struct plan *plan = (struct plan *)made;
    struct cuda *cuda = made->opened;
    int device = device_of(made->event[0]);
    plan->session.cuda = cuda;
    plan->session.device = &cuda->device[device];
    return cuda_configure(cuda, device, made->event, made->n, &plan->session.config, why)
               ?: cuda_check_passes(&plan->session.config, made->event[made->n - 1]->name, why);
}

static void renew(struct device_plan *made)
{
    struct plan *plan = (struct plan *)made;
    memset(plan->level, 0, sizeof plan->level);
    memset(plan->weight, 0, sizeof plan->weight);
}

static int start(struct device_plan *made, struct reason *why)
{
    struct plan *plan = (struct plan *)made;
    plan->lost = (struct reason){.code = PAPI_OK};
    memset(plan->count, 0, sizeof plan->count);
    renew(made);
    int code = cuda_session_open(&plan->session, why);
    if (code == PAPI_OK && (code = cuda_session_begin(&plan->session, why)) != PAPI_OK)
        cuda_session_close(&plan->session);
    return code;
}

static int read_plan(struct device_plan *made, uint64_t *count, struct reason *why)
{
    struct plan *plan = (struct plan *)made;
    if (plan->lost.code == PAPI_OK && cuda_session_end(&plan->session, &plan->lost) == PAPI_OK &&
        add_range(plan, &plan->lost) == PAPI_OK)
        cuda_session_begin(&plan->session, &plan->lost);
    return give(plan, count, why);
}

/* Has been read before: what the device still does is not waited for. */
static int stop(struct device_plan *made, struct reason *why)
{
    (void)why;
    cuda_session_close(&((struct plan *)made)->session);
    return PAPI_OK;
}

static const struct device_counting counting = {
    .name = "cuda",
    .size = sizeof(struct plan),
    .device = device_of,
    .prepare = prepare,
    .discard = discard,
    .start = start,
    .read = read_plan,
    .stop = stop,
    .renew = renew,
};

DEVICE_SESSION_FUNCTIONS(counting)

/* ---- component */

static int list_events(const char *root, struct event_list *list, struct reason *why)
{
    struct cuda *cuda;
    sigset_t before = device_hold_signals();
    int code = cuda_open(root, &cuda, why);
    if (code == PAPI_OK)
        code = event_list_open(list, cuda, cuda_close, why) ?: cuda_list(cuda, list, why);
    else if (!code_passes(code))
        code = PAPI_OK;
    device_release_signals(before);
    return code;
}

static void discover(struct pmu_table *pmus, struct component_state *state)
{
    struct cuda *cuda;
    sigset_t before = device_hold_signals();
    if (cuda_open(pmus->root, &cuda, &state->disabled) == PAPI_OK) {
        reason_pass(&cuda->cannot, &state->disabled);
        for (int i = 0; i < cuda->n_devices && state->disabled.code == PAPI_OK; i++)
            if (cuda->device[i].cannot.code != PAPI_OK)
                reason_pass(&cuda->device[i].cannot, &state->partially_disabled);
        cuda_close(cuda);
    }
    device_release_signals(before);
}

static int try_event(struct pmu_table *pmus, const struct event_encoding *encoding, int domain,
                     struct reason *why)
{
    struct cuda *cuda = encoding->event->opened;
    (void)pmus, (void)domain;
    int code = reason_pass(&cuda->cannot, why) ?: device_session_try(&counting, encoding->event, why);
    sigset_t before = device_hold_signals();
    code = code ?: cuda_try(cuda, device_of(encoding->event), why);
    device_release_signals(before);
    return code;
}

static int describe(const struct component_event *event, char *text, size_t size, char *unit, size_t room,
                    struct reason *why)
{
    struct cupti_properties properties;
    sigset_t before = device_hold_signals();
    int code = cuda_properties(event, &properties, why);
    if (code == PAPI_OK) {
        struct cuda_event own = cuda_event(event);
        bool is_count = cuda_is_count(own, event->name);
        snprintf(text, size, "%s; %s%s", properties.description, cuda_statistic[own.statistic],
                 is_count || own.real ? "" : ", rounded");
        snprintf(unit, room, "%s", properties.unit);
    }
    device_release_signals(before);
    return code;
}

static int detail(const struct component_event *event, char *text, size_t size, struct reason *why)
{
    struct cuda_config config;
    struct cuda *cuda = event->opened;
    sigset_t before = device_hold_signals();
    int code = cuda_configure(cuda, cuda_event(event).device, &event, 1, &config, why);
    if (code == PAPI_OK) {
        snprintf(text, size, "; %zu pass%s", config.passes, config.passes == 1 ? "" : "es: not counted");
        cuda_unconfigure(cuda, &config);
    } else if (!code_passes(code)) {
        snprintf(text, size, "; not counted by the range profiler");
        code = PAPI_OK;
    }
    device_release_signals(before);
    return code;
}

const struct component cuda_component = {
    DEVICE_SESSION_COMPONENT("cuda"),
    .description = "What NVIDIA's devices count while they run kernels",
    .list = list_events,
    .variants = &cuda_variants,
    .describe = describe,
    .detail = detail,
    .always_listed = true,
    .discover = discover,
    .try_event = try_event,
};
