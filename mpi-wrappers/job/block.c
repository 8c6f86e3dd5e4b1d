/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Messages of a job: by sizes for each call, from whom to whom, and how they are spread over partners. All
 * are merged over ranks in a tree of any form, so each must be associative and commutative, and of fixed
 * size.
 * The matrix has a row for each rank, node or group of neighbouring ranks (block_names_make), to which sums
 * are added. Partners are sorted by bytes on each rank, and what goes to the k-th largest is summed over
 * ranks, with the extremes: this tells, without names of ranks, whether each rank talks to a few others or to
 * all. Calls with sizes have MAX_JOB_SIZED places, sorted by the call's number; if there are more calls, the
 * places go to the smallest numbers, whatever comes first, since a call that is pushed out would be pushed
 * out in each order of merging.
 */
#include "job/block.h"
#include "job/result_file.h"

#include <stdlib.h>
#include <string.h>

/* ---- names */

enum { PLACES = MAX_REGIONS - 1 };

static int compare(const void *a, const void *b)
{
    return strncmp(a, b, REGION_NAME);
}

static int regions_in(const struct rank_record *record)
{
    int n = record->n_regions;
    return n < 0 ? 0 : n > MAX_REGIONS ? MAX_REGIONS : n;
}

/* Bytes behind the end of the text are zero: equal names are equal bytes. */
static void copy_name(char to[REGION_NAME], const char from[REGION_NAME])
{
    memset(to, 0, REGION_NAME);
    memcpy(to, from, strnlen(from, REGION_NAME - 1));
}

void region_names_of(struct region_names *names, const struct rank_record *record)
{
    memset(names, 0, sizeof *names);
    for (int i = 0; i < regions_in(record); i++) {
        if (record->region_name[i][0] == '\0')
            continue;
        if (strncmp(record->region_name[i], OTHER_REGIONS, REGION_NAME) == 0 || names->n == PLACES)
            names->others = 1;
        else
            copy_name(names->name[names->n++], record->region_name[i]);
    }
    qsort(names->name, (size_t)names->n, REGION_NAME, compare);
}

/* The first names of the union of two sorted lists. */
void region_names_merge(struct region_names *into, const struct region_names *from)
{
    struct region_names merged = {.others = into->others | from->others};
    int i = 0, j = 0;
    while ((i < into->n || j < from->n) && merged.n < PLACES) {
        int order = i == into->n ? 1 : j == from->n ? -1 : compare(into->name[i], from->name[j]);
        memcpy(merged.name[merged.n++], order <= 0 ? into->name[i] : from->name[j], REGION_NAME);
        i += order <= 0;
        j += order >= 0;
    }
    if (i < into->n || j < from->n)
        merged.others = 1;
    *into = merged;
}

static void take_counters(struct block_names *names, const struct rank_record *first)
{
    int n = first->n_counters;
    names->ranks = first->ranks;
    names->n_counters = n < 0 ? 0 : n > MAX_COUNTERS ? MAX_COUNTERS : n;
    names->counters_inside = first->counters_inside != 0;
    names->node_counters = first->node_counters;
    memcpy(names->formulas, first->formulas, sizeof names->formulas - 1);
    for (int i = 0; i < names->n_counters; i++) {
        memcpy(names->counter_name[i], first->counter_name[i], COUNTER_NAME - 1);
        memcpy(names->counter_units[i], first->counter_units[i], sizeof names->counter_units[i] - 1);
    }
}

/* Chooses the rows of the matrix of messages: ranks, nodes, or groups of neighbouring ranks, whatever fits
 * into MATRIX_MOST. In all three cases the row of a rank is rank * n / ranks. */
static void choose_matrix(struct block_names *names, int ranks, int nodes, bool regular)
{
    bool by_node = regular && nodes > 1 && nodes <= MATRIX_MOST;
    names->matrix_by = ranks <= MATRIX_MOST ? MATRIX_BY_RANK : by_node ? MATRIX_BY_NODE : MATRIX_BY_RANKS;
    names->matrix_n = ranks <= MATRIX_MOST ? ranks : by_node ? nodes : MATRIX_MOST;
}

void block_names_make(struct block_names *names, const struct rank_record *first,
                      const struct block_common *common)
{
    const struct region_names *regions = common->regions;
    memset(names, 0, sizeof *names);
    if (first != NULL)
        take_counters(names, first);
    if (first != NULL)
        names->sites_mode = first->sites;
    if (first != NULL)
        names->teams = atomic_load(&first->teams.source);
    if (first != NULL)
        choose_matrix(names, first->ranks, first->nodes, common->regular);
    names->sites = *common->sites;
    names->shares = *common->shares;
    names->meetings = *common->meetings;
    timeline_choose(&names->timeline, common->timeline);
    for (int i = 0; i < CALL_COUNT; i++)
        names->called[i] = common->timeline->most[i] > 0;
    names->timed = common->timed;
    names->n_regions = regions->n;
    memcpy(names->region_name, regions->name, sizeof regions->name);
    if (regions->others)
        memcpy(names->region_name[names->n_regions++], OTHER_REGIONS, sizeof OTHER_REGIONS);
}

/* ---- figures */

void block_merge_fields(void *into, const void *from, const struct job_field *field, bool empty)
{
    for (; field->key != NULL; field++) {
        uint64_t *to = job_place(into, field), value = job_number(from, field);
        if (field->merge == MERGE_SUM)
            block_add(to, value);
        else if (field->merge == MERGE_MOST)
            *to = value > *to ? value : *to;
        if (field->merge != MERGE_MOST_OF && field->merge != MERGE_LEAST_OF)
            continue;
        uint64_t *rank = job_place(into, field + 1), other = job_number(from, field + 1);
        bool most = field->merge == MERGE_MOST_OF;
        if (empty || (most ? value > *to : value < *to) || (value == *to && other < *rank)) {
            *to = value;
            *rank = other;
        }
    }
}

static void merge_complaint(struct job_complaint *into, const struct job_complaint *from)
{
    uint64_t ranks = into->ranks + from->ranks;
    if (from->ranks > 0 && (into->ranks == 0 || from->rank < into->rank))
        *into = *from;
    into->ranks = ranks;
}

void block_merge_figures(struct job *into, const struct job *from)
{
    block_merge_fields(into, from, job_fields, false);
    for (int i = 0; i < CALL_WORDS; i++)
        into->unseen[i] |= from->unseen[i];
    for (int i = 0; i < METRIC_COUNT; i++)
        metric_merge(&into->metric[i], &from->metric[i]);
    for (int i = 0; i < CALL_COUNT; i++)
        if (from->call[i].ranks > 0) {
            block_merge_fields(&into->call[i], &from->call[i], job_received_fields, into->call[i].ranks == 0);
            block_merge_fields(&into->call[i], &from->call[i], job_call_fields, into->call[i].ranks == 0);
        }
    for (int i = 0; i < SIZE_BUCKETS; i++) {
        block_add(&into->sent[i], from->sent[i]);
        block_add(&into->collective[i], from->collective[i]);
    }
    for (int i = 0; i < MAX_REGIONS; i++) {
        struct job_region *region = &into->region[i];
        const struct job_region *other = &from->region[i];
        if (other->node_useful_ns >
            region->node_useful_ns) /* the node's first rank need not have been there */
            region->node_useful_ns = other->node_useful_ns;
        if (other->ranks == 0)
            continue;
        block_merge_fields(region, other, job_region_fields, region->ranks == 0);
        block_merge_fields(region, other, job_region_device_fields, region->ranks == 0);
        for (int c = 0; c < MAX_COUNTERS; c++)
            block_add(&region->counter[c], other->counter[c]);
    }
    block_merge_region_calls(into, from);
    block_merge_devices(into, from);
    block_merge_messages(into, from);
    block_merge_timeline(into, from);
    block_merge_comms(into, from);
    for (int i = 0; i < MAX_JOB_SITES; i++)
        if (from->site[i].ranks > 0)
            block_merge_fields(&into->site[i], &from->site[i], job_site_fields, into->site[i].ranks == 0);
    if (from->other_sites.ranks > 0)
        block_merge_fields(&into->other_sites, &from->other_sites, job_site_fields,
                           into->other_sites.ranks == 0);
    block_merge_share(&into->share, &from->share);
    path_longer(&into->path, &from->path);
    merge_complaint(&into->complaint, &from->complaint);
}

void block_merge(struct job *into, const struct job *from)
{
    block_merge_figures(into, from);
    block_merge_times(into->times, from->times);
}

void job_identify(struct job *job, const struct rank_record *first)
{
    memcpy(job->job, first->job, sizeof job->job - 1);
    memcpy(job->program, first->program, sizeof job->program - 1);
    memcpy(job->command, first->command, sizeof job->command - 1);
    memcpy(job->flavour, first->flavour, sizeof job->flavour - 1);
    memcpy(job->host, first->host, sizeof job->host - 1);
    memcpy(job->counter_reason, first->counter_reason, sizeof job->counter_reason - 1);
    job->started = first->started;
    job->ranks = (uint64_t)first->ranks;
    job->nodes = (uint64_t)first->nodes;
    job->thread_level = first->thread_level;
    job->emulated = first->emulated != 0;
    job->counted = first->counted != 0;
}

/* True if the columns of the matrix are what ranks have received: each is one rank, all messages are in there
 * and are received by calls. Who puts something into a window makes no call of its target, and what is
 * cancelled comes to nobody. */
static bool columns_are_received(const struct job *job)
{
    uint128 messages = 0;
    if (job->call[CALL_CANCEL].calls > 0 || job->matrix_by != MATRIX_BY_RANK ||
        (uint64_t)job->matrix_n != job->present || job->unfinished > 0 || job_meets_others(job))
        return false;
    for (int i = 0; i < CALL_COUNT; i++)
        if ((call_class[i] == CALLS_ONE_SIDED && job->call[i].calls > 0) ||
            (call_class[i] == CALLS_POINT_TO_POINT && job->call[i].uncounted > 0))
            return false;
    for (int i = 0; i < job->matrix_n * job->matrix_n; i++)
        messages += job->matrix[i].messages;
    return messages == job->metric[METRIC_SENT_MESSAGES].sum;
}

/* Makes what ranks received of what others sent to them, where no rank has counted it by call. */
static void receive_by_matrix(struct job *job)
{
    if (job->metric[METRIC_RECEIVED_BYTES].count > 0 || !columns_are_received(job))
        return;
    for (int to = 0; to < job->matrix_n; to++) {
        struct job_cell column = {0, 0};
        for (int from = 0; from < job->matrix_n; from++) {
            block_add(&column.messages, job->matrix[from * job->matrix_n + to].messages);
            block_add(&column.bytes, job->matrix[from * job->matrix_n + to].bytes);
        }
        metric_add(&job->metric[METRIC_RECEIVED_MESSAGES], column.messages, (uint64_t)to);
        metric_add(&job->metric[METRIC_RECEIVED_BYTES], column.bytes, (uint64_t)to);
    }
}

/* Together they would be more than a file of this kind may have. */
enum { MOST_IN_ROWS = 64 << 20 };

void job_name(struct job *job, const struct block_names *names)
{
    job->counters_inside = names->counters_inside;
    job->node_counters = names->node_counters;
    job->n_counters = names->n_counters;
    job->n_regions = names->n_regions;
    job->row_regions = names->n_regions;
    job->n_row_calls = 0;
    if ((int64_t)job_row_length(job) * names->ranks > MOST_IN_ROWS)
        job->row_regions = 0;
    for (int i = 0; i < CALL_COUNT; i++)
        if (names->called[i])
            job->row_call[job->n_row_calls++] = i;
    if ((int64_t)job_row_length(job) * names->ranks > MOST_IN_ROWS)
        job->n_row_calls = 0;
    memcpy(job->formulas, names->formulas, sizeof job->formulas);
    memcpy(job->counter_name, names->counter_name, sizeof job->counter_name);
    memcpy(job->counter_units, names->counter_units, sizeof job->counter_units);
    for (int i = 0; i < names->n_regions; i++)
        memcpy(job->region[i].name, names->region_name[i], REGION_NAME);
    job->sites_mode = names->sites_mode;
    job->teams = names->teams >= TEAMS_OFF && names->teams <= TEAMS_GOMP ? names->teams : TEAMS_OFF;
    job->timeline_places = names->timeline;
    job->matrix_by = names->matrix_by;
    job->matrix_n = names->matrix_n;
    block_name_sites(job, &names->sites);
    block_name_share(&job->share, &names->shares);
    job_path_order(job);
    receive_by_matrix(job);
    block_limit_comms(job);
}

/* ---- messages */

/* ---- sizes of each call */

static void add_sizes(struct job_sizes *to, const uint64_t size[SIZE_BUCKETS])
{
    for (int i = 0; i < SIZE_BUCKETS; i++)
        block_add(&to->size[i], size[i]);
}

/* Finds or makes the place of a call among those that are sorted by their number. NULL: there is none, as all
 * places are taken by calls before it. The call that is pushed out is the last one, in whatever order they
 * come. */
static struct job_sizes *place_for(struct job_sizes sized[MAX_JOB_SIZED], uint64_t call)
{
    int i = 0;
    while (i < MAX_JOB_SIZED && sized[i].call != 0 && sized[i].call < call)
        i++;
    if (i == MAX_JOB_SIZED || sized[i].call == call)
        return i < MAX_JOB_SIZED ? &sized[i] : NULL;
    memmove(&sized[i + 1], &sized[i], (size_t)(MAX_JOB_SIZED - 1 - i) * sizeof *sized);
    sized[i] = (struct job_sizes){.call = call};
    return &sized[i];
}

static void put_sizes(struct job *block, uint64_t call, const uint64_t size[SIZE_BUCKETS])
{
    struct job_sizes *place = place_for(block->sized, call);
    if (place != NULL)
        add_sizes(place, size);
}

/* ---- the matrix */

static int most_bytes_first(const void *a, const void *b)
{
    const struct peer *x = a, *y = b;
    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? 1 : -1;
    if (x->messages != y->messages)
        return x->messages < y->messages ? 1 : -1;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

static int place_of(const struct block_names *names, const struct rank_record *record, int rank)
{
    return (int)((int64_t)rank * names->matrix_n / record->ranks);
}

static void add_pair(struct job *block, const struct rank_record *record, const struct block_names *names,
                     const struct peer *peer)
{
    if (names->matrix_n == 0 || peer->rank < 0 || peer->rank >= record->ranks)
        return;
    int from = place_of(names, record, record->rank), to = place_of(names, record, peer->rank);
    struct job_cell *cell = &block->matrix[from * names->matrix_n + to];
    block_add(&cell->messages, peer->messages);
    block_add(&cell->bytes, peer->bytes);
}

static void add_partners(struct job *block, const struct rank_record *record, const struct block_names *names)
{
    struct partners partners;
    partners_of(&partners, record);
    qsort(partners.peer, (size_t)partners.n, sizeof *partners.peer, most_bytes_first);
    for (int i = 0; i < partners.n; i++) {
        const struct peer *peer = &partners.peer[i];
        add_pair(block, record, names, peer);
        if (i < MAX_NEIGHBORS)
            block->neighbor[i] =
                (struct job_neighbor){1, peer->messages, peer->bytes, peer->bytes, (uint64_t)record->rank};
    }
}

void block_add_messages(struct job *block, const struct rank_record *record, const struct block_names *names)
{
    for (int t = 0; t < record_thread_count(record); t++) {
        const struct thread_record *thread = record_thread_at(record, t);
        if (thread->threads == 0)
            continue;
        for (int i = 0; i < thread->n_sizes && i < MAX_SIZED; i++)
            if (thread->sizes[i].call >= 0 && thread->sizes[i].call < CALL_COUNT)
                put_sizes(block, (uint64_t)thread->sizes[i].call + 1, thread->sizes[i].size);
        block_add(&block->matrix_other.messages, thread->other_messages);
        block_add(&block->matrix_other.bytes, thread->other_bytes);
    }
    add_partners(block, record, names);
}

void block_merge_messages(struct job *into, const struct job *from)
{
    for (int i = 0; i < MAX_JOB_SIZED && from->sized[i].call != 0; i++)
        put_sizes(into, from->sized[i].call, from->sized[i].size);
    for (int i = 0; i < MATRIX_MOST * MATRIX_MOST; i++)
        if (from->matrix[i].messages > 0)
            block_merge_fields(&into->matrix[i], &from->matrix[i], job_cell_fields, false);
    block_merge_fields(&into->matrix_other, &from->matrix_other, job_cell_fields, false);
    for (int i = 0; i < MAX_NEIGHBORS; i++)
        if (from->neighbor[i].ranks > 0)
            block_merge_fields(&into->neighbor[i], &from->neighbor[i], job_neighbor_fields,
                               into->neighbor[i].ranks == 0);
}

/* ---- the ranks that one sent to */

static void count_peer(struct partners *partners, const struct peer *peer)
{
    int i = 0;
    while (i < partners->n && partners->peer[i].rank != peer->rank)
        i++;
    if (i == MAX_PEERS) {
        partners->more = 1;
        return;
    }
    if (i == partners->n)
        partners->peer[partners->n++] = (struct peer){.rank = peer->rank};
    partners->peer[i].messages += peer->messages;
    partners->peer[i].bytes += peer->bytes;
}

void partners_of(struct partners *partners, const struct rank_record *record)
{
    partners->n = partners->more = 0;
    for (int t = 0; t < record_thread_count(record); t++) {
        const struct thread_record *thread = record_thread_at(record, t);
        if (thread->threads == 0)
            continue;
        for (int i = 0; i < MAX_PEERS; i++)
            if (thread->peer[i].messages > 0)
                count_peer(partners, &thread->peer[i]);
        if (thread->other_messages > 0)
            partners->more = 1;
    }
}
