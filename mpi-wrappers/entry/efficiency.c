/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The efficiencies of a region or of the job so far, for the program itself: behind PAPI_hl_efficiency. They
 * are made as those of the report, of the time until this call.
 */
#include "base/mpi_efficiency.h"
#include "job/block.h"
#include "job/collect.h"
#include "papi.h"
#include "rank/between.h"
#include "rank/rank.h"
#include "rank/regions.h"

#include <stdio.h>
#include <string.h>

/* Figures of one rank, and what becomes of them: whole numbers, which MPI can sum and compare. Nanoseconds.
 */
struct sums {
    uint64_t ranks, useful;
};
struct mosts {
    uint64_t useful, elapsed, path, node_useful;
    uint64_t name,
        other_name;   /* of the region, and its complement: the same on all ranks, if all want the same */
    uint64_t lost;    /* 1: the critical path is not known */
    uint64_t unknown; /* 1: other threads call MPI, and their time is not measured */
};
enum { SUMS = sizeof(struct sums) / sizeof(uint64_t), MOSTS = sizeof(struct mosts) / sizeof(uint64_t) };

static int refuse(char *why, size_t room, int code, const char *text)
{
    snprintf(why, room, "%s", text);
    return code;
}

/* ---- this rank */

/* True if other threads have been in MPI for more than a hundredth of these ticks, as in job_is_of_threads,
 * and are not measured, or are and wait by tests, as in job_polls_in_threads; or there are calls that nobody
 * counts, as in job_has_unseen. */
static bool is_unknown(const struct rank_record *record, uint64_t ticks)
{
    uint64_t others = 0, tested = 0;
    for (int i = 0; i < CALL_WORDS; i++)
        if (record->unseen[i] != 0)
            return true;
    for (int i = 0; i < record_thread_count(record); i++)
        tested += record_thread_at(record, i)->tested_ticks;
    if (record->measured)
        return record_is_of_threads(record, record->begin + ticks) && tested > ticks / 100;
    for (int i = 0; i < record_thread_count(record); i++) {
        const struct thread_record *thread = record_thread_at(record, i);
        others += record_is_main(record, thread) ? 0 : thread->mpi_ticks;
    }
    return others > ticks / 100;
}

/* True if something that ranks wait for is not in the path, as in job_path_missing. */
static bool path_is_lost(const struct rank_record *record)
{
    bool lost = record->path_state != PATH_FOLLOWED || record->path_missed > 0;
    for (int i = 0; i < record_thread_count(record); i++)
        for (int call = 0; call < CALL_COUNT && !lost; call++)
            lost = record_meets((enum call)call, record->spawned) &&
                   record_thread_at(record, i)->call[call].calls > 0;
    return lost;
}

/* The totals of a thread in a region or, with -1, since MPI_Init. */
static struct region_totals totals_of(const struct rank_record *record, const struct thread_record *thread,
                                      int region, uint64_t now)
{
    if (region >= 0)
        return record_region_until(record, thread, region, now);
    return (struct region_totals){.visits = 1,
                                  .ticks = now - record->begin,
                                  .mpi_ticks = thread->mpi_ticks,
                                  .paused = record_paused(record, now),
                                  .used = record_all_threads(record),
                                  .path_ns = record->path.ns};
}

/* Takes the figures of the main thread, or of all that call MPI. */
static void take(struct sums *sums, struct mosts *mosts, struct rank_record *record, int region, uint64_t now)
{
    const struct thread_record *main = record_thread_at(record, record->main_thread);
    bool of_threads = record_is_of_threads(record, now);
    enum region_times times = block_region_times(record, of_threads);
    struct region_totals totals = totals_of(record, main, region, now);
    bool has_main = totals.visits > 0;
    struct job_region figures = {.visits = 0};
    if (region < 0 && times == TIMES_OWN)
        times = TIMES_MEANWHILE;
    block_add_thread(&figures, record, main, &totals, times, has_main);
    for (int t = 0; t < record_thread_count(record) && region >= 0; t++) {
        const struct thread_record *thread = record_thread_at(record, t);
        if (thread->threads == 0 || thread == main)
            continue;
        totals = totals_of(record, thread, region, now);
        block_add_thread(&figures, record, thread, &totals, times, has_main);
    }
    mosts->elapsed = figures.main_ns;
    mosts->useful = figures.useful_ns;
    mosts->path = figures.path_ns;
    mosts->lost = path_is_lost(record) || of_threads;
    mosts->unknown = is_unknown(record, now - record->begin);
    *sums = (struct sums){figures.main_ranks, figures.useful_ns};
}

/* ---- all ranks */

/* Merges the figures of all ranks. 0; -1: MPI failed. */
static int merge(const struct job_link *link, struct sums *sums, struct mosts *mosts)
{
    struct sums node = {0, 0}, all = {0, 0};
    struct mosts most = {0};
    if (link_merge_node(link, (const uint64_t *)(const void *)sums, (uint64_t *)(void *)&node, SUMS,
                        LINK_SUM) != 0 ||
        LINK_WAIT(PMPI_Iallreduce, sums, &all, SUMS, MPI_UINT64_T, MPI_SUM, link->all) != MPI_SUCCESS)
        return -1;
    mosts->node_useful = node.ranks > 0 ? node.useful / node.ranks : 0;
    if (LINK_WAIT(PMPI_Iallreduce, mosts, &most, MOSTS, MPI_UINT64_T, MPI_MAX, link->all) != MPI_SUCCESS)
        return -1;
    *sums = all;
    *mosts = most;
    return 0;
}

static int merged(const struct job_link *link, struct sums *sums, struct mosts *mosts, const char *region,
                  char *why, size_t room)
{
    mosts->name = path_region(region);
    mosts->other_name = UINT64_MAX - mosts->name;
    if (merge(link, sums, mosts) != 0)
        return refuse(why, room, PAPI_ESYS, "MPI failed");
    if (mosts->name != UINT64_MAX - mosts->other_name)
        return refuse(why, room, PAPI_EINVAL, "the ranks do not all ask for the same region");
    return PAPI_OK;
}

/* ---- the call */

static void put(double *values, const struct sums *sums, const struct mosts *mosts, int scope)
{
    struct efficiency found =
        job_efficiency_of(&(struct efficiency_times){.mean = (double)sums->useful / (double)sums->ranks,
                                                     .most = (double)mosts->useful,
                                                     .node_most = (double)mosts->node_useful,
                                                     .longest = mosts->unknown ? 0 : (double)mosts->elapsed,
                                                     .ideal = mosts->lost ? 0 : (double)mosts->path});
    const int of_all[] = {PAPI_EFF_BALANCE,       PAPI_EFF_IN_NODES,      PAPI_EFF_ACROSS_NODES,
                          PAPI_EFF_COMMUNICATION, PAPI_EFF_SERIALISATION, PAPI_EFF_TRANSFER};
    memcpy(values, found.all, sizeof found.all);
    for (size_t i = 0; scope == PAPI_EFF_RANK && i < sizeof of_all / sizeof *of_all; i++)
        values[of_all[i]] = __builtin_nan("");
}

static int find(struct rank_record *record, const char *region, int scope, double *values, char *why,
                size_t room)
{
    struct sums sums = {0, 0};
    struct mosts mosts = {0};
    int place = region[0] != '\0' ? region_find(region) : -1, code = PAPI_OK;
    if (place >= 0 || region[0] == '\0') {
        rank_path_region(record);
        between_update(record);
        take(&sums, &mosts, record, place, clock_ticks());
    }
    if (scope == PAPI_EFF_JOB)
        code = merged(papi_mpi.link, &sums, &mosts, region, why, room);
    if (code != PAPI_OK)
        return code;
    if (sums.ranks == 0)
        return refuse(why, room, PAPI_EINVAL,
                      scope == PAPI_EFF_JOB ? "no rank's main thread has been in such a region"
                                            : "this rank's main thread has not been in such a region");
    put(values, &sums, &mosts, scope);
    return PAPI_OK;
}

__attribute__((visibility("default"))) mpi_efficiency_function papi_mpi_efficiency;

int papi_mpi_efficiency(const char *region, int scope, double *values, char *why, size_t room)
{
    struct rank_record *record = papi_mpi.record;
    if (record == NULL || papi_mpi.link == NULL || atomic_load(&record->state) != RANK_RUNS)
        return refuse(why, room, PAPI_ENOTRUN,
                      "this is not between MPI_Init and MPI_Finalize, or the job is not measured");
    if (mpi_thread.record == NULL || !record_is_main(record, mpi_thread.record))
        return refuse(why, room, PAPI_ENOSUPP,
                      "this is not the thread that called MPI_Init: let that one ask");
    uint64_t since = clock_ticks();
    int code = find(record, region, scope, values, why, room);
    rank_leave_out(since, clock_ticks());
    return code;
}
