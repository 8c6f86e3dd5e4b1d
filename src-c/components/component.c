/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/component.h"

#include <string.h>

static double real(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint64_t bits(double value)
{
    uint64_t all;
    memcpy(&all, &value, sizeof all);
    return all;
}

uint64_t count_sum(const struct counter_group *group, int counter, uint64_t a, uint64_t b)
{
    return (group->reals >> counter & 1) != 0 ? bits(real(a) + real(b)) : a + b;
}

uint64_t count_difference(const struct counter_group *group, int counter, uint64_t a, uint64_t b)
{
    return (group->reals >> counter & 1) != 0 ? bits(real(a) - real(b)) : a - b;
}

bool accum_takes_a_read(struct counter_group *group, const uint64_t *base, uint64_t *count, long long *value)
{
    (void)group;
    (void)base;
    (void)count;
    (void)value;
    return false;
}
