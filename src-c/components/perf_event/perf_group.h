/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/likely.h"
#include "base/suspended.h"
#include "base/wide.h"
#include "components/component.h"
#include "components/perf_event/samples.h"
#include "components/perf_event/sys.h"

#include <linux/perf_event.h>
#include <stdatomic.h>
#include <string.h>

/* The counters of an event set, in one of the kernel's groups or in several: its parts. The kernel takes the
 * PMUs of different core types into no group together, and a group is on the counters only while the thread
 * is on cores of its kind: each PMU has a part of its own, and what counts on all cores has one. Together
 * they miss nothing. They are pinned and read at once, or separate (separate_events.c). */
struct kernel_group {
    struct counter_group base;
    int fd[MAX_COUNTERS];
    int part[MAX_COUNTERS];   /* that a counter is in */
    int leader[MAX_COUNTERS]; /* of a part: the counter that came first */
    int n_parts;
    bool in_parts;         /* not one part that counts on all cores, which is led by the first counter */
    bool separate, uncore; /* uncore: of PMUs outside the cores */
    struct perf_event_mmap_page *page[MAX_COUNTERS + 1]; /* NULL after the last counter */
    struct event_encoding event[MAX_COUNTERS];
    int witness[2]; /* of a CPU, or of a thread: one (below); -1: there is none */
    int reader;     /* separate: the counter by which all are read at once; -1: there is none */
    bool unread;    /* the last stop did not get the counts: they are ahead of what is known */
    /* Readings of when the group was last stopped or noted, and of the time before: the reader's base is
     * often there, so it is left alone until the next stop. */
    struct group_reading *last, *spare;
    struct group_reading reading[2];
    uint64_t time_enabled, time_running;         /* when the kernel last said so, at a stop */
    struct counter_reading origin[MAX_COUNTERS]; /* separate: where the counters were when last stopped */
    uint64_t seen[MAX_COUNTERS];                 /* separate: the least count that the next read gives */
    struct counter_reading run[MAX_COUNTERS];    /* separate: of the last run */
    unsigned stops;                              /* separate: how many have begun */
    struct overflows overflows;
    struct suspended started; /* of a CPU, or outside the cores */
    /* Inherited: when the first counter was opened, in ticks since the machine's start, and the number of the
     * newest thread then. */
    unsigned long long opened;
    int newest;
};

static inline struct kernel_group *kernel_group(const struct counter_group *group)
{
    return (struct kernel_group *)group;
}

/* An empty group; separate where the options need it. uncore: of PMUs outside the cores. */
struct counter_group *group_create(const struct group_options *options, bool uncore);

/* Takes back the counter that was added last, to a group that is stopped. */
void group_drop_last(struct counter_group *group);

/* Turns all parts on or off (sys_enable, sys_disable). All are tried; the code of the first that fails. */
int group_switch(const struct kernel_group *group, int (*do_switch)(int, struct reason *),
                 struct reason *why);

/* Makes the group's spare reading, which a read has filled, its last one. */
static inline void group_keep(struct kernel_group *group, struct group_reading *now)
{
    group->spare = group->last;
    group->last = now;
    group->base.stopped = now->count;
}

/* Copies the base of a group's n counts, from which on they are shown. A signal's handler may move it
 * meanwhile: it is copied until two copies are alike, before the counters are read. */
static inline void group_take_base(const uint64_t *from, int n, uint64_t *origin)
{
    size_t size = (size_t)n * sizeof *origin;
    do {
        memcpy(origin, from, size);
        atomic_signal_fence(memory_order_seq_cst);
    } while (unlikely(memcmp(origin, from, size) != 0));
    atomic_signal_fence(memory_order_seq_cst);
}

/* Tells whether the counters of a group could be had now where it counts, as the group's operation. */
int group_obtainable(struct counter_group *group, const char *root);

/* Notes that the first counter is about to be opened. */
void group_note_opened(struct kernel_group *group);

/* Tells whether something lives that has inherited the group's counters, as the group's operation. */
int group_heirs(const struct counter_group *group, const char *root, struct reason *why);

/* Returns PAPI_ECNFLCT with the reason that an event never had a counter. */
int group_never_scheduled(struct reason *why) __attribute__((cold));

/* True if a read of the running group needs no system call. */
bool group_reads_in_user_space(const struct counter_group *group);

/* The kernel's description of an event in a domain. */
void describe_event(const struct event_encoding *event, int domain, struct perf_event_attr *attr);

/* An event of the processor, not of the kernel's software; and one that the kernel has for whatever the
 * processor is. */
bool is_hardware_event(const struct event_encoding *event);
static inline bool is_generic_event(const struct event_encoding *event)
{
    return event->type == PERF_TYPE_HARDWARE || event->type == PERF_TYPE_HW_CACHE;
}

/* ---- the witness of a CPU or a thread */

/* The counters of a CPU that is switched off stop for good, and a reading shows what they had counted, as if
 * nothing had been missed; switched on again, the CPU does not take them back. Only a group's members that
 * are no longer together tell, because then a reading gives fewer. So each set that is attached to a CPU has
 * two members more, in a group of their own that counts nothing: its witness. It is not made of the set's own
 * counters: where the kernel has moved their leader (to the processor's PMU, from a software event), it takes
 * the leader off first, and a reading has zeroes for the others.
 *
 * That a thread has ended is told by opening one more counter beside one of its own. If any thread of this
 * process forks just then, the child keeps the new counter, closed here, until its exec or end. Beside the
 * set's own counters it would be one of their group for so long, and no reading of the group would have room
 * for it. So a set that is attached to a thread has a counter of nothing there, alone: its witness. */

/* A machine that is suspended to memory switches its CPUs off and on as well, but for one, and what counts
 * on that one or outside the cores loses its state without a word: the kernel takes what a counter shows then
 * for how far it has come. Threads are stopped before, and their counters saved. So whatever the witness
 * says, the machine's clocks tell, too. */

/* Opens the witness, before the set's first counter, and closes it, after the last. */
int witness_open(struct kernel_group *group, const char *root, struct reason *why);
void witness_close(struct kernel_group *group);

/* True if what was read before was still counted, of a CPU, or if there is no witness. */
bool witness_is_whole(const struct kernel_group *group);

/* Reads the counts of counters that are on no CPU any more, one by one. Returns PAPI_ECLOST, with why there
 * are no more. */
int witness_read_lost(const struct kernel_group *group, uint64_t *count, struct reason *why)
    __attribute__((cold));

/* ---- separate_events.c */

/* Counters that are read each by itself, for what a read of a whole group cannot serve:
 * multiplexed, where each is a kernel group of its own and its count is scaled by the time that it was on
 * a counter; sharing, one kernel group whose counts are scaled like that; PMUs outside the cores (uncore.c),
 * of which one kernel group takes those of one alone; and inherited, one kernel group, which is read
 * at once where the kernel can do that for the children too. They are not pinned: the kernel tells by the
 * times what a counter missed, in the children too. Counts that have missed nothing are exact. */

int separate_read(struct counter_group *group, const uint64_t *from, uint64_t *value, struct reason *why);
int separate_stop(struct counter_group *group, struct reason *why);

/* Nanoseconds without which there is no estimate for a set that shares its counters: it is on them or off in
 * the kernel, where some microseconds of each change are counted for. */
enum { LEAST_COUNTED = 100000 };

/* True if a run tells how much would have been counted all the time. */
static inline bool run_tells(const struct counter_reading *run, bool share)
{
    return run->time_running >= run->time_enabled || run->time_running >= (share ? LEAST_COUNTED : 1);
}

static inline uint64_t run_estimate(const struct counter_reading *run)
{
    return likely(run->time_running >= run->time_enabled)
               ? run->count
               : wide_share(run->count, run->time_enabled, run->time_running);
}

/* Notes the count of a counter that was seen, and gives what it is to show: it never goes back, although a
 * better estimate may be smaller; that of a set that shares its counters does. A handler may see more
 * meanwhile. */
static inline uint64_t note_seen(uint64_t *place, bool share, uint64_t count)
{
    if (share) {
        *place = count;
        return count;
    }
    uint64_t seen = *place;
    while (count > seen &&
           !__atomic_compare_exchange_n(place, &seen, count, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
    return count < seen ? seen : count;
}

/* Gives each counter's count in the run that goes on, and how long it was to. */
int separate_runs(const struct kernel_group *group, struct counter_reading *run, struct reason *why);

/* The same of any separate group: PAPI_ECLOST, with the runs, where a CPU's are lost. */
int group_counted(const struct kernel_group *group, struct counter_reading *run, struct reason *why);

/* The times of the counters, as the group's operation. */
int separate_times(const struct kernel_group *group, bool stopped, struct counted_time *time,
                   struct reason *why);

/* Has the counts of a group that shares its counters be scaled from now on by what is missed from now on. */
void separate_renew(struct kernel_group *group, const uint64_t *least);

/* Opens the reader of inherited counters, beside the first and before the second. Without it they are read
 * one by one. */
void separate_open_reader(struct kernel_group *group, const char *root);

/* True if the kernel fails a reading of a group in which a child's counters are not the same. */
bool separate_kernel_compares(void);

/* Leaves out of the next run what was counted since the last stop, which failed. */
int separate_begin_anew(struct kernel_group *group, struct reason *why);

/* Whose event sets they are, for messages. */
const char *separate_name(const struct kernel_group *group);

/* ---- what components share */

/* Members shared by components that count the cores' events for threads. */
#define THREADS_MEMBERS                                                                                      \
    .default_domain = PAPI_DOM_USER,                                                                         \
    .available_domains = PAPI_DOM_USER | PAPI_DOM_KERNEL | PAPI_DOM_SUPERVISOR, .attach = true,              \
    .inherit = true, .cpu = true

/* Options for counts that the cores of a package have in common: of no thread and in all modes, on the
 * options' CPU or, where it has none, on the event's. */
struct group_options uncore_options(const struct event_encoding *event, const struct group_options *options);
