/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Decodes blocks and adds up their events, by the emulator's classification.
 */
#include "formats/classification/classify.h"
#include "weigher.h"

#include <elf.h>
#include <stdlib.h>

_Static_assert((int)COUNTED_EVENTS == (int)EMULATED_FIRST_CACHE_EVENT &&
                   (int)COUNTED_SYSTEM_CALLS == (int)EMULATED_SYSTEM_CALLS,
               "the same events by the same numbers");

struct decoder {
    bool x86;
    csh handle;
    cs_insn *insn;
};

struct decoder *decoder_make(uint16_t machine)
{
    struct decoder *decoder = calloc(1, sizeof *decoder);
    if (decoder == NULL || machine != EM_X86_64)
        return decoder;
    decoder->x86 = true;
    if (cs_open(CS_ARCH_X86, CS_MODE_64, &decoder->handle) != CS_ERR_OK) {
        free(decoder);
        return NULL;
    }
    cs_option(decoder->handle, CS_OPT_DETAIL, CS_OPT_ON);
    decoder->insn = cs_malloc(decoder->handle);
    return decoder;
}

void decoder_free(struct decoder *decoder)
{
    if (decoder->x86) {
        cs_free(decoder->insn, 1);
        cs_close(&decoder->handle);
    }
    free(decoder);
}

static size_t classify(struct decoder *decoder, const uint8_t *code, size_t left, uint64_t address,
                       struct kind *kind, bool *known)
{
    if (decoder->x86)
        return decode_x86(decoder->handle, decoder->insn, code, left, address, kind, known);
    return decode_arm64(code, left, address, kind, known);
}

static void add(const struct kind *kind, uint16_t weight[COUNTED_EVENTS])
{
    weight[COUNTED_INSTRUCTIONS]++;
    for (int i = 0; i < kind->n; i++)
        if (kind->event[i] < COUNTED_EVENTS)
            weight[kind->event[i]] = (uint16_t)(weight[kind->event[i]] + kind->amount[i]);
}

static void note(struct doubt *doubt, const char *what, const uint8_t *bytes, size_t n)
{
    if (doubt->what == NULL)
        *doubt = (struct doubt){what, bytes, n};
}

unsigned decode(struct decoder *decoder, const uint8_t *code, size_t size, uint64_t address,
                uint16_t weight[COUNTED_EVENTS], struct doubt *doubt)
{
    unsigned unknown = 0;
    for (size_t at = 0, length; at < size; at += length) {
        struct kind kind = {0};
        bool known;
        length = classify(decoder, code + at, size - at, address + at, &kind, &known);
        if (length == 0) {
            note(doubt, "bytes that are no known instruction; the rest of their block is not counted",
                 code + at, size - at < 15 ? size - at : 15);
            return unknown + 1;
        }
        if (!known) {
            note(doubt, "an unknown instruction, counted in INSTRUCTIONS and UNKNOWN_INSTRUCTIONS alone",
                 code + at, length);
            weight[COUNTED_UNKNOWN_INSTRUCTIONS]++;
            unknown++;
        }
        if (kind.flow != FLOW_ON && at + length < size)
            note(doubt, "a jump that its assembly does not show (a macro?): what it skips is counted",
                 code + at, length);
        add(&kind, weight);
    }
    return unknown;
}

/* ---- x86-64 */

/* Capstone decodes most instructions. The others have a length all the same, so that the instructions
 * behind them are found. */

size_t decode_x86(uintptr_t handle, void *insn, const uint8_t *code, size_t left, uint64_t address,
                  struct kind *kind, bool *known)
{
    const uint8_t *at = code;
    size_t rest = left;
    size_t length = classify_evex_first(code, left, kind);
    *known = true;
    if (length != 0)
        return length;
    if (cs_disasm_iter(handle, &at, &rest, &address, insn)) {
        classify_x86(handle, insn, kind);
        return ((cs_insn *)insn)->size;
    }
    length = x86_length(code, left);
    *known = length != 0 && (classify_x86_bytes(code, length, kind) || classify_evex(code, length, kind));
    return length;
}

/* ---- 64-bit Arm */

/* Instructions are words of four bytes. */

enum { WORD = 4 };

static uint32_t word_at(const uint8_t *code)
{
    return (uint32_t)code[0] | (uint32_t)code[1] << 8 | (uint32_t)code[2] << 16 | (uint32_t)code[3] << 24;
}

size_t decode_arm64(const uint8_t *code, size_t left, uint64_t address, struct kind *kind, bool *known)
{
    if (left < WORD)
        return 0;
    *known = classify_arm64_word(word_at(code), address, kind);
    return WORD;
}

/* movz x0, #high, lsl #16; movk x0, #low. A number that is in its place already is smaller. */
int64_t place_arm64(int64_t place)
{
    uint32_t first = (uint32_t)place, second = (uint32_t)((uint64_t)place >> 32);
    if ((first & 0xffe0001f) != 0xd2a00000 || (second & 0xffe0001f) != 0xf2800000)
        return place;
    return (int64_t)(first >> 5 & 0xffff) << 16 | (second >> 5 & 0xffff);
}
