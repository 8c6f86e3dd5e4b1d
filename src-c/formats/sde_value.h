/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "formats/sde_registry.h"
#include <string.h>

static inline uint64_t sde_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline double sde_real(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* One load of the library's variable: an integer, or the bits of a double where the source is real. */
static inline uint64_t sde_load(const struct sde_source *source)
{
    double number;
    float small;
    switch (source->type) {
    case SDE_LONG_LONG:
        return (uint64_t)__atomic_load_n((const long long *)source->place, __ATOMIC_RELAXED);
    case SDE_INT:
        return (uint64_t)(long long)__atomic_load_n((const int *)source->place, __ATOMIC_RELAXED);
    case SDE_DOUBLE:
        __atomic_load((const double *)source->place, &number, __ATOMIC_RELAXED);
        return sde_bits(number);
    case SDE_FLOAT:
        __atomic_load((const float *)source->place, &small, __ATOMIC_RELAXED);
        return sde_bits((double)small);
    case SDE_COMPUTED:
    default:
        return source->compute(source);
    }
}

/* Sets the variable: to an integer, or what the bits of a double are where the source is real. */
static inline void sde_store(const struct sde_source *source, uint64_t value)
{
    double number = sde_real(value);
    float small = (float)number;
    if (source->type == SDE_LONG_LONG)
        __atomic_store_n((long long *)source->place, (long long)value, __ATOMIC_RELAXED);
    else if (source->type == SDE_INT)
        __atomic_store_n((int *)source->place, (int)value, __ATOMIC_RELAXED);
    else if (source->type == SDE_DOUBLE)
        __atomic_store((double *)source->place, &number, __ATOMIC_RELAXED);
    else if (source->type == SDE_FLOAT)
        __atomic_store((float *)source->place, &small, __ATOMIC_RELAXED);
}
