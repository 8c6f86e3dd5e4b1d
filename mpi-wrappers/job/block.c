/* SPDX-License-Identifier: BSD-3-Clause */
#include "job/block.h"

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
    names->n_counters = n < 0 ? 0 : n > MAX_COUNTERS ? MAX_COUNTERS : n;
    names->counters_inside = first->counters_inside != 0;
    names->node_counters = first->node_counters;
    for (int i = 0; i < names->n_counters; i++) {
        memcpy(names->counter_name[i], first->counter_name[i], COUNTER_NAME - 1);
        memcpy(names->counter_units[i], first->counter_units[i], sizeof names->counter_units[i] - 1);
    }
}

void block_names_make(struct block_names *names, const struct rank_record *first,
                      const struct region_names *regions)
{
    memset(names, 0, sizeof *names);
    if (first != NULL)
        take_counters(names, first);
    names->n_regions = regions->n;
    memcpy(names->region_name, regions->name, sizeof regions->name);
    if (regions->others)
        memcpy(names->region_name[names->n_regions++], OTHER_REGIONS, sizeof OTHER_REGIONS);
}

/* ---- figures */

static void most(uint64_t *into, uint64_t value)
{
    if (value > *into)
        *into = value;
}

/* The larger value, and of equal ones that of the lower rank. */
static void most_of_rank(uint64_t *into, uint64_t *into_rank, uint64_t value, uint64_t rank)
{
    if (value > *into || (value == *into && rank < *into_rank)) {
        *into = value;
        *into_rank = rank;
    }
}

static void least_of_rank(uint64_t *into, uint64_t *into_rank, uint64_t value, uint64_t rank)
{
    if (value < *into || (value == *into && rank < *into_rank)) {
        *into = value;
        *into_rank = rank;
    }
}

static void merge_call(struct job_call *into, const struct job_call *from)
{
    if (from->ranks == 0)
        return;
    if (into->ranks == 0) {
        *into = *from;
        return;
    }
    block_add(&into->calls, from->calls);
    block_add(&into->ns, from->ns);
    block_add(&into->main_ns, from->main_ns);
    block_add(&into->bytes, from->bytes);
    block_add(&into->ranks, from->ranks);
    most_of_rank(&into->longest_ns, &into->longest_rank, from->longest_ns, from->longest_rank);
    most_of_rank(&into->most_ns, &into->most_rank, from->most_ns, from->most_rank);
}

static void merge_region(struct job_region *into, const struct job_region *from)
{
    if (from->ranks == 0)
        return;
    if (into->ranks == 0) {
        *into = *from;
        return;
    }
    block_add(&into->ranks, from->ranks);
    block_add(&into->visits, from->visits);
    block_add(&into->open, from->open);
    block_add(&into->ns, from->ns);
    block_add(&into->mpi_ns, from->mpi_ns);
    least_of_rank(&into->least_ns, &into->least_rank, from->least_ns, from->least_rank);
    most_of_rank(&into->most_ns, &into->most_rank, from->most_ns, from->most_rank);
    for (int i = 0; i < MAX_COUNTERS; i++)
        block_add(&into->counter[i], from->counter[i]);
}

static void merge_complaint(struct block_complaint *into, const struct block_complaint *from)
{
    uint64_t ranks = into->ranks + from->ranks;
    if (from->ranks > 0 && (into->ranks == 0 || from->rank < into->rank))
        *into = *from;
    into->ranks = ranks;
}

void block_merge(struct block *into, const struct block *from)
{
    block_add(&into->present, from->present);
    block_add(&into->unfinished, from->unfinished);
    most(&into->threads, from->threads);
    block_add(&into->multiplexed, from->multiplexed);
    block_add(&into->different, from->different);
    block_add(&into->lost, from->lost);
    block_add(&into->doubtful, from->doubtful);
    block_add(&into->paused_ns, from->paused_ns);
    block_add(&into->overhead_ns, from->overhead_ns);
    block_add(&into->other_thread_calls, from->other_thread_calls);
    most(&into->regions_left_out, from->regions_left_out);
    for (int i = 0; i < METRIC_COUNT; i++)
        metric_merge(&into->metric[i], &from->metric[i]);
    for (int i = 0; i < CALL_COUNT; i++)
        merge_call(&into->call[i], &from->call[i]);
    for (int i = 0; i < SIZE_BUCKETS; i++) {
        block_add(&into->sent[i], from->sent[i]);
        block_add(&into->collective[i], from->collective[i]);
    }
    for (int i = 0; i < MAX_REGIONS; i++)
        merge_region(&into->region[i], &from->region[i]);
    merge_complaint(&into->complaint, &from->complaint);
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
}

void job_of_block(struct job *job, const struct block *block, const struct block_names *names)
{
    job->present = block->present;
    job->unfinished = block->unfinished;
    job->threads = block->threads;
    job->multiplexed = block->multiplexed;
    job->different = block->different;
    job->lost = block->lost;
    job->doubtful = block->doubtful;
    job->paused_ns = block->paused_ns;
    job->overhead_ns = block->overhead_ns;
    job->other_thread_calls = block->other_thread_calls;
    job->regions_left_out = (int)block->regions_left_out;
    job->counters_inside = names->counters_inside;
    job->node_counters = names->node_counters;
    job->n_counters = names->n_counters;
    job->n_regions = names->n_regions;
    memcpy(job->counter_name, names->counter_name, sizeof job->counter_name);
    memcpy(job->counter_units, names->counter_units, sizeof job->counter_units);
    memcpy(job->metric, block->metric, sizeof job->metric);
    memcpy(job->call, block->call, sizeof job->call);
    memcpy(job->region, block->region, sizeof job->region);
    memcpy(job->sent, block->sent, sizeof job->sent);
    memcpy(job->collective, block->collective, sizeof job->collective);
    for (int i = 0; i < names->n_regions; i++)
        memcpy(job->region[i].name, names->region_name[i], REGION_NAME);
}
