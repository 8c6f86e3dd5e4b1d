/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "activity/level_zero_tracing.h"

/* Work of Intel's devices that has been appended to lists of commands, until it is seen to end: the events by
 * which that is seen, and their times. All of it under the lock of struct level_zero, and outside of calls
 * that are traced. */

/* Work that was appended to a list. */
struct lz_entry {
    struct lz_list of; /* the list, as it was */
    void *event;
    bool own; /* the event is this library's */
    enum device_work_kind kind;
    uint64_t bytes, launch, submitted; /* submitted: when; 0: its list is not executed yet */
    char *name;                        /* of a kernel; NULL */
};

static inline const struct lz_tracing_functions *lz_call(void)
{
    return &level_zero()->call;
}

/* An event of this library's that is not signalled; NULL: there is none. */
void *lz_spare_event(void *context);

/* Takes the event of an entry that is dropped, if it is this library's, for others. */
void lz_give_back(const struct lz_entry *entry);

/* Destroys what this library has in a context. */
void lz_destroy_own(void *context);

/* Entries that are meant, by the handle of an event, a list or a context. */
enum lz_those { LZ_ALL, LZ_OF_EVENT, LZ_OF_LIST, LZ_OF_CONTEXT };

/* Takes what has ended of those that are meant. Work of an immediate list is done once; that of another is
 * there until the list is reset, as it may run again. */
void lz_take_those(enum lz_those those, const void *handle);

/* The same, where no more will be known of them: what was submitted and has not ended is counted. */
void lz_end_those(enum lz_those those, const void *handle);

/* Notes that the work of a list begins, perhaps once more. */
void lz_submit(const void *list);
