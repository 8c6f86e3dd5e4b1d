/* SPDX-License-Identifier: BSD-3-Clause */
#include "job/block.h"

#include <string.h>

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
