/* SPDX-License-Identifier: BSD-3-Clause */
#include "assembler.h"

/* INC leaves the carry. */
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

/* Better: that flags are dead; then, where they are wanted, that registers are; then the earlier one. */
static unsigned quality(const struct spot *spot, unsigned wanted)
{
    return 2 * spot->flags + (wanted > 0 && spot->scratch[wanted - 1] != NOWHERE);
}

static bool is_place(const struct statement *statement)
{
    return !statement->continues && !statement->landing && !statement->exclusive;
}

/* Where the block begins, or behind where indirect jumps arrive; NOWHERE: nothing can be put into it. */
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
