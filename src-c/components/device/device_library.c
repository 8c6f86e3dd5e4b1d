/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/device/device_library.h"
#include "base/trust.h"
#include "papi.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* ---- signals */

sigset_t device_hold_signals(void)
{
    static const int of_the_instruction[] = {SIGSYS, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP};
    sigset_t all, before;
    sigfillset(&all);
    for (size_t i = 0; i < sizeof of_the_instruction / sizeof *of_the_instruction; i++)
        sigdelset(&all,
                  of_the_instruction[i]); /* held, they would kill: SIGSYS is a sandbox's way to answer */
    pthread_sigmask(SIG_BLOCK, &all, &before);
    return before;
}

void device_release_signals(sigset_t before)
{
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void device_hold_pipe(struct device_pipe_hold *hold)
{
    sigset_t pending;
    hold->before = device_hold_signals();
    sigpending(&pending);
    hold->pending = sigismember(&pending, SIGPIPE) == 1;
    sigaction(SIGPIPE, NULL, &hold->of_pipe);
}

void device_release_pipe(const struct device_pipe_hold *hold)
{
    struct sigaction now;
    sigset_t pending, pipe;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    sigpending(&pending);
    if (!hold->pending && sigismember(&pending, SIGPIPE) == 1)
        sigtimedwait(&pipe, NULL, &(struct timespec){0});
    if (sigaction(SIGPIPE, NULL, &now) == 0 && now.sa_handler != hold->of_pipe.sa_handler)
        sigaction(SIGPIPE, &hold->of_pipe, NULL);
    device_release_signals(hold->before);
}

/* ---- places */

/* True if a file is there, so that an error of the loader says what is wrong with it. */
static bool is_there(const char *path)
{
    return access(path, F_OK) == 0;
}

/* Tries one file; false with the loader's words in why where the file is there and does not load. */
static bool try_file(const char *path, void **library, struct reason *why)
{
    errno = 0; /* which tells a library that is not there from one that cannot be loaded now */
    *library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    int error = errno;
    if (*library != NULL)
        return true;
    const char *text = dlerror();
    if (error_passes(error))
        reason_set(why, error == ENOMEM ? PAPI_ENOMEM : PAPI_ESYS, "%s cannot be loaded now: %s", path,
                   strerror(error));
    else if (strchr(path, '/') != NULL && is_there(path))
        reason_set(why, PAPI_ENOSUPP, "%s does not load: %.200s", path,
                   text != NULL ? text : "no reason given");
    return false;
}

static bool try_folder(const struct device_library_source *source, const char *folder, void **library,
                       struct reason *why)
{
    char path[PATH_MAX];
    for (int i = 0; source->folders[i] != NULL; i++)
        for (int k = 0; source->files[k] != NULL && why->code == PAPI_OK; k++) {
            int n = snprintf(path, sizeof path, "%s/%s/%s", folder, source->folders[i], source->files[k]);
            if (n > 0 && (size_t)n < sizeof path && try_file(path, library, why))
                return true;
        }
    return false;
}

static bool try_loader(const struct device_library_source *source, void **library, struct reason *why)
{
    for (int i = 0; source->files[i] != NULL && why->code == PAPI_OK; i++)
        if (try_file(source->files[i], library, why))
            return true;
    return false;
}

const char *device_setting(const char *variable)
{
    const char *value = variable != NULL ? secure_getenv(variable) : NULL;
    return value != NULL && value[0] != '\0' ? value : NULL;
}

/* The places in their order: what the variables name, and only there; else the loader's, then the usual. */
static bool try_places(const struct device_library_source *source, void **library, struct reason *why)
{
    const char *file = device_setting(source->file_variable), *folder = device_setting(source->root_variable);
    if (file != NULL) {
        if (!try_file(file, library, why) && why->code == PAPI_OK)
            reason_set(why, PAPI_ENOSUPP, "there is no library %.300s, which %s names", file,
                       source->file_variable);
        return *library != NULL;
    }
    if (folder != NULL) {
        if (!try_folder(source, folder, library, why) && why->code == PAPI_OK)
            reason_set(why, PAPI_ENOSUPP, "there is no %s/%s below %.300s, which %s names",
                       source->folders[0], source->files[0], folder, source->root_variable);
        return *library != NULL;
    }
    return try_loader(source, library, why) || (source->usual_root != NULL && why->code == PAPI_OK &&
                                                try_folder(source, source->usual_root, library, why));
}

int device_library_load(const struct device_library_source *source, const char *root, void **library,
                        struct reason *why)
{
    struct reason found = {0};
    *library = NULL;
    bool named =
        device_setting(source->file_variable) != NULL || device_setting(source->root_variable) != NULL;
    if (root != NULL && root[0] != '\0' && !named)
        return reason_set(why, PAPI_ENOSUPP, "there is no %s for the files of another machine (PAPI_SYSROOT)",
                          source->files[0]);
    if (!trust_environment())
        return reason_set(why, PAPI_ENOSUPP,
                          "%s is not loaded: the program has rights that its caller lacks, and the library "
                          "would obey the caller's variables",
                          source->files[0]);
    if (try_places(source, library, &found))
        return PAPI_OK;
    return found.code != PAPI_OK
               ? reason_set(why, found.code, "%s", found.text)
               : reason_set(why, PAPI_ENOSUPP, "there is no %s, %s", source->files[0], source->advice);
}

/* ---- functions */

int device_library_functions(void *library, const char *name, const struct device_function *functions,
                             size_t n, void *structure, struct reason *why)
{
    for (size_t i = 0; i < n; i++) {
        void *address = dlsym(library, functions[i].name);
        if (address == NULL && functions[i].need == DEVICE_NEEDED)
            return reason_set(why, PAPI_ENOSUPP, "%s lacks the function %s: it is of another version", name,
                              functions[i].name);
        memcpy((char *)structure + functions[i].place, &address, sizeof address);
    }
    return PAPI_OK;
}

int device_library_open(const struct device_library_source *source, const char *root, void **library,
                        const struct device_function *functions, size_t n, void *structure,
                        struct reason *why)
{
    const char *name = source->name != NULL ? source->name : source->files[0];
    return device_library_load(source, root, library, why)
               ?: device_library_functions(*library, name, functions, n, structure, why);
}

bool device_library_root(const void *function, char *folder, size_t size)
{
    Dl_info info;
    if (dladdr(function, &info) == 0 || strlen(info.dli_fname) >= size)
        return false;
    strcpy(folder, info.dli_fname);
    for (int i = 0; i < 2; i++) {
        char *slash = strrchr(folder, '/');
        if (slash == NULL || slash == folder)
            return false;
        *slash = '\0';
    }
    return true;
}
