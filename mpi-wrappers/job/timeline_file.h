/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "job/job.h"
#include "job/result_file.h"
#include "record/call_ring.h"

struct site_names;

/* The last calls of all ranks in one file, of which Perfetto and Chrome's about:tracing draw the timeline:
 * the trace event format, JSON. docs/mpi.md says what is in it. */

#define TIMELINE_FORMAT "papi_mpi timeline"

/* Facts of a rank's ring. Plain numbers and texts: ranks send it to rank 0. */
struct ring_facts {
    int32_t rank, node;
    int32_t main_thread;
    uint32_t open; /* as in call_ring */
    uint64_t entries, replaced;
    uint64_t hertz;       /* ticks in a second */
    uint64_t ticks, nsec; /* a moment by the clock of the calls and by the node's */
    int64_t ahead;        /* nanoseconds that the clock of its node is ahead of rank 0's ... */
    uint64_t ahead_error; /* ... and by which that may be wrong */
    int32_t apart;        /* 1: that is not known, of other nodes' clocks */
    int32_t unused;
    char host[HOST_NAME];
    char region[MAX_REGIONS][REGION_NAME];
};

/* A rank's ring, its entries from the oldest on. The address of an entry is the place of its site among the
 * job's, and 1 more; 0: it has none. */
struct rank_timeline {
    struct ring_facts facts;
    struct ring_entry *entry;
};

/* Sums of what was written. */
struct timeline_sums {
    uint64_t calls, regions, replaced; /* replaced: calls and regions that the rings had no room for */
    uint64_t sent, received;           /* ends of messages in the rings */
    uint64_t joined;                   /* messages of which both are there */
    uint64_t lines;                    /* those of them that are drawn */
    uint64_t late_sender_ns;           /* the receiver waited before the send began */
    uint64_t clock_error_ns; /* between ranks, at most; 0: they are all on one node; UINT64_MAX: not known */
};

/* Puts the place of its site into each entry: addresses differ between ranks, places among the job's sites do
 * not. */
void timeline_place(struct ring_entry *entry, uint64_t n, const struct rank_record *record,
                    const struct site_names *names);

/* Reads the ring that a rank left beside its record, at path, into a timeline. before: the record as it was
 * found; record: with its end, and what was open closed; open: the calls that it was in. 0; 1: there is none,
 * -1: it cannot be read, why says. */
int timeline_saved(struct rank_timeline *into, const char *path, struct rank_record *before,
                   struct rank_record *record, const struct site_names *names, const struct job_open *open,
                   int n_open, char *why, size_t room);

/* Frees the timelines of n ranks. */
void timeline_free(struct rank_timeline *ranks, size_t n);

/* Puts the entries of n ranks, as these have sent them, in order of time: before the functions below. 0, or
 * -1: no memory. */
int timeline_order(struct rank_timeline *ranks, size_t n);

/* Puts into the job who waited for whom at its call sites. 0, or -1: no memory. */
int timeline_late(struct rank_timeline *ranks, size_t n, struct job *job);

/* Writes a whole file for n ranks and a job for which timeline_late was called. 0, or -1: no memory. */
int timeline_write(FILE *out, struct rank_timeline *ranks, size_t n, const struct job *job,
                   struct timeline_sums *sums);

enum { TIMELINE_NAME = 4500 };

/* Opens the timeline beside a result, and names it. NULL: there is none, or it is another job's. */
FILE *timeline_open_beside(const char *result, const char *job, char file[TIMELINE_NAME]);

/* Writes it beside a result: "result.json" has "result.timeline.json". 0; -1: why is a sentence. An earlier
 * timeline is replaced, any other file is left as it is. */
int timeline_write_beside(const struct place *result, struct rank_timeline *ranks, size_t n,
                          const struct job *job, struct timeline_sums *sums, char file[TIMELINE_NAME],
                          char why[COMPLAINT_LENGTH]);
