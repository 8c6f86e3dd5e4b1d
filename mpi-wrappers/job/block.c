/* SPDX-License-Identifier: BSD-3-Clause */
#include "job/block.h"

#include <string.h>

/* Sums of many ranks stop at the largest number: with what cannot go below zero this is associative. */
static void add(uint64_t *sum, uint64_t value)
{
    if (__builtin_add_overflow(*sum, value, sum))
        *sum = UINT64_MAX;
}

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
    add(&into->calls, from->calls);
    add(&into->ns, from->ns);
    add(&into->main_ns, from->main_ns);
    add(&into->bytes, from->bytes);
    add(&into->ranks, from->ranks);
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
    add(&into->ranks, from->ranks);
    add(&into->visits, from->visits);
    add(&into->open, from->open);
    add(&into->ns, from->ns);
    add(&into->mpi_ns, from->mpi_ns);
    least_of_rank(&into->least_ns, &into->least_rank, from->least_ns, from->least_rank);
    most_of_rank(&into->most_ns, &into->most_rank, from->most_ns, from->most_rank);
    for (int i = 0; i < MAX_COUNTERS; i++)
        add(&into->counter[i], from->counter[i]);
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
    add(&into->present, from->present);
    add(&into->unfinished, from->unfinished);
    most(&into->threads, from->threads);
    add(&into->multiplexed, from->multiplexed);
    add(&into->different, from->different);
    add(&into->lost, from->lost);
    add(&into->paused_ns, from->paused_ns);
    add(&into->overhead_ns, from->overhead_ns);
    add(&into->other_thread_calls, from->other_thread_calls);
    most(&into->regions_left_out, from->regions_left_out);
    for (int i = 0; i < METRIC_COUNT; i++)
        metric_merge(&into->metric[i], &from->metric[i]);
    for (int i = 0; i < CALL_COUNT; i++)
        merge_call(&into->call[i], &from->call[i]);
    for (int i = 0; i < SIZE_BUCKETS; i++) {
        add(&into->sent[i], from->sent[i]);
        add(&into->collective[i], from->collective[i]);
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
    job->paused_ns = block->paused_ns;
    job->overhead_ns = block->overhead_ns;
    job->other_thread_calls = block->other_thread_calls;
    job->regions_left_out = (int)block->regions_left_out;
    job->counters_inside = names->counters_inside;
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
