/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/busy.h"
#include "record/calls.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The layout of what a rank writes while it runs and a job reads. The file or memory that it lies in is
 * rank/record_file.c's; in MPI_Finalize the job collects it (entry/lifecycle.c, job/collect.h). */

/* ---- the critical path */

/* The longest chain of useful time through the job that ends at some rank and moment: its length, and whose
 * time and which regions' it is made of. Ranks hand it to each other with what they send; it has a fixed
 * size. */

enum { PATH_SHARES = 8 };

struct path_share {
    uint32_t of; /* a rank of MPI_COMM_WORLD; or path_region of a region's name, 0 outside of all */
    uint32_t unused;
    uint64_t ns; /* 0: a free place */
};

struct path {
    uint64_t ns;
    uint64_t moves; /* from one rank to another */
    int32_t rank;   /* at which it ends */
    int32_t unused;
    /* The shares that there is room for: the smallest one goes to the others when a new one comes, so that of
     * a chain over many ranks or regions these figures are at least what is said, and the others at most. */
    struct path_share rank_share[PATH_SHARES], region_share[PATH_SHARES];
    uint64_t other_ranks_ns, other_regions_ns;
};

/* The chain goes on with useful time of a rank, in a region. */
void path_extend(struct path *path, uint64_t ns, uint32_t rank, uint32_t region);

/* The longer of two into the first one: associative and commutative where each has a rank of its own. */
void path_longer(struct path *into, const struct path *from);

/* A number for the name of a region, never 0. */
uint32_t path_region(const char *name);

/* ---- the record */

/* All that one rank knows of itself, in a file that it maps: what a crash leaves is as good as what a
 * regular end has. Plain numbers and no pointers, so that papi_mpi_report can read it afterwards. Times
 * are ticks of the clock of rank/clock.h; the record says how many a second has.
 *
 * A thread writes its own thread_record alone, without locks: totals only grow, and no other thread
 * writes them. */

enum {
    RECORD_VERSION = 20,
    MAX_COUNTERS = 12,  /* of a rank */
    MAX_REGIONS = 128,  /* of a rank; what does not fit is in the last one, "other regions" */
    MAX_PEERS = 256,    /* of a thread; the others are summed up */
    MAX_OPEN = 64,      /* regions, one inside another */
    MAX_SIZED = 32,     /* calls of a thread whose sizes are counted one by one */
    MAX_TIMED = 40,     /* calls of a thread, and of the job, that have a distribution of times ... */
    TIME_CLASSES = 160, /* ... in so many classes: time_class */
    SITE_BITS = 9,
    SITE_PLACES = 1 << SITE_BITS,    /* of a thread's table of call sites ... */
    MAX_SITES = SITE_PLACES * 7 / 8, /* ... and how many are taken, so that a search is short */
    COURSE_BINS = 512,               /* of the job's course, of 2^shift ticks each ... */
    COURSE_FIRST_SHIFT = 16,         /* ... at first */
    COURSE_CALLS = 16,               /* that have bins of their own; the first one has all others */
    MAX_TEAM = 256,   /* threads of a team that have figures of their own; the last has all others */
    MAX_OBJECTS = 64, /* programs and libraries that MPI was called from */
    OBJECT_PATH = 256,
    BUILD_ID = 20,
    SIZE_BUCKETS = 64, /* bucket b: messages of 2^(b-1) to 2^b - 1 bytes; 0: empty ones */
    REGION_NAME = 64,
    COUNTER_NAME = 64,
    FORMULA_LINE = 1024, /* of a metric, and all that were asked for */
    FORMULAS_ROOM = 8192,
    HOST_NAME = 64,
    JOB_NAME = 64,
    MAX_SHARES = 24, /* routines that do not count themselves */
    SHARE_LIBRARY = 192,
    SHARE_ROUTINE = 96,
    OPEN_REQUESTS = 8,   /* of a call, that are noted */
    NOTED_REQUESTS = 64, /* of a thread, the last ones */
    NOTED_COMMS = 64,    /* of a rank */
    COMM_RUNS = 2048,    /* of all of these */
    MAX_COMMS = 64,      /* of a rank, whose calls are counted one by one, where that is asked for */
    COMM_NAME = 64,
    THREADS_IN_CHUNK = 8, /* thread records are added to the file by so many */
    MAX_CHUNKS = 512,
    CALL_WORDS = (CALL_COUNT + 63) / 64, /* of a bit for each call */
    MAX_DEVICES = 16,                    /* of a rank: ACTIVITY_DEVICES */
    DEVICE_NAME = 64,
    DEVICE_ADDRESS = 16
};

static inline bool call_is_in(const uint64_t words[CALL_WORDS], int call)
{
    return (words[call / 64] >> (call % 64) & 1) != 0;
}

static inline void call_put_in(uint64_t words[CALL_WORDS], int call)
{
    words[call / 64] |= UINT64_C(1) << (call % 64);
}

#define OTHER_REGIONS "other regions"
/* DIRECTORY/papi_mpi.UID.JOB/rank.N */
#define RECORD_DIRECTORY "papi_mpi."
#define RECORD_FILE "rank."
/* DIRECTORY/papi_mpi.UID.JOB/ring.N: the last calls of that rank, where they are kept */
#define RECORD_RING "ring."
/* DIRECTORY/papi_mpi.UID.JOB/ended: of a job that left records, when its launcher had ended. */
#define RECORD_ENDED "ended"
#define RECORD_MAGIC 0x31696d6970617066ULL /* "fpapimi1" */

struct call_totals {
    uint64_t calls, ticks, bytes, longest; /* longest: ticks of one call */
};

/* The calls of one kind by their bytes. */
struct call_sizes {
    int32_t call; /* enum call */
    int32_t reserved;
    uint64_t size[SIZE_BUCKETS];
};

/* A place in the program from which an MPI call was made: the address that it returned to. */
struct call_site {
    uint64_t address; /* 0: a free place */
    int32_t call;     /* enum call */
    int32_t object;   /* its place in rank_record.object; -1: it is in none that has room there */
    uint64_t calls, ticks, bytes, longest;
};

/* A call of a thread inside of a region, and of those inside of that: a place of a hash table. */
enum { REGION_CALLS = 256, MOST_REGION_CALLS = REGION_CALLS * 7 / 8 };
struct region_call {
    int32_t region, call; /* call: enum call, and 1 more; 0: a free place */
    uint64_t calls, ticks;
};
/* Part of a call that was added to the regions that were open. */
struct told_call {
    int32_t call, reserved;
    uint64_t calls, ticks;
};

/* The object that the loader had at an address when MPI was first called from there. */
struct site_object {
    uint64_t bias;      /* to be taken from an address, to have the one that the file gives */
    uint64_t low, high; /* its code, at this rank */
    char path[OBJECT_PATH];
    uint8_t build_id[BUILD_ID];
    uint8_t build_id_size; /* 0: the file has none */
};

/* The timeline: how many ticks of each bin the main thread was in which call. */
struct timeline {
    uint32_t shift; /* a bin is 2^shift ticks; the first one begins at rank_record.begin */
    uint32_t bin;   /* that the calls are in which are not settled */
    int32_t n_calls;
    int32_t call[COURSE_CALLS];   /* enum call; -1: all others */
    uint8_t at[CALL_COUNT];       /* a call's place, and 1 more; 0: none yet */
    uint64_t settled[CALL_COUNT]; /* of a call's ticks: those that are in bins */
    uint64_t ticks[COURSE_CALLS][COURSE_BINS];
};

/* Messages to one rank of MPI_COMM_WORLD, one-sided writes included. */
struct peer {
    int32_t rank;
    int32_t taken;            /* 0: a free place */
    uint64_t messages, bytes; /* a place may be taken before the first message */
};

/* Time of threads that call MPI, in ticks: at work outside of MPI calls, blocked there, and in MPI calls. */
struct thread_time {
    uint64_t on, off, mpi;
};

/* A thread's processor time between its MPI calls: rank/between.h. */
struct between {
    int32_t tid;      /* by which the kernel knows the thread; 0: it is not measured, or has ended */
    int32_t sampled;  /* 1: the last reading is that of the end of a call, and nothing came since */
    uint64_t on, off; /* in all, until the last reading ... */
    uint64_t last_on, last_off;  /* ... and what that added */
    uint64_t read_on, read_mpi;  /* processor time and mpi_ticks at the last reading, ... */
    int64_t read_waits;          /* ... how often it gave its processor up to wait for something, ... */
    uint64_t read_delay;         /* ... the ticks that it could have run for, but others did, ... */
    uint64_t read_at, read_left; /* ... the clock, and what the rank had left out of its times */
    /* The same since the last reading, and of the call that it is in, as the main thread saw another one:
     * good as long as that has no other reading, and no more calls. */
    uint64_t seen_on, seen_off, seen_mpi, seen_read, seen_calls;
};

struct region_totals {
    uint64_t visits, ticks, mpi_ticks;
    uint64_t paused;               /* of ticks: between MPI_Pcontrol(0) and MPI_Pcontrol(1) */
    uint64_t offload_ns;           /* of the main thread: in calls of the devices' runtime */
    uint64_t path_ns;              /* of the main thread: by which the longest chain became longer inside */
    struct thread_time used;       /* where that is measured: of the main thread, of all threads meanwhile */
    struct thread_time own;        /* the same of the thread itself */
    int64_t counter[MAX_COUNTERS]; /* of the whole rank, while its main thread was inside */
};

struct open_region {
    int32_t region;            /* its place in rank_record.region_name */
    uint32_t hash;             /* of its whole name */
    int32_t by_pcontrol;       /* begun by MPI_Pcontrol, and ended by it */
    uint64_t since, mpi_ticks; /* the clock and the thread's MPI time when it began ... */
    uint64_t paused, path_ns;  /* ... and what was left out until then, and the longest chain */
    uint64_t offload_ns;       /* ... and the time in the devices' runtime */
    struct thread_time used, own;
    int64_t counter[MAX_COUNTERS];
};

/* Arguments of the call that a thread is in, or of its last one: what call_facts[] says that the call has;
 * the rest is of earlier calls. All are as the program passed them, because nothing may be asked of MPI
 * before a call. */
#define HANDLE_OF_FORTRAN (1ULL << 63) /* in a handle: it is a Fortran integer */
struct open_call {
    uint64_t address; /* that it returns to */
    uint64_t comm;    /* or window */
    int32_t peer, tag;
    int32_t second_peer, second_tag; /* of calls that send and receive: peer is sent to */
    int32_t n_requests;              /* as many as it waits for */
    int32_t unused;
    uint64_t request[OPEN_REQUESTS];
};

/* A request that a call made: at a place that its handle gives, until another one needs it. */
struct noted_request {
    uint64_t request, comm, since; /* 0: a free place */
    int32_t call, peer, tag, second_peer;
};

/* Ranks of MPI_COMM_WORLD that are in a communicator (of an intercommunicator those of the other side), as
 * runs: first, first + stride, ... */
struct comm_run {
    int32_t first, stride, n;
};

struct noted_comm {
    uint64_t handle, fortran;    /* 0: a free place */
    int32_t size, call;          /* call: that made it; -1: it was there from the beginning */
    int32_t first, n_runs, room; /* in rank_record.comm_run; n_runs 0: not known */
    int32_t inter;
};

/* A communicator whose calls are counted. */
struct counted_comm {
    uint64_t handle, fortran; /* 0: it was freed */
    uint64_t key;             /* the same on all its ranks; not 0. Its order is in the bits of COMM_ORDER */
    uint64_t made;            /* communicators that were made of it so far, by calls of all its ranks */
    uint64_t group;        /* a hash of its ranks and the call, if these are its identity; 0: they are not */
    int32_t size, call;    /* call: that made it; -1: it was there from the beginning */
    int32_t first, unused; /* 1: this rank is the first of it */
    char name[COMM_NAME];  /* that the program gave it; "": none */
};
#define COMM_ORDER 0xffff000000000000ULL
#define COMM_KEY_WORLD 1ULL
#define COMM_KEY_SELF (1ULL << 48 | 1)

/* The place of calls by communicator: those of rank_record.counted_comm, and behind them these. */
enum {
    COMM_OTHERS = MAX_COMMS, /* communicators without a place */
    COMM_WINDOWS,
    COMM_FILES,
    COMM_REQUESTS, /* and matched messages */
    COMM_NONE,     /* calls without a communicator */
    COMM_PLACES
};
struct comm_totals {
    uint64_t calls, ticks, bytes;
};
/* Totals of a call when it ended the last time, and its place then, and 1 more; 0: it did not yet. */
struct comm_call {
    uint64_t calls, ticks, bytes;
    int32_t place, unused;
};
struct thread_comms {
    int32_t found; /* that a call was on last */
    int32_t gone;  /* that is being freed, and 1 more; 0: none */
    struct comm_totals at[COMM_PLACES];
    struct comm_call last[CALL_COUNT];
};

struct thread_record {
    _Alignas(64) _Atomic uint32_t
        taken;             /* by a thread that runs; a new thread goes on with the totals of one that ended */
    uint32_t threads;      /* that used it, one after the other */
    uint64_t mpi_ticks;    /* in outermost MPI calls, and waiting between tests that fail: rank/polling.h */
    uint64_t calls;        /* those */
    uint64_t tested_ticks; /* of mpi_ticks: after a test that failed, until the next one */
    int64_t own_ticks; /* the library's own, beside overhead for each call: in neither useful nor MPI time */
    uint64_t since;    /* when the call began that the thread is in, or the last one ended */
    int32_t inside;    /* that call, enum call; otherwise record_outside of the last one, or -1: none */
    int32_t n_open;
    struct between between;
    struct open_call at;
    struct noted_request noted[NOTED_REQUESTS];
    struct call_totals call[CALL_COUNT];
    uint64_t sent[SIZE_BUCKETS];          /* messages sent point to point and one-sided, by size */
    uint64_t collective[SIZE_BUCKETS];    /* collective calls, by the bytes that the rank put in */
    struct peer peer[MAX_PEERS];          /* a hash table, linear probing from rank % MAX_PEERS */
    uint64_t other_messages, other_bytes; /* to ranks that have no place there ... */
    uint64_t started_bytes;               /* of persistent collective calls, which are at MPI_Start */
    uint64_t received[CALL_COUNT]; /* bytes that came to the rank, those of messages where counts_received is
                                      set, at the call that completed them ... */
    uint64_t started_received;     /* ... and of those at MPI_Start: of persistent collective calls */
    uint64_t received_messages;
    uint64_t uncounted[CALL_COUNT];           /* calls that sent or received what nothing is known of */
    uint64_t outside_messages, outside_bytes; /* ... and to processes that are not in MPI_COMM_WORLD */
    struct region_totals region[MAX_REGIONS];
    struct open_region open[MAX_OPEN];
    uint64_t told; /* of calls */
    int32_t n_told;
    struct told_call told_call[CALL_COUNT]; /* those that were made, in the order in which they first were */
    int32_t n_region_calls;
    struct region_call region_call[REGION_CALLS];
    uint8_t sizes_at[CALL_COUNT]; /* a call's place in sizes, and 1 more; 0: none yet */
    int32_t n_sizes;
    struct call_sizes sizes[MAX_SIZED + 1]; /* the last one has all other calls */
    int32_t n_sites;                        /* that are taken */
    /* A hash table, linear probing, in the shared memory of the record; the last one has all others. */
    struct call_site site[SITE_PLACES + 1];
    struct thread_comms comms; /* where rank_record.by_comm is set */
};

/* ---- times of calls */

/* Class of a call that took so many ticks: each power of two has four, so that a class is at most a quarter
 * of its begin wide, and up to 7 ticks have one each. The last one has all that took longer. */
static inline int time_class(uint64_t ticks)
{
    if (ticks < 4)
        return (int)ticks;
    int power = 63 - __builtin_clzll(ticks), class = 4 * (power - 1) + (int)(ticks >> (power - 2) & 3);
    return class < TIME_CLASSES ? class : TIME_CLASSES - 1;
}

/* The least ticks of a class. */
static inline uint64_t time_class_begin(int class)
{
    return class < 4 ? (uint64_t) class : (uint64_t)(4 + class % 4) << (class / 4 - 1);
}

/* Times of the calls of a thread, where they are asked for: behind the thread records of its chunk. */
struct thread_times {
    uint8_t at[CALL_COUNT]; /* a call's place, and 1 more; 0: none yet, or none was left */
    int32_t n;
    int32_t call[MAX_TIMED]; /* enum call */
    uint64_t calls[MAX_TIMED][TIME_CLASSES];
};

/* Notes how long a call took. */
void thread_time_note(struct thread_times *times, int call, uint64_t ticks);

/* Resources that the kernel accounts to a process: the places in rank_record.usage and used, in the order of
 * the job's metrics. */
enum usage {
    USAGE_CPU_USER,    /* nanoseconds, of all threads */
    USAGE_CPU_SYSTEM,  /* the same */
    USAGE_PEAK_MEMORY, /* bytes; in used too the peak since the program began, which is not a difference */
    USAGE_MINOR_FAULTS,
    USAGE_MAJOR_FAULTS,
    USAGE_VOLUNTARY_SWITCHES,
    USAGE_INVOLUNTARY_SWITCHES,
    USAGE_COUNT
};

enum rank_state {
    RANK_RUNS = 1,
    RANK_FINALIZED, /* MPI_Finalize came */
    RANK_ABORTS,    /* MPI_Abort */
    RANK_EXITS,     /* exit without MPI_Finalize */
    RANK_IN_REPORT  /* its figures are in the job's result */
};

/* Source of what the threads of OpenMP do, where that is asked for. */
enum teams_source {
    TEAMS_OFF,
    TEAMS_NONE, /* no parallel region came */
    TEAMS_OMPT, /* the runtime, by OpenMP's interface for tools */
    TEAMS_GOMP  /* libgomp's functions, in front of which this library has its own */
};

/* The parallel regions of OpenMP, those inside of others left out. Times are ticks. */
struct teams {
    _Atomic int32_t source,
        tasks;                /* tasks: there were some, which run while threads wait: work is not known */
    _Atomic uint32_t threads; /* of the largest team */
    _Atomic uint64_t ticks, capacity; /* of the regions; the same times their threads */
    _Atomic uint64_t work[MAX_TEAM];  /* of the threads by their number, without waiting for each other */
};

/* Devices, such as NVIDIA's, that the rank gives work to, where that is asked for. Times are nanoseconds, and
 * known when the rank has ended: DEVICES_RECORDED. */
enum devices_state {
    DEVICES_OFF,     /* not asked for, and the program has no runtime of devices */
    DEVICES_UNASKED, /* ... and it has one */
    DEVICES_RUNNING, /* they are recorded, and nothing is known yet */
    DEVICES_RECORDED,
    DEVICES_REFUSED /* they cannot be recorded: reason */
};

struct rank_device {
    char name[DEVICE_NAME];                 /* its model, "": not known */
    char address[DEVICE_ADDRESS];           /* on the PCI bus, "": not known */
    int32_t number;                         /* as the process numbers it */
    int32_t numa;                           /* its node of memory; -1: not known */
    struct busy_time busy;                  /* of the time that is counted */
    uint64_t kernels, copies, copied_bytes; /* of all time */
    uint64_t late_ns, unfinished;           /* missing in busy: at most so long; so many */
};

/* The devices that ranks of a node may use, whether they do or not, by address: ranks tell each other of them
 * at the beginning. */
enum { NODE_DEVICES = 32, NODE_DEVICE_NAME = 40 };
struct node_device {
    uint64_t address; /* of PCI: domain * 2^16 + bus * 2^8 + device * 2^3 + function */
    int32_t first;    /* the lowest of the node's ranks that may use it */
    int32_t taken;    /* a rank reads its energy */
    char name[NODE_DEVICE_NAME];
};
struct node_devices {
    int32_t n, left_out; /* left_out: there was no room for further ones */
    int32_t unknown;     /* ranks of which it is not known which ones they may use */
    int32_t told;        /* the ranks have told each other */
    struct node_device device[NODE_DEVICES];
};

/* Facts about them at the end, a bit for each; on the first rank of the node that is of all its ranks.
 */
struct node_usage {
    uint64_t used;                      /* a rank gave it something to do */
    uint64_t known;                     /* its energy is known ... */
    uint64_t microjoules[NODE_DEVICES]; /* ... and is this much, from MPI_Init to MPI_Finalize */
    uint64_t unsure;                    /* not 0: ranks may have used others than these */
};

struct rank_devices {
    int32_t state; /* enum devices_state */
    int32_t n;
    char reason[256];
    uint64_t dropped;     /* records that there was no room for */
    int32_t numa, unused; /* the node of memory near which the main thread was at the end; -1: not known */
    uint64_t offload_ns;  /* of the main thread, in calls of the devices' runtime, while it is counted */
    struct rank_device device[MAX_DEVICES];
    struct busy_time region[MAX_REGIONS][MAX_DEVICES]; /* while the main thread was inside */
    struct node_devices node;
    struct node_usage usage;
    int32_t usage_is_known, other_unused; /* 1: on the first rank of the node, at its end */
    char energy_reason[256];              /* why this rank does not read one; "": there is none */
};

/* Share of a counted build: where the processor's time went, outside of MPI calls, by samples of the main
 * thread. */
enum share_state {
    SHARE_OFF,
    SHARE_UNKNOWN, /* no samples could be taken, or the rank ended before it looked at them */
    SHARE_SAMPLED
};

struct share_row {
    char library[SHARE_LIBRARY]; /* or program, that does not count itself */
    char routine[SHARE_ROUTINE]; /* "": it exports no name for it */
    uint64_t samples;
};

struct share {
    int32_t state, n;
    uint64_t samples, counted, mpi;   /* outside MPI; of these in code that counts itself; inside MPI */
    struct share_row row[MAX_SHARES]; /* those with most samples */
};

/* Collective calls of the main thread in which all ranks of the job wait for the last one, and how long some
 * of them took: the same ones on all ranks, which tell waiting from transfer (job/block_meetings.c). Ranks
 * that agree on number and order of their calls have kept the same. */
enum { MEETINGS = 1024 };
struct meetings {
    uint64_t n, order; /* how many; a hash of which calls they were */
    uint64_t ticks;    /* in all of them */
    uint64_t unkept;   /* those are kept whose meeting_place is not above UINT64_MAX, less this */
    uint32_t kept;
    uint64_t number[MEETINGS], took[MEETINGS]; /* ticks */
};

/* Multiples of the golden ratio are spread evenly, and follow no program's period. */
static inline bool meeting_is_kept(uint64_t number, uint64_t unkept)
{
    return number * 0x9e3779b97f4a7c15u <= ~unkept;
}

/* Keeps one that is to be, or makes room so that it is not any more. */
void meetings_keep(struct meetings *meetings, uint64_t number, uint64_t ticks);

/* Notes the next of these calls. */
static inline void meetings_note(struct meetings *meetings, enum call call, uint64_t ticks)
{
    uint64_t number = meetings->n++;
    meetings->order = meetings->order * 31 + (uint64_t)call + 1;
    meetings->ticks += ticks;
    if (meeting_is_kept(number, meetings->unkept))
        meetings_keep(meetings, number, ticks);
}

struct rank_record {
    uint64_t magic;
    uint32_t version, record_size, thread_size, calls; /* compared by the reader with its own */
    char job[JOB_NAME];                                /* the same on every rank of the job */
    char host[HOST_NAME];
    char program[256];
    char flavour[16]; /* "MPICH", "Open MPI" */
    char command[256];
    int32_t rank, ranks, node, nodes, pid, thread_level;
    _Atomic int32_t state; /* enum rank_state */
    int64_t started;       /* seconds since 1970 */
    uint64_t tick_hertz;   /* ticks in a second */
    uint64_t begin, end;   /* clock at the end of MPI_Init and at the begin of MPI_Finalize, at MPI_Abort or
                              exit; 0: it came to none of them */
    uint64_t overhead;     /* ticks that the wrapper itself takes for one call, measured at the start ... */
    uint64_t inside;       /* ... and of these, those in the time of the call */
    int32_t measured;      /* 1: processor time of the threads that call MPI is measured */
    int32_t openmp;        /* 1: OpenMP's runtime is loaded */
    int32_t timed;         /* 1: chunks have a struct thread_times of each of their threads */
    uint64_t usage[16];    /* enum usage, at begin ... */
    uint64_t used[16];     /* ... and the difference, brought up to date at boundaries */
    int32_t n_counters;
    int32_t counters_inside; /* counter_mpi is counted; 0: counters are read at boundaries alone */
    int32_t multiplexed;
    int32_t n_regions;
    char counter_name[MAX_COUNTERS][COUNTER_NAME];
    char counter_units[MAX_COUNTERS][16];
    int64_t counter[MAX_COUNTERS];     /* of the whole rank from begin on, brought up to date at boundaries */
    int64_t counter_mpi[MAX_COUNTERS]; /* of the main thread in outermost MPI calls */
    char counter_reason[256];          /* why there are none, or fewer than asked for; "": all there */
    char region_name[MAX_REGIONS][REGION_NAME];
    _Atomic int32_t n_chunks;      /* of THREADS_IN_CHUNK thread records, which follow this struct */
    int32_t main_thread;           /* the thread record of the one that called MPI_Init */
    int32_t memory_chunks;         /* the last ones of n_chunks, for which the file system had no room */
    int32_t emulated;              /* counters are an emulator's: the times are not those of a processor */
    int32_t counts_received;       /* messages are counted where they are received, too */
    _Atomic uint64_t paused;       /* ticks between MPI_Pcontrol(0) and MPI_Pcontrol(1) ... */
    _Atomic uint64_t paused_since; /* ... and when it began if it has not ended; 0: calls are counted */
    _Atomic uint64_t left_out;     /* of paused: of the main thread alone, while others go on */
    uint32_t lost;          /* bit i: counter i could not be read any more, what is here is not all of it */
    uint32_t doubtful;      /* bit i: counter i was not read for so long that it may be too little */
    uint32_t node_counters; /* bit i: counter i is of the whole node: its first rank alone has it */
    uint32_t undivided;     /* bit i: counter i is not of threads: none of counter_mpi */
    int32_t node_rank;      /* from 0 on, among those of the node */
    uint64_t supposed[MAX_REGIONS / 64]; /* bit i: region i was begun by MPI_Pcontrol and never ended: what
                                            was taken for its name may be none */
    int32_t crowded;                     /* its node has more ranks than processors for them */
    int32_t counters_around;             /* MPI calls have something to do for counters */
    int32_t counted;                     /* counters are the program's own: it is a counted build */
    int32_t sites;                       /* enum sites_mode */
    int32_t spawned;                     /* MPI_Comm_spawn of another job started it */
    _Atomic int32_t n_objects;
    struct site_object object[MAX_OBJECTS];
    struct timeline timeline;
    char formulas[FORMULAS_ROOM]; /* metrics by name: of each the name, unit, formula, description and why it
                                     is not counted, as texts after one another */
    struct path path;             /* the longest chain of useful time that ends at this rank */
    uint64_t path_useful;         /* the rank's useful time, in ticks, as far as it is in there */
    uint64_t path_missed;         /* messages and collective calls that were not followed */
    int32_t path_state;           /* enum path_state */
    struct teams teams;
    struct rank_devices devices;
    struct share share;
    uint64_t memory_limit; /* bytes that processes on the node may use; 0: not known */
    uint64_t frequency;    /* hertz of the processor at the end, where the kernel says it; 0: it does not */
    struct meetings meetings;
    int64_t began, began_here; /* begin, in nanoseconds: since 1970; of the node's CLOCK_MONOTONIC */
    _Atomic int32_t signal;    /* that ended it, at end; 0: none did, or none that a process sees */
    int32_t updates;           /* how often usage and counters were brought up to date since begin */
    int32_t any_source, proc_null, any_tag; /* of this MPI */
    int32_t made_comms;                     /* that came into comm, one after the other */
    int32_t used_runs;
    struct noted_comm comm[NOTED_COMMS];
    struct comm_run comm_run[COMM_RUNS];
    _Atomic uint32_t operations_left; /* MPI_Op_create of functions whose work is taken for MPI's */
    uint64_t unseen[CALL_WORDS];      /* bit i: the program calls PMPI_... of call i, which nobody counts */
    int32_t by_comm;                  /* 1: calls are counted by communicator */
    int32_t n_counted;                /* of counted_comm */
    struct counted_comm counted_comm[MAX_COMMS];
};

enum path_state {
    PATH_OFF,
    PATH_FOLLOWED,
    PATH_LOST /* what belongs to a message did not come, or there was no memory for it */
};

/* The layout of the file: the record from 0 on, then the chunks, each at a multiple of the largest page
 * size. */
enum { RECORD_ALIGN = 65536 };

static inline size_t record_round(size_t size)
{
    return (size + RECORD_ALIGN - 1) / RECORD_ALIGN * RECORD_ALIGN;
}

static inline size_t record_chunk_offset(bool timed, int chunk)
{
    size_t thread = sizeof(struct thread_record) + (timed ? sizeof(struct thread_times) : 0);
    return record_round(sizeof(struct rank_record)) + (size_t)chunk * record_round(THREADS_IN_CHUNK * thread);
}

/* The number of thread records, and each of them: from 0 to the number - 1, never NULL. */
int record_thread_count(const struct rank_record *record);
struct thread_record *record_thread_at(const struct rank_record *record, int i);
bool record_is_main(const struct rank_record *record, const struct thread_record *thread);
/* The times of a thread's calls. NULL: they are not kept. */
struct thread_times *record_times_at(const struct rank_record *record, int i);

/* The last that is known of the rank: its end where it came to one. */
uint64_t record_last_moment(const struct rank_record *record);

/* Ticks until then that MPI_Pcontrol(0) left out. */
uint64_t record_paused(const struct rank_record *record, uint64_t until);

/* Time of a thread until now, as far as it was measured; and that of all threads. The library's own is in on.
 */
struct thread_time record_thread_time(const struct thread_record *thread);
struct thread_time record_all_threads(const struct rank_record *record);
/* That of which a thread's regions are made: of all threads where it is the main one. */
struct thread_time record_region_time(const struct rank_record *record, const struct thread_record *thread);

/* True if the times of the rank are those of all its threads that call MPI, as its main thread does not say
 * enough: others worked or were in MPI for more than a hundredth of the time until now. */
bool record_is_of_threads(const struct rank_record *record, uint64_t now);

/* True for a call by which ranks meet those of another job: what these do is not followed. spawned: this job
 * was started by another one, to which its first ranks' parent belongs. */
static inline bool record_meets(enum call call, bool spawned)
{
    return call == CALL_COMM_SPAWN || call == CALL_COMM_SPAWN_MULTIPLE || call == CALL_COMM_ACCEPT ||
           call == CALL_COMM_CONNECT || call == CALL_COMM_JOIN || (spawned && call == CALL_COMM_DISCONNECT);
}

/* Adds the calls since this was last done to the regions that are open: before one is opened or closed. */
void record_tell_regions(struct thread_record *thread);

/* Adds the time of open[at] until now to its region. */
void record_add_region(const struct rank_record *record, struct thread_record *thread, int at, uint64_t now);

/* The totals that record_add_region would make of a thread's region at this moment; nothing is added. */
struct region_totals record_region_until(const struct rank_record *record, const struct thread_record *thread,
                                         int region, uint64_t now);

/* Counts open regions up to this moment; they stay marked as open. */
void record_finish_regions(const struct rank_record *record, struct thread_record *thread, uint64_t now);

/* Stands in inside when a call has ended: it was this one. */
static inline int32_t record_outside(int32_t call)
{
    return -2 - call;
}

/* The call that the thread is in, or else the last one; -1: none came. */
static inline int32_t record_last_call(const struct thread_record *thread)
{
    return thread->inside < -1 ? -2 - thread->inside : thread->inside;
}

/* Adds the time of calls since the last settlement to the timeline's present bin, except for so many ticks of
 * one call. */
void timeline_settle(struct timeline *timeline, const struct thread_record *thread, int but_for,
                     uint64_t ticks);

/* Adds a call, which the thread's totals have already, from and to in ticks since begin; those before it are
 * settled. */
void timeline_add(struct timeline *timeline, const struct thread_record *thread, int call, uint64_t from,
                  uint64_t to);

/* The place of a communicator's calls; COMM_OTHERS: it has none of its own. */
int comms_find(const struct rank_record *record, uint64_t handle);
/* Notes that a call has ended, which is in the thread's totals. */
void comms_note(const struct rank_record *record, struct thread_record *thread, int call);
/* The calls of a thread by communicator, which add up to its totals. */
void comms_totals(const struct thread_record *thread, struct comm_totals totals[COMM_PLACES]);

/* Takes away what MPI calls have left in the record, before any of the program's came: sites' objects, the
 * timeline, counters inside of calls. record_clear_thread does so for the thread that made them: all of its
 * record but regions, and which thread it is. */
void record_clear(struct rank_record *record);
void record_clear_thread(struct thread_record *thread);
