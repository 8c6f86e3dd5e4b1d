/* SPDX-License-Identifier: BSD-3-Clause */
#include "records.h"

#include "record/settings.h"

#include "rank/rank.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct rank_record *record_make(int rank, int ranks, int node, int nodes)
{
    struct rank_record *record = aligned_alloc(RECORD_ALIGN, record_chunk_offset(true, 1));
    if (record == NULL)
        abort();
    memset(record, 0, record_chunk_offset(true, 1));
    record->magic = RECORD_MAGIC;
    record->version = RECORD_VERSION;
    record->rank = rank;
    record->ranks = ranks;
    record->node = node;
    record->nodes = nodes;
    record->pid = 1000 + rank % 1000000;
    record->tick_hertz = 1000000000;
    record->begin = 5000;
    record->end = 5000 + 1000000;
    record->n_chunks = 1;
    record->state = RANK_FINALIZED;
    snprintf(record->job, sizeof record->job, "a-job");
    snprintf(record->host, sizeof record->host, "node%d", node);
    struct thread_record *thread = record_thread(record, 0);
    thread->taken = 1;
    thread->threads = 1;
    thread->inside = -1;
    for (int i = 0; i < THREADS_IN_CHUNK; i++)
        for (int p = 0; p < MAX_PEERS; p++)
            record_thread(record, i)->peer[p].rank = -1;
    return record;
}

struct thread_record *record_thread(struct rank_record *record, int i)
{
    return record_thread_at(record, i);
}

void record_call(struct thread_record *thread, enum call call, uint64_t calls, uint64_t ticks, uint64_t bytes)
{
    struct call_totals *totals = &thread->call[call];
    totals->calls += calls;
    totals->ticks += ticks;
    totals->bytes += bytes;
    if (ticks / calls > totals->longest)
        totals->longest = ticks / calls;
    thread->calls += calls;
    thread->mpi_ticks += ticks;
}

void record_peer(struct thread_record *thread, int rank, uint64_t messages, uint64_t bytes)
{
    int i = rank % MAX_PEERS;
    while (thread->peer[i].rank >= 0 && thread->peer[i].rank != rank)
        i = (i + 1) % MAX_PEERS;
    thread->peer[i].rank = rank;
    thread->peer[i].messages += messages;
    thread->peer[i].bytes += bytes;
}

int record_object(struct rank_record *record, const char *path, uint64_t bias, const char *build_id)
{
    struct site_object *object = &record->object[record->n_objects];
    object->bias = bias;
    snprintf(object->path, sizeof object->path, "%s", path);
    object->build_id_size = (uint8_t)strlen(build_id);
    memcpy(object->build_id, build_id, object->build_id_size);
    return record->n_objects++;
}

void record_site(struct rank_record *record, int object, uint64_t address, enum call call, uint64_t calls,
                 uint64_t ticks, uint64_t bytes)
{
    struct thread_record *thread = record_thread_at(record, 0);
    record->sites = SITES_CALLS;
    thread->site[thread->n_sites++] = (struct call_site){.address = address,
                                                         .call = (int32_t)call,
                                                         .object = object,
                                                         .calls = calls,
                                                         .ticks = ticks,
                                                         .bytes = bytes,
                                                         .longest = ticks / calls};
}

int record_region(struct rank_record *record, const char *name)
{
    snprintf(record->region_name[record->n_regions], REGION_NAME, "%s", name);
    return record->n_regions++;
}

int record_counter(struct rank_record *record, const char *name, int64_t value, int64_t in_mpi)
{
    int i = record->n_counters++;
    snprintf(record->counter_name[i], COUNTER_NAME, "%s", name);
    record->counter[i] = value;
    record->counter_mpi[i] = in_mpi;
    return i;
}
