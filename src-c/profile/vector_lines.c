/* SPDX-License-Identifier: BSD-3-Clause */
#include "vector_lines.h"

#ifdef PAPI_WITH_CAPSTONE

#include "code.h"
#include "debug.h"
#include "formats/classification/classify.h"
#include "tools/common/allocate.h"

#include <elfutils/libdw.h>
#include <stdlib.h>
#include <string.h>

/* ---- the code of a line */

enum { NEAR = 256 }; /* bytes: a turn of an unrolled loop, and no other loop's if it can be helped */

struct rows {
    Dwarf_Lines *lines;
    size_t n;
};

static Dwarf_Addr start_of(const struct rows *rows, size_t i)
{
    Dwarf_Addr address = 0;
    dwarf_lineaddr(dwarf_onesrcline(rows->lines, i), &address);
    return address;
}

/* The last row that begins at an address or before it; n: there is none. */
static size_t row_at(const struct rows *rows, Dwarf_Addr address)
{
    size_t low = 0, high = rows->n;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (start_of(rows, middle) <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 ? low - 1 : rows->n;
}

static bool same_line(const struct rows *rows, size_t i, size_t j)
{
    Dwarf_Line *one = dwarf_onesrcline(rows->lines, i), *other = dwarf_onesrcline(rows->lines, j);
    int a = 0, b = 0;
    bool end = true;
    dwarf_lineno(one, &a);
    dwarf_lineno(other, &b);
    dwarf_lineendsequence(other, &end);
    return !end && a == b && dwarf_linesrc(one, NULL, NULL) == dwarf_linesrc(other, NULL, NULL);
}

/* Calls take for each piece of a line's code near an address, which is the file's. Nothing is called if the
 * debug information has no lines there. */
static void rows_near(struct debug *debug, uint64_t address,
                      void (*take)(void *context, const struct code *code), void *context)
{
    struct rows rows;
    struct code code = {.size = 0};
    Dwarf_Addr bias, unused;
    GElf_Ehdr head;
    Elf *elf = dwfl_module_getelf(debug->module, &unused);
    Dwarf_Die *unit = units_at(&debug->units, debug->module, address, &bias);
    if (elf == NULL || unit == NULL || gelf_getehdr(elf, &head) == NULL ||
        dwarf_getsrclines(unit, &rows.lines, &rows.n) != 0)
        return;
    code.machine = head.e_machine;
    uint64_t pc = address - bias;
    size_t middle = row_at(&rows, pc), i = middle;
    if (middle == rows.n)
        return;
    while (i > 0 && start_of(&rows, i - 1) + NEAR >= pc)
        i--;
    for (; i + 1 < rows.n && start_of(&rows, i) <= pc + NEAR; i++) {
        uint64_t start = start_of(&rows, i), end = start_of(&rows, i + 1);
        if (end > start && same_line(&rows, middle, i) && code_at(elf, start + bias, end - start, &code))
            take(context, &code);
    }
}

/* ---- an instruction */

struct arithmetics {
    struct profile *profile;
    csh handle;
    cs_insn *insn; /* NULL: there is no disassembler */
    struct arithmetic found;
};

static bool counts(const struct kind *kind, enum emulated_event event)
{
    for (int i = 0; i < kind->n; i++)
        if (kind->event[i] == event)
            return true;
    return false;
}

static void take_kind(struct arithmetic *found, const struct kind *kind, unsigned bits)
{
    bool vector = counts(kind, EMULATED_HP_VECTOR_INSTRUCTIONS) ||
                  counts(kind, EMULATED_SP_VECTOR_INSTRUCTIONS) ||
                  counts(kind, EMULATED_DP_VECTOR_INSTRUCTIONS);
    if (vector && bits > found->bits)
        found->bits = (uint16_t)bits;
    if (!vector && counts(kind, EMULATED_FP_INSTRUCTIONS))
        found->scalar = true;
}

/* Bits of the widest register that an instruction names. */
static unsigned width_x86(const cs_insn *insn)
{
    const cs_x86 *x86 = &insn->detail->x86;
    unsigned bytes = 0;
    for (uint8_t i = 0; i < x86->op_count; i++)
        if (x86->operands[i].type == X86_OP_REG && x86->operands[i].size > bytes)
            bytes = x86->operands[i].size;
    return bytes * 8;
}

/* Bits of the registers of an AVX-512 instruction, which its prefix (0x62) names. With the bit for embedded
 * rounding, and registers only, that field has the rounding mode and the width is 512. */
static unsigned width_evex(const uint8_t *bytes, size_t size)
{
    if (size < 6 || bytes[0] != 0x62)
        return 128;
    return (bytes[3] & 0x10) != 0 && bytes[5] >= 0xc0 ? 512 : 128U << (bytes[3] >> 5 & 3);
}

/* Adds the arithmetic of an instruction. Returns the instruction's length; 0: not even that is known. */
static size_t take_x86(struct arithmetics *a, const uint8_t *code, size_t left, uint64_t address)
{
    const uint8_t *at = code;
    size_t rest = left;
    struct kind kind = {.n = 0};
    size_t length = classify_evex_first(code, left, &kind);
    if (length != 0) {
        take_kind(&a->found, &kind, width_evex(code, length));
        return length;
    }
    if (cs_disasm_iter(a->handle, &at, &rest, &address, a->insn)) {
        classify_x86(a->handle, a->insn, &kind);
        take_kind(&a->found, &kind, width_x86(a->insn));
        return a->insn->size;
    }
    length = x86_length(code, left);
    if (length != 0 && (classify_x86_bytes(code, length, &kind) || classify_evex(code, length, &kind)))
        take_kind(&a->found, &kind, width_evex(code, length));
    return length;
}

static void take_arm64(struct arithmetics *a, const uint8_t *code, uint64_t address)
{
    const uint32_t whole = UINT32_C(1) << 30; /* of both halves of a register */
    uint32_t word;
    struct kind kind = {.n = 0};
    memcpy(&word, code, sizeof word);
    if (classify_arm64_word(word, address, &kind))
        take_kind(&a->found, &kind, word & whole ? 128 : 64);
}

/* ---- lines */

static void take_code(void *context, const struct code *code)
{
    struct arithmetics *a = context;
    size_t at = 0;
    if (code->machine == EM_AARCH64)
        for (; at + sizeof(uint32_t) <= code->size; at += sizeof(uint32_t))
            take_arm64(a, code->bytes + at, code->address + at);
    else if (code->machine == EM_X86_64 && a->insn != NULL)
        for (size_t length = 1; at < code->size && length > 0; at += length)
            length = take_x86(a, code->bytes + at, code->size - at, code->address + at);
}

static void look(void *context, struct debug *debug, uint64_t address, int place)
{
    struct arithmetics *a = context;
    a->found = (struct arithmetic){.bits = 0};
    rows_near(debug, address, take_code, a);
    if (a->found.scalar || a->found.bits > 0)
        profile_calculates(a->profile, place, &a->found);
}

struct arithmetics *arithmetics_open(struct profile *profile, struct objects *objects)
{
    struct arithmetics *a = memory_more(NULL, 1, sizeof *a);
    *a = (struct arithmetics){.profile = profile};
    if (cs_open(CS_ARCH_X86, CS_MODE_64, &a->handle) == CS_ERR_OK) {
        cs_option(a->handle, CS_OPT_DETAIL, CS_OPT_ON);
        a->insn = cs_malloc(a->handle);
    }
    objects_watch(objects, look, a);
    return a;
}

void arithmetics_close(struct arithmetics *a)
{
    if (a->insn != NULL)
        cs_free(a->insn, 1);
    if (a->handle != 0)
        cs_close(&a->handle);
    free(a);
}

#endif
