/* SPDX-License-Identifier: BSD-3-Clause */
#include "formats/classification/classify.h"

/* The classifiers do not count INSTRUCTIONS: its number stands for none. */
#define NOTHING EMULATED_INSTRUCTIONS

static const struct effect {
    uint8_t event[2];
    uint8_t flow;
    uint8_t operations; /* a lane */
    bool vector;        /* counts as VECTOR_INSTRUCTIONS where it works on vectors */
} effects[] = {
    [OPERATION_INTEGER] = {.event = {EMULATED_INTEGER_INSTRUCTIONS}},
    [OPERATION_PACKED] = {.event = {EMULATED_INTEGER_VECTOR_INSTRUCTIONS}, .vector = true},
    [OPERATION_ADD] = {{EMULATED_FP_INSTRUCTIONS, EMULATED_FP_ADD_INSTRUCTIONS}, 0, 1, true},
    [OPERATION_MULTIPLY] = {{EMULATED_FP_INSTRUCTIONS, EMULATED_FP_MULTIPLY_INSTRUCTIONS}, 0, 1, true},
    [OPERATION_DIVIDE] = {{EMULATED_FP_INSTRUCTIONS, EMULATED_FP_DIVIDE_INSTRUCTIONS}, 0, 1, true},
    [OPERATION_SQRT] = {{EMULATED_FP_INSTRUCTIONS, EMULATED_FP_SQRT_INSTRUCTIONS}, 0, 1, true},
    [OPERATION_INVERSE] = {{EMULATED_FP_INSTRUCTIONS, EMULATED_FP_INVERSE_INSTRUCTIONS}, 0, 1, true},
    [OPERATION_REFINE] = {{EMULATED_FP_INSTRUCTIONS, EMULATED_FP_INVERSE_INSTRUCTIONS}, 0, 2, true},
    [OPERATION_FMA] = {{EMULATED_FP_INSTRUCTIONS, EMULATED_FMA_INSTRUCTIONS}, 0, 2, true},
    [OPERATION_DOT] = {{EMULATED_FP_INSTRUCTIONS}, 0, 2, true},
    [OPERATION_COMPLEX] = {{EMULATED_FP_INSTRUCTIONS}, 0, 3, true},
    [OPERATION_COMPLEX_FMA] = {{EMULATED_FP_INSTRUCTIONS, EMULATED_FMA_INSTRUCTIONS}, 0, 4, true},
    [OPERATION_OTHER] = {{EMULATED_FP_INSTRUCTIONS}, 0, 1, true},
    [OPERATION_COMPARE] = {.event = {EMULATED_FP_COMPARISONS}, .vector = true},
    [OPERATION_CONVERT] = {.event = {EMULATED_FP_CONVERSIONS}, .vector = true},
    [OPERATION_JUMP] = {{EMULATED_BRANCHES, EMULATED_UNCONDITIONAL_BRANCHES}, .flow = FLOW_OTHER},
    [OPERATION_BRANCH] = {{EMULATED_BRANCHES, EMULATED_CONDITIONAL_BRANCHES}, .flow = FLOW_CONDITIONAL},
    [OPERATION_CALL] = {{EMULATED_BRANCHES, EMULATED_UNCONDITIONAL_BRANCHES}, .flow = FLOW_OTHER},
    [OPERATION_RETURN] = {{EMULATED_BRANCHES, EMULATED_UNCONDITIONAL_BRANCHES}, .flow = FLOW_OTHER},
    [OPERATION_SYSTEM_CALL] = {.event = {EMULATED_SYSTEM_CALLS}},
};

static const struct {
    enum emulated_event operations, vector_instructions;
} precisions[] = {
    [PRECISION_HALF] = {EMULATED_HP_OPS, EMULATED_HP_VECTOR_INSTRUCTIONS},
    [PRECISION_SINGLE] = {EMULATED_SP_OPS, EMULATED_SP_VECTOR_INSTRUCTIONS},
    [PRECISION_DOUBLE] = {EMULATED_DP_OPS, EMULATED_DP_VECTOR_INSTRUCTIONS},
    [PRECISION_EXTENDED] = {EMULATED_XP_OPS, NOTHING},
};

void kind_add_operation(struct kind *kind, enum operation operation, struct lanes lanes)
{
    const struct effect *effect = &effects[operation];
    unsigned operations = effect->operations * lanes.n;
    for (unsigned i = 0; i < 2; i++)
        kind_add(kind, effect->event[i], effect->event[i] != NOTHING);
    kind_add(kind, EMULATED_FP_OPS, operations);
    kind_add(kind, precisions[lanes.precision].operations, operations);
    kind_add(kind, EMULATED_VECTOR_INSTRUCTIONS, effect->vector && lanes.vector);
    kind_add(kind, precisions[lanes.precision].vector_instructions, operations > 0 && lanes.vector);
    kind_add(kind, EMULATED_CALLS, operation == OPERATION_CALL);
    kind_add(kind, EMULATED_RETURNS, operation == OPERATION_RETURN);
    if (effect->flow != FLOW_ON)
        kind->flow = effect->flow;
}

void kind_add_accesses(struct kind *kind, unsigned access, unsigned size)
{
    kind_add(kind, EMULATED_LOADS, access & ACCESS_LOAD);
    kind_add(kind, EMULATED_STORES, (access & ACCESS_STORE) != 0);
    if (access != 0)
        kind->memory_size = size <= UINT8_MAX ? (uint8_t)size : 0;
}
