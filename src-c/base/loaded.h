/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/array.h"

#include <limits.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Parts of walks over the loaded objects (dl_iterate_phdr). The loader holds its lock during a walk:
 * nothing may be opened before a walk ends. */

/* True if the object is loaded at an address. */
static inline bool loaded_at(const struct dl_phdr_info *object, uintptr_t address)
{
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        if (segment->p_type == PT_LOAD && address - object->dlpi_addr - segment->p_vaddr < segment->p_memsz)
            return true;
    }
    return false;
}

/* The dynamic section of an object; NULL: it has none. */
static inline const ElfW(Dyn) * loaded_dynamic(const struct dl_phdr_info *object)
{
    const ElfW(Dyn) *entry = NULL;
    for (int i = 0; i < object->dlpi_phnum; i++)
        if (object->dlpi_phdr[i].p_type == PT_DYNAMIC)
            entry = (const ElfW(Dyn) *)(uintptr_t)(object->dlpi_addr + object->dlpi_phdr[i].p_vaddr);
    return entry;
}

/* The place that an address of the dynamic section is of: some loaders have added the object's own to it. */
static inline const void *loaded_address(const struct dl_phdr_info *object, ElfW(Addr) address)
{
    return (const void *)(uintptr_t)(address < object->dlpi_addr ? object->dlpi_addr + address : address);
}

/* The number behind the last symbol of a table of names by hash, as linkers write it for --hash-style=gnu:
 * its last chain ends with an odd hash. The table: places, first symbol, words of the filter, shift; then
 * filter, places and chains. */
static inline uint32_t loaded_hash_end(const uint32_t *table)
{
    uint32_t places = table[0], first = table[1], last = 0;
    const uint32_t *place = table + 4 + table[2] * (sizeof(ElfW(Addr)) / sizeof *table),
                   *chain = place + places;
    for (uint32_t i = 0; i < places; i++)
        last = place[i] > last ? place[i] : last;
    if (last < first || last == 0)
        return first;
    while ((chain[last - first] & 1) == 0)
        last++;
    return last + 1;
}

/* The file of an object with such a name, which is as the program gave it to dlopen. */
static inline const char *loaded_path(const char *name, char room[PATH_MAX])
{
    return name[0] == '/' || realpath(name, room) == NULL ? name : room;
}

/* The names of all loaded objects, the program's first, which is "". */
struct loaded_names {
    char **name;
    int n;
};

static inline int loaded_note_name(struct dl_phdr_info *object, size_t size, void *context)
{
    struct loaded_names *names = context;
    (void)size;
    char *copy = ARRAY_GROW(names->name, names->n) ? strdup(object->dlpi_name) : NULL;
    if (copy != NULL)
        names->name[names->n++] = copy;
    return copy == NULL;
}

/* Lists them, so that they can be opened. False: no memory for all. */
static inline bool loaded_names(struct loaded_names *names)
{
    *names = (struct loaded_names){0};
    return dl_iterate_phdr(loaded_note_name, names) == 0;
}

static inline void loaded_names_free(struct loaded_names *names)
{
    for (int i = 0; i < names->n; i++)
        free(names->name[i]);
    free(names->name);
}
