/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "call_tree.h"
#include "tools/common/report.h"
#include "totals.h"

#include <stdio.h>

/* A format of another tool in which a profile can be written. */
struct export
{
    const char *name, *suffix; /* of its files */
    bool lists_stacks;         /* each of them whole */
    void (*write)(FILE * out, const struct profile *profile, const struct totals *totals);
};

/* The format of a name of so many characters. NULL: there is none. */
const struct export *export_find(const char *name, size_t length);

/* "callgrind, folded, ..." */
extern const char export_names[];

/* Writers, one for each format. totals are those of the profile. */
void export_callgrind(FILE *out, const struct profile *profile, const struct totals *totals);
void export_folded(FILE *out, const struct profile *profile, const struct totals *totals);
void export_html(FILE *out, const struct profile *profile, const struct totals *totals);
void export_pprof(FILE *out, const struct profile *profile, const struct totals *totals);
void export_speedscope(FILE *out, const struct profile *profile, const struct totals *totals);

/* ---- stacks */

/* The stacks of a profile's nodes, one after the other. Formats that list whole stacks grow by the square of
 * the depth of a chain of calls: where all stacks have more than some 8 million frames, the longest have
 * their middle left out. */

enum { STACK_GAP = -1 }; /* in the place of frames that are left out */
#define STACK_GAP_NAME "[calls left out]"

struct stacks {
    const struct profile *profile;
    int *depth, *top; /* of each node; top: its ancestor where the outer part of a stack that is cut ends */
    int most;         /* frames of a stack; those of one that is cut have a gap among them */
    int cut;          /* stacks that are */
    int *frame;       /* of the stack that was asked for last: nodes from the outside in, or STACK_GAP */
};

void stacks_begin(struct stacks *stacks, const struct profile *profile);

/* Fills stacks->frame with the stack of a node. Returns the number of frames. */
int stacks_of(struct stacks *stacks, int node);

void stacks_end(struct stacks *stacks);

/* ---- text and JSON */

/* A profile as text, and for programs as JSON: routines and lines, those with most of the first event first.
 *   most  so many of each in the text */
void profile_print(struct report *report, const struct profile *profile, int most);
