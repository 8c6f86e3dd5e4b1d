/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/reason.h"
#include <stdbool.h>
#include <stdio.h>

/* ---- formulas */

/* Formulas of DERIVED_POSTFIX: operands N0, N1, ... (the counts of the native events), integer
 * constants and + - * /, in reverse Polish order, separated by '|'. */

enum { MAX_OPERANDS = 12, MAX_STEPS = 64 };

struct formula {
    int n_steps;
    bool real; /* the value is a real number: not set by formula_compile */
    struct step {
        char operation; /* 'N' operand, 'c' constant, or + - * / */
        long long value;
    } step[MAX_STEPS];
};

/* Compiles and checks: operand numbers below n_operands, the stack never empty nor left with more
 * than the result, no division by a constant 0. PAPI_EINVAL with the reason. */
int formula_compile(const char *text, int n_operands, struct formula *out, struct reason *why);

/* Appends the formula to a text, "N0|N1|+|", with its operands numbered from first on. false: there is no
 * room for all of it. */
bool formula_append(const struct formula *formula, int first, char *text, size_t size);

/* The value. Whole numbers stay exact; a quotient that is not whole goes on as a fraction and the
 * result is cut. A count divided by a count of 0 gives 0. Of a real formula: the bits of a double, which is
 * not a number (NaN) where it divides by 0. */
long long formula_value(const struct formula *formula, const long long *operand);

/* ---- definitions */

/* Definitions: native events and a formula that make a preset, or an event that a file or the program
 * defined. */

enum derivation { NOT_DERIVED, DERIVED_ADD, DERIVED_SUB, DERIVED_CMPD, DERIVED_POSTFIX };

struct preset_definition {
    enum derivation derivation;
    int n_natives;
    char *native[MAX_OPERANDS]; /* names of native events, or of other events with a definition */
    char *postfix;              /* DERIVED_POSTFIX: the formula as written */
    struct formula formula;     /* of every derivation */
    char *note;
    int line; /* of the file that it is from; 0: of none */
    /* Texts; NULL: those of preset_list. An event that is not a preset has a symbol. */
    char *symbol, *short_descr, *long_descr;
};

/* An event as others spell it; NULL and "" are alike. */
struct event_parts {
    const char *symbol, *derived, *postfix, *short_descr, *long_descr, *note;
    const char *native[MAX_OPERANDS];
    int n_natives;
};

/* Adds a native event, "" is none. PAPI_EINVAL: there are too many. */
int event_parts_add(struct event_parts *parts, const char *native, struct reason *why);

/* A definition of these parts, or NULL with the code and the reason in *why. */
struct preset_definition *definition_make(const struct event_parts *parts, struct reason *why);
void definition_free(struct preset_definition *definition);

const char *derivation_name(enum derivation derivation);

/* A derived value from the counts of its native events. */
long long derived_value(enum derivation derivation, const struct formula *formula, int n,
                        const long long *operand);

/* Characters that names may have. */
#define NAME_CHARACTERS "-.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"

/* True if an event may have this name: it cannot be taken for a native event of libpfm4 or the kernel. */
bool definition_name_fits(const char *name);

/* ---- the table of PAPI_encode_events */

/* The table of events that PAPI_encode_events reads: a title line, then one event a row,
 * name,derived,postfix,short_descr,long_descr,note,native,... */

/* Takes one row: PAPI_OK to go on, or a code with its reason. */
typedef int old_csv_row(const struct event_parts *parts, int line, void *context, struct reason *why);

/* Gives each row to take, until one fails. The reason of a failure begins with the file and the line. */
int old_csv_read(FILE *file, const char *name, old_csv_row *take, void *context, struct reason *why);
