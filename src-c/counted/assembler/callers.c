/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Registers that the callers of a function use, where they are in its own file: gcc knows which ones the
 * function leaves alone (-fipa-ra), and may keep what it needs in them meanwhile.
 */
#include "assembler.h"

#include <stdlib.h>

struct calls {
    const struct graph *graph;
    int32_t *function; /* by block, the first block of its function */
    uint64_t *named;   /* by function, registers that it names */
    uint64_t *above;   /* by function, those that its callers name, and theirs */
};

/* The function of which another, such as f.cold, is a part. */
static int32_t whole_function(const struct graph *graph, int32_t first)
{
    struct span name = function_name(&graph->block[first]);
    int32_t label = name.n > 0 ? label_of(&graph->labels, name, 0) : NO_LABEL;
    int32_t block = label != NO_LABEL ? graph->labels.label[label].block : NOWHERE;
    return block != NOWHERE ? block : first;
}

static void find_functions(struct calls *calls)
{
    const struct graph *graph = calls->graph;
    for (size_t i = 0; i < graph->n; i++) {
        const struct block *block = &graph->block[i];
        bool first = i == 0 || graph->block[i - 1].function.at != block->function.at;
        calls->function[i] = first ? whole_function(graph, (int32_t)i) : calls->function[i - 1];
        for (size_t s = block->first; s <= block->last; s++)
            if (is_own(graph, block, s))
                calls->named[calls->function[i]] |= graph->source->statement[s].uses.named;
    }
}

/* The function that a block calls or jumps to at its end; NOWHERE: it is not in this file, or not known. */
static int32_t called_by(const struct calls *calls, const struct block *block)
{
    const struct graph *graph = calls->graph;
    struct span name = jump_target(&graph->source->statement[block->last]);
    int32_t label =
        block->flow != FLOW_NEXT && name.n > 0 ? label_of(&graph->labels, name, block->last) : NO_LABEL;
    int32_t at = label != NO_LABEL ? graph->labels.label[label].block : NOWHERE;
    return at != NOWHERE ? calls->function[at] : NOWHERE;
}

static bool hand_on(struct calls *calls)
{
    bool changed = false;
    for (size_t i = 0; i < calls->graph->n; i++) {
        int32_t from = calls->function[i], to = called_by(calls, &calls->graph->block[i]);
        if (to == NOWHERE || to == from)
            continue;
        uint64_t above = calls->above[to] | calls->above[from] | calls->named[from];
        changed = changed || above != calls->above[to];
        calls->above[to] = above;
    }
    return changed;
}

/* Takes functions that have another name as called from anywhere, by callers that use all registers. */
static void mark_aliases(struct calls *calls)
{
    const struct labels *labels = &calls->graph->labels;
    for (size_t i = 0; i < labels->n; i++)
        if (labels->label[i].aliased && labels->label[i].block != NOWHERE)
            calls->above[calls->function[labels->label[i].block]] = UINT64_MAX;
}

uint64_t *callers_registers(const struct graph *graph)
{
    size_t n = graph->n + 1;
    struct calls calls = {.graph = graph,
                          .function = or_end(calloc(n, sizeof(int32_t))),
                          .named = or_end(calloc(n, sizeof(uint64_t))),
                          .above = or_end(calloc(n, sizeof(uint64_t)))};
    find_functions(&calls);
    mark_aliases(&calls);
    while (hand_on(&calls))
        ;
    uint64_t *by_block = or_end(calloc(n, sizeof *by_block));
    for (size_t i = 0; i < graph->n; i++)
        by_block[i] = calls.above[calls.function[i]];
    free(calls.function);
    free(calls.named);
    free(calls.above);
    return by_block;
}
