/* SPDX-License-Identifier: BSD-3-Clause */
#include "claims.h"

#include <string.h>

const struct exact_claim exact_claims[] = {
    {"PAPI_TOT_INS", 1, {INSTRUCTIONS}},
    {"PAPI_INT_INS", 1, {INTEGER}},
    {"PAPI_LD_INS", 1, {LOADS}},
    {"PAPI_SR_INS", 1, {STORES}},
    {"PAPI_LST_INS", 2, {LOADS, STORES}},
    {"PAPI_BR_INS", 2, {CONDITIONAL, UNCONDITIONAL}},
    {"PAPI_BR_CN", 1, {CONDITIONAL}},
    {"PAPI_BR_UCN", 1, {UNCONDITIONAL}},
    {"PAPI_BR_TKN", 1, {TAKEN}},
    {"PAPI_BR_NTK", 1, {NOT_TAKEN}},
    {"PAPI_FP_INS", 1, {FP_INSTRUCTIONS}},
    {"PAPI_FP_OPS", 2, {SINGLE_OPS, DOUBLE_OPS}},
    {"PAPI_SP_OPS", 1, {SINGLE_OPS}},
    {"PAPI_DP_OPS", 1, {DOUBLE_OPS}},
    {"PAPI_VEC_INS", 2, {SINGLE_VECTORS, DOUBLE_VECTORS}},
    {"PAPI_VEC_SP", 1, {SINGLE_VECTORS}},
    {"PAPI_VEC_DP", 1, {DOUBLE_VECTORS}},
    {"PAPI_FAD_INS", 1, {ADDITIONS}},
    {"PAPI_FML_INS", 1, {MULTIPLICATIONS}},
    {"PAPI_FDV_INS", 1, {DIVISIONS}},
    {"PAPI_FSQ_INS", 1, {SQUARE_ROOTS}},
    {"PAPI_FMA_INS", 1, {MULTIPLY_ADDS}},
    {NULL, 0, {INSTRUCTIONS}},
};

double exact_claim_of(const struct exact_claim *claim, const struct kernel *kernel)
{
    double sum = 0;
    for (int i = 0; i < claim->n; i++)
        sum += kernels_per_iteration(kernel, claim->part[i]);
    return sum;
}

#define KERNEL(preset, kernel, least, most)                                                                  \
    {                                                                                                        \
        preset, kernel, WALK_TINY, -1, least, most                                                           \
    }
#define WALK(preset, footprint, held, least, most)                                                           \
    {                                                                                                        \
        preset, NULL, footprint, held, least, most                                                           \
    }

/* Misses of a level, and accesses to it. Caches do not always take the oldest line out, and count lines that
 * they bring in beside the one that was asked for: the limits have room for both. */
#define MISSES_1(preset) WALK(preset, WALK_TINY, 0, 0, 0.1), WALK(preset, WALK_BEYOND_1, -1, 0.4, 2.5)
/* Presets of data count no code, and those of code no data. */
#define NO_CODE(preset) WALK(preset, WALK_CODE, -1, 0, 0.2)
#define NO_DATA(preset) WALK(preset, WALK_BEYOND_1, -1, 0, 0.2)
/* Stores that miss level 1, and what they ask of level 2. */
#define STORES_MISS(preset) WALK(preset, WALK_STORES, -1, 0.4, 2.5)
#define STORES_ASK(preset) WALK(preset, WALK_STORES, -1, 0.4, 3)
#define WRITES(preset)                                                                                       \
    WALK(preset, WALK_TINY, 0, 0, 0.1), WALK(preset, WALK_BEYOND_1, -1, 0, 0.2), STORES_ASK(preset)
#define MISSES_2(preset)                                                                                     \
    WALK(preset, WALK_TINY, 0, 0, 0.1), WALK(preset, WALK_BEYOND_1, 1, 0, 0.2),                              \
        WALK(preset, WALK_BEYOND_2, -1, 0.4, 2.5)
#define MISSES_3(preset)                                                                                     \
    WALK(preset, WALK_TINY, 0, 0, 0.1), WALK(preset, WALK_BEYOND_2, 2, 0, 0.4),                              \
        WALK(preset, WALK_BEYOND_3, -1, 0.4, 2.5)
#define ACCESSES_2(preset) WALK(preset, WALK_TINY, 0, 0, 0.1), WALK(preset, WALK_BEYOND_1, -1, 0.4, 3)
#define ACCESSES_3(preset)                                                                                   \
    WALK(preset, WALK_TINY, 0, 0, 0.1), WALK(preset, WALK_BEYOND_1, 1, 0, 0.2),                              \
        WALK(preset, WALK_BEYOND_2, -1, 0.4, 3)
/* A hit is no miss: where at least 0.4 are claimed to miss, 0.6 may hit. */
#define HITS_2(preset)                                                                                       \
    WALK(preset, WALK_TINY, 0, 0, 0.1), WALK(preset, WALK_BEYOND_1, 1, 0.4, 3),                              \
        WALK(preset, WALK_BEYOND_2, -1, 0, 0.6)
#define HITS_3(preset)                                                                                       \
    WALK(preset, WALK_TINY, 0, 0, 0.1), WALK(preset, WALK_BEYOND_1, 1, 0, 0.2),                              \
        WALK(preset, WALK_BEYOND_2, 2, 0.3, 3), WALK(preset, WALK_BEYOND_3, -1, 0, 0.6)
#define TRANSLATIONS(preset) WALK(preset, WALK_TINY, 0, 0, 0.1), WALK(preset, WALK_PAGES, -1, 0.3, 3)

const struct range_claim range_claims[] = {
    /* Four operations that wait for each other, each for a cycle or so. */
    KERNEL("PAPI_TOT_CYC", "integer", 2, 12),
    KERNEL("PAPI_BR_MSP", "integer", 0, 0.05),
    KERNEL("PAPI_BR_MSP", "random_branch", 0.25, 0.8),
    KERNEL("PAPI_BR_PRC", "integer", 0.9, 1.05),
    KERNEL("PAPI_BR_PRC", "branches_taken", 3.8, 4.2),
    KERNEL("PAPI_BR_PRC", "random_branch", 1.1, 1.8),
    KERNEL("PAPI_L1_DCA", "loads", 3.5, 5),
    KERNEL("PAPI_L1_DCA", "stores", 1, 4),
    KERNEL("PAPI_L1_DCA", "integer", 0, 0.2),
    KERNEL("PAPI_L1_DCR", "loads", 3.5, 5),
    KERNEL("PAPI_L1_DCR", "stores", 0, 0.5),
    KERNEL("PAPI_L1_DCW", "loads", 0, 0.5),
    KERNEL("PAPI_L1_DCW", "stores", 1, 4),
    KERNEL("PAPI_L1_DCH", "loads", 3.5, 5),
    KERNEL("PAPI_L1_DCH", "integer", 0, 0.2),
    WALK("PAPI_L1_DCH", WALK_BEYOND_1, -1, 0, 0.6),
    MISSES_1("PAPI_L1_DCM"),
    NO_CODE("PAPI_L1_DCM"),
    STORES_MISS("PAPI_L1_DCM"),
    MISSES_1("PAPI_L1_LDM"),
    NO_CODE("PAPI_L1_LDM"),
    WALK("PAPI_L1_LDM", WALK_STORES, -1, 0, 0.2),
    WALK("PAPI_L1_STM", WALK_TINY, 0, 0, 0.1),
    NO_DATA("PAPI_L1_STM"),
    STORES_MISS("PAPI_L1_STM"),
#if !defined(__powerpc__) /* whose stores bring no lines into level 1 */
    KERNEL("PAPI_L1_STM", "stores", 0, 0.2),
#endif
    MISSES_1("PAPI_L1_TCM"),
    WALK("PAPI_L1_TCM", WALK_CODE, -1, 0.4, 2.5),
    STORES_MISS("PAPI_L1_TCM"),
    MISSES_2("PAPI_L2_DCM"),
    NO_CODE("PAPI_L2_DCM"),
    MISSES_2("PAPI_L2_LDM"),
    NO_CODE("PAPI_L2_LDM"),
    MISSES_2("PAPI_L2_TCM"),
    MISSES_3("PAPI_L3_DCM"),
    MISSES_3("PAPI_L3_LDM"),
    MISSES_3("PAPI_L3_TCM"),
    ACCESSES_2("PAPI_L2_DCA"),
    NO_CODE("PAPI_L2_DCA"),
    STORES_ASK("PAPI_L2_DCA"),
    ACCESSES_2("PAPI_L2_DCR"),
    NO_CODE("PAPI_L2_DCR"),
    WRITES("PAPI_L2_DCW"),
    NO_CODE("PAPI_L2_DCW"),
    ACCESSES_2("PAPI_L2_TCA"),
    WALK("PAPI_L2_TCA", WALK_CODE, -1, 0.4, 3),
    STORES_ASK("PAPI_L2_TCA"),
    ACCESSES_2("PAPI_L2_TCR"),
    WALK("PAPI_L2_TCR", WALK_CODE, -1, 0.4, 3),
    WRITES("PAPI_L2_TCW"),
    NO_CODE("PAPI_L2_TCW"),
    HITS_2("PAPI_L2_DCH"),
    NO_CODE("PAPI_L2_DCH"),
    HITS_2("PAPI_L2_TCH"),
    WALK("PAPI_L2_TCH", WALK_CODE, 1, 0.4, 3),
    ACCESSES_3("PAPI_L3_DCA"),
    ACCESSES_3("PAPI_L3_DCR"),
    ACCESSES_3("PAPI_L3_TCA"),
    ACCESSES_3("PAPI_L3_TCR"),
    HITS_3("PAPI_L3_DCH"),
    HITS_3("PAPI_L3_TCH"),
    WALK("PAPI_L1_ICM", WALK_TINY_CODE, -1, 0, 0.1),
    WALK("PAPI_L1_ICM", WALK_CODE, -1, 0.4, 2.5),
    NO_DATA("PAPI_L1_ICM"),
    WALK("PAPI_L1_ICA", WALK_CODE, -1, 0.4, 4),
    WALK("PAPI_L1_ICR", WALK_CODE, -1, 0.4, 4),
    WALK("PAPI_L1_ICH", WALK_TINY_CODE, -1, 0.4, 4),
    WALK("PAPI_L2_ICA", WALK_TINY_CODE, -1, 0, 0.1),
    WALK("PAPI_L2_ICA", WALK_CODE, -1, 0.4, 3),
    NO_DATA("PAPI_L2_ICA"),
    WALK("PAPI_L2_ICR", WALK_TINY_CODE, -1, 0, 0.1),
    WALK("PAPI_L2_ICR", WALK_CODE, -1, 0.4, 3),
    NO_DATA("PAPI_L2_ICR"),
    WALK("PAPI_L2_ICH", WALK_TINY_CODE, -1, 0, 0.1),
    WALK("PAPI_L2_ICH", WALK_CODE, 1, 0.4, 3),
    NO_DATA("PAPI_L2_ICH"),
    TRANSLATIONS("PAPI_TLB_DM"),
    TRANSLATIONS("PAPI_TLB_TL"),
    {NULL, NULL, WALK_TINY, -1, 0, 0},
};

/* ---- those without */

static bool has_claim(const char *preset)
{
    for (const struct exact_claim *claim = exact_claims; claim->preset != NULL; claim++)
        if (strcmp(claim->preset, preset) == 0)
            return true;
    for (const struct range_claim *claim = range_claims; claim->preset != NULL; claim++)
        if (strcmp(claim->preset, preset) == 0)
            return true;
    return false;
}

const char *claims_none(const char *preset)
{
    static const struct {
        const char *begins, *why;
    } reasons[] = {
        {"PAPI_CA_", "other processors would have to share lines with this one"},
        {"PAPI_CSR_", "whether such a store succeeds is not in the program's hands"},
        {"PAPI_HW_INT", "interrupts come as the machine likes"},
        {"PAPI_REF_CYC", "its rate is not known"},
        {"PAPI_TOT_IIS", "how many instructions are issued is the processor's choice"},
        {"PAPI_HP_", "no kernel computes in half precision"},
        {"PAPI_VEC_HP", "no kernel computes in half precision"},
        {"PAPI_L2_ICM", "no work has more code than the cache holds"},
        {"PAPI_L3_IC", "no work has more code than the cache holds"},
        {"PAPI_TLB_IM", "no work has more code than the TLB covers"},
        {"PAPI_", "no work has a known number of them"},
    };
    if (has_claim(preset))
        return NULL;
    for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++)
        if (strncmp(preset, reasons[i].begins, strlen(reasons[i].begins)) == 0)
            return reasons[i].why;
    return "it is not a preset";
}
