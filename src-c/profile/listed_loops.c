/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Loops in machine code, as a compiler's textbook finds them. The rows are cut into blocks at the targets of
 * jumps and behind them. Block D dominates block B if all ways to B pass D; an edge from B back to a block D
 * that dominates it closes a loop with the head D, whose body are the blocks from which B can be reached
 * without passing D. Edges with the same head are one loop, and of two loops one has the other inside or they
 * have nothing in common. A jump to a computed address (a switch) has no edges: blocks that nothing is known
 * to reach count as reached from outside, which at worst makes a loop with several entries, which is not
 * found. Dominators are found by walking the blocks in reverse postorder until nothing changes (Cooper,
 * Harvey and Kennedy, 2001).
 */
#include "listed_loops.h"
#include "tools/common/allocate.h"

#include <stdlib.h>
#include <string.h>

enum { NONE = -1, MOST_EDGES = 2 };

struct block {
    int first, last; /* rows */
    int next[MOST_EDGES], n_next;
    int order;     /* in reverse postorder, from 1 on; 0: not reached yet */
    int dominator; /* the closest; itself where it is reached from outside */
    int loop;      /* of which it is the head, or NONE */
    int mark;      /* the loop that was collected last with it */
};

struct graph {
    const struct listing *code;
    struct block *block;
    int n;
    int *of_row;            /* the block of each row */
    int *sequence;          /* blocks in reverse postorder */
    int *from, *first_from; /* the blocks before each: those of block i from first_from[i] on */
    int *stack;
};

/* ---- blocks */

/* The row at an address; NONE: no instruction begins there. */
static int row_at(const struct listing *code, uint64_t address)
{
    int low = 0, high = code->n;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (code->row[middle].address < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low < code->n && code->row[low].address == address ? low : NONE;
}

static int target_of(const struct listing *code, const struct instruction *row)
{
    return row->flow == FLOW_BRANCH || row->flow == FLOW_JUMP ? row_at(code, row->target) : NONE;
}

static void cut(struct graph *graph)
{
    const struct listing *code = graph->code;
    bool *begins = memory_more(NULL, (size_t)code->n + 1, sizeof *begins);
    memset(begins, 0, ((size_t)code->n + 1) * sizeof *begins);
    begins[0] = true;
    for (int i = 0; i < code->n; i++) {
        int target = target_of(code, &code->row[i]);
        if (target != NONE)
            begins[target] = true;
        if (code->row[i].flow != FLOW_NEXT)
            begins[i + 1] = true;
    }
    for (int i = 0; i < code->n; i++) {
        if (begins[i])
            graph->block[graph->n++] =
                (struct block){.first = i, .loop = NONE, .mark = NONE, .dominator = NONE};
        graph->block[graph->n - 1].last = i;
        graph->of_row[i] = graph->n - 1;
    }
    free(begins);
}

static void connect(struct graph *graph)
{
    for (int i = 0; i < graph->n; i++) {
        struct block *block = &graph->block[i];
        const struct instruction *last = &graph->code->row[block->last];
        int target = target_of(graph->code, last);
        if ((last->flow == FLOW_NEXT || last->flow == FLOW_BRANCH) && i + 1 < graph->n)
            block->next[block->n_next++] = i + 1;
        if (target != NONE)
            block->next[block->n_next++] = graph->of_row[target];
    }
}

static void connect_back(struct graph *graph)
{
    int *at = graph->first_from;
    for (int i = 0; i < graph->n; i++)
        for (int e = 0; e < graph->block[i].n_next; e++)
            at[graph->block[i].next[e] + 1]++;
    for (int i = 0; i < graph->n; i++)
        at[i + 1] += at[i];
    int *filled = memory_more(NULL, (size_t)graph->n + 1, sizeof *filled);
    memcpy(filled, at, ((size_t)graph->n + 1) * sizeof *filled);
    for (int i = 0; i < graph->n; i++)
        for (int e = 0; e < graph->block[i].n_next; e++)
            graph->from[filled[graph->block[i].next[e]]++] = i;
    free(filled);
}

/* ---- dominators */

/* Depth-first search from a block; postorder goes into the sequence from its end on. */
static int search(struct graph *graph, int root, int left)
{
    int depth = 0;
    int *edge = memory_more(NULL, (size_t)graph->n + 1, sizeof *edge);
    graph->stack[depth] = root;
    edge[depth++] = 0;
    graph->block[root].order = 1;
    while (depth > 0) {
        struct block *block = &graph->block[graph->stack[depth - 1]];
        if (edge[depth - 1] == block->n_next) {
            graph->sequence[--left] = graph->stack[--depth];
            continue;
        }
        int next = block->next[edge[depth - 1]++];
        if (graph->block[next].order == 0) {
            graph->block[next].order = 1;
            graph->stack[depth] = next;
            edge[depth++] = 0;
        }
    }
    free(edge);
    return left;
}

/* Later roots come before earlier ones in the sequence, as a walk from one root above them all would have it.
 */
static void put_in_order(struct graph *graph)
{
    int left = graph->n;
    for (int i = 0; i < graph->n; i++)
        if (graph->block[i].order == 0) {
            graph->block[i].dominator = i;
            left = search(graph, i, left);
        }
    for (int i = 0; i < graph->n; i++)
        graph->block[graph->sequence[i]].order = i + 1;
}

/* The closest block that dominates both; NONE: only the outside does. */
static int common(const struct graph *graph, int one, int other)
{
    while (one != other) {
        int *later = graph->block[one].order > graph->block[other].order ? &one : &other;
        if (graph->block[*later].dominator == *later)
            return NONE;
        *later = graph->block[*later].dominator;
    }
    return one;
}

static bool improve(struct graph *graph, int number)
{
    struct block *block = &graph->block[number];
    int found = NONE;
    if (block->dominator == number)
        return false;
    for (int e = graph->first_from[number]; e < graph->first_from[number + 1]; e++) {
        int before = graph->from[e];
        if (graph->block[before].dominator == NONE)
            continue;
        int both = found == NONE ? before : common(graph, found, before);
        if (both == NONE) { /* reached by two ways from outside */
            block->dominator = number;
            return true;
        }
        found = both;
    }
    bool changed = found != block->dominator;
    block->dominator = found;
    return changed;
}

static void dominate(struct graph *graph)
{
    bool changed = true;
    while (changed) {
        changed = false;
        for (int i = 0; i < graph->n; i++)
            changed |= improve(graph, graph->sequence[i]);
    }
}

static bool dominates(const struct graph *graph, int one, int other)
{
    while (other != one && graph->block[other].dominator != other && graph->block[other].dominator != NONE)
        other = graph->block[other].dominator;
    return other == one;
}

/* ---- loops */

/* Marks the body of the loop with a head, and returns the number of its blocks, which the stack then lists.
 */
static int collect(struct graph *graph, int head, int mark)
{
    int n = 0;
    graph->block[head].mark = mark;
    graph->stack[n++] = head;
    for (int done = 0; done < n; done++) {
        int number = graph->stack[done];
        for (int e = graph->first_from[number]; e < graph->first_from[number + 1]; e++) {
            int before = graph->from[e];
            bool closes = number != head || dominates(graph, head, before);
            if (closes && graph->block[before].mark != mark && graph->block[before].dominator != NONE) {
                graph->block[before].mark = mark;
                graph->stack[n++] = before;
            }
        }
    }
    return n;
}

static bool is_head(const struct graph *graph, int number)
{
    bool is = false;
    for (int e = graph->first_from[number]; e < graph->first_from[number + 1]; e++)
        is = is || dominates(graph, number, graph->from[e]);
    return is;
}

/* Heads of outer loops come first in reverse postorder: a block's last mark is that of its innermost loop. */
static void find_all(struct listed_loops *loops, struct graph *graph)
{
    int room = 0;
    for (int i = 0; i < graph->n; i++) {
        int head = graph->sequence[i];
        if (!is_head(graph, head))
            continue;
        int around = loops->of_row[graph->block[head].first];
        MEMORY_ONE_MORE(loops->loop, loops->n, room);
        loops->loop[loops->n] =
            (struct listed_loop){.head = graph->block[head].first,
                                 .parent = around,
                                 .depth = around == NONE ? 1 : loops->loop[around].depth + 1,
                                 .file = PROFILE_NONE,
                                 .routine = graph->code->routine};
        int n = collect(graph, head, loops->n);
        for (int b = 0; b < n; b++)
            for (int row = graph->block[graph->stack[b]].first; row <= graph->block[graph->stack[b]].last;
                 row++)
                loops->of_row[row] = loops->n;
        loops->n++;
    }
}

/* ---- what they have */

/* Number of times that the last instruction of a block went on at the head. */
static uint64_t times_back(const struct graph *graph, const struct block *block, int head)
{
    const struct instruction *last = &graph->code->row[block->last];
    bool jumps = target_of(graph->code, last) == head, falls = block->last + 1 == head;
    if (last->flow != FLOW_BRANCH || (jumps && falls))
        return last->runs;
    return jumps ? last->taken : last->runs - (last->taken < last->runs ? last->taken : last->runs);
}

static void count_iterations(struct listed_loop *loop, const struct graph *graph)
{
    int head = graph->of_row[loop->head];
    uint64_t back = 0;
    for (int e = graph->first_from[head]; e < graph->first_from[head + 1]; e++)
        if (dominates(graph, head, graph->from[e]))
            back = profile_sum(back, times_back(graph, &graph->block[graph->from[e]], loop->head));
    loop->iterations = graph->code->row[loop->head].runs;
    loop->entries = loop->iterations > back ? loop->iterations - back : 0;
}

static void take_line(struct listed_loop *loop, const struct place *place)
{
    if (place->line <= 0)
        return;
    loop->file = place->file;
    if (loop->first_line == 0 || place->line < loop->first_line)
        loop->first_line = place->line;
    if (place->line > loop->last_line)
        loop->last_line = place->line;
}

static bool is_inside(const struct listed_loops *loops, int inner, int outer)
{
    while (inner != NONE && inner != outer)
        inner = loops->loop[inner].parent;
    return inner == outer;
}

/* Lines of the routine itself; where the loop was inlined as a whole, of the routine of its head. */
static void find_lines(struct listed_loops *loops, int number, const struct profile *profile,
                       const struct listing *code)
{
    struct listed_loop *loop = &loops->loop[number];
    int routine = code->routine;
    for (int pass = 0; pass < 2 && loop->first_line == 0; pass++) {
        for (int i = 0; i < code->n; i++) {
            const struct place *place = profile_place_at(profile, code->row[i].place);
            if (place->routine == routine && place->file == profile_routine_at(profile, routine)->file &&
                is_inside(loops, loops->of_row[i], number))
                take_line(loop, place);
        }
        if (loop->first_line == 0)
            routine = profile_place_at(profile, code->row[loop->head].place)->routine;
    }
    loop->routine = routine;
}

static void add_row(struct listed_loops *loops, int number, const struct profile *profile,
                    const struct instruction *row)
{
    bool any = false;
    for (int e = 0; e < profile->n_events; e++) {
        any = any || row->value[e] > 0;
        loops->loop[number].self[e] = profile_sum(loops->loop[number].self[e], row->value[e]);
        for (int at = number; at != NONE; at = loops->loop[at].parent)
            loops->loop[at].nest[e] = profile_sum(loops->loop[at].nest[e], row->value[e]);
    }
    struct arithmetic here = profile_arithmetic(profile, row->place), *all = &loops->loop[number].arithmetic;
    if (any) {
        all->scalar |= here.scalar;
        all->bits = here.bits > all->bits ? here.bits : all->bits;
    }
}

static void fill_in(struct listed_loops *loops, const struct graph *graph, const struct profile *profile)
{
    const struct listing *code = graph->code;
    for (int i = 0; i < code->n; i++)
        if (loops->of_row[i] != NONE)
            add_row(loops, loops->of_row[i], profile, &code->row[i]);
    for (int i = 0; i < loops->n; i++) {
        if (loops->loop[i].nest[0] > 0)
            find_lines(loops, i, profile, code);
        if (code->counted)
            count_iterations(&loops->loop[i], graph);
    }
}

/* ---- all */

static int *zeroes(size_t n)
{
    int *list = memory_more(NULL, n, sizeof *list);
    memset(list, 0, n * sizeof *list);
    return list;
}

void listed_loops_find(struct listed_loops *loops, const struct profile *profile, const struct listing *code)
{
    size_t n = (size_t)code->n;
    struct graph graph = {.code = code,
                          .of_row = zeroes(n + 1),
                          .sequence = zeroes(n + 1),
                          .stack = zeroes(n + 1),
                          .from = zeroes(MOST_EDGES * n + 1),
                          .first_from = zeroes(n + 2),
                          .block = memory_more(NULL, n + 1, sizeof *graph.block)};
    *loops = (struct listed_loops){.of_row = zeroes(n + 1)};
    for (int i = 0; i < code->n; i++)
        loops->of_row[i] = NONE;
    cut(&graph);
    connect(&graph);
    connect_back(&graph);
    put_in_order(&graph);
    dominate(&graph);
    find_all(loops, &graph);
    fill_in(loops, &graph, profile);
    free(graph.block);
    free(graph.of_row);
    free(graph.sequence);
    free(graph.stack);
    free(graph.from);
    free(graph.first_from);
}

void listed_loops_free(struct listed_loops *loops)
{
    free(loops->loop);
    free(loops->of_row);
    *loops = (struct listed_loops){.n = 0};
}
