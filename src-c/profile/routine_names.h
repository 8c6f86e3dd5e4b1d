/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>

/* The name of a routine as its source has it, from the linker's: "module::routine" of Fortran, C++ with its
 * arguments, without what compilers append to parts and copies of a routine (foo._omp_fn.0, foo.constprop.1,
 * foo.cold). To be freed. */
char *name_of_symbol(const char *symbol);

/* A lambda expression is a class of this name, of which what it does is the operator of calls. */
#define NAME_OF_LAMBDA "{lambda}"
#define NAME_OF_CALLS "operator()"

/* The same where the debug information has the name. linkage: the linker's name, or NULL. scope: what the
 * routine is declared in, or NULL. What a lambda expression does has the name of its class. */
char *name_of_routine(const char *name, const char *linkage, const char *scope);

/* An object that is a run-time library of OpenMP: gcc's, that of LLVM and of Intel, NVIDIA's. */
bool name_is_openmp(const char *path);
