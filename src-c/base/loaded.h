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
