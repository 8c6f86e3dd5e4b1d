/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Between a load that begins an exclusive access of memory (Arm's LDXR) and the store that ends it (STXR),
 * another store may have that one fail each time. Nothing is put where such a load was before and such a
 * store may come: forwards and backwards through blocks until nothing changes.
 */
#include "assembler.h"

static bool goes_on(const struct statement *statement)
{
    return statement->effect.exclusive == EXCLUSIVE_NOTHING && statement->effect.flow != FLOW_CALL;
}

static bool begun_behind(bool begun, const struct statement *statement)
{
    return statement->effect.exclusive == EXCLUSIVE_BEGINS || (begun && goes_on(statement));
}

static bool ends_from(bool ends, const struct statement *statement)
{
    return statement->effect.exclusive == EXCLUSIVE_ENDS || (ends && goes_on(statement));
}

static bool begun_before(const struct graph *graph, size_t block)
{
    for (uint32_t i = graph->n_from[block]; i < graph->n_from[block + 1]; i++)
        if (graph->block[graph->from[i]].exclusive_begun)
            return true;
    return false;
}

static bool ends_behind(const struct graph *graph, const struct block *block)
{
    return (block->next != NOWHERE && graph->block[block->next].exclusive_ends) ||
           (block->target != NOWHERE && graph->block[block->target].exclusive_ends);
}

/* True if it is otherwise than before. */
static bool update(struct graph *graph, size_t index)
{
    struct block *block = &graph->block[index];
    bool begun = begun_before(graph, index), ends = ends_behind(graph, block);
    for (size_t i = block->first; i <= block->last; i++)
        if (is_own(graph, block, i))
            begun = begun_behind(begun, &graph->source->statement[i]);
    for (size_t i = block->last + 1; i-- > block->first;)
        if (is_own(graph, block, i))
            ends = ends_from(ends, &graph->source->statement[i]);
    bool changed = begun != block->exclusive_begun || ends != block->exclusive_ends;
    block->exclusive_begun = begun;
    block->exclusive_ends = ends;
    return changed;
}

static void mark(struct graph *graph, struct source *source, size_t index)
{
    struct block *block = &graph->block[index];
    bool begun = begun_before(graph, index), ends = ends_behind(graph, block);
    for (size_t i = block->first; i <= block->last; i++) {
        if (!is_own(graph, block, i))
            continue;
        source->statement[i].exclusive = begun;
        begun = begun_behind(begun, &source->statement[i]);
    }
    for (size_t i = block->last + 1; i-- > block->first;) {
        if (!is_own(graph, block, i))
            continue;
        ends = ends_from(ends, &source->statement[i]);
        source->statement[i].exclusive = source->statement[i].exclusive && ends;
        block->exclusive = block->exclusive || ends || source->statement[i].exclusive;
    }
}

void exclusive_analyse(struct graph *graph, struct source *source)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < graph->n; i++)
            changed = update(graph, i) || changed;
    }
    for (size_t i = 0; i < graph->n; i++)
        mark(graph, source, i);
}
