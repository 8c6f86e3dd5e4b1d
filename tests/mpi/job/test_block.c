/* SPDX-License-Identifier: BSD-3-Clause */
#include "job/block.h"
#include "job/ending.h"
#include "records.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct block_names names_of(struct rank_record *const *record, int n)
{
    struct region_names regions = {0}, own;
    struct site_names sites = {0}, own_sites;
    struct share_names shares = {0}, own_shares;
    struct meeting_names meetings = {0}, own_meetings;
    struct timeline_names timeline = {0}, own_timeline;
    struct block_names names;
    for (int i = 0; i < n; i++) {
        region_names_of(&own, record[i]);
        region_names_merge(&regions, &own);
        site_names_of(&own_sites, record[i]);
        site_names_merge(&sites, &own_sites);
        share_names_of(&own_shares, record[i]);
        share_names_merge(&shares, &own_shares);
        meeting_names_of(&own_meetings, record[i]);
        meeting_names_merge(&meetings, &own_meetings);
        timeline_names_of(&own_timeline, record[i]);
        timeline_names_merge(&timeline, &own_timeline);
    }
    bool regular = true;
    for (int i = 0; i < n; i++)
        regular &= block_is_regular(record[i]->rank, record[i]->ranks, record[i]->node, record[i]->nodes);
    const struct block_common common = {&regions, &sites, &shares, &meetings, &timeline, regular, true};
    block_names_make(&names, record[0], &common);
    return names;
}

static struct job_row row_of(const struct rank_record *record, const struct block_names *names)
{
    struct job_row row;
    row_of_record(&row, record, names, (const int[]){0, 1}, 2);
    return row;
}

static struct job *block_of(const struct rank_record *record, const struct block_names *names)
{
    struct job_row row = row_of(record, names);
    struct job *block = calloc(1, sizeof *block);
    assert_non_null(block);
    block_of_record(block, record, names, &row);
    return block;
}

static struct job *job_of(struct rank_record *const *record, int n)
{
    struct block_names names = names_of(record, n);
    struct job *job = block_of(record[0], &names);
    for (int i = 1; i < n; i++) {
        struct job *block = block_of(record[i], &names);
        block_merge(job, block);
        free(block);
    }
    job_identify(job, record[0]);
    job_name(job, &names);
    return job;
}

static uint64_t only(const struct metric *metric)
{
    assert_int_equal(metric->count, 1);
    return metric->largest[0].value;
}

/* ---- one record */

static void a_rank_that_did_nothing(void **unused)
{
    (void)unused;
    struct rank_record *record = record_make(0, 1, 0, 1);
    struct job *job = job_of(&record, 1);
    assert_int_equal(job->present, 1);
    assert_int_equal(job->unfinished, 0);
    assert_int_equal(only(&job->metric[METRIC_ELAPSED]), 1000000);
    assert_int_equal(only(&job->metric[METRIC_USEFUL]), 1000000);
    assert_int_equal(only(&job->metric[METRIC_MPI_TIME]), 0);
    assert_int_equal(job->metric[METRIC_NODE_USEFUL].count, 0);
    assert_int_equal(job->n_counters, 0);
    assert_int_equal(job->n_regions, 0);
    for (int i = 0; i < CALL_COUNT; i++)
        assert_int_equal(job->call[i].ranks, 0);
    free(job);
    free(record);
}

static void calls_and_threads(void **unused)
{
    (void)unused;
    struct rank_record *record = record_make(3, 4, 0, 1);
    struct thread_record *main_thread = record_thread(record, 0), *other = record_thread(record, 2);
    other->threads = 2; /* one after the other */
    other->inside = -1;
    record->overhead = 20;
    record_call(main_thread, CALL_SEND, 10, 1000, 640);
    record_call(main_thread, CALL_ALLREDUCE, 2, 5000, 16);
    record_call(main_thread, CALL_FILE_WRITE, 1, 300, 4096);
    record_call(other, CALL_SEND, 5, 400000, 320);
    main_thread->sent[7] = 10;
    other->sent[7] = 5;
    main_thread->collective[4] = 2;
    struct job *job = job_of(&record, 1);
    const struct job_call *send = &job->call[CALL_SEND];
    assert_int_equal(send->calls, 15);
    assert_int_equal(send->ns, 401000);
    assert_int_equal(send->main_ns, 1000);
    assert_int_equal(send->bytes, 960);
    assert_int_equal(send->ranks, 1);
    assert_int_equal(send->longest_ns, 80000);
    assert_int_equal(send->longest_rank, 3);
    assert_int_equal(send->most_ns, 401000);
    assert_int_equal(send->most_rank, 3);
    /* MPI time is the main thread's alone. */
    assert_int_equal(only(&job->metric[METRIC_MPI_TIME]), 6300);
    assert_int_equal(only(&job->metric[METRIC_USEFUL]),
                     993700 - 13 * 20); /* the wrapper's time is in neither */
    assert_int_equal(only(&job->metric[METRIC_MPI_CALLS]), 18);
    assert_int_equal(only(&job->metric[METRIC_COLLECTIVE_BYTES]), 16);
    assert_int_equal(only(&job->metric[METRIC_FILE_BYTES]), 4096);
    assert_int_equal(job->other_thread_calls, 5);
    assert_int_equal(job->overhead_ns, 18 * 20);
    assert_int_equal(job->threads, 3);
    assert_int_equal(job->sent[7], 15);
    assert_int_equal(job->collective[4], 2);
    free(job);
    free(record);
}

static void ticks_are_no_nanoseconds(void **unused)
{
    (void)unused;
    struct rank_record *record = record_make(0, 1, 0, 1);
    record->tick_hertz = 2500000000;
    record->begin = UINT64_MAX / 2; /* a machine that has run for a century */
    record->end = record->begin + 2500000000 * 3600;
    record_call(record_thread(record, 0), CALL_WAIT, 1, 2500000000, 0);
    struct job *job = job_of(&record, 1);
    assert_int_equal(only(&job->metric[METRIC_ELAPSED]), 3600 * 1000000000ULL);
    assert_int_equal(job->call[CALL_WAIT].ns, 1000000000);
    free(job);
    free(record);
}

/* Time that MPI_Pcontrol(0) left out is neither useful nor MPI time, also if it had not ended. */
static void paused_time(void **unused)
{
    (void)unused;
    struct rank_record *record[2] = {record_make(0, 2, 0, 1), record_make(1, 2, 0, 1)};
    for (int i = 0; i < 2; i++)
        record_call(record_thread(record[i], 0), CALL_BARRIER, 1, 100000, 0);
    record[0]->paused = 600000;
    record[1]->state = RANK_ABORTS;
    record[1]->paused = 200000;
    record[1]->paused_since = record[1]->end - 500000;
    struct job *job = job_of(record, 2);
    assert_int_equal(job->metric[METRIC_ELAPSED].largest[0].value, 400000);
    assert_int_equal(job->metric[METRIC_USEFUL].largest[0].value, 300000);
    assert_int_equal(job->metric[METRIC_ELAPSED].smallest[0].value, 300000);
    assert_int_equal(job->metric[METRIC_USEFUL].smallest[0].value, 200000);
    assert_true(metric_sum(&job->metric[METRIC_MPI_TIME]) == 200000);
    assert_int_equal(job->paused_ns, 1300000);
    free(job);
    record[1]->paused = UINT64_MAX; /* a damaged record */
    job = job_of(record, 2);
    assert_int_equal(job->metric[METRIC_ELAPSED].smallest[0].value, 0);
    free(job);
    free(record[0]);
    free(record[1]);
}

static void messages(void **unused)
{
    (void)unused;
    struct rank_record *record = record_make(0, 4, 0, 2);
    struct thread_record *thread = record_thread(record, 0), *other = record_thread(record, 1);
    other->threads = 1;
    record_peer(thread, 1, 2, 100); /* ranks 0 and 1 are on this node */
    record_peer(thread, 2, 3, 1000);
    record_peer(other, 2, 1, 10);
    record_peer(other, 3, 1, 1010);
    struct block_names names = names_of(&record, 1);
    struct job_row row = row_of(record, &names);
    assert_int_equal(row.value[METRIC_SENT_MESSAGES], 7);
    assert_int_equal(row.value[METRIC_SENT_BYTES], 2120);
    assert_int_equal(row.value[METRIC_SENT_AWAY_BYTES], 2020);
    assert_int_equal(row.partners, 3);
    assert_int_equal(row.busiest_peer, 2); /* the lower one of two */
    assert_int_equal(row.busiest_bytes, 1010);
    thread->outside_messages = 1; /* to a process that the job started: no partner, and who knows where */
    thread->outside_bytes = 7;
    row = row_of(record, &names);
    assert_int_equal(row.partners, 3);
    assert_int_equal(row.busiest_peer, 2);
    assert_int_equal(row.value[METRIC_SENT_MESSAGES], 8);
    assert_int_equal(row.value[METRIC_SENT_BYTES], 2127);
    assert_int_equal(row.value[METRIC_SENT_AWAY_BYTES], 2020);
    thread->outside_messages = thread->outside_bytes = 0;
    thread->other_messages = 4;
    thread->other_bytes = 50;
    row = row_of(record, &names);
    assert_int_equal(row.partners, MAX_PEERS);
    assert_int_equal(row.value[METRIC_SENT_MESSAGES], 11);
    assert_int_equal(row.value[METRIC_SENT_AWAY_BYTES], 2070);
    record->nodes = 1; /* nobody is far away then */
    row = row_of(record, &names);
    assert_int_equal(row.value[METRIC_SENT_AWAY_BYTES], 2020);
    free(record);
}

static void many_partners(void **unused)
{
    (void)unused;
    struct rank_record *record = record_make(0, 1000, 0, 2);
    for (int t = 0; t < 2; t++) {
        struct thread_record *thread = record_thread(record, t);
        thread->threads = 1;
        for (int i = 0; i < MAX_PEERS; i++)
            record_peer(thread, 2 + t * 100 + i, 1, 1);
    }
    struct block_names names = names_of(&record, 1);
    struct job_row row = row_of(record, &names);
    assert_int_equal(row.partners, MAX_PEERS);
    assert_int_equal(row.value[METRIC_SENT_MESSAGES], 2 * MAX_PEERS);
    assert_int_equal(row.value[METRIC_SENT_BYTES], 2 * MAX_PEERS);
    free(record);
}

/* A rank that was killed in a call. */
static void unfinished(void **unused)
{
    (void)unused;
    struct rank_record *record = record_make(1, 2, 0, 1);
    struct thread_record *thread = record_thread(record, 0);
    record_call(thread, CALL_SEND, 1, 100, 8);
    thread->inside = CALL_RECV;
    thread->since = record->begin + 600000;
    record->state = RANK_RUNS;
    struct block_names names = names_of(&record, 1);
    uint64_t end = record->end;
    record->end = 0; /* it is not known */
    record->timed = 1;
    struct job_row row = row_of(record, &names);
    assert_int_equal(row.inside, CALL_RECV);
    assert_int_equal(row.value[METRIC_ELAPSED], 600000);
    assert_int_equal(row.value[METRIC_MPI_TIME], 100);
    record->end = end; /* it waited until then */
    ending_close(record, 0, &(const struct ending_facts){.latest = 0});
    row = row_of(record, &names);
    assert_int_equal(row.inside, CALL_RECV);
    assert_int_equal(row.value[METRIC_ELAPSED], 1000000);
    assert_int_equal(row.value[METRIC_MPI_TIME], 400100);
    assert_int_equal(row.value[METRIC_USEFUL], 599900);
    struct job *job = job_of(&record, 1);
    assert_int_equal(job->unfinished, 1);
    assert_int_equal(job->call[CALL_RECV].calls, 1); /* a row like any other */
    assert_int_equal(job->call[CALL_RECV].longest_ns, 400000);
    assert_non_null(job_times_of(job, CALL_RECV));
    assert_int_equal(job_times_of(job, CALL_RECV)->calls[time_class(400000)], 1);
    free(job);
    record->end = record->begin + 50; /* earlier than its MPI time says, as a torn record can have it */
    row = row_of(record, &names);
    assert_int_equal(row.value[METRIC_MPI_TIME], 400100);
    assert_int_equal(row.value[METRIC_USEFUL], 0);
    record->end = 0;
    thread->since = 0; /* before it called anything */
    thread->inside = -1;
    row = row_of(record, &names);
    assert_int_equal(row.value[METRIC_ELAPSED], 0);
    assert_int_equal(row.inside, -1);
    free(record);
}

/* Numbers of a torn or hostile file do not lead out of bounds. */
static void senseless_numbers(void **unused)
{
    (void)unused;
    struct rank_record *record = record_make(0, 1, 0, 1);
    record->end = 1; /* before the begin */
    record->n_counters = 1000;
    record->n_regions = 1000;
    record->main_thread = -7;
    record_thread(record, 0)->n_open = 1000;
    memset(record->region_name, 'x', sizeof record->region_name);
    memset(record->counter_name, 'y', sizeof record->counter_name);
    struct job *job = job_of(&record, 1);
    assert_int_equal(only(&job->metric[METRIC_ELAPSED]), 0);
    assert_in_range(job->n_counters, 0, MAX_COUNTERS);
    assert_in_range(job->n_regions, 0, MAX_REGIONS);
    assert_int_equal(strlen(job->counter_name[0]), COUNTER_NAME - 1);
    assert_true(strlen(job->region[0].name) < REGION_NAME);
    record->tick_hertz = 0;
    record->n_counters = record->n_regions = -1;
    free(job);
    job = job_of(&record, 1);
    assert_int_equal(job->n_counters, 0);
    free(job);
    free(record);
}

/* ---- several */

/* Rank r: 3 - r threads, each of which made 10 calls; the last one was killed. */
static void what_ranks_add_up_to(void **unused)
{
    (void)unused;
    struct rank_record *record[3];
    for (int i = 0; i < 3; i++) {
        record[i] = record_make(i, 3, 0, 1);
        record[i]->overhead = 7;
        for (int t = 0; t <= 2 - i; t++) {
            struct thread_record *thread = record_thread(record[i], t);
            thread->threads = 1;
            thread->inside = -1;
            thread->sent[3] = 4;
            thread->collective[5] = 6;
            record_call(thread, CALL_BCAST, 10, 1000, 80);
        }
    }
    record[2]->state = RANK_ABORTS;
    struct job *job = job_of(record, 3);
    assert_int_equal(job->present, 3);
    assert_int_equal(job->unfinished, 1);
    assert_int_equal(job->threads, 3);
    assert_int_equal(job->sent[3], 6 * 4);
    assert_int_equal(job->collective[5], 6 * 6);
    assert_int_equal(job->overhead_ns, 60 * 7);
    assert_int_equal(job->other_thread_calls, 30);
    assert_int_equal(job->call[CALL_BCAST].calls, 60);
    assert_int_equal(job->call[CALL_BCAST].ns, 6000);
    assert_int_equal(job->call[CALL_BCAST].bytes, 480);
    assert_int_equal(job->call[CALL_BCAST].ranks, 3);
    assert_int_equal(job->call[CALL_BCAST].most_ns, 3000);
    assert_int_equal(job->call[CALL_BCAST].most_rank, 0);
    assert_int_equal(job->metric[METRIC_MPI_TIME].count, 3);
    assert_true(metric_sum(&job->metric[METRIC_MPI_TIME]) == 3000);
    assert_string_equal(job->job, "a-job");
    assert_int_equal(job->ranks, 3);
    free(job);
    for (int i = 0; i < 3; i++)
        free(record[i]);
}

static void counters_of_rank_0(void **unused)
{
    (void)unused;
    struct rank_record *record[4];
    for (int i = 0; i < 4; i++)
        record[i] = record_make(i, 4, 0, 1);
    for (int i = 0; i < 3; i++)
        record[i]->counters_inside = i != 2;
    record_counter(record[0], "PAPI_TOT_INS", 100, 10);
    record_counter(record[0], "PAPI_FP_OPS", 7, 0);
    record_counter(record[1], "PAPI_FP_OPS", 9, 1); /* another order */
    record_counter(record[1], "PAPI_TOT_INS", 300, 30);
    record_counter(record[2], "PAPI_TOT_INS", -5, 0); /* not all, and one went down */
    record[2]->multiplexed = 1;
    record_counter(record[3], "PAPI_L1_DCM", 1, 1); /* one that rank 0 has not */
    record_counter(record[3], "PAPI_FP_OPS", 3, 0);
    record[3]->lost = 2; /* only a part of it */
    record[1]->doubtful = 1;
    record[1]->crowded = record[2]->crowded = 1;
    record[0]->spawned = record[3]->spawned = record[1]->spawned = 1;
    record[0]->operations_left = 3;
    record[2]->operations_left = 8;
    call_put_in(record[1]->unseen, CALL_SEND);
    call_put_in(record[2]->unseen, CALL_SEND);
    call_put_in(record[2]->unseen, CALL_COUNT - 1);
    struct job *job = job_of(record, 4);
    assert_int_equal(job->n_counters, 2);
    assert_string_equal(job->counter_name[1], "PAPI_FP_OPS");
    assert_int_equal(job->different, 2);
    assert_int_equal(job->multiplexed, 1);
    assert_int_equal(job->lost, 1);
    assert_int_equal(job->doubtful, 1);
    assert_int_equal(job->crowded, 2);
    assert_int_equal(job->spawned, 3);
    assert_int_equal(job->unseen_ranks, 2);
    assert_int_equal(job->operations_left, 8);
    for (int i = 0; i < CALL_COUNT; i++)
        assert_int_equal(call_is_in(job->unseen, i), i == CALL_SEND || i == CALL_COUNT - 1);
    assert_true(job->counters_inside);
    const struct metric *ins = &job->metric[METRIC_FIXED], *outside = ins + MAX_COUNTERS;
    assert_int_equal(ins->count, 3);
    assert_true(metric_sum(ins) == 400);
    assert_int_equal(outside->count, 2);
    assert_true(metric_sum(outside) == 360);
    assert_int_equal(ins[1].count, 2);
    assert_true(metric_sum(&ins[1]) == 16);
    assert_int_equal(ins[2].count, 0);
    struct block_names names = names_of(record, 4);
    struct job_row row = row_of(record[3], &names);
    assert_true(row.value[METRIC_FIXED] == ROW_NONE && row.value[METRIC_FIXED + MAX_COUNTERS] == ROW_NONE);
    free(job);
    for (int i = 0; i < 4; i++)
        free(record[i]);
}

/* Cycles of the program by its processor time; without them, what the kernel says. */
static void frequency_of_a_rank(void **unused)
{
    (void)unused;
    struct rank_record *record = record_make(0, 1, 0, 1);
    struct block_names names = names_of(&record, 1);
    record->frequency = 2000000000;
    assert_true(row_of(record, &names).value[METRIC_FREQUENCY] == 2000000000);
    record_counter(record, "PAPI_TOT_CYC", 1500000000, 0);
    record->used[USAGE_CPU_USER] = 500000000;
    assert_true(row_of(record, &names).value[METRIC_FREQUENCY] == 3000000000);
    record->lost = 1; /* a part of them alone */
    assert_true(row_of(record, &names).value[METRIC_FREQUENCY] == 2000000000);
    record->lost = 0;
    record->used[USAGE_CPU_USER] = 50000000; /* too short to be divided by */
    assert_true(row_of(record, &names).value[METRIC_FREQUENCY] == 2000000000);
    record->frequency = 0;
    assert_true(row_of(record, &names).value[METRIC_FREQUENCY] == ROW_NONE);
    record->used[USAGE_CPU_USER] = 500000000;
    record->emulated = 1;
    assert_true(row_of(record, &names).value[METRIC_FREQUENCY] == ROW_NONE);
    free(record);
}

/* The first of three ranks has what all use; one has no frequency. */
static void figures_of_a_node(void **unused)
{
    (void)unused;
    struct job_row row[3];
    struct node_sums sums = {0};
    memset(row, 0, sizeof row);
    for (int i = 0; i < 3; i++) {
        row[i].value[METRIC_USEFUL] = (uint64_t)(10 + i);
        row[i].value[METRIC_PEAK_MEMORY] = 1000u << i;
        row[i].value[METRIC_FREQUENCY] = i == 1 ? ROW_NONE : (uint64_t)(200 + i);
        node_add(&sums, &row[i]);
    }
    row[0].value[METRIC_NODE_MEMORY_LIMIT] = ROW_NONE;
    node_figures(&sums, &row[0]);
    assert_int_equal(row[0].value[METRIC_NODE_USEFUL], 11);
    assert_int_equal(row[0].value[METRIC_NODE_MEMORY], 7000);
    assert_int_equal(row[0].value[METRIC_NODE_FREQUENCY], 201);
    assert_true(row[0].value[METRIC_NODE_MEMORY_LIMIT] == ROW_NONE);
    row[0].memory_limit = 8000;
    node_figures(&sums, &row[0]);
    assert_int_equal(row[0].value[METRIC_NODE_MEMORY_LIMIT], 8000);
}

static void visit(struct rank_record *record, const char *name, uint64_t ticks, int64_t counter)
{
    struct thread_record *thread = record_thread(record, 0);
    int region = record_region(record, name);
    thread->region[region].visits = 1;
    thread->region[region].ticks = ticks;
    thread->region[region].mpi_ticks = ticks / 2;
    thread->region[region].counter[0] = counter;
}

static void regions_of_all_ranks(void **unused)
{
    (void)unused;
    struct rank_record *record[3];
    for (int i = 0; i < 3; i++) {
        record[i] = record_make(i, 3, 0, 1);
        record_counter(record[i], "C", 1, 0);
    }
    visit(record[0], "solve", 100, 5);
    visit(record[0], "assemble", 40, 1);
    visit(record[1], "solve", 300, 6);
    record_region(record[1], "never"); /* a name alone */
    visit(record[2], "zero", 1, 0);
    visit(record[2], "solve", 100, 7);
    record_thread(record[2], 0)->open[0].region = 1;
    record_thread(record[2], 0)->n_open = 1;
    struct job *job = job_of(record, 3);
    static const char *const expected[] = {"assemble", "never", "solve", "zero"};
    assert_int_equal(job->n_regions, 4);
    for (int i = 0; i < 4; i++)
        assert_string_equal(job->region[i].name, expected[i]);
    const struct job_region *solve = &job->region[2];
    assert_int_equal(solve->ranks, 3);
    assert_int_equal(solve->visits, 3);
    assert_int_equal(solve->open, 1);
    assert_int_equal(solve->ns, 500);
    assert_int_equal(solve->mpi_ns, 250);
    assert_int_equal(solve->least_ns, 100);
    assert_int_equal(solve->least_rank, 0);
    assert_int_equal(solve->most_ns, 300);
    assert_int_equal(solve->most_rank, 1);
    assert_int_equal(solve->counter[0], 18);
    assert_int_equal(job->region[0].ranks, 1);
    assert_int_equal(job->region[1].ranks, 0);
    assert_int_equal(job->regions_left_out, 0);
    free(job);
    for (int i = 0; i < 3; i++)
        free(record[i]);
}

static void call_in(struct rank_record *record, int region, enum call call, uint64_t calls, uint64_t ticks)
{
    struct thread_record *thread = record_thread(record, 0);
    thread->region_call[thread->n_region_calls++] = (struct region_call){region, (int)call + 1, calls, ticks};
}

static const struct job_region_call *region_call(struct job *job, const char *name, enum call call)
{
    for (int i = 0; i < job->n_regions; i++)
        for (int k = 0; k < MAX_JOB_REGION_CALLS; k++)
            if (strcmp(job->region[i].name, name) == 0 &&
                job->region_call[k].key == job_region_call_key(i, (int)call))
                return &job->region_call[k];
    return NULL;
}

/* Each rank has its own order of regions. What is no call, or of no region, is nobody's. */
static void calls_in_regions(void **unused)
{
    (void)unused;
    struct rank_record *record[2] = {record_make(0, 2, 0, 1), record_make(1, 2, 0, 1)};
    visit(record[0], "solve", 100, 0);
    visit(record[0], "assemble", 40, 0);
    visit(record[1], "assemble", 300, 0);
    visit(record[1], "solve", 300, 0);
    call_in(record[0], 0, CALL_ALLREDUCE, 3, 30);
    call_in(record[0], 0, CALL_SEND, 1, 5);
    call_in(record[0], 1, CALL_SEND, 2, 7);
    call_in(record[1], 1, CALL_ALLREDUCE, 3, 60);
    call_in(record[1], 77, CALL_ALLREDUCE, 3, 60);
    call_in(record[1], -1, CALL_ALLREDUCE, 3, 60);
    call_in(record[1], 1, CALL_COUNT, 3, 60);
    struct job *job = job_of(record, 2);
    const struct job_region_call *solve = region_call(job, "solve", CALL_ALLREDUCE);
    assert_non_null(solve);
    assert_int_equal(solve->calls, 6);
    assert_int_equal(solve->ns, 90);
    assert_int_equal(solve->ranks, 2);
    assert_int_equal(solve->most_ns, 60);
    assert_int_equal(solve->most_rank, 1);
    assert_int_equal(region_call(job, "solve", CALL_SEND)->ns, 5);
    assert_int_equal(region_call(job, "assemble", CALL_SEND)->calls, 2);
    assert_int_equal(region_call(job, "assemble", CALL_SEND)->most_rank, 0);
    assert_null(region_call(job, "assemble", CALL_ALLREDUCE));
    assert_int_equal(job->region_call[3].key, 0);
    free(job);
    for (int i = 0; i < 2; i++)
        free(record[i]);
}

/* The first ones are kept, with what all have, in whatever order they come. */
static void more_region_calls_than_places(void **unused)
{
    (void)unused;
    struct job *one = calloc(1, sizeof *one), *other = calloc(1, sizeof *other),
               *more = calloc(1, sizeof *more);
    assert_true(one != NULL && other != NULL && more != NULL);
    for (uint64_t i = 0; i < MAX_JOB_REGION_CALLS; i++) {
        more->region_call[i] = (struct job_region_call){2 * i + 2, 1, 10, 1, 10, 5};
        other->region_call[i] = (struct job_region_call){3 * i + 3, 1, 20, 1, 20, 3};
    }
    block_merge_region_calls(one, more);
    block_merge_region_calls(one, other);
    block_merge_region_calls(other, more);
    assert_memory_equal(one->region_call, other->region_call, sizeof one->region_call);
    const struct job_region_call *sixth = &one->region_call[3]; /* 2, 3, 4, 6 */
    assert_int_equal(sixth->key, 6);
    assert_int_equal(sixth->ns, 30);
    assert_int_equal(sixth->ranks, 2);
    assert_int_equal(sixth->most_rank, 3);
    assert_int_equal(one->region_call[MAX_JOB_REGION_CALLS - 1].key,
                     768); /* two of three numbers are there */
    free(one);
    free(other);
    free(more);
}

/* The main thread's time in a region: ticks are nanoseconds here. */
static void work_in(struct rank_record *record, const char *name, uint64_t ticks, uint64_t mpi_ticks,
                    uint64_t path_ns)
{
    visit(record, name, ticks, 0);
    struct region_totals *totals = &record_thread(record, 0)->region[record->n_regions - 1];
    totals->mpi_ticks = mpi_ticks;
    totals->path_ns = path_ns;
}

/* The means of the nodes, as collect() and job_recover() make them. */
static void add_node(struct job *job, struct job *const *block, int n, int regions)
{
    struct node_regions sums = {{0}, {0}};
    static struct job first;
    memset(&first, 0, sizeof first);
    for (int i = 0; i < n; i++)
        node_add_regions(&sums, block[i]->region, regions);
    node_region_figures(&sums, first.region, regions);
    block_merge(job, &first);
}

/* Four ranks on two nodes are in "solve" for 1,000 each, with 900, 500, 300 and 300 outside of MPI: load
 * balance 500 / 900; of the nodes 700 and 300, so that 700 / 900 is in nodes and 500 / 700 across them. The
 * longest chain has 950. Rank 3 alone is in "write". */
static void regions_have_efficiencies(void **unused)
{
    (void)unused;
    static const uint64_t mpi[] = {100, 500, 700, 700}, chain[] = {950, 900, 930, 940};
    struct rank_record *record[4];
    struct job *block[4];
    for (int i = 0; i < 4; i++) {
        record[i] = record_make(i, 4, i / 2, 2);
        record[i]->path_state = PATH_FOLLOWED;
        record[i]->path.ns = 1;
        record[i]->state = RANK_FINALIZED;
        work_in(record[i], "solve", 1000, mpi[i], chain[i]);
    }
    work_in(record[3], "write", 100, 0, 100);
    record_thread(record[3], 0)->region[1].paused = 60;
    struct job *job = job_of(record, 4);
    struct block_names names = names_of(record, 4);
    for (int i = 0; i < 4; i++)
        block[i] = block_of(record[i], &names);
    add_node(job, block, 2, names.n_regions);
    add_node(job, block + 2, 2, names.n_regions);
    struct efficiency solve = job_region_efficiency(job, &job->region[0]),
                      alone = job_region_efficiency(job, &job->region[1]);
    const double expected[] = {500.0 / 1000, 500.0 / 900, 700.0 / 900, 500.0 / 700,
                               900.0 / 1000, 900.0 / 950, 950.0 / 1000};
    for (int i = 0; i < EFFICIENCIES; i++) {
        assert_true(fabs(solve.all[i] - expected[i]) < 1e-12);
        assert_true(alone.all[i] == 1); /* 40 of 40: 60 were left out by MPI_Pcontrol(0) */
    }
    assert_int_equal(job->region[0].most_useful_rank, 0);
    assert_int_equal(job->region[1].main_ranks, 1);
    free(job);
    for (int i = 0; i < 4; i++) {
        free(block[i]);
        free(record[i]);
    }
}

/* 3 ranks with 60 names of their own: 127 have a place, and nothing of the others is lost. */
static void more_regions_than_places(void **unused)
{
    (void)unused;
    struct rank_record *record[3];
    char name[REGION_NAME];
    for (int i = 0; i < 3; i++) {
        record[i] = record_make(i, 3, 0, 1);
        for (int k = 0; k < 60; k++) {
            snprintf(name, sizeof name, "region %02d of rank %d", k, i);
            visit(record[i], name, 10, 0);
        }
    }
    struct job *job = job_of(record, 3);
    uint64_t ns = 0, visits = 0;
    assert_int_equal(job->n_regions, MAX_REGIONS);
    assert_string_equal(job->region[0].name, "region 00 of rank 0");
    assert_string_equal(job->region[MAX_REGIONS - 1].name, OTHER_REGIONS);
    for (int i = 0; i < MAX_REGIONS; i++) {
        assert_true(i == 0 || i == MAX_REGIONS - 1 ||
                    strcmp(job->region[i - 1].name, job->region[i].name) < 0);
        ns += job->region[i].ns;
        visits += job->region[i].visits;
    }
    assert_int_equal(ns, 1800);
    assert_int_equal(visits, 180);
    assert_in_range(job->regions_left_out, 1, 180 - 127);
    free(job);
    for (int i = 0; i < 3; i++)
        free(record[i]);
}

static void names_merge_in_any_order(void **unused)
{
    (void)unused;
    static struct region_names own[40], left, right;
    for (int i = 0; i < 40; i++) {
        struct rank_record *record = record_make(i, 40, 0, 1);
        char name[REGION_NAME];
        for (int k = 0; k < 10; k++) {
            snprintf(name, sizeof name, "%d", (i * 37 + k * 101) % 211);
            record_region(record, name);
        }
        region_names_of(&own[i], record);
        free(record);
    }
    for (int i = 0; i < 40; i++)
        region_names_merge(&left, &own[i]);
    for (int i = 0; i < 40; i += 4) {
        struct region_names part = own[(i + 13) % 40];
        for (int k = 1; k < 4; k++)
            region_names_merge(&part, &own[(i + 13 + k) % 40]);
        region_names_merge(&part, &right);
        right = part;
    }
    assert_memory_equal(&left, &right, sizeof left);
    assert_int_equal(left.n, MAX_REGIONS - 1);
    assert_int_equal(left.others, 1);
}

static const struct job_cell *cell_of(const struct job *job, int from, int to)
{
    return &job->matrix[from * job->matrix_n + to];
}

/* by: what is to be chosen; the first and the last rank of so many send to each other and to their
 * neighbors. */
static void matrix_of(int ranks, int nodes, bool regular, enum matrix_by by, int n)
{
    struct rank_record *record[2];
    int last = ranks - 1;
    for (int i = 0; i < 2; i++) {
        int rank = i == 0 ? 0 : last, node = i == 0 ? 0 : regular ? nodes - 1 : nodes / 2;
        record[i] = record_make(rank, ranks, node, nodes);
        record_peer(record_thread(record[i], 0), i == 0 ? 1 : last - 1, 3, 300);
        record_peer(record_thread(record[i], 0), i == 0 ? last : 0, 1, 1000);
        record_peer(record_thread(record[i], 1), i == 0 ? last : 0, 1, 500);
        record_thread(record[i], 1)->threads = 1;
        record_thread(record[i], 1)->other_messages = 7;
        record_thread(record[i], 1)->other_bytes = 70;
    }
    struct job *job = job_of(record, 2);
    assert_int_equal(job->matrix_by, by);
    assert_int_equal(job->matrix_n, n);
    assert_int_equal(cell_of(job, 0, n - 1)->messages, 2);
    assert_int_equal(cell_of(job, n - 1, 0)->bytes, 1500);
    bool apart = by == MATRIX_BY_RANK;
    assert_int_equal(cell_of(job, 0, apart ? 1 : 0)->bytes, 300);
    assert_int_equal(cell_of(job, n - 1, apart ? n - 2 : n - 1)->messages, 3);
    assert_int_equal(job->matrix_other.messages, 14);
    assert_int_equal(job->matrix_other.bytes, 140);
    assert_int_equal(job->neighbor[0].ranks, 2);
    assert_int_equal(job->neighbor[0].bytes, 3000);
    assert_int_equal(job->neighbor[0].most_bytes, 1500);
    assert_int_equal(job->neighbor[0].most_rank, 0);
    assert_int_equal(job->neighbor[1].messages, 6);
    assert_int_equal(job->neighbor[2].ranks, 0);
    free(job);
    for (int i = 0; i < 2; i++)
        free(record[i]);
}

static void matrices(void **unused)
{
    (void)unused;
    matrix_of(4, 1, true, MATRIX_BY_RANK, 4);
    matrix_of(64, 64, true, MATRIX_BY_RANK, 64);
    matrix_of(1000, 10, true, MATRIX_BY_NODE, 10);
    matrix_of(1000, 10, false, MATRIX_BY_RANKS, 64);
    matrix_of(1000, 1, true, MATRIX_BY_RANKS, 64);
    matrix_of(1000000, 10000, true, MATRIX_BY_RANKS, 64);
    matrix_of(INT32_MAX, INT32_MAX, true, MATRIX_BY_RANKS, 64);
}

/* Checks what ranks received: of three ranks, of which each sends to the next and rank 0 to itself, too.
 * change: what is different in the record of rank 1; NULL: nothing. */
static uint64_t received_of(void (*change)(struct rank_record *record), int ranks_there, bool is_known)
{
    struct rank_record *record[3];
    for (int i = 0; i < 3; i++) {
        record[i] = record_make(i, 3, 0, 1);
        record_peer(record_thread(record[i], 0), (i + 1) % 3, (uint64_t)i + 1, 100 * (uint64_t)i);
        record_call(record_thread(record[i], 0), CALL_RECV, 1, 10, 0);
    }
    record_peer(record_thread(record[0], 0), 0, 1, 7);
    if (change != NULL)
        change(record[1]);
    struct job *job = job_of(record, ranks_there);
    const struct metric *bytes = &job->metric[METRIC_RECEIVED_BYTES];
    uint64_t most = is_known ? bytes->largest[0].value : 0;
    assert_int_equal(bytes->count, is_known ? 3 : 0);
    assert_int_equal(job->metric[METRIC_RECEIVED_MESSAGES].count, is_known ? 3 : 0);
    if (is_known && change == NULL) {
        assert_int_equal((uint64_t)bytes->sum, 307);
        assert_int_equal(bytes->largest[0].rank, 0); /* from rank 2, and itself */
        assert_int_equal(bytes->smallest[0].value, 0);
        assert_int_equal(bytes->smallest[0].rank, 1);
        assert_int_equal(job->metric[METRIC_RECEIVED_MESSAGES].largest[0].value, 4);
        assert_int_equal((uint64_t)job->metric[METRIC_RECEIVED_MESSAGES].sum, 7);
        assert_int_equal(job->call[CALL_RECV].received_bytes, NOT_KNOWN);
    }
    free(job);
    for (int i = 0; i < 3; i++)
        free(record[i]);
    return most;
}

static void sends_to_others(struct rank_record *record)
{
    record_thread(record, 0)->other_messages = 1;
}

static void sends_outside(struct rank_record *record)
{
    record_thread(record, 0)->outside_messages = 1;
}

static void writes_a_window(struct rank_record *record)
{
    record_call(record_thread(record, 0), CALL_PUT, 1, 10, 8);
}

static void spawns(struct rank_record *record)
{
    record_call(record_thread(record, 0), CALL_COMM_SPAWN, 1, 10, 0);
}

static void starts_what_is_not_known(struct rank_record *record)
{
    record_call(record_thread(record, 0), CALL_START, 2, 10, 0);
    record_thread(record, 0)->uncounted[CALL_START] = 1;
}

static void hangs(struct rank_record *record)
{
    atomic_store(&record->state, RANK_RUNS);
}

static void is_done(struct rank_record *record)
{
    record_call(record_thread(record, 0), CALL_BCAST, 1, 10, 0);
}

/* Received by all ranks is what the matrix has, if that is all; and nothing otherwise. */
static void received_by_matrix(void **unused)
{
    (void)unused;
    assert_int_equal(received_of(NULL, 3, true), 207);
    assert_int_equal(received_of(is_done, 3, true), 207);
    received_of(NULL, 2, false);
    received_of(sends_to_others, 3, false);
    received_of(sends_outside, 3, false);
    received_of(writes_a_window, 3, false);
    received_of(spawns, 3, false);
    received_of(starts_what_is_not_known, 3, false);
    received_of(hangs, 3, false);
}

/* Received as each rank counted it, where all did: the matrix is not asked. */
static void received_by_calls(void **unused)
{
    (void)unused;
    struct rank_record *record[2];
    for (int i = 0; i < 2; i++) {
        record[i] = record_make(i, 2, 0, 1);
        record[i]->counts_received = 1;
        record_peer(record_thread(record[i], 0), 1 - i, 1, 1000);
        record_call(record_thread(record[i], 0), CALL_RECV, 1, 10, 0);
        record_thread(record[i], 0)->received[CALL_RECV] = 900;
        record_thread(record[i], 0)->received_messages = 1;
    }
    struct job *job = job_of(record, 2);
    assert_int_equal((uint64_t)job->metric[METRIC_RECEIVED_BYTES].sum, 1800);
    assert_int_equal(job->call[CALL_RECV].received_bytes, 1800);
    free(job);
    record[1]->counts_received = 0; /* then the sum is not known */
    job = job_of(record, 2);
    assert_int_equal(job->call[CALL_RECV].received_bytes, NOT_KNOWN);
    free(job);
    for (int i = 0; i < 2; i++)
        free(record[i]);
}

/* ---- communicators */

static void counted(struct rank_record *record, uint64_t key, const char *name, uint64_t handle)
{
    struct counted_comm *comm = &record->counted_comm[record->n_counted++];
    *comm = (struct counted_comm){.handle = handle, .key = key, .size = 4, .call = CALL_COMM_SPLIT};
    comm->first = record->rank == 0;
    strcpy(comm->name, name);
    record->by_comm = 1;
}

/* A call as the wrapper notes it: the bytes come after its end. */
static void called(struct rank_record *record, enum call call, uint64_t handle, uint64_t ticks,
                   uint64_t bytes)
{
    struct thread_record *thread = record_thread(record, 0);
    thread->at.comm = handle;
    thread->call[call].calls++;
    thread->call[call].ticks += ticks;
    thread->calls++;
    comms_note(record, thread, (int)call);
    thread->call[call].bytes += bytes;
}

static const struct job_comm *comm_named(const struct job *job, const char *name)
{
    for (int i = 0; i < MAX_JOB_COMMS; i++)
        if (job->comm[i].key != 0 && strcmp(job->comm[i].name, name) == 0)
            return &job->comm[i];
    fail_msg("no communicator %s", name);
    return NULL;
}

/* Checks a row: of ranks that call, the calls, times and bytes of all. */
static void is_row(const struct job_comm *row, uint64_t ranks, uint64_t calls, uint64_t ns, uint64_t bytes)
{
    assert_int_equal(row->ranks, ranks);
    assert_int_equal(row->calls, calls);
    assert_int_equal(row->ns, ns);
    assert_int_equal(row->bytes, bytes);
}

/* Bytes that come after the end of a call belong to the communicator that it was on, also those of the last
 * one; one key with two names is two rows; a handle that is none of these, and calls without one, have their
 * own. */
static void calls_by_communicator(void **unused)
{
    (void)unused;
    struct rank_record *record[2];
    const uint64_t key = 5ULL << 48 | 77;
    for (int i = 0; i < 2; i++) {
        record[i] = record_make(i, 2, 0, 1);
        counted(record[i], key, i == 0 ? "even" : "odd", 100);
        counted(record[i], key + 1, "all", 200);
        called(record[i], CALL_ALLREDUCE, 100, 10, 8);
        called(record[i], CALL_ALLREDUCE, 200, 20, 16);
        called(record[i], CALL_SEND, 200, 1, 1000);
        called(record[i], CALL_ALLREDUCE, 200, (uint64_t)(30 + i), 32);
        called(record[i], CALL_ALLREDUCE, 300, 7, 5);
        called(record[i], CALL_WAIT, 200, 3, 0);
        called(record[i], CALL_FILE_WRITE, 200, 4, 64);
        called(record[i], CALL_WIN_FENCE, 200, 5, 0);
        called(record[i], CALL_SESSION_INIT, 200, 6, 0);
        record_thread(record[i], 0)->comms.gone = 1;
        record[i]->counted_comm[0].handle = 0; /* freed: the handle is another one's now */
        called(record[i], CALL_COMM_FREE, 0, 9, 0);
        called(record[i], CALL_ALLREDUCE, 100, 2, 1);
    }
    struct job *job = job_of(record, 2);
    assert_int_equal(job->comm_ranks, 2);
    is_row(comm_named(job, "even"), 1, 2, 19, 8);
    is_row(comm_named(job, "odd"), 1, 2, 19, 8);
    is_row(comm_named(job, "all"), 2, 6, 103, 2 * 1048);
    assert_int_equal(comm_named(job, "all")->most_rank, 1);
    assert_int_equal(comm_named(job, "all")->most_ns, 52);
    assert_int_equal(comm_named(job, "all")->communicators, 1);
    is_row(&job->comm_rest[COMM_OTHERS - MAX_COMMS], 2, 4, 18, 12);
    is_row(&job->comm_rest[COMM_REQUESTS - MAX_COMMS], 2, 2, 6, 0);
    is_row(&job->comm_rest[COMM_FILES - MAX_COMMS], 2, 2, 8, 128);
    is_row(&job->comm_rest[COMM_WINDOWS - MAX_COMMS], 2, 2, 10, 0);
    is_row(&job->comm_rest[COMM_NONE - MAX_COMMS], 2, 2, 12, 0);
    free(job);
    for (int i = 0; i < 2; i++)
        free(record[i]);
}

/* More communicators than there are rows: the same stay, with the same sums, in whatever order, and nothing
 * is lost. */
static void communicators_merge_in_any_order(void **unused)
{
    (void)unused;
    enum { RANKS = 5, EACH = 40 };
    static struct job block[RANKS], sum, back, part, all;
    uint64_t calls = 0, bytes = 0;
    for (int i = 0; i < RANKS; i++) {
        struct rank_record *record = record_make(i, RANKS, 0, 1);
        for (uint64_t k = 0; k < EACH; k++) {
            uint64_t key = 1 + (k * 37 + (uint64_t)i * 101) % 131;
            counted(record, key << 48 | key, "", 1000 + k);
            for (uint64_t n = 0; n <= k % 3; n++)
                called(record, CALL_BCAST, 1000 + k, key, 10 * key);
        }
        block_add_comms(&block[i], record);
        free(record);
    }
    for (int i = 0; i < RANKS; i++) {
        block_merge_comms(&sum, &block[i]);
        block_merge_comms(&back, &block[RANKS - 1 - i]);
        block_merge_comms(i < 2 ? &part : &all, &block[i]);
    }
    block_merge_comms(&all, &part);
    assert_memory_equal(sum.comm, back.comm, sizeof sum.comm);
    assert_memory_equal(sum.comm, all.comm, sizeof sum.comm);
    assert_memory_equal(sum.comm_rest, back.comm_rest, sizeof sum.comm_rest);
    assert_memory_equal(sum.comm_rest, all.comm_rest, sizeof sum.comm_rest);
    for (int i = 0; i < MAX_JOB_COMMS; i++) {
        assert_true(sum.comm[i].key != 0 && (i == 0 || sum.comm[i - 1].key < sum.comm[i].key));
        calls += sum.comm[i].calls;
        bytes += sum.comm[i].bytes;
    }
    const struct job_comm *others = &sum.comm_rest[COMM_OTHERS - MAX_COMMS];
    assert_true(others->calls > 0);
    uint64_t wanted_calls = 0, wanted_bytes = 0;
    for (uint64_t i = 0; i < RANKS; i++)
        for (uint64_t k = 0; k < EACH; k++) {
            wanted_calls += 1 + k % 3;
            wanted_bytes += (1 + k % 3) * 10 * (1 + (k * 37 + i * 101) % 131);
        }
    assert_int_equal(calls + others->calls, wanted_calls);
    assert_int_equal(bytes + others->bytes, wanted_bytes);
}

static void sizes_of(struct rank_record *record, enum call call, int bucket, uint64_t n)
{
    struct thread_record *thread = record_thread(record, 0);
    thread->sizes[thread->n_sizes].call = (int32_t)call;
    thread->sizes[thread->n_sizes++].size[bucket] = n;
}

/* Ranks that make different calls; of more than there is room for the first ones, in whatever order. */
static void sizes_of_calls(void **unused)
{
    (void)unused;
    enum { RANKS = 6, EACH = 12 };
    struct rank_record *record[RANKS];
    struct job *block[RANKS], sum, back;
    for (int i = 0; i < RANKS; i++) {
        record[i] = record_make(i, RANKS, 0, 1);
        for (int k = 0; k < EACH; k++)
            sizes_of(record[i], (enum call)((i * EACH + k * 7) % 60), k, 1);
    }
    struct block_names names = names_of(record, RANKS);
    memset(&sum, 0, sizeof sum);
    memset(&back, 0, sizeof back);
    for (int i = 0; i < RANKS; i++)
        block[i] = block_of(record[i], &names);
    for (int i = 0; i < RANKS; i++) {
        block_merge(&sum, block[i]);
        block_merge(&back, block[RANKS - 1 - i]);
    }
    assert_memory_equal(&sum, &back, sizeof sum);
    for (int i = 1; i < MAX_JOB_SIZED; i++)
        assert_true(sum.sized[i].call > sum.sized[i - 1].call);
    for (int call = 0; (uint64_t)call < sum.sized[MAX_JOB_SIZED - 1].call; call++) {
        uint64_t wanted = 0, found = 0;
        for (int i = 0; i < RANKS; i++)
            for (int k = 0; k < EACH; k++)
                wanted += (i * EACH + k * 7) % 60 == call;
        for (int i = 0; i < MAX_JOB_SIZED; i++)
            for (int k = 0; k < SIZE_BUCKETS && sum.sized[i].call == (uint64_t)call + 1; k++)
                found += sum.sized[i].size[k];
        assert_int_equal(found, wanted);
    }
    for (int i = 0; i < RANKS; i++) {
        free(block[i]);
        free(record[i]);
    }
}

/* ---- times of calls */

/* Each number of ticks is in one class, of which neighbours touch, and none is wider than a quarter of where
 * it begins. */
static void classes_of_times(void **unused)
{
    (void)unused;
    for (uint64_t ticks = 0; ticks < 8; ticks++) {
        assert_int_equal(time_class(ticks), ticks);
        assert_int_equal(time_class_begin((int)ticks), ticks);
    }
    for (int k = 1; k < TIME_CLASSES; k++) {
        uint64_t begin = time_class_begin(k), before = time_class_begin(k - 1);
        assert_true(begin > before);
        assert_int_equal(time_class(begin), k);
        assert_int_equal(time_class(begin - 1), k - 1);
        assert_true(k < 5 || 4 * (begin - before) <= before);
    }
    assert_int_equal(time_class_begin(12), 16);
    assert_int_equal(time_class_begin(13), 20);
    assert_int_equal(time_class_begin(TIME_CLASSES - 1), UINT64_C(7) << 38);
    assert_int_equal(time_class(UINT64_MAX), TIME_CLASSES - 1);
}

static void took(struct rank_record *record, int thread, enum call call, uint64_t calls, uint64_t ticks)
{
    record->timed = 1;
    record_thread(record, thread)->threads = 1;
    record_call(record_thread(record, thread), call, calls, calls * ticks, 0);
    for (uint64_t i = 0; i < calls; i++)
        thread_time_note(record_times_at(record, thread), (int)call, ticks);
}

static void range_is(const struct job *job, enum call call, double part, double from, double to)
{
    struct job_range range = {-1, -1};
    assert_true(job_time_quantile(job, (int)call, part, &range));
    if (range.from != from || range.to != to)
        fail_msg("%g: %.9g to %.9g, not %.9g to %.9g", part, range.from, range.to, from, to);
}

/* Threads and ranks whose clocks differ: a class is as wide as both need, here ticks of one nanosecond and
 * of half of one. */
static void times_of_calls(void **unused)
{
    (void)unused;
    struct rank_record *record[] = {record_make(0, 2, 0, 1), record_make(1, 2, 0, 1)};
    record[1]->tick_hertz = 2000000000;
    took(record[0], 0, CALL_SEND, 50, 5);
    took(record[1], 1, CALL_SEND, 48, 83);  /* the second one is not the main thread; 80 to 95 ticks */
    took(record[1], 0, CALL_SEND, 2, 3000); /* 2560 to 3071 */
    struct job *job = job_of(record, 2);
    const struct job_times *times = job_times_of(job, CALL_SEND);
    assert_non_null(times);
    for (int k = 0; k < TIME_CLASSES; k++)
        assert_int_equal(times->calls[k], k == time_class(5)      ? 50
                                          : k == time_class(80)   ? 48
                                          : k == time_class(2560) ? 2
                                                                  : 0);
    assert_int_equal(job->tick_hertz, 2000000000);
    assert_int_equal(job->tick_fs, 1000000);
    range_is(job, CALL_SEND, 0, 2.5, 6);
    range_is(job, CALL_SEND, 0.50, 2.5, 6);
    range_is(job, CALL_SEND, 0.51, 40, 96);
    range_is(job, CALL_SEND, 0.98, 40, 96);
    range_is(job, CALL_SEND, 0.99, 1280, 1500); /* the longest one ends the last class */
    range_is(job, CALL_SEND, 1, 1280, 1500);
    assert_null(job_times_of(job, CALL_BCAST));
    struct job_range range;
    assert_false(job_time_quantile(job, CALL_BCAST, 0.5, &range));
    job->tick_fs = 0; /* as of a job without times */
    assert_null(job_times_of(job, CALL_SEND));
    free(job);
    free(record[0]);
    free(record[1]);
}

/* Calls of which it is not known how long they took may be the shortest and the longest. */
static void times_of_some_calls(void **unused)
{
    (void)unused;
    struct rank_record *record = record_make(0, 1, 0, 1);
    took(record, 0, CALL_SEND, 60, 16);
    took(record, 0, CALL_SEND, 30, 64);
    record_call(record_thread(record, 1), CALL_SEND, 10, 10000, 0);
    struct job *job = job_of(&record, 1);
    range_is(job, CALL_SEND, 0.05, 0, 20);
    range_is(job, CALL_SEND, 0.5, 16, 20);
    range_is(job, CALL_SEND, 0.7, 16, 80);
    range_is(job, CALL_SEND, 0.71, 64, 80);
    range_is(job, CALL_SEND, 0.90, 64, 80);
    range_is(job, CALL_SEND, 0.91, 64, 1000);
    range_is(job, CALL_SEND, 1, 64, 1000);
    job->call[CALL_SEND].calls = 89; /* read while another one ended */
    range_is(job, CALL_SEND, 0.5, 16, 20);
    range_is(job, CALL_SEND, 1, 64, 80);
    free(job);
    free(record);
}

/* More calls than there are places for: those of a thread that had none are unknown, and nothing is said
 * of them. The job keeps the same ones in whatever order. */
static void times_without_room(void **unused)
{
    (void)unused;
    enum { KINDS = MAX_TIMED + 3, RANKS = 3 };
    struct rank_record *record = record_make(0, 1, 0, 1), *other[RANKS];
    for (int call = 0; call < KINDS; call++)
        took(record, 0, (enum call)call, 2, 1 << 9);
    struct job *job = job_of(&record, 1), *sum = calloc(1, sizeof *sum), *back = calloc(1, sizeof *back);
    for (int call = 0; call < KINDS; call++) {
        assert_true((job_times_of(job, call) != NULL) == (call < MAX_TIMED));
        if (call < MAX_TIMED)
            assert_int_equal(job_times_of(job, call)->calls[time_class(1 << 9)], 2);
    }
    for (int i = 0; i < RANKS; i++) {
        other[i] = record_make(i, RANKS, 0, 1);
        for (int call = i * 20 + 19; call >= i * 20; call--)
            took(other[i], 0, (enum call)call, 1, 7);
    }
    struct block_names names = names_of(other, RANKS);
    for (int i = 0; i < RANKS; i++) {
        struct job *first = block_of(other[i], &names), *last = block_of(other[RANKS - 1 - i], &names);
        block_merge(sum, first);
        block_merge(back, last);
        free(first);
        free(last);
    }
    assert_memory_equal(sum, back, sizeof *sum);
    for (int i = 0; i < MAX_TIMED; i++)
        assert_int_equal(sum->times[i].call, i + 1);
    for (int i = 0; i < RANKS; i++)
        free(other[i]);
    free(job);
    free(sum);
    free(back);
    free(record);
}

/* Steps are of the longest rank; each rank's bins are spread over them, and no nanosecond is lost. */
static void timelines(void **unused)
{
    (void)unused;
    enum { RANKS = 3 };
    struct rank_record *record[RANKS];
    struct job *block[RANKS], sum, back;
    uint64_t mpi = 0, elapsed = 0, found = 0, found_elapsed = 0;
    for (int i = 0; i < RANKS; i++) {
        record[i] = record_make(i, RANKS, 0, 1);
        record[i]->end = record[i]->begin + (uint64_t)(1000000 - i * 300000);
        struct timeline *timeline = &record[i]->timeline;
        timeline->shift = 11 + (unsigned)i % 2; /* bins of 2 or 4 us: of 1 ms not all are there */
        timeline->n_calls = 1 + JOB_COURSE_CALLS;
        timeline->call[0] = -1;
        for (int place = 0; place < timeline->n_calls; place++) {
            timeline->call[place] = place - 1;
            for (int bin = 0;
                 (uint64_t)bin << timeline->shift < record[i]->end - record[i]->begin && bin < COURSE_BINS;
                 bin += 7) {
                timeline->ticks[place][bin] = (uint64_t)(1 + place + bin % 5);
                mpi += timeline->ticks[place][bin];
            }
        }
        elapsed += record[i]->end - record[i]->begin;
    }
    struct block_names names = names_of(record, RANKS);
    assert_int_equal(names.timeline.step_ns, 5001);
    assert_int_equal(names.timeline.n, JOB_COURSE_CALLS - 1);
    memset(&sum, 0, sizeof sum);
    memset(&back, 0, sizeof back);
    for (int i = 0; i < RANKS; i++)
        block[i] = block_of(record[i], &names);
    for (int i = 0; i < RANKS; i++) {
        block_merge(&sum, block[i]);
        block_merge(&back, block[RANKS - 1 - i]);
    }
    assert_memory_equal(&sum, &back, sizeof sum);
    for (int i = 0; i < COURSE_STEPS; i++) {
        found_elapsed += sum.timeline.elapsed_ns[i];
        for (int k = 0; k < JOB_COURSE_CALLS; k++)
            found += sum.timeline.mpi_ns[k][i];
    }
    assert_int_equal(found, mpi);
    assert_int_equal(found_elapsed, elapsed);
    assert_int_equal(sum.timeline.elapsed_ns[0], 3 * 5001);
    assert_int_equal(sum.timeline.elapsed_ns[150], 5001);
    for (int i = 0; i < RANKS; i++) {
        free(block[i]);
        free(record[i]);
    }
}

/* The same place of the same file is one site wherever it was loaded, and of another build another one. */
static void sites_of_ranks(void **unused)
{
    (void)unused;
    struct rank_record *record[3];
    for (int i = 0; i < 3; i++) {
        uint64_t bias = 0x1000u * (unsigned)(i + 1);
        record[i] = record_make(i, 3, 0, 1);
        int program = record_object(record[i], i == 2 ? "/bin/b" : "/bin/a", bias, "same");
        int library = record_object(record[i], "/lib/l.so", bias * 2, i == 1 ? "new" : "old");
        record_site(record[i], program, bias + 0x77, CALL_SEND, 2, 100 + (uint64_t)i, 10);
        record_site(record[i], program, bias + 0x77, CALL_RECV, 1, 5, 0);
        record_site(record[i], library, bias * 2 + 0x10, CALL_SEND, 1, 50, 1);
        record_site(record[i], -1, 0x7000 + (uint64_t)i, CALL_SEND, 1, 3, 1);
    }
    record_thread(record[1], 0)->site[SITE_PLACES] = (struct call_site){.calls = 4, .ticks = 9, .bytes = 7};
    struct job *job = job_of(record, 3);
    assert_int_equal(job->n_sites, 5);
    int found = 0;
    for (int i = 0; i < job->n_sites; i++) {
        const struct job_site *site = &job->site[i];
        if (site->object < 0) {
            assert_int_equal(site->address, 0);
            assert_int_equal(site->calls, 3);
        } else if (site->address == 0x77 && site->call == CALL_SEND) {
            found++;
            assert_string_equal(job->object[site->object].path, "/bin/a");
            assert_int_equal(site->ranks, 3);
            assert_int_equal(site->calls, 6);
            assert_int_equal(site->ns, 303);
            assert_int_equal(site->bytes, 30);
            assert_int_equal(site->least_ns, 100);
            assert_int_equal(site->least_rank, 0);
            assert_int_equal(site->most_ns, 102);
            assert_int_equal(site->most_rank, 2);
            assert_int_equal(site->longest_ns, 51);
            assert_int_equal(site->longest_rank, 2);
        } else if (site->address == 0x10) {
            found++;
            assert_int_equal(site->calls, memcmp(job->object[site->object].build_id, "new", 3) == 0 ? 1 : 2);
        }
    }
    assert_int_equal(found, 3);
    assert_int_equal(job->other_sites.calls, 4);
    assert_int_equal(job->other_sites.ns, 9);
    assert_int_equal(job->other_sites.most_rank, 1);
    free(job);
    for (int i = 0; i < 3; i++)
        free(record[i]);
}

/* Adds a row to a share. If there are more than there is room for, those with the most time of a rank stay,
 * and the others are together. */
static void share_row(struct rank_record *record, const char *library, const char *routine, uint64_t samples)
{
    struct share_row *row = &record->share.row[record->share.n++];
    snprintf(row->library, sizeof row->library, "%s", library);
    snprintf(row->routine, sizeof row->routine, "%s", routine);
    row->samples = samples;
    record->share.samples += samples;
}

static struct rank_record *sampled(int rank, int ranks, uint64_t counted)
{
    struct rank_record *record = record_make(rank, ranks, 0, 1);
    record->share.state = SHARE_SAMPLED;
    record->share.samples = record->share.counted = counted;
    record->share.mpi = 5;
    return record;
}

/* Shares of four ranks, one of which has no samples. */
static void what_is_not_counted(void **unused)
{
    (void)unused;
    struct rank_record *record[4] = {sampled(0, 4, 900), sampled(1, 4, 500), record_make(2, 4, 0, 1),
                                     sampled(3, 4, 100)};
    record[2]->share.state = SHARE_UNKNOWN;
    share_row(record[0], "/lib/b.so", "read", 60);
    share_row(record[0], "/lib/b.so", "", 40);
    share_row(record[1], "/lib/a.so", "sort", 99);
    share_row(record[1], "/lib/b.so", "read", 1);
    struct job *job = job_of(record, 4);
    const struct job_share *share = &job->share;
    assert_int_equal(share->ranks, 3);
    assert_int_equal(share->unknown, 1);
    assert_int_equal(share->samples, 1700);
    assert_int_equal(share->counted, 1500);
    assert_int_equal(share->mpi, 15);
    assert_int_equal(share->least, 8333); /* 500 of 600 */
    assert_int_equal(share->least_rank, 1);
    assert_int_equal(share->n, 3);
    assert_string_equal(share->row[0].routine, "read"); /* b.so has 101, a.so 99 */
    assert_int_equal(share->row[0].samples, 61);
    assert_string_equal(share->row[1].library, "/lib/b.so");
    assert_int_equal(share->row[1].samples, 40);
    assert_string_equal(share->row[2].routine, "sort");
    free(job);
    for (int i = 0; i < 4; i++)
        free(record[i]);
}

/* More routines than there is room for: the same stay, with the same sums, in whatever order. */
static void shares_merge_in_any_order(void **unused)
{
    (void)unused;
    enum { RANKS = 3 };
    struct rank_record *record[RANKS], *turned[RANKS];
    char name[16];
    for (int rank = 0; rank < RANKS; rank++) {
        record[rank] = turned[RANKS - 1 - rank] = sampled(rank, RANKS, 10);
        for (int i = 0; i < MAX_SHARES; i++) {
            snprintf(name, sizeof name, "f%d", i + 7 * rank);
            share_row(record[rank], "library", name, (uint64_t)(1 + (i * 11 + rank * 5) % 29));
        }
    }
    struct job *one = job_of(record, RANKS), *other = job_of(turned, RANKS);
    assert_int_equal(one->share.n, MAX_SHARES);
    assert_memory_equal(&one->share, &other->share, sizeof one->share);
    assert_int_equal(one->share.least_rank, other->share.least_rank);
    free(one);
    free(other);
    for (int rank = 0; rank < RANKS; rank++)
        free(record[rank]);
}

static void sites_merge_in_any_order(void **unused)
{
    (void)unused;
    enum { RANKS = 40, EACH = 30 };
    static struct site_names own[RANKS], left, right;
    struct rank_record *record[RANKS];
    uint64_t calls = 0;
    for (int i = 0; i < RANKS; i++) {
        char path[32];
        record[i] = record_make(i, RANKS, 0, 1);
        for (int k = 0; k < EACH; k++) {
            unsigned random = (unsigned)(i * 7919 + k * 104729);
            snprintf(path, sizeof path, "/lib/%d", k % 2 == 0 ? 0 : i);
            int object = k < 2 ? record_object(record[i], path, 0, "") : k % 2;
            record_site(record[i], object, 1 + random % 977, CALL_SEND, 1, 1 + random % 10007, 0);
        }
        site_names_of(&own[i], record[i]);
    }
    for (int i = 0; i < RANKS; i++)
        site_names_merge(&left, &own[i]);
    for (int i = 0; i < RANKS; i += 4) {
        struct site_names part = own[(i + 13) % RANKS];
        for (int k = 1; k < 4; k++)
            site_names_merge(&part, &own[(i + 13 + k) % RANKS]);
        site_names_merge(&part, &right);
        right = part;
    }
    assert_memory_equal(&left, &right, sizeof left);
    assert_int_equal(left.n, MAX_JOB_SITES);
    assert_int_equal(left.n_objects, MAX_JOB_OBJECTS);
    struct job *job = job_of(record, RANKS);
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < job->n_sites; i++) {
        calls += job->site[i].calls;
        least = job->site[i].most_ns < least ? job->site[i].most_ns : least;
    }
    assert_int_equal(calls + job->other_sites.calls, RANKS * EACH);
    assert_true(job->other_sites.calls > 0);
    assert_in_range(job->other_sites.longest_ns, 1, least);
    free(job);
    for (int i = 0; i < RANKS; i++)
        free(record[i]);
}

/* Each on its own, and equal ones: the lower rank is named whatever the order is. */
static void ties(void **unused)
{
    (void)unused;
    struct rank_record *record[5];
    struct job *block[5], sum, back;
    for (int i = 0; i < 5; i++) {
        record[i] = record_make(i, 5, 0, 1);
        record_call(record_thread(record[i], 0), CALL_BARRIER, 3, 3000, 0);
        visit(record[i], "r", 50, 0);
    }
    struct block_names names = names_of(record, 5);
    for (int i = 0; i < 5; i++) {
        block[i] = block_of(record[i], &names);
        block[i]->complaint.ranks = i > 1;
        block[i]->complaint.rank = i > 1 ? (uint64_t)i : 0;
        snprintf(block[i]->complaint.text, COMPLAINT_LENGTH, i > 1 ? "rank %d says" : "", i);
    }
    memset(&sum, 0, sizeof sum);
    memset(&back, 0, sizeof back);
    for (int i = 0; i < 5; i++) {
        block_merge(&sum, block[i]);
        block_merge(&back, block[4 - i]);
    }
    assert_memory_equal(&sum, &back, sizeof sum);
    assert_int_equal(sum.call[CALL_BARRIER].most_rank, 0);
    assert_int_equal(sum.call[CALL_BARRIER].longest_rank, 0);
    assert_int_equal(sum.region[0].least_rank, 0);
    assert_int_equal(sum.region[0].most_rank, 0);
    assert_int_equal(sum.complaint.ranks, 3);
    assert_int_equal(sum.complaint.rank, 2);
    assert_string_equal(sum.complaint.text, "rank 2 says");
    for (int i = 0; i < 5; i++) {
        free(block[i]);
        free(record[i]);
    }
}

/* ---- waiting for the last one */

/* Ranks are late in turn, by 1000 times what the call itself takes, which is 10 on the last one and 12 on the
 * others. */
static void meet(struct rank_record *const *record, int ranks, int n)
{
    for (int i = 0; i < n; i++)
        for (int rank = 0; rank < ranks; rank++)
            meetings_note(&record[rank]->meetings, i % 2 ? CALL_BARRIER : CALL_ALLREDUCE,
                          i % ranks == rank ? 10 : 10012);
}

static void waiting_for_the_last_one(void **unused)
{
    (void)unused;
    struct rank_record *record[] = {record_make(0, 3, 0, 1), record_make(1, 3, 0, 1),
                                    record_make(2, 3, 0, 1)};
    meet(record, 3, 30);
    struct job *job = job_of(record, 3);
    assert_int_equal(job->meetings, 30);
    assert_int_equal(job->met_ns, 30 * (10 + 2 * 10012));
    assert_int_equal(job->awaited_ns, 30 * 2 * 10002);
    free(job);
    record[1]->tick_hertz = 500000000; /* its clock is slower: it is the one that is longer in each call */
    job = job_of(record, 3);
    assert_int_equal(job->met_ns, 30 * (10 + 2 * 10012) * 4 / 3);
    assert_int_equal(job->awaited_ns, job->met_ns - 3 * (20 * 10 + 10 * 20));
    free(job);
    record[1]->tick_hertz = 1000000000;
    meetings_note(&record[2]->meetings, CALL_BARRIER, 10); /* one that the others did not make */
    job = job_of(record, 3);
    assert_int_equal(job->meetings, 0);
    assert_int_equal(job->awaited_ns, 0);
    free(job);
    meetings_note(&record[0]->meetings, CALL_BARRIER, 10);
    meetings_note(&record[1]->meetings, CALL_ALLREDUCE, 10); /* or another one at the same place */
    job = job_of(record, 3);
    assert_int_equal(job->meetings, 0);
    for (int i = 0; i < 3; i++)
        free(record[i]);
    free(job);
}

/* More calls than have room: every second one takes long. Whatever is kept, it is near half of each. */
static void more_meetings_than_places(void **unused)
{
    (void)unused;
    static struct meetings all;
    for (uint64_t n = 1; n <= 3000000; n++) {
        meetings_note(&all, CALL_BARRIER, n % 2 ? 1 : 1001);
        if (n % 9973 != 0 || n < MEETINGS)
            continue;
        uint64_t odd = 0;
        for (uint32_t i = 0; i < all.kept; i++) {
            assert_true(all.number[i] < n && (i == 0 || all.number[i] > all.number[i - 1]));
            assert_int_equal(all.took[i], all.number[i] % 2 ? 1001 : 1);
            odd += all.number[i] % 2;
        }
        assert_in_range(all.kept, MEETINGS / 3, MEETINGS);
        assert_in_range(100 * odd, 45 * (uint64_t)all.kept, 55 * (uint64_t)all.kept);
    }
    assert_int_equal(all.n, 3000000);
    assert_int_equal(all.ticks, 1500000 * (uint64_t)1002);
}

static void meetings_merge_in_any_order(void **unused)
{
    (void)unused;
    static struct meeting_names names[4], left, right, pair;
    struct rank_record *record[] = {record_make(0, 4, 0, 1), record_make(1, 4, 0, 1), record_make(2, 4, 0, 1),
                                    record_make(3, 4, 0, 1)};
    for (int different = 0; different < 2; different++) {
        meet(record, 4, 5000);
        if (different)
            meetings_note(&record[2]->meetings, CALL_BARRIER, 10);
        for (int i = 0; i < 4; i++)
            meeting_names_of(&names[i], record[i]);
        memset(&left, 0, sizeof left);
        for (int i = 0; i < 4; i++)
            meeting_names_merge(&left, &names[i]);
        right = names[3];
        pair = names[2];
        meeting_names_merge(&pair, &names[0]);
        meeting_names_merge(&right, &pair);
        meeting_names_merge(&right, &names[1]);
        meeting_names_merge(&right, &(struct meeting_names){0});
        assert_memory_equal(&left, &right, sizeof left);
        assert_int_equal(left.state, different ? MEETINGS_DIFFER : MEETINGS_AGREE);
    }
    for (int i = 0; i < 4; i++)
        free(record[i]);
}

static void sums_stop_at_the_largest_number(void **unused)
{
    (void)unused;
    struct rank_record *record[3];
    for (int i = 0; i < 3; i++) {
        record[i] = record_make(i, 3, 0, 1);
        record_thread(record[i], 0)->call[CALL_SEND] =
            (struct call_totals){.calls = 1, .ticks = 1, .bytes = UINT64_MAX / 2 + 1, .longest = 1};
    }
    struct job *job = job_of(record, 3);
    assert_true(job->call[CALL_SEND].bytes == UINT64_MAX);
    assert_int_equal(job->call[CALL_SEND].calls, 3);
    free(job);
    for (int i = 0; i < 3; i++)
        free(record[i]);
}

/* ---- efficiencies */

static struct job *job_of_useful(const uint64_t *useful, const int *node, int n, uint64_t elapsed)
{
    struct job *job = calloc(1, sizeof *job);
    assert_non_null(job);
    for (int i = 0; i < n; i++) {
        metric_add(&job->metric[METRIC_USEFUL], useful[i], (uint64_t)i);
        metric_add(&job->metric[METRIC_ELAPSED], elapsed, (uint64_t)i);
    }
    for (int first = 0; first < n; first++) {
        uint64_t sum = 0, ranks = 0;
        for (int i = 0; i < n; i++) {
            sum += node[i] == node[first] ? useful[i] : 0;
            ranks += node[i] == node[first];
        }
        if (first == 0 || node[first] != node[first - 1])
            metric_add(&job->metric[METRIC_NODE_USEFUL], sum / ranks, (uint64_t)first);
    }
    return job;
}

static void near(double found, double expected)
{
    if (!(fabs(found - expected) < 1e-12))
        fail_msg("%.17g, not %.17g", found, expected);
}

static void efficiencies(void **unused)
{
    (void)unused;
    /* Rank 0 does twice the work of the other. */
    struct job *job = job_of_useful((const uint64_t[]){1000, 500}, (const int[]){0, 0}, 2, 1000);
    struct efficiency two = job_efficiency(job);
    near(two.load_balance, 0.75);
    near(two.in_nodes, 0.75);
    near(two.across_nodes, 1);
    near(two.communication, 1);
    near(two.parallel, 0.75);
    free(job);
    /* Two nodes: means 900 and 300, of a longest 1000 in a time of 1250. */
    job = job_of_useful((const uint64_t[]){1000, 800, 400, 200}, (const int[]){0, 0, 1, 1}, 4, 1250);
    struct efficiency four = job_efficiency(job);
    near(four.load_balance, 0.6);
    near(four.in_nodes, 0.9);
    near(four.across_nodes, 600.0 / 900);
    near(four.communication, 0.8);
    near(four.parallel, 0.48);
    near(four.parallel, four.load_balance * four.communication);
    near(four.load_balance, four.in_nodes * four.across_nodes);
    free(job);
    /* Nothing to divide by. */
    job = calloc(1, sizeof *job);
    struct efficiency none = job_efficiency(job);
    assert_true(isnan(none.parallel) && isnan(none.load_balance) && isnan(none.communication));
    free(job);
    job = job_of_useful((const uint64_t[]){0, 0}, (const int[]){0, 0}, 2, 1000);
    none = job_efficiency(job);
    assert_true(none.parallel == 0 && none.communication == 0);
    assert_true(isnan(none.load_balance) && isnan(none.in_nodes) && isnan(none.across_nodes));
    free(job);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rank_that_did_nothing),
        cmocka_unit_test(calls_and_threads),
        cmocka_unit_test(ticks_are_no_nanoseconds),
        cmocka_unit_test(paused_time),
        cmocka_unit_test(messages),
        cmocka_unit_test(many_partners),
        cmocka_unit_test(unfinished),
        cmocka_unit_test(senseless_numbers),
        cmocka_unit_test(what_ranks_add_up_to),
        cmocka_unit_test(counters_of_rank_0),
        cmocka_unit_test(frequency_of_a_rank),
        cmocka_unit_test(figures_of_a_node),
        cmocka_unit_test(regions_of_all_ranks),
        cmocka_unit_test(calls_in_regions),
        cmocka_unit_test(more_region_calls_than_places),
        cmocka_unit_test(regions_have_efficiencies),
        cmocka_unit_test(more_regions_than_places),
        cmocka_unit_test(names_merge_in_any_order),
        cmocka_unit_test(timelines),
        cmocka_unit_test(matrices),
        cmocka_unit_test(received_by_matrix),
        cmocka_unit_test(received_by_calls),
        cmocka_unit_test(sizes_of_calls),
        cmocka_unit_test(classes_of_times),
        cmocka_unit_test(times_of_calls),
        cmocka_unit_test(times_of_some_calls),
        cmocka_unit_test(times_without_room),
        cmocka_unit_test(sites_of_ranks),
        cmocka_unit_test(sites_merge_in_any_order),
        cmocka_unit_test(what_is_not_counted),
        cmocka_unit_test(calls_by_communicator),
        cmocka_unit_test(communicators_merge_in_any_order),
        cmocka_unit_test(shares_merge_in_any_order),
        cmocka_unit_test(waiting_for_the_last_one),
        cmocka_unit_test(more_meetings_than_places),
        cmocka_unit_test(meetings_merge_in_any_order),
        cmocka_unit_test(ties),
        cmocka_unit_test(sums_stop_at_the_largest_number),
        cmocka_unit_test(efficiencies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
