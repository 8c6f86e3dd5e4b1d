/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A64: by the bits of the instruction, in the groups of the architecture's encoding tables.
 *
 * Where emulator_events.def leaves a choice:
 * - Integer arithmetic on one lane (ADD D0, D1, D2) is an integer instruction; on all lanes it is a
 *   vector instruction, and so is what adds up or compares all lanes of one vector (ADDV, FADDP D0,
 *   V1.2D): it does one operation less than there are lanes.
 * - FNEG and FABS of one number count as nothing; of vectors they are logic, as with other processors
 *   that have no such instruction.
 * - Moves are also: MOV that is an ORR or ADD, extensions (SXTW, UXTB), DUP, INS, UMOV, MOVI, FMOV, and
 *   selections (CSEL, FCSEL, CSET; not those that compute: CINC, CNEG).
 * - A step of a reciprocal (FRECPS) is fused and so two operations a lane; products of halves or
 *   bfloat16 that are summed in single precision are two operations each, of single precision.
 * - Atomic changes of memory are integer instructions that load and store, with or without a result
 *   (LDADD, STADD, CAS); SWP is a move that does both.
 * - Signing and checking of pointers and memory tags count as nothing; the branches and loads that do
 *   it on the way count as such.
 */
#include "formats/classification/classify.h"

#include <stddef.h>
#include <string.h>

static inline uint32_t bits(uint32_t word, unsigned high, unsigned low)
{
    return word >> low & ((2u << (high - low)) - 1);
}

static inline uint32_t bit(uint32_t word, unsigned n)
{
    return word >> n & 1;
}

enum { ZERO_REGISTER = 31 }; /* or the stack pointer */

static uint32_t register_d(uint32_t word)
{
    return bits(word, 4, 0);
}

static uint32_t register_n(uint32_t word)
{
    return bits(word, 9, 5);
}

static uint32_t register_m(uint32_t word)
{
    return bits(word, 20, 16);
}

/* The instruction, as the functions of the groups below take it. */
struct decoded {
    uint32_t word;
    uint64_t address;
    struct kind *out;
};

static void operate(const struct decoded *insn, enum operation operation)
{
    static const struct lanes none;
    kind_add_operation(insn->out, operation, none);
}

/* ---- integers */

static void nothing(const struct decoded *insn)
{
    (void)insn;
}

static void integer(const struct decoded *insn)
{
    operate(insn, OPERATION_INTEGER);
}

static void integer_unless(const struct decoded *insn, bool move)
{
    operate(insn, move ? OPERATION_NONE : OPERATION_INTEGER);
}

/* MOV from and to the stack pointer is an addition of 0. */
static void add_immediate(const struct decoded *insn)
{
    uint32_t word = insn->word;
    bool plain = bits(word, 30, 29) == 0 && bits(word, 22, 10) == 0;
    integer_unless(insn, plain && (register_d(word) == ZERO_REGISTER || register_n(word) == ZERO_REGISTER));
}

/* MOV of an immediate and of a register is an ORR with zero. */
static void logical_immediate(const struct decoded *insn)
{
    integer_unless(insn, bits(insn->word, 30, 29) == 1 && register_n(insn->word) == ZERO_REGISTER);
}

static void logical_register(const struct decoded *insn)
{
    uint32_t word = insn->word;
    bool plain = bits(word, 30, 29) == 1 && bits(word, 23, 21) == 0 && bits(word, 15, 10) == 0;
    integer_unless(insn, plain && register_n(word) == ZERO_REGISTER);
}

/* Extensions of 8, 16 and 32 bits are bit fields that begin at 0. */
static void bit_field(const struct decoded *insn)
{
    uint32_t word = insn->word, operation = bits(word, 30, 29), last = bits(word, 15, 10);
    bool wide = bit(word, 31), extends_sign = operation == 0, extends_zero = operation == 2 && !wide;
    bool whole = last == 7 || last == 15 || (last == 31 && wide);
    integer_unless(insn, (extends_sign || extends_zero) && bits(word, 21, 16) == 0 && whole);
}

static void conditional_select(const struct decoded *insn)
{
    uint32_t word = insn->word;
    bool plain = bit(word, 30) == 0 && bit(word, 10) == 0;
    integer_unless(insn, plain || (register_n(word) == ZERO_REGISTER && register_m(word) == ZERO_REGISTER));
}

/* ---- branches */

static void branch_to(const struct decoded *insn, unsigned high, unsigned low)
{
    unsigned width = high - low + 1;
    uint64_t offset = bits(insn->word, high, low), sign = 1ULL << (width - 1);
    offset = (offset ^ sign) - sign;
    operate(insn, OPERATION_BRANCH);
    insn->out->target = insn->address + offset * 4;
}

static void branch_far(const struct decoded *insn)
{
    branch_to(insn, 23, 5);
}

static void branch_near(const struct decoded *insn)
{
    branch_to(insn, 18, 5);
}

static void jump(const struct decoded *insn)
{
    operate(insn, bit(insn->word, 31) ? OPERATION_CALL : OPERATION_JUMP);
}

static void jump_to_register(const struct decoded *insn)
{
    static const uint8_t operations[] = {OPERATION_JUMP, OPERATION_CALL, OPERATION_RETURN, OPERATION_NONE,
                                         OPERATION_RETURN /* ERET */};
    uint32_t kind = bits(insn->word, 23, 21);
    operate(insn, kind < sizeof operations ? operations[kind] : OPERATION_NONE);
}

static void system_call(const struct decoded *insn)
{
    operate(insn, OPERATION_SYSTEM_CALL);
}

/* ---- memory */

static void access(const struct decoded *insn, unsigned what, unsigned size)
{
    kind_add_accesses(insn->out, what, size);
}

static unsigned load_if(uint32_t load)
{
    return load ? ACCESS_LOAD : ACCESS_STORE;
}

/* Bytes of a register, by its number in the highest bits. */
static unsigned size_of(uint32_t word)
{
    return 1u << bits(word, 31, 30);
}

static void fill_memory(const struct decoded *insn)
{
    access(insn, ACCESS_STORE, 0);
}

static void exclusive(const struct decoded *insn)
{
    access(insn, load_if(bit(insn->word, 22)), size_of(insn->word));
}

static void exclusive_pair(const struct decoded *insn)
{
    access(insn, load_if(bit(insn->word, 22)), bit(insn->word, 30) ? 16 : 8);
}

static void compare_and_swap_pair(const struct decoded *insn)
{
    integer(insn);
    access(insn, ACCESS_LOAD | ACCESS_STORE, bit(insn->word, 30) ? 16 : 8);
}

static void compare_and_swap(const struct decoded *insn)
{
    integer(insn);
    access(insn, ACCESS_LOAD | ACCESS_STORE, size_of(insn->word));
}

static void swap(const struct decoded *insn)
{
    access(insn, ACCESS_LOAD | ACCESS_STORE, size_of(insn->word));
}

static void load(const struct decoded *insn)
{
    access(insn, ACCESS_LOAD, size_of(insn->word));
}

static void load_literal(const struct decoded *insn)
{
    static const uint8_t sizes[2][4] = {{4, 8, 4, 0 /* PRFM */}, {4, 8, 16, 0}};
    unsigned size = sizes[bit(insn->word, 26)][bits(insn->word, 31, 30)];
    access(insn, size > 0 ? ACCESS_LOAD : 0, size);
}

static void pair(const struct decoded *insn)
{
    uint32_t word = insn->word, size = bits(word, 31, 30);
    unsigned shift = bit(word, 26) ? 2 + size : size == 2 ? 3 : 2;
    bool tagged = !bit(word, 26) && size == 1 && !bit(word, 22); /* STGP */
    access(insn, load_if(bit(word, 22)), 2u << (tagged ? 3 : shift));
}

static void single(const struct decoded *insn)
{
    uint32_t word = insn->word;
    if (bit(word, 26)) { /* bit 23: of 16 bytes */
        access(insn, load_if(bit(word, 22)), bit(word, 23) ? 16 : size_of(word));
        return;
    }
    bool prefetch = bits(word, 31, 30) == 3 && bits(word, 23, 22) == 2;
    access(insn, prefetch ? 0 : load_if(bits(word, 23, 22)), size_of(word));
}

/* LDAPUR, STLUR. */
static void ordered(const struct decoded *insn)
{
    access(insn, load_if(bits(insn->word, 23, 22)), size_of(insn->word));
}

/* LD1 to LD4 of whole registers; opcode: how many. */
static void structures(const struct decoded *insn)
{
    static const uint8_t registers[16] = {[0] = 4, [2] = 4, [4] = 3, [6] = 3, [7] = 1, [8] = 2, [10] = 2};
    uint32_t word = insn->word;
    access(insn, load_if(bit(word, 22)), registers[bits(word, 15, 12)] * (bit(word, 30) ? 16u : 8u));
}

/* Loads and stores of one lane, and loads of one element into all lanes. */
static void structure(const struct decoded *insn)
{
    uint32_t word = insn->word, scale = bits(word, 15, 14);
    unsigned registers = (bit(word, 13) << 1 | bit(word, 21)) + 1;
    if (scale == 3)
        scale = bits(word, 11, 10);
    else if (scale == 2 && bit(word, 10))
        scale = 3;
    access(insn, load_if(bit(word, 22)), registers << scale);
}

static void store_tagged(const struct decoded *insn)
{
    bool zeroes = bit(insn->word, 22) && bits(insn->word, 11, 10) != 0;
    access(insn, zeroes ? ACCESS_STORE : 0, bit(insn->word, 23) ? 32 : 16);
}

static void store_64(const struct decoded *insn)
{
    access(insn, ACCESS_STORE, 64);
}

static void load_64(const struct decoded *insn)
{
    access(insn, ACCESS_LOAD, 64);
}

static void copy_memory(const struct decoded *insn)
{
    access(insn, ACCESS_LOAD | ACCESS_STORE, 0);
}

/* ---- floating point, one number */

static enum precision scalar_precision(uint32_t word)
{
    static const uint8_t precisions[] = {PRECISION_SINGLE, PRECISION_DOUBLE, PRECISION_SINGLE,
                                         PRECISION_HALF};
    return precisions[bits(word, 23, 22)];
}

static void scalar(const struct decoded *insn, enum operation operation)
{
    struct lanes lanes = {.precision = scalar_precision(insn->word), .n = 1};
    kind_add_operation(insn->out, operation, lanes);
}

static void scalar_fused(const struct decoded *insn)
{
    scalar(insn, OPERATION_FMA);
}

static void scalar_compare(const struct decoded *insn)
{
    scalar(insn, OPERATION_COMPARE);
}

static void scalar_convert(const struct decoded *insn)
{
    scalar(insn, OPERATION_CONVERT);
}

/* Instructions between a floating-point and a general register: FMOV, or a conversion. */
static void scalar_general(const struct decoded *insn)
{
    bool move = bits(insn->word, 18, 17) == 3 && !bit(insn->word, 20);
    scalar(insn, move ? OPERATION_NONE : OPERATION_CONVERT);
}

static void scalar_one_source(const struct decoded *insn)
{
    uint32_t opcode = bits(insn->word, 20, 15);
    if (opcode <= 2) /* FMOV, FABS, FNEG */
        return;
    scalar(insn, opcode == 3 ? OPERATION_SQRT : OPERATION_CONVERT);
}

static void scalar_two_sources(const struct decoded *insn)
{
    static const uint8_t operations[16] = {
        OPERATION_MULTIPLY, OPERATION_DIVIDE, OPERATION_ADD,
        OPERATION_ADD,      OPERATION_OTHER,  OPERATION_OTHER,
        OPERATION_OTHER,    OPERATION_OTHER,  OPERATION_MULTIPLY /* FNMUL */,
    };
    scalar(insn, operations[bits(insn->word, 15, 12)]);
}

/* ---- vectors, with their forms for one lane */

/* Bit 28 is for one lane; bit 30 is for 16 bytes of 8. */
static struct lanes lanes_of(uint32_t word, enum precision precision)
{
    static const uint8_t sizes[] = {[PRECISION_HALF] = 2, [PRECISION_SINGLE] = 4, [PRECISION_DOUBLE] = 8};
    unsigned whole = bit(word, 30) ? 16 : 8;
    struct lanes lanes = {.precision = precision, .vector = !bit(word, 28)};
    lanes.n = lanes.vector ? whole / sizes[precision] : 1;
    return lanes;
}

static enum precision vector_precision(uint32_t word)
{
    return bit(word, 22) ? PRECISION_DOUBLE : PRECISION_SINGLE;
}

static void vector(const struct decoded *insn, enum operation operation, enum precision precision)
{
    kind_add_operation(insn->out, operation, lanes_of(insn->word, precision));
}

static void packed(const struct decoded *insn)
{
    static const struct lanes all = {.vector = true};
    kind_add_operation(insn->out, OPERATION_PACKED, all);
}

static void packed_integer(const struct decoded *insn)
{
    if (bit(insn->word, 28))
        integer(insn);
    else
        packed(insn);
}

/* Operations by bits 29 (U) and 23, and the last three bits of the opcode. */
static const uint8_t three_same_operations[2][2][8] = {
    {{OPERATION_OTHER, OPERATION_FMA, OPERATION_ADD, OPERATION_MULTIPLY /* FMULX */, OPERATION_COMPARE,
      OPERATION_FMA /* FMLAL */, OPERATION_OTHER, OPERATION_REFINE},
     {OPERATION_OTHER, OPERATION_FMA, OPERATION_ADD, OPERATION_OTHER, OPERATION_NONE,
      OPERATION_FMA /* FMLSL */, OPERATION_OTHER, OPERATION_REFINE}},
    {{OPERATION_OTHER, OPERATION_FMA /* FMLAL2 */, OPERATION_ADD /* FADDP */, OPERATION_MULTIPLY,
      OPERATION_COMPARE, OPERATION_COMPARE, OPERATION_OTHER, OPERATION_DIVIDE},
     {OPERATION_OTHER, OPERATION_FMA /* FMLSL2 */, OPERATION_ADD /* FABD */, OPERATION_OTHER,
      OPERATION_COMPARE, OPERATION_COMPARE, OPERATION_OTHER, OPERATION_OTHER}},
};

static void three_same_float(const struct decoded *insn, unsigned opcode, enum precision precision)
{
    vector(insn, three_same_operations[bit(insn->word, 29)][bit(insn->word, 23)][opcode], precision);
}

static void three_same(const struct decoded *insn)
{
    uint32_t word = insn->word, opcode = bits(word, 15, 11);
    bool move =
        opcode == 3 && bits(word, 23, 22) == 2 && !bit(word, 29) && register_n(word) == register_m(word);
    if (opcode >= 0x18)
        three_same_float(insn, opcode & 7, vector_precision(word));
    else if (!move) /* MOV is an ORR of a register with itself */
        packed_integer(insn);
}

static void three_same_half(const struct decoded *insn)
{
    three_same_float(insn, bits(insn->word, 13, 11), PRECISION_HALF);
}

/* Bfloat16: products are summed into each lane of single precision. */
static void bfloat_sums(const struct decoded *insn, unsigned products)
{
    struct lanes lanes = lanes_of(insn->word, PRECISION_SINGLE);
    lanes.n *= products;
    kind_add_operation(insn->out, OPERATION_DOT, lanes);
}

/* BFMLALB and BFMLALT, whose bit 30 says which half of the factors is taken. */
static void bfloat_fused(const struct decoded *insn)
{
    static const struct lanes four = {PRECISION_SINGLE, 4, true};
    kind_add_operation(insn->out, OPERATION_FMA, four);
}

static void bfloat(const struct decoded *insn)
{
    if (bit(insn->word, 23))
        bfloat_fused(insn);
    else
        bfloat_sums(insn, 2); /* BFDOT */
}

static enum precision complex_precision(uint32_t word)
{
    static const uint8_t precisions[] = {PRECISION_HALF, PRECISION_HALF, PRECISION_SINGLE, PRECISION_DOUBLE};
    return precisions[bits(word, 23, 22)];
}

static void three_same_extra(const struct decoded *insn)
{
    uint32_t opcode = bits(insn->word, 14, 11);
    if (!bit(insn->word, 29) || opcode < 8)
        packed_integer(insn);
    else if (opcode < 12)
        vector(insn, OPERATION_FMA, complex_precision(insn->word)); /* FCMLA */
    else if (opcode == 13)
        bfloat_sums(insn, 4); /* BFMMLA */
    else if (opcode == 15)
        bfloat(insn);
    else
        vector(insn, OPERATION_ADD, complex_precision(insn->word)); /* FCADD */
}

/* Floating point among the instructions with one source: by the opcode, which precedes bit 23. */
static enum operation one_source_operation(uint32_t word)
{
    uint32_t opcode = bits(word, 16, 12);
    bool upper = bit(word, 23), u = bit(word, 29);
    switch (opcode) {
    case 0x0c:
    case 0x0d:
    case 0x0e:
        return upper ? OPERATION_COMPARE : OPERATION_PACKED;
    case 0x0f: /* FABS, FNEG */
        return bit(word, 28) ? OPERATION_NONE : OPERATION_PACKED;
    case 0x16:
    case 0x17: /* FCVTN, FCVTL */
    case 0x18:
    case 0x19:
    case 0x1a:
    case 0x1b:
    case 0x1e:
        return OPERATION_CONVERT;
    case 0x1c:
        return upper ? OPERATION_PACKED /* URECPE */ : OPERATION_CONVERT;
    case 0x1d:
        return upper ? OPERATION_INVERSE : OPERATION_CONVERT;
    case 0x1f: /* FSQRT; FRECPX; FRINT64X */
        return !upper ? OPERATION_CONVERT : u ? OPERATION_SQRT : OPERATION_INVERSE;
    default:
        return OPERATION_PACKED;
    }
}

static void one_source_of(const struct decoded *insn, enum precision precision)
{
    enum operation operation = one_source_operation(insn->word);
    if (operation == OPERATION_PACKED)
        packed_integer(insn);
    else
        vector(insn, operation, precision);
}

static void one_source(const struct decoded *insn)
{
    one_source_of(insn, vector_precision(insn->word));
}

static void one_source_half(const struct decoded *insn)
{
    one_source_of(insn, PRECISION_HALF);
}

/* All lanes to one: FMAXV and ADDV of four or eight lanes, FADDP of two. */
static void reduction(const struct decoded *insn, unsigned lanes)
{
    static const uint8_t operations[16] = {
        [0xc] = OPERATION_OTHER, [0xd] = OPERATION_ADD, [0xf] = OPERATION_OTHER};
    uint32_t word = insn->word, opcode = bits(word, 16, 12);
    bool is_float = opcode < 16 && operations[opcode] != 0;
    enum precision precision = bit(word, 29) ? vector_precision(word) : PRECISION_HALF;
    struct lanes result = {.precision = precision, .n = lanes - 1, .vector = true};
    kind_add_operation(insn->out, is_float ? operations[opcode] : OPERATION_PACKED, result);
}

static void across(const struct decoded *insn)
{
    reduction(insn, bit(insn->word, 30) && !bit(insn->word, 29) ? 8 : 4);
}

static void pairwise(const struct decoded *insn)
{
    reduction(insn, 2);
}

/* MOVI, MVNI and FMOV; ORR and BIC. */
static void modified_immediate(const struct decoded *insn)
{
    uint32_t mode = bits(insn->word, 15, 12);
    if ((mode & 1) && mode < 0xc)
        packed(insn);
}

static void shift_immediate(const struct decoded *insn)
{
    uint32_t opcode = bits(insn->word, 15, 11);
    if (opcode == 0x1c || opcode == 0x1f)
        vector(insn, OPERATION_CONVERT, PRECISION_SINGLE); /* to and from fixed point */
    else
        packed_integer(insn);
}

/* The operation of floating-point instructions of which one operand is an element, by bit 29 (U) and the
 * opcode; the others are of integers. */
static enum operation by_element_operation(uint32_t word)
{
    bool u = bit(word, 29);
    switch (bits(word, 15, 12)) {
    case 1:
    case 5:
        return OPERATION_FMA; /* FMLA, FMLS; FCMLA */
    case 3:
    case 7:
        return u ? OPERATION_FMA /* FCMLA */ : OPERATION_PACKED;
    case 9:
        return OPERATION_MULTIPLY;
    default:
        return OPERATION_PACKED;
    }
}

static void by_element(const struct decoded *insn)
{
    uint32_t word = insn->word, opcode = bits(word, 15, 12), size = bits(word, 23, 22);
    enum operation operation = by_element_operation(word);
    bool is_complex = bit(word, 29) && (opcode & 9) == 1;
    if (operation == OPERATION_PACKED)
        packed_integer(insn);
    else if (is_complex)
        vector(insn, operation, complex_precision(word));
    else
        vector(insn, operation, size == 0 ? PRECISION_HALF : vector_precision(word));
}

/* FMLAL and FMLSL. */
static void by_element_widening(const struct decoded *insn)
{
    vector(insn, OPERATION_FMA, PRECISION_SINGLE);
}

/* The first row that fits. */
static const struct group {
    uint32_t mask, value;
    void (*classify)(const struct decoded *insn);
} groups[] = {
    /* data processing, immediate */
    {0x1f000000, 0x10000000, integer}, /* ADR, ADRP */
    {0x1f800000, 0x11000000, add_immediate},
    {0x1f800000, 0x11800000, integer}, /* tagged addresses; minima */
    {0x1f800000, 0x12000000, logical_immediate},
    {0x1f800000, 0x12800000, nothing}, /* MOVZ, MOVK, MOVN */
    {0x1f800000, 0x13000000, bit_field},
    {0x1f800000, 0x13800000, integer}, /* EXTR */
    /* branches and the system */
    {0xff000000, 0x54000000, branch_far},
    {0x7e000000, 0x34000000, branch_far},  /* CBZ, CBNZ */
    {0x7e000000, 0x36000000, branch_near}, /* TBZ, TBNZ */
    {0x7c000000, 0x14000000, jump},        /* B, BL */
    {0xfe000000, 0xd6000000, jump_to_register},
    {0xffe0001f, 0xd4000001, system_call},
    {0xff000000, 0xd4000000, nothing},
    {0xffffffe0, 0xd50b7420, fill_memory}, /* DC ZVA */
    {0xffffffe0, 0xd50b7480, fill_memory}, /* DC GZVA */
    {0xff000000, 0xd5000000, nothing},
    /* loads and stores */
    {0xbfa07c00, 0x08207c00, compare_and_swap_pair},
    {0x3fa00000, 0x08200000, exclusive_pair},
    {0x3fa00000, 0x08a00000, compare_and_swap},
    {0x3f200000, 0x08000000, exclusive}, /* LDXR, LDAR */
    {0x3b000000, 0x18000000, load_literal},
    {0xff200000, 0xd9200000, store_tagged},
    {0xfbe00c00, 0x19c00400, fill_memory}, /* SET* */
    {0xfb200c00, 0x19000400, copy_memory}, /* CPY* */
    {0x3f200c00, 0x19000000, ordered},
    {0x3a000000, 0x28000000, pair},
    {0xbf000000, 0x0c000000, structures},
    {0xbf000000, 0x0d000000, structure},
    {0x3b200c00, 0x38200800, single}, /* register offset */
    {0x3b200000, 0x38000000, single}, /* other offsets of 9 bits */
    {0x3b000000, 0x39000000, single}, /* offset of 12 bits */
    {0xff200400, 0xf8200400, load},   /* LDRAA */
    {0x3ffffc00, 0x38bfc000, load},   /* LDAPR */
    {0xfffffc00, 0xf83fd000, load_64},
    {0xfffffc00, 0xf83f9000, store_64},
    {0xffe0ec00, 0xf820a000, store_64}, /* ST64BV */
    {0x3f20fc00, 0x38208000, swap},
    {0x3f208c00, 0x38200000, compare_and_swap}, /* LDADD and its like */
    /* data processing, registers */
    {0x1f000000, 0x0a000000, logical_register},
    {0x1f000000, 0x0b000000, integer}, /* ADD, SUB */
    {0x1fe00000, 0x1a000000, integer}, /* ADC, SBC; flags */
    {0x1fe00000, 0x1a400000, integer}, /* CCMP */
    {0x1fe00000, 0x1a800000, conditional_select},
    {0x5fe0fc00, 0x1ac03000, nothing}, /* PACGA */
    {0x5fe00000, 0x1ac00000, integer}, /* two sources */
    {0x5fff0000, 0x5ac00000, integer}, /* one source */
    {0x5fff0000, 0x5ac10000, nothing}, /* PAC*, AUT*, XPAC* */
    {0x1f000000, 0x1b000000, integer}, /* MADD */
    /* floating point */
    {0x7f000000, 0x1f000000, scalar_fused},
    {0x7f200000, 0x1e000000, scalar_convert}, /* to and from fixed point */
    {0x7f20fc00, 0x1e200000, scalar_general},
    {0x7f207c00, 0x1e204000, scalar_one_source},
    {0x7f203c00, 0x1e202000, scalar_compare},
    {0x7f201c00, 0x1e201000, nothing}, /* FMOV of an immediate */
    {0x7f200c00, 0x1e200400, scalar_compare},
    {0x7f200c00, 0x1e200800, scalar_two_sources},
    {0x7f200c00, 0x1e200c00, nothing}, /* FCSEL */
    /* vectors */
    {0xff3e0c00, 0x5e280800, packed}, /* SHA1H */
    {0xff208c00, 0x5e000000, packed}, /* SHA1C */
    {0xff3e0c00, 0x4e280800, packed}, /* AESE */
    {0xff000000, 0xce000000, packed}, /* EOR3, SHA512H, SM4E */
    {0x9f3e0c00, 0x0e300800, across},
    {0xdf3e0c00, 0x5e300800, pairwise},
    {0x8f7e0c00, 0x0e780800, one_source_half},
    {0x8f3e0c00, 0x0e200800, one_source},
    {0x8f200400, 0x0e200400, three_same},
    {0x8f200c00, 0x0e200000, packed_integer}, /* of different widths */
    {0x8f60c400, 0x0e400400, three_same_half},
    {0x8f208400, 0x0e008400, three_same_extra},
    {0x8fe08400, 0x0e000400, nothing}, /* DUP, INS, UMOV */
    {0xbfe08c00, 0x0e000000, packed},  /* TBL, TBX */
    {0xbf208c00, 0x0e000800, packed},  /* ZIP1, UZP1, TRN1 */
    {0xbfe08400, 0x2e000000, packed},  /* EXT */
    {0x9ff80400, 0x0f000400, modified_immediate},
    {0x8f800400, 0x0f000400, shift_immediate},
    {0xbfc0b400, 0x0f800000, by_element_widening},
    {0xbfc0b400, 0x2f808000, by_element_widening},
    {0xbf40f400, 0x0f40f000, bfloat},
    {0x8f000400, 0x0f000000, by_element},
};

bool classify_arm64_word(uint32_t word, uint64_t address, struct kind *out)
{
    struct decoded insn = {word, address, out};
    memset(out, 0, sizeof *out);
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        if ((word & groups[i].mask) == groups[i].value) {
            groups[i].classify(&insn);
            return true;
        }
    return false;
}

void classify_arm64(csh disassembler, const cs_insn *insn, struct kind *out)
{
    uint32_t word = (uint32_t)insn->bytes[0] | (uint32_t)insn->bytes[1] << 8 |
                    (uint32_t)insn->bytes[2] << 16 | (uint32_t)insn->bytes[3] << 24;
    (void)disassembler;
    classify_arm64_word(word, insn->address, out);
}
