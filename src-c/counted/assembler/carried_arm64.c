/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The instructions of counters that are in registers, on 64-bit Arm: all of them are general ones.
 */
#include "arm64.h"

void put_carried_entry(FILE *out, const struct carried *loop)
{
    for (unsigned i = 0; i < loop->n; i++)
        fprintf(out, "\tmov %s, #0\n", register_name(loop->number[i], 8));
}

void put_carried_one(FILE *out)
{
    (void)out;
}

void put_carried_step(FILE *out, const struct carried *loop, int number)
{
    (void)loop;
    fprintf(out, "\tadd %s, %s, #1\n", register_name(number, 8), register_name(number, 8));
}

void put_carried_exit(FILE *out, const struct carried *loop, int number, enum slots slots,
                      struct carried_place place)
{
    uint64_t avoid = 0;
    for (unsigned i = 0; i < loop->n; i++)
        avoid |= REGISTER(loop->number[i]);
    struct taken taken = take_scratch(out, place.scratch, processor.for_counter[slots], avoid);
    put_addition(out, slots, place.slot, taken.number, register_name(number, 8));
    give_back(out, &taken);
}
