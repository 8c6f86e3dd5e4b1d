/* SPDX-License-Identifier: BSD-3-Clause */
#include "stand_in.h"

#include <stddef.h>
#include <string.h>

void *__real_dlopen(const char *path, int flags);
void *__real_dlsym(void *library, const char *name);
int __real_dlclose(void *library);
void *__wrap_dlopen(const char *path, int flags);
void *__wrap_dlsym(void *library, const char *name);
int __wrap_dlclose(void *library);

static char loaded; /* whose address is the library's handle */

void *__wrap_dlopen(const char *path, int flags)
{
    return path != NULL && strcmp(path, stand_in_library) == 0 ? &loaded : __real_dlopen(path, flags);
}

void *__wrap_dlsym(void *library, const char *name)
{
    void *found = NULL;
    if (library != &loaded)
        return __real_dlsym(library, name);
    for (const struct stand_in_function *f = stand_in_functions; f->name != NULL; f++)
        if (strcmp(f->name, name) == 0)
            memcpy(&found, &f->address, sizeof found);
    return found;
}

int __wrap_dlclose(void *library)
{
    return library == &loaded ? 0 : __real_dlclose(library);
}
