/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/* The name of a routine as its source has it, from the linker's: "module::routine" of Fortran, C++ with its
 * arguments, without what compilers append to parts and copies of a routine (foo._omp_fn.0, foo.constprop.1,
 * foo.cold). To be freed. */
char *name_of_symbol(const char *symbol);

/* The same where the debug information has the name. linkage: the linker's name, or NULL. scope: that of a
 * module or an enclosing routine, or NULL. */
char *name_of_routine(const char *name, const char *linkage, const char *scope);
