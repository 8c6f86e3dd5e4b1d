/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Counters of small loops in registers. A counter in memory is read again before what was written has
 * arrived there: a turn takes five to eight cycles, whatever else it does. In a loop that calls nothing,
 * nobody looks at its counters before it ends:
 *
 *        movl $0, %r11d                          on each way into it
 *   .L3: leaq 1(%r11), %r11                      in place of incq slot
 *        ...
 *        addq %r11, slot                         on each way out
 *
 * or the same in vector registers, of which most loops of integers have some, with a 1 in memory and no flag
 * that changes. The way that a conditional jump takes has its code behind a jump nearby, and the jump goes
 * there first.
 */
#include "assembler.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_BLOCKS = 16, MOST_STATEMENTS = 32 };
enum { SIZE_COUNTER = 9, SIZE_CARRIED = 9, LINE = 64, MOST_BYTES = 4 * LINE };

struct back {
    int32_t head, latch;
};

struct finder {
    const struct graph *graph;
    struct placement *placement;
    enum slots slots;
    uint8_t *state; /* by block, of the walk */
    bool *is_head;
    bool *vex; /* by block, whether its function has AVX instructions */
    struct back *back;
    size_t n_back;
    int32_t body[MOST_BLOCKS]; /* of the loop that is looked at, its head first */
    unsigned n_body;
};

/* ---- ways back */

enum { UNSEEN, OPEN, DONE };

/* Finds the ways back, which close a circle, by a depth-first search. */
static void walk_from(struct finder *finder, int32_t root, int32_t *stack, uint8_t *phase)
{
    size_t n = 0;
    if (finder->state[root] != UNSEEN)
        return;
    for (stack[n] = root, phase[n++] = 0; n > 0;) {
        int32_t at = stack[n - 1];
        const struct block *block = &finder->graph->block[at];
        finder->state[at] = phase[n - 1] < 2 ? OPEN : DONE;
        if (phase[n - 1] == 2) {
            n--;
            continue;
        }
        int32_t to = phase[n - 1]++ == 0 ? block->next : block->target;
        if (to != NOWHERE && finder->state[to] == OPEN) {
            finder->is_head[to] = true;
            finder->back = grown(finder->back, finder->n_back, sizeof *finder->back);
            finder->back[finder->n_back++] = (struct back){to, at};
        } else if (to != NOWHERE && finder->state[to] == UNSEEN) {
            stack[n] = to;
            phase[n++] = 0;
        }
    }
}

static int by_head(const void *a, const void *b)
{
    const struct back *x = a, *y = b;
    return x->head != y->head ? (x->head < y->head ? -1 : 1) : (x->latch > y->latch) - (x->latch < y->latch);
}

static void find_ways_back(struct finder *finder)
{
    size_t n = finder->graph->n;
    int32_t *stack = or_end(malloc((n + 1) * sizeof *stack));
    uint8_t *phase = or_end(malloc(n + 1));
    for (size_t i = 0; i < n; i++)
        if (finder->graph->block[i].entry)
            walk_from(finder, (int32_t)i, stack, phase);
    for (size_t i = 0; i < n; i++)
        walk_from(finder, (int32_t)i, stack, phase);
    if (finder->n_back > 0)
        qsort(finder->back, finder->n_back, sizeof *finder->back, by_head);
    free(stack);
    free(phase);
}

/* ---- body */

static bool in_body(const struct finder *finder, int32_t block)
{
    for (unsigned i = 0; i < finder->n_body; i++)
        if (finder->body[i] == block)
            return true;
    return false;
}

/* Takes a block into the loop's body. False: the loop is too large, may be left or entered at places that
 * nobody knows, or has one inside. */
static bool take_block(struct finder *finder, int32_t index)
{
    const struct block *block = &finder->graph->block[index];
    if (in_body(finder, index))
        return true;
    if (finder->n_body == MOST_BLOCKS || block->entry || block->away || block->flow == FLOW_CALL ||
        block->exclusive || (finder->n_body > 0 && finder->is_head[index]) ||
        (block->flow == FLOW_BRANCH && block->next == NOWHERE))
        return false;
    finder->body[finder->n_body++] = index;
    return true;
}

/* Finds the body of a loop: all blocks from which the way back can be reached without the head. */
static bool find_body(struct finder *finder, const struct back *back, size_t n)
{
    const struct graph *graph = finder->graph;
    finder->n_body = 0;
    if (!take_block(finder, back->head))
        return false;
    for (size_t i = 0; i < n; i++)
        if (!take_block(finder, back[i].latch))
            return false;
    for (unsigned at = 1; at < finder->n_body; at++)
        for (uint32_t i = graph->n_from[finder->body[at]]; i < graph->n_from[finder->body[at] + 1]; i++)
            if (!take_block(finder, graph->from[i]))
                return false;
    return true;
}

/* ---- ways */

static const struct statement *last_of(const struct graph *graph, int32_t block)
{
    return &graph->source->statement[graph->block[block].last];
}

int32_t stub_behind(const struct graph *graph, int32_t from)
{
    const char *function = graph->block[from].function.at;
    for (size_t i = (size_t)from; i < graph->n && graph->block[i].function.at == function; i++) {
        uint8_t flow = graph->block[i].flow;
        if (graph->block[i].section == graph->block[from].section &&
            (flow == FLOW_JUMP || flow == FLOW_RETURN || flow == FLOW_STOP))
            return (int32_t)i;
    }
    return NOWHERE;
}

/* True if code can be put on a way. */
static bool is_open(const struct graph *graph, const struct way *way)
{
    const struct statement *last = last_of(graph, way->from);
    if (!way->taken)
        return true;
    if (last->continues || last->assembler)
        return false;
    if (graph->block[way->from].flow == FLOW_JUMP)
        return true;
    return may_be_redirected(last) && stub_behind(graph, way->from) != NOWHERE;
}

static bool add_way(const struct graph *graph, struct carried *loop, struct way way)
{
    if (loop->n_ways == MOST_WAYS || !is_open(graph, &way))
        return false;
    loop->way[loop->n_ways++] = way;
    return true;
}

static bool add_exits(const struct finder *finder, struct carried *loop, int32_t from)
{
    const struct block *block = &finder->graph->block[from];
    if (block->next != NOWHERE && !in_body(finder, block->next) &&
        !add_way(finder->graph, loop, (struct way){from, block->next, false, false}))
        return false;
    return block->target == NOWHERE || in_body(finder, block->target) ||
           add_way(finder->graph, loop, (struct way){from, block->target, true, false});
}

/* Adds the ways into a loop. A block of which both ways go there is among them twice. */
static bool add_entries(const struct finder *finder, struct carried *loop)
{
    const struct graph *graph = finder->graph;
    int32_t head = finder->body[0], before = NOWHERE;
    for (uint32_t i = graph->n_from[head]; i < graph->n_from[head + 1]; i++) {
        int32_t from = graph->from[i];
        if (in_body(finder, from))
            continue;
        bool falls = graph->block[from].next == head && from != before;
        if (!add_way(graph, loop, (struct way){from, head, !falls, true}))
            return false;
        before = from;
    }
    return loop->n_ways > 0;
}

static bool find_ways(const struct finder *finder, struct carried *loop)
{
    if (!add_entries(finder, loop))
        return false;
    for (unsigned i = 0; i < finder->n_body; i++)
        if (!add_exits(finder, loop, finder->body[i]))
            return false;
    return true;
}

/* ---- registers */

/* The registers that the loop uses in any way; all: the loop is too large. */
static uint64_t taken_registers(const struct finder *finder)
{
    const struct graph *graph = finder->graph;
    uint64_t taken = 0;
    unsigned statements = 0;
    for (unsigned b = 0; b < finder->n_body; b++) {
        const struct block *block = &graph->block[finder->body[b]];
        for (size_t i = block->first; i <= block->last; i++) {
            const struct uses *uses = &graph->source->statement[i].uses;
            if (!is_own(graph, block, i))
                continue;
            taken |= uses->named | uses->may;
            statements++;
        }
    }
    return statements > MOST_STATEMENTS ? REGISTERS_ALL : taken;
}

/* The registers that the counters of trips (put_trip) of loops inside use before the loop. */
static uint64_t registers_of_trips(const struct finder *finder)
{
    const struct trips *trips = &finder->placement->trips;
    uint64_t taken = 0;
    for (unsigned i = 0; i < finder->n_body; i++)
        for (unsigned s = 0; trips->of[finder->body[i]] != NOWHERE && s < MOST_SCRATCH; s++) {
            int scratch = trips->trip[trips->of[finder->body[i]]].scratch[s];
            taken |= scratch != NOWHERE ? REGISTER(scratch) : 0;
        }
    return taken;
}

/* True if general registers may be used: one is added by an instruction that changes flags, and what other
 * counters need for a moment may be the same register. */
static bool takes_general(const struct finder *finder, const struct carried *loop)
{
    if (processor.carries_any_slots)
        return true;
    for (unsigned i = 0; i < loop->n_ways; i++)
        if (!loop->way[i].enters && finder->graph->block[loop->way[i].to].live_in != 0)
            return false;
    return finder->slots == SLOTS_LOCAL;
}

/* Registers that the loop does not name and nobody reads behind it. */
static uint64_t free_registers(const struct finder *finder, const struct carried *loop)
{
    const struct block *head = &finder->graph->block[finder->body[0]];
    uint64_t free = head->changed & ~head->registers_in & ~taken_registers(finder);
    uint64_t general = takes_general(finder, loop) ? processor.carries & ~registers_of_trips(finder) : 0;
    return free & (processor.carries_vectors | general);
}

static int take_highest(uint64_t *free, uint64_t of)
{
    int number = (*free & of) != 0 ? 63 - __builtin_clzll(*free & of) : NOWHERE;
    *free &= number != NOWHERE ? ~REGISTER(number) : REGISTERS_ALL;
    return number;
}

/* True if a way out of the loop has no general register or flags free, so that another vector register is
 * needed there. */
static bool needs_spare(const struct finder *finder, const struct carried *loop)
{
    for (unsigned i = 0; i < loop->n_ways; i++) {
        const struct block *to = &finder->graph->block[loop->way[i].to];
        int scratch[MOST_SCRATCH];
        find_scratch(to, to->registers_in, scratch);
        if (!loop->way[i].enters && (to->live_in != 0 || scratch[finder->slots == SLOTS_INITIAL] == NOWHERE))
            return finder->slots != SLOTS_PROCESS;
    }
    return false;
}

static int take_register(const struct finder *finder, struct carried *loop, uint64_t *free)
{
    int number = take_highest(free, processor.carries);
    if (number != NOWHERE)
        return number;
    if (loop->spare == NOWHERE && needs_spare(finder, loop) &&
        (loop->spare = take_highest(free, processor.carries_vectors)) == NOWHERE)
        return NOWHERE;
    return take_highest(free, processor.carries_vectors);
}

/* True for counters to which an iteration of the loop may add. */
static bool is_inside(const struct finder *finder, const struct arc *arc, int32_t index)
{
    const struct block *block = &finder->graph->block[arc->block];
    if (!arc->counted || !in_body(finder, arc->block))
        return false;
    if (arc->edge)
        return in_body(finder, block->next);
    return finder->placement->trips.of[index] == NOWHERE;
}

static void take_arc(const struct finder *finder, struct carried *loop, int32_t index, uint64_t *free)
{
    struct placement *placement = finder->placement;
    if (index == NOWHERE || loop->n == MOST_CARRIED || !is_inside(finder, &placement->arc[index], index))
        return;
    int number = take_register(finder, loop, free);
    if (number == NOWHERE)
        return;
    loop->arc[loop->n] = index;
    loop->number[loop->n++] = number;
    placement->arc[index].carried = (int32_t)placement->n_carried;
}

static void carry(struct finder *finder, int32_t head)
{
    struct placement *placement = finder->placement;
    struct carried loop = {.spare = NOWHERE};
    uint64_t free = find_ways(finder, &loop) ? free_registers(finder, &loop) : 0;
    for (unsigned i = 0; free != 0 && i < finder->n_body; i++) {
        take_arc(finder, &loop, finder->body[i], &free);
        take_arc(finder, &loop, placement->edge_of[finder->body[i]], &free);
    }
    if (loop.n == 0)
        return;
    loop.vex = finder->vex[head];
    placement->carried = grown(placement->carried, placement->n_carried, sizeof loop);
    placement->carried[placement->n_carried++] = loop;
}

/* ---- alignment */

static unsigned size_of_block(const struct finder *finder, int32_t index)
{
    const struct block *block = &finder->graph->block[index];
    const struct arc *arc = &finder->placement->arc[index];
    bool counter = arc->counted && finder->placement->trips.of[index] == NOWHERE;
    unsigned size = !counter ? 0 : arc->carried != NOWHERE ? SIZE_CARRIED : SIZE_COUNTER;
    int32_t edge = finder->placement->edge_of[index];
    if (edge != NOWHERE && in_body(finder, block->next) && finder->placement->arc[edge].counted)
        size += finder->placement->arc[edge].carried != NOWHERE ? SIZE_CARRIED : SIZE_COUNTER;
    for (size_t i = block->first; i <= block->last; i++)
        if (is_own(finder->graph, block, i))
            size += size_of(&finder->graph->source->statement[i]);
    return size;
}

/* A turn of a loop that has more lines of the cache than it needs takes longer, a small one's twice as long.
 * Where the compiler has put it does not matter any more, with counters before it. */
static void align(struct finder *finder)
{
    unsigned size = 0;
    int32_t first = finder->body[0];
    for (unsigned i = 0; i < finder->n_body; i++) {
        first = finder->body[i] < first ? finder->body[i] : first;
        size += size_of_block(finder, finder->body[i]);
    }
    if (size <= MOST_BYTES)
        finder->placement->align[first] = (uint8_t)((size - 1) % LINE);
}

static bool is_jumped_to(const struct finder *finder, int32_t index)
{
    const struct graph *graph = finder->graph;
    for (uint32_t i = graph->n_from[index]; i < graph->n_from[index + 1]; i++)
        if (in_body(finder, graph->from[i]) && graph->block[graph->from[i]].target == index)
            return true;
    return false;
}

/* The size in bytes of a block's first instruction, which may be its counter's. */
static unsigned size_of_first(const struct finder *finder, int32_t index)
{
    const struct block *block = &finder->graph->block[index];
    const struct arc *arc = &finder->placement->arc[index];
    bool counter = arc->counted && finder->placement->trips.of[index] == NOWHERE;
    if (counter &&
        spot_in(finder->graph, block, processor.for_counter[finder->slots]).statement == block->first)
        return arc->carried != NOWHERE ? SIZE_CARRIED : SIZE_COUNTER;
    return size_of(&finder->graph->source->statement[block->first]);
}

/* Aligns targets of jumps that would lie in two lines of the cache, since these take longer. */
static void align_targets(struct finder *finder)
{
    for (unsigned i = 0; i < finder->n_body; i++) {
        int32_t index = finder->body[i];
        unsigned size = size_of_first(finder, index);
        if (size > 1U + finder->placement->align[index] && is_jumped_to(finder, index))
            finder->placement->align[index] = (uint8_t)(size - 1);
    }
}

static void look_at(struct finder *finder, const struct back *back, size_t n)
{
    if (!find_body(finder, back, n))
        return;
    carry(finder, back->head);
    align(finder);
    align_targets(finder);
}

/* ---- whole */

static bool is_vex(const struct graph *graph, const struct block *block)
{
    for (size_t i = block->first; i <= block->last; i++)
        if (is_own(graph, block, i) && graph->source->statement[i].word.at[0] == 'v')
            return true;
    return false;
}

/* Finds the functions that use VEX instructions: both kinds in one function would wait for each other. */
static void find_vex(struct finder *finder)
{
    const struct graph *graph = finder->graph;
    for (size_t i = 0, end; i < graph->n; i = end) {
        bool vex = false;
        for (end = i; end < graph->n && graph->block[end].function.at == graph->block[i].function.at; end++)
            vex = vex || is_vex(graph, &graph->block[end]);
        memset(finder->vex + i, vex, end - i);
    }
}

void carried_find(struct placement *placement, const struct graph *graph, enum slots slots)
{
    struct finder finder = {.graph = graph,
                            .placement = placement,
                            .slots = slots,
                            .state = or_end(calloc(graph->n + 1, 1)),
                            .is_head = or_end(calloc(graph->n + 1, sizeof(bool))),
                            .vex = or_end(calloc(graph->n + 1, sizeof(bool)))};
    find_vex(&finder);
    find_ways_back(&finder);
    for (size_t i = 0, n; i < finder.n_back; i += n) {
        for (n = 1; i + n < finder.n_back && finder.back[i + n].head == finder.back[i].head; n++)
            ;
        look_at(&finder, finder.back + i, n);
    }
    free(finder.state);
    free(finder.is_head);
    free(finder.vex);
    free(finder.back);
}
