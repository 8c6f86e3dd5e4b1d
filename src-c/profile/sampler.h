/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "attributes.h"
#include "base/reason.h"
#include "index.h"
#include "papi.h"

#include <sys/types.h>

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
    int *fd;
    struct sampler_buffer *buffer;
    struct index
        ids;   /* the kernel's, of each event on each CPU: an id's number modulo n_events is its event */
    int spool; /* the file; -1: none */
    uint64_t written;
    int error; /* errno of a write that failed */
};

/* Counts begin when the process executes a program. A PAPI_E* code with the reason. */
int sampler_open(struct sampler *sampler, const struct attributes *attributes, enum sampler_stacks stacks,
                 pid_t pid, struct reason *why);

/* Empties the buffers. How full the fullest one was, from 0 to 1. */
double sampler_drain(struct sampler *sampler);

/* Nanoseconds of all threads in which an event was to be counted, and was. */
void sampler_times(const struct sampler *sampler, int event, uint64_t *enabled, uint64_t *running);

void sampler_close(struct sampler *sampler);

/* The layout of a sample. */
enum {
    SAMPLER_TYPE =
        PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD
};
