/* SPDX-License-Identifier: BSD-3-Clause
 *
 * x86: by the mnemonic. What Capstone says of how operands are accessed is wrong for much of SSE and
 * AVX (it has stores of MOVQ and VEXTRACTF128 as loads), so which memory is read and written is here.
 *
 * Where emulator_events.def leaves a choice:
 * - An instruction is classified by its form: ANDPS that clears the sign of one number is a vector
 *   instruction, and so is XORPS of a register with itself.
 * - Moves are also: broadcasts, MOVDDUP and its like, single elements (PINSR, PEXTR, INSERTPS) and
 *   halves (VINSERTF128, VEXTRACTF128, MOVHLPS) put in or taken out, the signs of lanes (MOVMSKPD,
 *   PMOVMSKB), conversions of integers that extend the accumulator (CDQE, CQO), conditional moves,
 *   SETcc, x87 loads, stores, exchanges and constants.
 * - Packed integers that are widened or narrowed (PMOVZX, PACKSS) are vector instructions.
 * - A lane that a mask leaves out counts.
 * - Horizontal additions are one operation for each lane of the result, dot products two.
 */
#include "formats/classification/classify.h"

#include <stdatomic.h>
#include <string.h>

/* The access to memory: through the operand if it is the first one, if it is another one, or without any
 * operand that says so. */
enum memory {
    MEMORY_MOVE, /* the first operand is written, others are read: all that is not listed */
    MEMORY_READ,
    MEMORY_CHANGE, /* as MEMORY_MOVE, but the first is read too */
    MEMORY_EXCHANGE,
    MEMORY_WRITE,
    MEMORY_WRITE_WORD, /* two bytes, whatever Capstone says */
    MEMORY_NONE,       /* an address that is not accessed */
    MEMORY_PUSH,       /* onto the stack, what is read from the operand */
    MEMORY_POP,
    MEMORY_READ_HIDDEN,
    MEMORY_WRITE_HIDDEN,
    MEMORY_READ_AREA, /* the state of a unit: Capstone knows no size */
    MEMORY_WRITE_AREA,
    MEMORY_CHANGE_AREA,
};

enum { NONE, LOAD = ACCESS_LOAD, STORE = ACCESS_STORE, BOTH = LOAD | STORE };

static const struct {
    uint8_t first, other, hidden;
} accesses[] = {
    [MEMORY_MOVE] = {STORE, LOAD, NONE},         [MEMORY_READ] = {LOAD, LOAD, NONE},
    [MEMORY_CHANGE] = {BOTH, LOAD, NONE},        [MEMORY_EXCHANGE] = {BOTH, BOTH, NONE},
    [MEMORY_WRITE] = {STORE, STORE, NONE},       [MEMORY_NONE] = {NONE, NONE, NONE},
    [MEMORY_WRITE_WORD] = {STORE, STORE, NONE},  [MEMORY_PUSH] = {LOAD, LOAD, STORE},
    [MEMORY_POP] = {STORE, LOAD, LOAD},          [MEMORY_READ_HIDDEN] = {NONE, NONE, LOAD},
    [MEMORY_WRITE_HIDDEN] = {NONE, NONE, STORE}, [MEMORY_READ_AREA] = {LOAD, LOAD, NONE},
    [MEMORY_WRITE_AREA] = {STORE, STORE, NONE},  [MEMORY_CHANGE_AREA] = {BOTH, BOTH, NONE},
};

/* The meaning of a mnemonic. */
struct meaning {
    uint8_t operation; /* enum operation */
    uint8_t memory;    /* enum memory */
    uint8_t precision; /* enum precision */
    bool packed : 1;
    bool known : 1;
};

static const struct words {
    const char *words;
    uint8_t operation, memory, precision;
} mnemonics[] = {
    {"adc add and btc btr bts cmpxchg cmpxchg8b cmpxchg16b dec inc neg not or rcl rcr rol ror sal sar sbb "
     "shl shld shr shrd sub xadd xor",
     OPERATION_INTEGER, MEMORY_CHANGE, 0},
    {"aaa aad aam aas adcx adox andn bextr blcfill blci blcic blcmsk blcs blsfill blsi blsic blsmsk blsr "
     "bsf bsr bswap bt bzhi cmp crc32 daa das div idiv imul lzcnt mul mulx pdep pext popcnt rorx sarx shlx "
     "shrx t1mskc test tzcnt tzmsk",
     OPERATION_INTEGER, MEMORY_READ, 0},
    {"lea", OPERATION_INTEGER, MEMORY_NONE, 0},
    {"call lcall", OPERATION_CALL, MEMORY_PUSH, 0},
    {"ret retf retfq iret iretd iretq", OPERATION_RETURN, MEMORY_POP, 0},
    {"jmp ljmp", OPERATION_JUMP, MEMORY_READ, 0},
    {"ja jae jb jbe jcxz je jecxz jg jge jl jle jne jno jnp jns jo jp jrcxz js loop loope loopne",
     OPERATION_BRANCH, MEMORY_NONE, 0},
    {"syscall sysenter", OPERATION_SYSTEM_CALL, MEMORY_NONE, 0},
    {"push pushaw pushal pushf pushfd pushfq enter", OPERATION_NONE, MEMORY_PUSH, 0},
    {"pop popaw popal popf popfd popfq leave", OPERATION_NONE, MEMORY_POP, 0},
    {"xchg", OPERATION_NONE, MEMORY_EXCHANGE, 0},
    {"bound fld fldcw ldmxcsr lgdt lidt lldt lmsw ltr verr verw", OPERATION_NONE, MEMORY_READ, 0},
    {"fst fstp fstpnce stmxcsr", OPERATION_NONE, MEMORY_WRITE, 0},
    {"fnstcw fnstsw", OPERATION_NONE, MEMORY_WRITE_WORD, 0},
    {"fldenv frstor fxrstor fxrstor64 xrstor xrstor64 xrstors xrstors64", OPERATION_NONE, MEMORY_READ_AREA,
     0},
    {"fnsave fnstenv fxsave fxsave64 xsavec xsavec64 xsaves xsaves64", OPERATION_NONE, MEMORY_WRITE_AREA, 0},
    /* Into a header that keeps the rest of its bits. */
    {"xsave xsave64 xsaveopt xsaveopt64", OPERATION_NONE, MEMORY_CHANGE_AREA, 0},
    {"xlatb", OPERATION_NONE, MEMORY_READ_HIDDEN, 0},
    {"maskmovdqu maskmovq", OPERATION_NONE, MEMORY_WRITE_HIDDEN, 0},
    {"clflush clflushopt clwb invlpg nop pause pcommit prefetch prefetchnta prefetcht0 prefetcht1 "
     "prefetcht2 prefetchw",
     OPERATION_NONE, MEMORY_NONE, 0},
    {"aesdec aesdeclast aesenc aesenclast aesimc aeskeygenassist alignd alignq mpsadbw sha1msg1 sha1msg2 "
     "sha1nexte sha1rnds4 sha256msg1 sha256msg2 sha256rnds2",
     OPERATION_PACKED, MEMORY_READ, 0},
    {"fadd faddp fiadd fsub fsubp fsubr fsubrp fisub fisubr", OPERATION_ADD, MEMORY_READ, PRECISION_EXTENDED},
    {"fmul fmulp fimul", OPERATION_MULTIPLY, MEMORY_READ, PRECISION_EXTENDED},
    {"fdiv fdivp fdivr fdivrp fidiv fidivr", OPERATION_DIVIDE, MEMORY_READ, PRECISION_EXTENDED},
    {"fsqrt", OPERATION_SQRT, MEMORY_READ, PRECISION_EXTENDED},
    {"f2xm1 fcos fpatan fprem fprem1 fptan fscale fsin fsincos fyl2x fyl2xp1", OPERATION_OTHER, MEMORY_READ,
     PRECISION_EXTENDED},
    {"fcom fcomi fcomip fcomp fcompi fcompp ficom ficomp ftst fucom fucomi fucomip fucomp fucompi fucompp "
     "fxam",
     OPERATION_COMPARE, MEMORY_READ, PRECISION_EXTENDED},
    {"fbld fild frndint fxtract", OPERATION_CONVERT, MEMORY_READ, PRECISION_EXTENDED},
    {"fbstp fist fistp fisttp", OPERATION_CONVERT, MEMORY_WRITE, PRECISION_EXTENDED},
};

/* 3DNow!: two numbers in a register. */
static const struct words pairs[] = {
    {"pfacc pfadd pfnacc pfpnacc pfsub pfsubr", OPERATION_ADD, MEMORY_READ, PRECISION_SINGLE},
    {"pfmul", OPERATION_MULTIPLY, MEMORY_READ, PRECISION_SINGLE},
    {"pfmax pfmin", OPERATION_OTHER, MEMORY_READ, PRECISION_SINGLE},
    {"pfrcp pfrcpit1 pfrcpit2 pfrsqit1 pfrsqrt", OPERATION_INVERSE, MEMORY_READ, PRECISION_SINGLE},
    {"pfcmpeq pfcmpge pfcmpgt", OPERATION_COMPARE, MEMORY_READ, PRECISION_SINGLE},
    {"pf2id pf2iw pi2fd pi2fw", OPERATION_CONVERT, MEMORY_READ, PRECISION_SINGLE},
};

/* SSE and AVX: in front of the two letters of their type. */
static const struct words stems[] = {
    {"add addsub hadd hsub sub", OPERATION_ADD, MEMORY_READ, 0},
    {"mul", OPERATION_MULTIPLY, MEMORY_READ, 0},
    {"div", OPERATION_DIVIDE, MEMORY_READ, 0},
    {"sqrt", OPERATION_SQRT, MEMORY_READ, 0},
    {"rcp rcp14 rcp28 rsqrt rsqrt14 rsqrt28", OPERATION_INVERSE, MEMORY_READ, 0},
    {"fmadd fmaddsub fmsub fmsubadd fnmadd fnmsub", OPERATION_FMA, MEMORY_READ, 0},
    {"dp", OPERATION_DOT, MEMORY_READ, 0},
    {"exp2 max min", OPERATION_OTHER, MEMORY_READ, 0},
    {"comi ucomi", OPERATION_COMPARE, MEMORY_READ, 0},
    {"frcz rndscale round", OPERATION_CONVERT, MEMORY_READ, 0},
    {"and andn blend blendm blendv expand or shuf test unpckh unpckl xor", OPERATION_PACKED, MEMORY_READ, 0},
    {"compress", OPERATION_PACKED, MEMORY_MOVE, 0},
};

static const struct {
    char letters[3];
    uint8_t precision;
    bool packed;
} types[] = {
    {"ss", PRECISION_SINGLE, false}, {"sd", PRECISION_DOUBLE, false}, {"ps", PRECISION_SINGLE, true},
    {"pd", PRECISION_DOUBLE, true},  {"sh", PRECISION_HALF, false},   {"ph", PRECISION_HALF, true},
};

/* P and the rest of the name are packed integers; these are moves. */
static const char *const packed_moves[] = {"pbroadcast", "pextr",    "pgather", "pinsr",
                                           "pmaskmov",   "pmovmskb", "pscatter"};

#define LENGTH(array) (sizeof(array) / sizeof *(array))

static bool has_word(const char *words, const char *word, size_t length)
{
    for (;;) {
        size_t n = strcspn(words, " ");
        if (n == length && memcmp(words, word, n) == 0)
            return true;
        if (words[n] == '\0')
            return false;
        words += n + 1;
    }
}

static bool find(const struct words *table, size_t n, const char *word, size_t length, struct meaning *out)
{
    for (size_t i = 0; i < n; i++)
        if (has_word(table[i].words, word, length)) {
            out->operation = table[i].operation;
            out->memory = table[i].memory;
            out->precision = table[i].precision;
            return true;
        }
    return false;
}

static bool starts_with(const char *name, const char *start)
{
    return strncmp(name, start, strlen(start)) == 0;
}

/* The order of a fused multiply-add's operands is not part of what it does. */
static size_t without_order(const char *name, size_t length)
{
    static const char orders[][4] = {"132", "213", "231"};
    for (size_t i = 0; length > 3 && i < LENGTH(orders); i++)
        if (memcmp(name + length - 3, orders[i], 3) == 0)
            return length - 3;
    return length;
}

/* ADDPD and its like. The comparisons have their predicate in the name: CMPNEQ_OSPD. */
static bool find_typed(const char *name, struct meaning *out)
{
    size_t length = strlen(name), i;
    if (length < 4)
        return false;
    for (i = 0; i < LENGTH(types) && memcmp(name + length - 2, types[i].letters, 2) != 0; i++)
        ;
    if (i == LENGTH(types))
        return false;
    if (starts_with(name, "cmp"))
        *out = (struct meaning){.operation = OPERATION_COMPARE, .memory = MEMORY_READ};
    else if (!find(stems, LENGTH(stems), name, without_order(name, length - 2), out))
        return false;
    out->precision = types[i].precision;
    out->packed = types[i].packed;
    return true;
}

static bool find_conversion(const char *name, struct meaning *out)
{
    if (!starts_with(name, "cvt"))
        return false;
    out->operation = OPERATION_CONVERT; /* the memory may be the first operand: VCVTPS2PH */
    out->packed = strstr(name, "pd") != NULL || strstr(name, "ps") != NULL || strstr(name, "ph") != NULL;
    return true;
}

static bool find_packed(const char *name, struct meaning *out)
{
    if (name[0] != 'p')
        return false;
    out->packed = true;
    if (find(pairs, LENGTH(pairs), name, strlen(name), out))
        return true;
    for (size_t i = 0; i < LENGTH(packed_moves); i++)
        if (starts_with(name, packed_moves[i]))
            return true;
    out->operation = OPERATION_PACKED;
    return true;
}

static struct meaning look_up(const char *name)
{
    struct meaning meaning = {0};
    bool found = find(mnemonics, LENGTH(mnemonics), name, strlen(name), &meaning);
    name += !found && name[0] == 'v';
    if (!found && !find(mnemonics, LENGTH(mnemonics), name, strlen(name), &meaning) &&
        !find_typed(name, &meaning) && !find_conversion(name, &meaning))
        find_packed(name, &meaning);
    meaning.packed |= meaning.operation == OPERATION_PACKED;
    meaning.known = true;
    return meaning;
}

/* Each mnemonic is looked up once; threads that do it at one time find the same. */
static struct meaning meaning_of(csh disassembler, const cs_insn *insn)
{
    static _Atomic struct meaning meanings[X86_INS_ENDING];
    const char *name = cs_insn_name(disassembler, insn->id);
    struct meaning meaning = {0};
    if (insn->id >= X86_INS_ENDING || name == NULL)
        return meaning;
    meaning = atomic_load_explicit(&meanings[insn->id], memory_order_relaxed);
    if (!meaning.known) {
        meaning = look_up(name);
        atomic_store_explicit(&meanings[insn->id], meaning, memory_order_relaxed);
    }
    return meaning;
}

static unsigned vector_size(const cs_x86 *x86)
{
    for (unsigned i = 0; i < x86->op_count; i++) {
        x86_reg reg = x86->operands[i].type == X86_OP_REG ? x86->operands[i].reg : X86_REG_INVALID;
        if (reg >= X86_REG_ZMM0 && reg <= X86_REG_ZMM31)
            return 64;
        if (reg >= X86_REG_YMM0 && reg <= X86_REG_YMM31)
            return 32;
        if (reg >= X86_REG_XMM0 && reg <= X86_REG_XMM31)
            return 16;
        if (reg >= X86_REG_MM0 && reg <= X86_REG_MM7)
            return 8;
    }
    return 0;
}

static const uint8_t precision_sizes[] = {
    [PRECISION_HALF] = 2, [PRECISION_SINGLE] = 4, [PRECISION_DOUBLE] = 8};

static struct lanes lanes_of(const cs_x86 *x86, struct meaning meaning)
{
    struct lanes lanes = {.precision = meaning.precision, .n = 1, .vector = meaning.packed};
    if (meaning.packed)
        lanes.n = vector_size(x86) / precision_sizes[meaning.precision];
    return lanes;
}

static const cs_x86_op *memory_operand(const cs_x86 *x86)
{
    for (unsigned i = 0; i < x86->op_count; i++)
        if (x86->operands[i].type == X86_OP_MEM)
            return &x86->operands[i];
    return NULL;
}

/* The size of a word on the stack: that of addresses in the mode, which one prefix halves for addresses alone
 * (67 CALL comes from linkers), and another for the words of PUSH and POP. */
static unsigned stack_size(const cs_x86 *x86, struct meaning meaning)
{
    if (x86->prefix[2] == X86_PREFIX_OPSIZE && meaning.operation == OPERATION_NONE)
        return 2;
    return x86->prefix[3] == X86_PREFIX_ADDRSIZE ? x86->addr_size * 2u : x86->addr_size;
}

static unsigned memory_size(const cs_x86 *x86, struct meaning meaning)
{
    const cs_x86_op *operand = memory_operand(x86);
    switch (meaning.memory) {
    case MEMORY_READ_AREA:
    case MEMORY_WRITE_AREA:
    case MEMORY_CHANGE_AREA:
        return 0;
    case MEMORY_PUSH: /* Capstone has two bytes for PUSH FS, four for some calls */
    case MEMORY_POP:
        return stack_size(x86, meaning);
    case MEMORY_WRITE_HIDDEN:
        return vector_size(x86);
    case MEMORY_WRITE_WORD:
        return 2;
    case MEMORY_READ_HIDDEN:
        return 1;
    default: /* Capstone has COMISS read 16 bytes */
        if (meaning.operation == OPERATION_COMPARE && meaning.precision != PRECISION_EXTENDED &&
            !meaning.packed)
            return precision_sizes[meaning.precision];
        return operand == NULL ? 0 : operand->size;
    }
}

static void add_memory(const cs_x86 *x86, struct meaning meaning, struct kind *out)
{
    unsigned access = accesses[meaning.memory].hidden;
    const cs_x86_op *operand = memory_operand(x86);
    if (operand != NULL)
        access |= operand == x86->operands ? accesses[meaning.memory].first : accesses[meaning.memory].other;
    kind_add_accesses(out, access, memory_size(x86, meaning));
}

/* String instructions, by the opcode: MOVSD and CMPSD are also names of SSE instructions. */
static const struct string {
    uint8_t opcode, access;
    bool compares;
} strings[] = {
    {0xa4, BOTH, false}, {0xa6, LOAD, true},   {0xaa, STORE, false}, {0xac, LOAD, false},
    {0xae, LOAD, true},  {0x6c, STORE, false}, {0x6e, LOAD, false},
};

static bool classify_string(const cs_x86 *x86, struct kind *out)
{
    static const struct lanes none;
    const cs_x86_op *operand = memory_operand(x86);
    for (size_t i = 0; i < LENGTH(strings); i++) {
        if ((x86->opcode[0] & ~1) != strings[i].opcode)
            continue;
        if (strings[i].compares)
            kind_add_operation(out, OPERATION_INTEGER, none);
        kind_add_accesses(out, strings[i].access, operand == NULL ? 0 : operand->size);
        out->repeats = x86->prefix[0] == X86_PREFIX_REP || x86->prefix[0] == X86_PREFIX_REPNE;
        return true;
    }
    return false;
}

static enum operation operation_of(const cs_insn *insn, struct meaning meaning)
{
    const cs_x86 *x86 = &insn->detail->x86;
    /* Linux's system calls of 32 bits. */
    if (insn->id == X86_INS_INT && x86->op_count == 1 && x86->operands[0].imm == 0x80)
        return OPERATION_SYSTEM_CALL;
    return meaning.operation;
}

void classify_x86(csh disassembler, const cs_insn *insn, struct kind *out)
{
    const cs_x86 *x86 = &insn->detail->x86;
    memset(out, 0, sizeof *out);
    if (classify_string(x86, out))
        return;
    struct meaning meaning = meaning_of(disassembler, insn);
    kind_add_operation(out, operation_of(insn, meaning), lanes_of(x86, meaning));
    add_memory(x86, meaning, out);
    if (out->flow == FLOW_CONDITIONAL && x86->op_count == 1)
        out->target = (uint64_t)x86->operands[0].imm;
}

/* Reads the shadow stack pointer, for the unwinder; without such a stack it does nothing. */
static bool is_rdssp(const uint8_t *bytes, size_t size)
{
    if (size < 4 || bytes[0] != 0xf3)
        return false;
    if (size == 5 && (bytes[1] & 0xf8) == 0x48) { /* REX.W */
        bytes++;
        size--;
    }
    return size == 4 && bytes[1] == 0x0f && bytes[2] == 0x1e && bytes[3] >= 0xc8 && bytes[3] <= 0xcf;
}

/* VBROADCASTI128; AES and products without carry of 32 bytes. By VEX also what is known by EVEX alone: dot
 * products of integers, multiply-adds of 52 bits, Galois fields, and conversions of halves and bfloat16. */
static enum operation vex_operation(unsigned map, unsigned opcode)
{
    enum { MAP_38 = 2, MAP_3A = 3 };
    if (map == MAP_3A)
        return opcode == 0x44 || opcode == 0xce || opcode == 0xcf ? OPERATION_PACKED : OPERATION_NONE;
    if (map != MAP_38)
        return OPERATION_NONE;
    if (opcode == 0x72 || opcode == 0xb0 || opcode == 0xb1)
        return OPERATION_CONVERT;
    bool dots = (opcode >= 0x50 && opcode <= 0x53) || opcode == 0xd2 || opcode == 0xd3;
    bool sums = opcode == 0xb4 || opcode == 0xb5, fields = opcode == 0xcf;
    return dots || sums || fields || (opcode >= 0xdc && opcode <= 0xdf) ? OPERATION_PACKED : OPERATION_NONE;
}

static bool classify_vex(const uint8_t *bytes, size_t size, struct kind *out)
{
    enum { VEX = 0xc4, MAP = 0x1f, LONG = 4 };
    static const struct lanes all = {.vector = true};
    if (size < 5 || bytes[0] != VEX)
        return false;
    unsigned map = bytes[1] & MAP, opcode = bytes[3];
    enum operation operation = vex_operation(map, opcode);
    bool memory = bytes[4] < 0xc0, broadcast = map == 2 && opcode == 0x5a && memory;
    if (operation != OPERATION_NONE)
        kind_add_operation(out, operation, all);
    if (operation != OPERATION_NONE || broadcast)
        kind_add_accesses(out, memory ? ACCESS_LOAD : 0, !broadcast && (bytes[2] & LONG) ? 32 : 16);
    return operation != OPERATION_NONE || broadcast;
}

/* Galois fields; MOVDIRI and MOVDIR64B, which write past the caches. */
static bool classify_map_38_3a(const uint8_t *bytes, size_t size, struct kind *out)
{
    static const struct lanes all = {.vector = true};
    bool word = size > 0 && bytes[0] == 0x66;
    bytes += word;
    size -= word;
    if (size > 0 && (*bytes & 0xf0) == 0x40) { /* REX */
        bytes++;
        size--;
    }
    if (size < 4 || bytes[0] != 0x0f || (bytes[1] != 0x38 && bytes[1] != 0x3a))
        return false;
    bool memory = bytes[3] < 0xc0, first = bytes[1] == 0x38;
    bool fields = word && (bytes[2] == 0xcf || (!first && bytes[2] == 0xce));
    bool direct = first && memory && bytes[2] == (word ? 0xf8 : 0xf9);
    if (fields)
        kind_add_operation(out, OPERATION_PACKED, all);
    if (fields && memory)
        kind_add_accesses(out, ACCESS_LOAD, 16);
    if (direct)
        kind_add_accesses(out, word ? ACCESS_LOAD | ACCESS_STORE : ACCESS_STORE, word ? 64 : 0);
    return fields || direct;
}

/* True for SERIALIZE. */
static bool is_serialize(const uint8_t *bytes, size_t size)
{
    return size == 3 && bytes[0] == 0x0f && bytes[1] == 0x01 && bytes[2] == 0xe8;
}

/* PREFETCH of 3DNow!, which is left of it, and the reserved ones beside it: hints with an operand in memory.
 */
static bool is_prefetch(const uint8_t *bytes, size_t size)
{
    if (size > 0 && (*bytes & 0xf0) == 0x40) { /* REX */
        bytes++;
        size--;
    }
    return size >= 3 && bytes[0] == 0x0f && bytes[1] == 0x0d && bytes[2] >> 6 != 3;
}

bool classify_x86_bytes(const uint8_t *bytes, size_t size, struct kind *out)
{
    memset(out, 0, sizeof *out);
    /* Skips the prefixes of a segment and of the size of addresses. */
    for (; size > 0 && (*bytes == 0x64 || *bytes == 0x65 || *bytes == 0x67); size--)
        bytes++;
    return is_rdssp(bytes, size) || is_prefetch(bytes, size) || is_serialize(bytes, size) ||
           classify_vex(bytes, size, out) || classify_map_38_3a(bytes, size, out);
}

/* ---- length */

/* Lengths of instructions of x86-64 that the disassembler does not know, found from the encoding's form. The
 * first map of opcodes is not handled: Capstone knows all of it. */
enum map { MAP_NONE, MAP_0F, MAP_38, MAP_3A, MAP_HALF_5 = 5, MAP_HALF_6 };

struct reader {
    const uint8_t *at, *end;
};

static bool is_legacy_prefix(uint8_t byte)
{
    switch (byte) {
    case 0x26:
    case 0x2e:
    case 0x36:
    case 0x3e:
    case 0x64:
    case 0x65:
    case 0x66:
    case 0x67:
    case 0xf0:
    case 0xf2:
    case 0xf3:
        return true;
    default:
        return (byte & 0xf0) == 0x40;
    }
}

/* Past VEX, EVEX or the escape bytes; the opcode comes next. */
static enum map read_map(struct reader *reader)
{
    const uint8_t *at = reader->at;
    ptrdiff_t left = reader->end - at;
    if (left > 2 && at[0] == 0xc5) {
        reader->at += 2;
        return MAP_0F;
    }
    if (left > 3 && at[0] == 0xc4) {
        reader->at += 3;
        return at[1] & 0x1f;
    }
    if (left > 4 && at[0] == 0x62) {
        reader->at += 4;
        return at[1] & 7;
    }
    if (left < 2 || at[0] != 0x0f)
        return MAP_NONE;
    bool three = at[1] == 0x38 || at[1] == 0x3a;
    reader->at += three ? 2 : 1;
    return at[1] == 0x38 ? MAP_38 : at[1] == 0x3a ? MAP_3A : MAP_0F;
}

static bool has_byte_behind(enum map map, uint8_t opcode)
{
    if (map == MAP_3A)
        return true;
    return map == MAP_0F && ((opcode >= 0x70 && opcode <= 0x73) || opcode == 0xa4 || opcode == 0xac ||
                             opcode == 0xba || opcode == 0xc2 || (opcode >= 0xc4 && opcode <= 0xc6));
}

/* The operand: what follows the opcode, without the number behind it. */
static size_t operand_length(const uint8_t *at, const uint8_t *end)
{
    static const uint8_t displacement[] = {0, 1, 4, 0};
    if (at == end)
        return 0;
    unsigned mode = *at >> 6, base = *at & 7;
    size_t length = 1 + displacement[mode];
    if (mode == 3)
        return 1;
    if (base == 4) {
        if (end - at < 2)
            return 0;
        length++;
        base = at[1] & 7;
    }
    return mode == 0 && base == 5 ? length + 4 : length;
}

size_t x86_length(const uint8_t *bytes, size_t size)
{
    struct reader reader = {bytes, bytes + size};
    while (reader.at < reader.end && is_legacy_prefix(*reader.at))
        reader.at++;
    enum map map = read_map(&reader);
    if (map < MAP_0F || map > MAP_HALF_6 || map == 4 || reader.at == reader.end)
        return 0;
    uint8_t opcode = *reader.at++;
    size_t operand = operand_length(reader.at, reader.end);
    size_t length = (size_t)(reader.at - bytes) + operand + has_byte_behind(map, opcode);
    return operand > 0 && length <= size && length <= 15 ? length : 0;
}
