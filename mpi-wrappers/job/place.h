/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "record/settings.h"

#include <stddef.h>

/* Where the result file goes. */
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
