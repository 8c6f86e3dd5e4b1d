/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "job/job.h"
#include "report/growth.h"

#include <stdio.h>

/* A table of runs of one program on different numbers of ranks, as POP's analysts make it. */

enum { MAX_RUNS = 64, SCALING_WHY = 1024 };

/* The rows of the table. Identifier, key in JSON and CSV, name (blanks before what is a part of another). */
// clang-format off
#define SCALING_ROW_LIST(X)                                                                                  \
    X(ELAPSED, "elapsed", "elapsed time")                                                                    \
    X(SPEEDUP, "speedup", "speedup")                                                                         \
    X(GLOBAL, "global", "global efficiency")                                                                 \
    X(PARALLEL, "parallel", "  parallel efficiency")                                                         \
    X(BALANCE, "load_balance", "    load balance")                                                           \
    X(IN_NODES, "in_nodes", "      in nodes")                                                                \
    X(ACROSS_NODES, "across_nodes", "      across nodes")                                                    \
    X(COMMUNICATION, "communication", "    communication")                                                   \
    X(SERIALISATION, "serialisation", "      serialisation")                                                 \
    X(TRANSFER, "transfer", "      transfer")                                                                \
    X(COMPUTATION, "computation", "  computation scalability")                                               \
    X(INSTRUCTIONS, "computation_instructions", "    instructions")                                          \
    X(IPC_SCALING, "computation_ipc", "    instructions per cycle")                                          \
    X(FREQUENCY, "computation_frequency", "    frequency")                                                   \
    X(IPC, "ipc", "IPC")                                                                                     \
    X(GIGAHERTZ, "gigahertz", "GHz")
// clang-format on

#define SCALING_ROW_ID(id, key, name) SCALING_##id,
enum scaling_row { SCALING_ROW_LIST(SCALING_ROW_ID) SCALING_ROWS };
#undef SCALING_ROW_ID
extern const char *const scaling_key[SCALING_ROWS], *const scaling_name[SCALING_ROWS];

enum scaling_kind {
    SCALING_FOUND,  /* to be found by the work that the runs did */
    SCALING_STRONG, /* all runs solve the same problem */
    SCALING_WEAK,   /* the problem grows with the ranks */
    SCALING_UNKNOWN /* the work grows in neither way */
};

struct scaling_column {
    const struct job *job; /* of the runs on so many ranks, the one of the median elapsed time */
    int runs;
    double least, most;         /* elapsed time of these */
    double value[SCALING_ROWS]; /* ns, factors; NAN: cannot be said */
};

/* The numbers of ranks that are estimated: times the largest of the runs. */
enum { SCALING_AHEAD = 2 };
extern const int scaling_ahead[SCALING_AHEAD];

struct scaling {
    enum scaling_kind kind;
    bool given;      /* the kind, by the caller */
    const char *by;  /* the work: "instructions outside MPI", "instructions", "useful time" */
    double work;     /* of all ranks, of the last column over that of the first */
    int outside_mpi; /* the counters are those outside MPI, in all runs */
    int n;
    struct scaling_column column[MAX_RUNS]; /* by ranks */
    /* The factor that is the first below 0.8, at a column; or, with at = n, the one that has fallen most.
     * -1: none has fallen by 0.02. */
    int factor, at;
    bool estimated;                                            /* there are runs on enough numbers of ranks */
    struct growth_range estimate[SCALING_AHEAD][SCALING_ROWS]; /* of efficiencies; of others, zero */
};

/* Makes the table.
 *   job   n results, at least two, of at most MAX_RUNS
 *   kind  SCALING_FOUND, or what it is
 * false: they cannot be compared; why says what to do. */
bool scaling_make(struct scaling *scaling, struct job *const *job, int n, enum scaling_kind kind,
                  char why[SCALING_WHY]);

/* The elapsed time that an efficiency stands for, on so many ranks. */
double scaling_elapsed(const struct scaling *scaling, double global, double ranks);

/* Writes the sentences that stand first. */
enum { SCALING_VERDICT = 1024 };
void scaling_verdict(char text[SCALING_VERDICT], const struct scaling *scaling);

/* Writes sentences on why a figure may not mean what it seems to, and how those that are missing are had;
 * returns their number. */
enum { MAX_SCALING_REMARKS = 12, SCALING_REMARK = 320 };
int scaling_remarks(char remark[MAX_SCALING_REMARKS][SCALING_REMARK], const struct scaling *scaling);

/* Writes the table as text, JSON (docs/mpi-result.md) and CSV: a line for each number of ranks and each that
 * is estimated. */
void scaling_text(FILE *out, const struct scaling *scaling);
void scaling_json(FILE *out, const struct scaling *scaling);
void scaling_csv(FILE *out, const struct scaling *scaling);
