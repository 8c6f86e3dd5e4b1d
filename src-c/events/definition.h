/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "events/formula.h"
#include <stdbool.h>

/* What an event is made of: a preset's, or that of an event which a file or the program made. */

enum derivation { NOT_DERIVED, DERIVED_ADD, DERIVED_SUB, DERIVED_CMPD, DERIVED_POSTFIX };

struct preset_definition {
    enum derivation derivation;
    int n_natives;
    char *native[MAX_OPERANDS]; /* names of native events, or of other events with a definition */
    char *postfix;              /* DERIVED_POSTFIX: the formula as written */
    struct formula formula;     /* of every derivation */
    char *note;
    int line; /* of the file that it is from; 0: of none */
    /* NULL: what preset_list says. An event that is not a preset has a symbol. */
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

/* What names are made of. */
#define NAME_CHARACTERS "-.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"

/* May an event be called this, so that it cannot be taken for a native event of libpfm4 or the kernel? */
bool definition_name_fits(const char *name);
