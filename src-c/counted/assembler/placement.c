/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Chooses the blocks that have counters. After D. E. Knuth and F. R. Stevenson, Optimal measurement points
 * for program frequency counts (BIT 13, 1973): the end of a block and the beginnings of those that it may go
 * on in are one junction. As much flows into a junction as out of it, and a block is an arc from one to
 * another; those of a spanning tree need no counter. Whatever may come from or go anywhere meets in one
 * junction, OUTSIDE: functions, what is behind calls, landing pads. There is no equation for it, so it does
 * not matter what calls do. The way from a conditional branch to the next block is an arc, too, so that it is
 * known how often the branch was taken.
 */
#include "assembler.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_TERMS = 48 }; /* an arc that would be a sum of more has a counter of its own */
/* The cost of an arc where no counter can be put. */
#define FORBIDDEN UINT32_MAX

struct work {
    const struct graph *graph;
    struct placement *placement;
    uint32_t *set; /* of points: 2 b and 2 b + 1 are beginning and end of block b, the last one is OUTSIDE */
    uint32_t n_points;
    bool *derived;      /* by arc */
    int32_t *first_arc; /* by point, a list of the tree's arcs: 2 a from it, 2 a + 1 to it; NOWHERE */
    int32_t *next_arc;  /* by end of an arc */
    uint32_t *order;    /* junctions from the roots on */
    int32_t *up;        /* by point, the arc of the tree to its root; NOWHERE */
    bool *seen;
    struct form *excess; /* by point, what flows in less what flows out, of arcs that are known */
    uint32_t n_order;
};

/* ---- junctions */

static uint32_t find(uint32_t *set, uint32_t point)
{
    while (set[point] != point)
        point = set[point] = set[set[point]];
    return point;
}

static void join(struct work *work, uint32_t a, uint32_t b)
{
    work->set[find(work->set, a)] = find(work->set, b);
}

static void join_ways(struct work *work)
{
    uint32_t outside = work->n_points - 1;
    for (size_t i = 0; i < work->graph->n; i++) {
        const struct block *block = &work->graph->block[i];
        uint32_t begin = 2 * (uint32_t)i, end = begin + 1;
        if (block->entry)
            join(work, begin, outside);
        if (block->away)
            join(work, end, outside);
        if (block->target != NOWHERE)
            join(work, end, 2 * (uint32_t)block->target);
        if (block->next != NOWHERE && block->flow != FLOW_BRANCH)
            join(work, end, 2 * (uint32_t)block->next);
    }
}

/* ---- arcs */

static const uint32_t turns[] = {1, 10, 100, 1000, 10000, 100000, 1000000};

static uint32_t cost_of(const struct graph *graph, const struct block *block, bool edge)
{
    struct spot spot = edge ? spot_behind(graph, block) : spot_in(graph, block, 0);
    if (spot.none)
        return FORBIDDEN;
    return turns[block->depth] * (edge ? 20 : 40) * (spot.flags ? 1 : 5);
}

/* The cost of a counter at a loop's entries, in place of one inside. */
static uint32_t cost_of_trip(const struct work *work, const struct trip *trip)
{
    uint32_t cost = 0;
    for (unsigned i = 0; i < trip->n_entries; i++)
        cost += turns[work->graph->block[trip->entry[i].block].depth] * 40 *
                ((trip->saved[0] ? 5 : 3) + (trip->until != UNTIL_EQUAL ? 2 : 0));
    return cost;
}

static void add_arc(struct work *work, int32_t block, bool edge)
{
    struct placement *placement = work->placement;
    const struct block *of = &work->graph->block[block];
    uint32_t begin = 2 * (uint32_t)block, outside = work->n_points - 1;
    struct arc arc = {.block = block, .edge = edge, .from = begin, .to = begin + 1, .carried = NOWHERE};
    if (edge) {
        arc.from = begin + 1;
        arc.to = of->next != NOWHERE ? 2 * (uint32_t)of->next : outside;
        placement->edge_of[block] = (int32_t)placement->n;
    }
    arc.cost = cost_of(work->graph, of, edge);
    int32_t trip = edge ? NOWHERE : placement->trips.of[block];
    if (trip != NOWHERE)
        arc.cost = cost_of_trip(work, &placement->trips.trip[trip]);
    placement->arc = grown(placement->arc, placement->n, sizeof *placement->arc);
    placement->arc[placement->n++] = arc;
}

static void make_arcs(struct work *work)
{
    int32_t n = (int32_t)work->graph->n;
    for (int32_t i = 0; i < n; i++) {
        work->placement->edge_of[i] = NOWHERE;
        add_arc(work, i, false);
    }
    for (int32_t i = 0; i < n; i++)
        if (work->graph->block[i].flow == FLOW_BRANCH)
            add_arc(work, i, true);
    for (size_t i = 0; i < work->placement->n; i++) {
        struct arc *arc = &work->placement->arc[i];
        arc->from = find(work->set, arc->from);
        arc->to = find(work->set, arc->to);
    }
}

/* ---- tree */

static int by_cost(const void *a, const void *b, void *placement)
{
    const struct arc *arc = ((const struct placement *)placement)->arc;
    uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
    if (arc[i].cost != arc[j].cost)
        return arc[i].cost > arc[j].cost ? -1 : 1;
    return i < j ? -1 : i > j;
}

static void hang(struct work *work, uint32_t arc)
{
    const uint32_t end[2] = {work->placement->arc[arc].from, work->placement->arc[arc].to};
    for (uint32_t side = 0; side < 2; side++) {
        work->next_arc[2 * arc + side] = work->first_arc[end[side]];
        work->first_arc[end[side]] = (int32_t)(2 * arc + side);
    }
}

/* Chooses the tree: the most expensive arcs that together have no circle; with forbidden only those that must
 * have no counter. */
static void choose_tree(struct work *work, bool forbidden)
{
    struct placement *placement = work->placement;
    uint32_t *arcs = or_end(malloc((placement->n + 1) * sizeof *arcs));
    uint32_t *set = or_end(malloc(work->n_points * sizeof *set));
    for (uint32_t i = 0; i < work->n_points; i++)
        set[i] = i;
    for (uint32_t i = 0; i < placement->n; i++)
        arcs[i] = i;
    qsort_r(arcs, placement->n, sizeof *arcs, by_cost, placement);
    for (size_t i = 0; i < placement->n; i++) {
        const struct arc *arc = &placement->arc[arcs[i]];
        uint32_t from = find(set, arc->from), to = find(set, arc->to);
        if (from == to || (forbidden && arc->cost != FORBIDDEN))
            continue;
        set[from] = to;
        work->derived[arcs[i]] = true;
        hang(work, arcs[i]);
    }
    free(arcs);
    free(set);
}

static void visit(struct work *work, uint32_t junction, int32_t up)
{
    work->seen[junction] = true;
    work->up[junction] = up;
    work->order[work->n_order++] = junction;
}

static uint32_t other_end(const struct work *work, int32_t end)
{
    const struct arc *arc = &work->placement->arc[end / 2];
    return end % 2 == 0 ? arc->to : arc->from;
}

static void walk_from(struct work *work, uint32_t root)
{
    if (work->seen[root])
        return;
    uint32_t at = work->n_order;
    for (visit(work, root, NOWHERE); at < work->n_order; at++)
        for (int32_t end = work->first_arc[work->order[at]]; end != NOWHERE; end = work->next_arc[end])
            if (!work->seen[other_end(work, end)])
                visit(work, other_end(work, end), end / 2);
}

static void order_tree(struct work *work)
{
    walk_from(work, find(work->set, work->n_points - 1)); /* OUTSIDE is always a root */
    for (uint32_t i = 0; i < work->n_points; i++)
        if (find(work->set, i) == i)
            walk_from(work, i);
}

/* ---- forms */

static int32_t slot_of(int32_t term)
{
    return term < 0 ? -term : term;
}

/* The form a + sign * b, where both are in the order of their slots. */
static struct form sum(const struct form *a, const struct form *b, int sign)
{
    struct form result = {.term = or_end(malloc((a->n + b->n + 1) * sizeof *result.term))};
    uint32_t i = 0, j = 0;
    while (i < a->n || j < b->n) {
        int32_t left = i < a->n ? a->term[i] : 0, right = j < b->n ? sign * b->term[j] : 0;
        if (left != 0 && right != 0 && left == -right) {
            i++;
            j++;
        } else if (right == 0 || (left != 0 && slot_of(left) <= slot_of(right))) {
            result.term[result.n++] = left;
            i++;
        } else {
            result.term[result.n++] = right;
            j++;
        }
    }
    return result;
}

static void add_form(struct form *to, const struct form *form, int sign)
{
    struct form result = sum(to, form, sign);
    free(to->term);
    *to = result;
}

/* Adds a known arc to the excess at a junction. For OUTSIDE there is no equation. */
static void tell(struct work *work, uint32_t junction, const struct arc *arc)
{
    if (junction != find(work->set, work->n_points - 1) && arc->from != arc->to)
        add_form(&work->excess[junction], &arc->form, junction == arc->to ? 1 : -1);
}

static void give_slot(struct work *work, struct arc *arc)
{
    if (arc->cost == FORBIDDEN)
        work->placement->block_without = arc->block;
    arc->counted = true;
    arc->slot = work->placement->n_slots++;
    arc->form.term = or_end(realloc(arc->form.term, sizeof *arc->form.term));
    arc->form.term[0] = (int32_t)arc->slot + 1;
    arc->form.n = 1;
}

/* Derives the arcs of the tree as sums of counters, from the leaves on: of all arcs at a junction only the
 * one to its root is not known then. */
static void derive(struct work *work)
{
    for (uint32_t i = work->n_order; i-- > 0;) {
        uint32_t junction = work->order[i];
        if (work->up[junction] == NOWHERE)
            continue;
        struct arc *arc = &work->placement->arc[work->up[junction]];
        static const struct form zero = {0};
        arc->form = sum(&zero, &work->excess[junction], arc->from == junction ? 1 : -1);
        if (arc->form.n > MOST_TERMS && arc->cost != FORBIDDEN)
            give_slot(work, arc);
        tell(work, arc->from == junction ? arc->to : arc->from, arc);
    }
}

static void free_forms(struct work *work)
{
    for (uint32_t i = 0; i < work->n_points; i++)
        free(work->excess[i].term);
    free(work->excess);
}

static void solve(struct work *work)
{
    work->excess = or_end(calloc(work->n_points, sizeof *work->excess));
    order_tree(work);
    for (size_t i = 0; i < work->placement->n; i++) {
        struct arc *arc = &work->placement->arc[i];
        if (work->derived[i])
            continue;
        give_slot(work, arc);
        tell(work, arc->to, arc);
        tell(work, arc->from, arc);
    }
    derive(work);
    free_forms(work);
}

/* ---- whole */

static void *filled(size_t n, size_t size, int byte)
{
    void *array = or_end(malloc((n + 1) * size));
    return memset(array, byte, (n + 1) * size);
}

static void prepare(struct work *work)
{
    work->n_points = 2 * (uint32_t)work->graph->n + 1;
    work->set = filled(work->n_points, sizeof *work->set, 0);
    for (uint32_t i = 0; i < work->n_points; i++)
        work->set[i] = i;
    work->placement->edge_of = filled(work->graph->n, sizeof *work->placement->edge_of, -1);
    join_ways(work);
    make_arcs(work);
    work->derived = filled(work->placement->n, sizeof *work->derived, 0);
    work->first_arc = filled(work->n_points, sizeof *work->first_arc, -1);
    work->next_arc = filled(2 * work->placement->n, sizeof *work->next_arc, -1);
    work->order = filled(work->n_points, sizeof *work->order, 0);
    work->up = filled(work->n_points, sizeof *work->up, -1);
    work->seen = filled(work->n_points, sizeof *work->seen, 0);
}

void placement_make(struct placement *placement, const struct graph *graph, enum level level,
                    enum slots slots)
{
    *placement = (struct placement){.block_without = NOWHERE};
    struct work work = {.graph = graph, .placement = placement};
    trips_find(&placement->trips, graph, slots);
    for (size_t i = 0; level < LEVEL_TRIPS && i < graph->n; i++)
        placement->trips.of[i] = NOWHERE;
    prepare(&work);
    choose_tree(&work, level == LEVEL_BLOCKS);
    solve(&work);
    placement->align = or_end(calloc(graph->n + 1, sizeof *placement->align));
    if (level == LEVEL_CARRIED)
        carried_find(placement, graph, slots);
    free(work.set);
    free(work.derived);
    free(work.first_arc);
    free(work.next_arc);
    free(work.order);
    free(work.up);
    free(work.seen);
}

void placement_free(struct placement *placement)
{
    trips_free(&placement->trips);
    for (size_t i = 0; i < placement->n; i++)
        free(placement->arc[i].form.term);
    free(placement->arc);
    free(placement->carried);
    free(placement->align);
    free(placement->edge_of);
}

/* ---- places of counters */

/* The flags that INC changes; it leaves the carry. */
enum { FLAGS_OF_INC = FLAGS_ALL & ~FLAG_C };

static bool flags_allow(uint8_t live)
{
    return processor.keeps_flags || (live & FLAGS_OF_INC) == 0;
}

void find_scratch(const struct block *block, uint64_t live, int scratch[MOST_SCRATCH])
{
    live |= ~processor.momentary;
    for (unsigned i = 0; i < MOST_SCRATCH; i++) {
        scratch[i] = dead_register(block, live);
        live |= scratch[i] != NOWHERE ? REGISTER(scratch[i]) : 0;
    }
}

/* Rates a place: dead flags count most, then dead registers, if they are wanted; of equal places the earlier
 * one is taken. */
static unsigned quality(const struct spot *spot, unsigned wanted)
{
    return 2 * spot->flags + (wanted > 0 && spot->scratch[wanted - 1] != NOWHERE);
}

static bool is_place(const struct statement *statement)
{
    return !statement->continues && !statement->landing && !statement->exclusive;
}

/* The first statement of a block before which code can be put: after a landing, outside of sequences and
 * exclusive accesses; NOWHERE: there is none. */
static int64_t first_place(const struct graph *graph, const struct block *block)
{
    for (size_t i = block->first; i <= block->last; i++)
        if (is_own(graph, block, i) && is_place(&graph->source->statement[i]))
            return (int64_t)i;
    return NOWHERE;
}

struct spot spot_in(const struct graph *graph, const struct block *block, unsigned wanted)
{
    int64_t place = first_place(graph, block);
    size_t first = place != NOWHERE ? (size_t)place : block->first;
    struct spot best = {
        .statement = first, .none = place == NOWHERE, .scratch = {NOWHERE, NOWHERE, NOWHERE, NOWHERE}};
    uint8_t flags = block->live_out;
    uint64_t registers = registers_behind(graph, block);
    for (size_t i = block->last + 1; i-- > block->first;) {
        const struct statement *statement = &graph->source->statement[i];
        if (!is_own(graph, block, i))
            continue;
        flags = flags_before(flags, statement->effect);
        registers = registers_before(registers, statement->uses);
        struct spot spot = {.statement = i, .flags = flags_allow(flags)};
        find_scratch(block, registers, spot.scratch);
        bool allowed = is_place(statement) && (i == first || quality(&spot, wanted) > 0);
        if (allowed && quality(&spot, wanted) >= quality(&best, wanted))
            best = spot;
    }
    return best;
}

struct spot spot_behind(const struct graph *graph, const struct block *block)
{
    struct spot spot = {.statement = block->last + 1, .flags = true};
    if (block->next == NOWHERE) {
        find_scratch(block, REGISTERS_ALL, spot.scratch);
        return spot;
    }
    const struct block *next = &graph->block[block->next];
    spot.flags = flags_allow(next->live_in);
    spot.none = block->exclusive_begun && next->exclusive_ends;
    find_scratch(block, next->registers_in, spot.scratch);
    return spot;
}
