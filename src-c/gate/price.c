/* SPDX-License-Identifier: BSD-3-Clause */
#include "price.h"
#include "formats/classification/classify.h"
#include "profile/loops/dependence.h"
#include "tools/common/allocate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- classes */

static enum price_class class_of(const struct step *step)
{
    static const enum price_class of_work[WORKS] = {
        [WORK_MOVE] = PRICE_move,
        [WORK_INTEGER] = PRICE_integer,
        [WORK_INTEGER_MULTIPLY] = PRICE_integer_multiply,
        [WORK_INTEGER_DIVIDE] = PRICE_integer_divide_32,
        [WORK_ADD] = PRICE_fp_add,
        [WORK_MULTIPLY] = PRICE_fp_multiply,
        [WORK_FMA] = PRICE_fp_fma,
        [WORK_DIVIDE] = PRICE_fp_divide_32,
        [WORK_SQRT] = PRICE_fp_sqrt_32,
        [WORK_OTHER] = PRICE_fp_other,
        [WORK_COMPARE] = PRICE_fp_compare,
        [WORK_CONVERT] = PRICE_fp_convert,
        [WORK_SHUFFLE] = PRICE_vector_integer,
    };
    bool wide = step->element > 32;
    if (step->repeats || step->locked || step->system_call)
        return step->repeats ? PRICE_string : step->locked ? PRICE_atomic : PRICE_system_call;
    switch (step->work) {
    case WORK_INTEGER_DIVIDE:
        return step->width > 32 ? PRICE_integer_divide_64 : PRICE_integer_divide_32;
    case WORK_DIVIDE:
        return wide ? PRICE_fp_divide_64 : PRICE_fp_divide_32;
    case WORK_SQRT:
        return wide ? PRICE_fp_sqrt_64 : PRICE_fp_sqrt_32;
    case WORK_SHUFFLE:
        return step->multiplies ? PRICE_vector_multiply : PRICE_vector_integer;
    default:
        return of_work[step->work];
    }
}

static int width_of(const struct step *step)
{
    return step->width > 256 ? 2 : step->width > 128 ? 1 : 0;
}

/* True if an instruction has to do with vector registers. */
static bool is_vector(const struct step *step)
{
    return (step->takes | step->gives) >> UNIT_FIRST_VECTOR & UINT32_MAX || step->width >= 128 ||
           step->scalar_fp || step->bits > 0;
}

/* ---- efforts */

static void spend(const struct model *model, struct effort *effort, enum price_class class, int width)
{
    for (int i = 0; i < model->n_units; i++)
        effort->busy[i] += model->price[class].busy[i][width];
}

/* True if a comparison and a branch behind it are one instruction to the processor. */
static bool are_fused(const struct model *model, const struct step *first, const struct step *branch)
{
    return model->fuses && branch->conditional && first->work == WORK_INTEGER && !first->stores &&
           (first->gives >> UNIT_FLAGS & 1) != 0;
}

static void add_step(const struct model *model, const struct step *step, struct effort *effort)
{
    int width = width_of(step);
    bool vector = is_vector(step);
    enum price_class class = class_of(step);
    double ops = model->price[class].ops[width];
    if (!step->branch)
        spend(model, effort, class, width);
    if (step->gathers) {
        spend(model, effort, PRICE_gather, width);
        ops = fmax(ops, model->price[PRICE_gather].ops[width]);
    } else if (step->loads) {
        spend(model, effort, vector ? PRICE_load_vector : PRICE_load, width);
    }
    if (step->stores)
        spend(model, effort, vector ? PRICE_store_vector : PRICE_store, width);
    if (step->branch)
        spend(model, effort, PRICE_branch, width);
    effort->ops += ops;
}

void effort_of(const struct model *model, const struct step *step, size_t n, struct effort *effort)
{
    *effort = (struct effort){.ops = 0};
    for (size_t i = 0; i < n; i++) {
        add_step(model, &step[i], effort);
        if (i > 0 && are_fused(model, &step[i - 1], &step[i]))
            effort->ops--;
    }
}

void effort_add(struct effort *effort, const struct effort *other, double times)
{
    for (int i = 0; i < MODEL_UNITS; i++)
        effort->busy[i] += other->busy[i] * times;
    effort->ops += other->ops * times;
    effort->taken += other->taken * times;
}

double effort_cycles(const struct model *model, const struct effort *effort)
{
    double cycles = fmax(effort->ops / model->width, effort->taken);
    for (int i = 0; i < model->n_units; i++)
        cycles = fmax(cycles, effort->busy[i]);
    return cycles;
}

/* ---- chains */

double price_chain(const struct model *model, const struct step *step, size_t n)
{
    double *latency = memory_more(NULL, n + 1, sizeof *latency);
    const struct price *price = model->price;
    for (size_t i = 0; i < n; i++)
        latency[i] = price[class_of(&step[i])].latency[width_of(&step[i])];
    struct chain_costs costs = {
        .of_step = latency,
        .load = {price[PRICE_load].latency[0], price[PRICE_load_vector].latency[0]},
        .stored = {price[PRICE_stored].latency[0], price[PRICE_stored_vector].latency[0]},
    };
    double cycles = turn_chain(step, (int)n, &costs);
    free(latency);
    return fmax(cycles, 0); /* what was stored long ago is forgotten, and may have been the latest */
}

/* ---- 64-bit Arm */

static bool counts(const struct kind *kind, enum emulated_event event)
{
    for (int i = 0; i < kind->n; i++)
        if (kind->event[i] == event)
            return true;
    return false;
}

static enum work work_arm64(const struct kind *kind, uint32_t word)
{
    static const struct {
        enum emulated_event event;
        enum work work;
    } rows[] = {
        {EMULATED_FP_DIVIDE_INSTRUCTIONS, WORK_DIVIDE},
        {EMULATED_FP_SQRT_INSTRUCTIONS, WORK_SQRT},
        {EMULATED_FMA_INSTRUCTIONS, WORK_FMA},
        {EMULATED_FP_MULTIPLY_INSTRUCTIONS, WORK_MULTIPLY},
        {EMULATED_FP_ADD_INSTRUCTIONS, WORK_ADD},
        {EMULATED_FP_CONVERSIONS, WORK_CONVERT},
        {EMULATED_FP_COMPARISONS, WORK_COMPARE},
        {EMULATED_FP_INSTRUCTIONS, WORK_OTHER},
        {EMULATED_INTEGER_VECTOR_INSTRUCTIONS, WORK_SHUFFLE},
        {EMULATED_INTEGER_INSTRUCTIONS, WORK_INTEGER},
    };
    if ((word & 0x7fe0f800) == 0x1ac00800) /* sdiv, udiv */
        return WORK_INTEGER_DIVIDE;
    if ((word & 0x7f000000) == 0x1b000000) /* madd and its like */
        return WORK_INTEGER_MULTIPLY;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (counts(kind, rows[i].event))
            return rows[i].work;
    return WORK_MOVE;
}

/* The bit of an instruction's encoding that says that it accesses registers of vectors. */
static bool accesses_vectors(uint32_t word)
{
    return (word & 0x0a000000) == 0x08000000 && (word & 0x04000000) != 0;
}

size_t price_step_arm64(const uint8_t *code, size_t left, uint64_t address, struct step *step)
{
    uint32_t word;
    struct kind kind = {.n = 0};
    if (left < sizeof word)
        return 0;
    memcpy(&word, code, sizeof word);
    *step = (struct step){.address = address, .size = sizeof word};
    step->unknown = !classify_arm64_word(word, address, &kind);
    step->work = work_arm64(&kind, word);
    step->width = word >> 31 != 0 ? 64 : 32;
    step->element = counts(&kind, EMULATED_DP_OPS) ? 64 : counts(&kind, EMULATED_SP_OPS) ? 32 : 0;
    step->loads = counts(&kind, EMULATED_LOADS);
    step->stores = counts(&kind, EMULATED_STORES);
    step->scalar_fp = step->element != 0 || ((step->loads || step->stores) && accesses_vectors(word));
    step->conditional = kind.flow == FLOW_CONDITIONAL;
    step->branch = counts(&kind, EMULATED_BRANCHES);
    step->call = counts(&kind, EMULATED_CALLS);
    step->target = step->conditional ? kind.target : 0;
    step->computed = (word & 0xffdffc1f) == 0xd61f0000; /* br, blr */
    step->system_call = counts(&kind, EMULATED_SYSTEM_CALLS);
    return sizeof word;
}
