/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stddef.h>

/* What may be the second argument of MPI_Pcontrol: where the program gave none, a caller's leftover, which
 * can be any address. */
struct possible_name {
    const char *text;
    size_t length; /* SIZE_MAX: it ends with \0; otherwise as Fortran has it, and as doubtful as the text */
};

/* Bytes of a name, with its \0. */
enum { POSSIBLE_NAME = 256 };

/* Copies the text, if it is one: readable, of 1 to 255 bytes, all of characters that can be shown. The kernel
 * reads it: an address without memory is no fault. 1, or 0: it is not a name. */
int possible_name_read(char to[POSSIBLE_NAME], struct possible_name name);
