/* SPDX-License-Identifier: BSD-3-Clause
 *
 * AVX-512 by its encoding: Capstone 4 does not know half of it. What its instructions count is as in
 * classify_x86.c; besides: vector forms of all shuffles, permutations, compressions, expansions and ternary
 * logic are OPERATION_PACKED, scaling by powers of two and VRANGE (a minimum or maximum) are OPERATION_OTHER,
 * exponents and mantissas taken out are conversions, and moves into and out of mask registers and operations
 * among them count nothing. A product of complex numbers is a product and a fused multiply-add for each lane,
 * of which a number has two; one that is added to a third number is two fused multiply-adds for each lane.
 */
#include "formats/classification/classify.h"

#include <string.h>

enum { EVEX = 0x62, VEX_2 = 0xc5, VEX_3 = 0xc4 };
enum { NONE_ = 1, P66 = 2, PF3 = 4, PF2 = 8, ANY = 15 }; /* prefixes that are a part of the opcode */

/* The number of lanes, and their precision. */
enum shape {
    SHAPE_NONE,   /* nothing floating-point */
    SHAPE_PREFIX, /* PS, PD, SS, SD by the prefix */
    SHAPE_HALF,   /* PH, SH by the prefix */
    SHAPE_PACKED, /* all lanes, single or double by W */
    SHAPE_SCALAR, /* one, single or double by W */
    SHAPE_HALF_PACKED,
    SHAPE_HALF_SCALAR,
    SHAPE_HALF_PAIR, /* one complex number */
    SHAPE_PRODUCTS,  /* as many as there are halves, summed in single precision */
    SHAPE_ALL,       /* all lanes of no matter what: integers, conversions */
    SHAPE_ONE,       /* the same for one */
};

struct form {
    uint8_t map, prefix, opcode;
    bool w, memory;
    unsigned bytes; /* of the registers: all of them where the field of the length says how to round */
};

static const struct row {
    uint8_t map, first, last, prefixes, operation, shape;
} rows[] = {
    /* 0F */
    {1, 0x10, 0x11, ANY, OPERATION_NONE, SHAPE_NONE},
    {1, 0x12, 0x13, ANY, OPERATION_NONE, SHAPE_NONE},
    {1, 0x14, 0x15, ANY, OPERATION_PACKED, SHAPE_ALL},
    {1, 0x16, 0x17, ANY, OPERATION_NONE, SHAPE_NONE},
    {1, 0x28, 0x29, ANY, OPERATION_NONE, SHAPE_NONE},
    {1, 0x2b, 0x2b, ANY, OPERATION_NONE, SHAPE_NONE},
    {1, 0x2a, 0x2d, PF3 | PF2, OPERATION_CONVERT, SHAPE_ONE},
    {1, 0x2e, 0x2f, NONE_ | P66, OPERATION_COMPARE, SHAPE_ONE},
    {1, 0x51, 0x51, ANY, OPERATION_SQRT, SHAPE_PREFIX},
    {1, 0x54, 0x57, NONE_ | P66, OPERATION_PACKED, SHAPE_ALL},
    {1, 0x58, 0x58, ANY, OPERATION_ADD, SHAPE_PREFIX},
    {1, 0x59, 0x59, ANY, OPERATION_MULTIPLY, SHAPE_PREFIX},
    {1, 0x5a, 0x5a, NONE_ | P66, OPERATION_CONVERT, SHAPE_ALL},
    {1, 0x5a, 0x5a, PF3 | PF2, OPERATION_CONVERT, SHAPE_ONE},
    {1, 0x5b, 0x5b, ANY, OPERATION_CONVERT, SHAPE_ALL},
    {1, 0x5c, 0x5c, ANY, OPERATION_ADD, SHAPE_PREFIX},
    {1, 0x5d, 0x5d, ANY, OPERATION_OTHER, SHAPE_PREFIX},
    {1, 0x5e, 0x5e, ANY, OPERATION_DIVIDE, SHAPE_PREFIX},
    {1, 0x5f, 0x5f, ANY, OPERATION_OTHER, SHAPE_PREFIX},
    {1, 0x6e, 0x6f, ANY, OPERATION_NONE, SHAPE_NONE},
    {1, 0x7e, 0x7f, ANY, OPERATION_NONE, SHAPE_NONE},
    {1, 0x78, 0x79, NONE_ | P66, OPERATION_CONVERT, SHAPE_ALL},
    {1, 0x78, 0x79, PF3 | PF2, OPERATION_CONVERT, SHAPE_ONE},
    {1, 0x7a, 0x7a, ANY, OPERATION_CONVERT, SHAPE_ALL},
    {1, 0x7b, 0x7b, P66, OPERATION_CONVERT, SHAPE_ALL},
    {1, 0x7b, 0x7b, PF3 | PF2, OPERATION_CONVERT, SHAPE_ONE},
    {1, 0xc2, 0xc2, NONE_ | P66, OPERATION_COMPARE, SHAPE_ALL},
    {1, 0xc2, 0xc2, PF3 | PF2, OPERATION_COMPARE, SHAPE_ONE},
    {1, 0xc4, 0xc5, P66, OPERATION_NONE, SHAPE_NONE},
    {1, 0xc6, 0xc6, NONE_ | P66, OPERATION_PACKED, SHAPE_ALL},
    {1, 0xd6, 0xd6, P66, OPERATION_NONE, SHAPE_NONE},
    {1, 0xe6, 0xe6, ANY, OPERATION_CONVERT, SHAPE_ALL},
    {1, 0xe7, 0xe7, P66, OPERATION_NONE, SHAPE_NONE},
    {1, 0x60, 0xfe, ANY, OPERATION_PACKED, SHAPE_ALL},
    /* 0F 38 */
    {2, 0x13, 0x13, P66, OPERATION_CONVERT, SHAPE_ALL},
    {2, 0x18, 0x1b, P66, OPERATION_NONE, SHAPE_NONE},
    {2, 0x2a, 0x2a, ANY, OPERATION_NONE, SHAPE_NONE},
    {2, 0x3a, 0x3a, PF3, OPERATION_NONE, SHAPE_NONE},
    {2, 0x2c, 0x2c, P66, OPERATION_OTHER, SHAPE_PACKED},
    {2, 0x2d, 0x2d, P66, OPERATION_OTHER, SHAPE_SCALAR},
    {2, 0x42, 0x42, P66, OPERATION_CONVERT, SHAPE_ALL},
    {2, 0x43, 0x43, P66, OPERATION_CONVERT, SHAPE_ONE},
    {2, 0x4c, 0x4c, P66, OPERATION_INVERSE, SHAPE_PACKED},
    {2, 0x4d, 0x4d, P66, OPERATION_INVERSE, SHAPE_SCALAR},
    {2, 0x4e, 0x4e, P66, OPERATION_INVERSE, SHAPE_PACKED},
    {2, 0x4f, 0x4f, P66, OPERATION_INVERSE, SHAPE_SCALAR},
    {2, 0x52, 0x52, PF3, OPERATION_DOT, SHAPE_PRODUCTS},
    {2, 0x58, 0x5b, P66, OPERATION_NONE, SHAPE_NONE},
    {2, 0x72, 0x72, PF3 | PF2, OPERATION_CONVERT, SHAPE_ALL},
    {2, 0x78, 0x7c, P66, OPERATION_NONE, SHAPE_NONE},
    {2, 0x90, 0x93, P66, OPERATION_NONE, SHAPE_NONE},
    {2, 0xa0, 0xa3, P66, OPERATION_NONE, SHAPE_NONE},
    {2, 0xb4, 0xb5, P66, OPERATION_PACKED, SHAPE_ALL},
    {2, 0xc6, 0xc7, P66, OPERATION_NONE, SHAPE_NONE},
    {2, 0xc8, 0xc8, P66, OPERATION_OTHER, SHAPE_PACKED},
    {2, 0xca, 0xca, P66, OPERATION_INVERSE, SHAPE_PACKED},
    {2, 0xcb, 0xcb, P66, OPERATION_INVERSE, SHAPE_SCALAR},
    {2, 0xcc, 0xcc, P66, OPERATION_INVERSE, SHAPE_PACKED},
    {2, 0xcd, 0xcd, P66, OPERATION_INVERSE, SHAPE_SCALAR},
    {2, 0x00, 0xdf, ANY, OPERATION_PACKED, SHAPE_ALL},
    /* 0F 3A */
    {3, 0x08, 0x09, NONE_ | P66, OPERATION_CONVERT, SHAPE_ALL},
    {3, 0x0a, 0x0b, NONE_ | P66, OPERATION_CONVERT, SHAPE_ONE},
    {3, 0x14, 0x1b, P66, OPERATION_NONE, SHAPE_NONE},
    {3, 0x1d, 0x1d, P66, OPERATION_CONVERT, SHAPE_ALL},
    {3, 0x20, 0x22, P66, OPERATION_NONE, SHAPE_NONE},
    {3, 0x26, 0x26, NONE_ | P66, OPERATION_CONVERT, SHAPE_ALL},
    {3, 0x27, 0x27, NONE_ | P66, OPERATION_CONVERT, SHAPE_ONE},
    {3, 0x38, 0x3b, P66, OPERATION_NONE, SHAPE_NONE},
    {3, 0x50, 0x50, P66, OPERATION_OTHER, SHAPE_PACKED},
    {3, 0x51, 0x51, P66, OPERATION_OTHER, SHAPE_SCALAR},
    {3, 0x54, 0x54, P66, OPERATION_PACKED, SHAPE_ALL},
    {3, 0x55, 0x55, P66, OPERATION_NONE, SHAPE_NONE},
    {3, 0x56, 0x56, NONE_ | P66, OPERATION_CONVERT, SHAPE_ALL},
    {3, 0x57, 0x57, NONE_ | P66, OPERATION_CONVERT, SHAPE_ONE},
    {3, 0x66, 0x66, NONE_ | P66, OPERATION_COMPARE, SHAPE_ALL},
    {3, 0x67, 0x67, NONE_ | P66, OPERATION_COMPARE, SHAPE_ONE},
    {3, 0xc2, 0xc2, NONE_, OPERATION_COMPARE, SHAPE_ALL},
    {3, 0xc2, 0xc2, PF3, OPERATION_COMPARE, SHAPE_ONE},
    {3, 0x00, 0xcf, P66, OPERATION_PACKED, SHAPE_ALL},
    /* Half precision */
    {5, 0x10, 0x11, PF3, OPERATION_NONE, SHAPE_NONE},
    {5, 0x6e, 0x6e, P66, OPERATION_NONE, SHAPE_NONE},
    {5, 0x7e, 0x7e, P66, OPERATION_NONE, SHAPE_NONE},
    {5, 0x2a, 0x2d, PF3, OPERATION_CONVERT, SHAPE_ONE},
    {5, 0x2e, 0x2f, NONE_, OPERATION_COMPARE, SHAPE_ONE},
    {5, 0x51, 0x51, NONE_ | PF3, OPERATION_SQRT, SHAPE_HALF},
    {5, 0x58, 0x58, NONE_ | PF3, OPERATION_ADD, SHAPE_HALF},
    {5, 0x59, 0x59, NONE_ | PF3, OPERATION_MULTIPLY, SHAPE_HALF},
    {5, 0x5c, 0x5c, NONE_ | PF3, OPERATION_ADD, SHAPE_HALF},
    {5, 0x5d, 0x5d, NONE_ | PF3, OPERATION_OTHER, SHAPE_HALF},
    {5, 0x5e, 0x5e, NONE_ | PF3, OPERATION_DIVIDE, SHAPE_HALF},
    {5, 0x5f, 0x5f, NONE_ | PF3, OPERATION_OTHER, SHAPE_HALF},
    {5, 0x1d, 0x1d, NONE_, OPERATION_CONVERT, SHAPE_ONE},
    {5, 0x1d, 0x1d, P66, OPERATION_CONVERT, SHAPE_ALL},
    {5, 0x5a, 0x5a, NONE_ | P66, OPERATION_CONVERT, SHAPE_ALL},
    {5, 0x5a, 0x5a, PF3 | PF2, OPERATION_CONVERT, SHAPE_ONE},
    {5, 0x5b, 0x5b, ANY, OPERATION_CONVERT, SHAPE_ALL},
    {5, 0x78, 0x79, NONE_ | P66, OPERATION_CONVERT, SHAPE_ALL},
    {5, 0x78, 0x79, PF3, OPERATION_CONVERT, SHAPE_ONE},
    {5, 0x7a, 0x7a, ANY, OPERATION_CONVERT, SHAPE_ALL},
    {5, 0x7b, 0x7b, P66, OPERATION_CONVERT, SHAPE_ALL},
    {5, 0x7b, 0x7b, PF3, OPERATION_CONVERT, SHAPE_ONE},
    {5, 0x7c, 0x7d, ANY, OPERATION_CONVERT, SHAPE_ALL},
    {6, 0x13, 0x13, P66, OPERATION_CONVERT, SHAPE_ALL},
    {6, 0x13, 0x13, NONE_, OPERATION_CONVERT, SHAPE_ONE},
    {6, 0x2c, 0x2c, P66, OPERATION_OTHER, SHAPE_HALF_PACKED},
    {6, 0x2d, 0x2d, P66, OPERATION_OTHER, SHAPE_HALF_SCALAR},
    {6, 0x42, 0x42, P66, OPERATION_CONVERT, SHAPE_ALL},
    {6, 0x43, 0x43, P66, OPERATION_CONVERT, SHAPE_ONE},
    {6, 0x4c, 0x4c, P66, OPERATION_INVERSE, SHAPE_HALF_PACKED},
    {6, 0x4d, 0x4d, P66, OPERATION_INVERSE, SHAPE_HALF_SCALAR},
    {6, 0x4e, 0x4e, P66, OPERATION_INVERSE, SHAPE_HALF_PACKED},
    {6, 0x4f, 0x4f, P66, OPERATION_INVERSE, SHAPE_HALF_SCALAR},
    {6, 0x56, 0x56, PF3 | PF2, OPERATION_COMPLEX_FMA, SHAPE_HALF_PACKED},
    {6, 0x57, 0x57, PF3 | PF2, OPERATION_COMPLEX_FMA, SHAPE_HALF_PAIR},
    {6, 0xd6, 0xd6, PF3 | PF2, OPERATION_COMPLEX, SHAPE_HALF_PACKED},
    {6, 0xd7, 0xd7, PF3 | PF2, OPERATION_COMPLEX, SHAPE_HALF_PAIR},
};

/* ---- reading */

/* Past the prefixes of a segment and of the size of addresses. */
static bool read_form(const uint8_t *bytes, size_t size, struct form *form)
{
    size_t at = 0;
    while (at < size && (bytes[at] == 0x64 || bytes[at] == 0x65 || bytes[at] == 0x67))
        at++;
    if (size - at < 6 || bytes[at] != EVEX)
        return false;
    const uint8_t *p = bytes + at;
    static const uint8_t prefixes[] = {NONE_, P66, PF3, PF2};
    bool memory = p[5] < 0xc0, b = (p[3] & 0x10) != 0;
    unsigned length = (p[3] >> 5) & 3;
    *form = (struct form){.map = p[1] & 7,
                          .prefix = prefixes[p[2] & 3],
                          .opcode = p[4],
                          .w = (p[2] & 0x80) != 0,
                          .memory = memory,
                          .bytes = b && !memory ? 64 : 16u << (length < 3 ? length : 2)};
    return true;
}

/* ---- operations */

/* Fused multiply-adds: even ones packed, odd ones scalar but for the first two of each sixteen. */
static bool is_fma(const struct form *form)
{
    unsigned low = form->opcode & 0xf, high = form->opcode >> 4;
    return (form->map == 2 || form->map == 6) && form->prefix == P66 && high >= 9 && high <= 0xb && low >= 6;
}

static struct row fma_row(const struct form *form)
{
    bool scalar = form->opcode % 2 == 1 && (form->opcode & 0xf) > 7, half = form->map == 6;
    uint8_t shape = half     ? (scalar ? SHAPE_HALF_SCALAR : SHAPE_HALF_PACKED)
                    : scalar ? SHAPE_SCALAR
                             : SHAPE_PACKED;
    return (struct row){.operation = OPERATION_FMA, .shape = shape};
}

static bool find_row(const struct form *form, struct row *row)
{
    if (is_fma(form)) {
        *row = fma_row(form);
        return true;
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].map == form->map && form->opcode >= rows[i].first && form->opcode <= rows[i].last &&
            (rows[i].prefixes & form->prefix) != 0) {
            *row = rows[i];
            return true;
        }
    return false;
}

static struct lanes all_lanes(const struct form *form, enum precision precision)
{
    static const uint8_t sizes[] = {[PRECISION_HALF] = 2, [PRECISION_SINGLE] = 4, [PRECISION_DOUBLE] = 8};
    return (struct lanes){.precision = precision, .n = form->bytes / sizes[precision], .vector = true};
}

static struct lanes one_lane(enum precision precision)
{
    return (struct lanes){.precision = precision, .n = 1};
}

static struct lanes lanes_of(const struct form *form, enum shape shape)
{
    enum precision by_w = form->w ? PRECISION_DOUBLE : PRECISION_SINGLE;
    bool packed = (form->prefix & (NONE_ | P66)) != 0;
    switch (shape) {
    case SHAPE_PREFIX:
        by_w = (form->prefix & (P66 | PF2)) != 0 ? PRECISION_DOUBLE : PRECISION_SINGLE;
        return packed ? all_lanes(form, by_w) : one_lane(by_w);
    case SHAPE_HALF:
        return packed ? all_lanes(form, PRECISION_HALF) : one_lane(PRECISION_HALF);
    case SHAPE_PACKED:
        return all_lanes(form, by_w);
    case SHAPE_SCALAR:
        return one_lane(by_w);
    case SHAPE_HALF_PACKED:
        return all_lanes(form, PRECISION_HALF);
    case SHAPE_HALF_SCALAR:
        return one_lane(PRECISION_HALF);
    case SHAPE_HALF_PAIR:
        return (struct lanes){.precision = PRECISION_HALF, .n = 2};
    case SHAPE_PRODUCTS:
        return (struct lanes){.precision = PRECISION_SINGLE, .n = form->bytes / 2, .vector = true};
    case SHAPE_ALL:
        return (struct lanes){.vector = true};
    default:
        return (struct lanes){0};
    }
}

/* ---- memory */

static bool in(uint8_t opcode, const char *opcodes)
{
    return opcode != 0 && strchr(opcodes, opcode) != NULL;
}

/* The operand in memory is the one that is written. */
static bool stores(const struct form *form)
{
    switch (form->map) {
    case 1: /* F3 7E is a load */
        return in(form->opcode, "\x11\x13\x17\x29\x2b\x7f\xd6\xe7") ||
               (form->opcode == 0x7e && form->prefix == P66);
    case 2:
        return in(form->opcode, "\x63\x8a\x8b\xa0\xa1\xa2\xa3") ||
               (form->prefix == PF3 && form->opcode >= 0x10 && form->opcode <= 0x35);
    case 3:
        return in(form->opcode, "\x14\x15\x16\x17\x19\x1b\x1d\x39\x3b");
    default:
        return form->map == 5 && in(form->opcode, "\x11\x7e");
    }
}

static bool prefetches(const struct form *form)
{
    return form->map == 2 && (form->opcode == 0xc6 || form->opcode == 0xc7);
}

/* ---- masks */

/* KMOV, KAND, KSHIFT, KORTEST: VEX. */
static bool classify_mask(const uint8_t *bytes, size_t size, struct kind *out)
{
    if (size < 4 || (bytes[0] != VEX_2 && bytes[0] != VEX_3))
        return false;
    unsigned head = bytes[0] == VEX_2 ? 2 : 3, map = head == 2 ? 1 : bytes[1] & 0x1f;
    uint8_t opcode = bytes[head];
    bool memory = size > head + 1 && bytes[head + 1] < 0xc0;
    bool moves = opcode >= 0x90 && opcode <= 0x93;
    if (map == 3
            ? opcode < 0x30 || opcode > 0x33
            : map != 1 || !((opcode >= 0x41 && opcode <= 0x4b) || moves || opcode == 0x98 || opcode == 0x99))
        return false;
    if (memory && moves)
        kind_add_accesses(out, opcode == 0x91 ? ACCESS_STORE : ACCESS_LOAD, 0);
    return true;
}

bool classify_evex(const uint8_t *bytes, size_t size, struct kind *out)
{
    struct form form;
    struct row row;
    memset(out, 0, sizeof *out);
    if (classify_mask(bytes, size, out))
        return true;
    if (!read_form(bytes, size, &form) || !find_row(&form, &row))
        return false;
    kind_add_operation(out, row.operation, lanes_of(&form, row.shape));
    if (form.memory && !prefetches(&form))
        kind_add_accesses(out, stores(&form) ? ACCESS_STORE : ACCESS_LOAD, 0);
    return true;
}

size_t classify_evex_first(const uint8_t *bytes, size_t size, struct kind *out)
{
    struct form form;
    size_t length = read_form(bytes, size, &form) ? x86_length(bytes, size) : 0;
    return length != 0 && classify_evex(bytes, length, out) ? length : 0;
}
