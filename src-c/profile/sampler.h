/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/reason.h"
#include "call_tree.h"
#include "exact_counts.h"
#include "index.h"
#include "memory_events.h"
#include "native_data.h"
#include "native_launches.h"
#include "papi.h"
#include "tools/common/counted_command.h"
#include "tools/common/tool.h"

#include <linux/perf_event.h>
#include <sys/types.h>

/* ---- events */

/* Events by the library's names, as the kernel is asked to sample them. */

struct attributes {
    int n;
    struct perf_event_attr attr[PROFILE_EVENTS];
    const struct memory_event *memory[PROFILE_EVENTS]; /* NULL: not of addresses of data */
    bool of_cores[PROFILE_EVENTS];                     /* samples can be precise, */
    int precise[PROFILE_EVENTS];                       /* up to this level */
};

/* Adds an event whose samples have addresses of data. */
void attributes_add_memory(struct attributes *attributes, const struct memory_event *event,
                           struct profile *profile);

/* Adds the event that branch_event_find found, and where it counts that of all branches that were
 * mispredicted. A tool's status, after a message. */
int attributes_add_branches(struct attributes *attributes, struct tool *tool,
                            const struct perf_event_attr *event, struct profile *profile);

/* Adds an event and describes it in the profile. word: EVENT or EVENT=PERIOD; NULL: cycles where the
 * processor counts them, or its clock. Returns a tool's status, after a message. */
int attributes_add(struct attributes *attributes, struct tool *tool, const char *word,
                   struct profile *profile);

/* ---- samples */

/* The kernel's samples of a process and all its threads and children: an event has a counter on each CPU,
 * which writes into a buffer for each CPU. What is in the buffers goes into a file without a name. */

enum sampler_stacks {
    STACKS_NONE,   /* where, not from where */
    STACKS_FRAMES, /* by frame pointers, which the kernel follows */
    STACKS_COPIED  /* registers and the end of the stack, which are unwound afterwards */
};

struct sampler_buffer {
    struct perf_event_mmap_page *head;
    char *data;
    size_t size;
    uint32_t pages;
};

struct sampler {
    int n_events, n_fds, fd_room, n_buffers, buffer_room;
    int *fd;                             /* of each event on each CPU; -1: that one has it not */
    int *leader, n_leaders, leader_room; /* of groups, whose counts nobody reads */
    struct sampler_buffer *buffer;
    struct index
        ids;   /* the kernel's, of each event on each CPU: an id's number modulo n_events is its event */
    bool data; /* samples have addresses of data: */
    uint64_t sample_type[MEMORY_EVENTS]; /* of each event, */
    bool ibs[MEMORY_EVENTS];             /* which is one of the PMU ibs_op */
    bool exact[MEMORY_EVENTS];           /* and whose samples have the address of the very instruction */
    int precise[PROFILE_EVENTS];         /* of each event, as profile_event has it: the least of all CPUs */
    int line_bytes;                      /* of the caches' lines, a power of two */
    uint64_t branch_type;                /* PERF_SAMPLE_BRANCH_* of the first event; 0: without branches */
    int spool;                           /* the file; -1: none */
    uint64_t written;
    int error; /* errno of a write that failed */
};

/* Opens the counters and buffers of a process (pid) that has not executed its program yet: counts begin when
 * it does. Returns a PAPI_E* code with the reason in *why. */
int sampler_open(struct sampler *sampler, const struct attributes *attributes, enum sampler_stacks stacks,
                 pid_t pid, struct reason *why);

/* Empties the buffers into the file. Returns how full the fullest one was, from 0 to 1. */
double sampler_drain(struct sampler *sampler);

/* Sums over all threads the nanoseconds in which an event was to be counted (enabled), and was (running). */
void sampler_times(const struct sampler *sampler, int event, uint64_t *enabled, uint64_t *running);

void sampler_close(struct sampler *sampler);

/* The fixed part of a sample, before its stack. */
enum {
    SAMPLER_TYPE =
        PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD
};

/* Appends a record that begins and ends as the kernel's. */
void sampler_append(struct sampler *sampler, const void *record, size_t size);

/* Makes a profile of the kernel's records: what was mapped where, and the samples in the order of their
 * times. Returns a PAPI_E* code with the reason in *why. */
/* Appends the allocations that a program has noted in a file to the samples. */
void sampler_take_allocations(struct sampler *sampler, const char *path);

int replay(struct profile *profile, const struct sampler *sampler, enum sampler_stacks stacks,
           struct reason *why);

/* ---- a run */

/* The run of a program that is sampled. Functions return a tool's status, after a message. */
struct run {
    struct tool *tool;
    struct profile *profile;
    struct command *command;
    const struct option_words *events;      /* none: the usual one */
    struct exact *exact;                    /* NULL: it is sampled */
    const struct native_data *data;         /* not NULL: samples have addresses of data */
    const struct native_launches *launches; /* NULL: devices are not asked for */
    const struct perf_event_attr *branches; /* NULL: nor branches */
    char **program;                         /* and its arguments */

    /* sampler.c's own */
    enum sampler_stacks stacks;
    struct sampler sampler;
};

/* Chooses how stacks are sampled: "copied", "frames", "none"; NULL: the best that this machine has. */
int run_stacks(struct run *run, const char *how);
/* Opens everything that the run needs, so that errors appear before the program runs. */
int run_prepare(struct run *run);
/* Runs the program to its end, and makes the profile. */
int run_go(struct run *run);
/* True if the program could not be executed, which the child has reported. */
bool run_failed_to_start(const struct run *run);
void run_end(struct run *run);
