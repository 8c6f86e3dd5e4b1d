/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Times of calls from the records of ranks to those of the job. Ranks count in ticks of their own clocks: the
 * classes of all are added up, and how long the ticks of the fastest and the slowest clock are says how wide
 * a class is.
 */
#include "job/block.h"

#include <string.h>

/* Finds or makes the place of a call among those that are sorted by their number. NULL: there is none. */
static struct job_times *place_for(struct job_times times[MAX_TIMED], uint64_t call)
{
    int i = 0;
    while (i < MAX_TIMED && times[i].call != 0 && times[i].call < call)
        i++;
    if (i == MAX_TIMED || times[i].call == call)
        return i < MAX_TIMED ? &times[i] : NULL;
    memmove(&times[i + 1], &times[i], (size_t)(MAX_TIMED - 1 - i) * sizeof *times);
    times[i] = (struct job_times){.call = call};
    return &times[i];
}

static void put(struct job_times times[MAX_TIMED], uint64_t call, const uint64_t calls[TIME_CLASSES])
{
    struct job_times *place = place_for(times, call);
    for (int k = 0; place != NULL && k < TIME_CLASSES; k++)
        block_add(&place->calls[k], calls[k]);
}

void block_add_times(struct job *block, const struct rank_record *record)
{
    const uint64_t fs = 1000000000000000;
    for (int t = 0; t < record_thread_count(record); t++) {
        const struct thread_times *times = record_times_at(record, t);
        for (int i = 0; i < times->n; i++)
            put(block->times, (uint64_t)times->call[i] + 1, times->calls[i]);
    }
    block->tick_hertz = record->tick_hertz;
    block->tick_fs = record->tick_hertz > 0 ? (fs + record->tick_hertz - 1) / record->tick_hertz : 0;
}

void block_merge_times(struct job_times into[MAX_TIMED], const struct job_times from[MAX_TIMED])
{
    for (int i = 0; i < MAX_TIMED && from[i].call != 0; i++)
        put(into, from[i].call, from[i].calls);
}
