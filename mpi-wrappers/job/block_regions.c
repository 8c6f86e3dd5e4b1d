/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Calls inside of regions. A block has places for some of them, sorted by region and call; where they are
 * more, the first ones are kept, which are the same in whatever order blocks are merged.
 */
#include "job/block.h"

#include <string.h>

struct job_region_call *block_region_call(struct job *job, uint64_t key)
{
    struct job_region_call *all = job->region_call;
    int i = 0;
    while (i < MAX_JOB_REGION_CALLS && all[i].key != 0 && all[i].key < key)
        i++;
    if (i == MAX_JOB_REGION_CALLS || all[i].key == key)
        return i < MAX_JOB_REGION_CALLS ? &all[i] : NULL;
    memmove(&all[i + 1], &all[i], (size_t)(MAX_JOB_REGION_CALLS - 1 - i) * sizeof *all);
    all[i] = (struct job_region_call){.key = key};
    return &all[i];
}

static void add(struct job *block, const struct rank_record *record, const struct region_call *call,
                int place)
{
    struct job_region_call *to = block_region_call(block, job_region_call_key(place, call->call - 1));
    if (to == NULL)
        return;
    block_add(&to->calls, call->calls);
    block_add(&to->ns, block_nanoseconds(record, call->ticks));
    to->ranks = 1;
    to->most_ns = to->ns;
    to->most_rank = (uint64_t)record->rank;
}

void block_add_region_calls(struct job *block, const struct rank_record *record, int at, int place)
{
    for (int t = 0; t < record_thread_count(record); t++) {
        const struct thread_record *thread = record_thread_at(record, t);
        for (int i = 0; i < REGION_CALLS && thread->threads > 0; i++) {
            const struct region_call *call = &thread->region_call[i];
            if (call->region == at && call->call > 0 && call->call <= CALL_COUNT)
                add(block, record, call, place);
        }
    }
}

void block_merge_region_calls(struct job *into, const struct job *from)
{
    for (int i = 0; i < MAX_JOB_REGION_CALLS && from->region_call[i].key != 0; i++) {
        struct job_region_call *to = block_region_call(into, from->region_call[i].key);
        if (to != NULL)
            block_merge_fields(to, &from->region_call[i], job_region_call_fields, to->ranks == 0);
    }
}
