/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/wide.h"

struct wide wide_product(uint64_t a, uint64_t b)
{
    const uint64_t half = UINT32_MAX;
    uint64_t low = (a & half) * (b & half);
    uint64_t first = (a >> 32) * (b & half) + (low >> 32); /* at most 2^64 - 2^32 */
    uint64_t second = (a & half) * (b >> 32) + (first & half);
    return (struct wide){(a >> 32) * (b >> 32) + (first >> 32) + (second >> 32), second << 32 | (low & half)};
}

bool wide_times(struct wide *number, uint64_t factor)
{
    struct wide low = wide_product(number->low, factor);
    uint64_t high;
    if (__builtin_mul_overflow(number->high, factor, &high) ||
        __builtin_add_overflow(high, low.high, &low.high))
        return false;
    *number = low;
    return true;
}

static bool is_less(struct wide a, struct wide b)
{
    return a.high != b.high ? a.high < b.high : a.low < b.low;
}

/* Bit by bit, as on paper. The rest may need 129 bits while it is shifted: then it is not less. */
struct wide wide_quotient(struct wide number, struct wide divisor)
{
    struct wide rest = {0, 0}, quotient = {0, 0};
    for (int i = 127; i >= 0; i--) {
        bool carry = rest.high >> 63;
        uint64_t bit = i >= 64 ? number.high >> (i - 64) : number.low >> i;
        rest = (struct wide){rest.high << 1 | rest.low >> 63, rest.low << 1 | (bit & 1)};
        if (!carry && is_less(rest, divisor))
            continue;
        rest = (struct wide){rest.high - divisor.high - (rest.low < divisor.low), rest.low - divisor.low};
        *(i >= 64 ? &quotient.high : &quotient.low) |= UINT64_C(1) << (i & 63);
    }
    return quotient;
}

bool wide_shift(struct wide *number, int bits)
{
    for (; bits > 0 && (number->high | number->low) != 0; bits--)
        if (!wide_times(number, 2))
            return false;
    for (; bits < 0 && (number->high | number->low) != 0; bits++)
        *number = (struct wide){number->high >> 1, number->high << 63 | number->low >> 1};
    return true;
}
