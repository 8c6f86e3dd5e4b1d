/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "call_tree.h"
#include "index.h"

#include <elfutils/libdwfl.h>

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

/* What a routine is described in; addr is NULL where it is in no other routine, not in the class of a lambda
 * expression itself. */
struct surroundings {
    Dwarf_Die outer, lambda;
    int scope; /* a number of names, or PROFILE_NONE */
};

/* Begins as zeroes. */
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

/* In what a routine is described: "module::routine", "namespace::class"; NULL: in nothing that has a name.
 *   lambda  becomes the class if that is of a lambda expression; else its addr is NULL */
const char *units_scope(struct units *units, Dwarf_Die *die, Dwarf_Die *lambda);

void units_free(struct units *units);
