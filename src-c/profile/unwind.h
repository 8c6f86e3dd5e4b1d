/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "address_space.h"
#include "objects.h"

#include <stddef.h>

/* Calls from a copy of the registers and of the end of the stack, by libdwfl. */

enum { UNWIND_MOST = 128 };

struct stack_copy {
    const uint64_t *registers; /* as the kernel wrote them: those of registers_asked(), by its numbers */
    const char *bytes;         /* from the stack pointer on */
    size_t size;
};

/* The addresses from the inside out, the sampled one first. Returns how many; 0: it cannot be unwound. */
int unwind(struct space *space, struct objects *objects, const struct stack_copy *copy, uint64_t *address);

void unwinder_free(void *unwinder); /* NULL is allowed */
