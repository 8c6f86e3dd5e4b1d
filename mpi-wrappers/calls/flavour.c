/* SPDX-License-Identifier: BSD-3-Clause */
#include "calls/wrapper.h"

#include "mpi/mpi_now.h"

#include "rank/machine.h"
#include "rank/rank.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#ifdef OPEN_MPI
static const int is_open_mpi = 1;
const char *const flavour_name = "Open MPI";
static const char own[] = "openmpi", other[] = "mpich";
#else
static const int is_open_mpi = 0;
const char *const flavour_name = "MPICH";
static const char own[] = "mpich", other[] = "openmpi";
#endif

/* Set for the one program start that comes of a wrong library; it does not go on to children. */
static const char guard[] = "PAPI_MPI_SWITCHED";

static const char open_mpi_object[] = "ompi_mpi_comm_world";

/* Complains at the first call only: each call asks as long as there is no MPI to pass it on to. */
int flavour_fits(void)
{
    if (is_open_mpi == (mpi_symbol(open_mpi_object) != NULL))
        return 1;
    if (presence_rank() <= 0 && !atomic_exchange(&papi_mpi.told, 1))
        fprintf(stderr,
                "papi_mpi: the wrapper library for %s was loaded into a program of another MPI. "
                "Preload libpapi_mpi_%s.so\n",
                own, other);
    return 0;
}

/* The file behind own_path, which may be a link, with the other flavour's name in its own; NULL: there is no
 * such file. The caller frees it. */
static char *find_sibling(const char *own_path)
{
    char file[PATH_MAX], *path = NULL;
    const char *slash, *at;
    if (!realpath(own_path, file))
        return NULL;
    slash = strrchr(file, '/');
    at = strstr(slash, own);
    if (at && asprintf(&path, "%.*s%s%s", (int)(at - file), file, other, at + strlen(own)) < 0)
        return NULL;
    if (path && access(path, R_OK) == 0)
        return path;
    free(path);
    return NULL;
}

/* True if an entry of LD_PRELOAD, which may be a bare name or a link, is this library. */
static int is_own(const char *entry, const char *own_path)
{
    void *handle = dlopen(entry, RTLD_LAZY | RTLD_NOLOAD);
    Dl_info info;
    const char *base = NULL;
    if (!handle)
        return 0;
    if (dladdr(dlsym(handle, "MPI_Init"), &info))
        base = info.dli_fname;
    dlclose(handle);
    return base && strcmp(base, own_path) == 0;
}

/* LD_PRELOAD with another library first, NULL: none, and without this one. Returns whether it has changed:
 * needed: even where it did not have this one. */
static int change_preload(const char *own_path, const char *library, int needed)
{
    const char *before = secure_getenv("LD_PRELOAD");
    char *words = before ? strdup(before) : NULL, *list = NULL, *left = words;
    size_t size = 0;
    int found = needed;
    FILE *out = open_memstream(&list, &size);
    if (out && library)
        fputs(library, out);
    for (char *word; out && (word = strsep(&left, " :")) != NULL;) {
        int this_one = *word && is_own(word, own_path);
        found |= this_one;
        if (*word && !this_one)
            fprintf(out, "%s%s", ftell(out) ? ":" : "", word);
    }
    free(words);
    if (!out || fclose(out) != 0)
        return 0;
    if (found && size)
        setenv("LD_PRELOAD", list, 1);
    else if (found)
        unsetenv("LD_PRELOAD");
    free(list);
    return found;
}

/* Another library of the program has MPI's calls before this one: a tool of its own, or an MPI that was
 * linked first. It would call the PMPI_ functions past this library. What the program itself defines stays
 * first. */
static int comes_later(const Dl_info *own_library)
{
    Dl_info first, program;
    return dladdr(dlsym(RTLD_DEFAULT, "MPI_Init"), &first) && first.dli_fbase != own_library->dli_fbase &&
           dladdr((void *)getauxval(AT_ENTRY), &program) && first.dli_fbase != program.dli_fbase;
}

static void start_again(char **arguments)
{
    char program[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length <= 0)
        return;
    program[length] = '\0';
    execv(program, arguments);
}

/* Checks the flavour before main: a library of the wrong one gives way to its sibling, so that users need not
 * know which MPI a program has, and one that comes too late goes before the others. A program of no MPI, or
 * of one that it opens later, is left alone. */
static __attribute__((constructor)) void check_flavour(int count, char **arguments, char **environment)
{
    int switched = secure_getenv(guard) != NULL, right;
    char *sibling;
    Dl_info info;
    (void)count, (void)environment;
    if (switched)
        unsetenv(guard);
    if (!dlsym(RTLD_DEFAULT, "PMPI_Init") || !dladdr(guard, &info))
        return;
    right = is_open_mpi == (dlsym(RTLD_DEFAULT, open_mpi_object) != NULL);
    if (right && (switched || !comes_later(&info)))
        return;
    sibling = right ? strdup(info.dli_fname) : switched ? NULL : find_sibling(info.dli_fname);
    if (change_preload(info.dli_fname, sibling, right)) {
        if (sibling)
            setenv(guard, "1", 1);
        else if (presence_rank() <= 0)
            fprintf(
                stderr,
                "papi_mpi: %s is for another MPI than this program's, and no libpapi_mpi_%s.so is beside it: "
                "the program runs without\n",
                info.dli_fname, other);
        start_again(arguments);
    }
    free(sibling);
}
