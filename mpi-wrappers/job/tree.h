/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/* A tree of n ranks, in which none has more than log2(n) children, nor is further from the root, 0, than
 * that: what goes up or down in it takes 2 log2(n) messages of any rank at most. */

enum { TREE_MOST = 31 }; /* children of a rank */

/* The rank that i > 0 hangs from: without its last bit. */
static inline int tree_parent(int i)
{
    return i & (i - 1);
}

/* Puts the children of i into child, the next one first. Returns their number. */
static inline int tree_children(int i, int n, int child[TREE_MOST])
{
    int found = 0;
    for (int bit = 1; (i & bit) == 0 && bit < n - i; bit *= 2)
        child[found++] = i + bit;
    return found;
}
