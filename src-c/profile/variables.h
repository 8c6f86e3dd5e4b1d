/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stdint.h>

/* The variables that have an address of their own all the time, as the source names them: of modules, files
 * and common blocks, and those that a routine keeps. */

struct variable {
    uint64_t address, size; /* as the file has them; size 0: not known */
    char *name;             /* "module::routine::name"; "/block/ (a, b)" */
    bool common;            /* a whole common block */
};

struct variables {
    struct variable *variable; /* by their addresses, one at each */
    int n, room;
    bool read;
};

/* The variable or common block at an address; NULL: none is described. The module's debug information is read
 * when it is first asked. */
const struct variable *variables_at(struct variables *variables, Dwfl_Module *module, uint64_t address);

void variables_free(struct variables *variables);
