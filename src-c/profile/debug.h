/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "objects.h"
#include "units.h"

#include <elfutils/libdwfl.h>

/* What the debug information of an object says about an address of it. */

struct debug {
    Dwfl_Module *module; /* at the addresses of its file */
    struct units units;
    int object;            /* its name, a string of the profile */
    struct index routines; /* of the descriptions that were read, by their offsets */
    int *routine, room;
};

/* Appends the places of an address. False: there is no description of a routine there. */
bool debug_look_up(struct debug *debug, struct profile *profile, Dwarf_Addr address, struct places *places);

/* The file and line of an address; PROFILE_NONE, 0: not known. */
void debug_line(struct debug *debug, struct profile *profile, Dwarf_Addr address, struct place *place);

/* Calls use for each source file that is named. */
void debug_files(struct debug *debug, void (*use)(void *context, const char *path), void *context);

void places_append(struct places *places, int place);
void debug_free(struct debug *debug);
