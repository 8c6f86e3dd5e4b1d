/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/perf_event/group.h"
#include "base/sysroot.h"
#include "components/perf_event/samples.h"
#include "components/perf_event/sys.h"
#include "components/perf_event/user_read.h"
#include "papi.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The kernel takes the PMUs of different core types into no group together, and a group is on the
 * counters only while the thread is on cores of its kind: each PMU has a group of its own, and what counts
 * on all cores (type 0) has one. Together they miss nothing. */
enum { MAX_PARTS = 9 };
struct part {
    uint32_t type;
    int leader; /* the counter that came first */
};

struct kernel_group {
    struct counter_group base;
    int fd[MAX_COUNTERS];
    struct part part[MAX_PARTS];
    int n_parts;
    bool in_parts; /* not one part of type 0 alone, which is led by the first counter */
    struct perf_event_mmap_page *page[MAX_COUNTERS + 1]; /* NULL after the last counter */
    struct event_encoding event[MAX_COUNTERS];
    bool unread; /* the last stop did not get the counts: they are ahead of what is known */
    /* When the group was last stopped or noted, and the time before: the reader's base is often there, so
     * it is left alone until the next stop. */
    struct group_reading *last, *spare;
    struct group_reading reading[2];
    uint64_t time_enabled, time_running; /* when the kernel last said so, at a stop */
    struct overflows overflows;
};

static struct kernel_group *kernel_group(struct counter_group *group)
{
    return (struct kernel_group *)group;
}

bool is_hardware_event(const struct event_encoding *event)
{
    return event->type != PERF_TYPE_SOFTWARE && event->type != PERF_TYPE_TRACEPOINT &&
           event->type != PERF_TYPE_BREAKPOINT;
}

/* What the kernel counts against itself: with the kernel left out, these would stay 0 for ever. */
static bool happens_in_kernel(const struct event_encoding *event)
{
    return event->type == PERF_TYPE_SOFTWARE &&
           (event->config == PERF_COUNT_SW_CONTEXT_SWITCHES ||
            event->config == PERF_COUNT_SW_CPU_MIGRATIONS ||
            event->config == 11 /* PERF_COUNT_SW_CGROUP_SWITCHES, from Linux 5.13 */);
}

void describe_event(const struct event_encoding *event, int domain, struct perf_event_attr *attr)
{
    if (event->domain != 0)
        domain = event->domain;
    else if (happens_in_kernel(event))
        domain |= PAPI_DOM_KERNEL;
    memset(attr, 0, sizeof *attr);
    attr->type = event->type;
    attr->config = event->config;
    attr->config1 = event->config1;
    attr->config2 = event->config2;
    attr->exclude_user = !(domain & PAPI_DOM_USER);
    attr->exclude_kernel = !(domain & PAPI_DOM_KERNEL);
    attr->exclude_hv = !(domain & PAPI_DOM_SUPERVISOR);
    attr->read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
}

/* On 64-bit ARM a counter can be read by the program only if it was asked for when it was opened. */
static uint64_t user_read_request(const char *root, const struct event_encoding *event)
{
#if defined(__aarch64__)
    long long allowed = 0;
    bool core = event->type == PERF_TYPE_HARDWARE || event->type == PERF_TYPE_HW_CACHE ||
                event->type == PERF_TYPE_RAW;
    if (core && sysroot_number(root, "/proc/sys/kernel/perf_user_access", &allowed) == 0 && allowed == 1)
        return 2;
#else
    (void)root;
    (void)event;
#endif
    return 0;
}

/* Counters are read by the program only where they count its own thread. */
static bool counts_caller(const struct kernel_group *group)
{
    return group->base.form.target == 0 && !group->base.form.whole_cpu;
}

static int open_counter(const struct kernel_group *group, const char *root,
                        const struct event_encoding *event, uint64_t period, int leader, int *fd,
                        struct reason *why)
{
    struct perf_event_attr attr;
    describe_event(event, group->base.form.domain, &attr);
    /* Pinned: on the counters all the time, or an error that the read sees; never a part of the
     * count passed off as the whole. */
    attr.disabled = leader < 0;
    attr.pinned = leader < 0;
    if (period != 0)
        overflows_describe(period, &attr);
    uint64_t request = counts_caller(group) ? user_read_request(root, event) : 0;
    attr.config1 |= request;
    int code = sys_open(root, &group->base.form, &attr, leader, fd, why);
    if (code == PAPI_OK || request == 0)
        return code;
    attr.config1 = event->config1;
    return sys_open(root, &group->base.form, &attr, leader, fd, why);
}

/* Intel's topdown metrics: the kernel computes them from a register that rdpmc shows differently. */
static bool is_metric(const struct event_encoding *event)
{
#if defined(__x86_64__)
    return (event->config & 0xff) == 0 && (event->config >> 8 & 0xff) >= 0x80;
#else
    (void)event;
    return false;
#endif
}

static bool readable_by_user(const struct kernel_group *group, int i)
{
    return group->page[i] != NULL && !is_metric(&group->event[i]);
}

static __attribute__((cold)) int never_scheduled(struct reason *why)
{
    return reason_set(why, PAPI_ECNFLCT,
                      "the event set is started but the kernel has never put it on the "
                      "counters: something else holds them");
}

/* Enabled for a time since the last stop, and on the counters for none of it. */
static inline bool missed(const struct kernel_group *group, const struct group_reading *now)
{
    return __builtin_expect(now->time_running == group->time_running, 0) &&
           now->time_enabled > group->time_enabled;
}

/* Of one counter or more. */
static inline void subtract(const struct group_reading *reading, int n, const uint64_t *base, uint64_t *value)
{
    if (n < 1)
        __builtin_unreachable();
    for (int i = 0; i < n; i++)
        value[i] = reading->count[i] - base[i];
}

static int read_by_system_call(struct counter_group *base, const uint64_t *from, uint64_t *value,
                               struct reason *why)
{
    const struct kernel_group *group = kernel_group(base);
    struct group_reading reading;
    int code = sys_read(group->fd[0], base->n_counters, &reading, why);
    if (code != PAPI_OK)
        return code;
    if (missed(group, &reading))
        return never_scheduled(why);
    subtract(&reading, base->n_counters, from, value);
    return PAPI_OK;
}

static int read_in_user_space(struct counter_group *base, const uint64_t *from, uint64_t *value,
                              struct reason *why)
{
    const struct kernel_group *group = kernel_group(base);
    const struct perf_event_mmap_page *page = group->page[0];
    int i = 0;
    do {
        uint64_t count;
        if (!user_read(page, &count))
            return read_by_system_call(base, from, value, why);
        value[i] = count - from[i];
        page = group->page[++i];
    } while (page != NULL);
    return PAPI_OK;
}

static __attribute__((cold)) bool take_back(const uint64_t *from, const uint64_t *count, int n,
                                            long long *value)
{
    for (int i = 0; i < n; i++)
        value[i] -= (long long)(count[i] - from[i]);
    return false;
}

static bool accum_in_user_space(struct counter_group *base, const uint64_t *from, uint64_t *count,
                                long long *value)
{
    const struct kernel_group *group = kernel_group(base);
    const struct perf_event_mmap_page *page = group->page[0];
    int i = 0;
    do {
        uint64_t now;
        if (!user_read(page, &now))
            return take_back(from, count, i, value);
        count[i] = now;
        value[i] += (long long)(now - from[i]);
        page = group->page[++i];
    } while (page != NULL);
    return true;
}

/* ------------------------------------------------------------------------- notes */

static inline void keep(struct kernel_group *group, struct group_reading *now)
{
    group->spare = group->last;
    group->last = now;
    group->base.stopped = now->count;
}

static inline void keep_times(struct kernel_group *group, const struct group_reading *now)
{
    group->time_enabled = now->time_enabled;
    group->time_running = now->time_running;
}

static int note_by_system_call(struct counter_group *base, const uint64_t *from, uint64_t *value,
                               struct reason *why)
{
    struct kernel_group *group = kernel_group(base);
    struct group_reading *now = group->spare;
    int code = sys_read(group->fd[0], base->n_counters, now, why);
    if (__builtin_expect(code != PAPI_OK, 0))
        return code;
    if (missed(group, now))
        return never_scheduled(why);
    subtract(now, base->n_counters, from, value);
    keep(group, now);
    keep_times(group, now);
    return PAPI_OK;
}

/* Without the times: a pinned group that is on the counters now has been since the last stop. */
static int note_in_user_space(struct counter_group *base, const uint64_t *from, uint64_t *value,
                              struct reason *why)
{
    struct kernel_group *group = kernel_group(base);
    uint64_t *noted = group->spare->count;
    const struct perf_event_mmap_page *page = group->page[0];
    int i = 0;
    do {
        uint64_t count;
        if (!user_read(page, &count))
            return note_by_system_call(base, from, value, why);
        noted[i] = count;
        value[i] = count - from[i];
        page = group->page[++i];
    } while (page != NULL);
    keep(group, group->spare);
    return PAPI_OK;
}

/* ------------------------------------------------------------------------- parts */

/* The kernel's types for whatever the processor has are one PMU's. */
static uint32_t part_type(const struct event_encoding *event)
{
    bool any = event->type == PERF_TYPE_HARDWARE || event->type == PERF_TYPE_HW_CACHE;
    return !event->some_cores ? 0 : any ? PERF_TYPE_RAW : event->type;
}

/* -1: it has no part yet. */
static int part_of(const struct kernel_group *group, const struct event_encoding *event)
{
    for (int i = 0; i < group->n_parts; i++)
        if (group->part[i].type == part_type(event))
            return i;
    return -1;
}

static int leader_for(const struct kernel_group *group, const struct event_encoding *event)
{
    int part = part_of(group, event);
    return part < 0 ? -1 : group->fd[group->part[part].leader];
}

/* Each part's counts to their places. The times are those of what counts on all cores: how long a part was
 * on its cores is the scheduler's affair. A pinned group that finds no counter there cannot be read. */
static int read_parts(const struct kernel_group *group, struct group_reading *now, struct reason *why)
{
    now->time_enabled = now->time_running = 0;
    for (int part = 0; part < group->n_parts; part++) {
        struct group_reading reading;
        int place[MAX_COUNTERS], n = 0;
        for (int i = 0; i < group->base.n_counters; i++)
            if (part_of(group, &group->event[i]) == part)
                place[n++] = i;
        int code = sys_read(group->fd[group->part[part].leader], n, &reading, why);
        if (code != PAPI_OK)
            return code;
        for (int i = 0; i < n; i++)
            now->count[place[i]] = reading.count[i];
        if (group->part[part].type == 0) {
            now->time_enabled = reading.time_enabled;
            now->time_running = reading.time_running;
        }
    }
    return PAPI_OK;
}

static int read_each_part(struct counter_group *base, const uint64_t *from, uint64_t *value,
                          struct reason *why)
{
    const struct kernel_group *group = kernel_group(base);
    struct group_reading reading;
    int code = read_parts(group, &reading, why);
    if (code != PAPI_OK)
        return code;
    if (missed(group, &reading))
        return never_scheduled(why);
    subtract(&reading, base->n_counters, from, value);
    return PAPI_OK;
}

/* All are tried; the code of the first that fails. */
static int switch_parts(const struct kernel_group *group, int (*do_switch)(int, struct reason *),
                        struct reason *why)
{
    int first = PAPI_OK;
    for (int i = 0; i < group->n_parts; i++) {
        int code = do_switch(group->fd[group->part[i].leader], first == PAPI_OK ? why : NULL);
        if (first == PAPI_OK)
            first = code;
    }
    return first;
}

static bool overflows_at_all(const struct kernel_group *group)
{
    for (int i = 0; i < group->base.n_counters; i++)
        if (group->overflows.counter[i].period != 0)
            return true;
    return false;
}

/* User space, if every counter can be read there. */
static void choose_read(struct kernel_group *group)
{
    int n = 0;
    while (n < group->base.n_counters && readable_by_user(group, n))
        n++;
    bool in_user_space = n > 0 && n == group->base.n_counters;
    group->in_parts = group->n_parts > 1 || (group->n_parts == 1 && group->part[0].type != 0);
    group->base.read = group->in_parts ? read_each_part
                       : in_user_space ? read_in_user_space
                                       : read_by_system_call;
    bool may_run_on = counts_caller(group) && !group->in_parts && !overflows_at_all(group);
    group->base.accum = !group->in_parts && in_user_space ? accum_in_user_space : accum_takes_a_read;
    group->base.note = !may_run_on ? NULL : in_user_space ? note_in_user_space : note_by_system_call;
}

/* -------------------------------------------------------------- start and stop */

/* All parts or none. */
static int start_parts(const struct kernel_group *group, struct reason *why)
{
    int code = switch_parts(group, sys_enable, why);
    if (code != PAPI_OK)
        switch_parts(group, sys_disable, NULL);
    return code;
}

/* Else the next run's values would have a part of the run whose stop failed. */
static __attribute__((cold)) int begin_anew(struct kernel_group *group, struct reason *why)
{
    int code = switch_parts(group, sys_reset, why);
    if (code == PAPI_OK) {
        memset(group->last->count, 0, sizeof group->last->count);
        group->unread = false;
    }
    return code;
}

static int group_start(struct counter_group *base, struct reason *why)
{
    struct kernel_group *group = kernel_group(base);
    if (__builtin_expect(group->unread, 0)) {
        int code = begin_anew(group, why);
        if (code != PAPI_OK)
            return code;
    }
    return __builtin_expect(group->in_parts, 0) ? start_parts(group, why) : sys_enable(group->fd[0], why);
}

static int group_stop(struct counter_group *base, struct reason *why)
{
    struct kernel_group *group = kernel_group(base);
    struct group_reading *now = group->spare;
    bool in_parts = __builtin_expect(group->in_parts, 0);
    int code = in_parts ? switch_parts(group, sys_disable, why) : sys_disable(group->fd[0], why);
    if (code == PAPI_OK)
        code = in_parts ? read_parts(group, now, why) : sys_read(group->fd[0], base->n_counters, now, why);
    if (__builtin_expect(code != PAPI_OK, 0)) {
        group->unread = true;
        return code;
    }
    keep(group, now);
    bool nothing = missed(group, now);
    keep_times(group, now);
    return nothing ? never_scheduled(why) : PAPI_OK;
}

/* ---------------------------------------------------------------------- counters */

static void close_counter(struct kernel_group *group, int i)
{
    if (group->overflows.counter[i].ring == NULL)
        sys_unmap(group->page[i]);
    group->page[i] = NULL;
    overflows_unmap(&group->overflows.counter[i]);
    group->overflows.counter[i].period = 0;
    sys_close(group->fd[i]);
}

static void close_from(struct kernel_group *group, int first)
{
    for (int i = group->base.n_counters - 1; i >= first; i--)
        close_counter(group, i);
    if (first < group->base.n_counters)
        group->base.n_counters = first;
    while (group->n_parts > 0 && group->part[group->n_parts - 1].leader >= first)
        group->n_parts--;
    choose_read(group);
}

/* The page for reads in user space; of a counter that overflows its buffer has it. */
static struct perf_event_mmap_page *map_page(struct kernel_group *group, int i)
{
    struct perf_event_mmap_page *ring = group->overflows.counter[i].ring, *page = ring;
    if (!USER_READ_KNOWN || !counts_caller(group) || !is_hardware_event(&group->event[i]))
        return NULL;
    if (page == NULL)
        page = sys_map(group->fd[i]);
    /* The kernel keeps a mapped page up to date, at a cost for each start and stop. */
    if (page != NULL && !page->cap_user_rdpmc) {
        if (page != ring)
            sys_unmap(page);
        page = NULL;
    }
    return page;
}

static int append(struct kernel_group *group, const char *root, int fd, const struct event_encoding *event,
                  struct reason *why)
{
    int i = group->base.n_counters++;
    group->fd[i] = fd;
    group->event[i] = *event;
    group->page[i] = NULL;
    if (part_of(group, event) < 0)
        group->part[group->n_parts++] = (struct part){part_type(event), i};
    int code = PAPI_OK;
    if (group->overflows.counter[i].period != 0) {
        struct perf_event_attr attr;
        describe_event(event, group->base.form.domain, &attr);
        code = overflows_map(&group->overflows.counter[i], root, fd, attr.exclude_kernel, why);
    }
    if (code != PAPI_OK) {
        close_from(group, i);
        return code;
    }
    group->page[i] = map_page(group, i);
    choose_read(group);
    return PAPI_OK;
}

/* Lets the group count for a moment: some that the kernel accepts it never schedules, because a
 * watchdog or another user holds a counter. */
static int try_group(struct kernel_group *group, struct reason *why)
{
    int code = group_start(&group->base, why);
    return code == PAPI_OK ? group_stop(&group->base, why) : code;
}

int refused_with_others(const struct counter_group *group, int code, const struct reason *alone,
                        struct reason *why)
{
    if (alone->code == PAPI_EINVAL) /* the thread has ended */
        return reason_set(why, PAPI_EINVAL, "%s", alone->text);
    if (alone->code != PAPI_OK)
        return code;
    return reason_set(
        why, PAPI_ECNFLCT,
        "the processor counts the event alone, but not together with the %d that the event set has "
        "(PAPI_set_multiplex lets them take turns)",
        group->n_counters);
}

/* The kernel says EINVAL both for an event that it does not know and for a full group. */
static int why_refused(const struct kernel_group *group, const char *root, const struct event_encoding *event,
                       uint64_t period, int code, struct reason *why)
{
    if (code == PAPI_ENOEVNT && event->some_cores && group->base.form.whole_cpu)
        return reason_set(why, PAPI_ENOEVNT, "CPU %d is not of the kind of core that the event's PMU counts",
                          group->base.form.cpu);
    if (group->base.n_counters == 0 || code != PAPI_ENOEVNT)
        return code;
    struct reason alone = {0};
    int fd;
    open_counter(group, root, event, period, -1, &fd, &alone);
    sys_close(fd);
    return refused_with_others(&group->base, code, &alone, why);
}

int no_counter_left(int n, struct reason *why)
{
    return reason_set(
        why, PAPI_ECNFLCT,
        "the %d counters that the event set has are all that the kernel can give it: the processor "
        "has no more, or other event sets or programs, or the NMI watchdog (sysctl "
        "kernel.nmi_watchdog), hold them; PAPI_set_multiplex lets events take turns",
        n);
}

/* A counter takes another one beside it until its thread ends. */
bool target_ended(const struct counter_group *group, const char *root, int fd)
{
    return group->form.target != 0 && group->n_counters > 0 &&
           sys_try(root, &group->form, fd, NULL) == PAPI_EINVAL;
}

int start_too_late(const struct counter_group *group, struct reason *why)
{
    return reason_set(
        why, PAPI_ECLOST,
        "thread %d, to which the event set is attached, has ended; PAPI_detach, or attach the set to "
        "another",
        group->form.target);
}

static bool group_target_ended(const struct counter_group *base, const char *root)
{
    return target_ended(base, root, ((const struct kernel_group *)base)->fd[0]);
}

/* ------------------------------------------------------------------- overflows */

/* Opened alone, since the kernel says the same of a full group. */
static int try_period(const struct kernel_group *group, const char *root, const struct event_encoding *event,
                      uint64_t period, struct reason *why)
{
    int fd;
    int code = open_counter(group, root, event, period, -1, &fd, why);
    sys_close(fd);
    return code;
}

/* Some processors cannot count periods below a least one, and the kernel refuses them as it refuses an event
 * that it does not know. It does not say which the least is: it is found by trying. */
static int why_no_overflow(const struct kernel_group *group, const char *root,
                           const struct event_encoding *event, uint64_t period, struct reason *why)
{
    uint64_t refused = period, least = INT32_MAX;
    int code = try_period(group, root, event, least, why);
    while (code == PAPI_OK && least - refused > 1) {
        uint64_t middle = refused + (least - refused) / 2;
        int answer = try_period(group, root, event, middle, why);
        if (answer == PAPI_OK)
            least = middle;
        else if (answer == PAPI_ENOEVNT)
            refused = middle;
        else
            code = answer;
    }
    if (code == PAPI_OK)
        return reason_set(why, PAPI_EINVAL,
                          "the kernel refuses a period of %llu for this event on this processor: the least "
                          "is %llu",
                          (unsigned long long)period, (unsigned long long)least);
    if (code == PAPI_ENOEVNT)
        return reason_set(
            why, PAPI_ENOSUPP,
            "the counter of the event delivers no overflows; PAPI_OVERFLOW_FORCE_SW looks at it "
            "by a timer");
    return code;
}

/* Only for the thread that counts. */
static int may_overflow(const struct kernel_group *group, const struct event_encoding *event, uint64_t period,
                        struct reason *why)
{
    if (counts_caller(group))
        return overflows_allow(event, period, why);
    return reason_set(
        why, PAPI_ENOSUPP,
        "overflows are delivered to the thread that counts: not from an event set that is attached "
        "to another thread or to a CPU");
}

static int group_add(struct counter_group *base, const char *root, const struct event_encoding *event,
                     uint64_t period, struct reason *why)
{
    struct kernel_group *group = kernel_group(base);
    int n = base->n_counters, fd;
    if (group->n_parts == MAX_PARTS && part_of(group, event) < 0)
        return reason_set(why, PAPI_ECNFLCT, "an event set holds events of at most %d kinds of cores",
                          MAX_PARTS - 1);
    int code = period != 0 ? may_overflow(group, event, period, why) : PAPI_OK;
    if (code != PAPI_OK)
        return code;
    code = open_counter(group, root, event, period, leader_for(group, event), &fd, why);
    if (code != PAPI_OK)
        code = why_refused(group, root, event, period, code, why);
    if (code == PAPI_ENOEVNT && period != 0)
        return why_no_overflow(group, root, event, period, why);
    if (code != PAPI_OK)
        return code;
    group->overflows.counter[n].period = period;
    code = append(group, root, fd, event, why);
    if (code != PAPI_OK)
        return code;
    code = try_group(group, why);
    if (code != PAPI_OK) {
        close_from(group, n);
        if (n > 0)
            try_group(group, NULL); /* out of its error state, and its counts up to date */
        if (n > 0 && code == PAPI_ECNFLCT)
            no_counter_left(n, why);
    }
    return code;
}

static int group_arm_overflows(struct counter_group *base, struct reason *why)
{
    struct kernel_group *group = kernel_group(base);
    return overflows_arm(&group->overflows, group->fd, base->n_counters, why);
}

static uint64_t group_overflows_written(const struct counter_group *base)
{
    return overflows_written(&((const struct kernel_group *)base)->overflows, base->n_counters);
}

static bool group_take_overflow(struct counter_group *base, int *counter, uint64_t *address)
{
    return overflows_take(&kernel_group(base)->overflows, base->n_counters, counter, address);
}

static void group_pause(struct counter_group *base, bool paused)
{
    switch_parts(kernel_group(base), paused ? sys_disable : sys_enable, NULL);
}

/* The processor's events happen in a signal's handling too, some for each of its instructions. */
static bool group_may_not_end(const struct counter_group *base)
{
    const struct kernel_group *group = (const struct kernel_group *)base;
    for (int i = 0; i < base->n_counters; i++)
        if (is_hardware_event(&group->event[i]) && overflows_small(&group->overflows.counter[i]))
            return true;
    return false;
}

static int group_check_overflows(const struct counter_group *base, struct reason *why)
{
    return overflows_check(&((const struct kernel_group *)base)->overflows, base->n_counters, why);
}

bool group_reads_in_user_space(const struct counter_group *base)
{
    return base->read == read_in_user_space;
}

static void group_silence(const struct counter_group *base)
{
    switch_parts((const struct kernel_group *)base, sys_disable, NULL);
}

/* The kernel starts the counters of a thread that has ended without a word. */
static int start_elsewhere(struct counter_group *base, struct reason *why)
{
    return group_target_ended(base, "") ? start_too_late(base, why) : group_start(base, why);
}

/* The pages are not the child's: the kernel does not copy their mappings. */
static void group_abandon(struct counter_group *base)
{
    struct kernel_group *group = kernel_group(base);
    for (int i = 0; i < base->n_counters; i++)
        sys_close(group->fd[i]);
    base->n_counters = 0;
    group->fd[0] = -1;
    base->read = read_by_system_call; /* fails, also in a call that a fork in a handler interrupted */
    base->note = note_by_system_call;
    base->accum = accum_takes_a_read;
}

static void group_destroy(struct counter_group *base)
{
    if (base == NULL)
        return;
    close_from(kernel_group(base), 0);
    free(base);
}

static const struct group_ops own_thread = {
    .add = group_add,
    .start = group_start,
    .stop = group_stop,
    .silence = group_silence,
    .destroy = group_destroy,
    .abandon = group_abandon,
    .target_ended = group_target_ended,
    .overflow_signal = OVERFLOW_SIGNAL,
    .arm_overflows = group_arm_overflows,
    .take_overflow = group_take_overflow,
    .overflows_written = group_overflows_written,
    .pause = group_pause,
    .may_not_end = group_may_not_end,
    .check_overflows = group_check_overflows,
};

/* Another thread or a CPU. */
static const struct group_ops elsewhere = {
    .add = group_add,
    .start = start_elsewhere,
    .stop = group_stop,
    .silence = group_silence,
    .destroy = group_destroy,
    .abandon = group_abandon,
    .target_ended = group_target_ended,
};

struct counter_group *group_create(const struct group_form *form)
{
    struct kernel_group *group = calloc(1, sizeof *group);
    if (group == NULL)
        return NULL;
    group->base.form = *form;
    group->base.accum = accum_takes_a_read;
    group->base.ops = counts_caller(group) ? &own_thread : &elsewhere;
    group->last = &group->reading[0];
    group->spare = &group->reading[1];
    group->base.stopped = group->last->count;
    return &group->base;
}
