/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Prints where this program is in memory, as the library tells it, and where one of its functions is.
 * program_map.py compares that with the program's file. Built in each form that a program can have.
 *   program_map         as it is
 *   program_map gone    removes its own file first
 */
#include "papi.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int program_map_anchor(int i);

int program_map_data = 1;
static int zeroes[5000];

int program_map_anchor(int i)
{
    return zeroes[i] += program_map_data;
}

static void print(const char *name, const void *address)
{
    printf("%s %#llx\n", name, (unsigned long long)(uintptr_t)address);
}

int main(int argc, char **argv)
{
    const PAPI_exe_info_t *info;
    const PAPI_shlib_info_t *libraries;
    const PAPI_address_map_t *map;
    if (argc > 1 && strcmp(argv[1], "gone") == 0)
        unlink(argv[0]);
    if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT)
        return 1;
    info = PAPI_get_executable_info();
    libraries = PAPI_get_shared_lib_info();
    if (info == NULL || libraries == NULL || program_map_anchor(argc) != 1)
        return 1;
    map = &info->address_info;
    printf("fullname %s\nname %s\nlibraries %d\n", info->fullname, map->name, libraries->count);
    print("text_start", map->text_start);
    print("text_end", map->text_end);
    print("data_start", map->data_start);
    print("data_end", map->data_end);
    print("bss_start", map->bss_start);
    print("bss_end", map->bss_end);
    print("anchor", (const void *)(uintptr_t)program_map_anchor);
    return 0;
}
