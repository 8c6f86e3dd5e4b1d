/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The timeline of a rank: how long the main thread was in which MPI call, in a fixed number of bins, however
 * long the job takes.
 *
 * A bin is 2^shift ticks. When time comes to the end of the last bin, each two neighbours are added up to
 * one, shift grows by one, and the same bins reach twice as far: no time is lost, only resolution, and the
 * job's length need not be known. There are between COURSE_BINS / 2 and COURSE_BINS bins with data after the
 * first folding.
 *
 * A call does not touch the timeline while it ends within the current bin, which one comparison with
 * timeline_next shows. The first call that ends beyond it settles: what the calls' totals have grown since
 * the last settlement belongs to the bin that ends, except for the present call, whose time is known by its
 * begin and end and is spread over the bins that it covers.
 */
#include "rank/timeline.h"

#include <string.h>

static void go_to_bin(struct rank_record *record, uint64_t moment)
{
    struct timeline *timeline = &record->timeline;
    timeline->bin = (uint32_t)(moment >> timeline->shift);
    papi_mpi.timeline_next = record->begin + (((uint64_t)timeline->bin + 1) << timeline->shift);
}

void timeline_begin(struct rank_record *record)
{
    memset(&record->timeline, 0, sizeof record->timeline);
    record->timeline.shift = COURSE_FIRST_SHIFT;
    record->timeline.n_calls = 1; /* the first place is that of all which have none */
    record->timeline.call[0] = -1;
    go_to_bin(record, 0);
}

static uint64_t *bins_of(struct timeline *timeline, int call)
{
    if (timeline->at[call] == 0) {
        int place = timeline->n_calls < COURSE_CALLS ? timeline->n_calls++ : 0;
        if (place > 0)
            timeline->call[place] = call;
        timeline->at[call] = (uint8_t)(place + 1);
    }
    return timeline->ticks[timeline->at[call] - 1];
}

/* Adds up each two bins to one: the same bins have room for twice the time. */
static void fold(struct timeline *timeline)
{
    enum { HALF = COURSE_BINS / 2 };
    for (int place = 0; place < COURSE_CALLS; place++) {
        uint64_t *ticks = timeline->ticks[place];
        for (int i = 0; i < HALF; i++)
            ticks[i] = ticks[2 * i] + ticks[2 * i + 1];
        memset(ticks + HALF, 0, HALF * sizeof *ticks);
    }
    timeline->shift++;
}

static void spread(struct timeline *timeline, int call, uint64_t from, uint64_t to)
{
    while (to >> timeline->shift >= COURSE_BINS)
        fold(timeline);
    uint64_t *ticks = bins_of(timeline, call);
    for (uint64_t bin = from >> timeline->shift; from < to; bin++) {
        uint64_t end = (bin + 1) << timeline->shift;
        end = end < to ? end : to;
        ticks[bin] += end - from;
        from = end;
    }
}

/* Adds the time of calls since the last settlement to the present bin, except for so many ticks of one
 * call. */
static void settle(struct timeline *timeline, const struct thread_record *thread, int but_for, uint64_t ticks)
{
    for (int call = 0; call < CALL_COUNT; call++) {
        uint64_t all = thread->call[call].ticks, more = all - timeline->settled[call];
        more -= call == but_for ? ticks : 0;
        if (more > 0)
            bins_of(timeline, call)[timeline->bin] += more;
        timeline->settled[call] = all;
    }
}

void timeline_step(struct thread_record *thread, enum call call, uint64_t since, uint64_t now)
{
    struct rank_record *record = papi_mpi.record;
    if (thread != papi_mpi.main || record == NULL || now < since || since < record->begin)
        return;
    settle(&record->timeline, thread, (int)call, now - since);
    spread(&record->timeline, (int)call, since - record->begin, now - record->begin);
    go_to_bin(record, now - record->begin);
}

void timeline_finish(struct rank_record *record)
{
    settle(&record->timeline, record_thread_at(record, record->main_thread), -1, 0);
}
