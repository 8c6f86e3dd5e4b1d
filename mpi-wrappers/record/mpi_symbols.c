/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/mpi_symbols.h"

#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

struct names {
    char *text; /* each ends with \0 */
    size_t length;
};

static int note_name(struct dl_phdr_info *info, size_t size, void *pointer)
{
    struct names *names = pointer;
    size_t length = strlen(info->dlpi_name) + 1;
    (void)size;
    if (length > 1) {
        char *text = realloc(names->text, names->length + length);
        if (!text)
            return 1;
        names->text = memcpy(text + names->length, info->dlpi_name, length) - names->length;
        names->length += length;
    }
    return 0;
}

static const void *base_of(const void *address)
{
    Dl_info info;
    return dladdr(address, &info) ? info.dli_fbase : NULL;
}

/* Looks a name up in all loaded objects but this library, whatever scope they were opened with. */
static void *anywhere(const char *name)
{
    struct names names = {NULL, 0};
    void *found = NULL;
    dl_iterate_phdr(note_name, &names); /* nothing may be opened while it holds its lock */
    for (size_t at = 0; at < names.length && !found; at += strlen(names.text + at) + 1) {
        void *handle = dlopen(names.text + at, RTLD_LAZY | RTLD_NOLOAD);
        if (!handle)
            continue;
        found = dlsym(handle, name);
        if (found && base_of(found) == base_of(mpi_symbol))
            found = NULL;
        dlclose(handle); /* others hold it */
    }
    free(names.text);
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
