/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Preloaded by variables_test.py: what is asked of the environment and what is loaded, and by whom, on
 * standard output between the program's own lines.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void tell(const char *what, const char *name, const void *caller)
{
    Dl_info info;
    const char *file = dladdr(caller, &info) != 0 ? info.dli_fname : "?";
    const char *slash = strrchr(file, '/');
    dprintf(STDOUT_FILENO, "%s %s by %s\n", what, name != NULL ? name : "?",
            slash != NULL ? slash + 1 : file);
}

static char *find(const char *name)
{
    size_t length = strlen(name);
    for (char **variable = environ; variable != NULL && *variable != NULL; variable++)
        if (strncmp(*variable, name, length) == 0 && (*variable)[length] == '=')
            return *variable + length + 1;
    return NULL;
}

char *getenv(const char *name)
{
    tell("getenv", name, __builtin_return_address(0));
    return find(name);
}

char *secure_getenv(const char *name)
{
    tell("secure_getenv", name, __builtin_return_address(0));
    return find(name);
}

void *dlopen(const char *name, int flags)
{
    void *(*next)(const char *, int) = (void *(*)(const char *, int))dlsym(RTLD_NEXT, "dlopen");

    if ((flags & RTLD_NOLOAD) == 0) /* or it only looks at what is loaded */
        tell("dlopen", name, __builtin_return_address(0));
    return next(name, flags);
}
