/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Time for which a device was busy, from the begin and end of what ran on it: records that come in any order,
 * overlap, and some time after the fact. Times are in nanoseconds of one clock. */

enum busy_kind { BUSY_KERNEL, BUSY_COPY, BUSY_KINDS };

/* Each moment is counted once, however much runs at a time: kernel has the time in which a kernel ran, copy
 * that in which something was copied or set, and no kernel ran. */
struct busy_time {
    uint64_t kernel, copy;
};

struct busy_span {
    uint64_t begin, end;
    enum busy_kind kind;
};

/* A moment at which somebody wants to know the time so far: the begin of a region, or its end. */
struct busy_mark {
    uint64_t at;
    uint64_t of; /* the caller's */
};

/* Begins as zeroes. */
struct busy {
    struct busy_span *span; /* those that are not settled, or whose end is not */
    int n_spans;
    struct busy_mark *mark;
    int n_marks;
    uint64_t until; /* all before this moment is settled ... */
    struct busy_time so_far;
    uint64_t late_ns; /* ... and what came for a time before it is missing: at most this */
    uint64_t backward;
};

/* Adds a record. One that ends before it begins is counted in backward, and not used. False: no memory, and
 * nothing is changed. */
bool busy_add(struct busy *busy, enum busy_kind kind, uint64_t begin, uint64_t end);

/* Asks for the time until a moment, of which busy_settle tells. False: no memory. */
bool busy_mark(struct busy *busy, uint64_t at, uint64_t of);

/* Settles all before a moment, for which no more records will come. tell gets each mark up to there with the
 * time since the begin, in the order of time; for one before an earlier settlement that is the time then.
 * False: no memory, and nothing is changed. */
bool busy_settle(struct busy *busy, uint64_t until,
                 void (*tell)(void *to, uint64_t of, struct busy_time time), void *to);

void busy_free(struct busy *busy);
