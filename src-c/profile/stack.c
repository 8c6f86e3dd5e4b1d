/* SPDX-License-Identifier: BSD-3-Clause */
#include "stack.h"
#include "tools/common/allocate.h"

#include <stdlib.h>

enum { MOST_FRAMES = 8 << 20, LEAST = 16 };

static bool has_any(const struct profile *profile, int node)
{
    for (int e = 0; e < profile->n_events; e++)
        if (profile_value(profile, node, e) > 0)
            return true;
    return false;
}

/* Of all stacks, if none has more than most. */
static long long frames(const struct stacks *stacks, int most)
{
    long long n = 0;
    for (int i = 0; i < stacks->profile->nodes.n; i++)
        if (has_any(stacks->profile, i))
            n += stacks->depth[i] < most ? stacks->depth[i] : most;
    return n;
}

/* As many as there is room for. */
static int find_most(const struct stacks *stacks, int deepest)
{
    int least = LEAST, most = deepest;
    if (deepest <= LEAST || frames(stacks, deepest) <= MOST_FRAMES)
        return deepest;
    while (most - least > 1) {
        int middle = least + (most - least) / 2;
        if (frames(stacks, middle) <= MOST_FRAMES)
            least = middle;
        else
            most = middle;
    }
    return least;
}

/* The frames from the root to the top, the gap, and the rest. */
static int outer_part(const struct stacks *stacks)
{
    return stacks->most / 2;
}

/* A parent comes before its children. */
void stacks_begin(struct stacks *stacks, const struct profile *profile)
{
    int n = profile->nodes.n, deepest = 0;
    *stacks = (struct stacks){.profile = profile};
    stacks->depth = memory_more(NULL, (size_t)n + 1, sizeof *stacks->depth);
    stacks->top = memory_more(NULL, (size_t)n + 1, sizeof *stacks->top);
    for (int i = 0; i < n; i++) {
        int parent = profile_node_at(profile, i)->parent;
        stacks->depth[i] = parent >= 0 ? stacks->depth[parent] + 1 : 1;
        deepest = stacks->depth[i] > deepest ? stacks->depth[i] : deepest;
    }
    stacks->most = find_most(stacks, deepest);
    for (int i = 0; i < n; i++) {
        int parent = profile_node_at(profile, i)->parent;
        stacks->top[i] = parent < 0 || stacks->depth[i] <= outer_part(stacks) ? i : stacks->top[parent];
        stacks->cut += stacks->depth[i] > stacks->most && has_any(profile, i);
    }
    stacks->frame = memory_more(NULL, (size_t)stacks->most + 1, sizeof *stacks->frame);
}

/* From the node up, into the last n places before end. */
static void take(struct stacks *stacks, int node, int end, int n)
{
    for (; n > 0; n--, node = profile_node_at(stacks->profile, node)->parent)
        stacks->frame[--end] = node;
}

int stacks_of(struct stacks *stacks, int node)
{
    int depth = stacks->depth[node], outer = outer_part(stacks);
    if (depth <= stacks->most) {
        take(stacks, node, depth, depth);
        return depth;
    }
    take(stacks, stacks->top[node], outer, outer);
    stacks->frame[outer] = STACK_GAP;
    take(stacks, node, stacks->most, stacks->most - outer - 1);
    return stacks->most;
}

void stacks_end(struct stacks *stacks)
{
    free(stacks->depth);
    free(stacks->top);
    free(stacks->frame);
    *stacks = (struct stacks){.profile = NULL};
}
