/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/nearest.h"
#include "events/definition.h"
#include "events/rule.h"
#include <stdbool.h>
#include <stdio.h>

/* ---- the interface's presets */

/* Every preset that the interface names, whether this machine counts it or not. What it counts on a
 * processor is in presets/ *.csv. */

#define PRESET_COUNT 110

struct preset_name {
    char symbol[16];      /* "PAPI_TOT_INS" */
    char short_descr[48]; /* a few words */
    char long_descr[112]; /* a sentence */
    unsigned category;    /* PAPI_PRESET_BIT_* */
};

/* The index is the event code without PAPI_PRESET_MASK. */
extern const struct preset_name preset_list[PRESET_COUNT];

/* ---- presets of this processor */

/* The events that have a definition: the presets on this processor, from the tables in CSV, the
 * presets that the program adds to them, and the user's events. */

enum { MAX_PRESETS = 128, MAX_USER_EVENTS = 50, MAX_DEFINITIONS = MAX_PRESETS + MAX_USER_EVENTS };

/* The most definitions that one event may use: those that name each other twice double the work with each
 * level. */
enum { MOST_DEFINITIONS = 64 };

struct preset_table {
    /* Definitions by place: presets, from PRESET_COUNT on those that were added, and from MAX_PRESETS on the
     * user's events. NULL: there is none. */
    struct preset_definition *definition[MAX_DEFINITIONS];
    char *absence[PRESET_COUNT];        /* why a preset without a definition has none; NULL: nobody said */
    bool absence_of_file[PRESET_COUNT]; /* a user's file says so, not the library's table of the processor */
    int n_presets, n_users;             /* n_presets: PRESET_COUNT and those that were added */
    int n_faults;                       /* rows that were skipped */
    char faults[512];                   /* the first of them, with file and line */
    bool (*in_use)(int code);           /* is the event in an event set? NULL: none is */
    const struct preset_table
        *before; /* where a change has begun: what there was, which is kept; else NULL */
};

/* The tables that come with the library, as text whose lines end with LF: made by the build from presets/.
 * Before each block of CPU rows and what is below them, a line may say how long the block is: "#4711 12", in
 * characters and lines. The build has checked the rows. */
extern const char preset_tables_csv[];

/* True if this machine has the PMU that a CPU row names. */
typedef bool pmu_matcher(const char *name, void *context);

/* The derivation in a row of a preset that the processor cannot count; the row's NOTE says why. */
#define PRESET_NONE "NONE"

/* The machine that tables are read for. Where its cores have several PMUs (hybrid processors), what counts
 * on one of them is no more than a part: only rules are asked, for each PMU, and a preset is their sum. */
enum { MAX_CORE_PMUS = 8 };
struct preset_machine {
    pmu_matcher *matches;
    void *context;
    struct core_pmu core[MAX_CORE_PMUS];
    int n_cores;
};

/* Reads tables and takes over the definitions below matching CPU rows; a later one replaces an
 * earlier one, and a row with PRESET_NONE takes it away. A row with a fault is skipped and noted. Returns
 * how many were taken; PAPI_ENOMEM or PAPI_ESYS where it was not read whole: the table is as it was. */
int presets_read(struct preset_table *table, FILE *file, const char *file_name, pmu_matcher *matches,
                 void *context);

/* The built-in tables, then the user's file and that of the user's events (NULL: none) on top. Of the
 * built-in ones that for a PMU that libpfm4 names; where there is none, the kernel's generic events and what
 * rules add to them. PAPI_ENOMEM, PAPI_ESYS (with errno): they were not read whole. What the table has then
 * is to be freed. */
int presets_load(struct preset_table *table, const char *user_file, const char *events_file,
                 const struct preset_machine *machine, struct reason *why);

/* The definition that presets_load takes for a preset where there are no files, to be freed. NULL: none is
 * for a name of the machine's PMU, it may be made of others, or there is no memory: presets_load tells. */
struct preset_definition *presets_builtin(int preset, const struct preset_machine *machine);

/* Reads a file of user events: the same rows, of which those before the first CPU row are for every
 * machine. PAPI_OK; PAPI_EINVAL: rows were skipped, with the first fault in *why; PAPI_ENOMEM, PAPI_ESYS
 * (with errno): it was not read whole, and no definition has changed. */
int presets_read_events(struct preset_table *table, const char *file_name,
                        const struct preset_machine *machine, struct reason *why);

/* Takes the definitions of each PMU's table together: their sums, where all of them count a preset.
 * PAPI_ENOMEM. */
int presets_add_up(struct preset_table *table, const struct preset_table part[], const struct core_pmu core[],
                   int n, struct reason *why);

void presets_free(struct preset_table *table);

/* ---- by code */

/* The place of an event's definition, which may be empty; NULL: there is no such preset or event. */
struct preset_definition **presets_place(struct preset_table *table, int code);

/* The reason why a preset has no definition, as a table says: "cannot be counted on this processor: ..." is
 * said with it. NULL: it has one, is not a preset that is always there, or no table says why. */
const char *presets_absence(const struct preset_table *table, int code);

/* The code of a name, 0: no preset and no user event. */
int presets_code(const struct preset_table *table, const char *name);

/* Checks what a definition is made of. PAPI_EINVAL with the reason: it is defined through itself, or made of
 * more than MOST_DEFINITIONS others. */
int presets_check_nesting(struct preset_table *table, const struct preset_definition *definition,
                          struct reason *why);

/* Tries the names of all presets and user events for the one nearest to a name. */
void presets_nearest(const struct preset_table *table, struct nearest *nearest);

/* The definition that a change has made after a code (0: before the first), and its code; NULL: there are no
 * more. */
const struct preset_definition *presets_next_changed(struct preset_table *table, int *code);

/* The preset of a name among those that are always there, or -1. */
int presets_index(const char *name);

/* The texts of the event at a code that presets_place knows; never NULL. */
const char *presets_symbol(struct preset_table *table, int code);
const char *presets_short_descr(struct preset_table *table, int code);
const char *presets_long_descr(struct preset_table *table, int code);

/* ---- changes */

/* Several changes that are kept all or none: begins them, with room for what there was, and ends them: they
 * are kept where code is PAPI_OK. Returns code. */
void presets_begin_change(struct preset_table *table, struct preset_table *before);
int presets_finish_change(struct preset_table *table, int code);

/* Returns PAPI_EINVAL, with the reason that this is no name for an event. */
int presets_check_name(const char *name, struct reason *why);

/* Puts a definition at its symbol's place, or at a new one: among the user's events or the presets. The
 * definition is the table's then; on an error it is freed. PAPI_EPERM: there is one and replace is
 * false; PAPI_EISRUN: the event is in an event set; PAPI_ENOTPRESET: no room; PAPI_EINVAL: no name for
 * an event. */
int presets_put(struct preset_table *table, struct preset_definition *definition, bool user, bool replace,
                int *event, struct reason *why);

/* Takes a preset's definition away, for the reason that is kept. PAPI_EISRUN; PAPI_ENOMEM. */
int presets_take_away(struct preset_table *table, int preset, const char *reason, struct reason *why);
