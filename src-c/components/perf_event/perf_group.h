/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "components/component.h"
#include "components/perf_event/samples.h"
#include "components/perf_event/sys.h"
#include <linux/perf_event.h>

/* The counters of an event set, in one of the kernel's groups or in several: its parts. The kernel takes the
 * PMUs of different core types into no group together, and a group is on the counters only while the thread
 * is on cores of its kind: each PMU has a part of its own, and what counts on all cores has one. Together
 * they miss nothing. They are pinned and read at once, or separate (separate.h). */
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
    int witness[2]; /* of a CPU (witness.h); -1: there is none */
    bool unread;    /* the last stop did not get the counts: they are ahead of what is known */
    /* When the group was last stopped or noted, and the time before: the reader's base is often there, so
     * it is left alone until the next stop. */
    struct group_reading *last, *spare;
    struct group_reading reading[2];
    uint64_t time_enabled, time_running;         /* when the kernel last said so, at a stop */
    struct counter_reading origin[MAX_COUNTERS]; /* separate: where the counters were when last stopped */
    uint64_t seen[MAX_COUNTERS];                 /* separate: the largest count that a read gave since then */
    unsigned stops;                              /* separate: how many have begun */
    struct overflows overflows;
};

static inline struct kernel_group *kernel_group(const struct counter_group *group)
{
    return (struct kernel_group *)group;
}

/* An empty group; separate where the options need it. uncore: of PMUs outside the cores. */
struct counter_group *group_create(const struct group_options *options, bool uncore);

/* Turns all parts on or off (sys_enable, sys_disable). All are tried; the code of the first that fails. */
int group_switch(const struct kernel_group *group, int (*do_switch)(int, struct reason *),
                 struct reason *why);

/* What was counted is known now: of the group's spare reading, which a read has filled. */
static inline void group_keep(struct kernel_group *group, struct group_reading *now)
{
    group->spare = group->last;
    group->last = now;
    group->base.stopped = now->count;
}

/* PAPI_ECNFLCT: no counter was there for it. */
int group_never_scheduled(struct reason *why) __attribute__((cold));

/* Whether a read of the running group needs no system call. */
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
