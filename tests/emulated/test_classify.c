/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Checks what each instruction adds to the counters of the emulator: one line an instruction, its expected
 * counts written down from events.def. "_INSTRUCTIONS" is left out of names, a count without a number
 * is 1. Besides: size= (of the memory operand), conditional and other (flow), target= (relative to the
 * instruction), repeats.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "formats/classification/classify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define START 0x400000

static const char *const names[] = {
#define EVENT(name, description) #name,
#define CACHE_EVENT(name, description) #name,
#include "formats/emulator_events.def"
#undef EVENT
#undef CACHE_EVENT
};

struct expected {
    unsigned count[EMULATED_EVENTS], size, flow;
    bool repeats;
    uint64_t target;
};

static bool is_name(const char *name, const char *word, size_t length)
{
    return strncmp(name, word, length) == 0 &&
           (name[length] == '\0' || strcmp(name + length, "_INSTRUCTIONS") == 0);
}

static bool expect_event(const char *word, size_t length, unsigned count, struct expected *out)
{
    unsigned event;
    for (event = 0; event < EMULATED_EVENTS && !is_name(names[event], word, length); event++)
        ;
    if (event == EMULATED_EVENTS)
        return false;
    out->count[event] = count;
    return true;
}

static void expect_word(const char *word, struct expected *out)
{
    size_t length = strcspn(word, " =");
    const char *value = word[length] == '=' ? word + length + 1 : "1";
    if (strncmp(word, "size", length) == 0)
        out->size = (unsigned)strtoul(value, NULL, 10);
    else if (strncmp(word, "target", length) == 0)
        out->target = START + (uint64_t)strtoll(value, NULL, 16);
    else if (strncmp(word, "conditional", length) == 0)
        out->flow = FLOW_CONDITIONAL;
    else if (strncmp(word, "other", length) == 0)
        out->flow = FLOW_OTHER;
    else if (strncmp(word, "repeats", length) == 0)
        out->repeats = true;
    else if (!expect_event(word, length, (unsigned)strtoul(value, NULL, 10), out))
        fail_msg("no such word: %s", word);
}

static struct expected expectation(const char *text)
{
    struct expected out = {0};
    for (const char *word = text; *word != '\0'; word += strcspn(word, " "), word += *word == ' ')
        expect_word(word, &out);
    return out;
}

static unsigned check_number(const char *text, const char *what, uint64_t is, uint64_t expected)
{
    if (is == expected)
        return 0;
    print_error("%s: %s is %llu, not %llu\n", text, what, (unsigned long long)is,
                (unsigned long long)expected);
    return 1;
}

static unsigned check_kind(const char *text, const char *counts, const struct kind *kind)
{
    struct expected expected = expectation(counts);
    unsigned count[EMULATED_EVENTS] = {0}, wrong = 0;
    for (unsigned i = 0; i < kind->n; i++) {
        wrong += check_number(text, "an amount of 0", kind->amount[i] == 0, false);
        wrong += check_number(text, names[kind->event[i]], count[kind->event[i]], 0);
        count[kind->event[i]] = kind->amount[i];
    }
    for (unsigned i = 0; i < EMULATED_EVENTS; i++)
        wrong += check_number(text, names[i], count[i], expected.count[i]);
    wrong += check_number(text, "memory_size", kind->memory_size, expected.size);
    wrong += check_number(text, "flow", kind->flow, expected.flow);
    wrong += check_number(text, "repeats", kind->repeats, expected.repeats);
    wrong += check_number(text, "target", kind->target, expected.target);
    return wrong;
}

static csh disassembler(cs_arch arch, cs_mode mode)
{
    csh handle;
    assert_int_equal(cs_open(arch, mode, &handle), CS_ERR_OK);
    assert_int_equal(cs_option(handle, CS_OPT_DETAIL, CS_OPT_ON), CS_ERR_OK);
    return handle;
}

/* ---- x86 */

struct x86_case {
    const char *text;
    unsigned size;
    const char *bytes, *counts;
};

static const struct x86_case x86_cases[] = {
    /* integers */
    {"add eax, ebx", 2, "\x01\xd8", "INTEGER"},
    {"add eax, dword ptr [rdi]", 2, "\x03\x07", "INTEGER LOADS size=4"},
    {"add dword ptr [rdi], eax", 2, "\x01\x07", "INTEGER LOADS STORES size=4"},
    {"lock add qword ptr [rdi], rax", 4, "\xf0\x48\x01\x07", "INTEGER LOADS STORES size=8"},
    {"sub rsp, 0", 4, "\x48\x83\xec\x00", "INTEGER"},
    {"sbb eax, eax", 2, "\x19\xc0", "INTEGER"},
    {"adc byte ptr [rdi], 1", 3, "\x80\x17\x01", "INTEGER LOADS STORES size=1"},
    {"inc qword ptr [rdi]", 3, "\x48\xff\x07", "INTEGER LOADS STORES size=8"},
    {"dec ecx", 2, "\xff\xc9", "INTEGER"},
    {"neg word ptr [rdi]", 3, "\x66\xf7\x1f", "INTEGER LOADS STORES size=2"},
    {"not rax", 3, "\x48\xf7\xd0", "INTEGER"},
    {"mul qword ptr [rdi]", 3, "\x48\xf7\x27", "INTEGER LOADS size=8"},
    {"imul eax, dword ptr [rdi], 3", 3, "\x6b\x07\x03", "INTEGER LOADS size=4"},
    {"imul rax, rcx", 4, "\x48\x0f\xaf\xc1", "INTEGER"},
    {"div dword ptr [rdi]", 2, "\xf7\x37", "INTEGER LOADS size=4"},
    {"idiv rcx", 3, "\x48\xf7\xf9", "INTEGER"},
    {"and al, byte ptr [rdi]", 2, "\x22\x07", "INTEGER LOADS size=1"},
    {"xor eax, eax", 2, "\x31\xc0", "INTEGER"},
    {"or dword ptr [rdi+8], 1", 4, "\x83\x4f\x08\x01", "INTEGER LOADS STORES size=4"},
    {"shl eax, 3", 3, "\xc1\xe0\x03", "INTEGER"},
    {"sar qword ptr [rdi], cl", 3, "\x48\xd3\x3f", "INTEGER LOADS STORES size=8"},
    {"shld rax, rcx, 4", 5, "\x48\x0f\xa4\xc8\x04", "INTEGER"},
    {"shrd dword ptr [rdi], ecx, cl", 3, "\x0f\xad\x0f", "INTEGER LOADS STORES size=4"},
    {"rol ax, 1", 3, "\x66\xd1\xc0", "INTEGER"},
    {"rcr eax, 1", 2, "\xd1\xd8", "INTEGER"},
    {"cmp rax, qword ptr [rdi]", 3, "\x48\x3b\x07", "INTEGER LOADS size=8"},
    {"cmp byte ptr [rdi], 0", 3, "\x80\x3f\x00", "INTEGER LOADS size=1"},
    {"test eax, eax", 2, "\x85\xc0", "INTEGER"},
    {"test dword ptr [rdi], eax", 2, "\x85\x07", "INTEGER LOADS size=4"},
    {"bt dword ptr [rdi], 5", 4, "\x0f\xba\x27\x05", "INTEGER LOADS size=4"},
    {"bts dword ptr [rdi], 5", 4, "\x0f\xba\x2f\x05", "INTEGER LOADS STORES size=4"},
    {"lock btr qword ptr [rdi], 3", 6, "\xf0\x48\x0f\xba\x37\x03", "INTEGER LOADS STORES size=8"},
    {"bsf eax, dword ptr [rdi]", 3, "\x0f\xbc\x07", "INTEGER LOADS size=4"},
    {"bsr rax, rcx", 4, "\x48\x0f\xbd\xc1", "INTEGER"},
    {"lzcnt eax, ecx", 4, "\xf3\x0f\xbd\xc1", "INTEGER"},
    {"tzcnt rax, qword ptr [rdi]", 5, "\xf3\x48\x0f\xbc\x07", "INTEGER LOADS size=8"},
    {"popcnt eax, dword ptr [rdi]", 4, "\xf3\x0f\xb8\x07", "INTEGER LOADS size=4"},
    {"bswap rax", 3, "\x48\x0f\xc8", "INTEGER"},
    {"add eax, dword ptr [edi+8]", 4, "\x67\x03\x47\x08", "INTEGER LOADS size=4"},
    {"andn eax, ecx, dword ptr [rdi]", 5, "\xc4\xe2\x70\xf2\x07", "INTEGER LOADS size=4"},
    {"bextr rax, qword ptr [rdi], rcx", 5, "\xc4\xe2\xf0\xf7\x07", "INTEGER LOADS size=8"},
    {"blsi eax, ecx", 5, "\xc4\xe2\x78\xf3\xd9", "INTEGER"},
    {"bzhi rax, rcx, rdx", 5, "\xc4\xe2\xe8\xf5\xc1", "INTEGER"},
    {"pdep rax, rcx, qword ptr [rdi]", 5, "\xc4\xe2\xf3\xf5\x07", "INTEGER LOADS size=8"},
    {"pext eax, ecx, edx", 5, "\xc4\xe2\x72\xf5\xc2", "INTEGER"},
    {"shlx rax, qword ptr [rdi], rcx", 5, "\xc4\xe2\xf1\xf7\x07", "INTEGER LOADS size=8"},
    {"rorx eax, ecx, 7", 6, "\xc4\xe3\x7b\xf0\xc1\x07", "INTEGER"},
    {"mulx rax, rcx, qword ptr [rdi]", 5, "\xc4\xe2\xf3\xf6\x07", "INTEGER LOADS size=8"},
    {"adcx rax, rcx", 6, "\x66\x48\x0f\x38\xf6\xc1", "INTEGER"},
    {"adox eax, dword ptr [rdi]", 5, "\xf3\x0f\x38\xf6\x07", "INTEGER LOADS size=4"},
    {"cmpxchg dword ptr [rdi], ecx", 3, "\x0f\xb1\x0f", "INTEGER LOADS STORES size=4"},
    {"lock cmpxchg qword ptr [rdi], rcx", 5, "\xf0\x48\x0f\xb1\x0f", "INTEGER LOADS STORES size=8"},
    {"lock cmpxchg16b xmmword ptr [rdi]", 5, "\xf0\x48\x0f\xc7\x0f", "INTEGER LOADS STORES size=16"},
    {"lock xadd dword ptr [rdi], eax", 4, "\xf0\x0f\xc1\x07", "INTEGER LOADS STORES size=4"},
    {"xadd eax, ecx", 3, "\x0f\xc1\xc8", "INTEGER"},
    {"crc32 eax, byte ptr [rdi]", 5, "\xf2\x0f\x38\xf0\x07", "INTEGER LOADS size=1"},
    {"lea rax, [rdi+rcx*8+16]", 5, "\x48\x8d\x44\xcf\x10", "INTEGER"},
    /* moves */
    {"mov rax, rcx", 3, "\x48\x89\xc8", ""},
    {"mov eax, dword ptr [rdi]", 2, "\x8b\x07", "LOADS size=4"},
    {"mov qword ptr [rdi], rax", 3, "\x48\x89\x07", "STORES size=8"},
    {"mov rax, qword ptr fs:[0x28]", 9, "\x64\x48\x8b\x04\x25\x28\x00\x00\x00", "LOADS size=8"},
    {"movabs rax, 0x1122334455667788", 10, "\x48\xb8\x88\x77\x66\x55\x44\x33\x22\x11", ""},
    {"movabs al, byte ptr [0x1122334455667788]", 9, "\xa0\x88\x77\x66\x55\x44\x33\x22\x11", "LOADS size=1"},
    {"movabs qword ptr [0x1122334455667788], rax", 10, "\x48\xa3\x88\x77\x66\x55\x44\x33\x22\x11",
     "STORES size=8"},
    {"movzx eax, byte ptr [rdi]", 3, "\x0f\xb6\x07", "LOADS size=1"},
    {"movsxd rax, dword ptr [rdi]", 3, "\x48\x63\x07", "LOADS size=4"},
    {"movsx eax, cl", 3, "\x0f\xbe\xc1", ""},
    {"cdqe", 2, "\x48\x98", ""},
    {"cqo", 2, "\x48\x99", ""},
    {"cmovne rax, qword ptr [rdi]", 4, "\x48\x0f\x45\x07", "LOADS size=8"},
    {"cmovb eax, ecx", 3, "\x0f\x42\xc1", ""},
    {"sete al", 3, "\x0f\x94\xc0", ""},
    {"setne byte ptr [rdi]", 3, "\x0f\x95\x07", "STORES size=1"},
    {"xchg rax, rcx", 2, "\x48\x91", ""},
    {"xchg dword ptr [rdi], eax", 2, "\x87\x07", "LOADS STORES size=4"},
    {"movbe eax, dword ptr [rdi]", 4, "\x0f\x38\xf0\x07", "LOADS size=4"},
    {"movbe qword ptr [rdi], rax", 5, "\x48\x0f\x38\xf1\x07", "STORES size=8"},
    {"movnti dword ptr [rdi], eax", 3, "\x0f\xc3\x07", "STORES size=4"},
    {"xlatb", 1, "\xd7", "LOADS size=1"},
    {"sahf", 1, "\x9e", ""},
    {"nop dword ptr [rax+rax*1]", 4, "\x0f\x1f\x04\x00", ""},
    {"nop", 1, "\x90", ""},
    {"endbr64", 4, "\xf3\x0f\x1e\xfa", ""},
    {"pause", 2, "\xf3\x90", ""},
    {"prefetcht0 byte ptr [rdi]", 3, "\x0f\x18\x0f", ""},
    {"prefetchw byte ptr [rdi]", 3, "\x0f\x0d\x0f", ""},
    {"clflush byte ptr [rdi]", 3, "\x0f\xae\x3f", ""},
    {"mfence", 3, "\x0f\xae\xf0", ""},
    {"cpuid", 2, "\x0f\xa2", ""},
    {"rdtsc", 2, "\x0f\x31", ""},
    {"ud2", 2, "\x0f\x0b", ""},
    {"hlt", 1, "\xf4", ""},
    {"int3", 1, "\xcc", ""},
    /* the stack */
    {"push rax", 1, "\x50", "STORES size=8"},
    {"push 5", 2, "\x6a\x05", "STORES size=8"},
    {"push word ptr [rdi]", 3, "\x66\xff\x37", "LOADS STORES size=2"},
    {"push qword ptr [rdi]", 2, "\xff\x37", "LOADS STORES size=8"},
    {"push fs", 2, "\x0f\xa0", "STORES size=8"},
    {"pop qword ptr [rdi+64]", 3, "\x8f\x47\x40", "LOADS STORES size=8"},
    {"pop cx", 2, "\x66\x59", "LOADS size=2"},
    {"pop rcx", 1, "\x59", "LOADS size=8"},
    {"push rcx", 1, "\x51", "STORES size=8"},
    {"pushfq", 1, "\x9c", "STORES size=8"},
    {"popfq", 1, "\x9d", "LOADS size=8"},
    {"enter 16, 0", 4, "\xc8\x10\x00\x00", "STORES size=8"},
    {"leave", 1, "\xc9", "LOADS size=8"},
    /* strings */
    {"movsb byte ptr es:[rdi], byte ptr ds:[rsi]", 1, "\xa4", "LOADS STORES size=1"},
    {"rep movsq qword ptr es:[rdi], qword ptr ds:[rsi]", 3, "\xf3\x48\xa5", "LOADS STORES size=8 repeats"},
    {"movsd dword ptr es:[rdi], dword ptr ds:[rsi]", 1, "\xa5", "LOADS STORES size=4"},
    {"rep stosb byte ptr es:[rdi], al", 2, "\xf3\xaa", "STORES size=1 repeats"},
    {"stosq qword ptr es:[rdi], rax", 2, "\x48\xab", "STORES size=8"},
    {"lodsb al, byte ptr ds:[rsi]", 1, "\xac", "LOADS size=1"},
    {"rep lodsd eax, dword ptr ds:[rsi]", 2, "\xf3\xad", "LOADS size=4 repeats"},
    {"repne scasb al, byte ptr es:[rdi]", 2, "\xf2\xae", "INTEGER LOADS size=1 repeats"},
    {"scasw ax, word ptr es:[rdi]", 2, "\x66\xaf", "INTEGER LOADS size=2"},
    {"repe cmpsb byte ptr ds:[rsi], byte ptr es:[rdi]", 2, "\xf3\xa6", "INTEGER LOADS size=1 repeats"},
    {"cmpsd dword ptr ds:[rsi], dword ptr es:[rdi]", 1, "\xa7", "INTEGER LOADS size=4"},
    {"insb byte ptr es:[rdi], dx", 1, "\x6c", "STORES size=1"},
    {"rep outsd dx, dword ptr ds:[rsi]", 2, "\xf3\x6f", "LOADS size=4 repeats"},
    /* branches */
    {"jne .+0x10", 2, "\x75\x0e", "BRANCHES CONDITIONAL_BRANCHES conditional target=10"},
    {"jb .-0x70", 2, "\x72\x8e", "BRANCHES CONDITIONAL_BRANCHES conditional target=-70"},
    {"jrcxz .+0x12", 2, "\xe3\x10", "BRANCHES CONDITIONAL_BRANCHES conditional target=12"},
    {"loop .-4", 2, "\xe2\xfa", "BRANCHES CONDITIONAL_BRANCHES conditional target=-4"},
    {"loopne .+4", 2, "\xe0\x02", "BRANCHES CONDITIONAL_BRANCHES conditional target=4"},
    {"jg .+0x12345", 6, "\x0f\x8f\x3f\x23\x01\x00", "BRANCHES CONDITIONAL_BRANCHES conditional target=12345"},
    {"jmp .+0x20", 2, "\xeb\x1e", "BRANCHES UNCONDITIONAL_BRANCHES other"},
    {"jmp rax", 2, "\xff\xe0", "BRANCHES UNCONDITIONAL_BRANCHES other"},
    {"notrack jmp rdx", 3, "\x3e\xff\xe2", "BRANCHES UNCONDITIONAL_BRANCHES other"},
    {"jmp qword ptr [rdi]", 2, "\xff\x27", "BRANCHES UNCONDITIONAL_BRANCHES LOADS size=8 other"},
    {"bnd jmp qword ptr [rip+0x100]", 7, "\xf2\xff\x25\x00\x01\x00\x00",
     "BRANCHES UNCONDITIONAL_BRANCHES LOADS size=8 other"},
    {"call .+0x200", 5, "\xe8\xfb\x01\x00\x00", "BRANCHES UNCONDITIONAL_BRANCHES CALLS STORES size=8 other"},
    {"call rax", 2, "\xff\xd0", "BRANCHES UNCONDITIONAL_BRANCHES CALLS STORES size=8 other"},
    {"addr32 call .+0x200", 5, "\xe8\xfb\x01\x00\x00",
     "BRANCHES UNCONDITIONAL_BRANCHES CALLS STORES size=8 other"},
    {"call qword ptr [rdi+8]", 3, "\xff\x57\x08",
     "BRANCHES UNCONDITIONAL_BRANCHES CALLS LOADS STORES size=8 other"},
    {"ret", 1, "\xc3", "BRANCHES UNCONDITIONAL_BRANCHES RETURNS LOADS size=8 other"},
    {"rep ret", 2, "\xf3\xc3", "BRANCHES UNCONDITIONAL_BRANCHES RETURNS LOADS size=8 other"},
    {"bnd ret", 2, "\xf2\xc3", "BRANCHES UNCONDITIONAL_BRANCHES RETURNS LOADS size=8 other"},
    {"ret 16", 3, "\xc2\x10\x00", "BRANCHES UNCONDITIONAL_BRANCHES RETURNS LOADS size=8 other"},
    {"syscall", 2, "\x0f\x05", "SYSTEM_CALLS"},
    {"sysenter", 2, "\x0f\x34", "SYSTEM_CALLS"},
    {"int 0x80", 2, "\xcd\x80", "SYSTEM_CALLS"},
    {"int 0x21", 2, "\xcd\x21", ""},
    /* SSE, one number */
    {"addss xmm0, xmm1", 4, "\xf3\x0f\x58\xc1", "FP FP_ADD FP_OPS=1 SP_OPS=1"},
    {"addsd xmm0, qword ptr [rdi]", 4, "\xf2\x0f\x58\x07", "FP FP_ADD FP_OPS=1 DP_OPS=1 LOADS size=8"},
    {"subsd xmm9, xmm8", 5, "\xf2\x45\x0f\x5c\xc8", "FP FP_ADD FP_OPS=1 DP_OPS=1"},
    {"mulss xmm0, dword ptr [rdi]", 4, "\xf3\x0f\x59\x07", "FP FP_MULTIPLY FP_OPS=1 SP_OPS=1 LOADS size=4"},
    {"mulsd xmm0, xmm1", 4, "\xf2\x0f\x59\xc1", "FP FP_MULTIPLY FP_OPS=1 DP_OPS=1"},
    {"divss xmm0, xmm1", 4, "\xf3\x0f\x5e\xc1", "FP FP_DIVIDE FP_OPS=1 SP_OPS=1"},
    {"divsd xmm0, qword ptr [rdi]", 4, "\xf2\x0f\x5e\x07", "FP FP_DIVIDE FP_OPS=1 DP_OPS=1 LOADS size=8"},
    {"sqrtsd xmm0, qword ptr [rdi]", 4, "\xf2\x0f\x51\x07", "FP FP_SQRT FP_OPS=1 DP_OPS=1 LOADS size=8"},
    {"sqrtss xmm0, xmm1", 4, "\xf3\x0f\x51\xc1", "FP FP_SQRT FP_OPS=1 SP_OPS=1"},
    {"rcpss xmm0, dword ptr [rdi]", 4, "\xf3\x0f\x53\x07", "FP FP_INVERSE FP_OPS=1 SP_OPS=1 LOADS size=4"},
    {"rsqrtss xmm0, xmm1", 4, "\xf3\x0f\x52\xc1", "FP FP_INVERSE FP_OPS=1 SP_OPS=1"},
    {"minss xmm0, xmm1", 4, "\xf3\x0f\x5d\xc1", "FP FP_OPS=1 SP_OPS=1"},
    {"maxsd xmm0, qword ptr [rdi]", 4, "\xf2\x0f\x5f\x07", "FP FP_OPS=1 DP_OPS=1 LOADS size=8"},
    {"comisd xmm0, qword ptr [rdi]", 4, "\x66\x0f\x2f\x07", "FP_COMPARISONS LOADS size=8"},
    {"comiss xmm0, dword ptr [rdi]", 3, "\x0f\x2f\x07", "FP_COMPARISONS LOADS size=4"},
    {"ucomisd xmm0, xmm1", 4, "\x66\x0f\x2e\xc1", "FP_COMPARISONS"},
    {"ucomiss xmm0, dword ptr [rdi]", 3, "\x0f\x2e\x07", "FP_COMPARISONS LOADS size=4"},
    {"cmpltsd xmm0, xmm1", 5, "\xf2\x0f\xc2\xc1\x01", "FP_COMPARISONS"},
    {"cmpunordss xmm0, dword ptr [rdi]", 5, "\xf3\x0f\xc2\x07\x03", "FP_COMPARISONS LOADS size=4"},
    {"cmpsd xmm0, qword ptr [rdi], 5", 5, "\xf2\x0f\xc2\x07\x05", "FP_COMPARISONS LOADS size=8"},
    {"cvtsi2sd xmm0, dword ptr [rdi]", 4, "\xf2\x0f\x2a\x07", "FP_CONVERSIONS LOADS size=4"},
    {"cvtsi2ss xmm0, rax", 5, "\xf3\x48\x0f\x2a\xc0", "FP_CONVERSIONS"},
    {"cvttsd2si rax, qword ptr [rdi]", 5, "\xf2\x48\x0f\x2c\x07", "FP_CONVERSIONS LOADS size=8"},
    {"cvtss2si eax, xmm1", 4, "\xf3\x0f\x2d\xc1", "FP_CONVERSIONS"},
    {"cvtsd2ss xmm0, xmm1", 4, "\xf2\x0f\x5a\xc1", "FP_CONVERSIONS"},
    {"cvtss2sd xmm0, dword ptr [rdi]", 4, "\xf3\x0f\x5a\x07", "FP_CONVERSIONS LOADS size=4"},
    {"roundsd xmm0, xmm1, 3", 6, "\x66\x0f\x3a\x0b\xc1\x03", "FP_CONVERSIONS"},
    {"roundss xmm0, dword ptr [rdi], 3", 6, "\x66\x0f\x3a\x0a\x07\x03", "FP_CONVERSIONS LOADS size=4"},
    /* SSE, vectors */
    {"addps xmm0, xmm1", 3, "\x0f\x58\xc1", "FP FP_ADD FP_OPS=4 SP_OPS=4 VECTOR SP_VECTOR"},
    {"addpd xmm0, xmmword ptr [rdi]", 4, "\x66\x0f\x58\x07",
     "FP FP_ADD FP_OPS=2 DP_OPS=2 VECTOR DP_VECTOR LOADS size=16"},
    {"subps xmm0, xmmword ptr [rdi]", 3, "\x0f\x5c\x07",
     "FP FP_ADD FP_OPS=4 SP_OPS=4 VECTOR SP_VECTOR LOADS size=16"},
    {"mulpd xmm0, xmm1", 4, "\x66\x0f\x59\xc1", "FP FP_MULTIPLY FP_OPS=2 DP_OPS=2 VECTOR DP_VECTOR"},
    {"divps xmm0, xmm1", 3, "\x0f\x5e\xc1", "FP FP_DIVIDE FP_OPS=4 SP_OPS=4 VECTOR SP_VECTOR"},
    {"sqrtpd xmm0, xmm1", 4, "\x66\x0f\x51\xc1", "FP FP_SQRT FP_OPS=2 DP_OPS=2 VECTOR DP_VECTOR"},
    {"rcpps xmm0, xmm1", 3, "\x0f\x53\xc1", "FP FP_INVERSE FP_OPS=4 SP_OPS=4 VECTOR SP_VECTOR"},
    {"rsqrtps xmm0, xmmword ptr [rdi]", 3, "\x0f\x52\x07",
     "FP FP_INVERSE FP_OPS=4 SP_OPS=4 VECTOR SP_VECTOR LOADS size=16"},
    {"minpd xmm0, xmm1", 4, "\x66\x0f\x5d\xc1", "FP FP_OPS=2 DP_OPS=2 VECTOR DP_VECTOR"},
    {"maxps xmm0, xmm1", 3, "\x0f\x5f\xc1", "FP FP_OPS=4 SP_OPS=4 VECTOR SP_VECTOR"},
    {"haddpd xmm0, xmm1", 4, "\x66\x0f\x7c\xc1", "FP FP_ADD FP_OPS=2 DP_OPS=2 VECTOR DP_VECTOR"},
    {"hsubps xmm0, xmm1", 4, "\xf2\x0f\x7d\xc1", "FP FP_ADD FP_OPS=4 SP_OPS=4 VECTOR SP_VECTOR"},
    {"addsubps xmm0, xmmword ptr [rdi]", 4, "\xf2\x0f\xd0\x07",
     "FP FP_ADD FP_OPS=4 SP_OPS=4 VECTOR SP_VECTOR LOADS size=16"},
    {"dpps xmm0, xmm1, 0xff", 6, "\x66\x0f\x3a\x40\xc1\xff", "FP FP_OPS=8 SP_OPS=8 VECTOR SP_VECTOR"},
    {"dppd xmm0, xmmword ptr [rdi], 0x31", 6, "\x66\x0f\x3a\x41\x07\x31",
     "FP FP_OPS=4 DP_OPS=4 VECTOR DP_VECTOR LOADS size=16"},
    {"cmpleps xmm0, xmm1", 4, "\x0f\xc2\xc1\x02", "FP_COMPARISONS VECTOR"},
    {"cmppd xmm0, xmmword ptr [rdi], 4", 5, "\x66\x0f\xc2\x07\x04", "FP_COMPARISONS VECTOR LOADS size=16"},
    {"cvtdq2ps xmm0, xmm1", 3, "\x0f\x5b\xc1", "FP_CONVERSIONS VECTOR"},
    {"cvtdq2pd xmm0, qword ptr [rdi]", 4, "\xf3\x0f\xe6\x07", "FP_CONVERSIONS VECTOR LOADS size=8"},
    {"cvttps2dq xmm0, xmmword ptr [rdi]", 4, "\xf3\x0f\x5b\x07", "FP_CONVERSIONS VECTOR LOADS size=16"},
    {"cvtps2pd xmm0, qword ptr [rdi]", 3, "\x0f\x5a\x07", "FP_CONVERSIONS VECTOR LOADS size=8"},
    {"cvtpd2ps xmm0, xmm1", 4, "\x66\x0f\x5a\xc1", "FP_CONVERSIONS VECTOR"},
    {"cvtpi2ps xmm0, qword ptr [rdi]", 3, "\x0f\x2a\x07", "FP_CONVERSIONS VECTOR LOADS size=8"},
    {"cvttpd2pi mm0, xmm1", 4, "\x66\x0f\x2c\xc1", "FP_CONVERSIONS VECTOR"},
    {"roundpd xmm0, xmm1, 1", 6, "\x66\x0f\x3a\x09\xc1\x01", "FP_CONVERSIONS VECTOR"},
    {"andps xmm0, xmm1", 3, "\x0f\x54\xc1", "INTEGER_VECTOR VECTOR"},
    {"andnpd xmm0, xmmword ptr [rdi]", 4, "\x66\x0f\x55\x07", "INTEGER_VECTOR VECTOR LOADS size=16"},
    {"orpd xmm0, xmm1", 4, "\x66\x0f\x56\xc1", "INTEGER_VECTOR VECTOR"},
    {"xorps xmm0, xmm0", 3, "\x0f\x57\xc0", "INTEGER_VECTOR VECTOR"},
    {"shufps xmm0, xmmword ptr [rdi], 0x1b", 4, "\x0f\xc6\x07\x1b", "INTEGER_VECTOR VECTOR LOADS size=16"},
    {"unpcklpd xmm0, xmm1", 4, "\x66\x0f\x14\xc1", "INTEGER_VECTOR VECTOR"},
    {"unpckhps xmm0, xmm1", 3, "\x0f\x15\xc1", "INTEGER_VECTOR VECTOR"},
    {"blendps xmm0, xmm1, 5", 6, "\x66\x0f\x3a\x0c\xc1\x05", "INTEGER_VECTOR VECTOR"},
    {"blendvpd xmm0, xmmword ptr [rdi], xmm0", 5, "\x66\x0f\x38\x15\x07",
     "INTEGER_VECTOR VECTOR LOADS size=16"},
    {"paddd xmm0, xmmword ptr [rdi]", 4, "\x66\x0f\xfe\x07", "INTEGER_VECTOR VECTOR LOADS size=16"},
    {"paddb mm0, mm1", 3, "\x0f\xfc\xc1", "INTEGER_VECTOR VECTOR"},
    {"psubsw mm0, qword ptr [rdi]", 3, "\x0f\xe9\x07", "INTEGER_VECTOR VECTOR LOADS size=8"},
    {"pmullw xmm0, xmm1", 4, "\x66\x0f\xd5\xc1", "INTEGER_VECTOR VECTOR"},
    {"pmaddwd xmm0, xmm1", 4, "\x66\x0f\xf5\xc1", "INTEGER_VECTOR VECTOR"},
    {"pxor xmm0, xmm0", 4, "\x66\x0f\xef\xc0", "INTEGER_VECTOR VECTOR"},
    {"pslld xmm0, 3", 5, "\x66\x0f\x72\xf0\x03", "INTEGER_VECTOR VECTOR"},
    {"psrldq xmm0, 4", 5, "\x66\x0f\x73\xd8\x04", "INTEGER_VECTOR VECTOR"},
    {"pcmpeqb xmm0, xmmword ptr [rdi]", 4, "\x66\x0f\x74\x07", "INTEGER_VECTOR VECTOR LOADS size=16"},
    {"pcmpgtd xmm0, xmm1", 4, "\x66\x0f\x66\xc1", "INTEGER_VECTOR VECTOR"},
    {"pshufd xmm0, xmmword ptr [rdi], 0x4e", 5, "\x66\x0f\x70\x07\x4e",
     "INTEGER_VECTOR VECTOR LOADS size=16"},
    {"pshufb xmm0, xmm1", 5, "\x66\x0f\x38\x00\xc1", "INTEGER_VECTOR VECTOR"},
    {"punpcklbw xmm0, xmm1", 4, "\x66\x0f\x60\xc1", "INTEGER_VECTOR VECTOR"},
    {"packsswb xmm0, xmm1", 4, "\x66\x0f\x63\xc1", "INTEGER_VECTOR VECTOR"},
    {"palignr xmm0, xmm1, 3", 6, "\x66\x0f\x3a\x0f\xc1\x03", "INTEGER_VECTOR VECTOR"},
    {"psadbw xmm0, xmm1", 4, "\x66\x0f\xf6\xc1", "INTEGER_VECTOR VECTOR"},
    {"pminsd xmm0, xmm1", 5, "\x66\x0f\x38\x39\xc1", "INTEGER_VECTOR VECTOR"},
    {"ptest xmm0, xmmword ptr [rdi]", 5, "\x66\x0f\x38\x17\x07", "INTEGER_VECTOR VECTOR LOADS size=16"},
    {"pmovzxbd xmm0, dword ptr [rdi]", 5, "\x66\x0f\x38\x31\x07", "INTEGER_VECTOR VECTOR LOADS size=4"},
    {"phminposuw xmm0, xmm1", 5, "\x66\x0f\x38\x41\xc1", "INTEGER_VECTOR VECTOR"},
    {"mpsadbw xmm0, xmm1, 1", 6, "\x66\x0f\x3a\x42\xc1\x01", "INTEGER_VECTOR VECTOR"},
    {"pcmpistri xmm0, xmmword ptr [rdi], 0xc", 6, "\x66\x0f\x3a\x63\x07\x0c",
     "INTEGER_VECTOR VECTOR LOADS size=16"},
    {"pclmulqdq xmm0, xmm1, 0x11", 6, "\x66\x0f\x3a\x44\xc1\x11", "INTEGER_VECTOR VECTOR"},
    {"aesenc xmm0, xmmword ptr [rdi]", 5, "\x66\x0f\x38\xdc\x07", "INTEGER_VECTOR VECTOR LOADS size=16"},
    {"aeskeygenassist xmm0, xmm1, 1", 6, "\x66\x0f\x3a\xdf\xc1\x01", "INTEGER_VECTOR VECTOR"},
    {"sha256rnds2 xmm1, xmm2, xmm0", 4, "\x0f\x38\xcb\xca", "INTEGER_VECTOR VECTOR"},
    /* SSE, moves */
    {"movaps xmm0, xmmword ptr [rdi]", 3, "\x0f\x28\x07", "LOADS size=16"},
    {"movups xmmword ptr [rdi], xmm0", 3, "\x0f\x11\x07", "STORES size=16"},
    {"movsd xmm0, qword ptr [rdi]", 4, "\xf2\x0f\x10\x07", "LOADS size=8"},
    {"movsd qword ptr [rdi], xmm0", 4, "\xf2\x0f\x11\x07", "STORES size=8"},
    {"movsd xmm0, xmm1", 4, "\xf2\x0f\x10\xc1", ""},
    {"movss dword ptr [rdi], xmm0", 4, "\xf3\x0f\x11\x07", "STORES size=4"},
    {"movq xmm0, qword ptr [rdi]", 4, "\xf3\x0f\x7e\x07", "LOADS size=8"},
    {"movq qword ptr [rdi], xmm0", 4, "\x66\x0f\xd6\x07", "STORES size=8"},
    {"movq rax, xmm0", 5, "\x66\x48\x0f\x7e\xc0", ""},
    {"movd dword ptr [rdi], mm0", 3, "\x0f\x7e\x07", "STORES size=4"},
    {"movd xmm0, eax", 4, "\x66\x0f\x6e\xc0", ""},
    {"movhps xmm0, qword ptr [rdi]", 3, "\x0f\x16\x07", "LOADS size=8"},
    {"movlpd qword ptr [rdi], xmm0", 4, "\x66\x0f\x13\x07", "STORES size=8"},
    {"movhlps xmm0, xmm1", 3, "\x0f\x12\xc1", ""},
    {"movddup xmm0, qword ptr [rdi]", 4, "\xf2\x0f\x12\x07", "LOADS size=8"},
    {"movshdup xmm0, xmm1", 4, "\xf3\x0f\x16\xc1", ""},
    {"movmskpd eax, xmm0", 4, "\x66\x0f\x50\xc0", ""},
    {"pmovmskb eax, xmm0", 4, "\x66\x0f\xd7\xc0", ""},
    {"lddqu xmm0, xmmword ptr [rdi]", 4, "\xf2\x0f\xf0\x07", "LOADS size=16"},
    {"movntps xmmword ptr [rdi], xmm0", 3, "\x0f\x2b\x07", "STORES size=16"},
    {"movntdqa xmm0, xmmword ptr [rdi]", 5, "\x66\x0f\x38\x2a\x07", "LOADS size=16"},
    {"movntq qword ptr [rdi], mm0", 3, "\x0f\xe7\x07", "STORES size=8"},
    {"maskmovdqu xmm0, xmm1", 4, "\x66\x0f\xf7\xc1", "STORES size=16"},
    {"maskmovq mm0, mm1", 3, "\x0f\xf7\xc1", "STORES size=8"},
    {"pextrw word ptr [rdi], xmm0, 3", 6, "\x66\x0f\x3a\x15\x07\x03", "STORES size=2"},
    {"pextrq rax, xmm0, 1", 7, "\x66\x48\x0f\x3a\x16\xc0\x01", ""},
    {"pinsrb xmm0, byte ptr [rdi], 2", 6, "\x66\x0f\x3a\x20\x07\x02", "LOADS size=1"},
    {"pinsrd xmm0, eax, 2", 6, "\x66\x0f\x3a\x22\xc0\x02", ""},
    {"insertps xmm0, dword ptr [rdi], 0x10", 6, "\x66\x0f\x3a\x21\x07\x10", "LOADS size=4"},
    {"extractps dword ptr [rdi], xmm0, 1", 6, "\x66\x0f\x3a\x17\x07\x01", "STORES size=4"},
    {"ldmxcsr dword ptr [rdi+128]", 7, "\x0f\xae\x97\x80\x00\x00\x00", "LOADS size=4"},
    {"stmxcsr dword ptr [rdi]", 3, "\x0f\xae\x1f", "STORES size=4"},
    {"emms", 2, "\x0f\x77", ""},
    /* AVX */
    {"vaddsd xmm0, xmm1, qword ptr [rdi]", 4, "\xc5\xf3\x58\x07", "FP FP_ADD FP_OPS=1 DP_OPS=1 LOADS size=8"},
    {"vaddps ymm0, ymm1, ymmword ptr [rdi]", 4, "\xc5\xf4\x58\x07",
     "FP FP_ADD FP_OPS=8 SP_OPS=8 VECTOR SP_VECTOR LOADS size=32"},
    {"vsubpd xmm0, xmm1, xmm2", 4, "\xc5\xf1\x5c\xc2", "FP FP_ADD FP_OPS=2 DP_OPS=2 VECTOR DP_VECTOR"},
    {"vmulpd ymm0, ymm1, ymm2", 4, "\xc5\xf5\x59\xc2", "FP FP_MULTIPLY FP_OPS=4 DP_OPS=4 VECTOR DP_VECTOR"},
    {"vdivpd ymm8, ymm9, ymm10", 5, "\xc4\x41\x35\x5e\xc2",
     "FP FP_DIVIDE FP_OPS=4 DP_OPS=4 VECTOR DP_VECTOR"},
    {"vsqrtps ymm0, ymmword ptr [rdi]", 4, "\xc5\xfc\x51\x07",
     "FP FP_SQRT FP_OPS=8 SP_OPS=8 VECTOR SP_VECTOR LOADS size=32"},
    {"vsqrtsd xmm0, xmm1, xmm2", 4, "\xc5\xf3\x51\xc2", "FP FP_SQRT FP_OPS=1 DP_OPS=1"},
    {"vrcpps ymm0, ymm1", 4, "\xc5\xfc\x53\xc1", "FP FP_INVERSE FP_OPS=8 SP_OPS=8 VECTOR SP_VECTOR"},
    {"vrsqrtss xmm0, xmm1, dword ptr [rdi]", 4, "\xc5\xf2\x52\x07",
     "FP FP_INVERSE FP_OPS=1 SP_OPS=1 LOADS size=4"},
    {"vmaxpd ymm0, ymm1, ymm2", 4, "\xc5\xf5\x5f\xc2", "FP FP_OPS=4 DP_OPS=4 VECTOR DP_VECTOR"},
    {"vhaddpd ymm0, ymm1, ymm2", 4, "\xc5\xf5\x7c\xc2", "FP FP_ADD FP_OPS=4 DP_OPS=4 VECTOR DP_VECTOR"},
    {"vaddsubps ymm0, ymm1, ymm2", 4, "\xc5\xf7\xd0\xc2", "FP FP_ADD FP_OPS=8 SP_OPS=8 VECTOR SP_VECTOR"},
    {"vdpps ymm0, ymm1, ymm2, 0xff", 6, "\xc4\xe3\x75\x40\xc2\xff",
     "FP FP_OPS=16 SP_OPS=16 VECTOR SP_VECTOR"},
    {"vfmadd231pd ymm0, ymm1, ymmword ptr [rdi]", 5, "\xc4\xe2\xf5\xb8\x07",
     "FP FMA FP_OPS=8 DP_OPS=8 VECTOR DP_VECTOR LOADS size=32"},
    {"vfmadd132sd xmm0, xmm1, qword ptr [rdi]", 5, "\xc4\xe2\xf1\x99\x07",
     "FP FMA FP_OPS=2 DP_OPS=2 LOADS size=8"},
    {"vfnmadd213ss xmm0, xmm1, xmm2", 5, "\xc4\xe2\x71\xad\xc2", "FP FMA FP_OPS=2 SP_OPS=2"},
    {"vfmsub213ps xmm0, xmm1, xmm2", 5, "\xc4\xe2\x71\xaa\xc2", "FP FMA FP_OPS=8 SP_OPS=8 VECTOR SP_VECTOR"},
    {"vfnmsub231pd xmm0, xmm1, xmm2", 5, "\xc4\xe2\xf1\xbe\xc2", "FP FMA FP_OPS=4 DP_OPS=4 VECTOR DP_VECTOR"},
    {"vfmaddsub132ps ymm0, ymm1, ymm2", 5, "\xc4\xe2\x75\x96\xc2",
     "FP FMA FP_OPS=16 SP_OPS=16 VECTOR SP_VECTOR"},
    {"vfmsubadd231pd ymm0, ymm1, ymm2", 5, "\xc4\xe2\xf5\xb7\xc2",
     "FP FMA FP_OPS=8 DP_OPS=8 VECTOR DP_VECTOR"},
    {"vfmaddpd ymm0, ymm1, ymmword ptr [rdi], ymm3", 6, "\xc4\xe3\x75\x69\x07\x30",
     "FP FMA FP_OPS=8 DP_OPS=8 VECTOR DP_VECTOR LOADS size=32"},
    {"vfnmsubss xmm0, xmm1, xmm2, xmm3", 6, "\xc4\xe3\xf1\x7e\xc3\x20", "FP FMA FP_OPS=2 SP_OPS=2"},
    {"vcmppd ymm0, ymm1, ymmword ptr [rdi], 0x1e", 5, "\xc5\xf5\xc2\x07\x1e",
     "FP_COMPARISONS VECTOR LOADS size=32"},
    {"vcmpneq_oqsd xmm0, xmm1, xmm2", 5, "\xc5\xf3\xc2\xc2\x0c", "FP_COMPARISONS"},
    {"vcmptrue_usps ymm0, ymm1, ymm2", 5, "\xc5\xf4\xc2\xc2\x1f", "FP_COMPARISONS VECTOR"},
    {"vcomiss xmm0, dword ptr [rdi]", 4, "\xc5\xf8\x2f\x07", "FP_COMPARISONS LOADS size=4"},
    {"vucomisd xmm0, xmm1", 4, "\xc5\xf9\x2e\xc1", "FP_COMPARISONS"},
    {"vcvtpd2ps xmm0, ymmword ptr [rdi]", 4, "\xc5\xfd\x5a\x07", "FP_CONVERSIONS VECTOR LOADS size=32"},
    {"vcvttpd2dq xmm0, xmmword ptr [rdi]", 4, "\xc5\xf9\xe6\x07", "FP_CONVERSIONS VECTOR LOADS size=16"},
    {"vcvtsi2sd xmm0, xmm1, qword ptr [rdi]", 5, "\xc4\xe1\xf3\x2a\x07", "FP_CONVERSIONS LOADS size=8"},
    {"vcvtph2ps ymm0, xmmword ptr [rdi]", 5, "\xc4\xe2\x7d\x13\x07", "FP_CONVERSIONS VECTOR LOADS size=16"},
    {"vcvtps2ph xmmword ptr [rdi], ymm0, 0", 6, "\xc4\xe3\x7d\x1d\x07\x00",
     "FP_CONVERSIONS VECTOR STORES size=16"},
    {"vroundps ymm0, ymm1, 2", 6, "\xc4\xe3\x7d\x08\xc1\x02", "FP_CONVERSIONS VECTOR"},
    {"vroundsd xmm0, xmm1, qword ptr [rdi], 2", 6, "\xc4\xe3\x71\x0b\x07\x02", "FP_CONVERSIONS LOADS size=8"},
    {"vandpd ymm0, ymm1, ymmword ptr [rdi]", 4, "\xc5\xf5\x54\x07", "INTEGER_VECTOR VECTOR LOADS size=32"},
    {"vxorps xmm0, xmm0, xmm0", 4, "\xc5\xf8\x57\xc0", "INTEGER_VECTOR VECTOR"},
    {"vtestps ymm0, ymmword ptr [rdi]", 5, "\xc4\xe2\x7d\x0e\x07", "INTEGER_VECTOR VECTOR LOADS size=32"},
    {"vpermilpd ymm0, ymm1, 5", 6, "\xc4\xe3\x7d\x05\xc1\x05", "INTEGER_VECTOR VECTOR"},
    {"vpermpd ymm0, ymmword ptr [rdi], 0x1b", 6, "\xc4\xe3\xfd\x01\x07\x1b",
     "INTEGER_VECTOR VECTOR LOADS size=32"},
    {"vperm2f128 ymm0, ymm1, ymm2, 1", 6, "\xc4\xe3\x75\x06\xc2\x01", "INTEGER_VECTOR VECTOR"},
    {"vblendvps ymm0, ymm1, ymm2, ymm3", 6, "\xc4\xe3\x75\x4a\xc2\x30", "INTEGER_VECTOR VECTOR"},
    {"vpaddq ymm0, ymm1, ymmword ptr [rdi]", 4, "\xc5\xf5\xd4\x07", "INTEGER_VECTOR VECTOR LOADS size=32"},
    {"vpsllvd ymm0, ymm1, ymm2", 5, "\xc4\xe2\x75\x47\xc2", "INTEGER_VECTOR VECTOR"},
    {"vpmovsxwd ymm0, xmmword ptr [rdi]", 5, "\xc4\xe2\x7d\x23\x07", "INTEGER_VECTOR VECTOR LOADS size=16"},
    {"vpmaxud ymm0, ymm1, ymm2", 5, "\xc4\xe2\x75\x3f\xc2", "INTEGER_VECTOR VECTOR"},
    {"vmpsadbw ymm0, ymm1, ymm2, 3", 6, "\xc4\xe3\x75\x42\xc2\x03", "INTEGER_VECTOR VECTOR"},
    {"vaesdec xmm0, xmm1, xmmword ptr [rdi]", 5, "\xc4\xe2\x71\xde\x07",
     "INTEGER_VECTOR VECTOR LOADS size=16"},
    {"vmovapd ymm0, ymmword ptr [rdi]", 4, "\xc5\xfd\x28\x07", "LOADS size=32"},
    {"vmovdqu ymmword ptr [rdi], ymm0", 4, "\xc5\xfe\x7f\x07", "STORES size=32"},
    {"vmovsd xmm0, xmm1, xmm2", 4, "\xc5\xf3\x10\xc2", ""},
    {"vmovddup ymm0, ymmword ptr [rdi]", 4, "\xc5\xff\x12\x07", "LOADS size=32"},
    {"vbroadcastsd ymm0, qword ptr [rdi]", 5, "\xc4\xe2\x7d\x19\x07", "LOADS size=8"},
    {"vbroadcastf128 ymm0, xmmword ptr [rdi]", 5, "\xc4\xe2\x7d\x1a\x07", "LOADS size=16"},
    {"vpbroadcastb ymm0, xmm1", 5, "\xc4\xe2\x7d\x78\xc1", ""},
    {"vinsertf128 ymm0, ymm1, xmmword ptr [rdi], 1", 6, "\xc4\xe3\x75\x18\x07\x01", "LOADS size=16"},
    {"vextracti128 xmmword ptr [rdi], ymm0, 1", 6, "\xc4\xe3\x7d\x39\x07\x01", "STORES size=16"},
    {"vpextrb byte ptr [rdi], xmm0, 3", 6, "\xc4\xe3\x79\x14\x07\x03", "STORES size=1"},
    {"vmaskmovpd ymm0, ymm1, ymmword ptr [rdi]", 5, "\xc4\xe2\x75\x2d\x07", "LOADS size=32"},
    {"vpmaskmovd ymmword ptr [rdi], ymm0, ymm1", 5, "\xc4\xe2\x7d\x8e\x0f", "STORES size=32"},
    {"vmaskmovdqu xmm0, xmm1", 4, "\xc5\xf9\xf7\xc1", "STORES size=16"},
    {"vgatherdpd ymm0, qword ptr [rsi+xmm4*8], ymm2", 6, "\xc4\xe2\xed\x92\x04\xe6", "LOADS size=8"},
    {"vpgatherqd xmm0, dword ptr [rsi+ymm4*4], xmm2", 6, "\xc4\xe2\x6d\x91\x04\xa6", "LOADS size=4"},
    {"vpmovmskb eax, ymm0", 4, "\xc5\xfd\xd7\xc0", ""},
    {"vmovmskps eax, ymm0", 4, "\xc5\xfc\x50\xc0", ""},
    {"vstmxcsr dword ptr [rdi]", 4, "\xc5\xf8\xae\x1f", "STORES size=4"},
    {"vzeroupper", 3, "\xc5\xf8\x77", ""},
    /* MMX and 3DNow! */
    {"pfadd mm0, qword ptr [rdi]", 4, "\x0f\x0f\x07\x9e",
     "FP FP_ADD FP_OPS=2 SP_OPS=2 VECTOR SP_VECTOR LOADS size=8"},
    {"pfmul mm0, mm1", 4, "\x0f\x0f\xc1\xb4", "FP FP_MULTIPLY FP_OPS=2 SP_OPS=2 VECTOR SP_VECTOR"},
    {"pfrcp mm0, mm1", 4, "\x0f\x0f\xc1\x96", "FP FP_INVERSE FP_OPS=2 SP_OPS=2 VECTOR SP_VECTOR"},
    {"pfmax mm0, mm1", 4, "\x0f\x0f\xc1\xa4", "FP FP_OPS=2 SP_OPS=2 VECTOR SP_VECTOR"},
    {"pfcmpge mm0, mm1", 4, "\x0f\x0f\xc1\x90", "FP_COMPARISONS VECTOR"},
    {"pi2fd mm0, mm1", 4, "\x0f\x0f\xc1\x0d", "FP_CONVERSIONS VECTOR"},
    /* x87 */
    {"fninit", 2, "\xdb\xe3", ""},
    {"fld1", 2, "\xd9\xe8", ""},
    {"fldpi", 2, "\xd9\xeb", ""},
    {"fld dword ptr [rdi]", 2, "\xd9\x07", "LOADS size=4"},
    {"fld tbyte ptr [rdi]", 2, "\xdb\x2f", "LOADS size=10"},
    {"fild qword ptr [rdi]", 2, "\xdf\x2f", "FP_CONVERSIONS LOADS size=8"},
    {"fadd st, st(1)", 2, "\xd8\xc1", "FP FP_ADD FP_OPS=1 XP_OPS=1"},
    {"fadd qword ptr [rdi]", 2, "\xdc\x07", "FP FP_ADD FP_OPS=1 XP_OPS=1 LOADS size=8"},
    {"faddp st(1), st", 2, "\xde\xc1", "FP FP_ADD FP_OPS=1 XP_OPS=1"},
    {"fiadd dword ptr [rdi]", 2, "\xda\x07", "FP FP_ADD FP_OPS=1 XP_OPS=1 LOADS size=4"},
    {"fsub st(1), st", 2, "\xdc\xe9", "FP FP_ADD FP_OPS=1 XP_OPS=1"},
    {"fsubrp st(1), st", 2, "\xde\xe1", "FP FP_ADD FP_OPS=1 XP_OPS=1"},
    {"fisubr word ptr [rdi]", 2, "\xde\x2f", "FP FP_ADD FP_OPS=1 XP_OPS=1 LOADS size=2"},
    {"fmul dword ptr [rdi]", 2, "\xd8\x0f", "FP FP_MULTIPLY FP_OPS=1 XP_OPS=1 LOADS size=4"},
    {"fmul st, st", 2, "\xd8\xc8", "FP FP_MULTIPLY FP_OPS=1 XP_OPS=1"},
    {"fimul word ptr [rdi]", 2, "\xde\x0f", "FP FP_MULTIPLY FP_OPS=1 XP_OPS=1 LOADS size=2"},
    {"fdivr st, st(1)", 2, "\xd8\xf9", "FP FP_DIVIDE FP_OPS=1 XP_OPS=1"},
    {"fidiv dword ptr [rdi]", 2, "\xda\x37", "FP FP_DIVIDE FP_OPS=1 XP_OPS=1 LOADS size=4"},
    {"fsqrt", 2, "\xd9\xfa", "FP FP_SQRT FP_OPS=1 XP_OPS=1"},
    {"fsin", 2, "\xd9\xfe", "FP FP_OPS=1 XP_OPS=1"},
    {"fsincos", 2, "\xd9\xfb", "FP FP_OPS=1 XP_OPS=1"},
    {"fyl2x", 2, "\xd9\xf1", "FP FP_OPS=1 XP_OPS=1"},
    {"fprem", 2, "\xd9\xf8", "FP FP_OPS=1 XP_OPS=1"},
    {"fscale", 2, "\xd9\xfd", "FP FP_OPS=1 XP_OPS=1"},
    {"fabs", 2, "\xd9\xe1", ""},
    {"fchs", 2, "\xd9\xe0", ""},
    {"fxch st(1)", 2, "\xd9\xc9", ""},
    {"fcmovbe st, st(1)", 2, "\xda\xd1", ""},
    {"fcom qword ptr [rdi]", 2, "\xdc\x17", "FP_COMPARISONS LOADS size=8"},
    {"fcomi st, st(1)", 2, "\xdb\xf1", "FP_COMPARISONS"},
    {"fucomi st, st(1)", 2, "\xdb\xe9", "FP_COMPARISONS"},
    {"ftst", 2, "\xd9\xe4", "FP_COMPARISONS"},
    {"fxam", 2, "\xd9\xe5", "FP_COMPARISONS"},
    {"fxtract", 2, "\xd9\xf4", "FP_CONVERSIONS"},
    {"ficom word ptr [rdi]", 2, "\xde\x17", "FP_COMPARISONS LOADS size=2"},
    {"frndint", 2, "\xd9\xfc", "FP_CONVERSIONS"},
    {"fist dword ptr [rdi]", 2, "\xdb\x17", "FP_CONVERSIONS STORES size=4"},
    {"fld1", 2, "\xd9\xe8", ""},
    {"fisttp qword ptr [rdi]", 2, "\xdd\x0f", "FP_CONVERSIONS STORES size=8"},
    {"fld1", 2, "\xd9\xe8", ""},
    {"fistp word ptr [rdi]", 2, "\xdf\x1f", "FP_CONVERSIONS STORES size=2"},
    {"fst dword ptr [rdi]", 2, "\xd9\x17", "STORES size=4"},
    {"fld1", 2, "\xd9\xe8", ""},
    {"fstp tbyte ptr [rdi]", 2, "\xdb\x3f", "STORES size=10"},
    {"fld1", 2, "\xd9\xe8", ""},
    {"fbstp tbyte ptr [rdi]", 2, "\xdf\x37", "FP_CONVERSIONS STORES size=10"},
    {"fbld tbyte ptr [rdi]", 2, "\xdf\x27", "FP_CONVERSIONS LOADS size=10"},
    {"fucomip st, st(1)", 2, "\xdf\xe9", "FP_COMPARISONS"},
    {"fucompp", 2, "\xda\xe9", "FP_COMPARISONS"},
    {"fnstcw word ptr [rdi]", 2, "\xd9\x3f", "STORES size=2"},
    {"fldcw word ptr [rdi+132]", 6, "\xd9\xaf\x84\x00\x00\x00", "LOADS size=2"},
    {"fnstsw ax", 2, "\xdf\xe0", ""},
    {"fnstsw word ptr [rdi]", 2, "\xdd\x3f", "STORES size=2"},
    {"fnstenv [rdi]", 2, "\xd9\x37", "STORES"},
    {"fldenv [rdi]", 2, "\xd9\x27", "LOADS"},
    {"fxsave [rdi]", 3, "\x0f\xae\x07", "STORES"},
    {"fxrstor [rdi]", 3, "\x0f\xae\x0f", "LOADS"},
    {"fwait", 1, "\x9b", ""},
};

/* Capstone 4 does not know these. */
static const struct x86_case x86_byte_cases[] = {
    {"gf2p8mulb xmm0, xmm1", 5, "\x66\x0f\x38\xcf\xc1", "INTEGER_VECTOR VECTOR"},
    {"gf2p8affineqb xmm9, xmmword ptr [rdi], 1", 7, "\x66\x44\x0f\x3a\xce\x0f\x01",
     "INTEGER_VECTOR VECTOR LOADS size=16"},
    {"gf2p8affineinvqb xmm0, xmm1, 1", 6, "\x66\x0f\x3a\xcf\xc1\x01", "INTEGER_VECTOR VECTOR"},
    {"vgf2p8mulb ymm0, ymm1, ymm2", 5, "\xc4\xe2\x75\xcf\xc2", "INTEGER_VECTOR VECTOR"},
    {"vgf2p8affineqb ymm0, ymm1, ymmword ptr [rdi], 1", 6, "\xc4\xe3\xf5\xce\x07\x01",
     "INTEGER_VECTOR VECTOR LOADS size=32"},
    {"{vex} vpdpbusd ymm0, ymm1, ymm2", 5, "\xc4\xe2\x75\x50\xc2", "INTEGER_VECTOR VECTOR"},
    {"{vex} vpdpwssds xmm0, xmm1, xmmword ptr [rdi]", 5, "\xc4\xe2\x71\x53\x07",
     "INTEGER_VECTOR VECTOR LOADS size=16"},
    {"{vex} vpmadd52luq ymm0, ymm1, ymm2", 5, "\xc4\xe2\xf5\xb4\xc2", "INTEGER_VECTOR VECTOR"},
    {"{vex} vpmadd52huq ymm0, ymm1, ymmword ptr [rdi]", 5, "\xc4\xe2\xf5\xb5\x07",
     "INTEGER_VECTOR VECTOR LOADS size=32"},
    {"vpdpbssd ymm0, ymm1, ymm2", 5, "\xc4\xe2\x77\x50\xc2", "INTEGER_VECTOR VECTOR"},
    {"{vex} vcvtneps2bf16 xmm0, ymm1", 5, "\xc4\xe2\x7e\x72\xc1", "FP_CONVERSIONS VECTOR"},
    {"movdiri qword ptr [rdi], rax", 5, "\x48\x0f\x38\xf9\x07", "STORES"},
    {"movdir64b rax, zmmword ptr [rdi]", 5, "\x66\x0f\x38\xf8\x07", "LOADS STORES size=64"},
    {"serialize", 3, "\x0f\x01\xe8", ""},
    {"vbroadcasti128 ymm0, xmmword ptr [rdi]", 5, "\xc4\xe2\x7d\x5a\x07", "LOADS size=16"},
    {"vbroadcasti128 ymm0, xmmword ptr fs:[rdi]", 6, "\x64\xc4\xe2\x7d\x5a\x07", "LOADS size=16"},
    {"vaesenc ymm0, ymm1, ymm2", 5, "\xc4\xe2\x75\xdc\xc2", "INTEGER_VECTOR VECTOR"},
    {"vaesdeclast ymm0, ymm1, ymmword ptr [rdi]", 5, "\xc4\xe2\x75\xdf\x07",
     "INTEGER_VECTOR VECTOR LOADS size=32"},
    {"rdsspq rax", 5, "\xf3\x48\x0f\x1e\xc8", ""},
    {"rdsspd ecx", 4, "\xf3\x0f\x1e\xc9", ""},
    {"vpclmulqdq ymm0, ymm1, ymm2, 0", 6, "\xc4\xe3\x75\x44\xc2\x00", "INTEGER_VECTOR VECTOR"},
    {"prefetch byte ptr [rax]", 3, "\x0f\x0d\x00", ""},
    {"prefetch byte ptr [r8]", 4, "\x41\x0f\x0d\x00", ""},
    {"prefetchwt1 byte ptr [rip]", 7, "\x0f\x0d\x15\x00\x00\x00\x00", ""},
};

/* Nor are these known here. */
static const struct x86_case x86_unknown_cases[] = {
    {"vaddpd zmm0, zmm1, zmm2", 6, "\x62\xf1\xf5\x48\x58\xc2", ""},
    {"gf2p8mulb mm0, mm1", 4, "\x0f\x38\xcf\xc1", ""},
    {"tilezero tmm0", 5, "\xc4\xe2\x7b\x49\xc0", ""},
    {"movdiri of a register", 4, "\x0f\x38\xf9\xc7", ""},
    {"serialize and a byte", 4, "\x0f\x01\xe8\x90", ""},
    {"vpshufb ymm0, ymm1, ymm2", 5, "\xc4\xe2\x75\x00\xc2", ""},
    {"endbr64", 4, "\xf3\x0f\x1e\xfa", ""},
    {"prefetch of a register", 3, "\x0f\x0d\xc0", ""},
    {"nothing", 0, "", ""},
    {"the half of vbroadcasti128", 4, "\xc4\xe2\x7d\x5a", ""},
};

static unsigned check_x86(csh handle, const struct x86_case *c)
{
    cs_insn *insn;
    struct kind kind;
    if (cs_disasm(handle, (const uint8_t *)c->bytes, c->size, START, 1, &insn) != 1)
        return check_number(c->text, "decoded", 0, 1);
    classify_x86(handle, insn, &kind);
    unsigned wrong = check_number(c->text, "size of the instruction", insn->size, c->size);
    wrong += check_kind(c->text, c->counts, &kind);
    cs_free(insn, 1);
    return wrong;
}

static void x86(void **state)
{
    csh handle = disassembler(CS_ARCH_X86, CS_MODE_64);
    unsigned wrong = 0;
    (void)state;
    /* Twice: a mnemonic's meaning is kept. */
    for (unsigned turn = 0; turn < 2; turn++)
        for (size_t i = 0; i < sizeof x86_cases / sizeof *x86_cases; i++)
            wrong += check_x86(handle, &x86_cases[i]);
    cs_close(&handle);
    assert_int_equal(wrong, 0);
}

static void x86_bytes(void **state)
{
    struct kind kind;
    unsigned wrong = 0;
    (void)state;
    for (size_t i = 0; i < sizeof x86_byte_cases / sizeof *x86_byte_cases; i++) {
        const struct x86_case *c = &x86_byte_cases[i];
        bool known = classify_x86_bytes((const uint8_t *)c->bytes, c->size, &kind);
        wrong += check_number(c->text, "known", known, true) + check_kind(c->text, c->counts, &kind);
    }
    for (size_t i = 0; i < sizeof x86_unknown_cases / sizeof *x86_unknown_cases; i++) {
        const struct x86_case *c = &x86_unknown_cases[i];
        bool known = classify_x86_bytes((const uint8_t *)c->bytes, c->size, &kind);
        wrong += check_number(c->text, "known", known, false) + check_kind(c->text, c->counts, &kind);
    }
    assert_int_equal(wrong, 0);
}

/* ---- arm64 */

static const struct {
    const char *text;
    uint32_t word;
    const char *counts; /* "unknown" */
} arm64_cases[] = {
    /* integers */
    {"add x0, x1, x2", 0x8b020020, "INTEGER"},
    {"adds w0, w1, #5", 0x31001420, "INTEGER"},
    {"add x0, x1, w2, sxtw #2", 0x8b22c820, "INTEGER"},
    {"add x0, sp, #16", 0x910043e0, "INTEGER"},
    {"mov x29, sp", 0x910003fd, ""},
    {"mov sp, x29", 0x910003bf, ""},
    {"sub sp, sp, #32", 0xd10083ff, "INTEGER"},
    {"neg x0, x1", 0xcb0103e0, "INTEGER"},
    {"cmp x0, #3", 0xf1000c1f, "INTEGER"},
    {"cmn w0, w1", 0x2b01001f, "INTEGER"},
    {"adc x0, x1, x2", 0x9a020020, "INTEGER"},
    {"sbcs w0, w1, w2", 0x7a020020, "INTEGER"},
    {"ccmp x0, x1, #4, ne", 0xfa411004, "INTEGER"},
    {"and x0, x1, #0xff", 0x92401c20, "INTEGER"},
    {"tst w0, w1", 0x6a01001f, "INTEGER"},
    {"orr x0, x1, x2", 0xaa020020, "INTEGER"},
    {"eor x0, x1, x2, lsl #3", 0xca020c20, "INTEGER"},
    {"bic w0, w1, w2", 0x0a220020, "INTEGER"},
    {"mvn x0, x1", 0xaa2103e0, "INTEGER"},
    {"orr x0, xzr, x1, lsl #2", 0xaa010be0, "INTEGER"},
    {"mov x0, x1", 0xaa0103e0, ""},
    {"mov w0, #0x5555", 0x528aaaa0, ""},
    {"mov x0, #0xff00ff00ff00ff", 0xb2009fe0, ""},
    {"movk x0, #0x1234, lsl #16", 0xf2a24680, ""},
    {"mov x0, #-1", 0x92800000, ""},
    {"lsl x0, x1, #3", 0xd37df020, "INTEGER"},
    {"lsr w0, w1, w2", 0x1ac22420, "INTEGER"},
    {"asr x0, x1, #63", 0x937ffc20, "INTEGER"},
    {"ror x0, x1, #7", 0x93c11c20, "INTEGER"},
    {"extr x0, x1, x2, #9", 0x93c22420, "INTEGER"},
    {"ubfx x0, x1, #4, #8", 0xd3442c20, "INTEGER"},
    {"bfi w0, w1, #2, #3", 0x331e0820, "INTEGER"},
    {"sbfx x0, x1, #0, #9", 0x93402020, "INTEGER"},
    {"sxtw x0, w1", 0x93407c20, ""},
    {"sxtb w0, w1", 0x13001c20, ""},
    {"uxth w0, w1", 0x53003c20, ""},
    {"uxtb w0, w1", 0x53001c20, ""},
    {"mul x0, x1, x2", 0x9b027c20, "INTEGER"},
    {"madd w0, w1, w2, w3", 0x1b020c20, "INTEGER"},
    {"smull x0, w1, w2", 0x9b227c20, "INTEGER"},
    {"umulh x0, x1, x2", 0x9bc27c20, "INTEGER"},
    {"sdiv x0, x1, x2", 0x9ac20c20, "INTEGER"},
    {"udiv w0, w1, w2", 0x1ac20820, "INTEGER"},
    {"clz x0, x1", 0xdac01020, "INTEGER"},
    {"rbit w0, w1", 0x5ac00020, "INTEGER"},
    {"rev x0, x1", 0xdac00c20, "INTEGER"},
    {"crc32cx w0, w1, x2", 0x9ac25c20, "INTEGER"},
    {"rmif x1, #3, #4", 0xba018424, "INTEGER"},
    {"csel x0, x1, x2, eq", 0x9a820020, ""},
    {"cset w0, ne", 0x1a9f07e0, ""},
    {"csetm x0, lt", 0xda9fa3e0, ""},
    {"cinc x0, x1, eq", 0x9a811420, "INTEGER"},
    {"csneg w0, w1, w2, gt", 0x5a82c420, "INTEGER"},
    {"adr x0, .+8", 0x10000040, "INTEGER"},
    {"adrp x0, .", 0x90000000, "INTEGER"},
    {"nop", 0xd503201f, ""},
    {"paciasp", 0xd503233f, ""},
    {"pacia x0, x1", 0xdac10020, ""},
    {"bti c", 0xd503245f, ""},
    {"dmb ish", 0xd5033bbf, ""},
    {"mrs x0, tpidr_el0", 0xd53bd040, ""},
    {"brk #1", 0xd4200020, ""},
    /* branches */
    {"b .+0x40", 0x14000010, "BRANCHES UNCONDITIONAL_BRANCHES other"},
    {"bl .-0x100", 0x97ffffc0, "BRANCHES UNCONDITIONAL_BRANCHES CALLS other"},
    {"br x16", 0xd61f0200, "BRANCHES UNCONDITIONAL_BRANCHES other"},
    {"blr x1", 0xd63f0020, "BRANCHES UNCONDITIONAL_BRANCHES CALLS other"},
    {"ret", 0xd65f03c0, "BRANCHES UNCONDITIONAL_BRANCHES RETURNS other"},
    {"retaa", 0xd65f0bff, "BRANCHES UNCONDITIONAL_BRANCHES RETURNS other"},
    {"braa x1, x2", 0xd71f0822, "BRANCHES UNCONDITIONAL_BRANCHES other"},
    {"blraaz x1", 0xd63f083f, "BRANCHES UNCONDITIONAL_BRANCHES CALLS other"},
    {"b.ne .+0x20", 0x54000101, "BRANCHES CONDITIONAL_BRANCHES conditional target=20"},
    {"b.lt .-0x80000", 0x54c0000b, "BRANCHES CONDITIONAL_BRANCHES conditional target=-80000"},
    {"cbz x0, .-8", 0xb4ffffc0, "BRANCHES CONDITIONAL_BRANCHES conditional target=-8"},
    {"cbnz w0, .+0xffffc", 0x357fffe0, "BRANCHES CONDITIONAL_BRANCHES conditional target=ffffc"},
    {"tbz x0, #40, .+0x7ffc", 0xb643ffe0, "BRANCHES CONDITIONAL_BRANCHES conditional target=7ffc"},
    {"tbnz w0, #3, .-0x8000", 0x371c0000, "BRANCHES CONDITIONAL_BRANCHES conditional target=-8000"},
    {"svc #0", 0xd4000001, "SYSTEM_CALLS"},
    /* loads and stores */
    {"ldr x0, [x20]", 0xf9400280, "LOADS size=8"},
    {"ldr w0, [x20, #8]", 0xb9400a80, "LOADS size=4"},
    {"ldrb w0, [x20, x21]", 0x38756a80, "LOADS size=1"},
    {"ldrsh x0, [x20], #0", 0x78800680, "LOADS size=2"},
    {"ldrsw x0, [x20, #-4]!", 0xb89fce80, "LOADS size=4"},
    {"ldur x0, [x20, #1]", 0xf8401280, "LOADS size=8"},
    {"ldtr w0, [x20]", 0xb8400a80, "LOADS size=4"},
    {"ldr x0, .+0", 0x58000000, "LOADS size=8"},
    {"ldrsw x0, .+0", 0x98000000, "LOADS size=4"},
    {"ldr q0, .+0", 0x9c000000, "LOADS size=16"},
    {"ldr d0, [x20]", 0xfd400280, "LOADS size=8"},
    {"ldr q0, [x20, x21, lsl #4]", 0x3cf57a80, "LOADS size=16"},
    {"ldr b0, [x20, #3]", 0x3d400e80, "LOADS size=1"},
    {"ldp x0, x1, [x20]", 0xa9400680, "LOADS size=16"},
    {"ldp w0, w1, [x20], #0", 0x28c00680, "LOADS size=8"},
    {"ldpsw x0, x1, [x20]", 0x69400680, "LOADS size=8"},
    {"ldp q0, q1, [x20, #32]!", 0xadc10680, "LOADS size=32"},
    {"ldnp d0, d1, [x20]", 0x6c400680, "LOADS size=16"},
    {"str x0, [x20]", 0xf9000280, "STORES size=8"},
    {"strh w0, [x20, #2]", 0x79000680, "STORES size=2"},
    {"str q0, [x20], #0", 0x3c800680, "STORES size=16"},
    {"stur s0, [x20, #-4]", 0xbc1fc280, "STORES size=4"},
    {"sttr x0, [x20]", 0xf8000a80, "STORES size=8"},
    {"stp x0, x1, [x20, #-16]!", 0xa9bf0680, "STORES size=16"},
    {"stp s0, s1, [x20]", 0x2d000680, "STORES size=8"},
    {"prfm pldl1keep, [x20]", 0xf9800280, ""},
    {"prfm pldl1keep, [x20, x21]", 0xf8b56a80, ""},
    {"prfum pldl1keep, [x20, #-3]", 0xf89fd280, ""},
    {"prfm pldl1keep, .+0", 0xd8000000, ""},
    {"ld1 {v0.16b}, [x20]", 0x4c407280, "LOADS size=16"},
    {"ld1 {v0.4s, v1.4s, v2.4s, v3.4s}, [x20]", 0x4c402a80, "LOADS size=64"},
    {"ld2 {v0.8b, v1.8b}, [x20]", 0x0c408280, "LOADS size=16"},
    {"ld3 {v0.2d, v1.2d, v2.2d}, [x20]", 0x4c404e80, "LOADS size=48"},
    {"ld4 {v0.s, v1.s, v2.s, v3.s}[1], [x20]", 0x0d60b280, "LOADS size=16"},
    {"ld1 {v0.d}[1], [x20]", 0x4d408680, "LOADS size=8"},
    {"ld1r {v0.4s}, [x20]", 0x4d40ca80, "LOADS size=4"},
    {"ld2r {v0.8h, v1.8h}, [x20]", 0x4d60c680, "LOADS size=4"},
    {"st1 {v0.2s, v1.2s}, [x20]", 0x0c00aa80, "STORES size=16"},
    {"st2 {v0.b, v1.b}[5], [x20]", 0x0d201680, "STORES size=2"},
    {"st4 {v0.4h, v1.4h, v2.4h, v3.4h}, [x20]", 0x0c000680, "STORES size=32"},
    {"ldar x0, [x20]", 0xc8dffe80, "LOADS size=8"},
    {"stlrb w0, [x20]", 0x089ffe80, "STORES size=1"},
    {"ldapr w0, [x20]", 0xb8bfc280, "LOADS size=4"},
    {"ldapur x0, [x20, #8]", 0xd9408280, "LOADS size=8"},
    {"stlurh w0, [x20, #2]", 0x59002280, "STORES size=2"},
    {"ldxr x0, [x20]", 0xc85f7e80, "LOADS size=8"},
    {"stxr w1, x0, [x20]", 0xc8017e80, "STORES size=8"},
    {"ldaxp x0, x1, [x20]", 0xc87f8680, "LOADS size=16"},
    {"stlxp w2, w0, w1, [x20]", 0x88228680, "STORES size=8"},
    {"cas w0, w1, [x20]", 0x88a07e81, "INTEGER LOADS STORES size=4"},
    {"caspal x0, x1, x2, x3, [x20]", 0x4860fe82, "INTEGER LOADS STORES size=16"},
    {"ldadd x0, x1, [x20]", 0xf8200281, "INTEGER LOADS STORES size=8"},
    {"stadd w0, [x20]", 0xb820029f, "INTEGER LOADS STORES size=4"},
    {"ldsetalb w0, w1, [x20]", 0x38e03281, "INTEGER LOADS STORES size=1"},
    {"ldsmaxh w0, w1, [x20]", 0x78204281, "INTEGER LOADS STORES size=2"},
    {"swpal x0, x1, [x20]", 0xf8e08281, "LOADS STORES size=8"},
    {"dc zva, x20", 0xd50b7434, "STORES"},
    {"ldraa x0, [x20]", 0xf8200680, "LOADS size=8"},
    {"ld64b x0, [x20]", 0xf83fd280, "LOADS size=64"},
    {"st64b x0, [x20]", 0xf83f9280, "STORES size=64"},
    {"stg x20, [x20]", 0xd9200a94, ""},
    {"stzg x20, [x20]", 0xd9600a94, "STORES size=16"},
    {"stgp x0, x1, [x20]", 0x69000680, "STORES size=16"},
    {"cpyfp [x0]!, [x1]!, x2!", 0x19010440, "LOADS STORES"},
    {"setm [x0]!, x1!, x2", 0x19c24420, "STORES"},
    /* floating point, one number */
    {"fadd d0, d1, d2", 0x1e622820, "FP FP_ADD FP_OPS=1 DP_OPS=1"},
    {"fsub s0, s1, s2", 0x1e223820, "FP FP_ADD FP_OPS=1 SP_OPS=1"},
    {"fmul h0, h1, h2", 0x1ee20820, "FP FP_MULTIPLY FP_OPS=1 HP_OPS=1"},
    {"fnmul d0, d1, d2", 0x1e628820, "FP FP_MULTIPLY FP_OPS=1 DP_OPS=1"},
    {"fdiv s0, s1, s2", 0x1e221820, "FP FP_DIVIDE FP_OPS=1 SP_OPS=1"},
    {"fsqrt d0, d1", 0x1e61c020, "FP FP_SQRT FP_OPS=1 DP_OPS=1"},
    {"fsqrt h0, h1", 0x1ee1c020, "FP FP_SQRT FP_OPS=1 HP_OPS=1"},
    {"fmax d0, d1, d2", 0x1e624820, "FP FP_OPS=1 DP_OPS=1"},
    {"fminnm s0, s1, s2", 0x1e227820, "FP FP_OPS=1 SP_OPS=1"},
    {"fmadd d0, d1, d2, d3", 0x1f420c20, "FP FMA FP_OPS=2 DP_OPS=2"},
    {"fnmsub s0, s1, s2, s3", 0x1f228c20, "FP FMA FP_OPS=2 SP_OPS=2"},
    {"fmadd h0, h1, h2, h3", 0x1fc20c20, "FP FMA FP_OPS=2 HP_OPS=2"},
    {"fabd d0, d1, d2", 0x7ee2d420, "FP FP_ADD FP_OPS=1 DP_OPS=1"},
    {"fmulx s0, s1, s2", 0x5e22dc20, "FP FP_MULTIPLY FP_OPS=1 SP_OPS=1"},
    {"fmulx h0, h1, h2", 0x5e421c20, "FP FP_MULTIPLY FP_OPS=1 HP_OPS=1"},
    {"frecpe d0, d1", 0x5ee1d820, "FP FP_INVERSE FP_OPS=1 DP_OPS=1"},
    {"frsqrte s0, s1", 0x7ea1d820, "FP FP_INVERSE FP_OPS=1 SP_OPS=1"},
    {"frecps d0, d1, d2", 0x5e62fc20, "FP FP_INVERSE FP_OPS=2 DP_OPS=2"},
    {"frsqrts h0, h1, h2", 0x5ec23c20, "FP FP_INVERSE FP_OPS=2 HP_OPS=2"},
    {"frecpx s0, s1", 0x5ea1f820, "FP FP_INVERSE FP_OPS=1 SP_OPS=1"},
    {"fabs d0, d1", 0x1e60c020, ""},
    {"fneg s0, s1", 0x1e214020, ""},
    {"fmov d0, d1", 0x1e604020, ""},
    {"fmov d0, x1", 0x9e670020, ""},
    {"fmov w0, s1", 0x1e260020, ""},
    {"fmov v0.d[1], x1", 0x9eaf0020, ""},
    {"fmov d0, #1.5", 0x1e6f1000, ""},
    {"fcsel d0, d1, d2, eq", 0x1e620c20, ""},
    {"fcmp d0, d1", 0x1e612000, "FP_COMPARISONS"},
    {"fcmpe s0, #0.0", 0x1e202018, "FP_COMPARISONS"},
    {"fccmp d0, d1, #4, ne", 0x1e611404, "FP_COMPARISONS"},
    {"fcmgt d0, d1, d2", 0x7ee2e420, "FP_COMPARISONS"},
    {"fcmeq s0, s1, #0.0", 0x5ea0d820, "FP_COMPARISONS"},
    {"facge d0, d1, d2", 0x7e62ec20, "FP_COMPARISONS"},
    {"fcvt d0, s1", 0x1e22c020, "FP_CONVERSIONS"},
    {"fcvt h0, s1", 0x1e23c020, "FP_CONVERSIONS"},
    {"fcvtzs x0, d1", 0x9e780020, "FP_CONVERSIONS"},
    {"fcvtzs d0, d1", 0x5ee1b820, "FP_CONVERSIONS"},
    {"fcvtau w0, s1", 0x1e250020, "FP_CONVERSIONS"},
    {"fjcvtzs w0, d1", 0x1e7e0020, "FP_CONVERSIONS"},
    {"scvtf d0, w1", 0x1e620020, "FP_CONVERSIONS"},
    {"scvtf d0, d1", 0x5e61d820, "FP_CONVERSIONS"},
    {"ucvtf s0, x1, #4", 0x9e03f020, "FP_CONVERSIONS"},
    {"frintm d0, d1", 0x1e654020, "FP_CONVERSIONS"},
    {"frint64z s0, s1", 0x1e294020, "FP_CONVERSIONS"},
    {"bfcvt h0, s1", 0x1e634020, "FP_CONVERSIONS"},
    /* floating point, vectors */
    {"fadd v0.2d, v1.2d, v2.2d", 0x4e62d420, "FP FP_ADD FP_OPS=2 DP_OPS=2 VECTOR DP_VECTOR"},
    {"fadd v0.4s, v1.4s, v2.4s", 0x4e22d420, "FP FP_ADD FP_OPS=4 SP_OPS=4 VECTOR SP_VECTOR"},
    {"fadd v0.2s, v1.2s, v2.2s", 0x0e22d420, "FP FP_ADD FP_OPS=2 SP_OPS=2 VECTOR SP_VECTOR"},
    {"fadd v0.8h, v1.8h, v2.8h", 0x4e421420, "FP FP_ADD FP_OPS=8 HP_OPS=8 VECTOR HP_VECTOR"},
    {"fsub v0.4h, v1.4h, v2.4h", 0x0ec21420, "FP FP_ADD FP_OPS=4 HP_OPS=4 VECTOR HP_VECTOR"},
    {"fabd v0.4s, v1.4s, v2.4s", 0x6ea2d420, "FP FP_ADD FP_OPS=4 SP_OPS=4 VECTOR SP_VECTOR"},
    {"fmul v0.2d, v1.2d, v2.2d", 0x6e62dc20, "FP FP_MULTIPLY FP_OPS=2 DP_OPS=2 VECTOR DP_VECTOR"},
    {"fmul v0.4s, v1.4s, v2.s[1]", 0x4fa29020, "FP FP_MULTIPLY FP_OPS=4 SP_OPS=4 VECTOR SP_VECTOR"},
    {"fmul v0.2d, v1.2d, v2.d[1]", 0x4fc29820, "FP FP_MULTIPLY FP_OPS=2 DP_OPS=2 VECTOR DP_VECTOR"},
    {"fmul d0, d1, v2.d[1]", 0x5fc29820, "FP FP_MULTIPLY FP_OPS=1 DP_OPS=1"},
    {"fmulx v0.8h, v1.8h, v2.h[3]", 0x6f329020, "FP FP_MULTIPLY FP_OPS=8 HP_OPS=8 VECTOR HP_VECTOR"},
    {"fdiv v0.2d, v1.2d, v2.2d", 0x6e62fc20, "FP FP_DIVIDE FP_OPS=2 DP_OPS=2 VECTOR DP_VECTOR"},
    {"fdiv v0.8h, v1.8h, v2.8h", 0x6e423c20, "FP FP_DIVIDE FP_OPS=8 HP_OPS=8 VECTOR HP_VECTOR"},
    {"fsqrt v0.4s, v1.4s", 0x6ea1f820, "FP FP_SQRT FP_OPS=4 SP_OPS=4 VECTOR SP_VECTOR"},
    {"fsqrt v0.4h, v1.4h", 0x2ef9f820, "FP FP_SQRT FP_OPS=4 HP_OPS=4 VECTOR HP_VECTOR"},
    {"fmla v0.2d, v1.2d, v2.2d", 0x4e62cc20, "FP FMA FP_OPS=4 DP_OPS=4 VECTOR DP_VECTOR"},
    {"fmls v0.4s, v1.4s, v2.4s", 0x4ea2cc20, "FP FMA FP_OPS=8 SP_OPS=8 VECTOR SP_VECTOR"},
    {"fmla v0.8h, v1.8h, v2.8h", 0x4e420c20, "FP FMA FP_OPS=16 HP_OPS=16 VECTOR HP_VECTOR"},
    {"fmla v0.2s, v1.2s, v2.s[0]", 0x0f821020, "FP FMA FP_OPS=4 SP_OPS=4 VECTOR SP_VECTOR"},
    {"fmls v0.2d, v1.2d, v2.d[0]", 0x4fc25020, "FP FMA FP_OPS=4 DP_OPS=4 VECTOR DP_VECTOR"},
    {"fmla s0, s1, v2.s[3]", 0x5fa21820, "FP FMA FP_OPS=2 SP_OPS=2"},
    {"fmla v0.4h, v1.4h, v2.h[7]", 0x0f321820, "FP FMA FP_OPS=8 HP_OPS=8 VECTOR HP_VECTOR"},
    {"fmlal v0.4s, v1.4h, v2.4h", 0x4e22ec20, "FP FMA FP_OPS=8 SP_OPS=8 VECTOR SP_VECTOR"},
    {"fmlsl2 v0.2s, v1.2h, v2.2h", 0x2ea2cc20, "FP FMA FP_OPS=4 SP_OPS=4 VECTOR SP_VECTOR"},
    {"fmlal v0.4s, v1.4h, v2.h[1]", 0x4f920020, "FP FMA FP_OPS=8 SP_OPS=8 VECTOR SP_VECTOR"},
    {"fmlal2 v0.2s, v1.2h, v2.h[1]", 0x2f928020, "FP FMA FP_OPS=4 SP_OPS=4 VECTOR SP_VECTOR"},
    {"fcmla v0.4s, v1.4s, v2.4s, #90", 0x6e82cc20, "FP FMA FP_OPS=8 SP_OPS=8 VECTOR SP_VECTOR"},
    {"fcmla v0.2d, v1.2d, v2.2d, #0", 0x6ec2c420, "FP FMA FP_OPS=4 DP_OPS=4 VECTOR DP_VECTOR"},
    {"fcmla v0.8h, v1.8h, v2.h[1], #180", 0x6f625020, "FP FMA FP_OPS=16 HP_OPS=16 VECTOR HP_VECTOR"},
    {"fcmla v0.4s, v1.4s, v2.s[1], #270", 0x6f827820, "FP FMA FP_OPS=8 SP_OPS=8 VECTOR SP_VECTOR"},
    {"fcadd v0.2d, v1.2d, v2.2d, #90", 0x6ec2e420, "FP FP_ADD FP_OPS=2 DP_OPS=2 VECTOR DP_VECTOR"},
    {"fcadd v0.8h, v1.8h, v2.8h, #270", 0x6e42f420, "FP FP_ADD FP_OPS=8 HP_OPS=8 VECTOR HP_VECTOR"},
    {"bfdot v0.4s, v1.8h, v2.8h", 0x6e42fc20, "FP FP_OPS=16 SP_OPS=16 VECTOR SP_VECTOR"},
    {"bfdot v0.2s, v1.4h, v2.2h[1]", 0x0f62f020, "FP FP_OPS=8 SP_OPS=8 VECTOR SP_VECTOR"},
    {"bfmmla v0.4s, v1.8h, v2.8h", 0x6e42ec20, "FP FP_OPS=32 SP_OPS=32 VECTOR SP_VECTOR"},
    {"bfmlalb v0.4s, v1.8h, v2.8h", 0x2ec2fc20, "FP FMA FP_OPS=8 SP_OPS=8 VECTOR SP_VECTOR"},
    {"bfmlalt v0.4s, v1.8h, v2.h[2]", 0x4fe2f020, "FP FMA FP_OPS=8 SP_OPS=8 VECTOR SP_VECTOR"},
    {"fmax v0.2d, v1.2d, v2.2d", 0x4e62f420, "FP FP_OPS=2 DP_OPS=2 VECTOR DP_VECTOR"},
    {"fminnm v0.4s, v1.4s, v2.4s", 0x4ea2c420, "FP FP_OPS=4 SP_OPS=4 VECTOR SP_VECTOR"},
    {"faddp v0.4s, v1.4s, v2.4s", 0x6e22d420, "FP FP_ADD FP_OPS=4 SP_OPS=4 VECTOR SP_VECTOR"},
    {"fmaxnmp v0.2d, v1.2d, v2.2d", 0x6e62c420, "FP FP_OPS=2 DP_OPS=2 VECTOR DP_VECTOR"},
    {"faddp d0, v1.2d", 0x7e70d820, "FP FP_ADD FP_OPS=1 DP_OPS=1 VECTOR DP_VECTOR"},
    {"faddp h0, v1.2h", 0x5e30d820, "FP FP_ADD FP_OPS=1 HP_OPS=1 VECTOR HP_VECTOR"},
    {"fmaxp s0, v1.2s", 0x7e30f820, "FP FP_OPS=1 SP_OPS=1 VECTOR SP_VECTOR"},
    {"fmaxv s0, v1.4s", 0x6e30f820, "FP FP_OPS=3 SP_OPS=3 VECTOR SP_VECTOR"},
    {"fminnmv h0, v1.8h", 0x4eb0c820, "FP FP_OPS=7 HP_OPS=7 VECTOR HP_VECTOR"},
    {"fmaxv h0, v1.4h", 0x0e30f820, "FP FP_OPS=3 HP_OPS=3 VECTOR HP_VECTOR"},
    {"frecpe v0.2d, v1.2d", 0x4ee1d820, "FP FP_INVERSE FP_OPS=2 DP_OPS=2 VECTOR DP_VECTOR"},
    {"frsqrte v0.8h, v1.8h", 0x6ef9d820, "FP FP_INVERSE FP_OPS=8 HP_OPS=8 VECTOR HP_VECTOR"},
    {"frecps v0.4s, v1.4s, v2.4s", 0x4e22fc20, "FP FP_INVERSE FP_OPS=8 SP_OPS=8 VECTOR SP_VECTOR"},
    {"frsqrts v0.2d, v1.2d, v2.2d", 0x4ee2fc20, "FP FP_INVERSE FP_OPS=4 DP_OPS=4 VECTOR DP_VECTOR"},
    {"fcmgt v0.2d, v1.2d, v2.2d", 0x6ee2e420, "FP_COMPARISONS VECTOR"},
    {"fcmeq v0.4s, v1.4s, #0.0", 0x4ea0d820, "FP_COMPARISONS VECTOR"},
    {"fcmlt v0.8h, v1.8h, #0.0", 0x4ef8e820, "FP_COMPARISONS VECTOR"},
    {"facgt v0.4s, v1.4s, v2.4s", 0x6ea2ec20, "FP_COMPARISONS VECTOR"},
    {"scvtf v0.2d, v1.2d", 0x4e61d820, "FP_CONVERSIONS VECTOR"},
    {"ucvtf v0.4s, v1.4s, #3", 0x6f3de420, "FP_CONVERSIONS VECTOR"},
    {"fcvtzs v0.4s, v1.4s", 0x4ea1b820, "FP_CONVERSIONS VECTOR"},
    {"fcvtzu v0.2d, v1.2d, #7", 0x6f79fc20, "FP_CONVERSIONS VECTOR"},
    {"fcvtl v0.2d, v1.2s", 0x0e617820, "FP_CONVERSIONS VECTOR"},
    {"fcvtn2 v0.8h, v1.4s", 0x4e216820, "FP_CONVERSIONS VECTOR"},
    {"bfcvtn v0.4h, v1.4s", 0x0ea16820, "FP_CONVERSIONS VECTOR"},
    {"frinta v0.2d, v1.2d", 0x6e618820, "FP_CONVERSIONS VECTOR"},
    {"frint32x v0.4s, v1.4s", 0x6e21e820, "FP_CONVERSIONS VECTOR"},
    {"frintz v0.8h, v1.8h", 0x4ef99820, "FP_CONVERSIONS VECTOR"},
    {"fneg v0.2d, v1.2d", 0x6ee0f820, "INTEGER_VECTOR VECTOR"},
    {"fabs v0.4s, v1.4s", 0x4ea0f820, "INTEGER_VECTOR VECTOR"},
    {"fabs v0.8h, v1.8h", 0x4ef8f820, "INTEGER_VECTOR VECTOR"},
    {"fmov v0.2d, #1.0", 0x6f03f600, ""},
    /* integers in vectors */
    {"add v0.4s, v1.4s, v2.4s", 0x4ea28420, "INTEGER_VECTOR VECTOR"},
    {"add d0, d1, d2", 0x5ee28420, "INTEGER"},
    {"sqadd b0, b1, b2", 0x5e220c20, "INTEGER"},
    {"sub v0.16b, v1.16b, v2.16b", 0x6e228420, "INTEGER_VECTOR VECTOR"},
    {"mul v0.8h, v1.8h, v2.8h", 0x4e629c20, "INTEGER_VECTOR VECTOR"},
    {"mul v0.8h, v1.8h, v2.h[2]", 0x4f628020, "INTEGER_VECTOR VECTOR"},
    {"mla v0.4s, v1.4s, v2.s[1]", 0x6fa20020, "INTEGER_VECTOR VECTOR"},
    {"smlal2 v0.4s, v1.8h, v2.8h", 0x4e628020, "INTEGER_VECTOR VECTOR"},
    {"sqrdmlah v0.4s, v1.4s, v2.4s", 0x6e828420, "INTEGER_VECTOR VECTOR"},
    {"sdot v0.4s, v1.16b, v2.16b", 0x4e829420, "INTEGER_VECTOR VECTOR"},
    {"usdot v0.4s, v1.16b, v2.4b[1]", 0x4fa2f020, "INTEGER_VECTOR VECTOR"},
    {"smmla v0.4s, v1.16b, v2.16b", 0x4e82a420, "INTEGER_VECTOR VECTOR"},
    {"addv b0, v1.16b", 0x4e31b820, "INTEGER_VECTOR VECTOR"},
    {"uaddlv h0, v1.8b", 0x2e303820, "INTEGER_VECTOR VECTOR"},
    {"addp d0, v1.2d", 0x5ef1b820, "INTEGER_VECTOR VECTOR"},
    {"cmeq v0.16b, v1.16b, v2.16b", 0x6e228c20, "INTEGER_VECTOR VECTOR"},
    {"cmgt v0.2d, v1.2d, #0", 0x4ee08820, "INTEGER_VECTOR VECTOR"},
    {"and v0.16b, v1.16b, v2.16b", 0x4e221c20, "INTEGER_VECTOR VECTOR"},
    {"bsl v0.16b, v1.16b, v2.16b", 0x6e621c20, "INTEGER_VECTOR VECTOR"},
    {"orr v0.16b, v1.16b, v2.16b", 0x4ea21c20, "INTEGER_VECTOR VECTOR"},
    {"mov v0.16b, v1.16b", 0x4ea11c20, ""},
    {"orr v0.4s, #1", 0x4f001420, "INTEGER_VECTOR VECTOR"},
    {"bic v0.8h, #2, lsl #8", 0x6f00b440, "INTEGER_VECTOR VECTOR"},
    {"movi v0.4s, #3", 0x4f000460, ""},
    {"movi v0.2d, #0", 0x6f00e400, ""},
    {"mvni v0.4s, #3", 0x6f000460, ""},
    {"shl v0.4s, v1.4s, #3", 0x4f235420, "INTEGER_VECTOR VECTOR"},
    {"sshr d0, d1, #3", 0x5f7d0420, "INTEGER"},
    {"uxtl v0.8h, v1.8b", 0x2f08a420, "INTEGER_VECTOR VECTOR"},
    {"xtn v0.8b, v1.8h", 0x0e212820, "INTEGER_VECTOR VECTOR"},
    {"shrn2 v0.16b, v1.8h, #4", 0x4f0c8420, "INTEGER_VECTOR VECTOR"},
    {"rev64 v0.4s, v1.4s", 0x4ea00820, "INTEGER_VECTOR VECTOR"},
    {"cnt v0.8b, v1.8b", 0x0e205820, "INTEGER_VECTOR VECTOR"},
    {"urecpe v0.4s, v1.4s", 0x4ea1c820, "INTEGER_VECTOR VECTOR"},
    {"zip1 v0.4s, v1.4s, v2.4s", 0x4e823820, "INTEGER_VECTOR VECTOR"},
    {"trn2 v0.2d, v1.2d, v2.2d", 0x4ec26820, "INTEGER_VECTOR VECTOR"},
    {"ext v0.16b, v1.16b, v2.16b, #4", 0x6e022020, "INTEGER_VECTOR VECTOR"},
    {"tbl v0.16b, {v1.16b, v2.16b}, v3.16b", 0x4e032020, "INTEGER_VECTOR VECTOR"},
    {"dup v0.4s, w1", 0x4e040c20, ""},
    {"dup v0.2d, v1.d[1]", 0x4e180420, ""},
    {"mov v0.s[1], v1.s[2]", 0x6e0c4420, ""},
    {"mov d0, v1.d[1]", 0x5e180420, ""},
    {"umov w0, v1.b[3]", 0x0e073c20, ""},
    {"smov x0, v1.h[3]", 0x4e0e2c20, ""},
    {"ins v0.d[1], x1", 0x4e181c20, ""},
    {"pmull v0.1q, v1.1d, v2.1d", 0x0ee2e020, "INTEGER_VECTOR VECTOR"},
    {"aese v0.16b, v1.16b", 0x4e284820, "INTEGER_VECTOR VECTOR"},
    {"sha256h q0, q1, v2.4s", 0x5e024020, "INTEGER_VECTOR VECTOR"},
    {"sha1h s0, s1", 0x5e280820, "INTEGER_VECTOR VECTOR"},
    {"sha512h q0, q1, v2.2d", 0xce628020, "INTEGER_VECTOR VECTOR"},
    {"eor3 v0.16b, v1.16b, v2.16b, v3.16b", 0xce020c20, "INTEGER_VECTOR VECTOR"},
    /* unknown */
    {"add z0.s, z1.s, z2.s", 0x04a20020, "unknown"},
    {"ld1w {z0.s}, p0/z, [x0]", 0xa540a000, "unknown"},
    {"udf #0", 0x00000000, "unknown"},
};

static void arm64(void **state)
{
    unsigned wrong = 0;
    (void)state;
    for (size_t i = 0; i < sizeof arm64_cases / sizeof *arm64_cases; i++) {
        struct kind kind;
        bool known = strcmp(arm64_cases[i].counts, "unknown") != 0;
        bool found = classify_arm64_word(arm64_cases[i].word, START, &kind);
        wrong += check_number(arm64_cases[i].text, "known", found, known);
        wrong += check_kind(arm64_cases[i].text, known ? arm64_cases[i].counts : "", &kind);
    }
    assert_int_equal(wrong, 0);
}

/* Instructions that Capstone knows are classified alike through its disassembly. */
static void arm64_disassembled(void **state)
{
    csh handle = disassembler(CS_ARCH_ARM64, CS_MODE_ARM);
    unsigned wrong = 0, n = 0;
    (void)state;
    for (size_t i = 0; i < sizeof arm64_cases / sizeof *arm64_cases; i++) {
        uint32_t word = arm64_cases[i].word;
        uint8_t bytes[] = {(uint8_t)word, (uint8_t)(word >> 8), (uint8_t)(word >> 16), (uint8_t)(word >> 24)};
        struct kind kind;
        cs_insn *insn;
        if (strcmp(arm64_cases[i].counts, "unknown") == 0 ||
            cs_disasm(handle, bytes, 4, START, 1, &insn) != 1)
            continue;
        classify_arm64(handle, insn, &kind);
        wrong += check_kind(arm64_cases[i].text, arm64_cases[i].counts, &kind);
        cs_free(insn, 1);
        n++;
    }
    cs_close(&handle);
    assert_int_equal(wrong, 0);
    assert_true(n > 150);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(x86),
        cmocka_unit_test(x86_bytes),
        cmocka_unit_test(arm64),
        cmocka_unit_test(arm64_disassembled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
