/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* By how much counts may rise: a usual limit, and rules that say otherwise, of which the last that fits is
 * the one. A file of rules has one in a line, and comments behind '#':
 *
 *   EVENT LIMIT [region NAME | routine NAME] [both]
 *
 *   EVENT  a name, or * for all
 *   LIMIT  1%, 5000, 1%+5000 (both together), or ignore
 *   both   the count may not fall by more either
 *
 * Without a place, a rule is of the program's total. NAME may contain blanks and end with *. */

enum gate_scope { SCOPE_TOTAL, SCOPE_REGION, SCOPE_ROUTINE };

struct limit {
    double share;    /* of the count before: 0.01 */
    double absolute; /* added to that */
    bool ignored, both;
};

struct limit_rule {
    char *event, *name; /* NULL: all events; no name */
    enum gate_scope scope;
    struct limit limit;
};

struct limits {
    struct limit usual;
    double least; /* share of all instructions: a smaller change is within every limit that is a share */
    double least_calls; /* the same of events that are calls */
    struct limit_rule *rule;
    size_t n, room;
};

/* Reads "1%", "5000", "1%+5000" or "ignore". False: it is none of them. */
bool limit_read(struct limit *limit, const char *text);

/* True if the name of a rule, which has one, is this, or a pattern of it. Names of C++ have '[' and '*'. */
bool limit_names(const struct limit_rule *rule, const char *name);

/* Reads a file of rules. NULL, or a sentence to be freed. */
char *limits_read(struct limits *limits, const char *path);

/* The limit of an event in a place; name: of the region or routine. NULL where no rule is of this routine or
 * region: it is not judged by itself. */
const struct limit *limits_find(const struct limits *limits, enum gate_scope scope, const char *name,
                                const char *event);

/* The change of an event up to which any limit that is a share allows it, in a program, or a region, of so
 * many instructions. */
double limits_floor(const struct limits *limits, const char *event, double instructions);

/* The limit as it is written, for people. To be freed. */
char *limit_text(const struct limit *limit);

void limits_free(struct limits *limits);
