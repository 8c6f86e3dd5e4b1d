/* SPDX-License-Identifier: BSD-3-Clause */
#include "events/pfm_library.h"
#include "base/load.h"
#include "base/reason.h"

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

/* PAPI_PFM_LINKED: for a program that is linked with libpfm4. */
#ifdef PAPI_PFM_LINKED

#ifdef PAPI_ARCHIVE
/* Replacements of stdout and stderr in the libpfm4 that libpapi.a contains. Distributions compile it for
 * programs, where the C library's own can be reached directly; an extension module that is linked with
 * libpapi.a could not be linked for that. */
extern FILE *papi_pfm_stdout, *papi_pfm_stderr;
FILE *papi_pfm_stdout, *papi_pfm_stderr;
#endif

const struct pfm_library *pfm_library_open(void)
{
#define LINKED(name) .name = pfm_##name,
    static const struct pfm_library linked = {PFM_FUNCTIONS(LINKED)};
#ifdef PAPI_ARCHIVE
    papi_pfm_stdout = stdout;
    papi_pfm_stderr = stderr;
#endif
    return &linked;
}

#else

#define PFM_FILE "libpfm.so.4"

TEXT_ROWS_BEGIN
static const struct load_symbol symbols[] = {
#define SYMBOL(name) {"pfm_" #name, offsetof(struct pfm_library, name)},
    PFM_FUNCTIONS(SYMBOL)};
TEXT_ROWS_END

/* The loader does not say why it fails. Looked for twice, since it takes a file that it could not open for
 * one that is not there; and then whether there is memory for it. */
static void *open_library(void)
{
    enum { PLENTY = 8 << 20 };
    errno = 0;
    void *handle = dlopen(PFM_FILE, RTLD_LAZY | RTLD_LOCAL);
    if (handle == NULL && !error_passes(errno))
        handle = dlopen(PFM_FILE, RTLD_LAZY | RTLD_LOCAL);
    if (handle == NULL && !error_passes(errno))
        load_room(PLENTY, 0);
    return handle;
}

const struct pfm_library *pfm_library_open(void)
{
    struct pfm_library *library = malloc(sizeof *library);
    void *handle = library != NULL ? open_library() : NULL;
    if (handle != NULL && load_symbols(handle, symbols, sizeof symbols / sizeof *symbols, library))
        return library;
    int error = library == NULL ? ENOMEM : handle == NULL ? errno : ENOSYS;
    if (handle != NULL)
        dlclose(handle);
    free(library);
    errno = error;
    return NULL;
}

#endif
