/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The compiler's text with counters in it, and behind it the tables of counted_section.h. The blocks of
 * sections that jump to each other (.text.unlikely and .text) are one unit: the linker keeps or drops them
 * together, with the unit's tables (SHF_LINK_ORDER, and the group of the code) and slots.
 */
#include "assembler.h"
#include "formats/counted_section.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Text that is inserted before a statement. */
struct piece {
    size_t statement;
    uint8_t rank; /* enum rank */
    uint32_t order;
    int32_t arc;   /* RANK_EDGE, RANK_TRIP, RANK_COUNTER; RANK_WAY, RANK_STUB, RANK_HOP, RANK_JUMP: 2 block +
                      taken;   RANK_ALIGN: block */
    uint32_t mark; /* the number of a label */
};

/* The order of insertions before one statement: first the end of the block before it, then stubs of jumps
 * with a short reach, the way on to the next block, the beginning of that, and last a jump that is written in
 * another form. */
enum rank {
    RANK_END,
    RANK_STUB,
    RANK_HOP,
    RANK_EDGE,
    RANK_WAY,
    RANK_TRIP,
    RANK_ALIGN,
    RANK_COUNTER,
    RANK_START,
    RANK_JUMP
};

/* A run of a block's bytes without counters, from one mark to another. */
struct run {
    int32_t block;
    uint32_t start, end;
};

/* The loops with counters in registers into and out of which a block goes: on, and by its jump. */
struct crossing {
    int32_t leaves[2], enters[2];
    uint32_t stub; /* the mark of what its jump goes to first */
};

struct unit {
    int32_t section; /* the first one */
    uint32_t n_slots, n_blocks;
};

enum { NO_MARK = UINT32_MAX };

/* The most bytes of a statement and of a block, with what may be put there. */
enum { MOST_OF_STATEMENT = 8, MOST_OF_BLOCK = 120 };

struct emitter {
    FILE *out;
    const struct graph *graph;
    const struct placement *placement;
    enum slots slots;
    struct piece *piece;
    size_t n_pieces;
    struct run *run;
    size_t n_runs;
    int32_t *set;         /* of sections */
    struct unit *unit;    /* by section */
    uint32_t *local_slot; /* in its unit, by slot */
    uint32_t n_marks;
    struct crossing *crossing; /* by block */
    bool *before_jump;         /* by block: something is put before its jump */
};

/* ---- units */

static int32_t unit_of(const struct emitter *emitter, int32_t section)
{
    while (emitter->set[section] != section)
        section = emitter->set[section];
    return section;
}

static void join(struct emitter *emitter, int32_t from, int32_t to)
{
    if (to == NOWHERE)
        return;
    int32_t a = unit_of(emitter, emitter->graph->block[from].section);
    int32_t b = unit_of(emitter, emitter->graph->block[to].section);
    emitter->set[a < b ? b : a] = a < b ? a : b;
}

static void make_units(struct emitter *emitter)
{
    const struct graph *graph = emitter->graph;
    size_t n = graph->source->n_sections;
    emitter->set = or_end(malloc(n * sizeof *emitter->set));
    emitter->unit = or_end(calloc(n, sizeof *emitter->unit));
    for (size_t i = 0; i < n; i++)
        emitter->set[i] = (int32_t)i;
    for (size_t i = 0; i < graph->n; i++) {
        join(emitter, (int32_t)i, graph->block[i].next);
        join(emitter, (int32_t)i, graph->block[i].target);
    }
    emitter->local_slot = or_end(calloc(emitter->placement->n_slots + 1, sizeof *emitter->local_slot));
    for (size_t i = 0; i < emitter->placement->n; i++) {
        const struct arc *arc = &emitter->placement->arc[i];
        if (arc->counted)
            emitter->local_slot[arc->slot] =
                emitter->unit[unit_of(emitter, graph->block[arc->block].section)].n_slots++;
    }
}

/* ---- pieces */

static uint32_t add_piece(struct emitter *emitter, size_t statement, enum rank rank, int32_t arc)
{
    emitter->piece = grown(emitter->piece, emitter->n_pieces, sizeof *emitter->piece);
    emitter->piece[emitter->n_pieces] = (struct piece){.statement = statement,
                                                       .rank = rank,
                                                       .order = (uint32_t)emitter->n_pieces,
                                                       .arc = arc,
                                                       .mark = emitter->n_marks++};
    return emitter->piece[emitter->n_pieces++].mark;
}

static void add_run(struct emitter *emitter, int32_t block, uint32_t start, uint32_t end)
{
    emitter->run = grown(emitter->run, emitter->n_runs, sizeof *emitter->run);
    emitter->run[emitter->n_runs++] = (struct run){block, start, end};
    emitter->unit[unit_of(emitter, emitter->graph->block[block].section)].n_blocks++;
}

static bool has_trip(const struct emitter *emitter, int32_t arc)
{
    const struct placement *placement = emitter->placement;
    return arc < (int32_t)emitter->graph->n && placement->trips.of[arc] != NOWHERE &&
           placement->arc[arc].counted;
}

/* The place before a block's jump of code for the loop that it jumps to, or out of; NOWHERE: there is
 * none. */
static int64_t inside_before_jump(const struct emitter *emitter, int32_t index)
{
    const struct block *block = &emitter->graph->block[index];
    return emitter->before_jump[index] ? (int64_t)block->last : NOWHERE;
}

static struct spot spot_of(const struct emitter *emitter, const struct arc *arc)
{
    const struct block *block = &emitter->graph->block[arc->block];
    if (arc->edge)
        return spot_behind(emitter->graph, block);
    return spot_in(emitter->graph, block, processor.for_counter[emitter->slots]);
}

static int64_t counter_inside(struct emitter *emitter, int32_t index)
{
    const struct arc *arc = &emitter->placement->arc[index];
    if (!arc->counted || has_trip(emitter, index))
        return NOWHERE;
    size_t place = spot_of(emitter, arc).statement;
    add_piece(emitter, place, RANK_COUNTER, index);
    return (int64_t)place;
}

/* Adds the runs of a block: its bytes up to each place where something is put into it, and those after the
 * last. */
static void add_block(struct emitter *emitter, int32_t index)
{
    const struct block *block = &emitter->graph->block[index];
    int64_t place[] = {counter_inside(emitter, index), inside_before_jump(emitter, index)};
    uint32_t start = add_piece(emitter, block->first, RANK_START, NOWHERE);
    for (unsigned i = 0; i < 2; i++) {
        if (place[i] <= (int64_t)block->first || (i == 1 && place[1] == place[0]))
            continue;
        add_run(emitter, index, start, add_piece(emitter, (size_t)place[i], RANK_END, NOWHERE));
        start = add_piece(emitter, (size_t)place[i], RANK_START, NOWHERE);
    }
    add_run(emitter, index, start, add_piece(emitter, block->last + 1, RANK_END, NOWHERE));
}

static void add_trip(struct emitter *emitter, const struct trip *trip)
{
    for (unsigned i = 0; i < trip->n_entries; i++) {
        const struct entry *entry = &trip->entry[i];
        add_piece(emitter, entry->statement, RANK_TRIP, trip->latch);
        if (entry->statement <= emitter->graph->block[entry->block].last)
            emitter->before_jump[entry->block] = true;
    }
}

static void note_crossings(struct emitter *emitter)
{
    const struct placement *placement = emitter->placement;
    size_t n = emitter->graph->n;
    emitter->crossing = or_end(malloc((n + 1) * sizeof *emitter->crossing));
    memset(emitter->crossing, -1, (n + 1) * sizeof *emitter->crossing);
    for (size_t i = 0; i < placement->n_carried; i++)
        for (unsigned w = 0; w < placement->carried[i].n_ways; w++) {
            const struct way *way = &placement->carried[i].way[w];
            struct crossing *crossing = &emitter->crossing[way->from];
            (way->enters ? crossing->enters : crossing->leaves)[way->taken] = (int32_t)i;
        }
}

/* The most bytes that can be between two statements when all counters are there. */
static size_t most_between(const struct source *source, size_t from, size_t to)
{
    size_t low = from < to ? from : to, high = from < to ? to : from, bytes = 0;
    for (size_t i = low; i < high; i++) {
        bool code = source->statement[i].section == source->statement[from].section;
        bool ends = code && source->statement[i].effect.flow != FLOW_NEXT;
        bytes += !code                                                  ? 0
                 : source->statement[i].kind == STATEMENT_LABEL || ends ? MOST_OF_BLOCK
                                                                        : MOST_OF_STATEMENT;
    }
    return bytes;
}

static bool reaches(const struct emitter *emitter, int32_t index, size_t to)
{
    const struct source *source = emitter->graph->source;
    size_t from = emitter->graph->block[index].last, reach = reach_of(&source->statement[from]);
    return reach == 0 || most_between(source, from, to) < reach;
}

static bool crosses(const struct crossing *crossing, int taken)
{
    return crossing->enters[taken] != NOWHERE || crossing->leaves[taken] != NOWHERE;
}

static void add_crossing(struct emitter *emitter, int32_t index)
{
    const struct block *block = &emitter->graph->block[index];
    struct crossing *crossing = &emitter->crossing[index];
    if (crosses(crossing, 0))
        add_piece(emitter, block->last + 1, RANK_WAY, 2 * index);
    if (!crosses(crossing, 1))
        return;
    if (block->flow == FLOW_JUMP) {
        add_piece(emitter, block->last, RANK_WAY, 2 * index + 1);
        emitter->before_jump[index] = true;
    } else {
        int32_t behind = stub_behind(emitter->graph, index);
        bool near = reaches(emitter, index, emitter->graph->block[behind].last + 1);
        add_piece(emitter, block->last, RANK_JUMP, 2 * index + 1);
        crossing->stub =
            near ? add_piece(emitter, emitter->graph->block[behind].last + 1, RANK_STUB, 2 * index + 1)
                 : add_piece(emitter, block->last + 1, RANK_HOP, 2 * index + 1);
    }
}

/* Adds a stub nearby for a conditional jump that may not reach its target with all that is put in between. */
static void add_hop(struct emitter *emitter, int32_t index)
{
    const struct block *block = &emitter->graph->block[index];
    const struct statement *last = &emitter->graph->source->statement[block->last];
    if (crosses(&emitter->crossing[index], 1) || block->target == NOWHERE || !may_be_redirected(last) ||
        reaches(emitter, index, emitter->graph->block[block->target].first))
        return;
    add_piece(emitter, block->last, RANK_JUMP, 2 * index + 1);
    emitter->crossing[index].stub = add_piece(emitter, block->last + 1, RANK_HOP, 2 * index + 1);
}

/* Puts the alignment of a block before its labels, after what is before it in the same function. */
static void add_alignment(struct emitter *emitter, int32_t index)
{
    const struct block *block = emitter->graph->block;
    int32_t before = index - 1;
    while (before >= 0 && block[before].section != block[index].section)
        before--;
    if (emitter->placement->align[index] > 0 && before >= 0 &&
        block[before].function.at == block[index].function.at)
        add_piece(emitter, block[before].last + 1, RANK_ALIGN, index);
}

static int in_order(const void *a, const void *b)
{
    const struct piece *x = a, *y = b;
    if (x->statement != y->statement)
        return x->statement < y->statement ? -1 : 1;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static void make_pieces(struct emitter *emitter)
{
    const struct placement *placement = emitter->placement;
    emitter->before_jump = or_end(calloc(emitter->graph->n + 1, sizeof *emitter->before_jump));
    note_crossings(emitter);
    for (int32_t i = 0; i < (int32_t)emitter->graph->n; i++) {
        add_crossing(emitter, i);
        add_hop(emitter, i);
    }
    for (int32_t i = 0; i < (int32_t)emitter->graph->n; i++)
        add_alignment(emitter, i);
    for (int32_t i = 0; i < (int32_t)emitter->graph->n; i++)
        if (has_trip(emitter, i))
            add_trip(emitter, &placement->trips.trip[placement->trips.of[i]]);
    for (int32_t i = 0; i < (int32_t)emitter->graph->n; i++)
        add_block(emitter, i);
    for (size_t i = emitter->graph->n; i < placement->n; i++)
        if (placement->arc[i].counted)
            add_piece(emitter, emitter->graph->block[placement->arc[i].block].last + 1, RANK_EDGE,
                      (int32_t)i);
    if (emitter->n_pieces > 0)
        qsort(emitter->piece, emitter->n_pieces, sizeof *emitter->piece, in_order);
}

/* ---- counters */

static struct slot slot_of(const struct emitter *emitter, const struct arc *arc)
{
    int32_t section = emitter->graph->block[arc->block].section;
    return (struct slot){unit_of(emitter, section), 8 * emitter->local_slot[arc->slot]};
}

static void put_counter(const struct emitter *emitter, const struct arc *arc)
{
    const struct carried *loop = arc->carried != NOWHERE ? &emitter->placement->carried[arc->carried] : NULL;
    if (loop == NULL) {
        put_count(emitter->out, emitter->slots, slot_of(emitter, arc), spot_of(emitter, arc));
        return;
    }
    for (unsigned i = 0; i < loop->n; i++)
        if (loop->arc[i] == (int32_t)(arc - emitter->placement->arc))
            put_carried_step(emitter->out, loop, loop->number[i]);
}

static void put_exit(const struct emitter *emitter, const struct carried *loop, const struct block *to)
{
    struct carried_place place = {.flags = to->live_in == 0};
    find_scratch(to, to->registers_in, place.scratch);
    for (unsigned i = 0; i < loop->n; i++) {
        place.slot = slot_of(emitter, &emitter->placement->arc[loop->arc[i]]);
        put_carried_exit(emitter->out, loop, loop->number[i], emitter->slots, place);
    }
}

/* Writes the code on a way out of one loop, and into another one. */
static void put_way(const struct emitter *emitter, int32_t index, int taken)
{
    const struct block *block = &emitter->graph->block[index];
    const struct crossing *crossing = &emitter->crossing[index];
    const struct carried *carried = emitter->placement->carried;
    int32_t to = taken ? block->target : block->next;
    if (crossing->leaves[taken] != NOWHERE)
        put_exit(emitter, &carried[crossing->leaves[taken]], &emitter->graph->block[to]);
    if (crossing->enters[taken] != NOWHERE)
        put_carried_entry(emitter->out, &carried[crossing->enters[taken]]);
}

/* Writes the code that runs where a conditional jump is taken, and the jump to its target. */
static void put_stub(const struct emitter *emitter, int32_t index, uint32_t mark)
{
    const struct block *block = &emitter->graph->block[index];
    fprintf(emitter->out, ".Lpapi_%u:\n", mark);
    put_way(emitter, index, 1);
    put_jump(emitter->out, jump_target(&emitter->graph->source->statement[block->last]));
}

/* Writes a stub where code would run into it, with a jump over it. */
static void put_hop(const struct emitter *emitter, int32_t index, uint32_t mark)
{
    char over[32];
    int n = snprintf(over, sizeof over, ".Lpapi_over%u", mark);
    put_jump(emitter->out, (struct span){over, (size_t)n});
    put_stub(emitter, index, mark);
    fprintf(emitter->out, "%s:\n", over);
}

/* Writes the compiler's jump with another target. */
static void put_redirected(const struct emitter *emitter, int32_t index)
{
    const struct statement *last = &emitter->graph->source->statement[emitter->graph->block[index].last];
    fprintf(emitter->out, "\t%.*s.Lpapi_%u\n", (int)(jump_target(last).at - last->word.at), last->word.at,
            emitter->crossing[index].stub);
}

static void put_turns(const struct emitter *emitter, int32_t latch, uint32_t mark)
{
    const struct placement *placement = emitter->placement;
    put_trip(emitter->out, emitter->slots, slot_of(emitter, &placement->arc[latch]),
             &placement->trips.trip[placement->trips.of[latch]], mark);
}

/* ---- text */

static void put_piece(const struct emitter *emitter, const struct piece *piece)
{
    switch ((enum rank)piece->rank) {
    case RANK_TRIP:
        put_turns(emitter, piece->arc, piece->mark);
        break;
    case RANK_EDGE:
    case RANK_COUNTER:
        put_counter(emitter, &emitter->placement->arc[piece->arc]);
        break;
    case RANK_WAY:
        put_way(emitter, piece->arc / 2, piece->arc % 2);
        break;
    case RANK_ALIGN:
        fprintf(emitter->out, "\t.p2align 6,,%d\n", emitter->placement->align[piece->arc]);
        break;
    case RANK_STUB:
        put_stub(emitter, piece->arc / 2, piece->mark);
        break;
    case RANK_HOP:
        put_hop(emitter, piece->arc / 2, piece->mark);
        break;
    case RANK_JUMP:
        put_redirected(emitter, piece->arc / 2);
        break;
    default:
        fprintf(emitter->out, ".Lpapi_%u:\n", piece->mark);
    }
}

static void put_text(const struct emitter *emitter)
{
    const struct source *source = emitter->graph->source;
    const char *at = source->text, *end = source->text + source->size;
    for (size_t i = 0; i < emitter->n_pieces;) {
        size_t statement = emitter->piece[i].statement;
        const char *to = statement < source->n ? source->statement[statement].whole.at : end;
        fwrite(at, 1, (size_t)(to - at), emitter->out);
        at = to;
        fputc('\n', emitter->out);
        for (; i < emitter->n_pieces && emitter->piece[i].statement == statement; i++)
            put_piece(emitter, &emitter->piece[i]);
        if (emitter->piece[i - 1].rank == RANK_JUMP) /* in place of the compiler's */
            at += source->statement[statement].whole.n;
    }
    fwrite(at, 1, (size_t)(end - at), emitter->out);
}

/* ---- tables */

static struct span file_of(const struct graph *graph, uint32_t number)
{
    for (size_t i = graph->n_files; i-- > 0;)
        if (graph->file[i].number == number)
            return graph->file[i].name;
    return (struct span){0};
}

/* Writes the distance to a text's label. */
static void put_text_distance(const struct emitter *emitter, int32_t unit, struct span text)
{
    if (text.n == 0)
        fputs("\t.long 0\n", emitter->out);
    else
        fprintf(emitter->out, "\t.long .Lpapi_text%d_%td-.Lpapi_unit%d\n", unit,
                text.at - emitter->graph->source->text, unit);
}

static void put_terms(const struct emitter *emitter, const struct form *form, int sign)
{
    for (uint32_t i = 0; i < form->n; i++) {
        int32_t term = sign * form->term[i];
        int32_t slot = (int32_t)emitter->local_slot[(term < 0 ? -term : term) - 1] + 1;
        fprintf(emitter->out, "\t.long %d\n", term < 0 ? -slot : slot);
    }
}

/* True for a branch to what follows it anyway: it counts as not taken, though counters may come to lie
 * between. */
static bool leads_on(const struct graph *graph, const struct block *block)
{
    if (block->target == NOWHERE || block->target != block->next)
        return false;
    for (size_t i = block->last + 1; i < graph->block[block->target].first; i++)
        if (span_contains(graph->source->statement[i].word, "align"))
            return false;
    return true;
}

/* Writes the table of a run. The branch was taken as often as its block ran, less the way on. Equal terms of
 * both may stay: they add up to nothing. */
static void put_run(const struct emitter *emitter, int32_t unit, const struct run *run, bool last)
{
    const struct block *block = &emitter->graph->block[run->block];
    const struct form *form = &emitter->placement->arc[run->block].form;
    int32_t edge = last ? emitter->placement->edge_of[run->block] : NOWHERE;
    const struct form *behind = edge != NOWHERE ? &emitter->placement->arc[edge].form : NULL;
    bool taken = behind != NULL && !leads_on(emitter->graph, block);
    fprintf(emitter->out, "\t.quad .Lpapi_%u-.\n\t.long .Lpapi_%u-.Lpapi_%u, %u\n", run->start, run->end,
            run->start, block->line);
    put_text_distance(emitter, unit, file_of(emitter->graph, block->file));
    put_text_distance(emitter, unit, block->function);
    fprintf(emitter->out, "\t.short %u, %u\n\t.long %d\n\t.zero %zu\n", form->n,
            taken ? form->n + behind->n : 0, behind != NULL ? COUNTED_CONDITIONAL : 0,
            COUNTED_EVENTS * sizeof(uint16_t));
    put_terms(emitter, form, 1);
    if (taken) {
        put_terms(emitter, form, 1);
        put_terms(emitter, behind, -1);
    }
    fputs("\t.balign 8\n", emitter->out);
}

static void put_text_once(const struct emitter *emitter, int32_t unit, struct span text, struct span *known)
{
    if (text.n == 0 || known->at == text.at)
        return;
    *known = text;
    fprintf(emitter->out, ".ifndef .Lpapi_text%d_%td\n.Lpapi_text%d_%td: .asciz \"%.*s\"\n.endif\n", unit,
            text.at - emitter->graph->source->text, unit, text.at - emitter->graph->source->text, (int)text.n,
            text.at);
}

static void put_texts(const struct emitter *emitter, int32_t unit)
{
    struct span file = {0}, function = {0};
    for (size_t i = 0; i < emitter->n_runs; i++) {
        const struct block *block = &emitter->graph->block[emitter->run[i].block];
        if (unit_of(emitter, block->section) != unit)
            continue;
        put_text_once(emitter, unit, file_of(emitter->graph, block->file), &file);
        put_text_once(emitter, unit, block->function, &function);
    }
}

static void put_slots(const struct emitter *emitter, int32_t unit, uint32_t n)
{
    const char *name =
        emitter->slots == SLOTS_PROCESS ? "papi_counted_process,\"aw?\"" : ".tbss.papi_counted,\"awT?\"";
    fprintf(emitter->out, "\t.section %s,@nobits,unique,%d\n\t.balign 8\n.Lpapi_slots%d:\n\t.zero %u\n", name,
            unit + 1, unit, 8 * n);
}

/* Writes a section's directive; one that may be of a stack of sections is written as the plain one. */
static void put_section(const struct emitter *emitter, int32_t unit)
{
    struct span directive = emitter->graph->source->section[unit].directive;
    if (span_starts(directive, ".pushsection"))
        fprintf(emitter->out, "\t.section%.*s\n", (int)directive.n - 12, directive.at + 12);
    else
        fprintf(emitter->out, "\t%.*s\n", (int)directive.n, directive.at);
}

static void put_unit(const struct emitter *emitter, int32_t unit)
{
    const struct unit *of = &emitter->unit[unit];
    uint32_t first = NO_MARK;
    for (size_t i = 0; i < emitter->n_runs && first == NO_MARK; i++)
        if (emitter->graph->block[emitter->run[i].block].section == unit)
            first = emitter->run[i].start;
    put_section(emitter, unit);
    fprintf(emitter->out, "\t.section papi_counted_units,\"ao?\",@progbits,.Lpapi_%u,unique,%d\n", first,
            unit + 1);
    fprintf(emitter->out, "\t.balign 8\n.Lpapi_unit%d:\n\t.long .Lpapi_end%d-.Lpapi_unit%d, %d\n", unit, unit,
            unit, emitter->slots == SLOTS_PROCESS ? COUNTED_PROCESS : COUNTED_THREAD);
    if (emitter->slots == SLOTS_PROCESS)
        fprintf(emitter->out, "\t.quad .Lpapi_slots%d-.\n", unit);
    else
        put_place(emitter->out, unit);
    fprintf(emitter->out, "\t.long %u, %u\n", of->n_slots, of->n_blocks);
    for (size_t i = 0; i < emitter->n_runs; i++) {
        bool last = i + 1 == emitter->n_runs || emitter->run[i + 1].block != emitter->run[i].block;
        if (unit_of(emitter, emitter->graph->block[emitter->run[i].block].section) == unit)
            put_run(emitter, unit, &emitter->run[i], last);
    }
    put_texts(emitter, unit);
    fprintf(emitter->out, "\t.balign 8\n.Lpapi_end%d:\n", unit);
}

void emit(FILE *out, const struct graph *graph, const struct placement *placement, enum slots slots)
{
    struct emitter emitter = {.out = out, .graph = graph, .placement = placement, .slots = slots};
    make_units(&emitter);
    make_pieces(&emitter);
    put_text(&emitter);
    fputc('\n', out);
    if (placement->n_carried > 0)
        put_carried_one(out);
    if (placement->trips.n > 0)
        put_trip_numbers(out);
    for (int32_t i = 0; i < (int32_t)graph->source->n_sections; i++)
        if (emitter.unit[i].n_blocks > 0) {
            put_unit(&emitter, i);
            put_section(&emitter, i);
            put_slots(&emitter, i, emitter.unit[i].n_slots);
        }
    free(emitter.set);
    free(emitter.unit);
    free(emitter.local_slot);
    free(emitter.piece);
    free(emitter.run);
    free(emitter.before_jump);
    free(emitter.crossing);
}
