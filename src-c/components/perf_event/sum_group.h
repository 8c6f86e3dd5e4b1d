/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "components/component.h"

/* A group that is made of other groups, its members, and shows the sums of their counts. Who the members are,
 * and how they come and go, is the affair of whoever embeds it at the head of a structure. */

/* May be at the head of a larger structure. */
struct member {
    struct counter_group *group; /* NULL: it counts no more, or not yet */
    const uint64_t *last;        /* its counts where it has no group; NULL: none */
    /* The number of its counter, from 1, that is a part of each counter of the sum; 0: that is counted
     * elsewhere. NULL: its counters are those of the sum. */
    const unsigned char *part;
};

/* Begins as zeroes. A handler may fork, or read the sum, while it changes. */
struct members {
    int n;
    struct member **member;
};

/* Appends a member with a group, of the size of the structure that it is the head of, whose rest is zeroes.
 * NULL: no memory, and the group is closed. */
struct member *members_append(struct members *members, size_t size, struct counter_group *group);

/* Frees a member that is in no list any more, and its group. */
void member_close(struct member *member);
void members_close(struct members *members);

/* Gives a member's counts: those that it shows, in now, or those of its last stop; NULL: it has none. */
int member_counts(const struct member *member, bool stopped, uint64_t *now, const uint64_t **count,
                  struct reason *why);

/* True for sums of counts that are estimated: with their members together (options.summed). */
static inline bool sum_estimates(const struct group_options *options)
{
    return options->share || (options->multiplex && !options->threads);
}

struct sum_group {
    struct counter_group base;
    struct members members;
    /* Numbers that are added to the members' counts: those of members of before, less what was counted while
     * members were tried. */
    uint64_t offset[MAX_COUNTERS];
    uint64_t count[2][MAX_COUNTERS]; /* of the last stop, and of the one before */
    uint64_t seen[MAX_COUNTERS];     /* of estimates: as of kernel_group */
    unsigned stops;                  /* of estimates: how many have begun */
    bool stopping;                   /* of estimates: some members are, and their runs are not yet counted */
    /* Tells what readings may lack, beside what the members say: PAPI_OK, PAPI_ECLOST. Async-signal-safe.
     * NULL: nothing. */
    int (*check)(struct sum_group *sum, struct reason *why);
};

/* A sum without members, of the size of the structure that it is the head of. NULL: out of memory. */
void *sum_create(size_t size, const struct group_options *options, const struct group_ops *ops,
                 int (*check)(struct sum_group *sum, struct reason *why));

/* Has the sum go on from where it was, with the members that it has now. */
void sum_settle(struct sum_group *sum);

/* Counts a counter more, which begins at 0, and settles. */
void sum_begin_counter(struct sum_group *sum);

/* The group's functions. A sum that is embedded adds to them what is its own. */
int sum_read(struct counter_group *base, const uint64_t *from, uint64_t *value, struct reason *why);
int sum_start(struct counter_group *base, struct reason *why);
int sum_stop(struct counter_group *base, struct reason *why);
int sum_times(struct counter_group *base, bool stopped, struct counted_time *time, struct reason *why);
int sum_obtainable(struct counter_group *base, const char *root); /* obtainable.c */
void sum_renew(struct counter_group *base, const uint64_t *least);
void sum_silence(const struct counter_group *base);
void sum_abandon(struct counter_group *base);
