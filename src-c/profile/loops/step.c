/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reduces an instruction to what the analysis of a loop needs: by the emulator's classification what it does,
 * by Capstone its registers and its address. Instructions of AVX-512 have their work, but no registers.
 */
#include "step.h"
#include "formats/classification/classify.h"
#include "tools/common/allocate.h"

#include <stdlib.h>
#include <string.h>

struct decoder {
    csh handle;
    cs_insn *insn;
};

struct decoder *decoder_open(void)
{
    struct decoder *decoder = memory_more(NULL, 1, sizeof *decoder);
    if (cs_open(CS_ARCH_X86, CS_MODE_64, &decoder->handle) != CS_ERR_OK) {
        free(decoder);
        return NULL;
    }
    cs_option(decoder->handle, CS_OPT_DETAIL, CS_OPT_ON);
    decoder->insn = cs_malloc(decoder->handle);
    return decoder;
}

void decoder_close(struct decoder *decoder)
{
    if (decoder == NULL)
        return;
    cs_free(decoder->insn, 1);
    cs_close(&decoder->handle);
    free(decoder);
}

/* ---- registers */

/* The number of a general register, whatever part of it is named. */
static int general_unit(x86_reg name)
{
    static const x86_reg names[][4] = {
        {X86_REG_RAX, X86_REG_EAX, X86_REG_AX, X86_REG_AL},
        {X86_REG_RBX, X86_REG_EBX, X86_REG_BX, X86_REG_BL},
        {X86_REG_RCX, X86_REG_ECX, X86_REG_CX, X86_REG_CL},
        {X86_REG_RDX, X86_REG_EDX, X86_REG_DX, X86_REG_DL},
        {X86_REG_RSI, X86_REG_ESI, X86_REG_SI, X86_REG_SIL},
        {X86_REG_RDI, X86_REG_EDI, X86_REG_DI, X86_REG_DIL},
        {X86_REG_RBP, X86_REG_EBP, X86_REG_BP, X86_REG_BPL},
        {X86_REG_RSP, X86_REG_ESP, X86_REG_SP, X86_REG_SPL},
        {X86_REG_R8, X86_REG_R8D, X86_REG_R8W, X86_REG_R8B},
        {X86_REG_R9, X86_REG_R9D, X86_REG_R9W, X86_REG_R9B},
        {X86_REG_R10, X86_REG_R10D, X86_REG_R10W, X86_REG_R10B},
        {X86_REG_R11, X86_REG_R11D, X86_REG_R11W, X86_REG_R11B},
        {X86_REG_R12, X86_REG_R12D, X86_REG_R12W, X86_REG_R12B},
        {X86_REG_R13, X86_REG_R13D, X86_REG_R13W, X86_REG_R13B},
        {X86_REG_R14, X86_REG_R14D, X86_REG_R14W, X86_REG_R14B},
        {X86_REG_R15, X86_REG_R15D, X86_REG_R15W, X86_REG_R15B},
    };
    for (int i = 0; i < UNIT_FIRST_VECTOR; i++)
        for (int j = 0; j < 4; j++)
            if (names[i][j] == name)
                return i;
    return UNIT_NONE;
}

static int unit_of(x86_reg name)
{
    enum { VECTORS = 32, X87 = 8 };
    static const struct {
        x86_reg first;
        int n, unit;
    } blocks[] = {
        {X86_REG_XMM0, VECTORS, UNIT_FIRST_VECTOR},
        {X86_REG_YMM0, VECTORS, UNIT_FIRST_VECTOR},
        {X86_REG_ZMM0, VECTORS, UNIT_FIRST_VECTOR},
        {X86_REG_ST0, X87, UNIT_X87},
        {X86_REG_EFLAGS, 1, UNIT_FLAGS},
    };
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        if (name >= blocks[i].first && name < blocks[i].first + (unsigned)blocks[i].n)
            return blocks[i].unit + (int)(name - blocks[i].first);
    return general_unit(name);
}

static uint64_t bit_of(x86_reg name)
{
    int unit = unit_of(name);
    return unit == UNIT_NONE ? 0 : UINT64_C(1) << unit;
}

/* ---- operands */

static bool is_zeroing(const cs_insn *insn)
{
    const cs_x86 *x86 = &insn->detail->x86;
    const cs_x86_op *operand = x86->operands;
    int n = x86->op_count;
    switch (insn->id) {
    case X86_INS_XOR:
    case X86_INS_PXOR:
    case X86_INS_XORPS:
    case X86_INS_XORPD:
    case X86_INS_VPXOR:
    case X86_INS_VXORPS:
    case X86_INS_VXORPD:
        return n >= 2 && operand[n - 1].type == X86_OP_REG && operand[n - 2].type == X86_OP_REG &&
               operand[n - 1].reg == operand[n - 2].reg;
    default:
        return false;
    }
}

static void take_operand(struct step *step, const cs_x86_op *operand, bool first)
{
    uint8_t access = operand->access != 0 ? operand->access : first ? CS_AC_READ | CS_AC_WRITE : CS_AC_READ;
    if (operand->type == X86_OP_REG) {
        step->takes |= access & CS_AC_READ ? bit_of(operand->reg) : 0;
        step->gives |= access & CS_AC_WRITE ? bit_of(operand->reg) : 0;
    }
    if (operand->type != X86_OP_MEM)
        return;
    step->loads |= (access & CS_AC_READ) != 0;
    step->stores |= (access & CS_AC_WRITE) != 0;
    step->memory = (struct address){.base = unit_of(operand->mem.base),
                                    .index = unit_of(operand->mem.index),
                                    .scale = operand->mem.scale,
                                    .displacement = operand->mem.disp};
    if (operand->mem.base == X86_REG_RIP)
        step->memory.displacement += (int64_t)step->address + step->size;
}

static void take_implicit(struct step *step, const cs_detail *detail)
{
    for (int i = 0; i < detail->regs_read_count; i++)
        step->takes |= bit_of(detail->regs_read[i]);
    for (int i = 0; i < detail->regs_write_count; i++)
        step->gives |= bit_of(detail->regs_write[i]);
}

/* Counters and pointers: what an instruction adds to its register. */
static void take_sum(struct step *step, const cs_insn *insn)
{
    const cs_x86 *x86 = &insn->detail->x86;
    const cs_x86_op *to = &x86->operands[0], *from = &x86->operands[1];
    int sign = insn->id == X86_INS_SUB ? -1 : 1;
    if (x86->op_count == 0 || to->type != X86_OP_REG)
        return;
    if (insn->id == X86_INS_INC || insn->id == X86_INS_DEC) {
        step->is_adding = true;
        step->adds = insn->id == X86_INS_INC ? 1 : -1;
    } else if (insn->id == X86_INS_ADD || insn->id == X86_INS_SUB) {
        step->is_adding = from->type == X86_OP_IMM;
        step->adds = step->is_adding ? sign * from->imm : 0;
        step->advances = from->type == X86_OP_REG;
    } else if (insn->id == X86_INS_LEA && unit_of(from->mem.index) == UNIT_NONE &&
               unit_of(from->mem.base) == unit_of(to->reg)) {
        step->is_adding = true;
        step->adds = from->mem.disp;
    } else if (insn->id == X86_INS_MOV && from->type == X86_OP_REG) {
        step->copies = true;
    }
}

static void take_address(struct step *step, const cs_insn *insn)
{
    if (insn->id != X86_INS_LEA && insn->id != X86_INS_NOP)
        return;
    const struct address *memory = &step->memory; /* it is computed, and not gone to */
    step->loads = step->stores = false;
    for (int i = 0; insn->id == X86_INS_LEA && i < 2; i++) {
        int unit = i == 0 ? memory->base : memory->index;
        step->takes |= unit == UNIT_NONE ? 0 : UINT64_C(1) << unit;
    }
}

/* ---- work */

static bool counts(const struct kind *kind, enum emulated_event event)
{
    for (int i = 0; i < kind->n; i++)
        if (kind->event[i] == event)
            return true;
    return false;
}

static enum work work_of(const struct kind *kind)
{
    static const struct {
        enum emulated_event event;
        enum work work;
    } rows[] = {
        {EMULATED_FP_DIVIDE_INSTRUCTIONS, WORK_DIVIDE},
        {EMULATED_FP_SQRT_INSTRUCTIONS, WORK_SQRT},
        {EMULATED_FMA_INSTRUCTIONS, WORK_FMA},
        {EMULATED_FP_MULTIPLY_INSTRUCTIONS, WORK_MULTIPLY},
        {EMULATED_FP_ADD_INSTRUCTIONS, WORK_ADD},
        {EMULATED_FP_CONVERSIONS, WORK_CONVERT},
        {EMULATED_FP_COMPARISONS, WORK_COMPARE},
        {EMULATED_FP_INSTRUCTIONS, WORK_OTHER},
        {EMULATED_INTEGER_VECTOR_INSTRUCTIONS, WORK_SHUFFLE},
        {EMULATED_INTEGER_INSTRUCTIONS, WORK_INTEGER},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (counts(kind, rows[i].event))
            return rows[i].work;
    return WORK_MOVE;
}

static enum work integer_work(unsigned id, enum work work)
{
    if (id == X86_INS_IMUL || id == X86_INS_MUL)
        return WORK_INTEGER_MULTIPLY;
    return id == X86_INS_IDIV || id == X86_INS_DIV ? WORK_INTEGER_DIVIDE : work;
}

static unsigned width_of(const cs_insn *insn)
{
    const cs_x86 *x86 = &insn->detail->x86;
    unsigned bytes = 0;
    for (uint8_t i = 0; i < x86->op_count; i++)
        if (x86->operands[i].type == X86_OP_REG && x86->operands[i].size > bytes)
            bytes = x86->operands[i].size;
    return bytes * 8;
}

static uint8_t element_of(const struct kind *kind)
{
    static const struct {
        enum emulated_event event;
        uint8_t bits;
    } rows[] = {{EMULATED_DP_OPS, 64}, {EMULATED_SP_OPS, 32}, {EMULATED_HP_OPS, 16}, {EMULATED_XP_OPS, 80}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (counts(kind, rows[i].event))
            return rows[i].bits;
    return 0;
}

static void take_work(struct step *step, const struct kind *kind, unsigned width)
{
    bool vector = counts(kind, EMULATED_HP_VECTOR_INSTRUCTIONS) ||
                  counts(kind, EMULATED_SP_VECTOR_INSTRUCTIONS) ||
                  counts(kind, EMULATED_DP_VECTOR_INSTRUCTIONS);
    step->work = work_of(kind);
    step->bits = vector ? (uint16_t)width : 0;
    step->width = (uint16_t)width;
    step->element = element_of(kind);
    step->repeats = kind->repeats;
    step->system_call = counts(kind, EMULATED_SYSTEM_CALLS);
    step->scalar_fp = !vector && counts(kind, EMULATED_FP_INSTRUCTIONS);
    step->conditional = kind->flow == FLOW_CONDITIONAL;
    step->target = step->conditional ? kind->target : 0;
    step->call = counts(kind, EMULATED_CALLS);
    step->branch = counts(kind, EMULATED_BRANCHES);
    step->ends = step->branch && !step->conditional && !step->call;
}

static void take_target(struct step *step, const cs_x86 *x86)
{
    const cs_x86_op *to = &x86->operands[0];
    if (!step->branch || x86->op_count != 1)
        return;
    if (to->type == X86_OP_IMM)
        step->target = (uint64_t)to->imm;
    else /* but a function of another library, whose address is in a fixed place */
        step->computed = to->type == X86_OP_REG || to->mem.base != X86_REG_RIP;
}

static void take_insn(struct step *step, csh handle, const cs_insn *insn)
{
    const cs_x86 *x86 = &insn->detail->x86;
    struct kind kind = {.n = 0};
    classify_x86(handle, insn, &kind);
    step->size = insn->size;
    take_work(step, &kind, width_of(insn));
    step->work = integer_work(insn->id, step->work);
    step->multiplies = step->work == WORK_SHUFFLE &&
                       (strstr(insn->mnemonic, "pmul") != NULL || strstr(insn->mnemonic, "pmadd") != NULL);
    step->gathers = strstr(insn->mnemonic, "gather") != NULL;
    take_target(step, x86);
    if (step->call)
        return;
    for (uint8_t i = 0; i < x86->op_count; i++)
        take_operand(step, &x86->operands[i], i == 0);
    take_implicit(step, insn->detail);
    take_sum(step, insn);
    take_address(step, insn);
    if (is_zeroing(insn)) {
        step->takes = 0;
        step->work = WORK_MOVE;
    }
    step->locked = x86->prefix[0] == X86_PREFIX_LOCK || (insn->id == X86_INS_XCHG && step->loads);
}

/* AVX-512: what it does is known from its bytes, its registers are not. */
static size_t take_evex(struct step *step, const uint8_t *code, size_t left)
{
    struct kind kind = {.n = 0};
    size_t length = classify_evex_first(code, left, &kind);
    if (length < 6)
        return 0;
    take_work(step, &kind, (code[3] & 0x10) != 0 && code[5] >= 0xc0 ? 512 : 128U << (code[3] >> 5 & 3));
    step->loads = counts(&kind, EMULATED_LOADS);
    step->stores = counts(&kind, EMULATED_STORES);
    step->unknown = true;
    return length;
}

size_t decoder_step(struct decoder *decoder, const uint8_t *code, size_t left, uint64_t address,
                    struct step *step)
{
    const uint8_t *at = code;
    size_t rest = left;
    *step = (struct step){.address = address, .memory = {.base = UNIT_NONE, .index = UNIT_NONE}};
    size_t length = take_evex(step, code, left);
    if (length == 0 && cs_disasm_iter(decoder->handle, &at, &rest, &address, decoder->insn)) {
        take_insn(step, decoder->handle, decoder->insn);
        return step->size;
    }
    if (length == 0) {
        step->unknown = true;
        length = x86_length(code, left);
    }
    step->size = (uint16_t)length;
    return length;
}
