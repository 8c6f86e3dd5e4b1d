/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Whole numbers of 128 bits, in halves: compilers for processors of 32 bits have no type for them. */
struct wide {
    uint64_t high, low;
};

struct wide wide_product(uint64_t a, uint64_t b);

/* The number times a factor; false: it has more than 128 bits, and stays as it is. */
bool wide_times(struct wide *number, uint64_t factor);

/* The quotient, cut. The divisor is not 0. */
struct wide wide_quotient(struct wide number, struct wide divisor);

/* The number times 2^bits (down where that is negative), cut; false: it has more than 128 bits. */
bool wide_shift(struct wide *number, int bits);

/* number times part by whole, cut, modulo 2^64: a share of a count. whole is not 0. */
static inline uint64_t wide_share(uint64_t number, uint64_t part, uint64_t whole)
{
#ifdef __SIZEOF_INT128__
    __extension__ typedef unsigned __int128 all;
    return (uint64_t)((all)number * part / whole);
#else
    return wide_quotient(wide_product(number, part), (struct wide){0, whole}).low;
#endif
}
