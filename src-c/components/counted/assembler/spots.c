/* SPDX-License-Identifier: BSD-3-Clause */
#include "assembler.h"

/* Better: that flags are dead; then, where it is wanted, that a register is; then the earlier one. */
static unsigned quality(const struct spot *spot, bool wants_register)
{
    return 2 * spot->flags + (wants_register && spot->scratch != NOWHERE);
}

/* Where the block begins, or behind its ENDBR64. */
static size_t first_place(const struct graph *graph, const struct block *block)
{
    for (size_t i = block->first; i <= block->last; i++)
        if (is_own(graph, block, i) && !graph->source->statement[i].continues)
            return i;
    return block->first;
}

struct spot spot_in(const struct graph *graph, const struct block *block, bool wants_register)
{
    size_t first = first_place(graph, block);
    struct spot best = {.statement = first, .scratch = NOWHERE};
    uint8_t flags = block->live_out;
    uint32_t registers = registers_behind(graph, block);
    for (size_t i = block->last + 1; i-- > block->first;) {
        const struct statement *statement = &graph->source->statement[i];
        if (!is_own(graph, block, i))
            continue;
        flags = flags_before(flags, statement->effect);
        registers = registers_before(registers, statement->uses);
        struct spot spot = {i, (flags & FLAGS_OF_INC) == 0, dead_register(block, registers)};
        bool allowed = !statement->continues && (i == first || quality(&spot, wants_register) > 0);
        if (allowed && quality(&spot, wants_register) >= quality(&best, wants_register))
            best = spot;
    }
    return best;
}

struct spot spot_behind(const struct graph *graph, const struct block *block)
{
    if (block->next == NOWHERE)
        return (struct spot){block->last + 1, true, NOWHERE};
    const struct block *next = &graph->block[block->next];
    return (struct spot){block->last + 1, (next->live_in & FLAGS_OF_INC) == 0,
                         dead_register(block, next->registers_in)};
}
