/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The critical path without an MPI: its shares, and a rank's clock, which is given here.
 */
#include "job/block.h"
#include "rank/rank.h"

#include <math.h>
#include <setjmp.h>

#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint64_t share_of(const struct path_share share[PATH_SHARES], uint32_t of)
{
    for (int i = 0; i < PATH_SHARES; i++)
        if (share[i].ns > 0 && share[i].of == of)
            return share[i].ns;
    return 0;
}

static uint64_t all_shares(const struct path_share share[PATH_SHARES])
{
    uint64_t sum = 0;
    for (int i = 0; i < PATH_SHARES; i++)
        sum += share[i].ns;
    return sum;
}

static void shares(void **unused)
{
    struct path path = {.ns = 0};
    uint32_t solve = path_region("solve");
    (void)unused;
    path_extend(&path, 100, 3, solve);
    path_extend(&path, 50, 0, 0);
    path_extend(&path, 7, 3, 0);
    path_extend(&path, 0, 5, solve);
    assert_int_equal(path.ns, 157);
    assert_int_equal(share_of(path.rank_share, 3), 107);
    assert_int_equal(share_of(path.rank_share, 0), 50);
    assert_int_equal(share_of(path.rank_share, 5), 0);
    assert_int_equal(share_of(path.region_share, solve), 100);
    assert_int_equal(share_of(path.region_share, 0), 57);
    assert_int_equal(path.other_ranks_ns, 0);
    assert_int_not_equal(path_region(""), 0);
}

/* The largest stay, and nothing is lost. */
static void many_shares(void **unused)
{
    struct path path = {.ns = 0};
    uint64_t sum = 0;
    (void)unused;
    for (uint32_t rank = 0; rank < 100; rank++) {
        uint64_t ns = rank % 20 == 0 ? 10000 + rank : 10;
        path_extend(&path, ns, rank, path_region("a") + rank);
        sum += ns;
    }
    assert_int_equal(path.ns, sum);
    assert_int_equal(all_shares(path.rank_share) + path.other_ranks_ns, sum);
    assert_int_equal(all_shares(path.region_share) + path.other_regions_ns, sum);
    for (uint32_t rank = 0; rank < 100; rank += 20)
        assert_int_equal(share_of(path.rank_share, rank), 10000 + rank);
}

/* Merging keeps the longest path in whatever order, and the lowest rank's of equal ones. */
static void longest(void **unused)
{
    struct path path[5] = {{.ns = 0}};
    (void)unused;
    for (int i = 0; i < 5; i++) {
        path[i].rank = i;
        path[i].ns = i == 1 || i == 3 ? 70 : (uint64_t)(10 * i);
    }
    for (int first = 0; first < 5; first++) {
        struct path all = path[first], rest = {.ns = 0};
        for (int i = 4; i > 0; i--)
            path_longer(&rest, &path[(first + i) % 5]);
        path_longer(&all, &rest);
        assert_int_equal(all.ns, 70);
        assert_int_equal(all.rank, 1);
    }
}

/* ---- a rank's clock: two ticks are a nanosecond */

static struct rank_record *made(void)
{
    struct rank_record *record = aligned_alloc(RECORD_ALIGN, record_chunk_offset(true, 1));
    assert_non_null(record);
    memset(record, 0, record_chunk_offset(true, 1));
    record->tick_hertz = 2000000000;
    record->begin = 1000;
    record->n_chunks = 1;
    record->rank = record->path.rank = 4;
    record->path_state = PATH_FOLLOWED;
    strcpy(record->region_name[0], "outer");
    strcpy(record->region_name[1], "inner");
    mpi_thread.record = record_thread_at(record, 0);
    return record;
}

/* A call from begin to end that is followed. */
static void call(struct rank_record *record, uint64_t begin, uint64_t end, const struct path *from)
{
    struct thread_record *thread = record_thread_at(record, 0);
    thread->since = begin;
    rank_path_in_call(record);
    if (from != NULL)
        rank_path_meets(record, from);
    rank_path_in_call(record); /* nothing more is useful */
    thread->mpi_ticks += end - begin;
    thread->since = end;
}

static void useful_time(void **unused)
{
    struct rank_record *record = made();
    struct path early = {.ns = 50, .moves = 7, .rank = 2}, late = {.ns = 1000, .moves = 7, .rank = 2};
    (void)unused;
    path_extend(&late, 30, 2, 0);
    call(record, 1200, 5000, NULL);
    assert_int_equal(record->path.ns, 100);
    call(record, 5400, 6000, &early);
    assert_int_equal(record->path.ns, 300);
    assert_int_equal(record->path.moves, 0);
    call(record, 6100, 9000, &late);
    assert_int_equal(record->path.ns, 1030);
    assert_int_equal(record->path.moves, 8);
    assert_int_equal(record->path.rank, 4);
    rank_path_advance(record, 9100);
    assert_int_equal(record->path.ns, 1080);
    assert_int_equal(share_of(record->path.rank_share, 4), 50);
    assert_int_equal(share_of(record->path.rank_share, 2), 30);
    rank_path_advance(record, 9050); /* never back */
    assert_int_equal(record->path.ns, 1080);
    free(record);
}

/* Calls between MPI_Pcontrol(0) and MPI_Pcontrol(1) are followed, and no time is useful. */
static void paused(void **unused)
{
    struct rank_record *record = made();
    struct path late = {.ns = 1000, .rank = 2};
    (void)unused;
    record->paused_since = 3000;
    rank_path_advance(record, 8000);
    assert_int_equal(record->path.ns, 1000);
    rank_path_meets(record, &late);
    assert_int_equal(record->path.ns, 1000);
    record->paused = 6000;
    record->paused_since = 0;
    rank_path_advance(record, 9400);
    assert_int_equal(record->path.ns, 1200);
    free(record);
}

static void regions(void **unused)
{
    struct rank_record *record = made();
    struct thread_record *thread = record_thread_at(record, 0);
    (void)unused;
    rank_path_advance(record, 1100);
    thread->open[0].region = 0;
    thread->n_open = 1;
    rank_path_advance(record, 1300);
    thread->open[1].region = 1;
    thread->n_open = 2;
    rank_path_advance(record, 1800);
    thread->n_open = 1;
    rank_path_advance(record, 1900);
    assert_int_equal(share_of(record->path.region_share, 0), 50);
    assert_int_equal(share_of(record->path.region_share, path_region("outer")), 150);
    assert_int_equal(share_of(record->path.region_share, path_region("inner")), 250);
    free(record);
}

static void off(void **unused)
{
    struct rank_record *record = made();
    (void)unused;
    record->path_state = PATH_OFF;
    rank_path_advance(record, 5000);
    rank_path_region(record);
    assert_int_equal(record->path.ns, 0);
    rank_path_in_call(NULL);
    rank_path_meets(NULL, &record->path);
    free(record);
}

/* ---- of the job */

static void of_the_job(void **unused)
{
    struct job *job = calloc(1, sizeof *job), *block = calloc(1, sizeof *block);
    (void)unused;
    assert_true(job != NULL && block != NULL);
    metric_add(&job->metric[METRIC_ELAPSED], 1000, 0);
    metric_add(&job->metric[METRIC_USEFUL], 600, 0);
    job->ranks = job->present = 2;
    assert_non_null(job_path_missing(job));
    assert_true(isnan(job_efficiency(job).serialisation) && isnan(job_efficiency(job).transfer));
    for (int rank = 0; rank < 2; rank++) {
        block->path_ranks = 1;
        block->path = (struct path){.rank = rank};
        path_extend(&block->path, rank == 0 ? 500 : 800, (uint32_t)rank, path_region("solve"));
        block_merge(job, block);
    }
    assert_null(job_path_missing(job));
    assert_true(fabs(job_efficiency(job).serialisation - 0.75) < 1e-12);
    assert_true(fabs(job_efficiency(job).transfer - 0.8) < 1e-12);
    job->path.ns = 1100; /* of ranks that began one after the other */
    assert_true(job_efficiency(job).transfer == 1 && fabs(job_efficiency(job).serialisation - 0.6) < 1e-12);
    job->path_lost = 1;
    assert_non_null(job_path_missing(job));
    job->path_lost = 0;
    job->path_ranks = 1;
    assert_non_null(job_path_missing(job));
    assert_true(isnan(job_efficiency(job).serialisation));
    job->path_ranks = 2;
    assert_null(job_path_missing(job));
    free(job);
    free(block);
}

/* Another job takes part, and is waited for: what of it is transfer cannot be said. */
static void of_other_jobs(void **unused)
{
    static const enum call meet[] = {CALL_COMM_SPAWN, CALL_COMM_SPAWN_MULTIPLE, CALL_COMM_ACCEPT,
                                     CALL_COMM_CONNECT, CALL_COMM_JOIN};
    struct job *job = calloc(1, sizeof *job);
    (void)unused;
    assert_non_null(job);
    metric_add(&job->metric[METRIC_ELAPSED], 1000, 0);
    metric_add(&job->metric[METRIC_USEFUL], 600, 0);
    job->ranks = job->present = job->path_ranks = 1;
    path_extend(&job->path, 800, 0, 0);
    assert_true(fabs(job_efficiency(job).transfer - 0.8) < 1e-12);
    for (size_t i = 0; i < sizeof meet / sizeof *meet; i++) {
        job->call[meet[i]].calls = 1;
        assert_non_null(job_path_missing(job));
        assert_true(isnan(job_efficiency(job).serialisation) && isnan(job_efficiency(job).transfer));
        job->call[meet[i]].calls = 0;
        assert_null(job_path_missing(job));
    }
    job->call[CALL_COMM_DISCONNECT].calls = 1; /* from its own ranks, or from those that started it */
    assert_null(job_path_missing(job));
    job->spawned = 1;
    assert_non_null(job_path_missing(job));
    job->call[CALL_COMM_DISCONNECT].calls = 0;
    assert_null(job_path_missing(job));
    job->path_missed = 1;
    assert_non_null(job_path_missing(job));
    assert_true(isnan(job_efficiency(job).transfer));
    free(job);
}

/* The largest first; a region that the job does not have is one of the others. */
static void in_order(void **unused)
{
    struct job *job = calloc(1, sizeof *job);
    (void)unused;
    assert_non_null(job);
    job->n_regions = 1;
    strcpy(job->region[0].name, "solve");
    path_extend(&job->path, 10, 1, path_region("solve"));
    path_extend(&job->path, 30, 2, path_region("gone"));
    path_extend(&job->path, 20, 3, 0);
    job_path_order(job);
    assert_int_equal(job->path.rank_share[0].of, 2);
    assert_int_equal(job->path.rank_share[2].of, 1);
    assert_string_equal(job_path_region(job, job->path.region_share[0].of), "");
    assert_string_equal(job_path_region(job, job->path.region_share[1].of), "solve");
    assert_int_equal(job->path.region_share[2].ns, 0);
    assert_int_equal(job->path.other_regions_ns, 30);
    free(job);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(shares),   cmocka_unit_test(many_shares),
                                       cmocka_unit_test(longest),  cmocka_unit_test(useful_time),
                                       cmocka_unit_test(paused),   cmocka_unit_test(regions),
                                       cmocka_unit_test(off),      cmocka_unit_test(of_the_job),
                                       cmocka_unit_test(in_order), cmocka_unit_test(of_other_jobs)};
    return cmocka_run_group_tests_name("mpi path", tests, NULL, NULL);
}
