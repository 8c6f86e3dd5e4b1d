/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Liveness of registers: those that some later instruction may still read, found backwards through the blocks
 * until nothing changes. What cannot be followed (calls, jumps to unknown places, code that somebody wrote)
 * is taken to read all that it may; a register that is wrongly called live costs speed, one that is wrongly
 * called dead a result. Only registers that a call may change are ever called dead, and in a function that is
 * called from its own file only those that it changes itself: its callers may know which ones it leaves alone
 * (gcc's -fipa-ra).
 */
#include "assembler.h"

#include <stdlib.h>

/* ---- registers that callers keep */

/* Registers that the callers of a function use, where they are in its own file: gcc knows which ones the
 * function leaves alone (-fipa-ra), and may keep what it needs in them meanwhile. */

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

/* For each block, the registers that callers of its function in this file use, and their callers, and so
 * on. */
static uint64_t *callers_registers(const struct graph *graph)
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

/* ---- registers that are read */

/* Splits operands, which are separated by commas outside parentheses and brackets; returns their number. */
unsigned operands_of(struct span text, struct span operand[MAX_OPERANDS])
{
    unsigned n = 0;
    int depth = 0;
    size_t begin = 0;
    for (size_t i = 0; text.n > 0 && i <= text.n && n < MAX_OPERANDS; i++) {
        if (i < text.n && (text.at[i] == '(' || text.at[i] == '{' || text.at[i] == '['))
            depth++;
        if (i < text.n && (text.at[i] == ')' || text.at[i] == '}' || text.at[i] == ']'))
            depth--;
        if (i < text.n && (text.at[i] != ',' || depth > 0))
            continue;
        operand[n++] = span_trim((struct span){text.at + begin, i - begin});
        begin = i + 1;
    }
    return n;
}

/* ---- liveness */

/* The registers that the function of a block changes somewhere. */
static uint64_t changed_by_function(const struct graph *graph, size_t begin, size_t end)
{
    uint64_t set = 0;
    for (size_t b = begin; b < end; b++)
        for (size_t i = graph->block[b].first; i <= graph->block[b].last; i++)
            if (is_own(graph, &graph->block[b], i))
                set |= graph->source->statement[i].uses.writes;
    return set & processor.changed_by_calls;
}

/* True for a function that restores what others may change: it has a convention of its own
 * (no_caller_saved_registers, interrupt), and leaves all registers alone. */
static bool restores_all(const struct graph *graph, size_t begin, size_t end)
{
    for (size_t b = begin; b < end; b++)
        for (size_t i = graph->block[b].first; i <= graph->block[b].last; i++)
            if (restores_registers(&graph->source->statement[i]))
                return true;
    return false;
}

static bool called_in_file(const struct graph *graph, const struct block *block)
{
    struct span function = function_name(block);
    int32_t label = function.n > 0 ? label_of(&graph->labels, function, 0) : NO_LABEL;
    return label == NO_LABEL || graph->labels.label[label].called;
}

static void find_changed(struct graph *graph)
{
    uint64_t *callers = callers_registers(graph);
    for (size_t i = 0, end; i < graph->n; i = end) {
        for (end = i; end < graph->n && graph->block[end].function.at == graph->block[i].function.at; end++)
            ;
        uint64_t changed = processor.changed_by_calls;
        if (restores_all(graph, i, end))
            changed = 0;
        else if (called_in_file(graph, &graph->block[i]))
            changed = changed_by_function(graph, i, end) | processor.changed_always |
                      (~callers[i] & processor.vectors);
        for (size_t b = i; b < end; b++)
            graph->block[b].changed = changed;
    }
    free(callers);
}

/* True for a jump to anything that has an address in this file, or to another function. */
static bool is_plain_jump(const struct graph *graph, const struct block *block)
{
    const struct statement *last = &graph->source->statement[block->last];
    return (block->flow == FLOW_JUMP || block->flow == FLOW_BRANCH) && !last->assembler &&
           !goes_to_helper(last);
}

uint64_t registers_behind(const struct graph *graph, const struct block *block)
{
    uint64_t live = 0;
    if (block->next != NOWHERE)
        live |= graph->block[block->next].registers_in;
    if (block->target != NOWHERE)
        live |= graph->block[block->target].registers_in;
    if (block->away && block->flow == FLOW_RETURN)
        live |= ~block->changed | processor.returned;
    else if (block->away && is_plain_jump(graph, block))
        live |= ~block->changed | processor.arguments | processor.returned | graph->addressed;
    else if (block->away && block->flow != FLOW_CALL)
        live = REGISTERS_ALL;
    return live;
}

uint64_t registers_before(uint64_t live, struct uses uses)
{
    return (live & ~uses.kills) | uses.reads;
}

static uint64_t live_at_start(const struct graph *graph, const struct block *block)
{
    uint64_t live = registers_behind(graph, block);
    for (size_t i = block->last + 1; i-- > block->first;)
        if (is_own(graph, block, i))
            live = registers_before(live, graph->source->statement[i].uses);
    return live;
}

void registers_analyse(struct graph *graph)
{
    find_changed(graph);
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = graph->n; i-- > 0;) {
            struct block *block = &graph->block[i];
            uint64_t live = live_at_start(graph, block);
            changed = changed || live != block->registers_in;
            block->registers_in = live;
            if (block->entry && (live & ~graph->addressed) != 0) {
                graph->addressed |= live;
                changed = true;
            }
        }
    }
}

int dead_register(const struct block *block, uint64_t live)
{
    for (size_t i = 0; i < processor.n_preferred; i++)
        if ((block->changed & ~live & REGISTER(processor.preferred[i])) != 0)
            return processor.preferred[i];
    return NOWHERE;
}
