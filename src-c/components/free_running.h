/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "components/component.h"
#include <stdatomic.h>
#include <stddef.h>

/* The shared part of groups whose numbers change all the time, whether they are started or not: a start notes
 * them, and read takes that away. A component embeds this at the head of its own structure. */
struct free_running_group {
    struct counter_group base;
    uint64_t hidden[MAX_COUNTERS];     /* counts while the group was stopped, for read */
    uint64_t reading[2][MAX_COUNTERS]; /* when the group was last stopped, and the time before */
    int n_held;                        /* events, also where a fork has made the group another process's */
    const struct component_event *event[MAX_COUNTERS]; /* that are held: of a component which lists them */
};

/* Creates a group of a component's own size, all zero but for what is given here; NULL: out of memory. */
struct counter_group *
free_running_create(size_t size, const struct group_options *options, const struct group_ops *ops,
                    int (*read)(struct counter_group *, const uint64_t *, uint64_t *, struct reason *));

/* Complete a group after its last counter was added. now: what a level shows. free_running_hold: the counter
 * is that of an event, which is held. */
void free_running_added(struct counter_group *group, bool level, uint64_t now);
void free_running_hold(struct counter_group *group, const struct component_event *event, uint64_t now);

/* Fills origin with what a reading must subtract: the counts from before the start and the bases. It is noted
 * before the reading, because a handler that comes in between may stop the group and start it. Only for
 * values that are not real numbers. */
static inline void free_running_origin(const struct counter_group *base, const uint64_t *from,
                                       uint64_t *origin)
{
    const struct free_running_group *group = (const struct free_running_group *)base;
    for (int i = 0; i < base->n_counters; i++)
        origin[i] = group->hidden[i] + from[i];
    atomic_signal_fence(memory_order_seq_cst);
}

/* Functions for struct group_ops. Nothing is switched on that could be silenced, nor open that a child would
 * close. */
int free_running_start(struct counter_group *group, struct reason *why);
int free_running_stop(struct counter_group *group, struct reason *why);
void free_running_keep(struct counter_group *group, int counter, uint64_t value);
void free_running_abandon(struct counter_group *group);
void free_running_destroy(struct counter_group *group);

/* Shared functions of components whose numbers are asked of a function: of a device's library, of this
 * process, of a daemon. The numbers change all the time, whether a group is started or not. One that shrinks
 * began anew, and nobody knows how much it had counted by then: until the group is started again, it shows
 * what it did before that, with PAPI_ECLOST. */

struct function_source {
    /* The event's number now. */
    int (*ask)(const struct component_event *event, uint64_t *now, struct reason *why);

    /* The same for all events of a group at once, while signals are held. NULL: they are asked for one by
     * one, and real ones are levels. */
    int (*ask_all)(const struct component_event *const *event, int n, uint64_t *now, struct reason *why);

    /* A number that is another one after what may have begun all of the group's counters anew. NULL: that is
     * seen by their numbers alone. */
    unsigned (*breaches)(const struct component_event *event);

    /* True if a counter has 32 bits: it began at 0 again where it grew by less than half of its range that
     * way. NULL: all have 64. */
    bool (*is_narrow)(const struct component_event *event);

    /* Sets the number of an event that is writable. NULL: none is. */
    int (*set)(const struct component_event *event, long long value, struct reason *why);

    /* The ends of sentences, behind an event's name: on one that cannot be set, and on one that began anew.
     * NULL: the usual ones. */
    const char *no_set, *begun_anew;
};

/* Functions for the component's create and try_event. */
struct counter_group *function_create(const struct group_options *options,
                                      const struct function_source *source);
int function_try(const struct function_source *source, const struct event_encoding *event,
                 struct reason *why);
