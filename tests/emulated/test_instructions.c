/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Known assembly, counted with every event of instructions at once, and with every preset: all counts are
 * compared, those that are 0 too. The blocks are in blocks_x86.def and blocks_arm64.def.
 */
#include "blocks.h"
#include "measure.h"

/* Presets as presets/emulated.csv defines them: the sum of one event or two. */
static const struct preset {
    const char *name;
    int event, other;
} presets[] = {
    {"PAPI_TOT_INS", BLOCK_INSTRUCTIONS, -1},
    {"PAPI_INT_INS", BLOCK_INTEGER_INSTRUCTIONS, -1},
    {"PAPI_FP_INS", BLOCK_FP_INSTRUCTIONS, -1},
    {"PAPI_FP_OPS", BLOCK_FP_OPS, -1},
    {"PAPI_HP_OPS", BLOCK_HP_OPS, -1},
    {"PAPI_SP_OPS", BLOCK_SP_OPS, -1},
    {"PAPI_DP_OPS", BLOCK_DP_OPS, -1},
    {"PAPI_VEC_INS", BLOCK_VECTOR_INSTRUCTIONS, -1},
    {"PAPI_VEC_HP", BLOCK_HP_VECTOR_INSTRUCTIONS, -1},
    {"PAPI_VEC_SP", BLOCK_SP_VECTOR_INSTRUCTIONS, -1},
    {"PAPI_VEC_DP", BLOCK_DP_VECTOR_INSTRUCTIONS, -1},
    {"PAPI_FMA_INS", BLOCK_FMA_INSTRUCTIONS, -1},
    {"PAPI_FAD_INS", BLOCK_FP_ADD_INSTRUCTIONS, -1},
    {"PAPI_FML_INS", BLOCK_FP_MULTIPLY_INSTRUCTIONS, -1},
    {"PAPI_FDV_INS", BLOCK_FP_DIVIDE_INSTRUCTIONS, -1},
    {"PAPI_FSQ_INS", BLOCK_FP_SQRT_INSTRUCTIONS, -1},
    {"PAPI_FNV_INS", BLOCK_FP_INVERSE_INSTRUCTIONS, -1},
    {"PAPI_LD_INS", BLOCK_LOADS, -1},
    {"PAPI_SR_INS", BLOCK_STORES, -1},
    {"PAPI_LST_INS", BLOCK_LOADS, BLOCK_STORES},
    {"PAPI_BR_INS", BLOCK_BRANCHES, -1},
    {"PAPI_BR_CN", BLOCK_CONDITIONAL_BRANCHES, -1},
    {"PAPI_BR_UCN", BLOCK_UNCONDITIONAL_BRANCHES, -1},
    {"PAPI_BR_TKN", BLOCK_TAKEN_BRANCHES, -1},
    {"PAPI_BR_NTK", BLOCK_NOT_TAKEN_BRANCHES, -1},
};

enum { N_PRESETS = sizeof presets / sizeof *presets };

_Static_assert((int)MAX_MEASURED >= (int)BLOCK_EVENTS && (int)MAX_MEASURED >= (int)N_PRESETS, "of one set");

static int preset_set(void)
{
    const char *names[N_PRESETS + 1] = {NULL};
    for (int i = 0; i < N_PRESETS; i++)
        names[i] = presets[i].name;
    return measure_set(names);
}

static int event_set(void)
{
    char names[BLOCK_EVENTS][64];
    const char *list[BLOCK_EVENTS + 1] = {NULL};
    for (int i = 0; i < BLOCK_EVENTS; i++) {
        snprintf(names[i], sizeof names[i], "emu::%s", block_events[i]);
        list[i] = names[i];
    }
    return measure_set(list);
}

static int differs(const struct block *block, const char *name, long long got, long long wanted)
{
    if (got != wanted)
        printf("%s: %s is %lld, not %lld\n", block->name, name, got, wanted);
    return got != wanted;
}

static int compare_presets(const struct block *block, const long long *got, const long long *wanted)
{
    int wrong = 0;
    for (int i = 0; i < N_PRESETS; i++) {
        const struct preset *preset = &presets[i];
        long long other = preset->other < 0 ? 0 : wanted[preset->other];
        wrong += differs(block, preset->name, got[i], wanted[preset->event] + other);
    }
    return wrong;
}

static int compare_events(const struct block *block, const long long *got, const long long *wanted)
{
    int wrong = 0;
    for (int i = 0; i < BLOCK_EVENTS; i++)
        wrong += differs(block, block_events[i], got[i], wanted[i]);
    return wrong;
}

static int compare_blocks(int es, int (*compare)(const struct block *, const long long *, const long long *))
{
    int wrong = 0, n = 0;
    for (int i = 0; i < N_BLOCKS; i++) {
        long long got[MAX_MEASURED], wanted[BLOCK_EVENTS];
        if (!block_runs(&blocks[i]))
            continue;
        block_wants(&blocks[i], wanted);
        measure(es, blocks[i].run, got);
        wrong += compare(&blocks[i], got, wanted);
        n++;
    }
    printf("%d blocks, %d events each\n", n, PAPI_num_events(es));
    test_drop(es);
    return wrong;
}

static void blocks_count_as_written(void **state)
{
    (void)state;
    EQUAL(compare_blocks(preset_set(), compare_presets), 0);
    EQUAL(compare_blocks(event_set(), compare_events), 0);
}

/* ---- straight-line code of any length */

#define REPEATED(n, text) ".rept " #n "\n\t" text "\n\t.endr"
BLOCK(of_1, REPEATED(1, "nop"));
BLOCK(of_2, REPEATED(2, "nop"));
BLOCK(of_511, REPEATED(511, "nop"));
BLOCK(of_512, REPEATED(512, "nop")); /* more than the emulator translates at once */
BLOCK(of_1000, REPEATED(1000, "nop"));
BLOCK(of_30000, REPEATED(30000, "nop")); /* pages full */
#if defined(__x86_64__)
/* Instructions that begin in one page and end in the next, with each of their bytes as the last. */
BLOCK_AT(4096, of_3_bytes, REPEATED(8192, "inc %rax"));
BLOCK_AT(4096, of_7_bytes, REPEATED(8192, "lea 0x123456(%rax), %rdx"));
BLOCK_AT(4096, of_10_bytes, REPEATED(8192, "movabs $0x123456789abcdef0, %rax"));
/* Branches that do. The last byte of the first page is their first. */
BLOCK_AT(4096, jump_across,
         REPEATED(4090, "nop") "\n\tmov $9, %eax\n1:\tjmp 2f\n\tnop\n2:\tdec %eax\n\tjne 1b");
BLOCK_AT(4096, branch_across, REPEATED(4088, "nop") "\n\tmov $9, %eax\n1:\tdec %eax\n\tjne 1b");
#endif

static const struct line {
    void (*run)(void);
    long long instructions, taken, not_taken;
} lines[] = {
    {block_empty, 0, 0, 0},
    {block_of_1, 1, 0, 0},
    {block_of_2, 2, 0, 0},
    {block_of_511, 511, 0, 0},
    {block_of_512, 512, 0, 0},
    {block_of_1000, 1000, 0, 0},
    {block_of_30000, 30000, 0, 0},
#if defined(__x86_64__)
    {block_of_3_bytes, 8192, 0, 0},
    {block_of_7_bytes, 8192, 0, 0},
    {block_of_10_bytes, 8192, 0, 0},
    {block_jump_across, 4090 + 1 + 9 * 3, 8, 1},
    {block_branch_across, 4088 + 1 + 9 * 2, 8, 1},
#endif
};

static void straight_lines_are_as_long_as_they_are(void **state)
{
    const char *const names[] = {"PAPI_TOT_INS", "PAPI_BR_TKN", "PAPI_BR_NTK", "emu::UNKNOWN_INSTRUCTIONS",
                                 NULL};
    int es = measure_set(names);
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        for (int again = 0; again < 2; again++) { /* translated, and run once more */
            long long got[4];
            measure(es, lines[i].run, got);
            EQUAL(got[0], lines[i].instructions);
            EQUAL(got[1], lines[i].taken);
            EQUAL(got[2], lines[i].not_taken);
            EQUAL(got[3], 0);
        }
    test_drop(es);
}

/* Prints the events of PAPI_start and PAPI_stop themselves. */
static void show_the_overhead(void **state)
{
    int es = preset_set();
    long long values[MAX_MEASURED];
    (void)state;
    for (int i = 0; i < 2; i++) {
        OK(PAPI_start(es));
        OK(PAPI_stop(es, values));
    }
    for (int i = 0; i < N_PRESETS; i++)
        if (values[i] != 0)
            printf("PAPI_start and PAPI_stop: %s %lld\n", presets[i].name, values[i]);
    EQUAL(values[3], 0); /* no operations */
    test_drop(es);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(show_the_overhead),
        cmocka_unit_test(straight_lines_are_as_long_as_they_are),
        cmocka_unit_test(blocks_count_as_written),
    };
    return TEST_RUN(tests);
}
