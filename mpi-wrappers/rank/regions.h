/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "record/record.h"

#include <stddef.h>

/* The program's regions (PAPI_hl_region_begin and its sisters) in the record: visits, time, the time inside
 * MPI, and the rank's counters while its main thread is inside.
 *
 * From MPI_Init to MPI_Finalize the record has them, and the library hears of them only where
 * PAPI_MPI_REGIONS=rank: otherwise each rank would write a file and count the same events once more. Before
 * and after, and in programs without MPI, all is as if nobody stood in between. */

struct region_functions {
    int (*begin)(const char *region);
    int (*read)(const char *region);
    int (*end)(const char *region);
    int (*stop)(void);
};

/* Region calls of the program, given the functions of libpapi; they return codes as in papi.h. */
int region_begin(const struct region_functions *library, const char *name);
int region_read(const struct region_functions *library, const char *name);
int region_end(const struct region_functions *library, const char *name);
int region_stop(const struct region_functions *library);

/* The place of a region in the record; -1: no thread has begun it. */
int region_find(const char *name);

/* Begin and end regions of MPI_Pcontrol(1, name) and MPI_Pcontrol(-1, name), which need not nest with the
 * others. Nothing can be said to the caller, and the name may be a leftover: a region that was never ended is
 * not in the result of a rank that came to MPI_Finalize, and of such names there are few at a time. */
void region_pcontrol_begin(const char *name);
void region_pcontrol_end(const char *name);
/* Takes the names from regions that may not be regions, at the end. */
void region_drop_supposed(struct rank_record *record);

/* Copies a text as Fortran passes it, without the blanks at its end. */
void region_text(char *to, size_t room, const char *from, size_t length);

/* The possible second argument of MPI_Pcontrol: where the program gave none, it is a caller's leftover, which
 * can be any address. */
struct possible_name {
    const char *text;
    size_t length; /* SIZE_MAX: it ends with \0; otherwise as Fortran has it, and as doubtful as the text */
};

/* Bytes of a name, with its \0. */
enum { POSSIBLE_NAME = 256 };

/* Copies the text, if it is one: readable, of 1 to 255 bytes, all of characters that can be shown. The kernel
 * reads it: an address without memory is not a fault. 1, or 0: it is not a name. */
int possible_name_read(char to[POSSIBLE_NAME], struct possible_name name);
