/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "rank/clock.h"
#include "rank/rank.h"
#include "rank/regions.h"
#include "rank/taken.h"
#include "record/record.h"
#include "record/settings.h"

#include <pthread.h>
#include <signal.h>
#include <time.h>

/* This process as a rank: its record, its counters. No function of this folder calls MPI. */

struct call_ring;
struct device_activity_functions;
struct rank_energy;
struct call_tables;
struct ring_entry;
struct carrier;
struct sampler;
struct probe;

enum { GOMP_PLACES = 28, OPERATIONS = 32, WATCHED_SIGNALS = 12 };

/* The unwinder's functions that sites.c uses, and the addresses of the program's code. */
struct _Unwind_Context;
struct walker {
    uintptr_t low, high;
    void *backtrace; /* NULL: none */
    uintptr_t (*ip)(struct _Unwind_Context *context);
    uintptr_t (*cfa)(struct _Unwind_Context *context);
};

/* For which calls are followed: the critical path (calls/carrier.c), the ring of the last ones
 * (calls/notes.c), received messages (calls/arrivals.c). */
enum follows { FOLLOW_PATH = 1, FOLLOW_RING = 2, FOLLOW_RECEIVED = 4 };

/* The one object of the library. What the rooms above keep in it is opaque here. */
struct papi_mpi {
    _Atomic int counting;       /* calls are counted: from rank_begin to rank_end, but for MPI_Pcontrol(0) */
    enum clock_source clock;    /* of clock_ticks */
    int counts_around;          /* counters_around of the record was ever set */
    uint64_t timeline_next;     /* the end of the bin that calls are in ... */
    uint64_t end_next;          /* ... or 0: the end of each call has more to do, rank_call_ended */
    uint64_t call_cost;         /* ticks of a call that does nothing, in the time of the call */
    uint64_t test_cost;         /* ticks that the wrapper takes between one of several tests and the next */
    int64_t test_inside;        /* those of a call that are in its time, without those that each call has */
    uint64_t look;              /* ticks after which the processor time is looked at: polling.c */
    struct thread_record *main; /* of record; NULL where that is */
    struct call_ring *ring;     /* record/call_ring.h: NULL: the last calls are not kept */
    /* The same where ranks wait for each other in collective calls, and NULL where there is one rank; the
     * other threads' calls need not come in the same order on all ranks. meets_in: MPI_COMM_WORLD, as a
     * number. */
    struct thread_record *meets;
    uintptr_t meets_in;
    struct rank_record *record; /* NULL before rank_begin and after rank_done, and in a child of fork */
    struct settings settings;
    struct rank_counters *counters; /* rank/counters.c */
    _Atomic int following;          /* enum follows: messages and requests, around calls */
    pthread_mutex_t path_lock;      /* for that in the record, and for the carrier */
    struct carrier *carrier;        /* calls/carrier.c: NULL: the path was never followed */
    struct rank_file *file;         /* rank/record_file.c: the mapping, and its lock */
    /* Pointers of the parent in the child of a fork: unused, and never freed. */
    struct rank_counters *parents_counters;
    struct rank_file *parents_file;
    pthread_key_t thread_key;    /* gives the thread record back when a thread ends */
    pthread_mutex_t region_lock; /* for a new name in the record, and its place in the next */
    pthread_mutex_t object_lock; /* sites.c: for a new object in the record */
    int sites;                   /* enum sites_mode of the record */
    struct walker walker;
    uint32_t region_hash[MAX_REGIONS];
    struct region_functions library; /* regions_calls.c: libpapi's, found once */
    pthread_once_t library_once;
    uint64_t updated;          /* clock of the last rank_update */
    struct clock_moment first; /* before counting began: the clock's rate is measured from there */
    struct sampler *sampler;   /* NULL: nothing is sampled */
    timer_t share_timer;       /* of it */
    struct sigaction before_signal[WATCHED_SIGNALS]; /* ends.c: what was there before */
    struct job_link *link;      /* entry/lifecycle.c: the way to the other ranks; NULL: nothing is counted */
    struct call_tables *tables; /* calls/tables.c: NULL before MPI_Init */
    int sessions, had_sessions; /* entry/lifecycle.c: of MPI 4, that are open, or were */
    int presence;               /* machine.c: its socket + 1; 0: none */
    int asks;                   /* the same of the one who asks for the machine's ranks */
    int ompt;                   /* entry/teams_openmp.c: OpenMP's runtime calls it */
    _Atomic int told;           /* that the program has another MPI: calls/flavour.c */
    _Atomic uint32_t handle_changes; /* the number of communicators and windows that were freed */
    void *_Atomic next[CALL_COUNT]
                      [FORM_COUNT];          /* calls/wrapper.c: the functions that calls are passed on to */
    void *_Atomic gomp[GOMP_PLACES];         /* entry/teams_openmp.c: the same */
    uintptr_t _Atomic operation[OPERATIONS]; /* calls/operations.c: the program's, for MPI_Op_create */
    const struct device_activity_functions *activity; /* devices.c: NULL: devices are not recorded */
    struct rank_energy *energy;                       /* energy.c: NULL: this rank reads no device's */
    uint64_t offload; /* ... the main thread's time in their runtime, as it was last read */
};
extern struct papi_mpi papi_mpi __attribute__((visibility("hidden")));

/* A known partner: the rank in MPI_COMM_WORLD of a rank of a communicator or a window, and its place in the
 * thread's record (calls/tables.c). */
enum {
    KNOWN_PEERS = 16,
    KNOWN_WAYS = 2
}; /* places, and how many may share one: few programs have more room
    * for variables of threads where the library is opened late */
struct known_peer {
    uintptr_t key; /* 0: a free place */
    int32_t rank, peer;
    struct peer *place; /* NULL: with the others */
};

/* A communicator as a thread knows it (calls/tables.c). */
enum { KNOWN_COMMS = 8 };
struct known_comm {
    uintptr_t key;      /* 0: a free place */
    int32_t rank, size; /* of its own group */
    int32_t reached,
        inter; /* ranks at the other end of a collective call: of the remote group, if it has one */
};

/* The communicator whose neighbors a thread asked for last: grids have some places without one. */
enum { MOST_NEIGHBORS = 64 };
struct known_neighbors {
    uintptr_t key;     /* 0: none */
    int n, there;      /* places, and those with a neighbor */
    int sources, from; /* the same of those that are received from */
    uint64_t absent;   /* bit i: nobody is at place i, of the first MOST_NEIGHBORS */
};

/* A thread of OpenMP: teams.c. */
struct team_thread {
    uint64_t since;          /* that it works; 0: it waits */
    int32_t number, threads; /* its place in the team, and those of that */
    int8_t inside, waits;    /* a region that is counted; and in a barrier of it */
};

/* Moment at which a thread's processor time was read: polling.c. */
struct reading {
    uint64_t ticks, processor_ns, mpi_ticks;
    int64_t waits; /* how often it gave the processor up to wait for something */
};

/* Tests of a thread that fail, one after the other, and what is between them: polling.c. */
enum { KNOWN_TESTS = 8 };
struct polling {
    int32_t failed;     /* enum call: the test that failed last; -1: the last call was no such test */
    int32_t neighbours; /* it did, and the wrapper counts the next one, if it is as quick as those known */
    uint64_t gap;       /* ticks from the last call to this test; POLLING_COUNTED: they are counted */
    struct {
        int32_t call;         /* enum call; -1: none known */
        uint32_t least, most; /* ticks of its quickest failure; and up to which others are its like */
    } known[KNOWN_TESTS];
    uint64_t remembered; /* ticks between neighbours that taken has */
    uint64_t paused;     /* the rank's, then */
    uint64_t begun;      /* the thread's MPI time when the first of these tests had failed */
    uint64_t pending;    /* ticks between tests of which it is not known yet what they are */
    struct taken taken;
    struct reading last;
};

/* State of a thread. */
struct mpi_thread {
    struct polling polling;
    struct team_thread team;
    struct thread_record *record; /* NULL: not yet */
    struct thread_record *quick;  /* record; NULL also while a call has something to do before it: polling.c,
                                     between.c */
    struct thread_record *tests;  /* the same for tests: NULL only because of between.c */
    struct walks *walks;          /* sites.c: NULL: none so far */
    struct probe *probe;          /* calls/probes.c: the same */
    struct call_site *site;       /* of the call that ended last, whose bytes are counted now */
    struct ring_entry *noted;     /* that call in the ring, where there is one */
    int number;                   /* the place of record in the rank's */
    int prepares; /* bytes are those of a persistent collective call, for when it is started ... */
    uint64_t prepared, prepared_received; /* ... and these are they */
    uintptr_t outermost; /* frame of the MPI call that it is inside of, 0: none; that one alone counts */
    int regions;         /* open ones in the record, also when that is gone; see rank/regions.c */
    int regions_behind, regions_refused;
    uint32_t handle_changes; /* papi_mpi's when known_peer was begun */
    struct known_neighbors known_neighbors;
    struct known_comm known_comm[KNOWN_COMMS][KNOWN_WAYS];
    struct known_peer known_peer[KNOWN_PEERS][KNOWN_WAYS];
};
extern _Thread_local struct mpi_thread mpi_thread
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* The clock of all times in the record. */
static inline __attribute__((always_inline)) uint64_t clock_ticks(void)
{
    return clock_ticks_of(papi_mpi.clock);
}

/* Facts that MPI knows of this rank once MPI_Init has returned. */
struct rank_identity {
    const char *job;     /* the same text on all ranks, and no other job's */
    const char *flavour; /* "MPICH" or "Open MPI" */
    int rank, ranks, node, nodes, node_rank, thread_level; /* node_rank: among those of its node */
    int crowded;                                           /* there are more of these than processors */
};

/* The moment from which the rate of the clock is measured: the earlier it comes before rank_begin, the less
 * of that waits for one that can be measured. A second call does nothing. */
void rank_first_moment(void);

/* Begins to count: settings, record, counters, the calling thread as the main one. Returns 0, or -1 where
 * there is no memory for it: then nothing is counted. A record that cannot be mapped from a file is in
 * plain memory, and settings.c keeps the sentence about it for rank 0 to say. */
int rank_begin(const struct rank_identity *identity);
/* rank_begin in two steps: rank_prepare does what takes time, rank_start begins to count, and does nothing if
 * rank_prepare failed. */
int rank_prepare(const struct rank_identity *identity);
void rank_start(void);

/* A call from since to now has ended, and now is not before papi_mpi.end_next. */
void rank_call_ended(struct thread_record *thread, enum call call, uint64_t since, uint64_t now);

/* The calling thread's record; makes one at its first call. NULL: there is none, nothing to count in. */
struct thread_record *rank_thread(void);

/* Reads counters and usage into the record; the counters only where the main thread calls it. */
void rank_update(void);
/* Reads the counters into the record, but not the usage. */
void rank_read_counters(void);
/* As rank_read_counters, but also the usage if that was last read a while ago, so that a crash leaves recent
 * figures. */
void rank_boundary(uint64_t now);

/* The end of counting, at the entry of MPI_Finalize: closes open regions, updates, notes the time. */
void rank_end(void);

/* Removes the record's file and frees all memory, after its figures have come into the job's result. */
void rank_done(void);

/* MPI_Abort comes: updates, and notes it. */
void rank_abort(void);

/* MPI_Pcontrol: calls are not counted from rank_pause on, until rank_resume; the time in between is no one's.
 * Twice the same changes nothing. */
void rank_pause(void);
/* Leaves a time of the calling main thread alone out of the rank's, as between these two. */
void rank_leave_out(uint64_t since, uint64_t now);
void rank_resume(void);

/* Prints a line on stderr: what this rank does ("ends without MPI_Finalize"), and where its figures are.
 * Nothing where no report is wanted. */
void rank_tell(const char *what);

/* Waits until the launcher has read what was written to stderr, at most half a second: one that is told to
 * end the job throws away what it has not read. */
void rank_wait_heard(void);

/* The share of a counted build's processor time that its counters do not see. Both functions are for the main
 * thread. */

/* Samples the calling thread from now on, where the record has counters of the program's own code, and
 * PAPI_COUNTED_SHARE is not 0. */
void share_begin(struct rank_record *record);

/* Puts what was found into the record. A second call does nothing. */
void share_end(struct rank_record *record);

/* ---- the critical path */

/* The critical path as this rank knows it, in its record. The rank's useful time is that of its main thread;
 * what comes from other ranks, calls/carrier.c brings. All of it under papi_mpi.path_lock. */

/* The main thread's useful time until now is on the chain. In a call: until that began. Does nothing where
 * the path is not followed. */
void rank_path_advance(struct rank_record *record, uint64_t now);

/* The same as the first of an MPI call that is followed, by any thread: of those that are not the main one,
 * nothing is added. record: NULL where the rank has none, in the next but one, too. */
void rank_path_in_call(struct rank_record *record);

/* Adds the time until now to the region that was open, before a region of the main thread begins or ends. */
void rank_path_region(struct rank_record *record);

/* Another rank's chain, as it was when that rank sent it, meets this one's. */
void rank_path_meets(struct rank_record *record, const struct path *other);

/* ---- the timeline */

/* The rank's timeline: when the main thread was in which MPI call, in the rank's record. A call has nothing
 * to do for this until its end is beyond the bin that all calls since the last time were in: then what they
 * took is there, in the totals of calls. */

/* Begins anew: record->begin is the beginning of the first bin. */
void timeline_begin(struct rank_record *record);

/* Notes a call from since to now that goes beyond the bin; it is in the thread's totals already. Nothing, if
 * that is not the main thread. */
void timeline_step(struct thread_record *thread, enum call call, uint64_t since, uint64_t now);

/* Adds the calls that no step has noted so far, at the end. */
void timeline_finish(struct rank_record *record);
