/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Turns of loops, as the assembler encodes them: what they wait for, and what they do.
 */
#include "profile/loops/dependence.h"
#include "tools/common/allocate.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
/* after those that it needs */
#include <cmocka.h>

/* Never executed: each ends with a return, which is left out. */
#define TURN(name, text)                                                                                     \
    __asm__(".pushsection .rodata.turns,\"a\"\nturn_" #name ":\n" text "\nret\n.popsection\n");              \
    extern const uint8_t turn_##name[] __attribute__((visibility("hidden")))

TURN(sum, "addsd (%rax), %xmm0; add $8, %rax; cmp %rdx, %rax; jne turn_sum");
TURN(list, "mov (%rax), %rax; inc %rcx; test %rax, %rax; jne turn_list");
TURN(triad, "movapd (%rax,%rcx), %xmm0; mulpd %xmm2, %xmm0; addpd (%rbx,%rcx), %xmm0;"
            "movaps %xmm0, (%rdx,%rcx); add $16, %rcx; cmp %rsi, %rcx; jne turn_triad");
TURN(memory, "movsd -8(%rax), %xmm0; mulsd %xmm1, %xmm0; movsd %xmm0, (%rax); add $8, %rax; cmp %rdx, %rax;"
             "jne turn_memory");
TURN(quotient, "divsd %xmm1, %xmm0; dec %rcx; jne turn_quotient");
TURN(column, "addsd (%rax), %xmm0; add %rdx, %rax; dec %rcx; jne turn_column");
TURN(row, "movsd %xmm1, (%rax); add $4096, %rax; dec %rcx; jne turn_row");
TURN(gathered, "movslq (%rdi), %rax; addsd (%rsi,%rax,8), %xmm0; add $4, %rdi; dec %rcx; jne turn_gathered");
TURN(kept, "mov -8(%rbp), %eax; add $1, %eax; mov %eax, -8(%rbp); cmp $9, %eax; jne turn_kept");
TURN(cleared, "pxor %xmm0, %xmm0; cvtsi2sd %ecx, %xmm0; sqrtsd %xmm0, %xmm0; addsd %xmm0, %xmm1; dec %ecx;"
              "jne turn_cleared");
TURN(atomic, "lock addq $1, (%rdi); call turn_sum; dec %rcx; jne turn_atomic");

static int decode(const uint8_t *code, struct step *step)
{
    enum { RETURN = 0xc3, LONGEST = 16 };
    struct decoder *decoder = decoder_open();
    int n = 0;
    assert_non_null(decoder);
    for (uint64_t address = 1; *code != RETURN; n++) {
        size_t length = decoder_step(decoder, code, LONGEST, address, &step[n]);
        assert_int_not_equal(length, 0);
        code += length;
        address += length;
    }
    decoder_close(decoder);
    return n;
}

static struct turn look(const uint8_t *code, struct step *step)
{
    struct turn turn;
    turn_look(step, decode(code, step), &turn);
    assert_int_equal(turn.unknown, 0);
    return turn;
}

static void chain_is(const struct turn *turn, double cycles, enum work work)
{
    if (fabs(turn->chain - cycles) > 1e-6 || turn->chain_work != work)
        fail_msg("a chain of %g cycles with most of kind %d, not %g of %d", turn->chain, turn->chain_work,
                 cycles, work);
}

static void test_chains(void **state)
{
    struct step step[16];
    (void)state;
    struct turn turn = look(turn_sum, step);
    chain_is(&turn, work_latency(WORK_ADD), WORK_ADD);
    assert_int_equal(turn.chain_at, step[0].address);
    assert_false(turn.chases);
    turn = look(turn_triad, step);
    chain_is(&turn, 1, WORK_INTEGER);
    assert_true(turn.divider == 0);
    turn = look(turn_quotient, step);
    chain_is(&turn, work_latency(WORK_DIVIDE), WORK_DIVIDE);
    assert_true(turn.divider == work_busy(WORK_DIVIDE));
    turn = look(turn_cleared, step);
    chain_is(&turn, work_latency(WORK_ADD), WORK_ADD);
}

static void test_through_memory(void **state)
{
    struct step step[16];
    (void)state;
    struct turn turn = look(turn_list, step);
    chain_is(&turn, work_latency(WORK_LOAD), WORK_LOAD);
    assert_true(turn.chases);
    turn = look(turn_memory, step);
    chain_is(&turn, work_latency(WORK_STORED) + work_latency(WORK_MULTIPLY), WORK_STORED);
    assert_false(turn.chases);
    turn = look(turn_kept, step);
    chain_is(&turn, work_latency(WORK_STORED) + work_latency(WORK_INTEGER), WORK_STORED);
    assert_int_equal(turn.stack, 2);
}

static void test_accesses(void **state)
{
    struct step step[16];
    (void)state;
    assert_int_equal(look(turn_sum, step).stride, 8);
    assert_int_equal(look(turn_triad, step).stride, 16);
    struct turn turn = look(turn_row, step);
    assert_int_equal(turn.stride, 4096);
    assert_int_equal(turn.store_at, step[0].address);
    turn = look(turn_column, step);
    assert_int_equal(turn.far, 1);
    assert_int_equal(turn.far_at, step[0].address);
    assert_int_equal(turn.stride, 0);
    turn = look(turn_gathered, step);
    assert_int_equal(turn.indirect, 1);
    assert_int_equal(turn.indirect_at, step[1].address);
    assert_int_equal(turn.far, 0);
}

static void test_counts(void **state)
{
    struct step step[16];
    (void)state;
    struct turn turn = look(turn_triad, step);
    assert_int_equal(turn.loads, 2);
    assert_int_equal(turn.stores, 1);
    assert_int_equal(turn.vector_fp, 2);
    assert_int_equal(turn.bits, 128);
    turn = look(turn_cleared, step);
    assert_int_equal(turn.converts, 1);
    assert_int_equal(turn.roots, 1);
    assert_int_equal(turn.root_at, step[2].address);
    assert_int_equal(turn.scalar_fp, 2);
    turn = look(turn_atomic, step);
    assert_int_equal(turn.locked, 1);
    assert_int_equal(turn.calls, 1);
    turn = look(turn_quotient, step);
    assert_int_equal(turn.divides, 1);
    assert_int_equal(turn.instructions, 3);
}

_Noreturn void memory_is_out(void)
{
    abort();
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chains),
        cmocka_unit_test(test_through_memory),
        cmocka_unit_test(test_accesses),
        cmocka_unit_test(test_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
