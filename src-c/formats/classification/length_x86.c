/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How long an instruction of x86-64 is, where the disassembler does not know it: by its form. Those of the
 * first map of opcodes Capstone knows.
 */
#include "formats/classification/classify.h"

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
