/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PAPI_MPI_JOB_H
#define PAPI_MPI_JOB_H

#include "calls/calls.h"
#include "job/metric.h"
#include "rank/record.h"

/* The result of a whole job, as rank 0 has it after the reduction, as the JSON file holds it, and as
 * papi_mpi_report has it after reading that file or the records of a job that did not end well. Its
 * size does not depend on the number of ranks, but for rows. Times are nanoseconds. */

/* The figures that every rank has; counters follow. */
#define JOB_METRICS(X)                                                                                       \
    X(ELAPSED, "elapsed time", "ns")              /* exit of MPI_Init to entry of MPI_Finalize */            \
    X(USEFUL, "useful time", "ns")                /* elapsed, less MPI time */                               \
    X(MPI_TIME, "MPI time", "ns")                 /* of the main thread, in outermost calls */               \
    X(NODE_USEFUL, "useful time of a node", "ns") /* mean of its ranks; one value for each node, from its    \
                                                     first rank */                                           \
    X(MPI_CALLS, "MPI calls", "")                 /* of all threads */                                       \
    X(SENT_MESSAGES, "messages sent", "")         /* point to point */                                       \
    X(SENT_BYTES, "bytes sent", "B")                                                                         \
    X(SENT_AWAY_BYTES, "bytes sent to other nodes", "B")                                                     \
    X(COLLECTIVE_BYTES, "bytes in collective calls", "B")                                                    \
    X(FILE_BYTES, "bytes in file calls", "B")                                                                \
    X(CPU_USER, "processor time, user", "ns")                                                                \
    X(CPU_SYSTEM, "processor time, system", "ns")                                                            \
    X(PEAK_MEMORY, "peak memory", "B")                                                                       \
    X(MINOR_FAULTS, "minor page faults", "")                                                                 \
    X(MAJOR_FAULTS, "major page faults", "")                                                                 \
    X(VOLUNTARY_SWITCHES, "context switches, waiting", "")                                                   \
    X(INVOLUNTARY_SWITCHES, "context switches, displaced", "")

#define JOB_METRIC_ID(id, name, unit) METRIC_##id,
enum job_metric { JOB_METRICS(JOB_METRIC_ID) METRIC_FIXED };
#undef JOB_METRIC_ID

/* After the fixed ones: METRIC_FIXED + i is counter i of the whole rank, and METRIC_FIXED + MAX_COUNTERS + i
 * the same outside MPI (where counters_inside says that this was counted). */
enum { METRIC_COUNT = METRIC_FIXED + 2 * MAX_COUNTERS };

/* One MPI call, summed over ranks and threads. */
struct job_call {
    uint64_t calls, ns, bytes, ranks; /* ranks: that made it */
    uint64_t longest_ns;              /* one call */
    uint64_t longest_rank;
    uint64_t most_ns, most_rank; /* the rank that was longest in it */
};

/* One region, summed over ranks and threads. */
struct job_region {
    char name[REGION_NAME];
    uint64_t ranks, visits;
    uint64_t open; /* ranks that had it open at the end */
    uint64_t ns, mpi_ns;
    uint64_t least_ns, least_rank, most_ns, most_rank; /* a rank's time in it */
    uint64_t counter[MAX_COUNTERS];
};

/* What one rank has: a row. */
struct job_row {
    uint64_t rank, node;
    char host[HOST_NAME];
    int32_t pid, state; /* enum rank_state */
    int32_t threads;
    int32_t inside; /* enum call: the MPI call that it was in when it ended, -1: none */
    uint64_t value[METRIC_COUNT];
    int32_t partners;     /* ranks that it sent to; MAX_PEERS: as many or more */
    int32_t busiest_peer; /* -1: none */
    uint64_t busiest_bytes;
};

struct job {
    char job[JOB_NAME], program[256], command[256], flavour[16], host[HOST_NAME]; /* host of rank 0 */
    int64_t started;                                                              /* seconds since 1970 */
    uint64_t ranks, nodes, present; /* present: ranks whose figures are here */
    uint64_t unfinished;            /* of those: ranks that did not come to MPI_Finalize */
    uint64_t threads;               /* most threads of a rank that called MPI */
    int thread_level;
    int recovered; /* made from the records of a job that did not end well */
    int counters_inside;
    uint64_t multiplexed; /* ranks whose counters were scaled */
    uint64_t different;   /* ranks whose counters are not those of rank 0: not in the counters' figures */
    uint64_t overhead_ns; /* estimated: all ranks' calls times what the wrapper takes for one */
    uint64_t other_thread_calls; /* MPI calls of threads that are not the main one: not in MPI time */
    char counter_reason[256];
    int n_counters, n_regions;
    int regions_left_out; /* names beyond MAX_REGIONS */
    char counter_name[MAX_COUNTERS][COUNTER_NAME], counter_units[MAX_COUNTERS][16];
    struct metric metric[METRIC_COUNT];
    struct job_call call[CALL_COUNT];
    struct job_region region[MAX_REGIONS]; /* sorted by name */
    uint64_t sent[SIZE_BUCKETS], collective[SIZE_BUCKETS];
    struct job_row *row; /* by rank; NULL: none. A recovered job has rows of the ranks present alone */
    uint64_t n_rows;
};

/* The efficiencies (POP), 0 to 1; NAN: cannot be said. */
struct efficiency {
    double parallel, load_balance, in_nodes, across_nodes, communication;
};
struct efficiency job_efficiency(const struct job *job);

/* "PAPI_TOT_INS" or "useful time"; unit "ns", "B" or "". */
const char *job_metric_name(const struct job *job, int metric);
const char *job_metric_unit(const struct job *job, int metric);
/* false: a counter that this job has not. */
int job_has_metric(const struct job *job, int metric);

#endif
