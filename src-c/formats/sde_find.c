/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds the copies of libsde in a process. Part of both libpapi and libsde.
 */
#include "base/loaded.h"
#include "formats/sde_registry.h"

#include <dlfcn.h>
#include <string.h>

#define TEXT(name) TEXT_OF(name)
#define TEXT_OF(name) #name

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
    struct loaded_names names;
    sde_anchor *anchor = NULL;
    bool all = loaded_names(&names);
    for (int i = 0; i < names.n && anchor == NULL && all; i++)
        anchor = anchor_in(names.name[i]);
    loaded_names_free(&names);
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
