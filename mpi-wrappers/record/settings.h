/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* The environment variables of the wrapper library. A value that makes no sense leaves the default in
 * place and a sentence in complaint, which rank 0 prints. */

enum counters_mode { COUNTERS_AUTO, COUNTERS_BOUNDARY, COUNTERS_INSIDE, COUNTERS_NONE };
enum rows_mode { ROWS_AUTO, ROWS_YES, ROWS_NO };
enum sites_mode { SITES_NONE, SITES_CALLS, SITES_PROGRAM };
enum { ROWS_AUTO_MOST = 16384 /* ranks */, MAX_COMPLAINTS = 16, COMPLAINT_LENGTH = 400 };

struct settings {
    int off;                     /* PAPI_MPI=0|off|no: every call is passed on and nothing else */
    char output[4096];           /* PAPI_MPI_OUTPUT: the result file, a directory (ends in /), "none"; "" */
    char report[4096];           /* PAPI_MPI_REPORT: "stderr" (default), "stdout", "none", or a file */
    char directory[4096];        /* PAPI_MPI_DIR: where the records are; else TMPDIR, else /tmp */
    enum counters_mode counters; /* PAPI_MPI_COUNTERS=auto|boundary|inside|none */
    enum rows_mode rows;         /* PAPI_MPI_ROWS=auto|yes|no: a row for each rank in the result file */
    enum sites_mode sites;       /* PAPI_MPI_SITES=call (default)|program|off: where calls are made */
    int regions_by_rank; /* PAPI_MPI_REGIONS=job (default)|rank: rank has the library write its files too */
    int path;            /* PAPI_MPI_PATH=1|on|yes: the critical path is followed */
    size_t timeline;     /* PAPI_MPI_TIMELINE=BYTES: of a rank's last calls; 0: they are not kept */
    int received;        /* PAPI_MPI_RECEIVED=1|on|yes: messages are counted where they are received, too */
    int devices;         /* PAPI_MPI_DEVICES=1|on|yes: what the ranks' devices do */
    int node_devices;    /* devices on all ranks: these tell each other of them */
    int teams;           /* PAPI_MPI_THREADS=1|on|yes: what the threads of OpenMP do */
    int times;           /* PAPI_MPI_TIMES=1|on|yes: the distribution of how long each call takes */
    int communicators;   /* PAPI_MPI_COMMUNICATORS=1|on|yes: calls are counted by communicator, too */
    int share;           /* PAPI_COUNTED_SHARE=0: what a counted build does not count is not sampled */
    const char *events;  /* PAPI_EVENTS, or NULL */
    int spawned;         /* not a variable: the job was started by another one, whose settings it has */
    int n_complaints;
    char complaint[MAX_COMPLAINTS][COMPLAINT_LENGTH];
};

void settings_read(struct settings *settings);

/* True if PAPI_MPI_THREADS asks for it, before settings are read: without a complaint. */
bool settings_want_teams(void);

/* Adds a sentence for rank 0 to print, as printf; what does not fit is dropped. */
void settings_complain(struct settings *settings, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
