/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "job/job.h"
#include "record/settings.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

/* Place of the result file. */
enum place_kind {
    PLACE_NONE,   /* not wanted */
    PLACE_FILE,   /* written beside its name and renamed when it is complete */
    PLACE_SPECIAL /* a device, a pipe: written to as it is, without rows */
};

struct place {
    enum place_kind kind;
    int replaces;    /* an earlier result is there */
    char file[4400]; /* absolute, if directory is */
    char part[4500]; /* its name until it is complete; no other job has it */
};

/* directory: what a relative PAPI_MPI_OUTPUT, or none, is relative to. On -1 why is a sentence; then, too,
 * the file is named. */
int place_find(struct place *place, const struct settings *settings, const char *directory,
               const char *program, const char *job, char why[COMPLAINT_LENGTH]);

/* "f.json" becomes "f.JOB.json": a job that was spawned has the settings of the one that spawned it, and
 * would replace its files. Devices and pipes keep their names. */
void place_name_job(char *path, size_t room, const char *job);

/* A write beyond ulimit -f, or to a pipe that nobody reads, would end the program: between hold and release
 * it is an error like others, in the calling thread. */
struct held_signals {
    sigset_t held, before, pending;
};

void signals_hold(struct held_signals *signals);
void signals_release(const struct held_signals *signals);

/* The result file as one process writes it: the head, the end, and room for rows between. Each returns 0, or
 * the errno of what failed. */

/* Creates place->part with room for rows. *head: the bytes before the first row; *size: the bytes of the
 * whole file. */
int result_file_begin(const struct place *place, const struct job *job, uint64_t rows, int64_t *head,
                      int64_t *size);

/* True if each row is there as job_write_row makes it, in order of rank. */
int result_file_check_rows(const struct place *place, const struct job *job, uint64_t rows, int64_t head);

/* Writes the whole result to a device or a pipe. */
int result_file_write_special(const struct place *place, const struct job *job);

/* ---- JSON */

/* The result file: JSON as docs/mpi-result.md describes it. The part before the rows, the rows, the end:
 * all rows have the same length, so that every rank can write its own at its place.
 *   head + ranks * job_row_length(job) + tail
 * is the whole file, and valid JSON; without rows head and tail alone are. */
enum {
    JOB_FILE_VERSION = 1,
    JOB_ROW_LENGTH = 1472 /* of a row without regions and calls */,
    JOB_ROW_NUMBER = 20,  /* each of their numbers, */
    JOB_ROW_BRACKETS = 3, /* and each list of them */
    JOB_ROW_REGION = 3,   /* numbers of a region, and its counters */
    JOB_ROW_CALL = 4,     /* numbers of a call */
    JOB_ROW_LEAST = 1280  /* of earlier versions */
};
#define JOB_FILE_FORMAT "papi_mpi result"

void job_write_head(FILE *out, const struct job *job);
size_t job_row_length(const struct job *job);
/* Writes a row of job_row_length bytes: blanks fill it up, and a line feed is its last byte. last: no comma
 * follows. */
void job_write_row(char *text, const struct job *job, const struct job_row *row, int last);
/* Writes all rows of the job. 0; -1: out of memory, with errno. */
int job_write_rows(FILE *out, const struct job *job);
void job_write_tail(FILE *out);

/* Makes a job of a result file, which job_free frees. NULL: what is wrong is in why, a sentence with the
 * file's name and the line, where there is one. For papi_mpi_report: nothing of this is in the wrapper
 * library. */
struct job *job_read(const char *file, char *why, int room);

/* ---- a file that is read */

/* A result file as a parser of JSON reads it: without its rows, where these stand at their fixed places.
 * A million of them as one tree of JSON values would not fit into the memory of most nodes; one after the
 * other they need none. */
struct source {
    FILE *file;
    bool foreign;         /* another user may have written it: trust_contents */
    bool skips;           /* the file can be read at any place, so that rows can be left for later */
    int matched;          /* bytes of what stands before the rows */
    off_t rows;           /* their place in the file */
    long long n_rows;     /* that were left out */
    size_t row_length;    /* of each of them; 0: none */
    int rows_line;        /* the line of the first one */
    int line;             /* being read */
    long long bytes;      /* given to the parser */
    bool failed, too_big; /* why it got no more */
};

/* NULL, or why it cannot be read. The caller closes the file. */
const char *source_open(struct source *source, const char *file);

/* Reads for json_load_callback; data is the source. */
size_t source_read(void *buffer, size_t size, void *data);

/* The text of the next row that was left out, without the comma; the first call begins at the first one.
 * Returns its length, 0 after the last one. text has room for row_length. */
size_t source_row(struct source *source, long long i, char *text);

/* The line of the file where the parser has counted this one. */
int source_line(const struct source *source, int parsed);
