/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "dependence.h"
#include "profile/call_tree.h"
#include "profile/objects.h"

/* Loops in which something happened: found in the program's code around the addresses that were sampled or
 * counted, each with what its turns do. */

/* Places that stand for something in a turn; PROFILE_NONE: it has none. */
enum loop_place {
    PLACE_HOTTEST,
    PLACE_CHAIN,
    PLACE_DIVIDE,
    PLACE_ROOT,
    PLACE_CONVERT,
    PLACE_INTEGER_DIVIDE,
    PLACE_INDIRECT,
    PLACE_FAR,
    PLACE_STRIDE,
    PLACE_BRANCH,
    PLACE_CALL,
    PLACE_LOCKED,
    PLACE_STORE,
    PLACE_UNDECIDED,
    LOOP_PLACES
};

struct loop {
    int32_t object;
    uint64_t start, end;   /* of its code: addresses that the file gives, end is behind it */
    bool is_loop;          /* false: what a routine has outside of loops */
    bool innermost, known; /* known: turn is filled in */
    bool optimised;        /* as far as the debug information says: the compiler was asked to */
    uint64_t value[PROFILE_EVENTS];
    uint64_t turns; /* where they were counted; 0: not known */
    /* The branch that goes the other way most often: how often that was, where it was counted. */
    uint64_t undecided;
    int32_t place[LOOP_PLACES];
    struct turn turn;
};

struct hot;

#ifdef PAPI_WITH_CAPSTONE

struct hot *hot_open(struct profile *profile, struct objects *objects);

/* Adds an amount of an event of the profile to an address. object  PROFILE_NONE is taken, and left out. */
void hot_count(struct hot *hot, int object, uint64_t offset, int event, uint64_t amount);

/* The same of a branch that was counted: how often it was taken, and was not. */
void hot_branch(struct hot *hot, int object, uint64_t offset, uint64_t taken, uint64_t not_taken);

/* Adds to how often an instruction ran, where that was counted. */
void hot_run(struct hot *hot, int object, uint64_t offset, uint64_t runs);

/* Makes profile->loop and profile->listing of what was counted, most of the first event first, and ends. */
void hot_close(struct hot *hot);

#else /* nothing that decodes instructions was there when this was built: no loops are known */

static inline struct hot *hot_open(struct profile *profile, struct objects *objects)
{
    (void)profile, (void)objects;
    return NULL;
}

static inline void hot_count(struct hot *hot, int object, uint64_t offset, int event, uint64_t amount)
{
    (void)hot, (void)object, (void)offset, (void)event, (void)amount;
}

static inline void hot_branch(struct hot *hot, int object, uint64_t offset, uint64_t taken,
                              uint64_t not_taken)
{
    (void)hot, (void)object, (void)offset, (void)taken, (void)not_taken;
}

static inline void hot_run(struct hot *hot, int object, uint64_t offset, uint64_t runs)
{
    (void)hot, (void)object, (void)offset, (void)runs;
}

static inline void hot_close(struct hot *hot)
{
    (void)hot;
}

#endif
