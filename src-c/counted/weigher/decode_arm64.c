/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Words of four bytes.
 */
#include "formats/classification/classify.h"
#include "weigher.h"

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
