/* SPDX-License-Identifier: BSD-3-Clause
 *
 * AVX-512 as the assembler encodes it: lengths, what is counted, and the same as Capstone says where it knows
 * it.
 */
#include "counted/weigher/weigher.h"
#include "formats/classification/classify.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
/* after those that it needs */
#include <cmocka.h>

/* Never executed. The table has for each where it begins, and ends with where the last one does. */
__asm__(".pushsection .data.rel.ro.evex,\"aw\"\n.balign 8\ncode_table:\n.popsection\n");
#define INSTRUCTION(text, operations, loads, stores)                                                         \
    __asm__(".pushsection .rodata.evex,\"a\"\n9: " text                                                      \
            "\n.popsection\n.pushsection .data.rel.ro.evex\n.quad 9b\n.popsection\n");
#include "evex.def"
#undef INSTRUCTION
__asm__(".pushsection .rodata.evex,\"a\"\n9:\n.popsection\n.pushsection .data.rel.ro.evex\n.quad "
        "9b\n.popsection\n");

extern const uint8_t *const code_table[] __attribute__((visibility("hidden")));

static const struct {
    const char *text;
    unsigned operations, loads, stores;
} expected[] = {
#define INSTRUCTION(text, operations, loads, stores) {text, operations, loads, stores},
#include "evex.def"
#undef INSTRUCTION
};

enum { INSTRUCTIONS = sizeof expected / sizeof *expected };

static void sums_of(const struct kind *kind, unsigned sums[EMULATED_EVENTS])
{
    memset(sums, 0, EMULATED_EVENTS * sizeof *sums);
    for (int i = 0; i < kind->n; i++)
        sums[kind->event[i]] += kind->amount[i];
}

static size_t size_of(unsigned i)
{
    return (size_t)(code_table[i + 1] - code_table[i]);
}

static void test_lengths(void **state)
{
    (void)state;
    for (unsigned i = 0; i < INSTRUCTIONS; i++) {
        uint8_t bytes[15] = {0}; /* whatever follows */
        memcpy(bytes, code_table[i], size_of(i));
        if (x86_length(bytes, sizeof bytes) != size_of(i))
            fail_msg("%s: %zu bytes, not %zu", expected[i].text, x86_length(bytes, sizeof bytes), size_of(i));
        assert_int_equal(x86_length(bytes, size_of(i) - 1), 0);
    }
}

static void test_counts(void **state)
{
    (void)state;
    for (unsigned i = 0; i < INSTRUCTIONS; i++) {
        unsigned sums[EMULATED_EVENTS];
        struct kind kind;
        if (!classify_evex(code_table[i], size_of(i), &kind))
            fail_msg("%s: unknown", expected[i].text);
        sums_of(&kind, sums);
        if (sums[EMULATED_FP_OPS] != expected[i].operations || sums[EMULATED_LOADS] != expected[i].loads ||
            sums[EMULATED_STORES] != expected[i].stores)
            fail_msg("%s: %u operations, %u loads, %u stores", expected[i].text, sums[EMULATED_FP_OPS],
                     sums[EMULATED_LOADS], sums[EMULATED_STORES]);
    }
}

static void test_capstone(void **state)
{
    (void)state;
    csh handle;
    unsigned known = 0;
    assert_int_equal(cs_open(CS_ARCH_X86, CS_MODE_64, &handle), CS_ERR_OK);
    cs_option(handle, CS_OPT_DETAIL, CS_OPT_ON);
    for (unsigned i = 0; i < INSTRUCTIONS; i++) {
        unsigned own[EMULATED_EVENTS], others[EMULATED_EVENTS];
        struct kind kind;
        cs_insn *insn;
        if (cs_disasm(handle, code_table[i], size_of(i), 0, 1, &insn) != 1)
            continue;
        known++;
        classify_x86(handle, insn, &kind);
        sums_of(&kind, others);
        classify_evex(code_table[i], size_of(i), &kind);
        sums_of(&kind, own);
        if (insn->size != size_of(i) || memcmp(own, others, sizeof own) != 0)
            fail_msg("%s: Capstone differs", expected[i].text);
        cs_free(insn, 1);
    }
    cs_close(&handle);
    assert_true(known > 20);
}

/* As papi_counted's weigher goes through code: what follows is found. */
static void test_followed(void **state)
{
    (void)state;
    csh handle;
    assert_int_equal(cs_open(CS_ARCH_X86, CS_MODE_64, &handle), CS_ERR_OK);
    cs_option(handle, CS_OPT_DETAIL, CS_OPT_ON);
    cs_insn *insn = cs_malloc(handle);
    for (unsigned i = 0; i < INSTRUCTIONS; i++) {
        uint8_t bytes[32];
        unsigned sums[EMULATED_EVENTS];
        struct kind kind = {0};
        bool known;
        memset(bytes, 0x90, sizeof bytes); /* NOPs */
        memcpy(bytes, code_table[i], size_of(i));
        size_t length = decode_x86(handle, insn, bytes, sizeof bytes, 0, &kind, &known);
        sums_of(&kind, sums);
        if (length != size_of(i) || !known || sums[EMULATED_FP_OPS] != expected[i].operations)
            fail_msg("%s: %zu bytes, not %zu; %u operations", expected[i].text, length, size_of(i),
                     sums[EMULATED_FP_OPS]);
    }
    cs_free(insn, 1);
    cs_close(&handle);
}

static void test_others(void **state)
{
    (void)state;
    static const uint8_t nop[] = {0x90, 0, 0, 0, 0, 0}, no_map[] = {0x62, 0xf4, 0xed, 0x48, 0x58, 0xd9};
    struct kind kind;
    assert_false(classify_evex(nop, sizeof nop, &kind));
    assert_false(classify_evex(no_map, sizeof no_map, &kind));
    assert_int_equal(x86_length(nop, sizeof nop), 0);
    assert_int_equal(x86_length(no_map, sizeof no_map), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_lengths), cmocka_unit_test(test_counts),
                                       cmocka_unit_test(test_capstone), cmocka_unit_test(test_followed),
                                       cmocka_unit_test(test_others)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
