/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "roofs.h"

/* Points: what regions of a program did, and how near to the roofs they came. */

struct tool;

/* A line that launches a kernel. routine NULL: nobody saw the call; file "": it is not known. */
struct launch {
    char *routine, *file;
    int line;
    long long times;
    double seconds; /* that the device took */
};

struct point {
    char *name;
    /* The device of a kernel, and the lines that launch it there; true if its operations and bytes are known.
     */
    char *device;
    struct launch *launch;
    int n_launches;
    bool counted;
    int threads; /* that were in it */
    long long entries;
    double seconds;                     /* of the thread that was in it for the longest time */
    double operations[ROOF_PRECISIONS]; /* by all threads */
    /* Bytes that came from each level of the roofs; a negative number: not known. What was written is part of
     * what came where it is not known by itself. */
    double read[ROOFS_LEVELS], written[ROOFS_LEVELS];

    /* by points_limit */
    double rate;   /* operations a second */
    int limit;     /* the level whose roof is the lowest, or POINT_PEAK, or POINT_NONE */
    bool reads;    /* it is the roof of reads only */
    double roof;   /* operations a second that it allows */
    double share;  /* of that roof: how near to it; 1 is on it */
    double spread; /* of the roof, as struct roof_rate */
};

enum { POINT_PEAK = -1, POINT_NONE = -2 };

struct points {
    char *command; /* NULL: there is none */
    char *counted_by;
    bool busy;   /* threads waited for processors while its times were taken */
    char **note; /* what else a reader must know, sentences */
    int n_notes;
    struct point *point;
    int n;
};

/* Finds the point with a name, or adds one; or adds one in any case. */
struct point *points_find(struct points *points, const char *name);
struct point *points_add(struct points *points, const char *name);

/* Adds a line that launches a kernel; texts are copied. */
void point_add_launch(struct point *point, const struct launch *launch);

/* "3 times, 4.5 ms, from host, work.cu:38"; to be freed. */
char *launch_text(const struct launch *launch);

/* Adds a sentence, which the points keep. */
void points_add_note(struct points *points, char *note);
void points_free(struct points *points);

/* Finds the lowest roof over each point, and sorts the points by their time, longest first. */
void points_limit(struct points *points, const struct roofs *roofs);

/* True if it lies above its roof: the time, what was counted or the roof is wrong. */
bool point_is_above(const struct point *point);

/* Sums over all precisions; bytes that came from a level, those of doubtful caches from memory, negative
 * where that is not known; operations for each of them, 0 where that is not known, or nothing came. */
double point_operations(const struct point *point);
double point_bytes(const struct point *point, const struct roofs *roofs, int level);
double point_intensity(const struct point *point, const struct roofs *roofs, int level);

/* "peak", or the name of the level: which roof it is. */
const char *point_limit_name(const struct point *point, const struct roofs *roofs);

/* The level that a point is given at: the one whose roof is the lowest, memory where the peak is. */
int point_level(const struct point *point, const struct roofs *roofs);

/* Says the sentences that a reader of the shares must know: caches that are no roofs, what made the times or
 * the roofs too long or too low, kernels above their roof, and the points' notes. */
typedef void points_say(void *data, const char *sentence);
void points_notes(const struct points *points, const struct roofs *roofs, points_say *say, void *data);

/* ---- events */

/* Source of operations and bytes: the events that count them. */
struct source {
    const char *name;
    const char *operations[2]; /* single and double precision; NULL: none */
    /* Lines that the data caches lacked, from the first level; without writes, of all accesses. */
    const char *read[ROOFS_LEVELS], *written[ROOFS_LEVELS];
};

/* The emulator, with its caches; and all presets, whether they count here or not. */
extern const struct source source_emulator, source_presets;

/* The machine's counters: false where no operations, or nothing that came from memory, count here; then *why
 * is a sentence. levels: caches of the roofs. */
bool source_counters(struct source *source, int levels, const char **why);

/* The events of a source, as PAPI_EVENTS takes them. To be freed. */
char *source_events(const struct source *source, int levels);

/* Adds an amount of an event, by its name, to a region's point: as operations, or as bytes, with the size of
 * a cache line that the roofs have. Other events are ignored. */
void source_add(const struct source *source, struct point *point, const char *event, double amount,
                const struct roofs *roofs);

/* ---- from a program */

/* Readers of what a program left. They return NULL, or a sentence to be freed. */

/* The regions in all files of folder/papi_hl_output, added up by name; no point at all if there is no such
 * folder, or no region in it. */
char *regions_read(const char *folder, const struct source *source, const struct roofs *roofs,
                   struct points *points);

/* The whole run, from papi_emulate's report; name: for its point. */
char *regions_read_whole(const char *report, const char *name, const struct roofs *roofs,
                         struct points *points);

/* Runs a program, and finds what its regions, or else the whole of it, did.
 *   word     the program and its arguments, up to NULL
 *   emulate  what it did is counted in the emulator although counters count here
 *   *ended   how it ended, as of waitpid
 * A tool's status, after a message. A program that cannot be run, or ends with an error, has that as *ended
 * and may leave no points. */
int program_run(struct tool *tool, char **word, bool emulate, const struct roofs *roofs,
                struct points *points, int *ended);

/* ---- from profiles */

/* Routines of profiles (papi_profile's files), as points: operations, bytes and time of each in itself.
 * Several profiles of one program add to one another: one may have the time, the other what was counted.
 * NULL, or what failed, a sentence to be freed. */
char *profiles_read(const char *const *path, int n, const struct roofs *roofs, struct points *points);

/* ---- from devices */

/* Operations and bytes of kernels' launches, of a table that somebody made, or NULL. */
struct kernel_counts;

/* Reads the table (docs/roofline.md). NULL, or what failed, a sentence to be freed. */
char *kernel_counts_read(const char *path, struct kernel_counts **counts);
void kernel_counts_free(struct kernel_counts *counts);

/* "given in counts.csv" */
const char *kernel_counts_source(const struct kernel_counts *counts);

/* Adds what so many launches of the point's kernel did, to the level that memory is. False: the table has no
 * such kernel. */
bool kernel_counts_add(struct kernel_counts *counts, struct point *point, int memory);

/* Notes the rows that no kernel took. */
void kernel_counts_note_rest(const struct kernel_counts *counts, struct points *points);

/* Kernels of profiles that were made with --devices, as points: one for each kernel and device. Those on
 * devices of the model of the roofs get what was counted. counts NULL: nothing was. NULL, or what failed, a
 * sentence to be freed. */
char *kernels_read(const char *const *path, int n, const struct roofs *roofs, struct kernel_counts *counts,
                   struct points *points);

/* ---- from a job */

/* The regions of an MPI job, from its result file (docs/mpi-result.md), or else the whole job: what each of
 * its nodes did in the mean, in the time of the rank that took longest. NULL, or what failed, a sentence to
 * be freed. */
char *job_read(const char *path, const struct roofs *roofs, struct points *points);
