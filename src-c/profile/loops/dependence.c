/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds how long the turns of a loop wait for one another.
 *
 * The instructions of one turn are run two dozen times, one after the other, on values that are nothing but
 * the cycle in which they are ready: that of the latest value that the instruction takes, and its latency.
 * How much later everything is at the end than half way there, divided by the turns between, is the chain of
 * the loop. Each value has with it how its cycles are made up, so that the chain says what it consists of.
 *
 * Memory is known by its address: the symbols of two registers and a distance. A symbol changes where a
 * register gets anything but a copy or a constant more, and the same address in another turn is then another
 * distance. So a load finds what a store before it has left there (a sum that is kept in memory, variables on
 * the stack of programs that are not optimised), and the distance of one access from turn to turn is its
 * stride.
 */
#include "dependence.h"
#include "tools/common/allocate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- costs */

/* Cycles of recent processors, the lower ones where they differ: a chain is never said to be longer than it
 * is. From the vendors' guides to optimisation (Intel 248966; AMD 56305, 56665, 57647) and the tables of
 * uops.info; an addition takes 2 (Golden Cove, one behind the other) to 4 (Skylake). This is the only such
 * table: what speaks of cycles elsewhere takes them from a turn. busy: how long the unit takes no other. */
static const struct {
    double latency, busy;
} costs[WORKS] = {
    [WORK_MOVE] = {1, 0},
    [WORK_INTEGER] = {1, 0.25},
    [WORK_INTEGER_MULTIPLY] = {3, 1},
    [WORK_INTEGER_DIVIDE] = {10, 6},
    [WORK_ADD] = {2, 0.5},
    [WORK_MULTIPLY] = {3, 0.5},
    [WORK_FMA] = {4, 0.5},
    [WORK_DIVIDE] = {13, 4.5},
    [WORK_SQRT] = {18, 6},
    [WORK_OTHER] = {3, 0.5},
    [WORK_COMPARE] = {2, 0.5},
    [WORK_CONVERT] = {4, 1},
    [WORK_SHUFFLE] = {1, 0.5},
    [WORK_LOAD] = {4, 0.5},
    [WORK_STORED] = {4, 0.5},
};

double work_latency(enum work work)
{
    return costs[work].latency;
}

double work_busy(enum work work)
{
    return costs[work].busy;
}

/* ---- values */

/* A value: when it is ready, and what it waited for on the way there. */
struct value {
    double ready, by[WORKS]; /* by: cycles, of which ready is the sum */
    uint64_t slow_at;        /* the last of the slowest steps on the way */
    double slow;
    bool loaded; /* from memory that is not the stack's, or made of that */
};

/* Names for what general registers hold: a root, and how far it is from that. */
struct symbol {
    long root;
    int64_t offset;
    bool advancing;
};

struct cell { /* of memory, that was stored to */
    long base, index;
    int scale;
    int64_t at;
    struct value value;
};

enum { CELLS = 64, TURNS = 24 };

struct machine {
    struct value unit[UNITS];
    struct symbol symbol[UNITS];
    long roots;
    struct cell cell[CELLS];
    int n_cells, next_cell;
    uint64_t changing; /* registers that the loop gives */
    const struct step *head;
    int64_t *last_at; /* of each step: its address in the turn before */
    struct turn *turn;
    const struct chain_costs *own; /* NULL: those of the table */
    bool counting;                 /* the last turn: what is found now counts */
};

static void later(struct value *value, const struct value *other)
{
    bool loaded = value->loaded || other->loaded;
    if (other->ready > value->ready)
        *value = *other;
    value->loaded = loaded;
}

static double latency_of(const struct machine *machine, enum work work, const struct step *step)
{
    bool vector = (step->gives >> UNIT_FIRST_VECTOR & UINT32_MAX) != 0 || step->scalar_fp || step->bits > 0;
    if (machine->own == NULL)
        return costs[work].latency;
    if (work == WORK_LOAD)
        return machine->own->load[vector];
    return work == WORK_STORED ? machine->own->stored[vector] : machine->own->of_step[step - machine->head];
}

static void spend(const struct machine *machine, struct value *value, enum work work, const struct step *step)
{
    double cycles = latency_of(machine, work, step);
    value->ready += cycles;
    value->by[work] += cycles;
    if (cycles >= value->slow) {
        value->slow = cycles;
        value->slow_at = step->address;
    }
}

/* ---- addresses */

static const struct symbol no_symbol = {.root = 0};

static struct cell place_of(const struct machine *machine, const struct step *step)
{
    const struct address *memory = &step->memory;
    struct symbol base = memory->base != UNIT_NONE ? machine->symbol[memory->base] : no_symbol;
    struct symbol index = memory->index != UNIT_NONE ? machine->symbol[memory->index] : no_symbol;
    return (struct cell){.base = base.root,
                         .index = index.root,
                         .scale = index.root != 0 ? memory->scale : 0,
                         .at = base.offset + index.offset * memory->scale + memory->displacement};
}

static struct cell *cell_find(struct machine *machine, const struct cell *place)
{
    for (int i = 0; i < machine->n_cells; i++) {
        struct cell *cell = &machine->cell[i];
        if (cell->base == place->base && cell->index == place->index && cell->scale == place->scale &&
            cell->at == place->at)
            return cell;
    }
    return NULL;
}

/* A place on the stack that has a name: neither moves. */
static bool on_stack(const struct step *step)
{
    enum { RBP = 6, RSP = 7 };
    return (step->memory.base == RBP || step->memory.base == RSP) && step->memory.index == UNIT_NONE;
}

static bool is_advancing(const struct machine *machine, const struct step *step)
{
    const struct address *memory = &step->memory;
    return (memory->base != UNIT_NONE && machine->symbol[memory->base].advancing) ||
           (memory->index != UNIT_NONE && machine->symbol[memory->index].advancing);
}

/* ---- a step */

static void note_access(struct machine *machine, const struct step *step, const struct cell *place,
                        bool indirect)
{
    struct turn *turn = machine->turn;
    int64_t *last = &machine->last_at[step - machine->head], moved = llabs(place->at - *last);
    *last = place->at;
    if (!machine->counting)
        return;
    if (on_stack(step))
        turn->stack++;
    if (indirect && step->loads) {
        turn->indirect++;
        turn->indirect_at = step->address;
    } else if (is_advancing(machine, step)) {
        turn->far++;
        turn->far_at = step->address;
    } else if (!indirect && moved > turn->stride) {
        turn->stride = moved;
        turn->stride_at = step->address;
    }
}

static struct value address_value(const struct machine *machine, const struct step *step)
{
    struct value value = {.ready = 0};
    if (step->memory.base != UNIT_NONE)
        value = machine->unit[step->memory.base];
    if (step->memory.index != UNIT_NONE)
        later(&value, &machine->unit[step->memory.index]);
    return value;
}

/* The value that a load gives. */
static struct value load(struct machine *machine, const struct step *step, const struct cell *place)
{
    const struct cell *stored = cell_find(machine, place);
    struct value value = address_value(machine, step);
    if (stored != NULL) {
        struct value given = stored->value;
        spend(machine, &given, WORK_STORED, step);
        return given;
    }
    spend(machine, &value, WORK_LOAD, step);
    value.loaded = !on_stack(step);
    return value;
}

static void store(struct machine *machine, const struct cell *place, const struct value *value)
{
    struct cell *cell = cell_find(machine, place);
    if (cell == NULL) {
        cell = &machine->cell[machine->next_cell];
        machine->next_cell = (machine->next_cell + 1) % CELLS;
        machine->n_cells += machine->n_cells < CELLS;
    }
    *cell = *place;
    cell->value = *value;
}

static void name_results(struct machine *machine, const struct step *step)
{
    int unit = step->gives & 0xffff ? __builtin_ctzll(step->gives) : UNIT_NONE;
    if (unit == UNIT_NONE || step->branch)
        return;
    struct symbol *symbol = &machine->symbol[unit];
    uint64_t by = step->takes & ~(UINT64_C(1) << unit) & 0xffff;
    if (step->is_adding) {
        symbol->offset += step->adds;
    } else if (step->copies && by != 0) {
        *symbol = machine->symbol[__builtin_ctzll(by)];
    } else {
        bool advancing = step->advances && (by & machine->changing) == 0 && !machine->unit[unit].loaded;
        *symbol = (struct symbol){.root = ++machine->roots, .advancing = advancing};
    }
}

static void run_step(struct machine *machine, const struct step *step)
{
    struct value value = {.ready = 0};
    struct cell place = place_of(machine, step);
    for (uint64_t rest = step->takes; rest != 0; rest &= rest - 1)
        later(&value, &machine->unit[__builtin_ctzll(rest)]);
    if (step->loads) {
        struct value loaded = load(machine, step, &place);
        later(&value, &loaded);
    }
    if (step->loads || step->stores)
        note_access(machine, step, &place, !on_stack(step) && address_value(machine, step).loaded);
    if (step->work != WORK_MOVE)
        spend(machine, &value, step->work, step);
    if (step->stores)
        store(machine, &place, &value);
    name_results(machine, step);
    for (uint64_t rest = step->gives; rest != 0; rest &= rest - 1)
        machine->unit[__builtin_ctzll(rest)] = value;
}

/* ---- turns */

static void latest(const struct machine *machine, struct value *value)
{
    *value = (struct value){.ready = 0};
    for (int i = 0; i < UNITS; i++)
        if (machine->unit[i].ready > value->ready)
            *value = machine->unit[i];
    for (int i = 0; i < machine->n_cells; i++)
        if (machine->cell[i].value.ready > value->ready)
            *value = machine->cell[i].value;
}

/* Turns wait for what grows from one to the next. */
static void take_chain(struct turn *turn, const struct value *half, const struct value *all)
{
    const double between = TURNS / 2.0;
    double most = 0;
    turn->chain = (all->ready - half->ready) / between;
    for (int i = 0; i < WORKS; i++) {
        double cycles = (all->by[i] - half->by[i]) / between;
        if (cycles > most) {
            most = cycles;
            turn->chain_work = (enum work)i;
        }
    }
    turn->chain_share = turn->chain > 0 ? most / turn->chain : 0;
    turn->chases = all->by[WORK_LOAD] - half->by[WORK_LOAD] >= costs[WORK_LOAD].latency * (between - 1);
    turn->chain_at = all->slow_at;
}

static void find_chain(const struct step *step, int n, struct turn *turn, const struct chain_costs *own)
{
    struct machine *machine = memory_more(NULL, 1, sizeof *machine);
    struct value half = {.ready = 0}, all;
    memset(machine, 0, sizeof *machine);
    machine->head = step;
    machine->turn = turn;
    machine->own = own;
    machine->last_at = memory_more(NULL, (size_t)n + 1, sizeof *machine->last_at);
    memset(machine->last_at, 0, ((size_t)n + 1) * sizeof *machine->last_at);
    for (int i = 0; i < UNITS; i++)
        machine->symbol[i].root = ++machine->roots;
    for (int i = 0; i < n; i++)
        machine->changing |= step[i].gives;
    for (int t = 0; t < TURNS; t++) {
        machine->counting = t == TURNS - 1;
        for (int i = 0; i < n; i++)
            run_step(machine, &step[i]);
        if (t == TURNS / 2 - 1)
            latest(machine, &half);
    }
    latest(machine, &all);
    take_chain(turn, &half, &all);
    free(machine->last_at);
    free(machine);
}

/* ---- counts */

static void note(int *count, uint64_t *at, const struct step *step)
{
    (*count)++;
    *at = step->address;
}

static void count_step(struct turn *turn, const struct step *step)
{
    turn->instructions++;
    turn->loads += step->loads;
    turn->scalar_fp += step->scalar_fp;
    turn->vector_fp += step->bits > 0;
    turn->unknown += step->unknown;
    if (step->bits > turn->bits)
        turn->bits = step->bits;
    if (step->stores)
        note(&turn->stores, &turn->store_at, step);
    if (step->call)
        note(&turn->calls, &turn->call_at, step);
    if (step->conditional)
        note(&turn->branches, &turn->branch_at, step);
    if (step->locked)
        note(&turn->locked, &turn->locked_at, step);
    if (step->work == WORK_DIVIDE)
        note(&turn->divides, &turn->divide_at, step);
    if (step->work == WORK_SQRT)
        note(&turn->roots, &turn->root_at, step);
    if (step->work == WORK_CONVERT)
        note(&turn->converts, &turn->convert_at, step);
    if (step->work == WORK_INTEGER_DIVIDE)
        note(&turn->integer_divides, &turn->integer_divide_at, step);
}

static double busy_of(const struct step *step)
{
    return costs[step->work].busy * (step->bits > 128 ? 1.5 : 1);
}

static double divider_cycles(const struct step *step, int n)
{
    double busy = 0;
    for (int i = 0; i < n; i++)
        if (step[i].work == WORK_DIVIDE || step[i].work == WORK_SQRT || step[i].work == WORK_INTEGER_DIVIDE)
            busy += busy_of(&step[i]);
    return busy;
}

/* The unit that is busy longest. Additions, multiplications and their like share two. */
static double least_cycles(const struct step *step, int n)
{
    const double width = 5; /* instructions a cycle */
    double busy[WORKS] = {0}, stores = 0, most = n / width;
    for (int i = 0; i < n; i++) {
        busy[step[i].work] += busy_of(&step[i]);
        busy[WORK_LOAD] += step[i].loads ? costs[WORK_LOAD].busy : 0;
        stores += step[i].stores;
    }
    busy[WORK_DIVIDE] += busy[WORK_SQRT]; /* one unit does both */
    busy[WORK_ADD] += busy[WORK_MULTIPLY] + busy[WORK_FMA] + busy[WORK_OTHER];
    for (int i = 0; i < WORKS; i++)
        most = fmax(most, busy[i]);
    return fmax(most, stores);
}

void turn_look(const struct step *step, int n, struct turn *turn)
{
    *turn = (struct turn){.instructions = 0};
    for (int i = 0; i < n; i++)
        count_step(turn, &step[i]);
    turn->at_least = least_cycles(step, n);
    turn->divider = divider_cycles(step, n);
    find_chain(step, n, turn, NULL);
}

double turn_chain(const struct step *step, int n, const struct chain_costs *own)
{
    struct turn turn = {.instructions = 0};
    find_chain(step, n, &turn, own);
    return turn.chain;
}
