/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/counted/columns.h"

#include <stdlib.h>
#include <sys/mman.h>

void *pages_get(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

void pages_free(void *memory, size_t size)
{
    if (memory != NULL)
        munmap(memory, size);
}

struct columns *columns_make(void)
{
    return calloc(1, sizeof(struct columns));
}

static size_t size_of_own(const struct column_space *space)
{
    return (column_chunks(space->n) + column_words(space->n)) * sizeof *space->own;
}

static void free_space(struct column_space *space)
{
    pages_free(space->own, size_of_own(space));
    for (int i = 0; i < COUNTED_EVENTS; i++)
        if (space->column[i] != NULL)
            pages_free((void *)(uintptr_t)space->column[i], space->column[i]->size);
}

void columns_free(struct columns *columns)
{
    struct column_module *next;
    for (struct column_module *module = columns->first; module != NULL; module = next) {
        next = module->next;
        free_space(&module->space[COUNTED_THREAD]);
        free_space(&module->space[COUNTED_PROCESS]);
        pages_free(module, sizeof *module);
    }
    free(columns);
}

/* ---- a column */

static void add_terms(const int32_t *term, unsigned n, uint32_t weight, uint32_t *coefficient)
{
    for (unsigned i = 0; i < n; i++)
        coefficient[labs(term[i]) - 1] += term[i] > 0 ? weight : -weight;
}

static void add_block(const struct counted_block *block, int event, uint32_t *coefficient)
{
    const int32_t *taken = block->term + block->n_terms;
    bool conditional = (block->flags & COUNTED_CONDITIONAL) != 0;
    if (block->weight[event] != 0)
        add_terms(block->term, block->n_terms, block->weight[event], coefficient);
    if (conditional && event == COUNTED_TAKEN_BRANCHES)
        add_terms(taken, block->n_taken, 1, coefficient);
    if (conditional && event == COUNTED_NOT_TAKEN_BRANCHES) {
        add_terms(block->term, block->n_terms, 1, coefficient);
        add_terms(taken, block->n_taken, -1U, coefficient);
    }
}

static void mark(const struct counted_module *module, int kind, uint64_t n, uint64_t *own)
{
    uint64_t offset;
    for (const struct counted_unit *unit = NULL; (unit = module_next_unit(module, unit)) != NULL;)
        if (unit->kind == (uint32_t)kind && module_unit_offset(module, unit, n, &offset))
            for (uint64_t i = offset; i < offset + unit->n_slots; i++)
                own[i / CHUNK] |= UINT64_C(1) << i % CHUNK;
    for (uint64_t i = 0; i < column_chunks(n); i++)
        own[column_chunks(n) + i / CHUNK] |= (uint64_t)(own[i] == UINT64_MAX) << i % CHUNK;
}

const uint64_t *columns_own(struct column_module *module, int kind)
{
    struct column_space *space = &module->space[kind];
    if (space->own == NULL && (space->own = pages_get(size_of_own(space))) != NULL)
        mark(module->module, kind, space->n, space->own);
    return space->own;
}

static void fill(const struct counted_module *module, int kind, int event, uint64_t n, uint32_t *coefficient)
{
    uint64_t offset;
    for (const struct counted_unit *unit = NULL; (unit = module_next_unit(module, unit)) != NULL;) {
        const struct counted_block *block = counted_first_block(unit);
        if (unit->kind != (uint32_t)kind || !module_unit_offset(module, unit, n, &offset))
            continue;
        for (uint32_t i = 0; i < unit->n_blocks; i++, block = counted_next_block(block))
            add_block(block, event, coefficient + offset);
    }
}

/* Completes a column: marks the chunks in which slots add anything, and adds the bias. */
static void finish(struct column *column, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        if (column->coefficient[i] != 0)
            column->used[i / CHUNK / 64] |= UINT64_C(1) << i / CHUNK % 64;
        column->coefficient[i] += COLUMN_BIAS;
    }
}

const struct column *columns_get(struct column_module *module, int kind, int event)
{
    struct column_space *space = &module->space[kind];
    if (space->column[event] != NULL)
        return space->column[event];
    size_t words = column_words(space->n) * sizeof(uint64_t);
    size_t size = sizeof(struct column) + words + (space->n + COLUMN_STEP) * sizeof(uint32_t);
    struct column *column = pages_get(size);
    if (column == NULL)
        return NULL;
    column->size = size;
    column->used = (void *)(column + 1);
    column->coefficient = (void *)((char *)column->used + words);
    fill(module->module, kind, event, space->n, column->coefficient);
    finish(column, space->n);
    space->column[event] = column;
    return column;
}

/* ---- modules */

struct look {
    struct columns *columns;
    bool whole;
};

static struct column_module **place_of(struct columns *columns, const struct counted_module *module)
{
    struct column_module **place = &columns->first;
    while (*place != NULL && (*place)->module != module)
        place = &(*place)->next;
    return place;
}

static void see(const struct counted_module *module, const char *name, void *context)
{
    struct look *look = context;
    struct column_module **place = place_of(look->columns, module);
    (void)name;
    if (*place != NULL || !module_is_known(module) || module->weighed == 0 || !module_is_whole(module))
        return;
    struct column_module *fresh = module_thread_slots(module) != NULL ? pages_get(sizeof *fresh) : NULL;
    if (fresh == NULL) {
        look->whole = false;
        return;
    }
    fresh->module = module;
    fresh->space[COUNTED_THREAD].n = module->n_slots;
    module_process_slots(module, &fresh->space[COUNTED_PROCESS].n);
    *place = fresh;
}

bool columns_look(struct columns *columns)
{
    struct look look = {columns, true};
    modules_look(see, &look);
    return look.whole;
}
