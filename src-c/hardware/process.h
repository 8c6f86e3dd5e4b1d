/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "papi.h"

/* What /proc and the loader know of the calling process. root: see base/sysroot.h. */

/* Its memory: PAPI_EINVAL in the fields that the kernel does not tell. 0, or -1 with errno: no such
 * file (ENODATA: it says nothing of memory). */
int memory_fill(const char *root, PAPI_dmem_info_t *info);

/* The program: its file from root, its addresses from the loader. 0, or -1: it has no code that the
 * loader knows of. */
int executable_fill(const char *root, PAPI_exe_info_t *info);

/* The shared libraries that are loaded now, in the loader's order; *maps is for free(), NULL for none.
 * 0, or -1: out of memory. No lock of the library's may be held: a program that looks through the
 * loader's list itself calls the library from there. */
int libraries_list(PAPI_address_map_t **maps, int *count);
