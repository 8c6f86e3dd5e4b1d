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

#include <stdlib.h>
#include <string.h>

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

/* -------------------------------------------------------------------------- the ranks that one sent to */

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
