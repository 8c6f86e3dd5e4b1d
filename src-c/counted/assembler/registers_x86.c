/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Registers that an instruction of x86 reads and writes, by its operands as they are written.
 */
#include "assembler.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Names of registers, by their numbers in the processor's instructions. */
static const char *const names[16][4] = {
    {"rax", "eax", "ax", "al"},      {"rcx", "ecx", "cx", "cl"},      {"rdx", "edx", "dx", "dl"},
    {"rbx", "ebx", "bx", "bl"},      {"rsp", "esp", "sp", "spl"},     {"rbp", "ebp", "bp", "bpl"},
    {"rsi", "esi", "si", "sil"},     {"rdi", "edi", "di", "dil"},     {"r8", "r8d", "r8w", "r8b"},
    {"r9", "r9d", "r9w", "r9b"},     {"r10", "r10d", "r10w", "r10b"}, {"r11", "r11d", "r11w", "r11b"},
    {"r12", "r12d", "r12w", "r12b"}, {"r13", "r13d", "r13w", "r13b"}, {"r14", "r14d", "r14w", "r14b"},
    {"r15", "r15d", "r15w", "r15b"},
};

enum { RAX = 1 << 0, RCX = 1 << 1, RDX = 1 << 2, RBX = 1 << 3, RSP = 1 << 4, RSI = 1 << 6, RDI = 1 << 7 };
enum { R8 = 1 << 8, R9 = 1 << 9, R10 = 1 << 10, R11 = 1 << 11 };
#define VECTORS (UINT64_C(0xffff) << FIRST_VECTOR)
#define ARGUMENTS ((UINT64_C(0xff) << FIRST_VECTOR) | RDI | RSI | RDX | RCX | R8 | R9 | RAX | R10)

const struct processor processor = {
    .arguments = ARGUMENTS,
    .returned = UINT64_C(3) << FIRST_VECTOR | RAX | RDX,
    .changed_by_calls = ARGUMENTS | R11 | VECTORS,
    .vectors = VECTORS,
    .momentary = UINT64_MAX,
    .carries = 0xfc7,
    .carries_vectors = UINT64_C(0xff00) << FIRST_VECTOR, /* that are not arguments */
    .preferred = {11, 10, 9, 8, 1, 2, 6, 7, 0},
    .n_preferred = 9,
    .for_counter = {[SLOTS_INITIAL] = 1},
    .for_trip = {1, 2, 1},
};

const char *register_name(int number, int bytes)
{
    return names[number][bytes == 8 ? 0 : bytes == 4 ? 1 : bytes == 2 ? 2 : 3];
}

static int bytes_of_column(int column)
{
    return 8 >> column;
}

static int find_register(struct span name, int *bytes)
{
    for (int i = 0; i < 16; i++)
        for (int column = 0; column < 4; column++)
            if (span_is(name, names[i][column])) {
                *bytes = bytes_of_column(column);
                return i;
            }
    for (int i = 0; i < 4; i++) /* AH, CH, DH, BH */
        if (name.n == 2 && name.at[1] == 'h' && name.at[0] == "acdb"[i]) {
            *bytes = 1;
            return i;
        }
    return NOWHERE;
}

int register_of(struct span operand, int *bytes)
{
    if (operand.n < 3 || operand.at[0] != '%')
        return NOWHERE;
    return find_register((struct span){operand.at + 1, operand.n - 1}, bytes);
}

/* %xmm3; NOWHERE: it is something else, or one of those above the sixteenth. */
static int vector_of(struct span operand)
{
    size_t digits = operand.n - 4;
    if (operand.n < 5 || operand.n > 6 || operand.at[0] != '%' || memchr("xyz", operand.at[1], 3) == NULL ||
        memcmp(operand.at + 2, "mm", 2) != 0 || !isdigit((unsigned char)operand.at[4]) ||
        !isdigit((unsigned char)operand.at[operand.n - 1]))
        return NOWHERE;
    int number = operand.at[4] - '0';
    if (digits == 2)
        number = 10 * number + operand.at[5] - '0';
    return number < 16 ? FIRST_VECTOR + number : NOWHERE;
}

static int bit_of(struct span operand)
{
    int bytes, number = register_of(operand, &bytes);
    return number != NOWHERE ? number : vector_of(operand);
}

/* The registers that a text names. */
static uint64_t mentioned(struct span text)
{
    uint64_t set = 0;
    for (size_t i = 0; i < text.n; i++) {
        size_t n = 1;
        if (text.at[i] != '%')
            continue;
        while (i + n < text.n && isalnum((unsigned char)text.at[i + n]))
            n++;
        int found = bit_of((struct span){text.at + i, n});
        if (found != NOWHERE)
            set |= REGISTER(found);
    }
    return set;
}

static const struct hidden {
    const char *words;
    uint64_t reads;
} hidden[] = {
    {"mul mulb mulw mull mulq imul imulb imulw imull imulq div divb divw divl divq idiv idivb idivw idivl "
     "idivq",
     RAX | RDX},
    {"cltq cwtl cbtw cdqe cltd cqto cwtd cdq cqo lahf sahf xgetbv rdtsc rdtscp", RAX | RDX | RCX},
    {"cmpxchg cmpxchgb cmpxchgw cmpxchgl cmpxchgq", RAX},
    {"mulx mulxl mulxq", RDX},
    {"cpuid cmpxchg8b cmpxchg16b", RAX | RBX | RCX | RDX},
    {"push pushq pop popq pushf pushfq popf popfq leave leaveq enter", RSP | 1 << 5},
    {"vpcmpestri vpcmpestrm pcmpestri pcmpestrm", RAX | RDX | RCX},
    {"pcmpistri pcmpistrm vpcmpistri vpcmpistrm", RCX},
    {"maskmovdqu vmaskmovdqu maskmovq", RDI},
    {"movsb movsw movsl movsq stosb stosw stosl stosq lodsb lodsw lodsl lodsq cmpsb cmpsw cmpsl cmpsq scasb "
     "scasw "
     "scasl scasq stos movs lods scas cmps",
     RAX | RCX | RSI | RDI},
    {"vzeroall fxsave fxsave64 fxrstor fxrstor64", VECTORS},
    {"xsave xsave64 xsavec xsavec64 xsaveopt xsaveopt64 xrstor xrstor64", VECTORS | RAX | RDX},
};

/* The registers that an instruction reads without naming them. n: its operands; IMUL with more than one has
 * nothing hidden. */
static uint64_t hidden_reads(struct span word, unsigned n)
{
    if (n > 1 && span_starts(word, "imul"))
        return 0;
    for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++)
        if (span_in(word, hidden[i].words))
            return hidden[i].reads;
    if (span_starts(word, "v4f") || span_starts(word, "vp4d")) /* four registers from the one named */
        return VECTORS;
    return 0;
}

/* True if the last operand is written whole, and not read before. */
static bool only_writes(const struct statement *statement, unsigned n)
{
    struct span word = statement->word;
    if (span_in(
            word,
            "mov movl movq movabs movabsq lea leal leaq pop popq popcnt popcntl popcntq "
            "rorx rorxl rorxq sarx sarxl sarxq shlx shlxl shlxq shrx shrxl shrxq andn "
            "andnl andnq bextr bextrl bextrq bzhi bzhil bzhiq pdep pdepl pdepq pext pextl pextq blsr blsrl "
            "blsrq blsi blsil blsiq movd vmovd vmovq movmskpd movmskps vmovmskpd vmovmskps pmovmskb "
            "vpmovmskb kmovw kmovb kmovd kmovq") ||
        span_starts(word, "movz") || span_starts(word, "movs") || span_starts(word, "cvt") ||
        span_starts(word, "vcvt"))
        return true;
    return n == 3 && span_starts(word, "imul");
}

static bool clears(const struct statement *statement, unsigned n, const struct span operand[MAX_OPERANDS])
{
    return n == 2 && span_in(statement->word, "xor xorl xorq sub subl subq") &&
           span_same(operand[0], operand[1]);
}

static bool changes(struct span word, unsigned n)
{
    return span_in(word, "add addl addq addw addb sub subl subq subw subb and andl andq andw andb or orl orq "
                         "orw orb xor "
                         "xorl xorq xorw xorb inc incl incq dec decl decq neg negl negq not notl notq shl "
                         "shll shlq shr "
                         "shrl shrq sar sarl sarq sal sall salq adc adcl adcq sbb sbbl sbbq bswap") ||
           (n >= 2 && span_starts(word, "imul")) || span_starts(word, "cmov") || span_starts(word, "set");
}

static bool leaves_operands(struct span word)
{
    return span_in(
        word, "cmp cmpb cmpw cmpl cmpq test testb testw testl testq bt btl btq push pushq nop nopw nopl "
              "comiss comisd ucomiss ucomisd vcomiss vcomisd vucomiss vucomisd vcomish vucomish ptest vptest "
              "vtestps vtestpd");
}

/* True if an instruction's result does not depend on its operand, though it names it. */
static bool clears_vector(struct span word, unsigned n, const struct span *operand)
{
    return n == 2 && span_in(word, "pxor xorps xorpd pcmpeqb pcmpeqd") && span_same(operand[0], operand[1]);
}

/* True for vector instructions that write their last operand whole and do not read it first. An unknown one
 * is taken to read it. */
static bool only_writes_vector(const struct statement *statement, const struct span *operand)
{
    struct span word = statement->word;
    static const char *const starts[] = {
        "vmov",   "vadd",  "vsub",   "vmul",       "vdiv",        "vsqrt",   "vcvt",    "vmax",  "vmin",
        "vand",   "vor",   "vxor",   "vpxor",      "vpand",       "vpor",    "vpadd",   "vpsub", "vpmull",
        "vunpck", "vshuf", "vpshuf", "vbroadcast", "vpbroadcast", "vinsert", "vextract"};
    if (span_contains(statement->rest, "{"))
        return false;
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (span_starts(word, starts[i]))
            return true;
    if (span_in(word, "movss movsd"))
        return memchr(operand[0].at, '(', operand[0].n) != NULL;
    return span_in(word, "movaps movapd movups movupd movdqa movdqu movd movq movddup lddqu pshufd cvtdq2pd "
                         "cvtdq2ps cvtps2pd cvtpd2ps cvttps2dq cvttpd2dq sqrtps sqrtpd");
}

/* True for instructions that may write more than one operand, or one that is not named. */
static bool writes_several(struct span word)
{
    return span_starts(word, "xchg") || span_starts(word, "xadd") || span_starts(word, "cmpxchg") ||
           span_starts(word, "mulx") || span_starts(word, "vgather") || span_starts(word, "vpgather");
}

/* The uses of an instruction that writes its last operand whole, from the others, or where it is cleared from
 * nothing. */
static struct uses written_anew(struct uses uses, bool clear, unsigned n, const struct span *operand,
                                uint64_t others)
{
    for (unsigned i = 0; i + 1 < n; i++)
        others |= mentioned(operand[i]);
    uses.kills = uses.writes;
    uses.reads = clear ? 0 : others;
    return uses;
}

static struct uses uses_of_vector(const struct statement *statement, unsigned n, const struct span *operand,
                                  struct uses uses)
{
    bool clear = clears_vector(statement->word, n, operand);
    uses.writes = REGISTER(vector_of(operand[n - 1]));
    uses.may |= uses.writes;
    return clear || only_writes_vector(statement, operand) ? written_anew(uses, clear, n, operand, 0) : uses;
}

static struct uses uses_of_operands(const struct statement *statement)
{
    struct span operand[MAX_OPERANDS], word = statement->word;
    unsigned n = operands_of(statement->rest, operand);
    uint64_t implied = hidden_reads(word, n), all = mentioned(statement->rest);
    struct uses uses = {.reads = all | implied, .may = implied};
    int bytes = 0, last = n > 0 ? register_of(operand[n - 1], &bytes) : NOWHERE;
    if (writes_several(word))
        uses.may |= all;
    if (n == 0 || leaves_operands(word))
        return uses;
    if (vector_of(operand[n - 1]) != NOWHERE)
        return uses_of_vector(statement, n, operand, uses);
    if (last == NOWHERE)
        return uses;
    uint64_t bit = REGISTER(last);
    bool whole = only_writes(statement, n), clear = clears(statement, n, operand);
    uses.may |= bit;
    uses.writes = whole || clear || changes(word, n) ? bit : 0;
    return bytes >= 4 && (whole || clear) ? written_anew(uses, clear, n, operand, implied) : uses;
}

struct uses uses_of(const struct statement *statement)
{
    struct effect effect = effect_of(statement);
    if (statement->kind == STATEMENT_PREFIX ||
        (statement->kind == STATEMENT_INSTRUCTION && is_prefix(statement->word)))
        return (struct uses){0};
    if (statement->kind != STATEMENT_INSTRUCTION || effect.reads == FLAGS_ALL)
        return (struct uses){.reads = REGISTERS_ALL, .may = REGISTERS_ALL, .named = REGISTERS_ALL};
    struct span operand[MAX_OPERANDS];
    unsigned n = operands_of(statement->rest, operand);
    uint64_t named = mentioned(statement->rest) | hidden_reads(statement->word, n);
    if (effect.flow == FLOW_CALL)
        return (struct uses){.reads = ARGUMENTS | RSP | named, .may = REGISTERS_ALL, .named = named};
    struct uses uses = uses_of_operands(statement);
    uses.named = named;
    return uses;
}

/* True for IRET, and for POP of a register that calls may change, other than RAX, RCX and RDX: into these,
 * dummies are popped that only move the stack. */
bool restores_registers(const struct statement *statement)
{
    return span_starts(statement->word, "iret") ||
           (span_in(statement->word, "pop popq") && !statement->assembler &&
            (statement->uses.kills & (RSI | RDI | R8 | R9 | R10 | R11)) != 0);
}
