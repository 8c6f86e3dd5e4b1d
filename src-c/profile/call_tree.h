/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "index.h"

#include <stdbool.h>
#include <stdint.h>

/* A profile: how much of each event happened where, as a tree of calls. Strings, routines, places and nodes
 * are stored once each and named by their numbers, from 0 on; PROFILE_NONE stands for none. */

enum { PROFILE_EVENTS = 8, PROFILE_NONE = -1 };

struct profile_event {
    char *name;
    uint64_t period;  /* events between two samples; 0: they come at a rate */
    bool clock;       /* counts nanoseconds */
    bool exact;       /* counted, not sampled */
    uint64_t sum;     /* events */
    uint64_t samples; /* 0 where it is exact */
    /* Nanoseconds, summed over all threads, in which the event was to be counted (enabled) and was counted
     * (running). 0: not known. */
    uint64_t enabled, running;
    int precise; /* the addresses of its samples: PRECISE_KNOWN and the kernel's precise_ip; 0: not known */
};

enum { PRECISE_KNOWN = 1, PRECISE_LEVELS = 4 };

struct profile_process {
    long pid;
    char *command;
    int threads;
};

/* A routine as its source has it. */
struct routine {
    int32_t name, object; /* the program or library */
    int32_t file, line;   /* of its beginning; PROFILE_NONE, 0: not known */
};

/* A line of a routine. Its file may be another one than the routine's, if that includes it. */
struct place {
    int32_t routine, file, line;
};

/* The arithmetic on floating-point numbers that the instructions of a place do, where they were looked at. */
struct arithmetic {
    bool scalar;   /* on one number at a time */
    uint16_t bits; /* on all lanes of vectors of so many; 0: of none */
};

/* A place that was reached by calls from the place of the parent. A parent comes before its children. */
struct node {
    int32_t parent; /* PROFILE_NONE: the outermost */
    int32_t place;
    int32_t inlined; /* 1: the compiler put it into the parent */
};

/* An instruction of a routine's code, with what happened at it. */
struct instruction {
    uint64_t address;     /* as the file of the program has it */
    uint64_t target;      /* of a jump; 0: none, or not known before it runs */
    uint64_t runs, taken; /* where they were counted: how often it ran, and of those jumped */
    uint64_t value[PROFILE_EVENTS];
    int32_t place; /* the innermost, where routines were inlined */
    int32_t text;  /* of the disassembly */
    int32_t flow;  /* enum instruction_flow */
};

enum instruction_flow {
    FLOW_NEXT,   /* goes on behind itself; so does a call */
    FLOW_BRANCH, /* there or to the target */
    FLOW_JUMP,   /* to the target alone */
    FLOW_LEAVES, /* a return, or a jump to an address that is computed */
    FLOW_KINDS
};

/* Code of a routine, in one piece. */
struct listing {
    int32_t routine, object; /* the routine in which others may be inlined */
    bool counted;            /* runs and taken are known */
    struct instruction *row; /* by their addresses */
    int n, room;
};

enum {
    LISTING_MOST_ROWS = 20000, /* of a piece: a longer one is not shown */
    LISTING_MOST_ROWS_IN_ALL = 100000,
};

/* Data of a program. */
struct datum {
    int32_t kind;   /* enum datum_kind */
    int32_t name;   /* of a variable, a string; PROFILE_NONE */
    int32_t object; /* the file that has the variable, a string; PROFILE_NONE */
    int32_t place;  /* of the call that allocates; PROFILE_NONE */
};

enum datum_kind {
    DATUM_OTHER, /* memory that is not told apart */
    DATUM_VARIABLE,
    DATUM_ALLOCATED,
    DATUM_STACK,  /* all stacks */
    DATUM_UNSEEN, /* memory of a program whose stack and allocations nobody reported */
    DATUM_KINDS
};

/* An instruction's line, and data that it accesses. */
struct datum_use {
    int32_t datum, place;
};

enum { DATA_LEVELS = 3 }; /* of caches */

struct datum_counts {
    uint64_t size, times; /* bytes of all allocations together, and how many */
};

struct datum_use_counts {
    uint64_t accesses, miss[DATA_LEVELS];
    int64_t stride;         /* bytes from one access to the next, most often */
    uint64_t equal, moves;  /* so often at least, of so many */
    uint64_t fetched, used; /* bytes of lines brought into the first cache, and how many of them were used */
};

/* Work of devices at a node, which stands for a kernel or copies below the line that launches them. The time
 * is the node's, of the event DEVICE_TIME. */
struct device_sum {
    int32_t kind;                       /* enum device_work_kind */
    uint64_t times, least, most, bytes; /* least, most: ns of one */
};

/* Devices of the profiled processes, where they were asked for. */
struct profile_devices {
    int processes, unended;       /* that used devices; of them those that did not give all they had */
    uint64_t dropped, unfinished; /* pieces of work that are missing: the driver had no room; not ended */
    char *why;                    /* why nothing is known of a process; NULL */
};

/* Samples of accesses that are alike in all of this. */
struct datum_sample {
    int32_t datum, place;
    int32_t store;      /* 1 */
    int32_t level, tlb; /* memory_samples.h */
    int32_t latency;    /* cycles, of a load; LATENCY_UNKNOWN */
};

/* A line of the caches that several threads of a process accessed, by samples. */
struct shared_line {
    uint64_t address;
    int32_t process, unused; /* process: its number in the profile */
};

/* Accesses of a thread to some bytes of such a line that are alike in all of this. */
struct line_use {
    int64_t within; /* where in the datum; PROFILE_NONE: not known */
    int32_t line, thread, datum, place;
    int32_t offset, width; /* in the line, the first byte and how many; width 0: not known */
    int32_t store, moved;  /* moved: a load that found the line in another core's cache */
};

struct line_use_counts {
    uint64_t samples, wait; /* wait: cycles, of loads whose latency is known */
    double squares;         /* of these waits */
};

/* A branch that was taken, by the processor's records of the last ones before a sample. */
struct branch {
    uint64_t from, to;            /* addresses that the files give to the branch and what it goes to */
    int32_t from_place, to_place; /* the innermost, where routines were inlined */
    int32_t object;               /* of the branch, a string */
    int32_t type;                 /* PERF_BR_*, and from 16 on PERF_BR_NEW_* + 16; 0: not known */
};

struct branch_counts {
    uint64_t taken, stacks; /* in records; stacks: in how many samples' records it was */
    uint64_t told,
        mispredicted;       /* told: of the takings, those of which it is known whether it was foreseen */
    uint64_t timed, cycles; /* since the branch before, where that is known */
};

/* A loop by its branches back to its first instruction. */
struct branch_loop {
    uint64_t head;
    int32_t object, place; /* of the head */
};

struct branch_loop_counts {
    uint64_t end; /* the last instruction that goes back */
    int32_t end_place;
    uint64_t arrivals; /* at the head: one for each iteration */
    uint64_t entries;  /* from outside; 0: none was seen, or they are not told apart */
    uint64_t stacks;   /* with an entry */
};

/* Sums over all branches, shown or not. */
struct branch_sums {
    uint64_t stacks, taken, told, mispredicted;
    uint64_t mispredicted_stacks; /* with any that was mispredicted */
    uint64_t broken;              /* records that do not follow one another, which are left out */
};

/* Least and most of the first event that a rank of a job has in a routine itself, and which ranks those are.
 */
struct extremes {
    uint64_t least, most;
    int32_t least_rank, most_rank;
};

/* The maker of a profile; it depends on that which of the files that it names are read. */
struct profile;
struct profile_origin {
    enum profile_maker {
        PROFILE_OF_RUN,    /* this process */
        PROFILE_OF_READER, /* a file of this user's or root's */
        PROFILE_OF_OTHERS, /* another user, or nobody knows */
    } maker;
    const char *const *folder; /* in which the reader says that sources are */
    int n_folders;
    /* Marks the strings that are source files of the profile's programs, by their debug information; NULL:
     * none is. */
    void (*names)(const struct profile *profile, bool *named);
};

struct profile {
    struct profile_origin origin;
    char **command; /* NULL after the last */
    char *host;
    int64_t started; /* seconds since 1970 */
    double seconds;
    int ranks;    /* of the MPI job; 0: no such */
    int n_events; /* at most PROFILE_EVENTS */
    struct profile_event event[PROFILE_EVENTS];
    struct profile_process *process;
    int n_processes, process_room;
    uint64_t lost;      /* samples for which there was no room */
    uint64_t throttled; /* times that the kernel stopped sampling for a moment, because it was too much */
    struct index strings, routines, places, nodes;
    struct extremes *extremes; /* of each routine, where there are ranks */
    int n_extremes;
    struct arithmetic *arithmetic; /* of each place below arithmetic_room */
    int arithmetic_room;
    struct loop *loop; /* loops/hot.h */
    int n_loops, loop_room;
    struct listing *listing; /* of the routines with most of the first event, where it was looked at */
    int n_listings, listing_room;
    struct index data, data_uses; /* struct datum, struct datum_use; where they were asked for */
    struct datum_counts *datum_counts;
    struct datum_use_counts *data_use_counts;
    struct profile_devices devices;
    struct index device_nodes;     /* int32_t: nodes that devices worked for, with ... */
    struct device_sum *device_sum; /* ... what they did */
    int device_room;
    struct index data_samples;
    uint64_t *n_data_samples; /* of each */
    int data_sample_room;
    int datum_room, data_use_room;
    int line_bytes;                /* of the caches, where accesses were sampled; 0 */
    struct index lines, line_uses; /* struct shared_line, struct line_use */
    struct line_use_counts *line_use_counts;
    int line_use_room;
    bool branched;                       /* branches were recorded */
    struct index branches, branch_loops; /* struct branch, struct branch_loop */
    struct branch_counts *branch_counts;
    struct branch_loop_counts *branch_loop_counts;
    struct branch_sums branch_sums;
    int branch_room, branch_loop_room;
    uint64_t *value; /* of each node, n_events each */
    int value_room;
    bool *unlined, *unnamed; /* of each string that is an object: it has no lines, no names of routines */
    int object_room;
};

/* The sum of two counts, or the most that a file has room for. */
static inline uint64_t profile_sum(uint64_t a, uint64_t b)
{
    uint64_t sum;
    return __builtin_add_overflow(a, b, &sum) || sum > INT64_MAX ? INT64_MAX : sum;
}

int profile_string(struct profile *profile, const char *text);
int profile_routine(struct profile *profile, const struct routine *routine);
int profile_place(struct profile *profile, const struct place *place);
int profile_node(struct profile *profile, const struct node *node);
struct profile_process *profile_process(struct profile *profile, long pid, const char *command);

/* Adds an amount of an event, by its number in profile->event, to a node itself. */
void profile_count(struct profile *profile, int node, int event, uint64_t amount);

/* Adds to the arithmetic that a place is known to do. */
void profile_calculates(struct profile *profile, int place, const struct arithmetic *arithmetic);
struct arithmetic profile_arithmetic(const struct profile *profile, int place);

/* Adds to what is known of data, and of its use. Returns the number of the datum. */
int profile_add_datum(struct profile *profile, const struct datum *datum, const struct datum_counts *counts);
void profile_add_use(struct profile *profile, const struct datum_use *use,
                     const struct datum_use_counts *counts);

void profile_add_samples(struct profile *profile, const struct datum_sample *sample, uint64_t n);

/* Adds a line that threads share, and samples of it. The first returns the line's number. */
int profile_add_line(struct profile *profile, uint64_t address, int process);
void profile_add_line_use(struct profile *profile, const struct line_use *use,
                          const struct line_use_counts *counts);

void profile_add_branch(struct profile *profile, const struct branch *branch,
                        const struct branch_counts *counts);
void profile_add_branch_loop(struct profile *profile, const struct branch_loop *loop,
                             const struct branch_loop_counts *counts);
void profile_add_branch_sums(struct profile *profile, const struct branch_sums *sums);

/* Adds work of devices to a node. Its time is counted as that of an event. */
void profile_add_device_work(struct profile *profile, int node, const struct device_sum *work);

/* The number of the event DEVICE_TIME; PROFILE_NONE: devices were not asked for. */
int profile_device_event(const struct profile *profile);

/* Adds a piece of code, whose rows become the profile's, to an equal one that is there or to the list. */
void profile_add_listing(struct profile *profile, const struct listing *code);

/* Notes that an object has no lines, or no names of routines. */
void profile_lacks(struct profile *profile, int object, bool lines, bool names);
bool profile_lacks_lines(const struct profile *profile, int object);
bool profile_lacks_names(const struct profile *profile, int object);

const char *profile_text(const struct profile *profile, int string); /* "" for PROFILE_NONE */
const struct routine *profile_routine_at(const struct profile *profile, int routine);
const struct place *profile_place_at(const struct profile *profile, int place);
const struct node *profile_node_at(const struct profile *profile, int node);
uint64_t profile_value(const struct profile *profile, int node, int event);

void profile_free(struct profile *profile);
