/* SPDX-License-Identifier: BSD-3-Clause */
#include "calls/flavour.h"

#include "mpi/mpi_now.h"

#include "rank/rank.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

/* Those that launchers set; none: a program that was started alone. */
static int is_first_rank(void)
{
    static const char *const names[] = {"PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *rank = secure_getenv(names[i]);
        if (rank)
            return strcmp(rank, "0") == 0;
    }
    return 1;
}

/* Every call asks as long as there is nothing to pass it on to; one line says enough. */
int flavour_fits(void)
{
    if (is_open_mpi == (mpi_symbol(open_mpi_object) != NULL))
        return 1;
    if (is_first_rank() && !atomic_exchange(&papi_mpi.told, 1))
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

/* Whether an entry of LD_PRELOAD, which may be a bare name or a link, is this library. */
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

/* LD_PRELOAD with this library's entry changed to another, or without it where sibling is NULL. Returns
 * whether it had one. */
static int change_preload(const char *own_path, const char *sibling)
{
    const char *before = secure_getenv("LD_PRELOAD");
    char *words = before ? strdup(before) : NULL, *list = NULL, *left = words;
    size_t size = 0;
    int found = 0;
    FILE *out = words ? open_memstream(&list, &size) : NULL;
    for (char *word; out && (word = strsep(&left, " :"));) {
        int this_one = *word && is_own(word, own_path);
        found |= this_one;
        if (*word && (!this_one || sibling))
            fprintf(out, "%s%s", ftell(out) ? ":" : "", this_one ? sibling : word);
    }
    free(words);
    if (!out)
        return 0;
    if (fclose(out) == 0 && found) {
        if (size)
            setenv("LD_PRELOAD", list, 1);
        else
            unsetenv("LD_PRELOAD");
    }
    free(list);
    return found;
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

/* Before main: a library of the wrong flavour gives way to its sibling, so that users need not know which MPI
 * a program has. A program of no MPI, or of one that it opens later, is left alone. */
static __attribute__((constructor)) void check_flavour(int count, char **arguments, char **environment)
{
    int switched = secure_getenv(guard) != NULL;
    char *sibling;
    Dl_info info;
    (void)count, (void)environment;
    if (switched)
        unsetenv(guard);
    if (!dlsym(RTLD_DEFAULT, "PMPI_Init") || is_open_mpi == (dlsym(RTLD_DEFAULT, open_mpi_object) != NULL))
        return;
    if (!dladdr(guard, &info))
        return;
    sibling = switched ? NULL : find_sibling(info.dli_fname);
    if (change_preload(info.dli_fname, sibling)) {
        if (sibling)
            setenv(guard, "1", 1);
        else if (is_first_rank())
            fprintf(
                stderr,
                "papi_mpi: %s is for another MPI than this program's, and no libpapi_mpi_%s.so is beside it: "
                "the program runs without\n",
                info.dli_fname, other);
        start_again(arguments);
    }
    free(sibling);
}
