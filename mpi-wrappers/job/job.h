/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "job/metric.h"
#include "record/calls.h"
#include "record/record.h"
#include "record/settings.h"

#include <stdbool.h>
#include <stddef.h>

/* The result of a whole job, as rank 0 has it after the reduction, as the JSON file holds it, and as
 * papi_mpi_report has it after reading that file or the records of a job that did not end well. Its
 * size does not depend on the number of ranks, but for rows. Times are nanoseconds. */

/* The figures that every rank has; counters follow. Identifier, key in the result file, name, unit. */
// clang-format off
#define JOB_METRICS(X)                                                                                       \
    /* exit of MPI_Init to entry of MPI_Finalize, less what MPI_Pcontrol(0) left out */                                                          \
    X(ELAPSED, "elapsed", "elapsed time", "ns")                                                              \
    /* elapsed, less MPI time; or processor time of all threads that call MPI, outside of it */              \
    X(USEFUL, "useful", "useful time", "ns")                                                                 \
    /* of the main thread, or all of these, in outermost calls */                                            \
    X(MPI_TIME, "mpi", "MPI time", "ns")                                                                     \
    /* mean of a node's ranks; one value for each node, from its first rank */                               \
    X(NODE_USEFUL, "node_useful", "useful time of a node", "ns")                                             \
    /* of all threads */                                                                                     \
    X(MPI_CALLS, "mpi_calls", "MPI calls", "")                                                               \
    /* point to point */                                                                                     \
    X(SENT_MESSAGES, "sent_messages", "messages sent", "")                                                   \
    X(SENT_BYTES, "sent_bytes", "bytes sent", "B")                                                           \
    X(SENT_AWAY_BYTES, "sent_away_bytes", "bytes to other nodes", "B")                                       \
    X(COLLECTIVE_BYTES, "collective_bytes", "bytes in collectives", "B")                                     \
    X(FILE_BYTES, "file_bytes", "bytes in file calls", "B")                                                  \
    /* point to point, and what collective calls bring to the rank */                                        \
    X(RECEIVED_MESSAGES, "received_messages", "messages received", "")                                       \
    X(RECEIVED_BYTES, "received_bytes", "bytes received", "B")                                               \
    X(COLLECTIVE_RECEIVED_BYTES, "collective_received_bytes", "received, collectives", "B")                  \
    /* of messages, through elapsed time: those of a rank do not add up to the job's, job_rate. Thousandths, as  \
     * values are whole numbers. */                                                                          \
    X(SENT_RATE, "sent_rate", "sent per second", "B/s")                                                      \
    X(RECEIVED_RATE, "received_rate", "received per second", "B/s")                                          \
    X(MESSAGE_RATE, "message_rate", "messages per second", "1/ks")                                           \
    X(CPU_USER, "cpu_user", "processor time, user", "ns")                                                    \
    X(CPU_SYSTEM, "cpu_system", "processor time, system", "ns")                                              \
    X(PEAK_MEMORY, "peak_memory", "peak memory", "B")                                                        \
    X(MINOR_FAULTS, "minor_faults", "minor page faults", "")                                                 \
    X(MAJOR_FAULTS, "major_faults", "major page faults", "")                                                 \
    X(VOLUNTARY_SWITCHES, "voluntary_switches", "voluntary switches", "")                                    \
    X(INVOLUNTARY_SWITCHES, "involuntary_switches", "involuntary switches", "")                              \
    /* of the processors, while the rank ran there: block_record.c */                                        \
    X(FREQUENCY, "frequency", "processor frequency", "Hz")                                                   \
    /* one value for each node, from its first rank: the mean of its ranks; the sum of their peaks; what all \
     * processes there may use */                                                                            \
    X(NODE_FREQUENCY, "node_frequency", "frequency of a node", "Hz")                                         \
    X(NODE_MEMORY, "node_memory", "memory, node's ranks", "B")                                            \
    X(NODE_MEMORY_LIMIT, "node_memory_limit", "memory a node has", "B")                                       \
    /* where PAPI_MPI_THREADS asks for them: of parallel regions of OpenMP */                                \
    X(TEAM_TIME, "team_time", "in parallel regions", "ns")                                                   \
    X(TEAM_THREADS, "team_threads", "threads of a team", "")                                                 \
    X(TEAM_WORK, "team_work", "threads at work there", "ns")                                                 \
    X(TEAM_IDLE, "team_idle", "threads idle there", "ns")                                                    \
    X(TEAM_MOST, "team_most", "busiest thread there", "ns")                                                  \
    /* where other threads than the main ones are in MPI: useful and MPI time of all that call it, and the   \
     * library's own */                                                                                      \
    X(THREADS_TIME, "threads_time", "time of threads", "ns")
// clang-format on

#define JOB_METRIC_ID(id, key, name, unit) METRIC_##id,
enum job_metric { JOB_METRICS(JOB_METRIC_ID) METRIC_FIXED };
#undef JOB_METRIC_ID

/* Counters come after the fixed metrics: METRIC_FIXED + i is counter i of the whole rank, and METRIC_FIXED +
 * MAX_COUNTERS + i the same outside MPI (where counters_inside says that this was counted). */
enum { METRIC_COUNT = METRIC_FIXED + 2 * MAX_COUNTERS };

enum { JOB_RATES = 3 };

/* Stands for a number that nobody counted: what is added to it is not known either (block_add). */
#define NOT_KNOWN UINT64_MAX

/* An MPI call, summed over ranks and threads. */
struct job_call {
    uint64_t calls, ns, bytes, ranks; /* ranks: that made it */
    uint64_t main_ns;                 /* of ns: in the threads of which MPI time is */
    uint64_t received_bytes;          /* that came to the ranks by it, or by what it completed; NOT_KNOWN */
    uint64_t uncounted;               /* of calls: those that move data whose bytes are not counted */
    uint64_t longest_ns;              /* one call */
    uint64_t longest_rank;
    uint64_t most_ns, most_rank; /* the rank that was longest in it */
};

/* The calls on communicators that one call made on all ranks that take part, and that have the same name,
 * summed over ranks and threads. The key is sorted by. */
enum { MAX_JOB_COMMS = 64 };
struct job_comm {
    uint64_t key; /* 0: a free place */
    char name[COMM_NAME];
    int64_t call;                     /* that made them; -1: none */
    uint64_t communicators;           /* how many they are */
    uint64_t least_size, most_size;   /* the ranks of one; 0: not known */
    uint64_t calls, ns, bytes, ranks; /* ranks: that made calls on one */
    uint64_t most_ns, most_rank;      /* the rank that was longest in these */
};
/* Stands for what belongs to no communicator, and for those without a place, in the result file. */
extern const char *const job_comm_keys[COMM_PLACES - MAX_COMMS];

enum { MAX_JOB_SITES = 256, MAX_JOB_OBJECTS = 32 };

/* A program or library that calls MPI. */
struct job_object {
    char path[OBJECT_PATH];
    uint8_t build_id[BUILD_ID], build_id_size;
};

/* A frame of a call site, from the debug information: the routine whose line it is, or one in which that was
 * inlined. */
enum { ROUTINE_NAME = 128, SOURCE_PATH = 192, MAX_FRAMES = 16 /* of a site */ };
struct job_frame {
    char routine[ROUTINE_NAME]; /* as its source has it: "module::routine" */
    char file[SOURCE_PATH];     /* ""; then line is 0 */
    uint64_t line;
};

/* An MPI call at one place of the program, summed over ranks and threads. */
struct job_site {
    int32_t call;                /* enum call; -1: all that have no place of their own */
    int32_t object;              /* -1: it was in no file */
    uint64_t address;            /* that it returns to, as the object's file has it */
    int32_t first_frame, frames; /* in job.frame; 0 frames: nothing is known */
    uint64_t calls, ns, bytes, ranks;
    uint64_t longest_ns, longest_rank;                 /* one call */
    uint64_t least_ns, least_rank, most_ns, most_rank; /* a rank's time in it, of those that came there */
};

/* Waiting at a call site for the other end of a message, of those that a timeline has. */
struct job_late {
    int32_t site;                              /* its place in job.site; -1: it has none */
    uint64_t late_senders, late_sender_ns;     /* a receive began before the send */
    uint64_t late_receivers, late_receiver_ns; /* a send did not end before the receive began */
};

/* The calls of one kind by their bytes, as sent and collective have those of all. */
enum { MAX_JOB_SIZED = 40 };
struct job_sizes {
    uint64_t call; /* enum call, and 1 more; 0: a free place */
    uint64_t size[SIZE_BUCKETS];
};

/* The calls of one kind by how long they took. Class k has those of time_class_begin(k) ticks or more, and
 * less than time_class_begin(k + 1). */
struct job_times {
    uint64_t call; /* enum call, and 1 more; 0: a free place */
    uint64_t calls[TIME_CLASSES];
};

/* Messages and bytes from each to each other, point to point and one-sided. A row and a column are a rank,
 * where there are at most so many; otherwise a node, or else ranks one after the other. */
enum { MATRIX_MOST = 64 };
enum matrix_by { MATRIX_NONE, MATRIX_BY_RANK, MATRIX_BY_NODE, MATRIX_BY_RANKS };
struct job_cell {
    uint64_t messages, bytes;
};

/* Bytes that ranks sent to the partner to which they sent most, to their second, and so on. */
enum { MAX_NEIGHBORS = 32 };
struct job_neighbor {
    uint64_t ranks, messages, bytes; /* ranks: that have so many partners */
    uint64_t most_bytes, most_rank;
};

/* The time of the ranks' main threads, over the course of the job, which begins for each rank when MPI_Init
 * has returned. The last of the calls is all others. */
enum { COURSE_STEPS = 200, JOB_COURSE_CALLS = 12 };
struct job_timeline_places {
    uint64_t step_ns; /* 0: none */
    int32_t n, call[JOB_COURSE_CALLS - 1];
};
struct job_timeline {
    uint64_t elapsed_ns[COURSE_STEPS], mpi_ns[JOB_COURSE_CALLS][COURSE_STEPS];
};

/* A region, summed over ranks and threads. */
struct job_region {
    char name[REGION_NAME];
    uint64_t ranks, visits;
    uint64_t open; /* ranks that had it open at the end */
    uint64_t ns, mpi_ns;
    uint64_t least_ns, least_rank, most_ns, most_rank; /* a rank's time in it */
    /* Figures of the main threads, or of all threads of ranks that have these times, without what
     * MPI_Pcontrol(0) left out. useful: outside MPI. path: by which the longest chain became longer inside,
     * which is how long it takes where messages take no time. */
    uint64_t main_ranks, main_ns, useful_ns, path_ns;
    uint64_t most_main_ns, most_main_rank, most_useful_ns, most_useful_rank;
    uint64_t node_useful_ns; /* the largest of the nodes' means */
    /* Times of the devices of ranks that record them, while their main threads were inside: busy with
     * kernels, and with copies alone; the busiest device of a rank with kernels, and with either. */
    uint64_t device_ranks, offload_ns, device_kernel_ns, device_copy_ns, most_device_kernel_ns,
        most_device_ns;
    uint64_t counter[MAX_COUNTERS]; /* NOT_KNOWN: other threads than a main one were there alone */
};

/* A counter of a region; NAN: only threads whose counters are not their own were there. */
double job_region_count(const struct job_region *region, int counter);

/* A device, such as one of NVIDIA's, that ranks give work to. Where its address is not known, each rank's is
 * one of its own. */
enum { MAX_JOB_DEVICES = 32, JOB_DEVICE_NAME = 40 };
struct job_device {
    uint64_t node, rank, number; /* rank: the lowest that uses it, which numbers it so */
    char address[DEVICE_ADDRESS], name[JOB_DEVICE_NAME];
    uint64_t numa;      /* the node of memory that it is near to, and 1 more; 0: not known */
    uint64_t ranks;     /* that use it; 0: a free place */
    uint64_t far_ranks; /* of these: that ran near another node of memory at their end */
    /* Sums over the ranks: as many kernels of several ranks may run at a time, this may be more than the
     * device was busy. */
    uint64_t kernel_ns, copy_ns, kernels, copies, copied_bytes;
};

/* A device that ranks of a node may use, whether they do or not. */
struct job_node_device {
    uint64_t node, address; /* of PCI, as node_device has it */
    char name[NODE_DEVICE_NAME];
    uint64_t there;       /* 0: a free place */
    uint64_t used;        /* 1: by a rank; 0: by none; NOT_KNOWN */
    uint64_t microjoules; /* of the whole device, from MPI_Init to MPI_Finalize; NOT_KNOWN */
};
enum { ADDRESS_TEXT = 24 };
void job_address(char text[ADDRESS_TEXT], uint64_t address); /* "0000:3b:00.0" */

/* Calls of all ranks inside of a region: sorted by key; the first ones, if they are more. */
enum { MAX_JOB_REGION_CALLS = 512 };
struct job_region_call {
    uint64_t key; /* job_region_call_key; 0: a free place */
    uint64_t calls, ns, ranks, most_ns, most_rank;
};

static inline uint64_t job_region_call_key(int region, int call)
{
    return (uint64_t)region * CALL_COUNT + (uint64_t)call + 1;
}

/* Value in job_row.value where the rank has no such figure. */
#define ROW_NONE UINT64_MAX

/* A row: what one rank has. */
struct job_row {
    uint64_t rank, node;
    char host[HOST_NAME];
    int32_t pid, state; /* enum rank_state */
    int32_t threads;
    int32_t inside;               /* enum call: the MPI call that it was in when it ended, -1: none */
    uint64_t value[METRIC_COUNT]; /* ROW_NONE where it has none, as all have but a node's first rank in
                                     figures of nodes; 0 where the job has none */
    uint64_t memory_limit;        /* of its node; 0: not known */
    int32_t partners;             /* of MPI_COMM_WORLD, that it sent to; MAX_PEERS: as many or more */
    int32_t busiest_peer;         /* -1: none */
    uint64_t busiest_bytes;
    const struct job_call *call;     /* its numbers in each of row_call; NULL: nothing is known */
    const struct job_region *region; /* its numbers in those of the job; NULL: nothing is known */
};

/* Share of counted builds: where the processor's time of the main threads went, outside MPI, by samples. */
struct job_share {
    uint64_t ranks, unknown;          /* that have samples, and that have none though they were to */
    uint64_t samples, counted, mpi;   /* as in struct share, of all ranks */
    uint64_t least, least_rank;       /* the rank of whose time the least is counted: in parts of 10,000 */
    int n;                            /* the largest library first, and of that the largest routine */
    struct share_row row[MAX_SHARES]; /* those in which one rank had most */
};

/* A thread that was in an MPI call when its rank was looked at or ended, or the main thread outside of one:
 * of ranks that did not come to MPI_Finalize, and those that wait there. Ranks are those of MPI_COMM_WORLD.
 */
enum ending {
    ENDING_RUNS,   /* it still does */
    ENDING_SIGNAL, /* a signal that a process sees ended it */
    ENDING_GONE,   /* it is gone, and nothing says how: SIGKILL, or a crash within a handler */
    ENDING_WAITS   /* it came to MPI_Finalize */
};
extern const char *const job_ending_keys[]; /* "runs", "signal", "gone", "finalize" */

/* Stand in the place of a rank or a tag. */
enum {
    OPEN_NONE = -1000000000, /* the call has none */
    OPEN_ANY,                /* any that comes */
    OPEN_NOBODY,             /* MPI_PROC_NULL */
    OPEN_UNKNOWN
};
enum { OPEN_WAITS = 8 };
struct job_open {
    uint64_t rank, ns;      /* ns: since the call began, or since the last one ended */
    int32_t thread, main;   /* its place in the record; 1: the one that called MPI_Init */
    int32_t call, inside;   /* enum call, -1: none came; inside 0: it was the last one, and has ended */
    int32_t site;           /* its place in job.site; -1: not known */
    int32_t ending, signal; /* enum ending */
    int32_t exact;          /* 0: the rank's end is not known: ns is the least */
    int32_t peer, tag, second_peer, second_tag; /* the second ones are received from, if there are two */
    int32_t comm_size, comm_call;   /* comm_size 0: none; comm_call: that made it, -1: it was there already */
    int32_t requests, request_call; /* that it waits for; of a single one, the call that made it, or -1 */
    int32_t n_waits;                /* of the ranks that it waits for, in waits */
    int32_t waits[OPEN_WAITS];
    uint64_t missing; /* their number */
};

/* Ranks that wait for each other in a circle: each for the next one, and the last for the first. */
enum { MAX_CYCLE = 16 };

/* A sentence of a rank for rank 0 to print: that of the lowest rank that has one. */
struct job_complaint {
    uint64_t ranks; /* that have one */
    uint64_t rank;
    char text[COMPLAINT_LENGTH];
};

struct job {
    char job[JOB_NAME], program[256], command[256], flavour[16], host[HOST_NAME]; /* host of rank 0 */
    int64_t started;                                                              /* seconds since 1970 */
    uint64_t ranks, nodes, present; /* present: ranks whose figures are here */
    uint64_t unfinished;            /* of those: ranks that did not come to MPI_Finalize */
    uint64_t threads;               /* most threads of a rank that called MPI */
    int thread_level;
    int foreign;   /* another user may have written the file that it was read from */
    int recovered; /* made from the records of a job that did not end well */
    int counters_inside;
    int teams;            /* enum teams_source of rank 0 */
    int emulated;         /* counters are an emulator's: exact, but the times are not those of a processor */
    int counted;          /* counters are the programs' own: counted builds */
    uint64_t multiplexed; /* ranks whose counters were scaled */
    uint64_t different; /* ranks that do not count what rank 0 does: each counter is of those that count it */
    uint64_t lost;      /* ranks that lost counters on the way: without figures of these */
    uint64_t doubtful;  /* ranks that read counters so seldom that these may be too little */
    uint64_t crowded;   /* ranks on nodes with more ranks than processors */
    uint64_t spawned;   /* ranks that MPI_Comm_spawn of another job started */
    uint64_t unseen_ranks; /* whose programs call functions PMPI_... themselves, which nobody counts: ... */
    uint64_t unseen[CALL_WORDS]; /* ... bit i: that of call i */
    uint64_t comm_ranks;         /* that counted calls by communicator */
    uint64_t path_ranks;         /* that followed the critical path; of these ... */
    uint64_t path_lost;          /* ... that lost it, ... */
    uint64_t path_missed;        /* ... and messages and collective calls that were not followed */
    uint64_t task_ranks;         /* whose threads did tasks of OpenMP: what they worked is not known */
    uint64_t paused_ns;          /* of all ranks: what MPI_Pcontrol(0) left out of their times */
    uint64_t meetings;           /* collective calls of all ranks in which all wait for the last one, ... */
    uint64_t met_ns,
        awaited_ns;       /* ... the main threads' time in them, and of that the wait for the last one */
    uint64_t overhead_ns; /* estimated: all ranks' calls times what the wrapper takes for one */
    uint64_t tested_ns;   /* of all threads: between tests that fail, which is MPI time */
    /* The clocks of times: ticks a second of the fastest rank's, femtoseconds of a tick of the slowest
     * rank's, rounded up. 0: no rank has times of calls. */
    uint64_t tick_hertz, tick_fs;
    uint64_t other_thread_calls; /* MPI calls of threads that are not the main one: not in MPI time, ... */
    uint64_t thread_ranks;    /* ... but of ranks whose times are those of all threads that call MPI, ... */
    uint64_t blocked_ns;      /* ... which had no processor for so long outside of MPI */
    uint64_t openmp_ranks;    /* with OpenMP's runtime */
    uint64_t operations_left; /* MPI_Op_create whose work is in MPI's time, of the rank that had most */
    /* Ranks that record their devices, that cannot though they were to, and that have a runtime of devices
     * and were not to; the sums and the largest of what they have: offload_ns is the main threads' time in
     * the runtime's calls. */
    uint64_t device_ranks, refused_devices, unasked_devices;
    uint64_t used_devices; /* of each rank, added up */
    uint64_t offload_ns, device_kernel_ns, device_copy_ns, most_device_kernel_ns, most_device_ns;
    uint64_t device_late_ns, device_unfinished, device_dropped; /* what is missing in these */
    char device_reason[256];                                    /* of a rank that cannot; "": none */
    struct job_device device[MAX_JOB_DEVICES];                  /* sorted: the first ones, if they are more */
    /* Devices that ranks may use, on the nodes of which that is known (usable_nodes; those where it is not
     * known of all ranks count as not_told). Of these unused_devices for certain, energy_devices whose energy
     * is known, with its sum and, of the nodes of which it is known of all devices, the least and the most.
     */
    uint64_t usable_nodes, usable_devices, not_told_nodes, unused_devices, energy_devices, energy_uj;
    uint64_t energy_nodes, least_energy_uj, least_energy_node, most_energy_uj, most_energy_node;
    char energy_reason[256];                             /* of a rank that cannot read a device's; "": none */
    struct job_node_device node_device[MAX_JOB_DEVICES]; /* sorted: the first ones, if they are more */
    uint64_t regions_left_out; /* names beyond MAX_REGIONS, of the rank that had most */
    char counter_reason[256];
    char formulas[FORMULAS_ROOM]; /* formulas.h */
    uint32_t node_counters;       /* bit i: counter i is of the whole node, and has one value for each */
    int n_counters, n_regions;
    int row_regions;                       /* as many as rows have: all, or none */
    int n_row_calls, row_call[CALL_COUNT]; /* the calls that rows have: all that were made, or none */
    char counter_name[MAX_COUNTERS][COUNTER_NAME], counter_units[MAX_COUNTERS][16];
    struct metric metric[METRIC_COUNT];
    struct job_call call[CALL_COUNT];
    struct job_region region[MAX_REGIONS]; /* sorted by name */
    struct job_region_call region_call[MAX_JOB_REGION_CALLS];
    struct job_timeline_places timeline_places;
    struct job_timeline timeline;
    struct job_sizes sized[MAX_JOB_SIZED]; /* in the order of calls: the first ones, if they are more */
    int matrix_by, matrix_n; /* enum matrix_by; rows and columns: rank r is at r * matrix_n / ranks */
    struct job_cell matrix[MATRIX_MOST * MATRIX_MOST]; /* from * matrix_n + to */
    struct job_cell matrix_other;                      /* to partners that are not known one by one */
    struct job_neighbor neighbor[MAX_NEIGHBORS];
    int n_sites, n_objects, sites_mode;  /* enum sites_mode of rank 0 */
    struct job_site site[MAX_JOB_SITES]; /* those that had room */
    struct job_site other_sites;         /* the others */
    struct job_object object[MAX_JOB_OBJECTS];
    uint64_t sent[SIZE_BUCKETS], collective[SIZE_BUCKETS];
    struct job_comm comm[MAX_JOB_COMMS], comm_rest[COMM_PLACES - MAX_COMMS];
    struct path path; /* the longest of all ranks */
    struct job_share share;
    struct job_complaint complaint;
    struct job_row *row; /* by rank; NULL: none. A recovered job has rows of the ranks present alone */
    uint64_t n_rows;
    struct job_region *of_rows; /* the array to which rows point */
    struct job_call *calls_of_rows;
    struct job_frame *frame; /* of all sites; NULL: none */
    int n_frames;
    struct job_late *late;      /* most time first; NULL: there was no timeline */
    struct rank_timeline *ring; /* of a job that was recovered: the last calls of n_rings ranks */
    int n_rings;
    int n_late;
    const char *verdict;   /* the sentences at the head of the report, for the writer; NULL: it has none */
    struct job_open *open; /* by rank, the main thread first; NULL: none */
    uint64_t n_open;
    uint64_t cycle_ranks; /* 0: nobody waits in a circle, as far as that is known */
    uint64_t cycle[MAX_CYCLE];
    struct job_times times[MAX_TIMED]; /* in the order of calls: the first ones. The last member: collect.c */
};

/* Nanoseconds: at least from, and less than to, or at most the longest call. */
struct job_range {
    double from, to;
};
/* The distribution of a call's times; NULL: nothing is known of it. */
const struct job_times *job_times_of(const struct job *job, int call);
struct job_range job_time_class(const struct job *job, int call, int class);
/* The time that a part of the calls, from 0 to 1, did not exceed, when they are sorted by it: as exact as the
 * classes are. Calls whose times are not known may be any: the range is as wide as that needs. False:
 * job_times_of is NULL. */
bool job_time_quantile(const struct job *job, int call, double part, struct job_range *range);
/* The quantiles that are shown. */
enum { QUANTILES = 3 };
struct job_quantile {
    const char *key, *name; /* "p95", "95 %" */
    double part;
};
extern const struct job_quantile job_quantiles[QUANTILES];

/* The efficiencies (POP), 0 to 1; NAN: cannot be said. */
enum { EFFICIENCIES = 7 };
struct efficiency {
    union {
        struct {
            double parallel, load_balance, in_nodes, across_nodes, communication, serialisation, transfer;
        };
        double all[EFFICIENCIES];
    };
};
struct efficiency job_efficiency(const struct job *job);

/* The efficiencies of the devices, 0 to 1; NAN: cannot be said. E is the longest elapsed time, g the number
 * of devices, K the time that a device runs kernels, B that and the time that it copies or sets memory:
 *   parallel = sum(K) / (E * g) = load balance * communication * orchestration
 *   load balance = sum(K) / (g * max(K)), communication = max(K) / max(B), orchestration = max(B) / E
 *   offload = 1 - the main threads' time in the runtime's calls / their time outside of MPI
 * as DLB's TALP has them, but with the maximum over the devices in place of the processes'. */
enum { DEVICE_EFFICIENCIES = 5 };
struct device_efficiency {
    union {
        struct {
            double parallel, load_balance, communication, orchestration, offload;
        };
        double all[DEVICE_EFFICIENCIES];
    };
};
extern const char *const job_device_efficiency_keys[DEVICE_EFFICIENCIES];
struct device_efficiency job_device_efficiency(const struct job *job);
struct device_efficiency job_region_device_efficiency(const struct job *job, const struct job_region *region);
/* True if ranks have devices, or were to look for them. */
bool job_knows_devices(const struct job *job);
/* The number of devices that ranks use, and of those in job.device. */
uint64_t job_devices(const struct job *job);
int job_listed_devices(const struct job *job);
/* The number of those in job.node_device. */
int job_listed_node_devices(const struct job *job);
/* The place in job.node_device of job.device[i]; -1: it has none. */
int job_node_device_of(const struct job *job, int i);
/* True if ranks share a device: of a region it is then not known how busy that was. */
bool job_shares_devices(const struct job *job);
/* The efficiencies of any times: of each, the ranks' mean, the largest, the largest of the nodes' means (0:
 * not known) of the useful one, the longest elapsed one, and how long that is where messages take no time (0:
 * not known). */
struct efficiency_times {
    double mean, most, node_most, longest, ideal;
};
struct efficiency job_efficiency_of(const struct efficiency_times *times);
/* True if threads other than the main ones are in MPI for more than a hundredth of the time, and it is not
 * known how much of their time is useful: then there are no efficiencies, which are of main threads.
 * job_thread_ns: their time in MPI, of all ranks. */
bool job_is_of_threads(const struct job *job);
double job_thread_ns(const struct job *job);
/* True if several threads of a rank call MPI and wait by tests for more than a hundredth of the time. A gap
 * between tests in which such a thread had no processor is work to the measurement of its time: there are no
 * efficiencies either. */
bool job_polls_in_threads(const struct job *job);
/* True if programs call functions PMPI_... themselves: MPI time is at least what it is here, useful time at
 * most. There are no efficiencies either. */
bool job_has_unseen(const struct job *job);
/* The time of all ranks, or of their threads. */
double job_time(const struct job *job);
/* The time that shares are of, as the efficiencies have it: that of all ranks, if each ran as long as the
 * longest one. job_end_wait: the part of it that ranks are in MPI_Finalize while another one is not; 0 where
 * it is not known. */
double job_whole_time(const struct job *job);
double job_end_wait(const struct job *job);
/* The efficiencies of a region: the same of the times of the main threads that were in it. */
/* The useful time of a region. */
uint64_t job_outside_mpi(const struct job_region *region);
struct efficiency job_region_efficiency(const struct job *job, const struct job_region *region);
/* True if the job met another one, by MPI_Comm_spawn or a connection: how long it waited for that one is not
 * known, as neither says when it works. */
bool job_meets_others(const struct job *job);
/* NULL, or why there is no serialisation and no transfer: the rest of a sentence about the critical path. */
const char *job_path_missing(const struct job *job);
/* The name of a region of the path; "": outside of all, NULL: none of the job's. */
const char *job_path_region(const struct job *job, uint32_t region);
/* Orders the regions of the path once they have names: the largest shares first, and those without a name
 * among the others. */
void job_path_order(struct job *job);
/* Names of the efficiencies in the result file. */
extern const char *const job_efficiency_keys[EFFICIENCIES];

/* A place that costs much: a call site with its time, or a region with its time outside of MPI calls. */
struct job_place {
    int site, region; /* -1: it is not one */
    uint64_t ns;      /* of all ranks and threads */
    double share;     /* of all ranks' elapsed time; more than 1 where several threads are there at a time */
};
enum { JOB_PLACES = 3 };
/* From this parallel efficiency on there is hardly any waiting to get rid of. */
#define JOB_IS_BUSY 0.95
/* The places that cost most, the first one first: call sites where ranks wait, and then regions; where they
 * hardly wait, both by their time. None below 1 % of the time. Returns their number. */
int job_places(const struct job *job, struct job_place place[JOB_PLACES]);

/* The rank that alone makes file calls, where these take most of the time that no rank computes: what others
 * do in MPI meanwhile is waiting for it. ns: its time in them. False: there is none. */
struct job_file_rank {
    uint64_t rank, ns;
};
bool job_file_rank(const struct job *job, struct job_file_rank *found);

/* "useful time", or "PAPI_TOT_INS" for both figures of a counter; unit "ns", "B" or "", or the counter's. */
const char *job_metric_name(const struct job *job, int metric);
const char *job_metric_unit(const struct job *job, int metric);
/* false: a counter that this job has not. */
int job_has_metric(const struct job *job, int metric);

/* True for a rate, which does not add up over ranks: the time of all of them is the same. */
bool job_is_rate(int metric);
/* The job's: messages or bytes of all ranks, through its elapsed time, which is the longest one, in B/s and
 * 1/s. NAN: a rank has none. */
double job_rate(const struct job *job, int metric);
extern const int job_rates[JOB_RATES];
/* The bytes that a call sent and received for each second that it took, where that is how long they took: in
 * blocking point-to-point and collective calls. NAN in others, and where bytes were not counted. */
struct job_speed {
    double sent, received; /* B/s */
};
struct job_speed job_call_speed(const struct job *job, int call);
/* The bytes that it sent for each second at one place. */
double job_site_speed(const struct job *job, const struct job_site *site);

/* Keys of metrics and states in the result file: "useful", "counter.0", "outside_mpi.0"; "finalized". */
const char *job_metric_key(int metric);
const char *job_state_key(int state); /* enum rank_state */

/* The metric or state of such a key. -1 and 0: this version has none. */
int job_metric_of(const struct job *job, const char *key);
int job_state_of(const char *key);

/* The whole numbers of a job, a call and a region in the result file and the CSV, in this order, and how
 * those of two ranks are merged. */
enum job_merge {
    MERGE_NOT, /* all ranks have the same */
    MERGE_SUM,
    MERGE_MOST,
    MERGE_MOST_OF, /* the next field is the rank whose it is: of equal ones the lowest */
    MERGE_LEAST_OF,
};

struct job_field {
    const char *key; /* NULL: the last one */
    enum job_merge merge;
    size_t offset; /* of a uint64_t in the struct */
    bool later;    /* results of earlier versions have none */
};
/* job_received_fields: one more of a call, where it is known. */
extern const struct job_field job_usable_fields[], job_node_energy_fields[], job_devices_fields[],
    job_device_fields[], job_region_device_fields[];
extern const struct job_field job_fields[], job_call_fields[], job_received_fields[], job_region_fields[],
    job_region_call_fields[], job_site_fields[], job_comm_fields[], job_late_fields[], job_neighbor_fields[],
    job_cell_fields[], job_share_fields[];

static inline uint64_t *job_place(void *in, const struct job_field *field)
{
    return (uint64_t *)(void *)((char *)in + field->offset);
}

static inline uint64_t job_number(const void *from, const struct job_field *field)
{
    return *(const uint64_t *)(const void *)((const char *)from + field->offset);
}

/* A figure of a node, which its first rank has. */
bool job_is_of_node(int metric);
/* True if rows have the metric: not if it is computed for nodes, or a counter that the job does not have. */
bool job_in_rows(const struct job *job, int metric);

/* "none", "rank", "node", "ranks": enum matrix_by. */
extern const char *const job_matrix_keys[];

/* "off", "none", "ompt", "libgomp": enum teams_source in the result file. */
extern const char *const job_teams_keys[];

/* "off", "call", "program": enum sites_mode in the result file. */
extern const char *const job_sites_keys[];

/* Adds a frame, which is all zero. NULL: no memory. */
struct job_frame *job_add_frame(struct job *job);

/* The text for a communicator: its name, or else what it is, or the call that made it. */
const char *job_comm_text(const struct job_comm *comm);
/* The call that made it; NULL: none. */
const char *job_comm_call(const struct job_comm *comm);
bool job_comm_is_world(const struct job_comm *comm);
/* True if the job made calls on other communicators than MPI_COMM_WORLD. */
bool job_has_comms(const struct job *job);

/* Frees a job that was read or recovered, with its rows. */
void job_free(struct job *job);

/* Metrics by name that PAPI_EVENTS asked for, of a job or one of its regions: formulas of the counters of all
 * ranks together, and of the mean time of the ranks. Nothing of the table is needed, which may be another one
 * where a result is read. */
struct job_formula {
    const char *name, *unit, *formula, *description;
    const char *reason; /* why it was not counted; "": it was */
};

/* The i-th, with texts of the job; false: there are no more. */
bool job_formula(const struct job *job, int i, struct job_formula *out);

/* Adds a formula, for readers; false: there is no room. */
bool job_formula_add(struct job *job, const struct job_formula *formula);

/* The value of a formula in a region, or, with NULL, from MPI_Init to MPI_Finalize. NAN: there is none, and
 * reason says why. */
enum { FORMULA_REASON = 512 };
double job_formula_value(const struct job *job, const struct job_region *region,
                         const struct job_formula *formula, char reason[FORMULA_REASON]);

/* Finds out what is at the job's call sites of which that is not known: routines, files and lines by libdw,
 * where libpapi_symbols.so and the files are here, and otherwise names that the loader knows. Those with most
 * time come first, and none is begun after so many seconds. Those that nothing is found for stay as they are,
 * as do all of a foreign job: a result that another user wrote opens no file that it names. */
void job_find_frames(struct job *job, int seconds);
