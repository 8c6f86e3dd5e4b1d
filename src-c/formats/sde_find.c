/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds the copies of libsde in a process. Part of both libpapi and libsde.
 */
#include "formats/sde_registry.h"

#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#define TEXT(name) TEXT_OF(name)
#define TEXT_OF(name) #name

/* The loader's lock is not to be held while objects are opened: their names first. */
struct objects {
    int n, room;
    char **name;
};

static int note_object(struct dl_phdr_info *info, size_t size, void *context)
{
    struct objects *objects = context;
    (void)size;
    if (objects->n == objects->room) {
        int room = objects->room ? 2 * objects->room : 64;
        char **grown = realloc(objects->name, (size_t)room * sizeof *grown);
        if (grown == NULL)
            return 1;
        objects->name = grown;
        objects->room = room;
    }
    objects->name[objects->n] = strdup(info->dlpi_name);
    return objects->name[objects->n++] == NULL;
}

/* The start of the object that contains an address; NULL: none does. */
static const void *object_of(const void *address)
{
    Dl_info info;
    return dladdr(address, &info) != 0 ? info.dli_fbase : NULL;
}

/* The anchor that a loaded object exports itself; NULL: none. Its dependencies have their own turn. */
static sde_anchor *anchor_in(const char *name)
{
    const struct link_map *map = NULL;
    void *object = dlopen(name[0] != '\0' ? name : NULL, RTLD_LAZY | RTLD_NOLOAD), *found = NULL;
    if (object == NULL)
        return NULL;
    found = dlsym(object, TEXT(SDE_ANCHOR));
    if (found != NULL && dlinfo(object, RTLD_DI_LINKMAP, (void *)&map) == 0 &&
        object_of(found) != object_of(map->l_ld))
        found = NULL;
    if (found != NULL)
        sde_keep_loaded(found);
    dlclose(object);
    sde_anchor *anchor;
    memcpy(&anchor, &found, sizeof anchor);
    return anchor;
}

/* Declared so that a linker that puts a copy into a program exports it. */
extern sde_anchor SDE_ANCHOR __attribute__((weak, visibility("default")));

bool sde_find_anchor(struct sde_registry *_Atomic **out)
{
    struct objects objects = {0};
    sde_anchor *anchor = NULL;
    bool all = dl_iterate_phdr(note_object, &objects) == 0;
    for (int i = 0; i < objects.n; i++) {
        if (anchor == NULL && all)
            anchor = anchor_in(objects.name[i]);
        free(objects.name[i]);
    }
    free(objects.name);
    if (anchor == NULL)
        anchor = SDE_ANCHOR;
    *out = anchor != NULL ? anchor() : NULL;
    return all;
}

void sde_keep_loaded(const void *address)
{
    Dl_info info;
    if (dladdr(address, &info) == 0 || info.dli_fname == NULL)
        return;
    void *object = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE); /* NULL for the program */
    if (object != NULL)
        dlclose(object);
}
