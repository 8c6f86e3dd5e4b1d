/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "job/job.h"
#include "record/record.h"

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

/* A record that a rank left in its file, in plain memory: nothing that happens to the file changes it. All
 * numbers in it that say where something is were checked. */
struct saved {
    struct rank_record *record;
    pid_t runs; /* the process that still holds the file, 0: none */
};

/* head_only: without the thread records, n_chunks is 0. name: in the directory; not through a link. Returns
 * 0, or -1 with a reason ("is truncated") in why. */
int saved_read(struct saved *saved, int directory, const char *name, int head_only, char *why, size_t room);
void saved_free(struct saved *saved);

/* The folders of records in a directory, or the directory itself where it is one: what jobs left that did not
 * end well, and what jobs have that still run. Prints a line for each; with remove those that do not run are
 * removed, and this is said. For papi_mpi_report. Returns how many there were; -1 with errno: the directory
 * cannot be read, or a folder not removed. */
int kept_records(FILE *out, const char *directory, bool remove);

/* The folders of jobs in a directory of which a rank runs, or the directory itself where it is one: those
 * whose name has the text job in it, with NULL all. Prints a line for each. Returns how many there are, and
 * puts the name of the last one into folder; -1 with errno: the directory cannot be read. */
int running_records(FILE *out, const char *directory, const char *job, char *folder, size_t room);

/* As job_recover, of one folder of a job that runs: it is not worth a remark that its ranks do. */
struct job *job_look(char *folder, char *why, int room);

/* Makes a job of the records in directories, which job_free frees. NULL: what is wrong is in why, a sentence.
 * With a job there are remarks in why: files that were left out, ranks that still run; "": none. */
struct job *job_recover(char *const *directories, int n, char *why, int room);
