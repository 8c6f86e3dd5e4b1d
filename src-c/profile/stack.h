/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "call_tree.h"

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

/* The number of frames of a node's stack. */
int stacks_of(struct stacks *stacks, int node);

void stacks_end(struct stacks *stacks);
