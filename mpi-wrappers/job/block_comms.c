/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Communicators from the records of ranks to those of the job. A communicator has the same key on all its
 * ranks (calls/comms.c). Those that one call made on all its ranks, as the rows of a grid by MPI_Comm_split,
 * are one row, unless the program gave them different names: their number does not grow with that of the
 * ranks. Rows are sorted by their keys, and the first ones stay, whatever order ranks are merged in, as one
 * that has no place in a part of the ranks has none in all; the others are added up.
 */
#include "job/block.h"

#include <string.h>

static uint64_t mixed(uint64_t a, uint64_t b)
{
    uint64_t hash = (a ^ b) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

/* A key for communicators of one name among those that one call made; the order of keys stays. */
static uint64_t named_key(uint64_t key, const char *name)
{
    uint64_t hash = key;
    if (name[0] == '\0')
        return key;
    for (; *name != '\0'; name++)
        hash = mixed(hash, (unsigned char)*name);
    return (key & COMM_ORDER) | ((hash & ~COMM_ORDER) != 0 ? hash & ~COMM_ORDER : 1);
}

static void add(struct job_comm *to, const struct job_comm *from)
{
    if (from->least_size > 0 && (to->least_size == 0 || from->least_size < to->least_size))
        to->least_size = from->least_size;
    uint64_t most_ns = to->most_ns, most_rank = to->most_rank;
    block_merge_fields(to, from, job_comm_fields, to->ranks == 0);
    if (from->ranks == 0) {
        to->most_ns = most_ns;
        to->most_rank = most_rank;
    }
}

static void add_to_others(struct job *job, const struct job_comm *from)
{
    add(&job->comm_rest[COMM_OTHERS - MAX_COMMS], from);
}

/* Adds a row, of which the last one goes if there is no place left. */
static void put(struct job *job, const struct job_comm *row)
{
    struct job_comm *comm = job->comm;
    int i = 0;
    while (i < MAX_JOB_COMMS && comm[i].key != 0 && comm[i].key < row->key)
        i++;
    if (i == MAX_JOB_COMMS) {
        add_to_others(job, row);
        return;
    }
    if (comm[i].key == row->key) {
        add(&comm[i], row);
        return;
    }
    if (comm[MAX_JOB_COMMS - 1].key != 0)
        add_to_others(job, &comm[MAX_JOB_COMMS - 1]);
    memmove(&comm[i + 1], &comm[i], (size_t)(MAX_JOB_COMMS - 1 - i) * sizeof *comm);
    comm[i] = *row;
}

static struct job_comm row_of(const struct rank_record *record, const struct comm_totals *totals)
{
    struct job_comm row = {.calls = totals->calls,
                           .ns = block_nanoseconds(record, totals->ticks),
                           .bytes = totals->bytes,
                           .ranks = totals->calls > 0,
                           .call = -1};
    row.most_ns = row.ns;
    row.most_rank = totals->calls > 0 ? (uint64_t)record->rank : 0;
    return row;
}

void block_add_comms(struct job *block, const struct rank_record *record)
{
    struct comm_totals sums[COMM_PLACES] = {{0, 0, 0}};
    for (int t = 0; t < record_thread_count(record); t++) {
        struct comm_totals totals[COMM_PLACES];
        comms_totals(record_thread_at(record, t), totals);
        for (int i = 0; i < COMM_PLACES; i++) {
            block_add(&sums[i].calls, totals[i].calls);
            block_add(&sums[i].ticks, totals[i].ticks);
            block_add(&sums[i].bytes, totals[i].bytes);
        }
    }
    block->comm_ranks = 1;
    for (int i = 0; i < record->n_counted && i < MAX_COMMS; i++) {
        const struct counted_comm *comm = &record->counted_comm[i];
        struct job_comm row = row_of(record, &sums[i]);
        row.key = named_key(comm->key, comm->name);
        memcpy(row.name, comm->name, sizeof row.name - 1);
        row.call = comm->call;
        row.communicators = comm->first != 0;
        row.least_size = row.most_size = (uint64_t)comm->size;
        put(block, &row);
    }
    for (int i = MAX_COMMS; i < COMM_PLACES; i++)
        block->comm_rest[i - MAX_COMMS] = row_of(record, &sums[i]);
}

void block_merge_comms(struct job *into, const struct job *from)
{
    for (int i = 0; i < MAX_JOB_COMMS && from->comm[i].key != 0; i++)
        put(into, &from->comm[i]);
    for (int i = 0; i < COMM_PLACES - MAX_COMMS; i++)
        add(&into->comm_rest[i], &from->comm_rest[i]);
}

void block_limit_comms(struct job *job)
{
    struct job_comm *others = &job->comm_rest[COMM_OTHERS - MAX_COMMS];
    others->ranks = others->ranks < job->present ? others->ranks : job->present;
}
