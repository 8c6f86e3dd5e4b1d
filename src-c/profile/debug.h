/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "call_tree.h"
#include "index.h"
#include "objects.h"

#include <elfutils/libdwfl.h>

/* ---- units */

/* The functions that compilation units describe, each unit read once. libdw has a search of its own, which
 * does not look into the modules of Fortran. */

struct function {
    Dwarf_Addr low, high;
    Dwarf_Die die,
        outer; /* outer: the routine in which it is described; its addr is NULL where it is in none */
};

struct unit {
    struct function *function; /* by their addresses; one with several ranges is there several times */
    int n, room;
};

/* Surroundings of a routine: the routine in which it is described, and the class if that is of a lambda
 * expression. The addr of a Dwarf_Die is NULL where there is none. */
struct surroundings {
    Dwarf_Die outer, lambda;
    int scope; /* a number of names, or PROFILE_NONE */
};

/* The units that have been read, and the functions in them. Begins as zeroes. */
struct units {
    struct index known; /* Dwarf_Off of units */
    struct unit *unit;
    int room;
    struct index routines; /* Dwarf_Off of descriptions */
    struct surroundings *around;
    int around_room;
    struct index names; /* "module::routine", "namespace::class" */
    struct unit all;    /* the units themselves, once they were asked for by address */
    bool all_read;
};

/* The unit at an address; NULL: none is described.
 *   bias  becomes what the module's addresses have beyond those of its file */
Dwarf_Die *units_at(struct units *units, Dwfl_Module *module, Dwarf_Addr address, Dwarf_Addr *bias);

/* The function at an address of a unit; NULL: none is described. */
const struct function *units_find(struct units *units, Dwarf_Die *unit, Dwarf_Addr pc);

/* Names around a routine's description: "module::routine", "namespace::class"; NULL: in
 * nothing that has a name. lambda becomes the class if that is of a lambda expression; else its addr is NULL.
 */
const char *units_scope(struct units *units, Dwarf_Die *die, Dwarf_Die *lambda);

void units_free(struct units *units);

/* ---- debug information */

/* Debug information of one object, and the routines that were read from it. */

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

/* The piece of code of the function at an address. False: no function is described there. */
bool debug_function(struct debug *debug, Dwarf_Addr address, Dwarf_Addr *low, Dwarf_Addr *high);

/* Calls use for each source file that is named. */
void debug_files(struct debug *debug, void (*use)(void *context, const char *path), void *context);

void places_append(struct places *places, int place);
void debug_free(struct debug *debug);
