/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "roofs.h"

/* Points: what regions of a program did, and how near to the roofs they came. */

struct tool;

struct point {
    char *name;
    int threads; /* that were in it */
    long long entries;
    double seconds;       /* of the thread that was in it for the longest time */
    double operations[2]; /* single and double precision, by all threads */
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
    bool busy; /* threads waited for processors while its times were taken */
    struct point *point;
    int n;
};

/* Finds the point with a name, or adds one. */
struct point *points_find(struct points *points, const char *name);
void points_free(struct points *points);

/* Finds the lowest roof over each point, and sorts the points by their time, longest first. */
void points_limit(struct points *points, const struct roofs *roofs);

/* Sums over all precisions; bytes that came from a level, those of doubtful caches from memory, negative
 * where that is not known; operations for each of them, 0 where that is not known, or nothing came. */
double point_operations(const struct point *point);
double point_bytes(const struct point *point, const struct roofs *roofs, int level);
double point_intensity(const struct point *point, const struct roofs *roofs, int level);

/* "peak", or the name of the level: which roof it is. */
const char *point_limit_name(const struct point *point, const struct roofs *roofs);

/* The level that a point is given at: the one whose roof is the lowest, memory where the peak is. */
int point_level(const struct point *point, const struct roofs *roofs);

/* Sentences that a reader of the shares must know: caches that are no roofs, and what made the times or
 * the roofs too long or too low. Returns how many there are, at most POINTS_NOTES. */
enum { POINTS_NOTES = 3 };
int points_notes(const struct points *points, const struct roofs *roofs, char text[POINTS_NOTES][256]);

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

/* ---- from a job */

/* The regions of an MPI job, from its result file (docs/mpi-result.md), or else the whole job: what each of
 * its nodes did in the mean, in the time of the rank that took longest. NULL, or what failed, a sentence to
 * be freed. */
char *job_read(const char *path, const struct roofs *roofs, struct points *points);
