/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "job/job.h"
#include "record/settings.h"

#include <signal.h>
#include <stddef.h>

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
