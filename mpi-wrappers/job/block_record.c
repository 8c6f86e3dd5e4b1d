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

/* Starts of persistent collective calls are among the calls that are point to point. */
static void count_received(struct job_row *row, const struct thread_record *thread)
{
    uint64_t messages = 0;
    for (int call = 0; call < CALL_COUNT; call++) {
        if (call_class[call] == CALLS_POINT_TO_POINT || call_class[call] == CALLS_COMPLETION)
            block_add(&messages, thread->received[call]);
        if (call_class[call] == CALLS_COLLECTIVE)
            block_add(&row->value[METRIC_COLLECTIVE_RECEIVED_BYTES], thread->received[call]);
    }
    uint64_t started = thread->started_received < messages ? thread->started_received : messages;
    block_add(&row->value[METRIC_COLLECTIVE_RECEIVED_BYTES], started);
    block_add(&row->value[METRIC_RECEIVED_BYTES], messages - started);
    block_add(&row->value[METRIC_RECEIVED_MESSAGES], thread->received_messages);
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
        count_received(row, thread);
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

/* Time that MPI_Pcontrol(0) left out. */
static uint64_t paused(const struct rank_record *record, uint64_t end)
{
    uint64_t ticks = record_paused(record, end);
    return ticks < end - record->begin ? ticks : end - record->begin;
}

/* The library's own time in the calls of a thread, which is neither in MPI nor useful. */
static uint64_t own_ticks(const struct rank_record *record, const struct thread_record *thread)
{
    uint128 ticks = (uint128)thread->calls * record->overhead;
    uint64_t more = thread->own_ticks > 0 ? (uint64_t)thread->own_ticks : 0;
    uint64_t less = thread->own_ticks < 0 ? -(uint64_t)thread->own_ticks : 0;
    ticks = ticks + more > less ? ticks + more - less : 0;
    return ticks > UINT64_MAX ? UINT64_MAX : (uint64_t)ticks;
}

static const struct thread_record *main_of(const struct rank_record *record)
{
    return record->main_thread >= 0 && record->main_thread < record_thread_count(record)
               ? record_thread_at(record, record->main_thread)
               : NULL;
}

/* The call that the main thread of a rank is in that did not end well is in its totals: ending_close. */
static struct rank_times times_of_main(const struct rank_record *record, uint64_t end)
{
    const struct thread_record *thread = main_of(record);
    struct rank_times times = {.all = block_nanoseconds(record, end - record->begin - paused(record, end))};
    times.mpi = thread != NULL ? block_nanoseconds(record, thread->mpi_ticks) : 0;
    uint64_t other = thread != NULL ? block_nanoseconds(record, own_ticks(record, thread)) : 0;
    block_add(&other, times.mpi);
    times.useful = other < times.all ? times.all - other : 0;
    return times;
}

static uint64_t less(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

/* The library's own time in a call is in mpi_ticks, but for a main thread that came to the end, and what it
 * takes around a call in the processor time between them. */
static void add_thread(struct rank_times *times, const struct rank_record *record,
                       const struct thread_record *thread)
{
    struct thread_time time = record_thread_time(thread);
    uint64_t inside = thread->calls * record->inside, own = own_ticks(record, thread);
    if (!(finished(record) && thread == main_of(record)))
        time.mpi = less(time.mpi, inside);
    block_add(&times->useful, block_nanoseconds(record, less(time.on, less(own, inside))));
    block_add(&times->mpi, block_nanoseconds(record, time.mpi));
    block_add(&times->all, block_nanoseconds(record, own));
    block_add(&times->blocked, block_nanoseconds(record, time.off));
}

struct rank_times block_times(const struct rank_record *record, uint64_t until, bool of_threads)
{
    struct rank_times times = {0, 0, 0, 0};
    if (!of_threads)
        return times_of_main(record, until);
    for (int i = 0; i < record_thread_count(record); i++)
        if (record_thread_at(record, i)->threads > 0)
            add_thread(&times, record, record_thread_at(record, i));
    block_add(&times.all, times.useful);
    block_add(&times.all, times.mpi);
    return times;
}

static bool of_threads(const struct rank_record *record)
{
    return record_is_of_threads(record, record_last_moment(record));
}

static void count_time(struct job_row *row, const struct rank_record *record)
{
    uint64_t end = record_last_moment(record);
    struct rank_times times = block_times(record, end, of_threads(record));
    const struct thread_record *main = main_of(record);
    if (!finished(record) && main != NULL && main->inside >= 0)
        row->inside = main->inside;
    row->value[METRIC_ELAPSED] = block_nanoseconds(record, end - record->begin - paused(record, end));
    row->value[METRIC_MPI_TIME] = times.mpi;
    row->value[METRIC_USEFUL] = times.useful;
    row->value[METRIC_THREADS_TIME] = times.all;
}

/* ---- rates */

/* The calls of these classes that moved what nobody counted. */
static uint64_t uncounted_in(const struct rank_record *record, unsigned classes)
{
    uint64_t n = 0;
    for (int t = 0; t < record_thread_count(record); t++)
        for (int i = 0; i < CALL_COUNT; i++)
            if (classes & 1u << call_class[i])
                block_add(&n, record_thread_at(record, t)->uncounted[i]);
    return n;
}

/* So many times a value for each nanosecond, to the nearest whole number. */
static uint64_t rate(uint64_t value, uint64_t times, uint64_t ns)
{
    if (value == ROW_NONE || ns == 0)
        return ROW_NONE;
    uint128 whole = ((uint128)value * times + ns / 2) / ns;
    return whole < INT64_MAX ? (uint64_t)whole : INT64_MAX;
}

/* A rate of a part of the messages would be taken for that of all. */
static void count_rates(struct job_row *row, const struct rank_record *record)
{
    const uint64_t second = 1000000000;
    uint64_t ns = row->value[METRIC_ELAPSED];
    bool sent = uncounted_in(record, 1u << CALLS_POINT_TO_POINT) == 0;
    bool received = sent && uncounted_in(record, 1u << CALLS_COMPLETION) == 0;
    row->value[METRIC_SENT_RATE] = rate(sent ? row->value[METRIC_SENT_BYTES] : ROW_NONE, second, ns);
    row->value[METRIC_MESSAGE_RATE] =
        rate(sent ? row->value[METRIC_SENT_MESSAGES] : ROW_NONE, 1000 * second, ns);
    row->value[METRIC_RECEIVED_RATE] =
        rate(received ? row->value[METRIC_RECEIVED_BYTES] : ROW_NONE, second, ns);
}

_Static_assert(METRIC_INVOLUNTARY_SWITCHES - METRIC_CPU_USER == USAGE_INVOLUNTARY_SWITCHES - USAGE_CPU_USER &&
                   METRIC_PEAK_MEMORY - METRIC_CPU_USER == USAGE_PEAK_MEMORY && USAGE_COUNT == 7,
               "both have the same order");

/* Index of a counter of the job in the record; -1: it is not there. */
static int counter_named(const struct rank_record *record, const char *name)
{
    for (int i = 0; i < record->n_counters && i < MAX_COUNTERS; i++)
        if (strncmp(record->counter_name[i], name, COUNTER_NAME) == 0)
            return i;
    return -1;
}

/* As counter_named, but -1 also if the rank has no valid count of its own: the counter was lost, of which a
 * partial count would mislead, or it is the node's, which another rank has. */
static int counter_at(const struct rank_record *record, const char *name)
{
    int i = counter_named(record, name);
    uint32_t elsewhere = record->node_rank > 0 ? record->node_counters : 0;
    return i >= 0 && (record->lost | elsewhere) & 1u << i ? -1 : i;
}

/* A difference as an unsigned count. A negative one, which few counters can have, is counted as 0: its sum
 * over ranks would have no meaning. */
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

/* Puts the figures of OpenMP's teams into the row. The threads' work is not known where they had tasks. */
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
    if (!record->counts_received)
        row->value[METRIC_RECEIVED_MESSAGES] = row->value[METRIC_RECEIVED_BYTES] = ROW_NONE;
    count_rates(row, record);
}

/* ---- the block */

static void add_calls(struct job *block, const struct rank_record *record)
{
    uint64_t rank = (uint64_t)record->rank;
    bool all_threads = of_threads(record);
    for (int i = 0; i < CALL_COUNT; i++) {
        struct job_call *call = &block->call[i];
        uint64_t ticks = 0, longest = 0;
        for (int t = 0; t < record_thread_count(record); t++) {
            const struct call_totals *totals = &record_thread_at(record, t)->call[i];
            block_add(&call->calls, totals->calls);
            block_add(&call->bytes, totals->bytes);
            block_add(&call->received_bytes, record_thread_at(record, t)->received[i]);
            block_add(&call->uncounted, record_thread_at(record, t)->uncounted[i]);
            block_add(&ticks, totals->ticks);
            longest = totals->longest > longest ? totals->longest : longest;
            if (t == record->main_thread)
                call->main_ns = block_nanoseconds(record, totals->ticks);
        }
        if (call->calls == 0)
            continue;
        call->ranks = 1;
        if (call_receives[i] && !record->counts_received)
            call->received_bytes = NOT_KNOWN;
        if (call_uncounted[i] || call->uncounted > call->calls)
            call->uncounted = call->calls;
        call->ns = call->most_ns = block_nanoseconds(record, ticks);
        if (all_threads)
            call->main_ns = call->ns;
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

enum region_times block_region_times(const struct rank_record *record, bool of_threads)
{
    if (!of_threads)
        return TIMES_MAIN;
    for (int t = 0; t < record_thread_count(record); t++) {
        const struct thread_record *thread = record_thread_at(record, t);
        bool enters = thread->n_open > 0;
        for (int i = 0; i < MAX_REGIONS && !enters; i++)
            enters = thread->region[i].visits > 0;
        if (enters && thread->threads > 0 && !record_is_main(record, thread))
            return TIMES_OWN;
    }
    return TIMES_MEANWHILE;
}

void block_add_thread(struct job_region *region, const struct rank_record *record,
                      const struct thread_record *thread, const struct region_totals *totals,
                      enum region_times times, bool has_main)
{
    uint64_t ticks = totals->ticks > totals->paused ? totals->ticks - totals->paused : 0;
    uint64_t useful = ticks > totals->mpi_ticks ? ticks - totals->mpi_ticks : 0;
    const struct thread_time *used = times == TIMES_OWN ? &totals->own : &totals->used;
    bool counts =
        record_is_main(record, thread) || times == TIMES_OWN || (times == TIMES_MEANWHILE && !has_main);
    if (totals->visits == 0 || !counts)
        return;
    if (times != TIMES_MAIN) {
        ticks = used->on + used->mpi;
        useful = used->on;
    }
    region->main_ranks = 1;
    block_add(&region->main_ns, block_nanoseconds(record, ticks));
    block_add(&region->useful_ns, block_nanoseconds(record, useful));
    block_add(&region->path_ns, totals->path_ns);
}

/* Adds one of the rank's regions to a region of the job. */
static void add_region(struct job_region *region, const struct rank_record *record, int at,
                       const struct block_names *names)
{
    uint64_t ticks = 0, mpi_ticks = 0;
    enum region_times times = block_region_times(record, of_threads(record));
    bool main_was = main_of(record) != NULL && main_of(record)->region[at].visits > 0;
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
        block_add_thread(region, record, thread, totals, times, main_was);
        for (int i = 0; i < names->n_counters; i++) {
            int counter = counter_at(record, names->counter_name[i]);
            if (counter >= 0)
                block_add(&region->counter[i], positive(totals->counter[counter]));
        }
    }
    if (region->visits > 0 && !main_was) /* counters are read where the main thread enters and leaves */
        for (int i = 0; i < names->n_counters; i++)
            region->counter[i] = NOT_KNOWN;
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
        block_add_region_calls(block, record, at, place);
        block_add_region_devices(&block->region[place], record, at);
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
        region->most_main_ns = region->main_ns;
        region->most_useful_ns = region->useful_ns;
        region->most_main_rank = region->most_useful_rank = (uint64_t)record->rank;
    }
}

/* True if the record has the job's counters, including those that were lost later. */
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
    uint64_t own = 0, tested = 0;
    for (int t = 0; t < record_thread_count(record); t++) {
        const struct thread_record *thread = record_thread_at(record, t);
        if (thread->threads == 0)
            continue;
        block_add(&own, own_ticks(record, thread));
        block_add(&tested, thread->tested_ticks);
        if (t != record->main_thread)
            block_add(&block->other_thread_calls, thread->calls);
        for (int i = 0; i < SIZE_BUCKETS; i++) {
            block_add(&block->sent[i], thread->sent[i]);
            block_add(&block->collective[i], thread->collective[i]);
        }
    }
    if (of_threads(record)) {
        block->thread_ranks = 1;
        block->blocked_ns = block_times(record, record_last_moment(record), true).blocked;
    }
    block->openmp_ranks = record->openmp != 0;
    block->overhead_ns = block_nanoseconds(record, own);
    block->tested_ns = block_nanoseconds(record, tested);
}

void block_of_record(struct job *block, const struct rank_record *record, const struct block_names *names,
                     const struct job_row *row)
{
    block->present = 1;
    block->unfinished = !finished(record);
    block->threads = (uint64_t)row->threads;
    block->multiplexed = record->multiplexed != 0;
    block->different = !same_counters(record, names);
    block->lost = record->lost != 0;
    block->crowded = record->crowded != 0;
    block->spawned = record->spawned != 0;
    for (int i = 0; i < CALL_COUNT; i++)
        if (call_is_in(record->unseen, i))
            call_put_in(block->unseen, i), block->unseen_ranks = 1;
    block->doubtful = record->doubtful != 0;
    block->path_ranks = record->path_state != PATH_OFF;
    block->path_lost = record->path_state == PATH_LOST;
    block->path_missed = record->path_missed;
    block->task_ranks = atomic_load(&record->teams.tasks) != 0;
    block->path = record->path;
    block->operations_left = atomic_load(&record->operations_left);
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
    block_add_devices(block, record);
    block_add_messages(block, record, names);
    block_add_timeline(block, record, &names->timeline);
    block_add_sites(block, record, &names->sites);
    block_add_share(block, record, &names->shares);
    block_add_meetings(block, record, &names->meetings);
    if (record->timed)
        block_add_times(block, record);
    if (record->by_comm)
        block_add_comms(block, record);
}

/* ---- figures of a node */

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

void node_add_regions(struct node_regions *sums, const struct job_region *region, int n)
{
    for (int i = 0; i < n; i++) {
        block_add(&sums->ranks[i], region[i].main_ranks);
        block_add(&sums->useful[i], region[i].useful_ns);
    }
}

void node_region_figures(const struct node_regions *sums, struct job_region *region, int n)
{
    for (int i = 0; i < n; i++)
        if (sums->ranks[i] > 0)
            region[i].node_useful_ns = sums->useful[i] / sums->ranks[i];
}

/* ---- code that is not counted */

static int by_name(const void *a, const void *b)
{
    const struct share_row *left = a, *right = b;
    int library = strncmp(left->library, right->library, SHARE_LIBRARY);
    return library != 0 ? library : strncmp(left->routine, right->routine, SHARE_ROUTINE);
}

/* Compares two shares: of those with as many samples the first by its name stays. */
static int most_first(const void *a, const void *b)
{
    const struct share_row *left = a, *right = b;
    int samples = (left->samples < right->samples) - (left->samples > right->samples);
    return samples != 0 ? samples : by_name(a, b);
}

static int limited(int n)
{
    return n < 0 ? 0 : n > MAX_SHARES ? MAX_SHARES : n;
}

/* A text, and zeros behind it: equal names are equal bytes. */
static void copy(struct share_row *to, const struct share_row *from)
{
    memset(to, 0, sizeof *to);
    memcpy(to->library, from->library, strnlen(from->library, SHARE_LIBRARY - 1));
    memcpy(to->routine, from->routine, strnlen(from->routine, SHARE_ROUTINE - 1));
    to->samples = from->samples;
}

/* Sorted by name, each once with the most samples that it has anywhere. */
static int unite(struct share_row *row, int n)
{
    int last = -1;
    qsort(row, (size_t)n, sizeof *row, by_name);
    for (int i = 0; i < n; i++)
        if (last < 0 || by_name(&row[last], &row[i]) != 0)
            row[++last] = row[i];
        else if (row[i].samples > row[last].samples)
            row[last].samples = row[i].samples;
    return last + 1;
}

static void keep(struct share_names *names, struct share_row *row, int n)
{
    memset(names, 0, sizeof *names);
    n = unite(row, n);
    if (n > MAX_SHARES) {
        qsort(row, (size_t)n, sizeof *row, most_first);
        n = MAX_SHARES;
        qsort(row, (size_t)n, sizeof *row, by_name);
    }
    names->n = n;
    memcpy(names->row, row, (size_t)n * sizeof *row);
}

void share_names_of(struct share_names *names, const struct rank_record *record)
{
    struct share_row row[MAX_SHARES];
    int n = record->share.state == SHARE_SAMPLED ? limited(record->share.n) : 0;
    for (int i = 0; i < n; i++)
        copy(&row[i], &record->share.row[i]);
    keep(names, row, n);
}

void share_names_merge(struct share_names *into, const struct share_names *from)
{
    struct share_row row[2 * MAX_SHARES];
    int n = limited(into->n), more = limited(from->n);
    memcpy(row, into->row, (size_t)n * sizeof *row);
    memcpy(row + n, from->row, (size_t)more * sizeof *row);
    keep(into, row, n + more);
}

/* ---- figures */

static uint64_t parts(uint64_t counted, uint64_t samples)
{
    return samples > 0 && counted < samples ? (uint64_t)((uint128)counted * 10000 / samples) : 10000;
}

void block_add_share(struct job *block, const struct rank_record *record, const struct share_names *names)
{
    const struct share *from = &record->share;
    struct job_share *to = &block->share;
    to->unknown = from->state == SHARE_UNKNOWN;
    if (from->state != SHARE_SAMPLED)
        return;
    to->ranks = 1;
    to->samples = from->samples;
    to->counted = from->counted < from->samples ? from->counted : from->samples;
    to->mpi = from->mpi;
    to->least = parts(to->counted, to->samples);
    to->least_rank = (uint64_t)record->rank;
    for (int i = 0; i < limited(from->n); i++) {
        const struct share_row *place =
            bsearch(&from->row[i], names->row, (size_t)names->n, sizeof *names->row, by_name);
        if (place != NULL)
            block_add(&to->row[place - names->row].samples, from->row[i].samples);
    }
}

void block_merge_share(struct job_share *into, const struct job_share *from)
{
    if (from->ranks > 0)
        block_merge_fields(into, from, job_share_fields, into->ranks == 0);
    else
        block_add(&into->unknown, from->unknown);
    for (int i = 0; i < MAX_SHARES; i++)
        block_add(&into->row[i].samples, from->row[i].samples);
}

static uint64_t of_library(const struct job_share *share, const char *library)
{
    uint64_t sum = 0;
    for (int i = 0; i < share->n; i++)
        if (strcmp(share->row[i].library, library) == 0)
            block_add(&sum, share->row[i].samples);
    return sum;
}

static int by_library(const void *a, const void *b, void *of)
{
    const struct share_row *left = a, *right = b;
    uint64_t mine = of_library(of, left->library), other = of_library(of, right->library);
    int library = strcmp(left->library, right->library);
    if (mine != other)
        return mine < other ? 1 : -1;
    return library != 0 ? library : most_first(a, b);
}

void block_name_share(struct job_share *share, const struct share_names *names)
{
    share->n = limited(names->n);
    for (int i = 0; i < share->n; i++) {
        uint64_t samples = share->row[i].samples;
        copy(&share->row[i], &names->row[i]);
        share->row[i].samples = samples;
    }
    struct job_share *same = malloc(sizeof *same); /* sums are not taken of what is being sorted */
    if (same == NULL)
        return;
    *same = *share;
    qsort_r(share->row, (size_t)share->n, sizeof *share->row, by_library, same);
    free(same);
}

/* ---- the timeline */

/* ---- what all ranks have to agree on */

static uint64_t elapsed(const struct rank_record *record)
{
    return block_nanoseconds(record, record_last_moment(record) - record->begin);
}

/* The main thread's ticks in a place of the record and a bin. The last calls of a rank that died are in its
 * totals only, and are added here. */
static uint64_t ticks_of(const struct rank_record *record, int place, int bin)
{
    const struct timeline *timeline = &record->timeline;
    const struct thread_record *main = record_thread_at(record, record->main_thread);
    int call = timeline->call[place];
    uint64_t ticks = timeline->ticks[place][bin];
    if (call >= 0 && call < CALL_COUNT && (uint32_t)bin == timeline->bin &&
        main->call[call].ticks > timeline->settled[call])
        block_add(&ticks, main->call[call].ticks - timeline->settled[call]);
    return ticks;
}

void timeline_names_of(struct timeline_names *names, const struct rank_record *record)
{
    const struct timeline *timeline = &record->timeline;
    memset(names, 0, sizeof *names);
    names->elapsed = elapsed(record);
    for (int place = 1; place < timeline->n_calls && place < COURSE_CALLS; place++) {
        int call = timeline->call[place];
        uint64_t ticks = 0;
        for (int bin = 0; bin < COURSE_BINS; bin++)
            block_add(&ticks, ticks_of(record, place, bin));
        if (call >= 0 && call < CALL_COUNT)
            names->most[call] = block_nanoseconds(record, ticks);
    }
    for (int t = 0; t < record_thread_count(record); t++)
        for (int call = 0; call < CALL_COUNT; call++)
            if (names->most[call] == 0 && record_thread_at(record, t)->call[call].calls > 0)
                names->most[call] = 1;
}

void timeline_names_merge(struct timeline_names *into, const struct timeline_names *from)
{
    into->elapsed = from->elapsed > into->elapsed ? from->elapsed : into->elapsed;
    for (int i = 0; i < CALL_COUNT; i++)
        into->most[i] = from->most[i] > into->most[i] ? from->most[i] : into->most[i];
}

/* The calls in which a rank spent most time; the last place is that of the others. */
void timeline_choose(struct job_timeline_places *places, const struct timeline_names *names)
{
    char taken[CALL_COUNT] = "";
    places->step_ns = names->elapsed / COURSE_STEPS + 1;
    places->n = 0;
    for (int most = 0; most >= 0 && places->n < JOB_COURSE_CALLS - 1;) {
        most = -1;
        for (int i = 0; i < CALL_COUNT; i++)
            if (!taken[i] && names->most[i] > 0 && (most < 0 || names->most[i] > names->most[most]))
                most = i;
        if (most < 0)
            break;
        taken[most] = 1;
        places->call[places->n++] = most;
    }
}

/* ---- figures */

static int place_of(const struct job_timeline_places *places, int call)
{
    for (int i = 0; i < places->n; i++)
        if (places->call[i] == call)
            return i;
    return JOB_COURSE_CALLS - 1;
}

/* Gives each step its part of what happened evenly from one time to another. */
static void distribute(uint64_t step[COURSE_STEPS], uint64_t step_ns, uint64_t from, uint64_t to, uint64_t ns)
{
    uint64_t all = to - from, given = 0;
    for (uint64_t at = from; at < to;) {
        uint64_t i = at / step_ns, end = (i + 1) * step_ns < to ? (i + 1) * step_ns : to;
        uint64_t before = given;
        given = end == to ? ns : (uint64_t)((uint128)ns * (end - from) / all);
        block_add(&step[i < COURSE_STEPS ? i : COURSE_STEPS - 1], given - before);
        at = end;
    }
}

/* The last bin of a rank is not over when the rank ends. */
static void add_bin(struct job_timeline *to, const struct rank_record *record,
                    const struct job_timeline_places *places, int place, int bin)
{
    const struct timeline *timeline = &record->timeline;
    uint64_t from = block_nanoseconds(record, (uint64_t)bin << timeline->shift);
    uint64_t end = block_nanoseconds(record, ((uint64_t)bin + 1) << timeline->shift), last = elapsed(record);
    end = end < last ? end : last;
    from = from < end ? from : end - (end > 0);
    if (end > from)
        distribute(to->mpi_ns[place_of(places, timeline->call[place])], places->step_ns, from, end,
                   block_nanoseconds(record, ticks_of(record, place, bin)));
}

void block_add_timeline(struct job *block, const struct rank_record *record,
                        const struct job_timeline_places *places)
{
    const struct timeline *timeline = &record->timeline;
    if (places->step_ns == 0 || timeline->shift > 48)
        return;
    distribute(block->timeline.elapsed_ns, places->step_ns, 0, elapsed(record), elapsed(record));
    for (int place = 0; place < timeline->n_calls && place < COURSE_CALLS; place++)
        for (int bin = 0; bin < COURSE_BINS; bin++)
            if (ticks_of(record, place, bin) > 0)
                add_bin(&block->timeline, record, places, place, bin);
}

void block_merge_timeline(struct job *into, const struct job *from)
{
    for (int i = 0; i < COURSE_STEPS; i++) {
        block_add(&into->timeline.elapsed_ns[i], from->timeline.elapsed_ns[i]);
        for (int k = 0; k < JOB_COURSE_CALLS; k++)
            block_add(&into->timeline.mpi_ns[k][i], from->timeline.mpi_ns[k][i]);
    }
}
