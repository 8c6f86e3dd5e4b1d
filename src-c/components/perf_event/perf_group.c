/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Counters in groups of the kernel: opening, reading, switching and closing them.
 *
 * choose_read sets the fastest way to read that a group's options and counters allow: in user space, if every
 * counter has a page and counts the calling thread; otherwise by one read(2) for all counters; by one for
 * each part, on a hybrid processor; or one by one (separate_events.c). A value is always the counter less its
 * base; nothing is ever set to 0 but after a stop that failed.
 *
 * Readings take no lock and disable no signal, so a handler of the same thread may read, reset, stop or start
 * the set at any instruction of them. Three rules make that safe: a reading takes the base before the counter
 * (then a base that moves in between makes the value larger, never negative), a stop writes its counts into
 * the spare reading and exchanges the two, and of the two times that say whether anything was missed, the
 * enabled one is stored first, so that half of the change never looks like a loss.
 */
#include "components/perf_event/perf_group.h"
#include "base/likely.h"
#include "base/signals.h"
#include "base/sysroot.h"
#include "base/task_stat.h"
#include "components/perf_event/holders.h"
#include "components/perf_event/precise.h"
#include "components/perf_event/user_read.h"
#include "papi.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

bool is_hardware_event(const struct event_encoding *event)
{
    return event->type != PERF_TYPE_SOFTWARE && event->type != PERF_TYPE_TRACEPOINT &&
           event->type != PERF_TYPE_BREAKPOINT;
}

/* True for events that the kernel counts against itself: with the kernel left out, these would stay 0 for
 * ever. */
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

/* The bit of config1 that asks for reads in user space: on 64-bit Arm a counter can be read by the program
 * only if it was asked for when it was opened. */
static uint64_t user_read_request(const char *root, const struct event_encoding *event)
{
#if defined(__aarch64__)
    long long allowed = 0;
    bool core = is_generic_event(event) || event->type == PERF_TYPE_RAW;
    if (core && sysroot_number(root, "/proc/sys/kernel/perf_user_access", &allowed) == 0 && allowed == 1)
        return 2;
#else
    (void)root;
    (void)event;
#endif
    return 0;
}

/* True if the group counts the calling thread: only then counters can be read by the program. */
static bool counts_caller(const struct kernel_group *group)
{
    return group->base.options.target == 0 && !group->base.options.whole_cpu;
}

/* Overflows of a counter. */
struct sampling {
    uint64_t period; /* 0: it does not */
    int precise;     /* found by open_counter */
};

static void describe_counter(const struct kernel_group *group, const struct group_options *options,
                             const struct event_encoding *event, const struct sampling *sampling, int leader,
                             struct perf_event_attr *attr)
{
    describe_event(event, options->domain, attr);
    attr->disabled = leader < 0;
    if (group->separate) {
        attr->read_format &= ~(uint64_t)PERF_FORMAT_GROUP;
        attr->inherit = options->inherit;
    } else {
        /* Pinned: on the counters all the time, or an error that the read sees; never a part of the
         * count passed off as the whole. */
        attr->pinned = leader < 0;
    }
    if (sampling->period != 0)
        overflows_describe(sampling->period, sampling->precise, attr);
}

static int open_sampled(const struct kernel_group *group, const char *root,
                        const struct event_encoding *event, const struct sampling *sampling, int leader,
                        int *fd, struct reason *why)
{
    struct perf_event_attr attr;
    const struct group_options *own = &group->base.options,
                               options = group->uncore ? uncore_options(event, own) : *own;
    describe_counter(group, &options, event, sampling, leader, &attr);
    uint64_t request = counts_caller(group) && !group->separate ? user_read_request(root, event) : 0;
    attr.config1 |= request;
    int code = sys_open(root, &options, &attr, leader, fd, why);
    if (code == PAPI_OK || request == 0)
        return code;
    attr.config1 = event->config1;
    return sys_open(root, &options, &attr, leader, fd, why);
}

/* Refuses a precision that was asked for, where the event overflows without it. */
static int not_so_precise(const struct kernel_group *group, const char *root,
                          const struct event_encoding *event, const struct sampling *sampling, int leader,
                          int code, struct reason *why)
{
    const struct sampling less = {.period = sampling->period};
    int fd;
    if (code != PAPI_ENOEVNT || open_sampled(group, root, event, &less, leader, &fd, NULL) != PAPI_OK)
        return code;
    sys_close(fd);
    return reason_set(
        why, PAPI_ENOSUPP,
        "the processor has no samples with precise_ip %d of this event, or not beside the others "
        "of the set; without it overflows come",
        sampling->precise);
}

/* Opens a counter, with samples as precise as they are to be. */
static int open_counter(const struct kernel_group *group, const char *root,
                        const struct event_encoding *event, struct sampling *sampling, int leader, int *fd,
                        struct reason *why)
{
    struct precise_levels levels = {0, 0};
    int code = sampling->period != 0 ? precise_levels(root, event, group->base.options.precise, &levels, why)
                                     : PAPI_OK;
    if (code != PAPI_OK)
        return code;
    sampling->precise = levels.first;
    code = open_sampled(group, root, event, sampling, leader, fd, why);
    while (code == PAPI_ENOEVNT && sampling->precise > levels.last) {
        sampling->precise--;
        code = open_sampled(group, root, event, sampling, leader, fd, why);
    }
    if (code == PAPI_OK && leader < 0 && levels.first > levels.last)
        precise_note(root, event, sampling->precise);
    return sampling->precise > 0 ? not_so_precise(group, root, event, sampling, leader, code, why) : code;
}

/* Intel's topdown metrics: the kernel computes them from a register that rdpmc shows differently. */
static bool is_metric(const struct event_encoding *event)
{
#if defined(__x86_64__) || defined(__i386__)
    return (event->config & 0xff) == 0 && (event->config >> 8 & 0xff) >= 0x80;
#else
    (void)event;
    return false;
#endif
}

int group_never_scheduled(struct reason *why)
{
    reason_set(why, PAPI_ECNFLCT,
               "the event set is started but the kernel has never put it on the counters: something else "
               "holds them");
    return reason_held(why, PAPI_ECNFLCT);
}

/* Enabled for a time since the last stop, and on the counters for none of it. */
static inline bool missed(const struct kernel_group *group, const struct group_reading *now)
{
    return unlikely(now->time_running == group->time_running) && now->time_enabled > group->time_enabled;
}

enum { ALL_COUNTERS = MAX_COUNTERS + 1 };

/* A handler may read at any instruction: a time that runs without being enabled is nothing missed. */
static inline void keep_times(struct kernel_group *group, const struct group_reading *now)
{
    group->time_enabled = now->time_enabled;
    atomic_signal_fence(memory_order_seq_cst);
    group->time_running = now->time_running;
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
            if (group->part[i] == part)
                place[n++] = i;
        int code = sys_read(group->fd[group->leader[part]], n, &reading, why);
        if (code != PAPI_OK)
            return code;
        for (int i = 0; i < n; i++)
            now->count[place[i]] = reading.count[i];
        if (!group->event[place[0]].some_cores) {
            now->time_enabled = reading.time_enabled;
            now->time_running = reading.time_running;
        }
    }
    return PAPI_OK;
}

static inline __attribute__((always_inline)) int read_all(const struct kernel_group *group, bool in_parts,
                                                          struct group_reading *now, struct reason *why)
{
    return in_parts ? read_parts(group, now, why) : sys_read(group->fd[0], group->base.n_counters, now, why);
}

/* A signal's handler may move the base while the counters are read: it is taken before, so that no count is
 * less, and twice alike, so that all counts begin at one moment. */
static inline __attribute__((always_inline)) void take_origin(const struct kernel_group *group,
                                                              const uint64_t *from, uint64_t *origin)
{
    int n = group->base.n_counters;
    uint64_t moved;
    if (n < 1) /* a group that is read has a counter */
        __builtin_unreachable();
    do {
        moved = 0;
        for (int i = 0; i < n; i++)
            origin[i] = from[i];
        atomic_signal_fence(memory_order_seq_cst);
        for (int i = 0; i < n; i++)
            moved |= origin[i] ^ from[i];
    } while (unlikely(moved != 0));
    atomic_signal_fence(memory_order_seq_cst);
}

/* Reads the group and takes its values less from, an array that nothing moves meanwhile. */
static inline __attribute__((always_inline)) int read_since(const struct kernel_group *group, bool in_parts,
                                                            struct group_reading *now, const uint64_t *from,
                                                            uint64_t *value, struct reason *why)
{
    int code = read_all(group, in_parts, now, why);
    if (unlikely(code != PAPI_OK))
        return code;
    if (missed(group, now))
        return group_never_scheduled(why);
    int n = group->base.n_counters;
    if (n < 1) /* a group that is read has a counter */
        __builtin_unreachable();
    for (int i = 0; i < n; i++)
        value[i] = now->count[i] - from[i];
    return PAPI_OK;
}

static inline __attribute__((always_inline)) int read_values(const struct kernel_group *group, bool in_parts,
                                                             struct group_reading *now, const uint64_t *from,
                                                             uint64_t *value, struct reason *why)
{
    uint64_t origin[MAX_COUNTERS];
    take_origin(group, from, origin);
    return read_since(group, in_parts, now, origin, value, why);
}

static int read_by_system_call(struct counter_group *base, const uint64_t *from, uint64_t *value,
                               struct reason *why)
{
    struct group_reading now;
    return read_values(kernel_group(base), false, &now, from, value, why);
}

static int read_each_part(struct counter_group *base, const uint64_t *from, uint64_t *value,
                          struct reason *why)
{
    struct group_reading now;
    return read_values(kernel_group(base), true, &now, from, value, why);
}

/* True for what counts on whole CPUs or outside the cores, also while this process is stopped. */
static bool counts_machine(const struct kernel_group *group)
{
    return group->base.options.whole_cpu || group->uncore;
}

/* Returns a code, or PAPI_ECLOST if the machine was suspended since the group was started. */
static int check_suspended(const struct kernel_group *group, int code, struct reason *why)
{
    if (likely(code != PAPI_OK || !suspended_since(&group->started)))
        return code;
    return reason_set(why, PAPI_ECLOST,
                      "the machine was suspended while the event set counted %s: counters may have been lost "
                      "or have begun anew, and what is shown may be wrong; stop and start to count from here",
                      group->uncore ? "outside the cores" : "on a whole CPU");
}

/* A CPU's: in one group, in parts or separate. */
static int read_without_witness(struct counter_group *base, const uint64_t *from, uint64_t *value,
                                struct reason *why)
{
    const struct kernel_group *group = kernel_group(base);
    return group->separate   ? separate_read(base, from, value, why)
           : group->in_parts ? read_each_part(base, from, value, why)
                             : read_by_system_call(base, from, value, why);
}

/* Checks a CPU of separate counters, each of which is read alone in any case. */
static int check_cpu(const struct kernel_group *group, int code, struct reason *why)
{
    uint64_t count[MAX_COUNTERS];
    return likely(witness_is_whole(group)) ? check_suspended(group, code, why)
           : code != PAPI_OK               ? code
                                           : witness_read_lost(group, count, why);
}

int group_counted(const struct kernel_group *group, struct counter_reading *run, struct reason *why)
{
    int code = separate_runs(group, run, why);
    return counts_machine(group) ? check_cpu(group, code, why) : code;
}

static int read_of_cpu(struct counter_group *base, const uint64_t *from, uint64_t *value, struct reason *why)
{
    uint64_t count[MAX_COUNTERS];
    int code = read_without_witness(base, from, value, why);
    if (kernel_group(base)->separate)
        return check_cpu(kernel_group(base), code, why);
    if (likely(witness_is_whole(kernel_group(base))))
        return check_suspended(kernel_group(base), code, why);
    code = witness_read_lost(kernel_group(base), count, why);
    for (int i = 0; i < base->n_counters; i++)
        value[i] = count[i] - from[i];
    return code;
}

static int note_by_system_call(struct counter_group *base, const uint64_t *from, uint64_t *value,
                               struct reason *why)
{
    struct kernel_group *group = kernel_group(base);
    struct group_reading *now = group->spare;
    int code = read_since(group, false, now, from, value, why); /* in a stop no base moves */
    if (unlikely(code != PAPI_OK))
        return code;
    keep_times(group, now);
    group_keep(group, now);
    return PAPI_OK;
}

/* All counts, and the values that they give, or what they add to them. Returns how many could be had: where
 * it is not all, only the kernel can tell. The flags are constants. */
static inline __attribute__((always_inline)) int user_read_all(const struct kernel_group *group,
                                                               const uint64_t *from, uint64_t *count,
                                                               bool keep, long long *value, bool add)
{
    const struct perf_event_mmap_page *page = group->page[0];
    int i = 0;
    do {
        uint64_t now, origin = from[i];
        if (!keep) /* before: see take_origin. What keeps the counts is a change, in which no base moves */
            __asm__ volatile("" : "+r"(origin)::"memory");
        if (!user_read(page, &now))
            return i;
        if (keep)
            count[i] = now;
        if (keep)
            origin = from[i];
        if (add)
            value[i] += (long long)(now - origin);
        else
            value[i] = (long long)(now - origin);
        page = group->page[++i];
    } while (page != NULL);
    return ALL_COUNTERS;
}

/* x86-64 has none to spare. */
#if defined(__x86_64__)
#define NOT_IN_REGISTER volatile
#else
#define NOT_IN_REGISTER
#endif

static int read_in_user_space(struct counter_group *base, const uint64_t *from, uint64_t *value,
                              struct reason *why)
{
    struct reason *NOT_IN_REGISTER kept = why;
    if (user_read_all(kernel_group(base), from, NULL, false, (long long *)value, false) == ALL_COUNTERS)
        return PAPI_OK;
    return read_by_system_call(base, from, value, kept);
}

static __attribute__((cold)) void take_back(const uint64_t *from, const uint64_t *count, int n,
                                            long long *value)
{
    for (int i = 0; i < n; i++)
        value[i] -= (long long)(count[i] - from[i]);
}

static bool accum_by_system_call(struct counter_group *base, const uint64_t *from, uint64_t *count,
                                 long long *value)
{
    const struct kernel_group *group = kernel_group(base);
    struct group_reading now;
    if (sys_read(group->fd[0], base->n_counters, &now, NULL) != PAPI_OK || missed(group, &now))
        return false;
    int n = base->n_counters;
    if (n < 1) /* a group that is read has a counter */
        __builtin_unreachable();
    for (int i = 0; i < n; i++) {
        count[i] = now.count[i];
        value[i] += (long long)(now.count[i] - from[i]);
    }
    return true;
}

static bool accum_in_user_space(struct counter_group *base, const uint64_t *from, uint64_t *count,
                                long long *value)
{
    int n = user_read_all(kernel_group(base), from, count, true, value, true);
    return n == ALL_COUNTERS ||
           (take_back(from, count, n, value), accum_by_system_call(base, from, count, value));
}

/* Notes the counts in user space, without the times: a pinned group that is on the counters now has been
 * since the last stop. */
static int note_in_user_space(struct counter_group *base, const uint64_t *from, uint64_t *value,
                              struct reason *why)
{
    struct kernel_group *group = kernel_group(base);
    struct group_reading *now = group->spare;
    if (user_read_all(group, from, now->count, true, (long long *)value, false) != ALL_COUNTERS)
        return note_by_system_call(base, from, value, why);
    group_keep(group, now);
    return PAPI_OK;
}

/* ---- parts */

/* The kernel's types for whatever the processor has are one PMU's. */
static uint32_t part_type(const struct event_encoding *event)
{
    return !event->some_cores ? 0 : is_generic_event(event) ? PERF_TYPE_RAW : event->type;
}

/* The part that an event goes into; the one after the last where it needs one of its own. */
static int part_for(const struct kernel_group *group, const struct event_encoding *event)
{
    bool apart = group->uncore || group->base.options.multiplex;
    for (int part = 0; part < group->n_parts && !apart; part++)
        if (part_type(&group->event[group->leader[part]]) == part_type(event))
            return part;
    return group->n_parts;
}

int group_switch(const struct kernel_group *group, int (*do_switch)(int, struct reason *), struct reason *why)
{
    int first = PAPI_OK;
    for (int part = 0; part < group->n_parts; part++) {
        int code = do_switch(group->fd[group->leader[part]], first == PAPI_OK ? why : NULL);
        first = first ?: code;
    }
    return first;
}

/* User space, if every counter can be read there. */
static void choose_read(struct kernel_group *group)
{
    bool in_user_space = group->base.n_counters > 0, overflows = false;
    for (int i = 0; i < group->base.n_counters; i++) {
        in_user_space &= group->page[i] != NULL && !is_metric(&group->event[i]);
        overflows |= group->overflows.counter[i].period != 0;
    }
    group->in_parts = group->n_parts > 1 || (group->n_parts == 1 && group->event[0].some_cores);
    bool whole = !group->separate && !group->in_parts;
    in_user_space &= whole;
    bool may_run_on = whole && counts_caller(group) && !overflows;
    group->base.read = counts_machine(group) ? read_of_cpu
                       : group->separate     ? separate_read
                       : group->in_parts     ? read_each_part
                       : in_user_space       ? read_in_user_space
                                             : read_by_system_call;
    bool by_system_call = group->base.read == read_by_system_call;
    group->base.accum = in_user_space    ? accum_in_user_space
                        : by_system_call ? accum_by_system_call
                                         : accum_takes_a_read;
    group->base.note = !may_run_on ? NULL : in_user_space ? note_in_user_space : note_by_system_call;
}

/* ---- start and stop */

/* All parts or none. */
static int start_parts(struct kernel_group *group, struct reason *why)
{
    int code = group_switch(group, sys_enable, why);
    if (code != PAPI_OK)
        group->base.ops->stop(&group->base, NULL);
    return code;
}

/* Leaves out of the next run what was counted since the last stop: the rest of a run whose stop failed. */
static __attribute__((cold)) int begin_anew(struct kernel_group *group, struct reason *why)
{
    if (group->separate)
        return separate_begin_anew(group, why);
    int code = group_switch(group, sys_reset, why);
    if (code == PAPI_OK) {
        memset(group->last->count, 0, sizeof group->last->count);
        group->unread = false;
    }
    return code;
}

static int group_start(struct counter_group *base, struct reason *why)
{
    struct kernel_group *group = kernel_group(base);
    /* Outside the cores, the kernel starts counters that are stopped when it moves them to another CPU. */
    if (unlikely(group->unread || group->uncore)) {
        int code = begin_anew(group, why);
        if (code != PAPI_OK)
            return code;
    }
    return unlikely(group->in_parts) ? start_parts(group, why) : sys_enable(group->fd[0], why);
}

static int group_stop(struct counter_group *base, struct reason *why)
{
    struct kernel_group *group = kernel_group(base);
    struct group_reading *now = group->spare;
    bool in_parts = unlikely(group->in_parts);
    int code = in_parts ? group_switch(group, sys_disable, why) : sys_disable(group->fd[0], why);
    if (code == PAPI_OK)
        code = read_all(group, in_parts, now, why);
    if (unlikely(code != PAPI_OK)) {
        group->unread = true;
        return code;
    }
    bool nothing = missed(group, now);
    keep_times(group, now);
    group_keep(group, now);
    return nothing ? group_never_scheduled(why) : PAPI_OK;
}

static int start_of_cpu(struct counter_group *base, struct reason *why)
{
    suspended_note(&kernel_group(base)->started);
    return group_start(base, why);
}

/* Stops a group of a CPU. If the CPU was switched off since, there is an error, but the counts from before
 * are noted. */
static int stop_of_cpu(struct counter_group *base, struct reason *why)
{
    struct kernel_group *group = kernel_group(base);
    uint64_t count[MAX_COUNTERS];
    int code = group->separate ? separate_stop(base, why) : group_stop(base, why);
    if (likely(witness_is_whole(group)))
        return check_suspended(group, code, why);
    int lost = witness_read_lost(group, count, why);
    if (group->separate)
        return lost;
    if (group->unread)
        group_keep(group, group->spare);
    memcpy(group->last->count, count, sizeof count);
    group->unread = false;
    return lost;
}

/* ---- counters */

static bool needs_witness(const struct kernel_group *group)
{
    const struct group_options *options = &group->base.options;
    return options->whole_cpu ? !group->uncore : options->target != 0 && !options->process;
}

/* Opens what comes before the n-th counter. */
static int open_companions(struct kernel_group *group, const char *root, int n, struct reason *why)
{
    if (n == 1 && group->separate)
        separate_open_reader(group, root);
    return n == 0 && needs_witness(group) ? witness_open(group, root, why) : PAPI_OK;
}

/* Closes what came with the n-th counter and later ones. */
static void close_companions(struct kernel_group *group, int n)
{
    if (n <= 1) {
        sys_close(group->reader);
        group->reader = -1;
    }
    if (n == 0)
        witness_close(group);
}

static void close_from(struct kernel_group *group, int first)
{
    for (int i = group->base.n_counters - 1; i >= first; i--) {
        if (group->overflows.counter[i].ring == NULL)
            sys_unmap(group->page[i], 0);
        group->page[i] = NULL;
        overflows_unmap(&group->overflows.counter[i]);
        sys_close(group->fd[i]);
        group->base.n_counters = i;
    }
    while (group->n_parts > 0 && group->leader[group->n_parts - 1] >= first)
        group->n_parts--;
    close_companions(group, first);
    choose_read(group);
}

/* True if the program may read a mapped counter. On RISC-V the page says it only while the event is on a
 * counter. */
static bool may_read(const struct perf_event_mmap_page *page)
{
#if defined(__riscv)
    long long access = 0;
    (void)page;
    return sysroot_number("", "/proc/sys/kernel/perf_user_access", &access) == 0 && access == 1;
#else
    return page->cap_user_rdpmc;
#endif
}

/* The page for reads in user space; of a counter that overflows its buffer has it. */
static struct perf_event_mmap_page *map_page(struct kernel_group *group, int i)
{
    struct perf_event_mmap_page *ring = group->overflows.counter[i].ring, *page = ring;
    if (!user_read_known() || !counts_caller(group) || group->separate ||
        !is_hardware_event(&group->event[i]) || group->overflows.counter[i].precise > 0)
        return NULL;
    if (page == NULL)
        page = sys_map(group->fd[i], 0);
    /* The kernel keeps a mapped page up to date, at a cost for each start and stop. */
    if (page != NULL && !may_read(page)) {
        if (page != ring)
            sys_unmap(page, 0);
        page = NULL;
    }
    return page;
}

static int append(struct kernel_group *group, const char *root, int fd, const struct event_encoding *event,
                  const struct sampling *sampling, struct reason *why)
{
    int i = group->base.n_counters++, part = part_for(group, event), code = PAPI_OK;
    group->fd[i] = fd;
    group->event[i] = *event;
    group->page[i] = NULL;
    group->part[i] = part;
    if (part == group->n_parts)
        group->leader[group->n_parts++] = i;
    group->origin[i] = (struct counter_reading){0};
    if (group->reader >= 0) { /* the leader's times are those of all */
        group->origin[i].time_enabled = group->origin[0].time_enabled;
        group->origin[i].time_running = group->origin[0].time_running;
    }
    group->seen[i] = group->reading[0].count[i] = group->reading[1].count[i] = 0;
    group->overflows.counter[i].period = sampling->period;
    group->overflows.counter[i].precise = sampling->precise;
    if (sampling->period != 0) {
        struct perf_event_attr attr;
        describe_event(event, group->base.options.domain, &attr);
        code = overflows_map(&group->overflows.counter[i], root, fd, attr.exclude_kernel, why);
    }
    if (code == PAPI_OK)
        group->page[i] = map_page(group, i);
    choose_read(group);
    return code;
}

/* Lets the group count for a moment: some that the kernel accepts it never schedules, because a
 * watchdog or another user holds a counter. That a counter of a multiplexed one has no turn is not a fault,
 * nor that others have those of one that shares them, or waits for them at its start. */
static int try_group(struct kernel_group *group, struct reason *why)
{
    const struct group_options *options = &group->base.options;
    if (counts_machine(group))
        suspended_note(&group->started);
    int code = group_start(&group->base, why) ?: group->base.ops->stop(&group->base, why);
    memset(group->run, 0, sizeof group->run);
    bool may_have_none = options->multiplex || options->share || options->wait_ns > 0;
    return may_have_none && code == PAPI_ECNFLCT ? PAPI_OK : code;
}

/* The kernel says EINVAL both for an event that it does not know and for a full group. */
static int why_refused(const struct kernel_group *group, const char *root, const struct event_encoding *event,
                       uint64_t period, int code, struct reason *why)
{
    if (code == PAPI_ENOEVNT && event->some_cores && group->base.options.whole_cpu)
        return reason_set(why, PAPI_ENOEVNT, "CPU %d is not of the kind of core that the event's PMU counts",
                          group->base.options.cpu);
    if (group->base.n_counters == 0 || code != PAPI_ENOEVNT)
        return code;
    struct reason alone = {0};
    int fd;
    open_counter(group, root, event, &(struct sampling){.period = period}, -1, &fd, &alone);
    sys_close(fd);
    if (alone.code == PAPI_EINVAL) /* the thread has ended */
        return reason_set(why, PAPI_EINVAL, "%s", alone.text);
    if (alone.code != PAPI_OK)
        return code;
    return reason_set(
        why, PAPI_ECNFLCT,
        "the processor counts the event alone, but not together with the %d that the event set has "
        "(PAPI_set_multiplex lets them take turns)",
        group->base.n_counters);
}

static int no_counter_left(const char *root, int n, struct reason *why)
{
    reason_set(
        why, PAPI_ECNFLCT,
        "the %d counters that the event set has are all that the kernel can give it: the processor has "
        "no more, or others hold them (PAPI_set_multiplex lets events take turns)",
        n);
    holders_add(root, why);
    return PAPI_ECNFLCT;
}

/* A counter takes another one beside it until its thread ends. One that is inherited may be with a process
 * that the thread has started, as the kernel exchanges the counters of both when it goes from one to the
 * other: then the number decides. */
static bool target_ended(const struct counter_group *base, const char *root)
{
    const struct kernel_group *group = kernel_group(base);
    if (base->options.target == 0 || base->n_counters == 0)
        return false;
    int beside = group->witness[0] >= 0 ? group->witness[0] : group->fd[0];
    if (sys_try(root, &base->options, beside, NULL) != PAPI_EINVAL)
        return false;
    return !base->options.inherit || sys_try(root, &base->options, -1, NULL) == PAPI_EINVAL;
}

/* ---- overflows */

/* Opened alone, since the kernel says the same of a full group. */
static int try_period(const struct kernel_group *group, const char *root, const struct event_encoding *event,
                      uint64_t period, struct reason *why)
{
    int fd;
    int code = open_counter(group, root, event, &(struct sampling){.period = period}, -1, &fd, why);
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

/* Checks if an event may overflow: only to the thread that counts. */
static int may_overflow(const struct kernel_group *group, const struct event_encoding *event, uint64_t period,
                        struct reason *why)
{
    if (period == 0)
        return PAPI_OK;
    if (group->separate)
        return reason_set(why, PAPI_ENOSUPP, "%s event sets deliver no overflows", separate_name(group));
    if (counts_caller(group))
        return overflows_allow(event, period, why);
    return reason_set(
        why, PAPI_ENOSUPP,
        "overflows are delivered to the thread that counts: not from an event set that is attached "
        "to another thread or to a CPU");
}

/* The kernel's times do not tell waiting for a counter from being on cores of another kind. */
static int may_be_of_some_cores(const struct kernel_group *group, const struct event_encoding *event,
                                struct reason *why)
{
    if (!group->separate || !event->some_cores)
        return PAPI_OK;
    if (group->base.options.process && !group->base.options.multiplex)
        return reason_set(why, PAPI_ECNFLCT,
                          "a whole process is not counted by events of one kind of a hybrid processor's "
                          "cores: what they missed could not be told; with PAPI_PROCESS_THREADS "
                          "(papi_command_line --threads) each of its threads is");
    return reason_set(why, PAPI_ECNFLCT,
                      "%s event sets hold no events of one kind of a hybrid processor's cores: what they "
                      "missed could not be told",
                      separate_name(group));
}

static int group_add(struct counter_group *base, const char *root, const struct event_encoding *event,
                     uint64_t period, struct reason *why)
{
    struct kernel_group *group = kernel_group(base);
    int n = base->n_counters, part = part_for(group, event), fd;
    struct sampling sampling = {.period = period};
    int leader = part == group->n_parts ? -1 : group->fd[group->leader[part]];
    int code = may_overflow(group, event, period, why) ?: may_be_of_some_cores(group, event, why);
    if (code != PAPI_OK)
        return code;
    if (n == 0 && base->options.inherit)
        group_note_opened(group);
    code =
        open_companions(group, root, n, why) ?: open_counter(group, root, event, &sampling, leader, &fd, why);
    if (code != PAPI_OK)
        close_companions(group, n);
    if (code != PAPI_OK)
        code = why_refused(group, root, event, period, code, why);
    if (code == PAPI_ENOEVNT && period != 0)
        return why_no_overflow(group, root, event, period, why);
    if (code != PAPI_OK)
        return code;
    code = append(group, root, fd, event, &sampling, why) ?: try_group(group, why);
    if (code == PAPI_OK)
        return PAPI_OK;
    close_from(group, n);
    if (n > 0)
        try_group(group, NULL); /* out of its error state, and its counts up to date */
    if (code != PAPI_ECNFLCT)
        return code;
    return n > 0 ? no_counter_left(root, n, why) : holders_reason(root, why);
}

void group_drop_last(struct counter_group *base)
{
    close_from(kernel_group(base), base->n_counters - 1);
}

static void group_pause(struct counter_group *base, bool paused)
{
    group_switch(kernel_group(base), paused ? sys_disable : sys_enable, NULL);
}

bool group_reads_in_user_space(const struct counter_group *base)
{
    return base->read == read_in_user_space;
}

static void group_silence(const struct counter_group *base)
{
    group_switch(kernel_group(base), sys_disable, NULL);
}

/* The kernel starts the counters of a thread that has ended without a word. */
static int start_elsewhere(struct counter_group *base, struct reason *why)
{
    if (!target_ended(base, ""))
        return group_start(base, why);
    return reason_set(
        why, PAPI_ECLOST,
        "thread %d, to which the event set is attached, has ended; PAPI_detach, or attach the set to "
        "another",
        base->options.target);
}

/* True if the target has not ended and is not about to, and is not another one of its number. */
static bool target_goes_on(const struct group_options *options)
{
    struct task_stat now;
    return task_stat_of(options->target, &now) == 0 && !task_state_is_end(now.state) && !now.exits &&
           now.begin == options->begin;
}

/* The kernel takes the counters of a thread that executes a program with other rights, which goes on. */
static int stop_elsewhere(struct counter_group *base, struct reason *why)
{
    int code = group_stop(base, why);
    if (code != PAPI_OK || !target_ended(base, "") || !target_goes_on(&base->options))
        return code;
    return reason_set(why, PAPI_ECLOST,
                      "thread %d has executed a program with other rights (setuid), or one that its user may "
                      "not read, of which the kernel counts nothing: what is shown was counted before; "
                      "PAPI_attach_process with PAPI_PROCESS_THREADS counts such a program, too",
                      base->options.target);
}

/* The pages are not the child's: the kernel does not copy their mappings. */
static void group_abandon(struct counter_group *base)
{
    struct kernel_group *group = kernel_group(base);
    for (int i = 0; i < base->n_counters; i++)
        sys_close(group->fd[i]);
    close_companions(group, 0);
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

/* Signals are blocked meanwhile: a handler may stop the set. */
static void group_renew(struct counter_group *base, const uint64_t *least)
{
    sigset_t before;
    if (!base->options.share)
        return;
    signals_block(&before);
    separate_renew(kernel_group(base), least);
    signals_restore(&before);
}

static int group_times(struct counter_group *base, bool stopped, struct counted_time *time,
                       struct reason *why)
{
    return kernel_group(base)->separate ? separate_times(kernel_group(base), stopped, time, why) : PAPI_OK;
}

#define EVERY_GROUP                                                                                          \
    .add = group_add, .silence = group_silence, .destroy = group_destroy, .abandon = group_abandon,          \
    .target_ended = target_ended, .renew = group_renew, .times = group_times,                                \
    .obtainable = group_obtainable, .held = holders_reason, .heirs = group_heirs

static const struct group_ops own_thread = {
    EVERY_GROUP,
    .start = group_start,
    .stop = group_stop,
    .arm_overflows = overflows_arm,
    .take_overflow = overflows_take,
    .overflows_written = overflows_written,
    .pause = group_pause,
    .may_not_end = overflows_may_not_end,
    .precision = overflows_precision,
    .check_overflows = overflows_check,
};

static const struct group_ops elsewhere = {EVERY_GROUP, .start = start_elsewhere, .stop = stop_elsewhere};

static const struct group_ops of_cpu = {EVERY_GROUP, .start = start_of_cpu, .stop = stop_of_cpu};

static const struct group_ops separate = {EVERY_GROUP, .start = start_elsewhere, .stop = separate_stop};

/* Members of a process's group, whose other threads count on: one whose thread has ended is started as well.
 */
static const struct group_ops of_process = {EVERY_GROUP, .start = group_start, .stop = group_stop};

static const struct group_ops of_process_separate = {EVERY_GROUP, .start = group_start,
                                                     .stop = separate_stop};

struct counter_group *group_create(const struct group_options *options, bool uncore)
{
    struct kernel_group *group = calloc(1, sizeof *group);
    if (group == NULL)
        return NULL;
    group->base.options = *options;
    group->uncore = uncore;
    group->separate = uncore || options->multiplex || options->inherit || options->share;
    group->witness[0] = group->witness[1] = group->reader = -1;
    group->base.ops = counts_machine(group)  ? &of_cpu
                      : options->process     ? group->separate ? &of_process_separate : &of_process
                      : group->separate      ? &separate
                      : counts_caller(group) ? &own_thread
                                             : &elsewhere;
    group->last = &group->reading[0];
    group->spare = &group->reading[1];
    group->base.stopped = group->last->count;
    choose_read(group);
    return &group->base;
}

/* ---- the witness of a CPU or a thread */

/* Opens a member of the witness, which is switched off: to read it, the kernel need not ask the other CPU. It
 * is inherited where the set's counters are: beside one that is not, the kernel would not exchange them. */
static int open_dummy(const struct kernel_group *group, const char *root, int leader, int *fd,
                      struct reason *why)
{
    const struct event_encoding nothing = {.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY};
    struct perf_event_attr attr;
    describe_event(&nothing, group->base.options.domain, &attr);
    attr.disabled = 1;
    if (!group->base.options.whole_cpu) {
        attr.inherit = group->base.options.inherit;
        attr.read_format = 0; /* nobody reads it, and old kernels refuse readings of inherited groups */
    }
    return sys_open(root, &group->base.options, &attr, leader, fd, why);
}

int witness_open(struct kernel_group *group, const char *root, struct reason *why)
{
    int code = open_dummy(group, root, -1, &group->witness[0], why);
    if (code == PAPI_OK && group->base.options.whole_cpu)
        code = open_dummy(group, root, group->witness[0], &group->witness[1], why);
    if (code != PAPI_OK)
        witness_close(group);
    return code;
}

void witness_close(struct kernel_group *group)
{
    sys_close(group->witness[1]);
    sys_close(group->witness[0]);
    group->witness[0] = group->witness[1] = -1;
}

bool witness_is_whole(const struct kernel_group *group)
{
    struct group_reading reading;
    return group->witness[1] < 0 ||
           sys_read(group->witness[0], 2, &reading, NULL) != PAPI_ECNFLCT; /* fewer than two */
}

int witness_read_lost(const struct kernel_group *group, uint64_t *count, struct reason *why)
{
    for (int i = 0; i < group->base.n_counters; i++)
        if (sys_read_alone(group->fd[i], &count[i]) != PAPI_OK)
            count[i] = group->base.stopped[i];
    const struct group_options *options = &group->base.options;
    return reason_set(why, PAPI_ECLOST,
                      "CPU %d was switched off while the event set %s: what is shown was counted before; %s",
                      options->cpu, options->cgroup != 0 ? "counted on it" : "was attached to it",
                      options->cgroup != 0 ? "PAPI_attach_cgroup once more"
                                           : "PAPI_CPU_ATTACH once more, or to another CPU");
}
