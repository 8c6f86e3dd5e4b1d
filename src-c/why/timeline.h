/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

/* Records what threads did from the start of a run to its end, in pieces of the same length, however long it
 * is. */

enum { TIMELINE_PIECES = 96, TIMELINE_THREADS = 64 };

/* A thread as it was found when it was looked at: totals since its start. */
struct timeline_found {
    pid_t id;
    bool waits;        /* for something else than a processor */
    long user, system; /* ticks */
    double ran, delay; /* seconds on a processor, and of those that it wanted and others had */
};

struct timeline_piece {
    float looks, waits, user, system, ran, delay;
};

struct timeline_thread {
    struct timeline_found last;
    struct timeline_piece piece[TIMELINE_PIECES];
};

struct timeline {
    double begin, length;           /* length: of a piece, in seconds; 0: nothing was looked at yet */
    int at;                         /* the piece of the latest look */
    struct timeline_thread *thread; /* in the order in which they appeared */
    int n, left_out;                /* left_out: threads behind the first TIMELINE_THREADS that were found */
    pid_t *others;
};

/* Parts of a piece, or of all, that sum up to 1. looks 0: the thread was not there. */
struct timeline_shares {
    double looks, computing, kernel, processor, waiting; /* processor: wanted one, and others had it */
};

/* Begins a look, at seconds of any clock. */
void timeline_look(struct timeline *timeline, double now);

/* Adds a thread that was found in it. */
void timeline_note(struct timeline *timeline, const struct timeline_found *found);

/* The parts of one piece of a thread's time; piece -1: of all of it. */
struct timeline_shares timeline_shares(const struct timeline_thread *thread, int piece);

/* Releases what was noted. */
void timeline_free(struct timeline *timeline);
