/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Liveness of flags: those that some later instruction still reads. Goes backwards through the blocks until
 * nothing changes.
 */
#include "assembler.h"

uint8_t flags_before(uint8_t live, struct effect effect)
{
    return (uint8_t)((live & ~effect.kills) | effect.reads);
}

static uint8_t live_at_start(const struct graph *graph, const struct block *block)
{
    uint8_t live = block->live_out;
    for (size_t i = block->last + 1; i-- > block->first;)
        if (is_own(graph, block, i))
            live = flags_before(live, graph->source->statement[i].effect);
    return live;
}

/* The flags that are live at the end of a block. An indirect jump may go to whatever has an address; beyond
 * functions no flags are passed on. */
static uint8_t live_behind(const struct graph *graph, const struct block *block, uint8_t addressed)
{
    uint8_t live = 0;
    if (block->next != NOWHERE)
        live |= graph->block[block->next].live_in;
    if (block->target != NOWHERE)
        live |= graph->block[block->target].live_in;
    if (block->flow == FLOW_JUMP && block->away)
        live |= addressed;
    if (graph->source->statement[block->last].assembler && block->away)
        live = FLAGS_ALL;
    return live;
}

static bool update(struct graph *graph, struct block *block, uint8_t addressed)
{
    block->live_out = live_behind(graph, block, addressed);
    uint8_t live = live_at_start(graph, block);
    bool changed = live != block->live_in;
    block->live_in = live;
    return changed;
}

void flags_analyse(struct graph *graph)
{
    uint8_t addressed = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = graph->n; i-- > 0;) {
            struct block *block = &graph->block[i];
            changed = update(graph, block, addressed) || changed;
            if (block->entry && (block->live_in & ~addressed) != 0) {
                addressed |= block->live_in;
                changed = true;
            }
        }
    }
}
