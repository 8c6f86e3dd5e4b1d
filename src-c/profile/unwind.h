/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "objects.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The registers that unwinding needs, by their numbers in DWARF, and the kernel's (asm/perf_regs.h) of each.
 */

#if defined(__x86_64__)
enum { REGISTERS = 16, REGISTERS_PC = 16, REGISTERS_SP = 7, REGISTERS_FP = 6 };
static const uint8_t registers_kernel[REGISTERS + 1] = {0,  3,  2,  1,  4,  5,  6,  7, 16,
                                                        17, 18, 19, 20, 21, 22, 23, 8};
#elif defined(__aarch64__)
enum { REGISTERS = 32, REGISTERS_PC = 32, REGISTERS_SP = 31, REGISTERS_FP = 29 };
static const uint8_t registers_kernel[REGISTERS + 1] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
                                                        11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
                                                        22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32};
#else
enum { REGISTERS = 0, REGISTERS_PC = 0, REGISTERS_SP = 0, REGISTERS_FP = 0 };
static const uint8_t registers_kernel[REGISTERS + 1] = {0};
#endif

/* Mask of the kernel's numbers of the registers to be sampled. 0: copied stacks cannot be unwound on this
 * processor. */
static inline uint64_t registers_asked(void)
{
    uint64_t mask = 0;
    for (int i = 0; REGISTERS > 0 && i <= REGISTERS; i++)
        mask |= UINT64_C(1) << registers_kernel[i];
    return mask;
}

/* Mappings of a process at the time of a sample. */

struct mapping {
    uint64_t start, end, offset; /* of the addresses, and in the file */
    int object;                  /* see objects.h */
};

struct space {
    int n, room;
    struct mapping *mapping; /* by their addresses, none over another */
    void *unwinder;          /* see unwind.h; NULL: none for these mappings */
};

/* Adds a mapping. Others lose the addresses that it takes. */
void space_map(struct space *space, const struct mapping *mapping);
void space_copy(struct space *to, const struct space *from);
void space_clear(struct space *space);

/* The mapping that has an address; NULL: nothing is known to be there. */
const struct mapping *space_find(const struct space *space, uint64_t address);

/* The number of the last mapping that begins at an address or before; -1: none. */
int space_before(const struct space *space, uint64_t address);

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
