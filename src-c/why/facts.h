/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "call_kinds.h"

#include <stdbool.h>
#include <stdint.h>

/* Facts of a run: measured, counted, and read from the program's code. Reasons are made of this and
 * of nothing else. Texts belong to whoever made the facts. */

/* A line of the program; file "": it is not known, and line is 0. */
struct where {
    const char *routine, *file;
    int line;
};

/* Events that the processor's own counters have seen, in samples; negative: it does not count that. */
struct measured {
    bool known; /* there were enough samples of its cycles */
    double cycles, instructions, mispredictions, last_misses;
};

/* A loop, or what a routine has outside of loops, and what a turn of it does (docs/profile.md, "loops"). */
struct why_loop {
    struct where hottest, chain, divide, root, convert, integer_divide, indirect, far, strided, branch, call,
        locked, stored, undecided;
    const char *object; /* the program or library */
    int64_t start;      /* address of its code, the same in all runs */
    bool is_loop, innermost, optimised, known;
    double seconds;       /* of all threads together */
    double faults;        /* pages */
    double seconds_alone; /* on one processor, of one thread after the other; negative: not known */
    bool counted;         /* the next ones are known */
    double turns, instructions, l1_misses, l2_misses, last_reads, last_writes, undecided_turns, system_calls;
    int loads, stores, scalar, vector, bits, calls, branches, atomics, unknown, divides, roots, converts,
        integer_divides, stack, indirect_loads, far_accesses;
    double stride, at_least, divider, chain_cycles, chain_share;
    const char *chain_work;
    bool chases;
    struct measured measured;
};

/* Time in a library of the system, by the line of the program that it was called from. */
struct why_callee {
    const char *routine, *object; /* the routine with most of it */
    struct where at;
    double seconds, most; /* most: of that routine alone */
    double of_kind[CALL_KINDS];
    bool within; /* the line is in a parallel part of OpenMP */
    double faults;
};

/* Things that threads waited for, where and how long in the sum over them. */
enum wait_kind {
    WAIT_SLEEP, /* the program asked for it */
    WAIT_LOCK,  /* for another thread */
    WAIT_FILE,  /* a read, a write or an fsync of a file */
    WAIT_OTHER, /* a pipe, a socket, a terminal, a child */
    WAIT_KINDS
};

struct why_wait {
    enum wait_kind kind;
    struct where at;
    const char *call; /* the system call */
    const char *file; /* its file; "": none, or it is not known */
    double share;     /* of the run in which nothing else ran while it waited */
    double seconds;   /* of the thread */
};

struct facts {
    double wall, user, system; /* seconds of the run with the least disturbance */
    double idle;               /* share of the run in which no thread wanted a processor */
    double looks;              /* how often its threads were looked at: of few looks little follows */
    double delayed; /* share of it in which others had the processors that it wanted; all others are of the
                       rest */
    double serial;  /* share of it in which one thread of several did, and the others waited */
    int threads, processors;
    int ranks;            /* of an MPI job, on this machine; 0: it is none */
    double busiest, mean; /* processor time of threads that live as long as the run: seconds */
    double cycles;        /* a second; 0: not known */
    double faults;        /* pages touched first */
    double of_a_fault;    /* seconds that one takes here, at the least */
    double reads, writes, bytes_read, bytes_written; /* calls, and what they moved */
    double one_core, all_cores;                      /* bytes a second from memory; 0: not known */
    double system_calls;                             /* of the emulated run; 0: not known */
    double calls[CALL_KINDS];                        /* of these, by what they do */
    double sampled;                                  /* seconds in all samples */
    struct where busiest_place;                      /* where the thread that works alone is */
    bool measured;                                   /* a run with the processor's counters came to its end */
    bool counted;                                    /* the emulated run came to its end */
    bool decoded; /* loops are known: x86-64, and a disassembler was there */
    struct why_loop *loop;
    int n_loops;
    struct why_callee *callee;
    int n_callees;
    struct why_wait *wait;
    int n_waits;
};

/* True if both are the same line of the same file, which is known. */
bool where_equal(const struct where *one, const struct where *other);

/* Releases the lists. */
void facts_free(struct facts *facts);
