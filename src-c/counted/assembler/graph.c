/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Blocks: a block begins where something may jump to, or behind a jump or a call; it ends behind a jump or
 * a call, or before one begins. A call ends it because what is called may read the counters, or not
 * come back.
 */
#include "assembler.h"
#include "base/array.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct builder {
    struct graph *graph;
    struct source *source;
    int32_t *open;   /* by section, the block that the next instruction goes on with; NOWHERE */
    int32_t *before; /* by section, the block that falls through to what comes next; NOWHERE */
    bool *label;     /* by section: a label that something jumps to stands before the next instruction */
    size_t *given;   /* by section, labels before this one have their blocks */
    uint32_t line, file;
    struct span function;
    struct span names; /* of the last .type */
    bool silent;       /* the next statements have no counters */
};

static void refuse(struct source *source, const struct statement *statement, const char *why)
{
    if (source->why != NULL)
        return;
    source->why = why;
    source->why_line = statement->line;
}

/* ---- references */

static bool starts_name(char c)
{
    return isalpha((unsigned char)c) || c == '_' || c == '.';
}

static bool in_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '$';
}

/* The next name or number in a text, registers left out. */
static struct span next_name(struct span *text)
{
    while (text->n > 0) {
        const char *at = text->at;
        size_t n = 1;
        bool name = starts_name(*at) || isdigit((unsigned char)*at), reg = *at == '%';
        if (name || reg)
            while (n < text->n && in_name(at[n]))
                n++;
        text->at += n;
        text->n -= n;
        if (name)
            return (struct span){at, n};
    }
    return (struct span){0};
}

/* True for labels of debug information, and of ranges of exceptions and functions: nothing jumps to them. */
static bool only_marks(struct span name)
{
    return span_starts(name, ".LEH") || span_starts(name, ".LFB") || span_starts(name, ".LFE") ||
           span_starts(name, ".LLSDA") || span_starts(name, ".LVL");
}

static void mark_addressed(struct labels *labels, struct span text, size_t statement, bool called,
                           bool aliased)
{
    for (struct span name = next_name(&text); name.n > 0; name = next_name(&text)) {
        int32_t label = only_marks(name) ? NO_LABEL : label_of(labels, name, statement);
        if (label == NO_LABEL)
            continue;
        labels->label[label].addressed = true;
        labels->label[label].called = labels->label[label].called || called;
        labels->label[label].aliased = labels->label[label].aliased || aliased;
    }
}

static bool plain_name(struct span name)
{
    for (size_t i = 0; i < name.n; i++)
        if (!in_name(name.at[i]) && name.at[i] != '"')
            return false;
    return name.n > 0 && !span_is(name, ".");
}

static void mark_jump(struct builder *builder, const struct statement *statement, size_t i)
{
    struct labels *labels = &builder->graph->labels;
    struct span target = jump_target(statement);
    if (target.n == 0)
        return;
    if (!plain_name(target)) {
        refuse(builder->source, statement, "a jump to an expression");
        return;
    }
    int32_t label = label_of(labels, target, i);
    if (label == NO_LABEL)
        return;
    labels->label[label].jumped = true;
    labels->label[label].called = true;
}

static bool says_nothing(struct span word)
{
    return span_starts(word, ".cfi") ||
           span_in(word, ".loc .type .size .globl .global .weak .hidden .local .file .ident "
                         ".section .pushsection .popsection .text .protected .internal");
}

static void mark_statement(struct builder *builder, const struct statement *statement, size_t i)
{
    struct labels *labels = &builder->graph->labels;
    if (builder->source->section[statement->section].debug || statement->kind == STATEMENT_LABEL)
        return;
    if (statement->kind == STATEMENT_DIRECTIVE) {
        bool sets = statement->word.at[0] != '.' || span_is(statement->word, ".set");
        if (!says_nothing(statement->word))
            mark_addressed(labels, statement->rest, i, sets, sets);
        return;
    }
    uint8_t flow = statement->effect.flow;
    if (flow == FLOW_JUMP || flow == FLOW_BRANCH)
        mark_jump(builder, statement, i);
    else
        mark_addressed(labels, statement->kind == STATEMENT_OPAQUE ? statement->whole : statement->rest, i,
                       flow == FLOW_CALL || statement->kind == STATEMENT_OPAQUE,
                       statement->kind == STATEMENT_OPAQUE);
}

/* ---- blocks */

/* Gives the labels since the last code of this section their block. */
static void give_labels(struct builder *builder, int32_t index, size_t statement)
{
    struct labels *labels = &builder->graph->labels;
    int32_t section = builder->source->statement[statement].section;
    size_t *given = &builder->given[section];
    for (; *given < labels->n && labels->label[*given].statement < statement; ++*given)
        if (builder->source->statement[labels->label[*given].statement].section == section)
            labels->label[*given].block = index;
}

static struct block *open_block(struct builder *builder, size_t statement)
{
    struct graph *graph = builder->graph;
    int32_t section = builder->source->statement[statement].section, index = (int32_t)graph->n;
    graph->block = grown(graph->block, graph->n, sizeof *graph->block);
    graph->block[graph->n++] = (struct block){.first = statement,
                                              .last = statement,
                                              .line = builder->line,
                                              .file = builder->file,
                                              .function = builder->function,
                                              .section = section,
                                              .next = NOWHERE,
                                              .target = NOWHERE};
    if (builder->before[section] != NOWHERE)
        graph->block[builder->before[section]].next = index;
    builder->before[section] = NOWHERE;
    builder->open[section] = index;
    builder->label[section] = false;
    return &graph->block[index];
}

/* Ends the open block; the next statement begins another one, to which it falls through. */
static void close_block(struct builder *builder, int32_t section)
{
    if (builder->open[section] != NOWHERE)
        builder->before[section] = builder->open[section];
    builder->open[section] = NOWHERE;
}

static void end_block(struct builder *builder, struct block *block, struct effect effect)
{
    int32_t section = block->section;
    block->flow = effect.flow;
    if (effect.flow == FLOW_NEXT)
        return;
    close_block(builder, section);
    if (effect.flow == FLOW_JUMP || effect.flow == FLOW_RETURN || effect.flow == FLOW_STOP)
        builder->before[section] = NOWHERE;
    block->away = effect.flow != FLOW_JUMP && effect.flow != FLOW_BRANCH;
}

/* The most statements of a block, whose sums of weights have 16 bits each. */
enum { MOST_STATEMENTS = 1000 };

static void add_code(struct builder *builder, size_t i)
{
    const struct statement *statement = &builder->source->statement[i];
    int32_t section = statement->section, open = builder->open[section];
    struct graph *graph = builder->graph;
    if (open != NOWHERE && !statement->continues &&
        (builder->label[section] || i - graph->block[open].first > MOST_STATEMENTS))
        close_block(builder, section);
    struct block *block = builder->open[section] != NOWHERE ? &graph->block[open] : open_block(builder, i);
    give_labels(builder, (int32_t)(block - graph->block), i);
    block->last = i;
    end_block(builder, block, statement->effect);
}

static bool is_data(struct span word)
{
    return span_in(word,
                   ".byte .value .word .short .2byte .long .int .4byte .quad .8byte .ascii .asciz .string "
                   ".zero .insn .inst .hword .xword .dword");
}

static bool is_padding(struct span word)
{
    return span_in(word, ".p2align .balign .align .org .skip .space .nops .fill .balignw .balignl .p2alignw "
                         ".p2alignl");
}

static void note_location(struct builder *builder, struct span operands)
{
    struct span rest;
    builder->file = (uint32_t)strtoul(operands.at, NULL, 10);
    for (rest = operands; rest.n > 0 && isdigit((unsigned char)*rest.at); rest.n--)
        rest.at++;
    builder->line = (uint32_t)strtoul(rest.at, NULL, 10);
}

/* .file "name" and .file 1 "directory" "name": the last text is the name. */
static void note_file(struct builder *builder, const struct statement *statement)
{
    struct graph *graph = builder->graph;
    struct span rest = statement->rest;
    uint32_t number = (uint32_t)strtoul(rest.at, NULL, 10);
    size_t end = rest.n;
    while (end > 0 && rest.at[end - 1] != '"')
        end--;
    size_t begin = end > 0 ? end - 1 : 0;
    while (begin > 0 && rest.at[begin - 1] != '"')
        begin--;
    if (begin == 0)
        return;
    graph->file = grown(graph->file, graph->n_files, sizeof *graph->file);
    graph->file[graph->n_files++] =
        (struct file_name){.number = number, .name = {rest.at + begin, end - 1 - begin}};
}

/* Adds a statement that is not what it seems: data, what is left out by a condition, or expanded from a
 * macro. It is code of the block that it stands in; an instruction by its number is code anywhere. */
static void add_opaque(struct builder *builder, size_t i)
{
    const struct statement *statement = &builder->source->statement[i];
    bool inside = builder->open[statement->section] != NOWHERE ||
                  (span_in(statement->word, ".inst .insn") && !builder->silent);
    if (is_code(builder->source, statement) && inside)
        add_code(builder, i);
}

static void add_directive(struct builder *builder, size_t i)
{
    struct statement *statement = &builder->source->statement[i];
    struct span rest;
    if (span_is(statement->word, ".loc"))
        note_location(builder, statement->rest);
    else if (span_is(statement->word, ".file"))
        note_file(builder, statement);
    else if (span_is(statement->word, ".type"))
        builder->names = span_cut(statement->rest, ',', &rest);
    if (!is_code(builder->source, statement))
        return;
    if (is_padding(statement->word))
        close_block(builder, statement->section);
    if (is_data(statement->word)) {
        statement->kind = STATEMENT_OPAQUE;
        statement->effect = effect_of(statement);
        statement->uses = uses_of(statement);
        add_opaque(builder, i);
    }
}

static struct label *label_at(struct labels *labels, size_t statement)
{
    size_t low = 0, high = labels->n;
    while (low + 1 < high) {
        size_t middle = (low + high) / 2;
        *(labels->label[middle].statement <= statement ? &low : &high) = middle;
    }
    return &labels->label[low];
}

/* Adds a label. A function's own name may be called from anywhere. */
static void add_label(struct builder *builder, size_t i)
{
    const struct statement *statement = &builder->source->statement[i];
    struct label *label = label_at(&builder->graph->labels, i);
    struct span name = statement->word;
    if (span_same(name, builder->names)) {
        builder->function = name;
        builder->silent = label->resolver;
        builder->line = builder->file = 0;
    }
    if (!span_starts(name, ".L") && !isdigit((unsigned char)*name.at))
        label->addressed = true;
    if (is_code(builder->source, statement) && (label->jumped || label->addressed))
        builder->label[statement->section] = true;
}

static void add_statement(struct builder *builder, size_t i)
{
    const struct statement *statement = &builder->source->statement[i];
    switch (statement->kind) {
    case STATEMENT_LABEL:
        add_label(builder, i);
        break;
    case STATEMENT_DIRECTIVE:
        add_directive(builder, i);
        break;
    case STATEMENT_OPAQUE:
        add_opaque(builder, i);
        break;
    default:
        if (is_code(builder->source, statement) && !builder->silent)
            add_code(builder, i);
    }
}

/* Notes a resolver: .set f, resolver, where f is an IFUNC. */
static void find_resolver(struct builder *builder, const struct statement *set)
{
    struct labels *labels = &builder->graph->labels;
    struct span target, name = span_cut(set->rest, ',', &target), rest;
    int32_t label = label_of(labels, target, 0);
    if (label == NO_LABEL)
        return;
    for (size_t i = 0; i < builder->source->n; i++) {
        const struct statement *type = &builder->source->statement[i];
        if (span_is(type->word, ".type") && span_contains(type->rest, "gnu_indirect_function") &&
            span_same(span_cut(type->rest, ',', &rest), name))
            labels->label[label].resolver = true;
    }
}

static void find_resolvers(struct builder *builder)
{
    bool any =
        span_contains((struct span){builder->source->text, builder->source->size}, "gnu_indirect_function");
    for (size_t i = 0; any && i < builder->source->n; i++)
        if (span_is(builder->source->statement[i].word, ".set"))
            find_resolver(builder, &builder->source->statement[i]);
}

/* ---- ways */

/* Finds the targets of jumps, blocks that lead to unknown places, and blocks that may be reached from
 * anywhere. */
static void find_ways(struct builder *builder)
{
    struct graph *graph = builder->graph;
    for (size_t i = 0; i < graph->n; i++) {
        struct block *block = &graph->block[i];
        const struct statement *last = &builder->source->statement[block->last];
        if (block->flow == FLOW_JUMP || block->flow == FLOW_BRANCH) {
            struct span name = jump_target(last);
            int32_t label = name.n > 0 ? label_of(&graph->labels, name, block->last) : NO_LABEL;
            block->target = label != NO_LABEL ? graph->labels.label[label].block : NOWHERE;
            block->away = block->target == NOWHERE;
        }
        if (block->flow == FLOW_NEXT && block->next == NOWHERE)
            block->away = true;
    }
    for (size_t i = 0; i < graph->labels.n; i++) {
        const struct label *label = &graph->labels.label[i];
        if (label->addressed && label->block != NOWHERE)
            graph->block[label->block].entry = true;
    }
}

/* Finds the depths of blocks in loops. Compilers lay loops out in one piece, so a jump back is around a
 * loop. */
static void find_depths(struct graph *graph)
{
    int32_t *change = or_end(calloc(graph->n + 1, sizeof *change));
    for (size_t i = 0; i < graph->n; i++) {
        int32_t target = graph->block[i].target;
        if (target == NOWHERE || target > (int32_t)i ||
            graph->block[target].section != graph->block[i].section)
            continue;
        change[target]++;
        change[i + 1]--;
    }
    for (size_t i = 0, depth = 0; i < graph->n; i++) {
        depth += (size_t)change[i];
        graph->block[i].depth = depth < 6 ? (uint8_t)depth : 6;
    }
    free(change);
}

static void count_way(struct graph *graph, int32_t to)
{
    if (to != NOWHERE)
        graph->n_from[to + 1]++;
}

static void put_way(struct graph *graph, size_t from, int32_t to, uint32_t *at)
{
    if (to != NOWHERE)
        graph->from[at[to]++] = (int32_t)from;
}

static void find_predecessors(struct graph *graph)
{
    graph->n_from = or_end(calloc(graph->n + 2, sizeof *graph->n_from));
    for (size_t i = 0; i < graph->n; i++) {
        count_way(graph, graph->block[i].next);
        count_way(graph, graph->block[i].target);
    }
    for (size_t i = 0; i < graph->n; i++)
        graph->n_from[i + 1] += graph->n_from[i];
    uint32_t *at = or_end(malloc((graph->n + 1) * sizeof *at));
    memcpy(at, graph->n_from, (graph->n + 1) * sizeof *at);
    graph->from = or_end(malloc((graph->n_from[graph->n] + 1) * sizeof *graph->from));
    for (size_t i = 0; i < graph->n; i++) {
        put_way(graph, i, graph->block[i].next, at);
        put_way(graph, i, graph->block[i].target, at);
    }
    free(at);
}

void graph_build(struct graph *graph, struct source *source)
{
    *graph = (struct graph){.source = source};
    struct builder builder = {.graph = graph, .source = source};
    builder.open = or_end(malloc(source->n_sections * sizeof *builder.open));
    builder.before = or_end(malloc(source->n_sections * sizeof *builder.before));
    builder.label = or_end(calloc(source->n_sections, sizeof *builder.label));
    builder.given = or_end(calloc(source->n_sections, sizeof *builder.given));
    for (size_t i = 0; i < source->n_sections; i++)
        builder.open[i] = builder.before[i] = NOWHERE;
    labels_find(&graph->labels, source);
    find_resolvers(&builder);
    for (size_t i = 0; i < source->n; i++) {
        if (source->statement[i].kind == STATEMENT_INSTRUCTION ||
            source->statement[i].kind == STATEMENT_OPAQUE) {
            source->statement[i].effect = effect_of(&source->statement[i]);
            source->statement[i].uses = uses_of(&source->statement[i]);
        }
        mark_statement(&builder, &source->statement[i], i);
    }
    for (size_t i = 0; i < source->n; i++)
        add_statement(&builder, i);
    find_ways(&builder);
    find_depths(graph);
    find_predecessors(graph);
    free(builder.open);
    free(builder.before);
    free(builder.label);
    free(builder.given);
}

void graph_free(struct graph *graph)
{
    free(graph->block);
    free(graph->n_from);
    free(graph->from);
    free(graph->file);
    labels_free(&graph->labels);
}

struct span function_name(const struct block *block)
{
    struct span name = block->function;
    const char *cold = name.n > 0 ? memmem(name.at, name.n, ".cold", 5) : NULL;
    if (cold != NULL)
        name.n = (size_t)(cold - name.at);
    return name;
}

bool is_own(const struct graph *graph, const struct block *block, size_t i)
{
    const struct statement *statement = &graph->source->statement[i];
    bool code = statement->kind == STATEMENT_INSTRUCTION || statement->kind == STATEMENT_OPAQUE ||
                statement->kind == STATEMENT_PREFIX;
    return code && statement->section == block->section;
}

/* ---- spans */

bool span_is(struct span span, const char *text)
{
    return span.n == strlen(text) && memcmp(span.at, text, span.n) == 0;
}

bool span_starts(struct span span, const char *text)
{
    size_t n = strlen(text);
    return span.n >= n && memcmp(span.at, text, n) == 0;
}

bool span_contains(struct span span, const char *text)
{
    return span.n > 0 && memmem(span.at, span.n, text, strlen(text)) != NULL;
}

bool span_same(struct span a, struct span b)
{
    return a.n == b.n && memcmp(a.at, b.at, a.n) == 0;
}

struct span span_trim(struct span span)
{
    for (; span.n > 0 && isspace((unsigned char)span.at[0]); span.n--)
        span.at++;
    while (span.n > 0 && isspace((unsigned char)span.at[span.n - 1]))
        span.n--;
    return span;
}

struct span span_cut(struct span span, char at, struct span *rest)
{
    const char *found = span.n > 0 ? memchr(span.at, at, span.n) : NULL;
    size_t n = found != NULL ? (size_t)(found - span.at) : span.n;
    size_t skip = found != NULL ? n + 1 : n;
    *rest = span_trim((struct span){span.at + skip, span.n - skip});
    return span_trim((struct span){span.at, n});
}

bool span_in(struct span word, const char *words)
{
    const char *at = words, *end = words + strlen(words);
    if (word.n == 0 || memchr(word.at, ' ', word.n) != NULL)
        return false;
    for (; (at = memmem(at, (size_t)(end - at), word.at, word.n)) != NULL; at++)
        if ((at == words || at[-1] == ' ') && (at[word.n] == ' ' || at[word.n] == '\0'))
            return true;
    return false;
}

void *grown(void *array, size_t n, size_t size)
{
    return or_end(array_room(array, n, size));
}
