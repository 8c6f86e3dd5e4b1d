/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Estimated time of blocks that are made here, by a model whose numbers are chosen here: each expectation is
 * computed by hand.
 */
#include "gate/estimate.h"
#include "tools/common/allocate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* after those that it needs */
#include <cmocka.h>

_Noreturn void memory_is_out(void)
{
    abort();
}

enum { ALU, ADDER, DIVIDER, BRANCHER, LOADER, GATE_TEST_UNITS };

static void put(struct model *model, enum price_class class, double latency, int unit, double busy)
{
    for (int i = 0; i < MODEL_WIDTHS; i++) {
        model->price[class].latency[i] = latency;
        model->price[class].busy[unit][i] = busy;
    }
}

/* Four instructions a cycle. */
static struct model made(void)
{
    struct model model = {.gigahertz = 1,
                          .width = 4,
                          .window = 100,
                          .taken = {1, 2},
                          .mispredicted = {10, 20},
                          .fuses = true,
                          .n_units = GATE_TEST_UNITS};
    for (int i = 0; i < PRICES; i++)
        for (int j = 0; j < MODEL_WIDTHS; j++)
            model.price[i].ops[j] = 1;
    put(&model, PRICE_integer, 1, ALU, 0.25);
    put(&model, PRICE_fp_add, 3, ADDER, 0.5);
    put(&model, PRICE_fp_divide_64, 13, DIVIDER, 5);
    put(&model, PRICE_integer_divide_32, 12, DIVIDER, 8);
    put(&model, PRICE_branch, 1, BRANCHER, 0.5);
    put(&model, PRICE_load, 5, LOADER, 0.5);
    put(&model, PRICE_stored, 4, LOADER, 0);
    return model;
}

static struct block block_of(const uint8_t *code, uint32_t size, uint64_t runs, uint64_t taken)
{
    return (struct block){.code = code, .address = 0x1000, .size = size, .runs = runs, .taken = taken};
}

#define BLOCK(code, runs, taken) block_of(code, sizeof code, runs, taken)

static void expect(const struct block *block, double least, double cycles, double most)
{
    if (block->least != least || block->cycles != cycles || block->most != most)
        print_error("%g (%g to %g), not %g (%g to %g)\n", block->cycles, block->least, block->most, cycles,
                    least, most);
    assert_true(block->least == least && block->cycles == cycles && block->most == most);
}

static void estimate(enum machine_code code, struct block *block, size_t n)
{
    struct model model = made();
    estimate_blocks(&model, code, block, n);
}

/* add rax, rbx; add rcx, rbx; add rdx, rbx; add rsi, rbx */
static const uint8_t adds[] = {0x48, 0x01, 0xd8, 0x48, 0x01, 0xd9, 0x48, 0x01, 0xda, 0x48, 0x01, 0xde};
/* divsd xmm0, xmm1 */
static const uint8_t divides[] = {0xf2, 0x0f, 0x5e, 0xc1};
/* addsd xmm0, xmm1; dec ecx; jne to the first */
static const uint8_t loop[] = {0xf2, 0x0f, 0x58, 0xc1, 0xff, 0xc9, 0x75, 0xf8};

/* Four additions are a cycle of the width and of the units; a division keeps its unit for five. One in a
 * hundred more weighs as much as that. */
static void test_units(void **state)
{
    (void)state;
    struct block block = BLOCK(adds, 100, 0);
    estimate(CODE_X86_64, &block, 1);
    expect(&block, 100, 100, 100);
    block = BLOCK(adds, 101, 0);
    estimate(CODE_X86_64, &block, 1);
    expect(&block, 101, 101, 101);
    block = BLOCK(divides, 100, 0);
    estimate(CODE_X86_64, &block, 1);
    expect(&block, 500, 500, 500);
    block = BLOCK(divides, 101, 0);
    estimate(CODE_X86_64, &block, 1);
    expect(&block, 505, 505, 505);
}

/* A sum waits for itself: 999 turns of 3 cycles. The branch goes the other way once. At most, a taken branch
 * takes 2 cycles, and a quarter of these is not hidden. */
static void test_chain(void **state)
{
    (void)state;
    struct block block = BLOCK(loop, 1000, 999);
    estimate(CODE_X86_64, &block, 1);
    expect(&block, 2997, 2997 + 7.5, 2997 + 1998 / 4.0 + 20);
}

/* Runs of 10 turns, of 20 instructions where the processor sees 100: a fifth of the chain of 3 * 900 cycles
 * is left at least, and the 900 taken branches are more than that. */
static void test_short_loop(void **state)
{
    (void)state;
    struct block block = BLOCK(loop, 1000, 900);
    estimate(CODE_X86_64, &block, 1);
    expect(&block, 900, (540 + 2700) / 2 + 100 * 7.5, 2700 + 1800 / 4.0 + 100 * 20);
}

/* A loop in two blocks, with a counter's instructions between them, is one: what its blocks need overlaps.
 * movsd is not there: addsd xmm0, xmm1 | divsd xmm2, xmm3; dec ecx; jne. 5 cycles of the divider hide 3 of
 * the chain. */
static void test_blocks(void **state)
{
    (void)state;
    static const uint8_t first[] = {0xf2, 0x0f, 0x58, 0xc1};
    static const uint8_t second[] = {0xf2, 0x0f, 0x5e, 0xd3, 0xff, 0xc9, 0x75, 0xe4};
    struct block block[2] = {BLOCK(first, 1000, 0), BLOCK(second, 1000, 999)};
    block[1].address = 0x1014;
    estimate(CODE_X86_64, block, 2);
    /* xmm2 waits for itself, too: 13 cycles of latency, of which each block has its share */
    double all = 13.0 * 999, first_share = 0.5 / 5.5;
    assert_true(block[0].least > first_share * all - 1e-6 && block[0].least < first_share * all + 1e-6);
    assert_true(block[0].least + block[1].least > all - 1e-6 && block[0].least + block[1].least < all + 1e-6);
}

/* A sum in memory is found where it was left: add dword ptr [rsp - 8], 1; dec ecx; jne. */
static void test_stored(void **state)
{
    (void)state;
    static const uint8_t code[] = {0x83, 0x44, 0x24, 0xf8, 0x01, 0xff, 0xc9, 0x75, 0xf7};
    struct block block = BLOCK(code, 1000, 999);
    estimate(CODE_X86_64, &block, 1);
    assert_true(block.least == 999 * 5.0);
}

/* A branch that goes either way half the time: cmp eax, ebx; jl forward. Nobody knows how many were
 * mispredicted. */
static void test_undecided(void **state)
{
    (void)state;
    static const uint8_t code[] = {0x39, 0xd8, 0x7c, 0x10};
    struct block block = BLOCK(code, 1000, 500);
    estimate(CODE_X86_64, &block, 1);
    /* half a cycle for the branch unit, or one or two for a taken branch */
    expect(&block, 500, 750 + 500 * 7.5, 1000 + 500 * 20);
}

/* A jump to where a register says may go anywhere, and a call, too: all may have been mispredicted. One by a
 * fixed place goes where it always goes: jmp rax, call rdx, jmp [rip + 16]. */
static void test_computed(void **state)
{
    (void)state;
    static const uint8_t jump[] = {0xff, 0xe0}, call[] = {0xff, 0xd2},
                         library[] = {0xff, 0x25, 0x10, 0x00, 0x00, 0x00};
    struct block block = BLOCK(jump, 1000, 0);
    estimate(CODE_X86_64, &block, 1);
    expect(&block, 500, 500 + 1000 * 7.5, 500 + 1000 * 20);
    block = BLOCK(call, 1000, 0);
    estimate(CODE_X86_64, &block, 1);
    expect(&block, 500, 500 + 1000 * 7.5, 500 + 1000 * 20);
    block = BLOCK(library, 1000, 0);
    estimate(CODE_X86_64, &block, 1);
    assert_true(block.most < 1000);
    static const uint8_t br[] = {0x00, 0x00, 0x1f, 0xd6}, blr[] = {0x20, 0x00, 0x3f, 0xd6},
                         ret[] = {0xc0, 0x03, 0x5f, 0xd6};
    struct block arm[3] = {BLOCK(br, 1000, 0), BLOCK(blr, 1000, 0), BLOCK(ret, 1000, 0)};
    arm[1].address = 0x2000;
    arm[2].address = 0x3000;
    estimate(CODE_ARM64, arm, 3);
    assert_true(arm[0].most == 500 + 1000 * 20 && arm[1].most == 500 + 1000 * 20 && arm[2].most == 500);
}

/* Pointers that are followed may be in any cache: mov rax, [rax]; test rax, rax; jne. The estimate is that of
 * the first one. */
static void test_chase(void **state)
{
    (void)state;
    static const uint8_t code[] = {0x48, 0x8b, 0x00, 0x48, 0x85, 0xc0, 0x75, 0xf8};
    struct block block = BLOCK(code, 1000, 999);
    estimate(CODE_X86_64, &block, 1);
    expect(&block, 999 * 5, 999 * 5 + 7.5, 999 * 50 + 1998 / 4.0 + 20);
}

/* Code that cannot be read costs nothing, and breaks nothing. */
static void test_unknown(void **state)
{
    (void)state;
    struct block block[2] = {BLOCK(adds, 100, 0), BLOCK(adds, 100, 0)};
    block[0].code = NULL;
    block[1].address = 0x2000;
    estimate(CODE_X86_64, block, 2);
    expect(&block[0], 0, 0, 0);
    expect(&block[1], 100, 100, 100);
    estimate(CODE_X86_64, NULL, 0);
}

/* fdiv d0, d1, d2; sdiv w0, w1, w2; four of add x0, x1, x2 */
static void test_arm64(void **state)
{
    (void)state;
    static const uint8_t fdiv[] = {0x20, 0x18, 0x62, 0x1e}, sdiv[] = {0x20, 0x0c, 0xc2, 0x1a};
    static const uint8_t add[] = {0x20, 0x00, 0x02, 0x8b, 0x20, 0x00, 0x02, 0x8b,
                                  0x20, 0x00, 0x02, 0x8b, 0x20, 0x00, 0x02, 0x8b};
    struct block block[3] = {BLOCK(fdiv, 100, 0), BLOCK(sdiv, 100, 0), BLOCK(add, 100, 0)};
    block[1].address = 0x2000;
    block[2].address = 0x3000;
    estimate(CODE_ARM64, block, 3);
    expect(&block[0], 500, 500, 500);
    expect(&block[1], 800, 800, 800);
    expect(&block[2], 100, 100, 100);
}

/* Each model that is there can be read, and has divisions cost more than additions. */
static void test_models(void **state)
{
    (void)state;
    static const char *const names[] = {"icelake-sp", "neoverse-n1", "skylake-sp", "zen3"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct model model;
        char *why = model_read(&model, names[i]);
        assert_null(why);
        assert_string_equal(model.name, names[i]);
        struct block many = BLOCK(adds, 1000, 0), few = BLOCK(divides, 1000, 0);
        if (strcmp(names[i], "neoverse-n1") != 0) {
            estimate_blocks(&model, CODE_X86_64, &many, 1);
            estimate_blocks(&model, CODE_X86_64, &few, 1);
            assert_true(many.cycles > 0 && few.cycles > 3 * many.cycles);
        }
        model_free(&model);
    }
}

static void refused(const char *name, const char *part)
{
    struct model model;
    char *why = model_read(&model, name);
    assert_non_null(why);
    if (strstr(why, part) == NULL)
        print_error("%s: not in: %s\n", part, why);
    assert_non_null(strstr(why, part));
    free(why);
    model_free(&model);
}

static void test_refused(void **state)
{
    (void)state;
    const char *path = "test_estimate_model.json";
    refused("zen4", "the nearest is zen3");
    refused("zen4", "icelake-sp, neoverse-n1, skylake-sp, zen3, none");
    refused("./no_such.json", "No such file");
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fputs("{\"name\": \"mine\", \"title\": \"Mine\", \"gigahertz\": {\"value\": 3}}", out);
    fclose(out);
    refused(path, "gigahertz has no \"source\"");
    remove(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_units),    cmocka_unit_test(test_chain),  cmocka_unit_test(test_short_loop),
        cmocka_unit_test(test_blocks),   cmocka_unit_test(test_stored), cmocka_unit_test(test_undecided),
        cmocka_unit_test(test_computed), cmocka_unit_test(test_chase),  cmocka_unit_test(test_unknown),
        cmocka_unit_test(test_arm64),    cmocka_unit_test(test_models), cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
