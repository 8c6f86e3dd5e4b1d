/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/hash.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Counts of a program by routine and line: the model that all of papi_gate is about. Texts belong to the
 * counts. */

enum { GATE_EVENTS = 40 };

/* A count, a sum of counts or a difference: exact where double is not any more, above 2^53. */
typedef long double amount;

/* The count of an event. */
struct count {
    uint64_t value;       /* of the first run, or their sum over processes */
    uint64_t least, most; /* of several runs; alike where it never varied */
    bool estimated;       /* not counted: least and most are its bounds */
};

/* The event that is estimated, in picoseconds (docs/gate.md). */
#define GATE_TIME "ESTIMATED_TIME"

struct gate_line {
    const char *file; /* "": not known */
    int line;         /* 0: not known */
    const char *text; /* of the source, without the blanks around it; "": not known */
    struct count count[GATE_EVENTS];
};

struct gate_routine {
    const char *object, *name,
        *file; /* of the program or library, without its folder; file as that of a line */
    struct count count[GATE_EVENTS];
    struct gate_line *line;
    size_t n_lines, room;
};

struct gate_region {
    const char *name;
    const char *no_time; /* why its time is not estimated where that of routines is; "": it is */
    bool bench;          /* of papi_bench.h, as far as the run itself is known */
    struct count count[GATE_EVENTS];
};

/* A program or library that counts, as it was built. */
struct gate_object {
    const char *name, *path, *build_id, *compiler; /* "": not known */
};

/* A file that the command line or the user named. */
struct gate_input {
    const char *path, *hash;
};

/* A line of a source. */
struct gate_code {
    uint64_t code;    /* of source_line (source_code.h) */
    const char *text; /* as that of a gate_line; "": not known */
};

/* A source of what counts, whole. */
struct gate_source {
    const char *path; /* as the file of a line */
    struct gate_code *line;
    size_t n, room;
};

/* A piece of code that ran, without a jump into or out of it. */
struct gate_block {
    const char *object;   /* as that of a routine */
    uint64_t address;     /* from where the object was loaded */
    uint64_t runs, taken; /* taken: the conditional branch at its end */
    uint32_t size;        /* bytes */
    size_t routine, line; /* the number of its routine, and of its line there */
};

/* The same of a bench, whose time is its blocks' less that of those that measuring adds. */
struct bench_block {
    struct gate_block block; /* without a routine and a line */
    size_t region;           /* its number */
    bool around;             /* what measuring adds */
};

struct counts {
    const char *mode;     /* gate_modes */
    char **command;       /* NULL behind the last */
    const char *revision; /* of git; "": none */
    const char *host, *processor;
    long long made; /* seconds since 1970 */
    int runs, processes, ranks;
    double processor_seconds; /* of the command and what it waited for, the least of the runs; 0: not known */
    const char *newer,
        *older; /* a source that was changed after the program was made, and the program; NULL: none */
    int n_events;
    const char *event[GATE_EVENTS];
    struct gate_routine *routine;
    size_t n_routines, room_routines;
    struct gate_region *region;
    size_t n_regions, room_regions;
    struct gate_object *object;
    size_t n_objects, room_objects;
    struct gate_input *input;
    size_t n_inputs, room_inputs;
    struct gate_source *source;
    size_t n_sources, room_sources;
    const char
        *no_time; /* why no time is estimated, as far as that is not the user's choice; NULL, "": it is */
    const char *model;        /* of the processor, by which time was estimated, and its version; "": none */
    struct gate_block *block; /* until time is estimated */
    size_t n_blocks, room_blocks;
    struct bench_block *bench_block; /* the same */
    size_t n_bench_blocks, room_bench_blocks;

    /* counts.c's own: the numbers of routines by their names, of lines by their places, and of all else by
     * its text. */
    struct hash_table by_name, by_place, by_text;
    struct gate_place {
        size_t routine, line;
    } * place;
    size_t n_places, room_places;
    char **text;
    size_t n_texts;
    struct hash_table texts;
};

/* The ways to count. */
#define GATE_COUNTED "counted"
#define GATE_EMULATED "emulated"

/* A text that lives as long as the counts; equal texts are one. */
const char *counts_text(struct counts *counts, const char *text);

/* The place of an event, which is added if it is new; -1: there is no room for it. */
int counts_event(struct counts *counts, const char *name);

/* The routine of an object, the line of a routine, the region: added where it is new. */
struct gate_routine *counts_routine(struct counts *counts, const char *object, const char *name);
struct gate_line *counts_line(struct counts *counts, struct gate_routine *routine, const char *file,
                              int line);
struct gate_region *counts_region(struct counts *counts, const char *name);
struct gate_object *counts_object(struct counts *counts, const char *path);
struct gate_source *counts_source(struct counts *counts, const char *path);

/* The region, the source of that name; NULL: there is none. */
const struct gate_region *counts_find_region(const struct counts *counts, const char *name);
const struct gate_source *counts_find_source(const struct counts *counts, const char *path);

/* The order of two lines of sources: by the names of the files without their folders, then by line. */
int counts_order(const char *file, int line, const char *other_file, int other_line);

/* A path from a folder on, where it is below it: a result is read in other folders, too. */
const char *counts_below(struct counts *counts, const char *folder, const char *path);

/* Makes names and texts such as a file can have: what reads it finds the same again. counts_sort follows. */
void counts_make_readable(struct counts *counts);

/* Adds to a line's count and its routine's. */
void counts_add(struct gate_routine *routine, struct gate_line *line, int event, uint64_t value);

/* Takes what was counted as the first run's: every count is its own least and most; but an estimate has its
 * bounds. */
void counts_settle(struct counts *counts);

/* Widens the ranges of counts by those of another run of the same. */
void counts_widen(struct counts *counts, struct counts *other);

/* True if it cannot be judged: runs of the same program differed in it; or it is an estimate that is
 * known too badly: its bounds are further apart than a factor of 2.5. */
static inline bool count_varies(const struct count *count)
{
    return count->estimated ? count->most > count->least / 2 * 5 : count->least != count->most;
}

/* The same of an event among all of a place's. An estimate is made of counts, and varies where one of these
 * does. */
bool counts_vary(const struct counts *counts, const struct count *place, int event);

/* The sum over routines of an event, without those in which it varied. varying: the sum of these; or NULL. */
uint64_t counts_total(const struct counts *counts, int event, uint64_t *varying);

/* The most that a count of a whole program may be: that of JSON's readers. */
#define COUNT_MOST ((uint64_t)INT64_MAX)

/* The first event that is above COUNT_MOST in all routines together, or in a region; NULL: none is. */
const char *counts_too_large(const struct counts *counts);

/* True if there is a count that is not 0. */
bool counts_any(const struct counts *counts);

/* Sorts routines by name and lines by number, of which those of one place become one, so that files of equal
 * counts are equal. */
void counts_sort(struct counts *counts);

void counts_free(struct counts *counts);
