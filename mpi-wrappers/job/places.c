/* SPDX-License-Identifier: BSD-3-Clause */
#include "job/job.h"

#include <math.h>
#include <string.h>

/* The waiting in a region is at its call sites. */
uint64_t job_outside_mpi(const struct job_region *region)
{
    return region->ns > region->mpi_ns ? region->ns - region->mpi_ns : 0;
}

/* True if two regions have more time together than there is: then one of them is inside the other. */
static bool overlap(const struct job *job, int a, int b)
{
    const double sure = 1.02;
    double both = (double)job->region[a].ns + (double)job->region[b].ns;
    return both > sure * job_time(job);
}

/* A region inside another one says more, as long as most of that one's work is in it. */
static int narrowed(const struct job *job, int region)
{
    const double most_of_it = 0.5;
    for (int i = 0; i < job->n_regions; i++) {
        double part = (double)job_outside_mpi(&job->region[i]),
               whole = (double)job_outside_mpi(&job->region[region]);
        if (part < whole && part > most_of_it * whole && overlap(job, i, region))
            return narrowed(job, i);
    }
    return region;
}

static const struct job_frame *frame_of(const struct job *job, const struct job_site *site)
{
    const struct job_frame *frame = site->frames > 0 ? &job->frame[site->first_frame] : NULL;
    return frame != NULL && frame->line > 0 ? frame : NULL;
}

/* True if both are the same call of one line: a compiler may have made several of a loop's. */
static bool same_line(const struct job *job, int a, int b)
{
    const struct job_site *one = &job->site[a], *other = &job->site[b];
    const struct job_frame *here = frame_of(job, one), *there = frame_of(job, other);
    return a == b ||
           (one->call == other->call && here != NULL && there != NULL && here->line == there->line &&
            strcmp(here->file, there->file) == 0 && strcmp(here->routine, there->routine) == 0);
}

static uint64_t time_of_line(const struct job *job, int site)
{
    uint64_t ns = 0;
    for (int i = 0; i < job->n_sites; i++)
        ns += same_line(job, site, i) ? job->site[i].ns : 0;
    return ns;
}

static bool is_taken(const struct job *job, const struct job_place *place, int n, int site)
{
    for (int i = 0; i < n; i++)
        if (same_line(job, place[i].site, site))
            return true;
    return false;
}

/* The call site with most time of those that were not taken so far and have a place; -1: none. */
static int next_site(const struct job *job, const struct job_place *place, int n)
{
    uint64_t most = 0;
    int next = -1;
    for (int i = 0; i < job->n_sites; i++) {
        bool has_place = job->site[i].object >= 0 && job->site[i].call >= 0;
        uint64_t ns = has_place && !is_taken(job, place, n, i) ? time_of_line(job, i) : 0;
        if (ns > most) {
            most = ns;
            next = i;
        }
    }
    return next;
}

/* The same of regions. One that is around another that was taken, or inside of it, would say the same once
 * more. */
static int next_region(const struct job *job, const struct job_place *place, int n)
{
    int next = -1;
    for (int i = 0; i < job->n_regions; i++) {
        bool known = job_outside_mpi(&job->region[i]) == 0;
        for (int taken = 0; taken < n && !known; taken++)
            known = place[taken].region >= 0 &&
                    (place[taken].region == i || overlap(job, i, place[taken].region));
        if (!known && (next < 0 || job_outside_mpi(&job->region[i]) > job_outside_mpi(&job->region[next])))
            next = i;
    }
    return next < 0 ? next : narrowed(job, next);
}

static int add_sites(const struct job *job, struct job_place *place, int n, int most)
{
    int first = 0;
    while (first < n && place[first].site < 0)
        first++;
    for (int site; n < most && (site = next_site(job, place + first, n - first)) >= 0; n++)
        place[n] = (struct job_place){.site = site, .region = -1, .ns = time_of_line(job, site)};
    return n;
}

static int add_regions(const struct job *job, struct job_place *place, int n, int most)
{
    for (int region; n < most && (region = next_region(job, place, n)) >= 0; n++)
        place[n] =
            (struct job_place){.site = -1, .region = region, .ns = job_outside_mpi(&job->region[region])};
    return n;
}

/* Puts those first that take most of the time, sites and regions alike. */
static void sort(struct job_place *place, int n)
{
    for (int i = 1; i < n; i++) {
        struct job_place one = place[i];
        int at = i;
        for (; at > 0 && place[at - 1].ns < one.ns; at--)
            place[at] = place[at - 1];
        place[at] = one;
    }
}

bool job_file_rank(const struct job *job, struct job_file_rank *found)
{
    const double nearly_all = 0.9, most = 0.5;
    struct efficiency efficiency = job_efficiency(job);
    double total = 0, elapsed = (double)job->metric[METRIC_ELAPSED].largest[0].value;
    int longest = -1;
    for (int i = 0; i < CALL_COUNT; i++) {
        if (call_class[i] != CALLS_FILE || job->call[i].ns == 0)
            continue;
        total += (double)job->call[i].ns;
        if (longest < 0 || job->call[i].most_ns > job->call[longest].most_ns)
            longest = i;
    }
    if (longest < 0 || job->ranks == 1 || job->threads > 1 || isnan(efficiency.communication) ||
        efficiency.parallel >= JOB_IS_BUSY || efficiency.load_balance < efficiency.communication)
        return false;
    *found = (struct job_file_rank){.rank = job->call[longest].most_rank};
    for (int i = 0; i < CALL_COUNT; i++)
        if (call_class[i] == CALLS_FILE && job->call[i].most_rank == found->rank)
            found->ns += job->call[i].most_ns;
    double own = (double)found->ns;
    return own > nearly_all * total && own > most * (1 - efficiency.communication) * elapsed;
}

/* The call site with most time in file calls; -1: none. */
static int file_site(const struct job *job)
{
    int most = -1;
    for (int i = 0; i < job->n_sites; i++) {
        const struct job_site *site = &job->site[i];
        if (site->object >= 0 && site->call >= 0 && call_class[site->call] == CALLS_FILE &&
            (most < 0 || time_of_line(job, i) > time_of_line(job, most)))
            most = i;
    }
    return most;
}

int job_places(const struct job *job, struct job_place place[JOB_PLACES])
{
    const double worth_it = 0.01;
    double elapsed = job_whole_time(job), parallel = job_efficiency(job).parallel;
    bool unseen = job_has_unseen(job); /* there, what is outside of the calls that are seen is not known */
    if (elapsed <= 0 || (isnan(parallel) && !unseen))
        return 0;
    bool waits = unseen || parallel < JOB_IS_BUSY;
    struct job_file_rank lone;
    int first = job_file_rank(job, &lone) ? file_site(job) : -1, n = 0;
    if (first >= 0) /* the cause, though the many that wait for it have more time */
        place[n++] = (struct job_place){.site = first, .region = -1, .ns = time_of_line(job, first)};
    n = waits ? add_sites(job, place, n, JOB_PLACES) : add_regions(job, place, n, JOB_PLACES);
    while (n > 0 && (double)place[n - 1].ns < worth_it * elapsed)
        n--;
    if (!unseen)
        n = waits ? add_regions(job, place, n, JOB_PLACES) : add_sites(job, place, n, JOB_PLACES);
    if (!waits)
        sort(place, n);
    while (n > 0 && (double)place[n - 1].ns < worth_it * elapsed)
        n--;
    for (int i = 0; i < n; i++)
        place[i].share = (double)place[i].ns / elapsed;
    return n;
}
