/* SPDX-License-Identifier: BSD-3-Clause */
#include "totals.h"
#include "tools/common/allocate.h"

#include <stdlib.h>
#include <string.h>

static uint64_t *numbers(int n)
{
    size_t count = (size_t)n * PROFILE_EVENTS + 1;
    uint64_t *array = memory_more(NULL, count, sizeof *array);
    memset(array, 0, count * sizeof *array);
    return array;
}

static void add(uint64_t *to, int i, const uint64_t *from, int j)
{
    for (int e = 0; e < PROFILE_EVENTS; e++) {
        uint64_t *sum = &to[(size_t)i * PROFILE_EVENTS + (size_t)e];
        *sum = profile_sum(*sum, from[(size_t)j * PROFILE_EVENTS + (size_t)e]);
    }
}

/* Adds the values of each node to its parent's total, from the last node to the first: a parent comes before
 * its children. */
static void add_up_nodes(struct totals *totals, const struct profile *profile)
{
    int n = profile->nodes.n;
    totals->node = numbers(n);
    for (int i = n - 1; i >= 0; i--) {
        int parent = profile_node_at(profile, i)->parent;
        add(totals->node, i, profile->value, i);
        if (parent >= 0)
            add(totals->node, parent, totals->node, i);
    }
}

/* ---- routines, lines */

static int line_of(const struct totals *totals, const struct profile *profile, int node)
{
    const struct place *place = profile_place_at(profile, profile_node_at(profile, node)->place);
    struct line_key key = {.file = place->file, .line = place->line};
    return place->line > 0 ? index_find(&totals->lines, &key, sizeof key) : PROFILE_NONE;
}

static int routine_of(const struct profile *profile, int node)
{
    return profile_place_at(profile, profile_node_at(profile, node)->place)->routine;
}

static void add_self(struct totals *totals, const struct profile *profile, int node, int line, uint64_t *most)
{
    int routine = routine_of(profile, node);
    add(totals->routine_self, routine, profile->value, node);
    if (line < 0)
        return;
    add(totals->line_self, line, profile->value, node);
    if (profile_value(profile, node, 0) >= most[line]) {
        most[line] = profile_value(profile, node, 0);
        totals->line_routine[line] = routine;
    }
}

/* ---- with what is called */

/* A walk from each node to what it calls. What is open is above the node: a routine or line counts there
 * once, also where it calls itself. Chains of calls may be as long as the tree is large. */
struct walk {
    struct totals *totals;
    const struct profile *profile;
    const int *line;               /* of each node */
    int *first, *next;             /* of each node: what it calls, and what is called beside it */
    int *open_routine, *open_line; /* number of each that is open */
};

static int *counts(int n, int value)
{
    int *array = memory_more(NULL, (size_t)n + 1, sizeof *array);
    for (int i = 0; i <= n; i++)
        array[i] = value;
    return array;
}

/* Links the children of each node to a list. Returns the first of the nodes that nobody calls. */
static int link_nodes(struct walk *walk)
{
    int n = walk->profile->nodes.n, root = PROFILE_NONE;
    walk->first = counts(n, PROFILE_NONE);
    walk->next = counts(n, PROFILE_NONE);
    for (int i = n - 1; i >= 0; i--) {
        int parent = profile_node_at(walk->profile, i)->parent,
            *first = parent >= 0 ? &walk->first[parent] : &root;
        walk->next[i] = *first;
        *first = i;
    }
    return root;
}

static void enter(struct walk *walk, int node)
{
    struct totals *totals = walk->totals;
    int routine = routine_of(walk->profile, node), line = walk->line[node];
    if (walk->open_routine[routine]++ == 0)
        add(totals->routine_total, routine, totals->node, node);
    if (line >= 0 && walk->open_line[line]++ == 0)
        add(totals->line_total, line, totals->node, node);
}

static void leave(struct walk *walk, int node)
{
    walk->open_routine[routine_of(walk->profile, node)]--;
    if (walk->line[node] >= 0)
        walk->open_line[walk->line[node]]--;
}

/* The node after one whose calls have all been walked. */
static int after(struct walk *walk, int node)
{
    leave(walk, node);
    while (node >= 0 && walk->next[node] < 0) {
        node = profile_node_at(walk->profile, node)->parent;
        if (node >= 0)
            leave(walk, node);
    }
    return node >= 0 ? walk->next[node] : PROFILE_NONE;
}

static void add_totals(struct totals *totals, const struct profile *profile, const int *line)
{
    struct walk walk = {.totals = totals, .profile = profile, .line = line};
    walk.open_routine = counts(profile->routines.n, 0);
    walk.open_line = counts(totals->lines.n, 0);
    for (int node = link_nodes(&walk); node >= 0;) {
        enter(&walk, node);
        node = walk.first[node] >= 0 ? walk.first[node] : after(&walk, node);
    }
    free(walk.first);
    free(walk.next);
    free(walk.open_routine);
    free(walk.open_line);
}

/* ---- all */

static void list_lines(struct totals *totals, const struct profile *profile)
{
    for (int i = 0; i < profile->nodes.n; i++) {
        const struct place *place = profile_place_at(profile, profile_node_at(profile, i)->place);
        struct line_key key = {.file = place->file, .line = place->line};
        if (place->line > 0)
            index_of(&totals->lines, &key, sizeof key);
    }
}

static void add_arithmetic(struct totals *totals, const struct profile *profile)
{
    size_t size = (size_t)totals->lines.n * sizeof *totals->line_arithmetic;
    totals->line_arithmetic = memory_more(NULL, (size_t)totals->lines.n, sizeof *totals->line_arithmetic);
    memset(totals->line_arithmetic, 0, size);
    for (int i = 0; i < profile->places.n; i++) {
        const struct place *place = profile_place_at(profile, i);
        struct arithmetic here = profile_arithmetic(profile, i);
        struct line_key key = {.file = place->file, .line = place->line};
        int line = index_find(&totals->lines, &key, sizeof key);
        if (line < 0)
            continue;
        totals->line_arithmetic[line].scalar |= here.scalar;
        if (here.bits > totals->line_arithmetic[line].bits)
            totals->line_arithmetic[line].bits = here.bits;
    }
}

void totals_make(struct totals *totals, const struct profile *profile)
{
    *totals = (struct totals){.node = NULL};
    add_up_nodes(totals, profile);
    list_lines(totals, profile);
    add_arithmetic(totals, profile);
    totals->routine_self = numbers(profile->routines.n);
    totals->routine_total = numbers(profile->routines.n);
    totals->line_self = numbers(totals->lines.n);
    totals->line_total = numbers(totals->lines.n);
    totals->line_routine = memory_more(NULL, (size_t)totals->lines.n, sizeof *totals->line_routine);
    uint64_t *most = numbers(totals->lines.n);
    int *line = counts(profile->nodes.n, PROFILE_NONE);
    for (int i = 0; i < profile->nodes.n; i++) {
        line[i] = line_of(totals, profile, i);
        add_self(totals, profile, i, line[i], most);
    }
    add_totals(totals, profile, line);
    free(line);
    free(most);
}

void totals_free(struct totals *totals)
{
    free(totals->node);
    free(totals->routine_self);
    free(totals->routine_total);
    free(totals->line_self);
    free(totals->line_total);
    free(totals->line_routine);
    free(totals->line_arithmetic);
    index_free(&totals->lines);
}

/* ---- the order */

static int by_value(const void *a, const void *b, void *data)
{
    const uint64_t *array = data;
    int i = *(const int *)a, j = *(const int *)b;
    for (int e = 0; e < PROFILE_EVENTS; e++) {
        uint64_t one = totals_of(array, i, e), other = totals_of(array, j, e);
        if (one != other)
            return one > other ? -1 : 1;
    }
    return i - j;
}

int totals_order(const uint64_t *array, int n, int **order)
{
    int found = 0;
    *order = memory_more(NULL, (size_t)n, sizeof **order);
    for (int i = 0; i < n; i++) {
        uint64_t some = 0;
        for (int e = 0; e < PROFILE_EVENTS; e++)
            some |= totals_of(array, i, e);
        if (some != 0)
            (*order)[found++] = i;
    }
    qsort_r(*order, (size_t)found, sizeof **order, by_value, (void *)array);
    return found;
}
