/* SPDX-License-Identifier: BSD-3-Clause */
#include "job/job.h"

#include "base/array.h"
#include "job/timeline_file.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define FOR_EACH_COUNTER(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11)
#define ONE(i) +1
_Static_assert(FOR_EACH_COUNTER(ONE) == MAX_COUNTERS, "every counter has its keys");
#undef ONE

#define METRIC(id, key, name, unit) {key, name, unit},
#define WHOLE(i) "counter." #i,
#define OUTSIDE(i) "outside_mpi." #i,
static const struct {
    const char *key, *name, *unit;
} fixed[METRIC_FIXED] = {JOB_METRICS(METRIC)};
static const char *const counter_keys[] = {FOR_EACH_COUNTER(WHOLE) FOR_EACH_COUNTER(OUTSIDE)};

// clang-format off
#define FIELD(type, name, merge) {#name, merge, offsetof(struct type, name), false}
#define LATER(type, name, merge) {#name, merge, offsetof(struct type, name), true}
const struct job_field job_fields[] = {
    FIELD(job, ranks, MERGE_NOT), FIELD(job, nodes, MERGE_NOT), FIELD(job, present, MERGE_SUM),
    FIELD(job, unfinished, MERGE_SUM), FIELD(job, threads, MERGE_MOST), FIELD(job, multiplexed, MERGE_SUM),
    FIELD(job, different, MERGE_SUM), LATER(job, lost, MERGE_SUM), LATER(job, doubtful, MERGE_SUM), LATER(job, crowded, MERGE_SUM), LATER(job, spawned, MERGE_SUM), LATER(job, unseen_ranks, MERGE_SUM),
    LATER(job, comm_ranks, MERGE_SUM), LATER(job, path_ranks, MERGE_SUM), LATER(job, path_lost, MERGE_SUM), LATER(job, path_missed, MERGE_SUM), LATER(job, task_ranks, MERGE_SUM),
    LATER(job, paused_ns, MERGE_SUM), LATER(job, meetings, MERGE_MOST),
    LATER(job, met_ns, MERGE_SUM), LATER(job, awaited_ns, MERGE_SUM), FIELD(job, overhead_ns, MERGE_SUM), LATER(job, tested_ns, MERGE_SUM),
    LATER(job, tick_hertz, MERGE_MOST), LATER(job, tick_fs, MERGE_MOST),
    FIELD(job, other_thread_calls, MERGE_SUM), LATER(job, thread_ranks, MERGE_SUM), LATER(job, blocked_ns, MERGE_SUM),
    LATER(job, openmp_ranks, MERGE_SUM), FIELD(job, regions_left_out, MERGE_MOST), LATER(job, operations_left, MERGE_MOST), {.key = NULL}};
const struct job_field job_call_fields[] = {
    FIELD(job_call, calls, MERGE_SUM), FIELD(job_call, ns, MERGE_SUM), FIELD(job_call, bytes, MERGE_SUM),
    FIELD(job_call, ranks, MERGE_SUM), FIELD(job_call, longest_ns, MERGE_MOST_OF),
    FIELD(job_call, longest_rank, MERGE_NOT), FIELD(job_call, most_ns, MERGE_MOST_OF),
    FIELD(job_call, most_rank, MERGE_NOT), LATER(job_call, main_ns, MERGE_SUM), LATER(job_call, uncounted, MERGE_SUM), {.key = NULL}};
const struct job_field job_received_fields[] = {LATER(job_call, received_bytes, MERGE_SUM), {.key = NULL}};
const struct job_field job_region_fields[] = {
    FIELD(job_region, ranks, MERGE_SUM), FIELD(job_region, visits, MERGE_SUM),
    FIELD(job_region, open, MERGE_SUM), FIELD(job_region, ns, MERGE_SUM), FIELD(job_region, mpi_ns, MERGE_SUM),
    FIELD(job_region, least_ns, MERGE_LEAST_OF), FIELD(job_region, least_rank, MERGE_NOT),
    FIELD(job_region, most_ns, MERGE_MOST_OF), FIELD(job_region, most_rank, MERGE_NOT),
    LATER(job_region, main_ranks, MERGE_SUM), LATER(job_region, main_ns, MERGE_SUM),
    LATER(job_region, useful_ns, MERGE_SUM), LATER(job_region, path_ns, MERGE_MOST),
    LATER(job_region, most_main_ns, MERGE_MOST_OF), LATER(job_region, most_main_rank, MERGE_NOT),
    LATER(job_region, most_useful_ns, MERGE_MOST_OF), LATER(job_region, most_useful_rank, MERGE_NOT),
    LATER(job_region, node_useful_ns, MERGE_MOST), {.key = NULL}};
const struct job_field job_region_device_fields[] = {
    LATER(job_region, device_ranks, MERGE_SUM), LATER(job_region, offload_ns, MERGE_SUM), LATER(job_region, device_kernel_ns, MERGE_SUM),
    LATER(job_region, device_copy_ns, MERGE_SUM), LATER(job_region, most_device_kernel_ns, MERGE_MOST),
    LATER(job_region, most_device_ns, MERGE_MOST), {.key = NULL}};
const struct job_field job_devices_fields[] = {
    FIELD(job, device_ranks, MERGE_SUM), FIELD(job, refused_devices, MERGE_SUM), FIELD(job, unasked_devices, MERGE_SUM),
    FIELD(job, used_devices, MERGE_SUM), FIELD(job, offload_ns, MERGE_SUM), FIELD(job, device_kernel_ns, MERGE_SUM),
    FIELD(job, device_copy_ns, MERGE_SUM), FIELD(job, most_device_kernel_ns, MERGE_MOST), FIELD(job, most_device_ns, MERGE_MOST),
    FIELD(job, device_late_ns, MERGE_SUM), FIELD(job, device_unfinished, MERGE_SUM), FIELD(job, device_dropped, MERGE_SUM), {.key = NULL}};
const struct job_field job_usable_fields[] = {
    FIELD(job, usable_nodes, MERGE_SUM), FIELD(job, usable_devices, MERGE_SUM), FIELD(job, not_told_nodes, MERGE_SUM),
    FIELD(job, unused_devices, MERGE_SUM), FIELD(job, energy_devices, MERGE_SUM), FIELD(job, energy_uj, MERGE_SUM),
    FIELD(job, energy_nodes, MERGE_SUM), {.key = NULL}};
const struct job_field job_node_energy_fields[] = {
    FIELD(job, least_energy_uj, MERGE_LEAST_OF), FIELD(job, least_energy_node, MERGE_NOT),
    FIELD(job, most_energy_uj, MERGE_MOST_OF), FIELD(job, most_energy_node, MERGE_NOT), {.key = NULL}};
const struct job_field job_device_fields[] = {
    FIELD(job_device, node, MERGE_NOT), FIELD(job_device, rank, MERGE_NOT), FIELD(job_device, number, MERGE_NOT), FIELD(job_device, numa, MERGE_NOT),
    FIELD(job_device, ranks, MERGE_SUM), FIELD(job_device, far_ranks, MERGE_SUM), FIELD(job_device, kernel_ns, MERGE_SUM),
    FIELD(job_device, copy_ns, MERGE_SUM), FIELD(job_device, kernels, MERGE_SUM), FIELD(job_device, copies, MERGE_SUM),
    FIELD(job_device, copied_bytes, MERGE_SUM), {.key = NULL}};
const struct job_field job_region_call_fields[] = {
    FIELD(job_region_call, calls, MERGE_SUM), FIELD(job_region_call, ns, MERGE_SUM),
    FIELD(job_region_call, ranks, MERGE_SUM), FIELD(job_region_call, most_ns, MERGE_MOST_OF),
    FIELD(job_region_call, most_rank, MERGE_NOT), {.key = NULL}};
const struct job_field job_site_fields[] = {
    FIELD(job_site, calls, MERGE_SUM), FIELD(job_site, ns, MERGE_SUM), FIELD(job_site, bytes, MERGE_SUM),
    FIELD(job_site, ranks, MERGE_SUM), FIELD(job_site, longest_ns, MERGE_MOST_OF),
    FIELD(job_site, longest_rank, MERGE_NOT), FIELD(job_site, least_ns, MERGE_LEAST_OF),
    FIELD(job_site, least_rank, MERGE_NOT), FIELD(job_site, most_ns, MERGE_MOST_OF),
    FIELD(job_site, most_rank, MERGE_NOT), {.key = NULL}};
const struct job_field job_comm_fields[] = {
    FIELD(job_comm, communicators, MERGE_SUM), FIELD(job_comm, least_size, MERGE_NOT), FIELD(job_comm, most_size, MERGE_MOST),
    FIELD(job_comm, calls, MERGE_SUM), FIELD(job_comm, ns, MERGE_SUM), FIELD(job_comm, bytes, MERGE_SUM),
    FIELD(job_comm, ranks, MERGE_SUM), FIELD(job_comm, most_ns, MERGE_MOST_OF), FIELD(job_comm, most_rank, MERGE_NOT),
    {.key = NULL}};
const struct job_field job_late_fields[] = {
    FIELD(job_late, late_senders, MERGE_NOT), FIELD(job_late, late_sender_ns, MERGE_NOT),
    FIELD(job_late, late_receivers, MERGE_NOT), FIELD(job_late, late_receiver_ns, MERGE_NOT), {.key = NULL}};
const struct job_field job_neighbor_fields[] = {
    FIELD(job_neighbor, ranks, MERGE_SUM), FIELD(job_neighbor, messages, MERGE_SUM),
    FIELD(job_neighbor, bytes, MERGE_SUM), FIELD(job_neighbor, most_bytes, MERGE_MOST_OF),
    FIELD(job_neighbor, most_rank, MERGE_NOT), {.key = NULL}};
const struct job_field job_share_fields[] = {
    FIELD(job_share, ranks, MERGE_SUM), FIELD(job_share, unknown, MERGE_SUM), FIELD(job_share, samples, MERGE_SUM),
    FIELD(job_share, counted, MERGE_SUM), FIELD(job_share, mpi, MERGE_SUM), FIELD(job_share, least, MERGE_LEAST_OF),
    FIELD(job_share, least_rank, MERGE_NOT), {.key = NULL}};
const struct job_field job_cell_fields[] = {
    FIELD(job_cell, messages, MERGE_SUM), FIELD(job_cell, bytes, MERGE_SUM), {.key = NULL}};
// clang-format on

static int counter_of(int metric)
{
    return (metric - METRIC_FIXED) % MAX_COUNTERS;
}

const char *job_metric_name(const struct job *job, int metric)
{
    return metric < METRIC_FIXED ? fixed[metric].name : job->counter_name[counter_of(metric)];
}

const char *job_metric_unit(const struct job *job, int metric)
{
    return metric < METRIC_FIXED ? fixed[metric].unit : job->counter_units[counter_of(metric)];
}

int job_has_metric(const struct job *job, int metric)
{
    if (metric == METRIC_THREADS_TIME)
        return job->thread_ranks > 0;
    if (metric < METRIC_FIXED)
        return metric < METRIC_TEAM_TIME || job->teams != TEAMS_OFF;
    int outside = metric >= METRIC_FIXED + MAX_COUNTERS;
    return counter_of(metric) < job->n_counters && (!outside || job->counters_inside);
}

double job_region_count(const struct job_region *region, int counter)
{
    return region->counter[counter] == NOT_KNOWN ? NAN : (double)region->counter[counter];
}

bool job_is_of_node(int metric)
{
    return metric == METRIC_NODE_USEFUL || metric == METRIC_NODE_FREQUENCY || metric == METRIC_NODE_MEMORY ||
           metric == METRIC_NODE_MEMORY_LIMIT;
}

bool job_in_rows(const struct job *job, int metric)
{
    /* Ranks do not know, as they write their rows, whether others have a time of threads. */
    return (metric == METRIC_NODE_MEMORY_LIMIT || !job_is_of_node(metric)) && metric != METRIC_THREADS_TIME &&
           job_has_metric(job, metric);
}

/* ---- rates */

const int job_rates[JOB_RATES] = {METRIC_SENT_RATE, METRIC_RECEIVED_RATE, METRIC_MESSAGE_RATE};

bool job_is_rate(int metric)
{
    return metric == METRIC_SENT_RATE || metric == METRIC_RECEIVED_RATE || metric == METRIC_MESSAGE_RATE;
}

double job_rate(const struct job *job, int metric)
{
    const struct metric *elapsed = &job->metric[METRIC_ELAPSED];
    int of = metric == METRIC_SENT_RATE       ? METRIC_SENT_BYTES
             : metric == METRIC_RECEIVED_RATE ? METRIC_RECEIVED_BYTES
                                              : METRIC_SENT_MESSAGES;
    if (job->metric[metric].count == 0 || job->metric[metric].count < elapsed->count ||
        elapsed->largest[0].value == 0)
        return NAN;
    return metric_sum(&job->metric[of]) / (1e-9 * (double)elapsed->largest[0].value);
}

static double speed(double bytes, uint64_t ns)
{
    return ns > 0 ? bytes / (1e-9 * (double)ns) : NAN;
}

struct job_speed job_call_speed(const struct job *job, int call)
{
    const struct job_call *of = &job->call[call];
    bool sends = call_transfers[call] & TRANSFER_SENDS, receives = call_transfers[call] & TRANSFER_RECEIVES;
    if (of->uncounted > 0)
        return (struct job_speed){NAN, NAN};
    return (struct job_speed){
        sends ? speed((double)of->bytes, of->ns) : NAN,
        receives && of->received_bytes != NOT_KNOWN ? speed((double)of->received_bytes, of->ns) : NAN};
}

double job_site_speed(const struct job *job, const struct job_site *site)
{
    if (site->call < 0 || job->call[site->call].uncounted > 0 ||
        !(call_transfers[site->call] & TRANSFER_SENDS))
        return NAN;
    return speed((double)site->bytes, site->ns);
}

const char *job_metric_key(int metric)
{
    if (metric < 0 || metric >= METRIC_COUNT)
        return NULL;
    return metric < METRIC_FIXED ? fixed[metric].key : counter_keys[metric - METRIC_FIXED];
}

const char *job_state_key(int state)
{
    // clang-format off
    static const char *const names[] = {
        [RANK_RUNS] = "runs", [RANK_FINALIZED] = "finalized", [RANK_ABORTS] = "aborts", [RANK_EXITS] = "exits",
        [RANK_IN_REPORT] = "finalized"};
    // clang-format on
    return state >= RANK_RUNS && state <= RANK_IN_REPORT ? names[state] : "unknown";
}

int job_metric_of(const struct job *job, const char *key)
{
    for (int i = 0; i < METRIC_COUNT; i++)
        if (job_has_metric(job, i) && strcmp(job_metric_key(i), key) == 0)
            return i;
    return -1;
}

int job_state_of(const char *key)
{
    for (int state = RANK_RUNS; state <= RANK_EXITS; state++)
        if (strcmp(job_state_key(state), key) == 0)
            return state;
    return 0;
}

/* The factors of the POP model. P ranks, E the longest elapsed time, U a rank's useful time:
 *   parallel = sum(U) / (P * E) = load balance * communication
 *   load balance = mean(U) / max(U) = in nodes * across nodes
 *   communication = max(U) / E
 *   serialisation = max(U) / I, transfer = I / E; I is the longest chain of useful time, which is how long
 * the job takes where messages take no time. Ranks begin at almost the same time: a chain may come out longer
 * than E by that. across nodes = mean(U) / max over the nodes of their mean(U), in nodes = that maximum /
 * max(U) In nodes is what the busiest node says of itself: with nodes of the same size the two factors are
 * those of a tree of nodes and ranks. */
struct efficiency job_efficiency_of(const struct efficiency_times *times)
{
    struct efficiency result = {.all = {NAN, NAN, NAN, NAN, NAN, NAN, NAN}};
    /* Clocks that are read one after the other may be apart by less than a microsecond. */
    double ideal = times->ideal > 0 ? fmin(fmax(times->ideal, times->most), times->longest) : 0;
    if (!(times->longest > 0))
        return result;
    result.parallel = times->mean / times->longest;
    result.communication = times->most / times->longest;
    if (times->most > 0)
        result.load_balance = times->mean / times->most;
    if (times->most > 0 && times->node_most > 0) {
        result.in_nodes = times->node_most / times->most;
        result.across_nodes = times->mean / times->node_most;
    }
    if (ideal > 0) {
        result.serialisation = times->most / ideal;
        result.transfer = ideal / times->longest;
    }
    return result;
}

/* The main thread says nothing of a rank whose other threads call MPI: it may wait for them in a
 * join all the time, which looks like work. Of short calls, such as one of a helper thread at the end, it
 * still does. Ranks whose times are those of all threads have none of it here. */
bool job_is_of_threads(const struct job *job)
{
    const double most = 0.01;
    return job->other_thread_calls > 0 &&
           job_thread_ns(job) > most * metric_sum(&job->metric[METRIC_ELAPSED]);
}

double job_thread_ns(const struct job *job)
{
    double ns = 0;
    for (int i = 0; i < CALL_COUNT; i++)
        ns += (double)(job->call[i].ns - job->call[i].main_ns);
    return ns;
}

static const struct metric *time_of(const struct job *job)
{
    return &job->metric[job->thread_ranks > 0 ? METRIC_THREADS_TIME : METRIC_ELAPSED];
}

bool job_polls_in_threads(const struct job *job)
{
    const double most = 0.01;
    return job->thread_ranks > 0 && (double)job->tested_ns > most * job_time(job);
}

bool job_has_unseen(const struct job *job)
{
    return job->unseen_ranks > 0;
}

/* True if it is not known which of the time is useful. */
static bool useful_is_unknown(const struct job *job)
{
    return job_is_of_threads(job) || job_polls_in_threads(job) || job_has_unseen(job);
}

double job_time(const struct job *job)
{
    return metric_sum(time_of(job));
}

double job_whole_time(const struct job *job)
{
    const struct metric *time = time_of(job);
    return (double)time->count * (double)time->largest[0].value;
}

double job_end_wait(const struct job *job)
{
    bool known = job->thread_ranks == 0 && job->paused_ns == 0 && job->unfinished == 0 && !job->recovered;
    return known ? job_whole_time(job) - job_time(job) : 0;
}

struct efficiency job_efficiency(const struct job *job)
{
    const struct metric *useful = &job->metric[METRIC_USEFUL], *node = &job->metric[METRIC_NODE_USEFUL];
    double longest = (double)time_of(job)->largest[0].value;
    return job_efficiency_of(
        &(struct efficiency_times){.mean = metric_mean(useful),
                                   .most = (double)useful->largest[0].value,
                                   .node_most = node->count > 0 ? (double)node->largest[0].value : 0,
                                   .longest = useful->count > 0 && !useful_is_unknown(job) ? longest : 0,
                                   .ideal = job_path_missing(job) == NULL ? (double)job->path.ns : 0});
}

struct efficiency job_region_efficiency(const struct job *job, const struct job_region *region)
{
    return job_efficiency_of(&(struct efficiency_times){
        .mean = region->main_ranks > 0 ? (double)region->useful_ns / (double)region->main_ranks : 0,
        .most = (double)region->most_useful_ns,
        .node_most = (double)region->node_useful_ns,
        .longest = useful_is_unknown(job) ? 0 : (double)region->most_main_ns,
        .ideal = job_path_missing(job) == NULL ? (double)region->path_ns : 0});
}

const char *const job_efficiency_keys[EFFICIENCIES] = {
    "parallel", "load_balance", "in_nodes", "across_nodes", "communication", "serialisation", "transfer"};

const char *const job_matrix_keys[] = {[MATRIX_NONE] = "none",
                                       [MATRIX_BY_RANK] = "rank",
                                       [MATRIX_BY_NODE] = "node",
                                       [MATRIX_BY_RANKS] = "ranks"};

const char *const job_teams_keys[] = {
    [TEAMS_OFF] = "off", [TEAMS_NONE] = "none", [TEAMS_OMPT] = "ompt", [TEAMS_GOMP] = "libgomp"};

const char *const job_ending_keys[] = {
    [ENDING_RUNS] = "runs", [ENDING_SIGNAL] = "signal", [ENDING_GONE] = "gone", [ENDING_WAITS] = "finalize"};

const char *const job_comm_keys[COMM_PLACES - MAX_COMMS] = {[COMM_OTHERS - MAX_COMMS] = "others",
                                                            [COMM_WINDOWS - MAX_COMMS] = "windows",
                                                            [COMM_FILES - MAX_COMMS] = "files",
                                                            [COMM_REQUESTS - MAX_COMMS] = "requests",
                                                            [COMM_NONE - MAX_COMMS] = "none"};

const char *job_comm_call(const struct job_comm *comm)
{
    return comm->key != 0 && comm->call >= 0 && comm->call < CALL_COUNT ? call_name[comm->call] : NULL;
}

const char *job_comm_text(const struct job_comm *comm)
{
    const char *call = job_comm_call(comm);
    if (comm->name[0] != '\0')
        return comm->name;
    return call != NULL ? call : job_comm_is_world(comm) ? "MPI_COMM_WORLD" : "MPI_COMM_SELF";
}

bool job_comm_is_world(const struct job_comm *comm)
{
    return (comm->key & COMM_ORDER) == (COMM_KEY_WORLD & COMM_ORDER);
}

bool job_has_comms(const struct job *job)
{
    for (int i = 0; i < MAX_JOB_COMMS; i++)
        if (job->comm[i].calls > 0 && !job_comm_is_world(&job->comm[i]))
            return true;
    return job->comm_rest[COMM_OTHERS - MAX_COMMS].calls > 0;
}

const char *const job_sites_keys[] = {
    [SITES_NONE] = "off", [SITES_CALLS] = "call", [SITES_PROGRAM] = "program"};

struct job_frame *job_add_frame(struct job *job)
{
    if (!ARRAY_GROW(job->frame, job->n_frames))
        return NULL;
    struct job_frame *frame = &job->frame[job->n_frames++];
    memset(frame, 0, sizeof *frame);
    return frame;
}

void job_free(struct job *job)
{
    if (job != NULL) {
        free(job->row);
        free(job->of_rows);
        free(job->calls_of_rows);
        free(job->frame);
        free(job->late);
        timeline_free(job->ring, (size_t)job->n_rings);
        free(job->open);
    }
    free(job);
}

/* ---- the critical path */

bool job_meets_others(const struct job *job)
{
    for (int i = 0; i < CALL_COUNT; i++)
        if (record_meets((enum call)i, job->spawned > 0) && job->call[i].calls > 0)
            return true;
    return false;
}

const char *job_path_missing(const struct job *job)
{
    if (job->path_ranks > 0 && job->thread_ranks > 0)
        return "is that of the main threads, and others call MPI";
    if (job->path_ranks == 0)
        return "was not followed";
    if (job->path_lost > 0)
        return "was lost: a message came of a call that is not followed, or a rank had no memory";
    if (job->path_ranks < job->ranks || job->present < job->ranks || job->unfinished > 0)
        return "is not known of all ranks";
    if (job_meets_others(job))
        return "goes through other jobs, where it is not followed";
    if (job->path_missed > 0)
        return "goes through communicators that are not followed";
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
