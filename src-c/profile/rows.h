/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "debug.h"

#include <stddef.h>
#include <stdint.h>

/* A piece of a program's code. */
struct code {
    const unsigned char *bytes;
    size_t size;
    uint64_t address;
    unsigned machine; /* EM_X86_64, EM_AARCH64 or another */
};

/* Gives what a line has of the code near one of its addresses, piece by piece: nothing where the debug
 * information has no lines there. address is the file's own. */
void rows_near(struct debug *debug, uint64_t address, void (*take)(void *context, const struct code *code),
               void *context);
