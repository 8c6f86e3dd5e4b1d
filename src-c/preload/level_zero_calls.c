/* SPDX-License-Identifier: BSD-3-Clause
 *
 * libpapi_level_zero.so, which papi_profile --devices has a program preload where there are Intel's devices:
 * the calls by which a program starts their driver. Behind the first of them that succeeds in a process,
 * libpapi_launches.so is loaded and told; a process that makes none of them loads nothing, and may fork.
 *
 * Programs that are linked with Level Zero's loader call these functions. Others look them up in the loader
 * once it is loaded: so dlsym is here too. It answers for these two names, and goes on to the C library's by
 * a jump for all others, as that one asks from where it is called (RTLD_NEXT).
 */
#include "formats/launch_record.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define OPEN __attribute__((visibility("default")))
#define LOADER "libze_loader.so.1"

enum { STARTED = 0, UNINITIALIZED = 0x78000001 };

typedef int init_function(uint32_t flags);
typedef int init_drivers_function(uint32_t *n, void **driver, void *wanted);
typedef void *symbol_function(void *handle, const char *name);

OPEN init_function zeInit;
OPEN init_drivers_function zeInitDrivers;

enum start { INIT, INIT_DRIVERS, STARTS, OTHER = STARTS };
static const char *const names[STARTS] = {[INIT] = "zeInit", [INIT_DRIVERS] = "zeInitDrivers"};

static struct {
    symbol_function *_Atomic dlsym; /* the C library's */
    void *_Atomic start[STARTS];    /* the loader's, as the program has looked them up last; NULL */
    pthread_mutex_t lock;
    _Atomic pid_t told; /* in this process */
} preload = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* True while the library that is told makes such calls itself. */
static _Thread_local bool inside;

/* ---- the loader's functions */

/* The version of the C library in which its function of this name is: it depends on the machine. */
static symbol_function *find_dlsym(void)
{
    static const char *const versions[] = {"GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17", "GLIBC_2.27",
                                           "GLIBC_2.36", "GLIBC_2.0",   "GLIBC_2.2",  "GLIBC_2.4"};
    void *found = NULL;
    for (size_t i = 0; i < sizeof versions / sizeof *versions && found == NULL; i++)
        found = dlvsym(RTLD_NEXT, "dlsym", versions[i]);
    symbol_function *function;
    memcpy(&function, &found, sizeof function);
    preload.dlsym = function;
    return function;
}

static symbol_function *real_dlsym(void)
{
    symbol_function *known = preload.dlsym;
    return known != NULL ? known : find_dlsym();
}

/* A function of the loader that is in the process, for whomever; NULL: there is none. */
static void *loaded(enum start start)
{
    symbol_function *look = real_dlsym();
    void *found = look != NULL ? look(RTLD_NEXT, names[start]) : NULL;
    if (found != NULL || look == NULL)
        return found;
    void *loader = dlopen(LOADER, RTLD_LAZY | RTLD_NOLOAD);
    if (loader == NULL)
        return NULL;
    found = look(loader, names[start]);
    dlclose(loader);
    return found;
}

static void *real(enum start start)
{
    void *known = preload.start[start];
    return known != NULL ? known : loaded(start);
}

/* ---- the program's calls */

/* Loads the library that lies beside this one. */
static void tell(void)
{
    char path[PATH_MAX];
    Dl_info self;
    symbol_function *look = real_dlsym();
    const char *slash = dladdr((const void *)names, &self) != 0 ? strrchr(self.dli_fname, '/') : NULL;
    int n = slash != NULL ? snprintf(path, sizeof path, "%.*s" LAUNCHES_LIBRARY,
                                     (int)(slash + 1 - self.dli_fname), self.dli_fname)
                          : -1;
    void *library = n > 0 && n < (int)sizeof path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    void *found = library != NULL ? look(library, LAUNCHES_OF_LEVEL_ZERO) : NULL;
    launches_function *function;
    memcpy(&function, &found, sizeof function);
    if (function != NULL)
        function();
}

static void tell_once(pid_t pid)
{
    if (preload.told == pid)
        return;
    inside = true;
    preload.told = pid;
    tell();
    inside = false;
}

/* Another thread that starts the driver meanwhile waits, so that all that it does is noted. In the child of a
 * fork the lock may be held for ever, and there is one thread. */
static int started(int status)
{
    pid_t pid = getpid(), told = preload.told;
    if (status != STARTED || inside)
        return status;
    if (told == 0 || told == pid) {
        pthread_mutex_lock(&preload.lock);
        tell_once(pid);
        pthread_mutex_unlock(&preload.lock);
    } else
        tell_once(pid);
    return status;
}

int zeInit(uint32_t flags)
{
    void *found = real(INIT);
    init_function *function;
    memcpy(&function, &found, sizeof function);
    return function != NULL ? started(function(flags)) : UNINITIALIZED;
}

int zeInitDrivers(uint32_t *n, void **driver, void *wanted)
{
    void *found = real(INIT_DRIVERS);
    init_drivers_function *function;
    memcpy(&function, &found, sizeof function);
    return function != NULL ? started(function(n, driver, wanted)) : UNINITIALIZED;
}

/* ---- looking them up */

static enum start start_of(const char *name)
{
    if (name == NULL || name[0] != 'z' || name[1] != 'e')
        return OTHER;
    int i = 0;
    while (i < STARTS && strcmp(name, names[i]) != 0)
        i++;
    return (enum start)i;
}

/* The function here instead of the one that is found; NULL: there is none. */
static void *instead(void *handle, enum start start)
{
    init_function *init = zeInit;
    init_drivers_function *drivers = zeInitDrivers;
    void *here, *found;
    if (start == INIT)
        memcpy(&here, &init, sizeof here);
    else
        memcpy(&here, &drivers, sizeof here);
    found =
        handle == RTLD_DEFAULT || handle == RTLD_NEXT ? loaded(start) : real_dlsym()(handle, names[start]);
    if (found != NULL && found != here)
        preload.start[start] = found;
    return found != NULL ? here : NULL;
}

OPEN void *dlsym(void *restrict handle, const char *restrict name)
{
    symbol_function *real_one = real_dlsym();
    enum start start = start_of(name);
    if (real_one == NULL)
        return NULL;
    return start == OTHER ? real_one(handle, name) : instead(handle, start);
}
