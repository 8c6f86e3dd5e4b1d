/* SPDX-License-Identifier: BSD-3-Clause */
#include "ranks.h"
#include "profile_file.h"
#include "tools/common/allocate.h"
#include "tools/common/mpi_launcher.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the extremes */

/* Sums the first event in each routine itself. The caller frees the array. */
static uint64_t *routines_self(const struct profile *profile)
{
    uint64_t *self = memory_more(NULL, (size_t)profile->routines.n + 1, sizeof *self);
    memset(self, 0, ((size_t)profile->routines.n + 1) * sizeof *self);
    for (int i = 0; i < profile->nodes.n; i++) {
        uint64_t *sum = &self[profile_place_at(profile, profile_node_at(profile, i)->place)->routine];
        *sum = profile_sum(*sum, profile_value(profile, i, 0));
    }
    return self;
}

/* Makes room for the extremes of new routines. One that the ranks before did not have begins with 0 as its
 * least. */
static void make_room(struct profile *profile, int rank)
{
    int n = profile->routines.n;
    profile->extremes = memory_more(profile->extremes, (size_t)n, sizeof *profile->extremes);
    for (; profile->n_extremes < n; profile->n_extremes++)
        profile->extremes[profile->n_extremes] = (struct extremes){.least = rank > 0 ? 0 : UINT64_MAX};
}

static void note_rank(struct profile *profile, int rank, const uint64_t *before, int n_before)
{
    uint64_t *after = routines_self(profile);
    make_room(profile, rank);
    for (int i = 0; i < profile->routines.n; i++) {
        struct extremes *extremes = &profile->extremes[i];
        uint64_t value = after[i] - (i < n_before ? before[i] : 0);
        if (value < extremes->least) {
            extremes->least = value;
            extremes->least_rank = rank;
        }
        if (value > extremes->most) {
            extremes->most = value;
            extremes->most_rank = rank;
        }
    }
    free(after);
}

static char *read_rank(struct profile *profile, const char *path, int rank)
{
    int n = profile->routines.n;
    uint64_t *before = routines_self(profile);
    char *why = file_read(profile, path);
    if (rank == 0) { /* extremes of its own are not those of these */
        free(profile->extremes);
        profile->extremes = NULL;
        profile->n_extremes = 0;
    }
    if (why == NULL)
        note_rank(profile, rank, before, n);
    free(before);
    return why;
}

char *ranks_read(struct profile *profile, const char *const *path, int n)
{
    char *why = NULL;
    if (n == 1) /* perhaps a job's, with extremes of its own */
        return file_read(profile, path[0]);
    for (int i = 0; i < n && why == NULL; i++)
        why = read_rank(profile, path[i], i);
    profile->ranks = n;
    return why;
}

/* ---- the job */

struct ranks ranks_find(void)
{
    struct launcher launcher;
    if (!launcher_find(&launcher) || launcher.size < 2)
        return (struct ranks){.size = 0};
    return (struct ranks){.rank = launcher.rank, .size = launcher.size};
}

char *ranks_path(const char *job, int rank)
{
    return memory_print("%s.rank%d", job, rank);
}

static char *claim_path(const char *job)
{
    return memory_print("%s.joining", job);
}

void ranks_begin(const char *job)
{
    struct ranks ranks = ranks_find();
    char *own = ranks_path(job, ranks.rank), *claim = claim_path(job);
    unlink(own);
    if (ranks.rank == 0)
        unlink(claim);
    free(own);
    free(claim);
}

/* True if a file of the job is there. *why is set to a sentence if another user made it. */
static bool is_there(const char *path, char **why)
{
    struct stat found;
    if (lstat(path, &found) != 0)
        return false;
    bool own = S_ISREG(found.st_mode) && found.st_uid == geteuid();
    if (!own && *why == NULL)
        *why =
            memory_print("%s is not of this job, because user %u made it: the ranks' profiles are not joined "
                         "and stay beside it; name a file (-o) in a folder of your own",
                         path, (unsigned)found.st_uid);
    return own;
}

/* Claims the joining of the profiles. Two ranks may both find that all are there; the file that only one can
 * create decides. */
static bool claim_join(const char *job, char **why)
{
    char *claim = claim_path(job);
    int fd = open(claim, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd >= 0)
        close(fd);
    else if (errno == EEXIST)
        is_there(claim, why);
    else
        *why = memory_print("%s: %s", claim, strerror(errno));
    free(claim);
    return fd >= 0;
}

bool ranks_all_there(const struct ranks *ranks, const char *job, char **why)
{
    bool all = true;
    for (int i = 0; i < ranks->size; i++) {
        char *path = ranks_path(job, i);
        all &= is_there(path, why);
        free(path);
    }
    return all && claim_join(job, why);
}

char *ranks_join(const struct ranks *ranks, const char *job, struct profile *profile)
{
    char **path = memory_more(NULL, (size_t)ranks->size, sizeof *path);
    for (int i = 0; i < ranks->size; i++)
        path[i] = ranks_path(job, i);
    char *why = ranks_read(profile, (const char *const *)path, ranks->size);
    for (int i = 0; i < ranks->size; i++)
        free(path[i]);
    free(path);
    return why;
}

void ranks_remove(const struct ranks *ranks, const char *job)
{
    for (int i = 0; i < ranks->size; i++) {
        char *path = ranks_path(job, i);
        unlink(path);
        free(path);
    }
    char *claim = claim_path(job);
    unlink(claim);
    free(claim);
}
