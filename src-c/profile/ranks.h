/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "call_tree.h"

/* Profiles of the ranks of a job, which become one: their sum, and of each routine the ranks with least and
 * most. */

/* Reads files, the first of which is rank 0's. NULL, or a sentence to be freed. */
char *ranks_read(struct profile *profile, const char *const *path, int n);

/* A rank of a job, which leaves its profile beside the job's, as JOB.rankN. */
struct ranks {
    int rank, size; /* size 0: it is not a job of several */
};
struct ranks ranks_find(void);
/* Removes the files that an earlier job of the same name left because it was ended. */
void ranks_begin(const char *job);

char *ranks_path(const char *job, int rank);

/* True if all ranks have left their profiles and this process is the one that joins them. *why becomes a
 * sentence, to be freed, if what another user made prevents it. */
bool ranks_all_there(const struct ranks *ranks, const char *job, char **why);

/* Joins the profiles of all ranks into one. NULL, or a sentence to be freed. */
char *ranks_join(const struct ranks *ranks, const char *job, struct profile *profile);

/* Removes what the ranks left. */
void ranks_remove(const struct ranks *ranks, const char *job);
