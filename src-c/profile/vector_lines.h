/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "objects.h"

/* Arithmetic of lines, on vectors or on single numbers, found in the program's code by the emulator's
 * classification, so that both agree. A line has several runs of instructions; only those near the addresses
 * that are looked up count, not what the compiler made of the line elsewhere. */

struct arithmetics;

#ifdef PAPI_WITH_CAPSTONE

/* Notes in the profile the arithmetic of each address that is looked up in the objects from now on. */
struct arithmetics *arithmetics_open(struct profile *profile, struct objects *objects);
void arithmetics_close(struct arithmetics *arithmetics);

#else /* nothing that decodes instructions was there when this was built: no line says what it does */

static inline struct arithmetics *arithmetics_open(struct profile *profile, struct objects *objects)
{
    (void)profile;
    (void)objects;
    return NULL;
}

static inline void arithmetics_close(struct arithmetics *arithmetics)
{
    (void)arithmetics;
}

#endif
