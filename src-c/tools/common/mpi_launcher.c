/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/common/mpi_launcher.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- variables */

/* The variables of a process that has been started as a rank. Slurm's stand beside those of any MPI, and
 * those of its batch script, which is not a rank, lack the step's. */
static const struct kind {
    const char *rank, *size;
    const char *mpi[2];
} kinds[] = {
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", {"openmpi", NULL}},
    {"PMIX_RANK", "SLURM_STEP_NUM_TASKS", {"openmpi", "mpich"}},
    {"PMI_RANK", "PMI_SIZE", {"mpich", "openmpi"}},
    {"PALS_RANKID", "PMI_SIZE", {"mpich", "openmpi"}},
    {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", {"mpich", "openmpi"}},
};
enum { N_KINDS = sizeof kinds / sizeof kinds[0] };

/* The number in an environment variable; -1: it is not set, or has none. */
static int number_in(const char *variable)
{
    const char *text = getenv(variable);
    size_t digits = text != NULL ? strspn(text, "0123456789") : 0;
    return digits > 0 && digits < 10 && text[digits] == '\0' ? atoi(text) : -1;
}

int launcher_find(struct launcher *launcher)
{
    for (int i = 0; i < N_KINDS; i++) {
        int rank = number_in(kinds[i].rank), size = number_in(kinds[i].size);
        bool slurm_alone = strcmp(kinds[i].rank, "SLURM_PROCID") == 0;
        if (rank < 0 || (slurm_alone && size < 2))
            continue;
        *launcher = (struct launcher){.rank = rank, .size = size > 0 ? size : 0};
        memcpy(launcher->mpi, kinds[i].mpi, sizeof launcher->mpi);
        /* MPICH's own mpiexec; under Slurm an Open MPI would have the same. */
        if (strcmp(kinds[i].rank, "PMI_RANK") == 0 && getenv("SLURM_PROCID") == NULL)
            launcher->mpi[1] = NULL;
        return 1;
    }
    return 0;
}

/* ---- other processes */

int launcher_word(const char *word)
{
    static const char *const names[] = {"mpirun", "mpiexec", "orterun", "prterun", "srun", "aprun", "jsrun"};
    const char *slash = strrchr(word, '/'), *name = slash != NULL ? slash + 1 : word;
    size_t length = strcspn(name, "."); /* mpirun.mpich, mpiexec.hydra */
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == length && strncmp(name, names[i], length) == 0)
            return 1;
    return 0;
}

/* True if a setting, "NAME=VALUE", makes a rank of its process. */
static bool is_rank(const char *setting)
{
    size_t length = strcspn(setting, "=");
    for (int i = 0; i < N_KINDS; i++)
        if (strlen(kinds[i].rank) == length && strncmp(setting, kinds[i].rank, length) == 0)
            return true;
    return false;
}

int launcher_started(pid_t pid)
{
    char path[64], *setting = NULL;
    size_t room = 0;
    bool found = false;
    snprintf(path, sizeof path, "/proc/%d/environ", pid);
    FILE *in = fopen(path, "re");
    while (in != NULL && !found && getdelim(&setting, &room, '\0', in) > 0)
        found = is_rank(setting);
    if (in != NULL)
        fclose(in);
    free(setting);
    return found;
}

/* ---- library */

static bool look_up(struct launcher *launcher)
{
    /* ISO C has no way from a data pointer to a function; POSIX says that this one works. */
    *(void **)&launcher->begin = dlsym(launcher->library, NODES_BEGIN);
    *(void **)&launcher->end = dlsym(launcher->library, NODES_END);
    return launcher->begin != NULL && launcher->end != NULL;
}

int launcher_open(struct launcher *launcher, char *why, int room)
{
    why[0] = '\0';
    for (int i = 0; i < 2 && launcher->mpi[i] != NULL; i++) {
        snprintf(launcher->name, sizeof launcher->name, "libpapi_mpi_nodes_%s.so", launcher->mpi[i]);
        /* Global: the plug-ins of an MPI, and a wrapper library before it, look for its functions. */
        launcher->library = dlopen(launcher->name, RTLD_NOW | RTLD_GLOBAL);
        if (launcher->library != NULL && look_up(launcher))
            return 0;
        const char *error = dlerror();
        if (why[0] == '\0') /* the likelier one's */
            snprintf(why, (size_t)room, "%s", error != NULL ? error : launcher->name);
    }
    return -1;
}
