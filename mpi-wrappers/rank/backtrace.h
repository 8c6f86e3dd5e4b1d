/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

/* From a call out of a library to the place in the program itself that the library was called from. */

/* Prepares it, once. 0, or -1: this system has no unwinder (libgcc_s.so.1). */
int walk_begin(void);

/* address: where an MPI call returns to; frame: of the wrapper that was called. The address in the program to
 * which the first of the calls around it returns, or address itself where none of them is the program's.
 * Where the calls around are those of the last time from there, they are compared and not unwound. */
uintptr_t walk_to_program(uintptr_t address, uintptr_t frame);

/* The calling thread ends. */
void walk_forget(void);
