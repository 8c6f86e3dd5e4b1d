/* SPDX-License-Identifier: BSD-3-Clause */
#include "job/block.h"

#include <stdlib.h>
#include <string.h>

static int finished(const struct rank_record *record)
{
    int state = atomic_load(&record->state);
    return state == RANK_FINALIZED || state == RANK_IN_REPORT;
}

/* ---- the row */

static int compare(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static void count_messages(struct job_row *row, const struct thread_record *thread, const int *members,
                           int n_members)
{
    for (int i = 0; i < MAX_PEERS; i++) {
        const struct peer *peer = &thread->peer[i];
        if (peer->messages == 0)
            continue;
        block_add(&row->value[METRIC_SENT_MESSAGES], peer->messages);
        block_add(&row->value[METRIC_SENT_BYTES], peer->bytes);
        if (bsearch(&peer->rank, members, (size_t)n_members, sizeof *members, compare) == NULL)
            block_add(&row->value[METRIC_SENT_AWAY_BYTES], peer->bytes);
    }
    block_add(&row->value[METRIC_SENT_MESSAGES], thread->other_messages);
    block_add(&row->value[METRIC_SENT_BYTES], thread->other_bytes);
    block_add(&row->value[METRIC_SENT_MESSAGES], thread->outside_messages);
    block_add(&row->value[METRIC_SENT_BYTES], thread->outside_bytes);
}

static void count_partners(struct job_row *row, const struct partners *partners)
{
    row->partners = partners->more ? MAX_PEERS : partners->n;
    row->busiest_peer = -1;
    for (int i = 0; i < partners->n; i++) {
        const struct peer *peer = &partners->peer[i];
        int more = peer->bytes > row->busiest_bytes;
        if (peer->messages > 0 && (row->busiest_peer < 0 || more ||
                                   (peer->bytes == row->busiest_bytes && peer->rank < row->busiest_peer))) {
            row->busiest_peer = peer->rank;
            row->busiest_bytes = peer->bytes;
        }
    }
}

static void count_threads(struct job_row *row, const struct rank_record *record, const int *members,
                          int n_members)
{
    struct partners partners;
    for (int i = 0; i < record_thread_count(record); i++) {
        const struct thread_record *thread = record_thread_at(record, i);
        if (thread->threads == 0)
            continue;
        row->threads = thread->threads < (uint32_t)(INT32_MAX - row->threads)
                           ? row->threads + (int32_t)thread->threads
                           : INT32_MAX;
        block_add(&row->value[METRIC_MPI_CALLS], thread->calls);
        block_add(&row->value[METRIC_COLLECTIVE_BYTES], thread->started_bytes);
        if (record->nodes > 1) /* to ranks that the thread had no room for: taken for those far away */
            block_add(&row->value[METRIC_SENT_AWAY_BYTES], thread->other_bytes);
        for (int call = 0; call < CALL_COUNT; call++) {
            if (call_class[call] == CALLS_COLLECTIVE)
                block_add(&row->value[METRIC_COLLECTIVE_BYTES], thread->call[call].bytes);
            if (call_class[call] == CALLS_FILE)
                block_add(&row->value[METRIC_FILE_BYTES], thread->call[call].bytes);
        }
        count_messages(row, thread, members, n_members);
    }
    partners_of(&partners, record);
    count_partners(row, &partners);
}

/* What MPI_Pcontrol(0) left out. */
static uint64_t paused(const struct rank_record *record, uint64_t end)
{
    uint64_t since = atomic_load(&record->paused_since), ticks = atomic_load(&record->paused);
    if (since != 0 && end > since)
        block_add(&ticks, end - since);
    return ticks < end - record->begin ? ticks : end - record->begin;
}

/* The call that the main thread is in counts until the end: a rank that waits in vain waits in MPI. */
static void count_time(struct job_row *row, const struct rank_record *record)
{
    uint64_t end = record_last_moment(record), mpi = 0;
    if (record->main_thread >= 0 && record->main_thread < record_thread_count(record)) {
        const struct thread_record *thread = record_thread_at(record, record->main_thread);
        mpi = thread->mpi_ticks;
        if (!finished(record) && thread->inside >= 0) {
            row->inside = thread->inside;
            mpi += end > thread->since ? end - thread->since : 0;
        }
    }
    row->value[METRIC_ELAPSED] = block_nanoseconds(record, end - record->begin - paused(record, end));
    row->value[METRIC_MPI_TIME] = block_nanoseconds(record, mpi);
    if (row->value[METRIC_MPI_TIME] < row->value[METRIC_ELAPSED])
        row->value[METRIC_USEFUL] = row->value[METRIC_ELAPSED] - row->value[METRIC_MPI_TIME];
}

_Static_assert(METRIC_INVOLUNTARY_SWITCHES - METRIC_CPU_USER == USAGE_INVOLUNTARY_SWITCHES - USAGE_CPU_USER &&
                   METRIC_PEAK_MEMORY - METRIC_CPU_USER == USAGE_PEAK_MEMORY && USAGE_COUNT == 7,
               "both have the same order");

/* Where the record has a counter of the job; -1: nowhere. */
static int counter_named(const struct rank_record *record, const char *name)
{
    for (int i = 0; i < record->n_counters && i < MAX_COUNTERS; i++)
        if (strncmp(record->counter_name[i], name, COUNTER_NAME) == 0)
            return i;
    return -1;
}

/* The same for its count. One that was lost has a part of it, which says less than none; one of the node has
 * another rank. */
static int counter_at(const struct rank_record *record, const char *name)
{
    int i = counter_named(record, name);
    uint32_t elsewhere = record->node_rank > 0 ? record->node_counters : 0;
    return i >= 0 && (record->lost | elsewhere) & 1u << i ? -1 : i;
}

/* A counter that went down is one of the few that can; a sum over ranks of its differences says nothing. */
static uint64_t positive(int64_t value)
{
    return value > 0 ? (uint64_t)value : 0;
}

static void count_counters(struct job_row *row, const struct rank_record *record,
                           const struct block_names *names)
{
    for (int i = 0; i < names->n_counters; i++) {
        int at = counter_at(record, names->counter_name[i]);
        uint64_t *whole = &row->value[METRIC_FIXED + i];
        uint64_t *outside = &row->value[METRIC_FIXED + MAX_COUNTERS + i];
        *whole = at >= 0 ? positive(record->counter[at]) : ROW_NONE;
        *outside = at >= 0 && record->counters_inside && !(record->undivided & 1u << at)
                       ? positive(record->counter[at] - record->counter_mpi[at])
                       : ROW_NONE;
    }
}

/* Their work is not known where they had tasks. */
static void count_teams(struct job_row *row, const struct rank_record *record)
{
    const struct teams *teams = &record->teams;
    int32_t source = atomic_load(&teams->source);
    uint64_t capacity = atomic_load(&teams->capacity), work = 0, most = 0;
    for (int i = METRIC_TEAM_TIME; i <= METRIC_TEAM_MOST; i++)
        row->value[i] = ROW_NONE;
    if (source != TEAMS_OMPT && source != TEAMS_GOMP)
        return;
    row->value[METRIC_TEAM_TIME] = block_nanoseconds(record, atomic_load(&teams->ticks));
    row->value[METRIC_TEAM_THREADS] = atomic_load(&teams->threads);
    if (atomic_load(&teams->tasks))
        return;
    for (int i = 0; i < MAX_TEAM; i++) {
        uint64_t one = atomic_load(&teams->work[i]);
        block_add(&work, one);
        most = one > most ? one : most;
    }
    work = work < capacity ? work : capacity;
    row->value[METRIC_TEAM_WORK] = block_nanoseconds(record, work);
    row->value[METRIC_TEAM_IDLE] = block_nanoseconds(record, capacity - work);
    row->value[METRIC_TEAM_MOST] = block_nanoseconds(record, most);
}

void row_of_record(struct job_row *row, const struct rank_record *record, const struct block_names *names,
                   const int *members, int n_members)
{
    memset(row, 0, sizeof *row);
    row->rank = (uint64_t)record->rank;
    row->node = (uint64_t)record->node;
    memcpy(row->host, record->host, sizeof row->host - 1);
    row->pid = record->pid;
    row->state = atomic_load(&record->state);
    row->inside = -1;
    count_threads(row, record, members, n_members);
    count_time(row, record);
    memcpy(&row->value[METRIC_CPU_USER], record->used, USAGE_COUNT * sizeof *record->used);
    count_counters(row, record, names);
    count_teams(row, record);
    uint64_t frequency = block_frequency(record);
    row->value[METRIC_FREQUENCY] = frequency > 0 ? frequency : ROW_NONE;
    row->memory_limit = record->memory_limit;
    for (int i = 0; i < METRIC_FIXED; i++)
        if (job_is_of_node(i))
            row->value[i] = ROW_NONE;
}

/* ---- the block */

static void add_calls(struct job *block, const struct rank_record *record)
{
    uint64_t rank = (uint64_t)record->rank;
    for (int i = 0; i < CALL_COUNT; i++) {
        struct job_call *call = &block->call[i];
        uint64_t ticks = 0, longest = 0;
        for (int t = 0; t < record_thread_count(record); t++) {
            const struct call_totals *totals = &record_thread_at(record, t)->call[i];
            block_add(&call->calls, totals->calls);
            block_add(&call->bytes, totals->bytes);
            block_add(&ticks, totals->ticks);
            longest = totals->longest > longest ? totals->longest : longest;
            if (t == record->main_thread)
                call->main_ns = block_nanoseconds(record, totals->ticks);
        }
        if (call->calls == 0)
            continue;
        call->ranks = 1;
        call->ns = call->most_ns = block_nanoseconds(record, ticks);
        call->longest_ns = block_nanoseconds(record, longest);
        call->longest_rank = call->most_rank = rank;
    }
}

/* The place of a rank's region; -1: there is none, not even that of the others. */
static int region_place(const struct block_names *names, const char *name)
{
    int others = -1;
    for (int i = 0; i < names->n_regions && name[0] != '\0'; i++) {
        if (strncmp(names->region_name[i], name, REGION_NAME - 1) == 0)
            return i;
        if (strcmp(names->region_name[i], OTHER_REGIONS) == 0)
            others = i;
    }
    return others;
}

static int is_open(const struct thread_record *thread, int region)
{
    for (int i = 0; i < thread->n_open && i < MAX_OPEN; i++) {
        if (thread->open[i].region == region)
            return 1;
    }
    return 0;
}

/* Adds one of the rank's regions to a region of the job. */
static void add_region(struct job_region *region, const struct rank_record *record, int at,
                       const struct block_names *names)
{
    uint64_t ticks = 0, mpi_ticks = 0;
    for (int t = 0; t < record_thread_count(record); t++) {
        const struct thread_record *thread = record_thread_at(record, t);
        const struct region_totals *totals = &thread->region[at];
        if (thread->threads == 0)
            continue;
        block_add(&region->visits, totals->visits);
        block_add(&ticks, totals->ticks);
        block_add(&mpi_ticks, totals->mpi_ticks);
        if (is_open(thread, at))
            region->open = 1;
        for (int i = 0; i < names->n_counters; i++) {
            int counter = counter_at(record, names->counter_name[i]);
            if (counter >= 0)
                block_add(&region->counter[i], positive(totals->counter[counter]));
        }
    }
    block_add(&region->ns, block_nanoseconds(record, ticks));
    block_add(&region->mpi_ns, block_nanoseconds(record, mpi_ticks));
}

/* Several of the rank's regions can be in the place of the others. */
static void add_regions(struct job *block, const struct rank_record *record, const struct block_names *names)
{
    for (int at = 0; at < record->n_regions && at < MAX_REGIONS; at++) {
        int place = region_place(names, record->region_name[at]);
        if (place < 0)
            continue;
        if (strcmp(names->region_name[place], OTHER_REGIONS) == 0)
            block->regions_left_out++;
        add_region(&block->region[place], record, at, names);
    }
    for (int i = 0; i < names->n_regions; i++) {
        struct job_region *region = &block->region[i];
        if (region->visits == 0 && region->open == 0) {
            memset(region, 0, sizeof *region);
            continue;
        }
        region->ranks = 1;
        region->least_ns = region->most_ns = region->ns;
        region->least_rank = region->most_rank = (uint64_t)record->rank;
    }
}

/* Those that were lost later as well. */
static int same_counters(const struct rank_record *record, const struct block_names *names)
{
    for (int i = 0; i < names->n_counters; i++) {
        if (counter_named(record, names->counter_name[i]) < 0)
            return 0;
    }
    return record->n_counters == names->n_counters;
}

static void add_threads(struct job *block, const struct rank_record *record)
{
    uint64_t calls = 0;
    for (int t = 0; t < record_thread_count(record); t++) {
        const struct thread_record *thread = record_thread_at(record, t);
        if (thread->threads == 0)
            continue;
        block_add(&calls, thread->calls);
        if (t != record->main_thread)
            block_add(&block->other_thread_calls, thread->calls);
        for (int i = 0; i < SIZE_BUCKETS; i++) {
            block_add(&block->sent[i], thread->sent[i]);
            block_add(&block->collective[i], thread->collective[i]);
        }
    }
    uint128 ticks = (uint128)calls * record->overhead;
    block->overhead_ns = block_nanoseconds(record, ticks > UINT64_MAX ? UINT64_MAX : (uint64_t)ticks);
}

void block_of_record(struct job *block, const struct rank_record *record, const struct block_names *names,
                     const struct job_row *row)
{
    memset(block, 0, sizeof *block);
    block->present = 1;
    block->unfinished = !finished(record);
    block->threads = (uint64_t)row->threads;
    block->multiplexed = record->multiplexed != 0;
    block->different = !same_counters(record, names);
    block->lost = record->lost != 0;
    block->crowded = record->crowded != 0;
    block->doubtful = record->doubtful != 0;
    block->path_ranks = record->path_state != PATH_OFF;
    block->path_lost = record->path_state == PATH_LOST;
    block->path_missed = record->path_missed;
    block->task_ranks = atomic_load(&record->teams.tasks) != 0;
    block->path = record->path;
    block->paused_ns = block_nanoseconds(record, paused(record, record_last_moment(record)));
    for (int i = 0; i < METRIC_COUNT; i++) {
        int counter = (i - METRIC_FIXED) % MAX_COUNTERS;
        int has = i < METRIC_FIXED || counter < names->n_counters;
        if (has && row->value[i] != ROW_NONE)
            metric_add(&block->metric[i], row->value[i], row->rank);
    }
    add_threads(block, record);
    add_calls(block, record);
    add_regions(block, record, names);
    block_add_messages(block, record, names);
    block_add_timeline(block, record, &names->timeline);
    block_add_sites(block, record, &names->sites);
    block_add_share(block, record, &names->shares);
}

/* ----------------------------------------------------------------------------------- figures of a node */

/* ---- how fast the processors ran */

static int cycles_of(const struct rank_record *record)
{
    static const char *const names[] = {"PAPI_TOT_CYC", "perf::CYCLES", "perf::PERF_COUNT_HW_CPU_CYCLES"};
    for (int wanted = 0; wanted < 3; wanted++)
        for (int i = 0; i < record->n_counters && i < MAX_COUNTERS; i++)
            if (strncmp(record->counter_name[i], names[wanted], COUNTER_NAME) == 0)
                return i;
    return -1;
}

/* Cycles are counted in the program, not in the kernel. The kernel divides a short time roughly. */
uint64_t block_frequency(const struct rank_record *record)
{
    const uint64_t least = 100000000; /* nanoseconds */
    uint64_t time = record->used[USAGE_CPU_USER];
    int at = cycles_of(record);
    if (record->emulated)
        return 0;
    if (at < 0 || record->lost & 1u << at || record->counter[at] <= 0 || time < least)
        return record->frequency;
    return (uint64_t)((uint128)record->counter[at] * 1000000000u / time);
}

/* ---- figures of nodes */

void node_add(struct node_sums *sums, const struct job_row *row)
{
    uint64_t frequency = row->value[METRIC_FREQUENCY];
    sums->ranks++;
    block_add(&sums->useful, row->value[METRIC_USEFUL]);
    block_add(&sums->memory, row->value[METRIC_PEAK_MEMORY]);
    if (frequency == ROW_NONE)
        return;
    sums->measured++;
    block_add(&sums->frequency, frequency);
}

void node_figures(const struct node_sums *sums, struct job_row *first)
{
    if (sums->ranks == 0)
        return;
    first->value[METRIC_NODE_USEFUL] = sums->useful / sums->ranks;
    first->value[METRIC_NODE_MEMORY] = sums->memory;
    if (sums->measured > 0)
        first->value[METRIC_NODE_FREQUENCY] = sums->frequency / sums->measured;
    if (first->memory_limit > 0)
        first->value[METRIC_NODE_MEMORY_LIMIT] = first->memory_limit;
}
