/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Loops that need no counter inside: how many turns one makes is known before it begins, from a register that
 * changes by a fixed number in each turn until it equals another register or a number, or by 1 until it has
 * passed that. In front of the loop that is added to its last block's slot, with three to seven instructions
 * and a dead register:
 *
 *   .L3: ...                              before it: mov limit, R
 *        add $step, counter                          sub counter, R
 *        cmp limit, counter                          shr, imul: divided by the step, without a rest
 *        jne .L3                                     add R, slot
 *
 *   .L3: ...                              before it: lea 1(counter), R: what is compared first
 *        inc counter                                 sub limit, R
 *        cmp limit, counter                          cmovge 0, R: there is no second turn
 *        jl .L3                                      neg R, inc R
 *                                                    add R, slot
 *
 * The loop is entered at its head alone, left at its end alone, and calls nothing: nobody reads the slot
 * meanwhile. Compilers lay such a loop out in one piece.
 */
#include "assembler.h"

#include <stdlib.h>
#include <string.h>

struct finder {
    const struct graph *graph;
    struct trips *trips;
    struct trip trip; /* the one that is being looked at */
};

/* ---- the loop */

static bool within(int32_t block, int32_t low, int32_t high)
{
    return block >= low && block <= high;
}

/* True if a block before the last one goes on inside, and is reached only from inside. */
static bool is_closed(const struct finder *finder, int32_t index)
{
    const struct block *block = &finder->graph->block[index];
    int32_t head = finder->trip.head, latch = finder->trip.latch;
    if (block->away || block->entry || block->flow == FLOW_CALL || block->exclusive ||
        block->section != finder->graph->block[head].section)
        return false;
    if (index != latch && ((block->next != NOWHERE && !within(block->next, head + 1, latch)) ||
                           (block->target != NOWHERE && !within(block->target, head + 1, latch))))
        return false;
    for (uint32_t i = finder->graph->n_from[index]; index != head && i < finder->graph->n_from[index + 1];
         i++)
        if (!within(finder->graph->from[i], head, latch))
            return false;
    return true;
}

static bool is_loop(const struct finder *finder)
{
    for (int32_t i = finder->trip.head; i <= finder->trip.latch; i++)
        if (!is_closed(finder, i))
            return false;
    return finder->graph->block[finder->trip.latch].next != finder->trip.head;
}

/* ---- registers */

static const struct statement *statement_of(const struct finder *finder, size_t i)
{
    return &finder->graph->source->statement[i];
}

/* The only statement of the loop that may write a register; NOWHERE: there is none, or more than one. */
static int64_t only_writer(const struct finder *finder, int number, unsigned *n)
{
    int64_t writer = NOWHERE;
    *n = 0;
    for (int32_t b = finder->trip.head; b <= finder->trip.latch; b++) {
        const struct block *block = &finder->graph->block[b];
        for (size_t i = block->first; i <= block->last; i++)
            if (is_own(finder->graph, block, i) &&
                (statement_of(finder, i)->uses.may & REGISTER(number)) != 0) {
                writer = (int64_t)i;
                ++*n;
            }
    }
    return *n == 1 ? writer : NOWHERE;
}

/* ---- condition */

/* Sets the counter: a register that changes once, in the last block. compared: the statement that looks at
 * its value. */
static bool set_counter(struct finder *finder, int counter, size_t compared)
{
    struct trip *trip = &finder->trip;
    const struct block *latch = &finder->graph->block[trip->latch];
    unsigned n;
    int bytes;
    int64_t writer = only_writer(finder, counter, &n);
    if (writer == NOWHERE || writer < (int64_t)latch->first ||
        !step_of(statement_of(finder, (size_t)writer), counter, &trip->step, &bytes))
        return false;
    trip->counter = counter;
    trip->bytes = bytes < trip->bytes ? bytes : trip->bytes;
    trip->behind = (size_t)writer > compared;
    return true;
}

static bool set_limit(struct finder *finder, const struct comparison *comparison)
{
    struct trip *trip = &finder->trip;
    unsigned n;
    trip->limit = comparison->limit;
    trip->number = comparison->number;
    if (trip->limit == NOWHERE)
        return true;
    only_writer(finder, trip->limit, &n);
    return n == 0 && trip->limit != trip->counter;
}

/* True if the loop goes upwards while the counter is less, or downwards while it is greater, and changes all
 * of what is compared. */
static bool is_order(struct finder *finder, size_t i, const struct order *order)
{
    struct comparison found[MOST_COMPARISONS];
    struct trip *trip = &finder->trip;
    unsigned n = comparisons_of(statement_of(finder, i), found);
    trip->until = order->until;
    trip->once_more = order->equal;
    for (unsigned c = 0; c < n; c++) {
        trip->bytes = found[c].bytes;
        if (found[c].ordered && set_counter(finder, found[c].counter, i) && set_limit(finder, &found[c]) &&
            found[c].bytes == trip->bytes && trip->step == (order->less != found[c].swapped ? 1 : -1))
            return true;
    }
    return false;
}

/* True if the flags of the branch come from a comparison, or from the counter's change itself. */
static bool is_condition(struct finder *finder, size_t i)
{
    struct comparison found[MOST_COMPARISONS];
    unsigned n = comparisons_of(statement_of(finder, i), found);
    for (unsigned c = 0; c < n; c++) {
        finder->trip.bytes = found[c].bytes;
        if (set_counter(finder, found[c].counter, i) && set_limit(finder, &found[c]))
            return !(found[c].of_result && finder->trip.behind);
    }
    return false;
}

/* True if a statement may set flags: code that somebody wrote may do anything. */
static bool sets_flags(const struct statement *statement)
{
    return statement->effect.kills != 0 || statement->effect.unknown || statement->assembler;
}

static bool find_condition(struct finder *finder)
{
    const struct block *latch = &finder->graph->block[finder->trip.latch];
    const struct statement *jump = statement_of(finder, latch->last);
    struct order order;
    bool ordered = order_of(jump, &order);
    if (jump_compares(jump))
        return is_condition(finder, latch->last);
    if (!ordered && !jumps_unless_equal(jump))
        return false;
    for (size_t i = latch->last; i-- > latch->first;)
        if (is_own(finder->graph, latch, i) && sets_flags(statement_of(finder, i)))
            return ordered ? is_order(finder, i, &order) : is_condition(finder, i);
    return false;
}

/* ---- entries */

/* The statement before which code runs only if the block goes on to the loop's head; NOWHERE: there is no
 * such place. */
static int64_t place_behind(const struct finder *finder, int32_t from)
{
    const struct block *block = &finder->graph->block[from];
    bool jumps = block->target == finder->trip.head, falls = block->next == finder->trip.head;
    if (falls && !jumps)
        return (int64_t)block->last + 1;
    if (jumps && block->flow == FLOW_JUMP && !statement_of(finder, block->last)->continues)
        return (int64_t)block->last;
    return NOWHERE;
}

static bool find_entries(struct finder *finder)
{
    struct trip *trip = &finder->trip;
    for (uint32_t i = finder->graph->n_from[trip->head]; i < finder->graph->n_from[trip->head + 1]; i++) {
        int32_t from = finder->graph->from[i];
        if (from == trip->latch)
            continue;
        int64_t place = place_behind(finder, from);
        if (place == NOWHERE || trip->n_entries == MOST_ENTRIES)
            return false;
        trip->entry[trip->n_entries++] = (struct entry){from, (size_t)place};
    }
    return trip->n_entries > 0;
}

/* The lowest register that is neither of the loop's two nor among those that are taken. */
static int any_register(const struct trip *trip, uint64_t taken)
{
    int number = 0;
    while (number == trip->counter || number == trip->limit || (taken & REGISTER(number)) != 0)
        number++;
    return number;
}

/* Finds registers that are dead, or have to be saved meanwhile. */
static bool find_registers(struct finder *finder)
{
    struct trip *trip = &finder->trip;
    const struct block *head = &finder->graph->block[trip->head];
    uint64_t taken = 0;
    for (unsigned i = 0; i < MOST_SCRATCH; i++) {
        bool needed = i < finder->trips->needed;
        trip->scratch[i] = needed ? dead_register(head, head->registers_in | taken) : NOWHERE;
        trip->saved[i] = needed && trip->scratch[i] == NOWHERE;
        if (trip->saved[i])
            trip->scratch[i] = any_register(trip, taken);
        taken |= needed ? REGISTER(trip->scratch[i]) : 0;
    }
    return head->live_in == 0 || (processor.keeps_flags && trip->until == UNTIL_EQUAL);
}

static void look_at(struct finder *finder, int32_t latch)
{
    const struct block *block = &finder->graph->block[latch];
    if (block->flow != FLOW_BRANCH || block->target == NOWHERE || block->target > latch)
        return;
    finder->trip = (struct trip){.head = block->target, .latch = latch};
    if (!find_condition(finder) || !is_loop(finder) || !find_registers(finder) || !find_entries(finder))
        return;
    struct trips *trips = finder->trips;
    trips->of[latch] = (int32_t)trips->n;
    trips->trip = grown(trips->trip, trips->n, sizeof *trips->trip);
    trips->trip[trips->n++] = finder->trip;
}

void trips_find(struct trips *trips, const struct graph *graph, enum slots slots)
{
    *trips = (struct trips){.needed = processor.for_trip[slots],
                            .of = or_end(malloc((graph->n + 1) * sizeof *trips->of))};
    struct finder finder = {.graph = graph, .trips = trips};
    for (int32_t i = 0; i < (int32_t)graph->n; i++) {
        trips->of[i] = NOWHERE;
        look_at(&finder, i);
    }
}

void trips_free(struct trips *trips)
{
    free(trips->of);
    free(trips->trip);
}
