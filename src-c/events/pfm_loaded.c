/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/reason.h"
#include "events/pfm_library.h"

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define PFM_FILE "libpfm.so.4"

#define SYMBOL(member)                                                                                       \
    {                                                                                                        \
        "pfm_" #member, offsetof(struct pfm_library, member)                                                 \
    }

static const struct {
    const char *name;
    size_t offset;
} symbols[] = {
    SYMBOL(initialize),     SYMBOL(terminate),
    SYMBOL(get_version),    SYMBOL(strerror),
    SYMBOL(find_event),     SYMBOL(get_event_next),
    SYMBOL(get_event_info), SYMBOL(get_event_attr_info),
    SYMBOL(get_pmu_info),   SYMBOL(get_os_event_encoding),
};

static int find_symbols(void *handle, struct pfm_library *library)
{
    for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++) {
        void *address = dlsym(handle, symbols[i].name);
        if (address == NULL)
            return -1;
        memcpy((char *)library + symbols[i].offset, &address, sizeof address);
    }
    return 0;
}

/* The loader does not say why it fails. Looked for twice, since it takes a file that it could not open for
 * one that is not there; and then whether there is memory for it. */
static void *open_library(void)
{
    enum { PLENTY = 8 << 20 };
    errno = 0;
    void *handle = dlopen(PFM_FILE, RTLD_LAZY | RTLD_LOCAL);
    if (handle == NULL && !error_passes(errno))
        handle = dlopen(PFM_FILE, RTLD_LAZY | RTLD_LOCAL);
    int error = errno;
    if (handle != NULL || error_passes(error))
        return handle;
    void *volatile probe = malloc(PLENTY); /* volatile: else the compiler leaves it out */
    errno = probe != NULL ? error : ENOMEM;
    free(probe);
    return NULL;
}

const struct pfm_library *pfm_library_open(void)
{
    struct pfm_library *library = malloc(sizeof *library);
    void *handle = library != NULL ? open_library() : NULL;
    if (handle != NULL && find_symbols(handle, library) == 0)
        return library;
    int error = library == NULL ? ENOMEM : handle == NULL ? errno : ENOSYS;
    if (handle != NULL)
        dlclose(handle);
    free(library);
    errno = error;
    return NULL;
}
