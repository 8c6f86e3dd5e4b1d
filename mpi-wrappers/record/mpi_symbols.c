/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/mpi_symbols.h"
#include "base/loaded.h"

#include <dlfcn.h>

static const void *base_of(const void *address)
{
    Dl_info info;
    return dladdr(address, &info) ? info.dli_fbase : NULL;
}

/* Looks a name up in all loaded objects but this library, whatever scope they were opened with. */
static void *anywhere(const char *name)
{
    struct loaded_names names;
    void *found = NULL;
    loaded_names(&names);
    for (int i = 0; i < names.n && !found; i++) {
        const char *file = names.name[i];
        void *handle = file[0] != '\0' ? dlopen(file, RTLD_LAZY | RTLD_NOLOAD) : NULL;
        if (!handle)
            continue;
        found = dlsym(handle, name);
        if (found && base_of(found) == base_of(mpi_symbol))
            found = NULL;
        dlclose(handle); /* others hold it */
    }
    loaded_names_free(&names);
    return found;
}

void *mpi_symbol(const char *name)
{
    /* Looked up from the beginning, not behind this library: an object of MPI may have been copied into the
     * program. */
    void *found = dlsym(RTLD_DEFAULT, name);
    return found ? found : anywhere(name);
}

void *mpi_symbol_behind(const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);
    return found ? found : anywhere(name);
}
