/* SPDX-License-Identifier: BSD-3-Clause */
#include "job/job.h"

#include <string.h>

const char *job_path_missing(const struct job *job)
{
    if (job->path_ranks == 0)
        return "was not followed";
    if (job->path_lost > 0)
        return "was lost: a message came of a call that is not followed, or a rank had no memory";
    if (job->path_ranks < job->ranks || job->present < job->ranks || job->unfinished > 0)
        return "is not known of all ranks";
    return job->path.ns > 0 ? NULL : "has no length";
}

const char *job_path_region(const struct job *job, uint32_t region)
{
    if (region == 0)
        return "";
    for (int i = 0; i < job->n_regions; i++)
        if (path_region(job->region[i].name) == region)
            return job->region[i].name;
    return NULL;
}

static void sort(struct path_share share[PATH_SHARES])
{
    for (int i = 1; i < PATH_SHARES; i++) {
        struct path_share one = share[i];
        int at = i;
        for (; at > 0 && share[at - 1].ns < one.ns; at--)
            share[at] = share[at - 1];
        share[at] = one;
    }
}

void job_path_order(struct job *job)
{
    struct path *path = &job->path;
    for (int i = 0; i < PATH_SHARES; i++) {
        struct path_share *share = &path->region_share[i];
        if (job_path_region(job, share->of) != NULL)
            continue;
        path->other_regions_ns += share->ns;
        *share = (struct path_share){0, 0, 0};
    }
    sort(path->rank_share);
    sort(path->region_share);
}
