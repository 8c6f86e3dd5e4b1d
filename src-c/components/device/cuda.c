/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The component cuda: groups of events on NVIDIA's devices. A reading ends the range of each device and
 * begins a new one: sums and averages over the units are added up, minima and maxima kept, and all else,
 * which is a share or a rate, is averaged over the time of the ranges. Signals are held from the first call
 * to the last, so that a handler finds all of it or nothing.
 */
#include "components/device/cuda.h"
#include "components/components.h"
#include "components/device/device_library.h"
#include "components/file_group.h"
#include "papi.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cuda_group {
    struct counter_group base;
    int n_held;
    const struct component_event *event[MAX_COUNTERS]; /* held */
    int n_sessions;                                    /* one for each device that has events of the group */
    struct cuda_session *session[CUDA_DEVICES];
    uint64_t count[MAX_COUNTERS]; /* that grows */
    double level[MAX_COUNTERS], weight[MAX_COUNTERS];
    uint64_t reading[2][MAX_COUNTERS];
    struct reason lost; /* a range's counts are, since the start */
    bool running;
};

static struct cuda_group *group_of(struct counter_group *base)
{
    return (struct cuda_group *)base;
}

/* ---- values */

/* The library is not linked with libm. */
static long long nearest_integer(double value)
{
    return (long long)(value < 0 ? value - 0.5 : value + 0.5);
}

/* Adds what the last range has to a level. A share of nothing, which is not a number, weighs nothing. */
static void add_level(struct cuda_group *group, int i, double value, double seconds)
{
    struct cuda_event event = cuda_event(group->event[i]);
    bool whole = group->event[i]->name[event.base] != '.' && !event.of_peak;
    double *level = &group->level[i], *weight = &group->weight[i];
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

static int add_range(struct cuda_group *group, const struct cuda_session *session, struct reason *why)
{
    double seconds = session->seconds > 1e-9 ? session->seconds : 1e-9;
    for (int k = 0; k < session->config.n; k++) {
        int i = session->counter[k];
        double value = session->value[k];
        if ((group->base.levels >> i & 1) != 0)
            add_level(group, i, value, seconds);
        else if (value >= 0 && value < 0x1p62)
            group->count[i] += (uint64_t)nearest_integer(value);
        else
            return reason_set(why, PAPI_EMISC, "%s: the device gave no number", group->event[i]->name);
    }
    return PAPI_OK;
}

/* Ends the ranges of all devices; their counts are lost where that fails. */
static int end_ranges(struct cuda_group *group)
{
    int code = PAPI_OK;
    for (int i = 0; i < group->n_sessions; i++)
        code = (cuda_session_end(group->session[i], &group->lost)
                    ?: add_range(group, group->session[i], &group->lost))
                   ?: code;
    return code;
}

static int begin_ranges(struct cuda_group *group, struct reason *why)
{
    int code = PAPI_OK;
    for (int i = 0; i < group->n_sessions; i++)
        code = code ?: cuda_session_begin(group->session[i], why);
    return code;
}

/* The value of a level as the event gives it. Without one the bits are those of no number. */
static uint64_t level_value(const struct cuda_group *group, int i)
{
    double level = group->weight[i] > 0 ? group->level[i] : NAN;
    uint64_t bits;
    memcpy(&bits, &level, sizeof bits);
    if (cuda_event(group->event[i]).real)
        return bits;
    return __builtin_fabs(level) < 0x1p62 ? (uint64_t)nearest_integer(level) : (uint64_t)INT64_MIN;
}

/* Puts the values into value, with the counts less their bases. PAPI_ECLOST: a level has no value, the others
 * are there. */
static int give(const struct cuda_group *group, const uint64_t *from, uint64_t *value, struct reason *why)
{
    int code = reason_pass(&group->lost, why);
    for (int i = 0; i < group->base.n_counters && group->lost.code == PAPI_OK; i++) {
        bool level = group->base.levels >> i & 1;
        if (level && group->weight[i] <= 0)
            code =
                reason_set(why, PAPI_ECLOST,
                           "%s has no value: nothing that it is a share of has happened on the device since "
                           "the start",
                           group->event[i]->name);
        value[i] = level ? level_value(group, i) : group->count[i] - from[i];
    }
    return code;
}

static int read_values(struct counter_group *base, const uint64_t *from, uint64_t *value, struct reason *why)
{
    struct cuda_group *group = group_of(base);
    sigset_t before = device_hold_signals();
    if (group->lost.code == PAPI_OK && end_ranges(group) == PAPI_OK)
        begin_ranges(group, &group->lost);
    int code = give(group, from, value, why);
    device_release_signals(before);
    return code;
}

/* ---- start and stop */

static void forget_levels(struct cuda_group *group)
{
    memset(group->level, 0, sizeof group->level);
    memset(group->weight, 0, sizeof group->weight);
}

static void close_sessions(struct cuda_group *group)
{
    for (int i = 0; i < group->n_sessions; i++)
        if (group->session[i]->context != NULL)
            cuda_session_close(group->session[i]);
    group->running = false;
}

/* Refuses a second group of the calling thread. */
static int check_thread(const struct cuda_group *group, struct reason *why)
{
    const struct cuda *cuda = group->session[0]->cuda;
    pid_t self = cuda_thread();
    for (int i = 0; i < cuda->n_devices; i++)
        if (cuda->device[i].thread == self)
            return reason_set(
                why, PAPI_EISRUN,
                "this thread has another event set of the component cuda running, on device %d: "
                "stop it, or put the events of all devices into one set",
                i);
    return PAPI_OK;
}

static int start_held(struct cuda_group *group, struct reason *why)
{
    int code = check_thread(group, why);
    for (int i = 0; i < group->n_sessions; i++)
        code = code ?: cuda_session_open(group->session[i], why);
    code = code ?: begin_ranges(group, why);
    if (code != PAPI_OK)
        close_sessions(group);
    group->running = code == PAPI_OK;
    return code;
}

static int start(struct counter_group *base, struct reason *why)
{
    struct cuda_group *group = group_of(base);
    sigset_t before = device_hold_signals();
    group->lost = (struct reason){.code = PAPI_OK};
    forget_levels(group);
    int code = start_held(group, why);
    device_release_signals(before);
    return code;
}

static int stop(struct counter_group *base, struct reason *why)
{
    static const uint64_t from_zero[MAX_COUNTERS];
    struct cuda_group *group = group_of(base);
    uint64_t *spare = group->reading[base->stopped == group->reading[0]];
    sigset_t before = device_hold_signals();
    if (group->running && group->lost.code == PAPI_OK)
        end_ranges(group);
    close_sessions(group);
    int code = give(group, from_zero, spare, why);
    if (group->lost.code == PAPI_OK)
        base->stopped = spare;
    device_release_signals(before);
    return code;
}

/* Levels begin anew, as counts do by their bases. */
static void renew(struct counter_group *base)
{
    struct cuda_group *group = group_of(base);
    uint64_t *spare = group->reading[base->stopped == group->reading[0]];
    sigset_t before = device_hold_signals();
    forget_levels(group);
    for (int i = 0; i < base->n_counters; i++)
        spare[i] = (base->levels >> i & 1) != 0 ? 0 : base->stopped[i];
    base->stopped = spare;
    device_release_signals(before);
}

/* ---- events */

/* Configures the events of a device anew, with one more. */
static int configure(struct cuda_group *group, const struct component_event *event,
                     struct cuda_session *session, struct reason *why)
{
    const struct component_event *together[MAX_COUNTERS];
    int n = 0, device = cuda_event(event).device;
    *session = (struct cuda_session){.cuda = event->opened,
                                     .device = &((struct cuda *)event->opened)->device[device]};
    for (int i = 0; i < group->base.n_counters; i++)
        if (cuda_event(group->event[i]).device == device) {
            session->counter[n] = i;
            together[n++] = group->event[i];
        }
    session->counter[n] = group->base.n_counters;
    together[n++] = event;
    int code = cuda_configure(session->cuda, device, together, n, &session->config, why);
    if (code == PAPI_OK && (code = cuda_check_passes(&session->config, event->name, why)) != PAPI_OK)
        cuda_unconfigure(session->cuda, &session->config);
    return code;
}

static void free_session(struct cuda_session *session)
{
    if (session != NULL)
        cuda_unconfigure(session->cuda, &session->config);
    free(session);
}

/* Puts a session in the place of the one of before for the same device. */
static void put_session(struct cuda_group *group, struct cuda_session *session)
{
    int i = 0;
    while (i < group->n_sessions && group->session[i]->device != session->device)
        i++;
    free_session(group->session[i]);
    group->session[i] = session;
    group->n_sessions += i == group->n_sessions;
}

static int add_held(struct cuda_group *group, const struct component_event *event, struct reason *why)
{
    int i = group->base.n_counters;
    struct cuda_session *session = malloc(sizeof *session);
    if (session == NULL)
        return reason_set(why, PAPI_ENOMEM, "out of memory");
    int code = configure(group, event, session, why);
    if (code != PAPI_OK) {
        free(session);
        return code;
    }
    put_session(group, session);
    group->event[i] = event_hold(event);
    group->count[i] = group->reading[0][i] = group->reading[1][i] = 0;
    group->base.levels |= (uint64_t)event->level << i;
    group->base.reals |= (uint64_t)event->real << i;
    group->n_held = ++group->base.n_counters;
    return PAPI_OK;
}

static int add(struct counter_group *base, const char *root, const struct event_encoding *encoding,
               uint64_t period, struct reason *why)
{
    (void)root;
    if (period != 0)
        return reason_set(why, PAPI_ENOSUPP, "%s is counted on a device: it delivers no overflows",
                          encoding->event->name);
    sigset_t before = device_hold_signals();
    int code = add_held(group_of(base), encoding->event, why);
    device_release_signals(before);
    return code;
}

static int write_level(struct counter_group *base, const char *root, int counter, long long value,
                       struct reason *why)
{
    (void)root, (void)value;
    return reason_set(why, PAPI_ECMP, "%s is computed of what the device counts: it cannot be set",
                      group_of(base)->event[counter]->name);
}

static void keep(struct counter_group *base, int counter, uint64_t value)
{
    struct cuda_group *group = group_of(base);
    group->reading[0][counter] = group->reading[1][counter] = value;
}

/* The sessions are the parent's: the driver does not work in the child. */
static void abandon(struct counter_group *base)
{
    struct cuda_group *group = group_of(base);
    base->n_counters = 0;
    group->running = false;
    for (int i = 0; i < group->n_sessions; i++)
        group->session[i]->context = NULL;
}

static void destroy(struct counter_group *base)
{
    struct cuda_group *group = group_of(base);
    sigset_t before = device_hold_signals();
    close_sessions(group);
    for (int i = 0; i < group->n_sessions; i++)
        free_session(group->session[i]);
    for (int i = 0; i < group->n_held; i++)
        event_release(group->event[i]);
    device_release_signals(before);
    free(group);
}

static const struct group_ops operations = {
    .add = add,
    .start = start,
    .stop = stop,
    .renew = renew,
    .write = write_level,
    .keep = keep,
    .destroy = destroy,
    .abandon = abandon,
};

static struct counter_group *create(const struct group_options *options)
{
    struct cuda_group *group = calloc(1, sizeof *group);
    if (group == NULL)
        return NULL;
    group->base = (struct counter_group){.ops = &operations,
                                         .read = read_values,
                                         .accum = accum_takes_a_read,
                                         .stopped = group->reading[0],
                                         .options = *options};
    return &group->base;
}

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

static int try_held(const struct component_event *event, struct reason *why)
{
    struct cuda *cuda = event->opened;
    struct cuda_config config;
    int device = cuda_event(event).device;
    int code = reason_pass(&cuda->cannot, why) ?: cuda_try(cuda, &cuda->device[device], why);
    code = code ?: cuda_configure(cuda, device, &event, 1, &config, why);
    if (code == PAPI_OK) {
        code = cuda_check_passes(&config, event->name, why);
        cuda_unconfigure(cuda, &config);
    }
    return code;
}

static int try_event(struct pmu_table *pmus, const struct event_encoding *encoding, int domain,
                     struct reason *why)
{
    (void)pmus, (void)domain;
    sigset_t before = device_hold_signals();
    int code = try_held(encoding->event, why);
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
    LISTING_MEMBERS("cuda"),
    .granularity = PAPI_GRN_SYS,
    .check_options = file_check_options,
    .description = "What NVIDIA's devices count while they run kernels",
    .list = list_events,
    .variants = &cuda_variants,
    .describe = describe,
    .detail = detail,
    .always_listed = true,
    .discover = discover,
    .try_event = try_event,
    .create = create,
};
