/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Known assembly, counted with every preset of instructions at once: all counts are compared, those
 * that are 0 too. The blocks are in blocks_x86.def and blocks_arm64.def.
 */
#include "measure.h"

#include <stdlib.h>
#include <string.h>

enum { TURNS = 1000 };

static const char *const presets[] = {
    "PAPI_TOT_INS", "PAPI_INT_INS", "PAPI_FP_INS",  "PAPI_FP_OPS",  "PAPI_SP_OPS",  "PAPI_DP_OPS",
    "PAPI_VEC_INS", "PAPI_VEC_SP",  "PAPI_VEC_DP",  "PAPI_FMA_INS", "PAPI_FAD_INS", "PAPI_FML_INS",
    "PAPI_FDV_INS", "PAPI_FSQ_INS", "PAPI_FNV_INS", "PAPI_LD_INS",  "PAPI_SR_INS",  "PAPI_LST_INS",
    "PAPI_BR_INS",  "PAPI_BR_CN",   "PAPI_BR_UCN",  "PAPI_BR_TKN",  "PAPI_BR_NTK",  NULL,
};

enum { N_PRESETS = sizeof presets / sizeof *presets - 1 };

/* ---------------------------------------------------------------- the blocks */

_Alignas(64) unsigned char block_memory[16384];

#if defined(__x86_64__)
#define BLOCKS "blocks_x86.def"
#define BEGIN ""
#define LOOP_BEGIN "mov $1000, %ecx\n1:\t"
#define LOOP_END "\n\tdec %ecx\n\tjne 1b"
#elif defined(__aarch64__)
#define BLOCKS "blocks_arm64.def"
#define BEGIN "adrp x10, block_memory\n\tadd x10, x10, :lo12:block_memory\n\t"
#define LOOP_BEGIN "mov w9, #1000\n1:\t"
#define LOOP_END "\n\tsubs w9, w9, #1\n\tb.ne 1b"
#endif
/* What BEGIN is made of: arithmetic on addresses. */
enum { N_BEGIN = sizeof BEGIN > 1 ? 2 : 0 };

#define LOOP(name, n, text, counted) BLOCK(name, BEGIN LOOP_BEGIN text LOOP_END);
#define ONCE(name, text, counted) BLOCK(name, BEGIN text);
#include BLOCKS
#undef LOOP
#undef ONCE

static const struct block {
    const char *name;
    void (*run)(void);
    int turns, instructions;
    const char *counted;
} blocks[] = {
#define LOOP(name, n, text, counted) {#name, block_##name, TURNS, n, counted},
#define ONCE(name, text, counted) {#name, block_##name, 1, 0, counted},
#include BLOCKS
#undef LOOP
#undef ONCE
};

/* ------------------------------------------------------------- what is wanted */

static long long *place(long long *values, const char *name, size_t length)
{
    for (int i = 0; i < N_PRESETS; i++)
        if (strlen(presets[i]) == length + 5 && strncmp(presets[i] + 5, name, length) == 0)
            return &values[i];
    fail_msg("no such preset: %.*s", (int)length, name);
    return NULL;
}

#define VALUE(values, name) (*place(values, #name, sizeof #name - 1))

static void add_words(long long *wanted, const char *counted, int turns)
{
    while (*counted != '\0') {
        size_t word = strcspn(counted, " "), name = strcspn(counted, " =");
        long long number = counted[name] == '=' ? atoll(counted + name + 1) : 1;
        *place(wanted, counted, name) += number * turns;
        counted += word + (counted[word] == ' ');
    }
}

/* One instruction sets the turns; the last of the branches back is not taken. */
static void add_loop(long long *wanted, int instructions)
{
    VALUE(wanted, TOT_INS) += 1 + TURNS * (instructions + 2LL);
    VALUE(wanted, INT_INS) += TURNS;
    VALUE(wanted, BR_CN) += TURNS;
    VALUE(wanted, BR_TKN) += TURNS - 1;
    VALUE(wanted, BR_NTK) += 1;
}

static void add_what_follows(long long *wanted)
{
    VALUE(wanted, FP_OPS) += VALUE(wanted, SP_OPS) + VALUE(wanted, DP_OPS);
    VALUE(wanted, LST_INS) = VALUE(wanted, LD_INS) + VALUE(wanted, SR_INS);
    VALUE(wanted, BR_INS) = VALUE(wanted, BR_CN) + VALUE(wanted, BR_UCN);
    VALUE(wanted, TOT_INS) += N_BEGIN;
    VALUE(wanted, INT_INS) += N_BEGIN;
}

static int compare(const struct block *block, const long long *got, const long long *wanted)
{
    int wrong = 0;
    for (int i = 0; i < N_PRESETS; i++)
        if (got[i] != wanted[i]) {
            printf("%s: %s is %lld, not %lld\n", block->name, presets[i], got[i], wanted[i]);
            wrong++;
        }
    return wrong;
}

static void blocks_count_as_written(void **state)
{
    int es = measure_set(presets), wrong = 0;
    (void)state;
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        long long got[MAX_MEASURED], wanted[MAX_MEASURED] = {0};
        measure(es, blocks[i].run, got);
        add_words(wanted, blocks[i].counted, blocks[i].turns);
        if (blocks[i].turns > 1)
            add_loop(wanted, blocks[i].instructions);
        add_what_follows(wanted);
        wrong += compare(&blocks[i], got, wanted);
    }
    printf("%zu blocks, %d presets each\n", sizeof blocks / sizeof *blocks, N_PRESETS);
    EQUAL(wrong, 0);
    test_drop(es);
}

/* --------------------------------------------------- straight-line code of any length */

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

/* What PAPI_start and PAPI_stop count of themselves. */
static void show_the_overhead(void **state)
{
    int es = measure_set(presets);
    long long values[MAX_MEASURED];
    (void)state;
    for (int i = 0; i < 2; i++) {
        OK(PAPI_start(es));
        OK(PAPI_stop(es, values));
    }
    for (int i = 0; i < N_PRESETS; i++)
        if (values[i] != 0)
            printf("PAPI_start and PAPI_stop: %s %lld\n", presets[i], values[i]);
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
