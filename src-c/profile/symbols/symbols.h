/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

/* Names of what is at the addresses of programs and libraries, as papi_profile finds them, in a library of
 * its own: libdw need not be installed where programs run, so the library is opened only when it is needed.
 */
#define SYMBOLS_LIBRARY "libpapi_symbols.so"

struct papi_symbols;

/* A routine as its source has it, "module::routine" of Fortran, and the line of it. */
struct papi_symbols_frame {
    const char *routine, *file; /* file: "" where it is not known, then line is 0 */
    uint64_t line;
};

/* NULL: out of memory. */
struct papi_symbols *papi_symbols_open(void);
void papi_symbols_close(struct papi_symbols *symbols);

/* The routines around the call that returns to an address, the innermost first: more than one where some were
 * inlined.
 *   path             of the file
 *   id, id_size      its build id; another file under the path is not looked at. id_size 0: any file will do
 *   address          as the file has it
 *   frame            for at most room of them; the texts are there until symbols is closed
 * Returns how many, 0 where the file says nothing. Out of memory is 0 as well, and from then on always. */
int papi_symbols_look_up(struct papi_symbols *symbols, const char *path, const unsigned char *id, int id_size,
                         uint64_t address, struct papi_symbols_frame *frame, int room);
