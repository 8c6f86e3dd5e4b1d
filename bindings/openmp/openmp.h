/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "counts.h"
#include "places.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* libpapi_openmp.so: what the threads of OpenMP's parallel regions do, in a program that is not changed. The
 * runtime tells it, by OpenMP's interface for tools (ompt_calls.c), or it stands in front of libgomp
 * (gomp_calls.c); team.c makes time and counts of that, and report.c prints them at the end of the process.
 */

enum { MOST_DEPTH = 8, RUNTIME_NAME = 80 };

/* One execution of a region. It outlives the region, as threads may learn late that it has ended: a new
 * generation begins then, and what still comes from the earlier one is passed over. */
struct team {
    struct team *next; /* of the thread's own that are free */
    struct place *region;
    uint32_t process; /* openmp.process */
    uint64_t begin;
    bool nested;
    _Atomic uint32_t generation;
    _Atomic uint64_t longest; /* of its threads: nanoseconds at work */
    _Atomic uint64_t ended;   /* the sum of when its threads ended their last work, from its begin on */
    _Atomic uint64_t last;    /* and the latest of these moments */
    _Atomic int threads;      /* as the runtime said */
};

/* A thread's part in a team. */
struct frame {
    struct team *team;
    uint32_t generation;
    struct place *region;
    struct slot *slot;
    uint64_t work;    /* nanoseconds so far */
    uint64_t ended;   /* its last work, from the begin of the execution on */
    bool waits;       /* its own task does */
    struct place *at; /* and where */
};

/* A thread's own object. */
struct openmp_thread {
    int depth;        /* regions that it is in */
    int too_deep;     /* and those for which there is no frame */
    uint32_t process; /* openmp.process: another one is that of the parent before a fork */
    struct frame frame[MOST_DEPTH];
    bool works;               /* at something that is counted */
    uint64_t since;           /* when it began to work, or to wait */
    struct place *at;         /* where it waits; NULL: not told */
    struct place *at_of_task; /* where a task waits that turned to another one */
    uint64_t lock_since;
    struct thread_counts counts;
    uint64_t prepared, preparing; /* when its counters were there, 0: long ago; and how long that took */
    int64_t at_begin[MOST_COUNTS];
    struct team *free;
};

/* The library's one object. */
struct openmp {
    pthread_mutex_t lock; /* for places that are made, and the plan of counts */
    _Atomic uint32_t process;
    bool active; /* false: a program with more rights than its caller */
    uint64_t begin;
    pthread_t first;
    struct places places;
    struct counts_plan plan;
    char runtime[RUNTIME_NAME]; /* of OMPT; "": it has not called */
    uint32_t missing;           /* callbacks that it never makes, a bit each */
    _Atomic int gomp;           /* libgomp was called */
    _Atomic int threads;        /* that took part in any region */
    _Atomic int other_masters;  /* 1: other threads than the first began regions that are in no other */
    _Atomic int open;           /* executions that have begun and not ended */
    _Atomic uint64_t deep;      /* parts of threads in regions that are nested too deeply */
    _Atomic uint64_t outermost; /* nanoseconds of the regions that are in no other */
    _Atomic uint64_t outside;   /* nanoseconds that the first thread took for that outside of regions */
    _Atomic uint64_t samples;   /* how often threads looked at the clock and their counters */
    _Atomic uint64_t sample;    /* the nanoseconds that one takes */
};
extern struct openmp openmp;

/* The calling thread's object. */
struct openmp_thread *openmp_thread(void);
