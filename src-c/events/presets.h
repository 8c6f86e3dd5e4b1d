/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PAPI_EVENTS_PRESETS_H
#define PAPI_EVENTS_PRESETS_H

#include "events/formula.h"
#include "events/preset_list.h"
#include <stdbool.h>
#include <stdio.h>

/* The definitions of the presets on this processor, from the tables in CSV. */

enum derivation { NOT_DERIVED, DERIVED_ADD, DERIVED_SUB, DERIVED_CMPD, DERIVED_POSTFIX };

struct preset_definition {
    enum derivation derivation;
    int n_natives;
    char *native[MAX_OPERANDS];
    char *postfix; /* DERIVED_POSTFIX: the formula as written, and compiled */
    struct formula formula;
    char *note;
};

struct preset_table {
    struct preset_definition *definition[PRESET_COUNT]; /* NULL: none here */
    int n_faults;                                       /* rows that were passed over */
    char faults[512];                                   /* the first of them, with file and line */
    bool try_again; /* a file could not be opened for want of a descriptor or memory */
};

/* The tables that come with the library, as text: made by the build from presets/ */
extern const char preset_tables_csv[];

/* Whether this machine has the PMU that a CPU row names. */
typedef bool pmu_matcher(const char *name, void *context);

/* Reads tables and takes over the definitions below matching CPU rows; a later one replaces an
 * earlier one. A row with a fault is passed over and noted. Returns how many were taken. */
int presets_read(struct preset_table *table, FILE *file, const char *file_name, pmu_matcher *matches,
                 void *context);

/* The built-in tables, then the user's file (NULL: none) on top. */
void presets_load(struct preset_table *table, const char *user_file, pmu_matcher *matches, void *context);

void presets_free(struct preset_table *table);

const char *derivation_name(enum derivation derivation);

/* A derived value from the counts of its native events. */
long long derived_value(enum derivation derivation, const struct formula *formula, int n,
                        const long long *operand);

#endif
