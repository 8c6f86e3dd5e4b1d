/* SPDX-License-Identifier: BSD-3-Clause */
#include "job/block.h"

#include <string.h>

/* ---- what all ranks have to agree on */

static uint64_t elapsed(const struct rank_record *record)
{
    return block_nanoseconds(record, record_last_moment(record) - record->begin);
}

/* What the main thread has in a place of the record and a bin: of a rank that died, the last calls are still
 * in its totals alone. */
static uint64_t ticks_of(const struct rank_record *record, int place, int bin)
{
    const struct timeline *timeline = &record->timeline;
    const struct thread_record *main = record_thread_at(record, record->main_thread);
    int call = timeline->call[place];
    uint64_t ticks = timeline->ticks[place][bin];
    if (call >= 0 && call < CALL_COUNT && (uint32_t)bin == timeline->bin &&
        main->call[call].ticks > timeline->settled[call])
        block_add(&ticks, main->call[call].ticks - timeline->settled[call]);
    return ticks;
}

void timeline_names_of(struct timeline_names *names, const struct rank_record *record)
{
    const struct timeline *timeline = &record->timeline;
    memset(names, 0, sizeof *names);
    names->elapsed = elapsed(record);
    for (int place = 1; place < timeline->n_calls && place < COURSE_CALLS; place++) {
        int call = timeline->call[place];
        uint64_t ticks = 0;
        for (int bin = 0; bin < COURSE_BINS; bin++)
            block_add(&ticks, ticks_of(record, place, bin));
        if (call >= 0 && call < CALL_COUNT)
            names->most[call] = block_nanoseconds(record, ticks);
    }
    for (int t = 0; t < record_thread_count(record); t++)
        for (int call = 0; call < CALL_COUNT; call++)
            if (names->most[call] == 0 && record_thread_at(record, t)->call[call].calls > 0)
                names->most[call] = 1;
}

void timeline_names_merge(struct timeline_names *into, const struct timeline_names *from)
{
    into->elapsed = from->elapsed > into->elapsed ? from->elapsed : into->elapsed;
    for (int i = 0; i < CALL_COUNT; i++)
        into->most[i] = from->most[i] > into->most[i] ? from->most[i] : into->most[i];
}

/* The calls in which a rank spent most time; the last place is that of the others. */
void timeline_choose(struct job_timeline_places *places, const struct timeline_names *names)
{
    char taken[CALL_COUNT] = "";
    places->step_ns = names->elapsed / COURSE_STEPS + 1;
    places->n = 0;
    for (int most = 0; most >= 0 && places->n < JOB_COURSE_CALLS - 1;) {
        most = -1;
        for (int i = 0; i < CALL_COUNT; i++)
            if (!taken[i] && names->most[i] > 0 && (most < 0 || names->most[i] > names->most[most]))
                most = i;
        if (most < 0)
            break;
        taken[most] = 1;
        places->call[places->n++] = most;
    }
}

/* ---- figures */

static int place_of(const struct job_timeline_places *places, int call)
{
    for (int i = 0; i < places->n; i++)
        if (places->call[i] == call)
            return i;
    return JOB_COURSE_CALLS - 1;
}

/* Of what happened evenly from one time to another each step has its part. */
static void distribute(uint64_t step[COURSE_STEPS], uint64_t step_ns, uint64_t from, uint64_t to, uint64_t ns)
{
    uint64_t all = to - from, given = 0;
    for (uint64_t at = from; at < to;) {
        uint64_t i = at / step_ns, end = (i + 1) * step_ns < to ? (i + 1) * step_ns : to;
        uint64_t before = given;
        given = end == to ? ns : (uint64_t)((uint128)ns * (end - from) / all);
        block_add(&step[i < COURSE_STEPS ? i : COURSE_STEPS - 1], given - before);
        at = end;
    }
}

/* The last bin of a rank is not over when the rank ends. */
static void add_bin(struct job_timeline *to, const struct rank_record *record,
                    const struct job_timeline_places *places, int place, int bin)
{
    const struct timeline *timeline = &record->timeline;
    uint64_t from = block_nanoseconds(record, (uint64_t)bin << timeline->shift);
    uint64_t end = block_nanoseconds(record, ((uint64_t)bin + 1) << timeline->shift), last = elapsed(record);
    end = end < last ? end : last;
    from = from < end ? from : end - (end > 0);
    if (end > from)
        distribute(to->mpi_ns[place_of(places, timeline->call[place])], places->step_ns, from, end,
                   block_nanoseconds(record, ticks_of(record, place, bin)));
}

void block_add_timeline(struct job *block, const struct rank_record *record,
                        const struct job_timeline_places *places)
{
    const struct timeline *timeline = &record->timeline;
    if (places->step_ns == 0 || timeline->shift > 48)
        return;
    distribute(block->timeline.elapsed_ns, places->step_ns, 0, elapsed(record), elapsed(record));
    for (int place = 0; place < timeline->n_calls && place < COURSE_CALLS; place++)
        for (int bin = 0; bin < COURSE_BINS; bin++)
            if (ticks_of(record, place, bin) > 0)
                add_bin(&block->timeline, record, places, place, bin);
}

void block_merge_timeline(struct job *into, const struct job *from)
{
    for (int i = 0; i < COURSE_STEPS; i++) {
        block_add(&into->timeline.elapsed_ns[i], from->timeline.elapsed_ns[i]);
        for (int k = 0; k < JOB_COURSE_CALLS; k++)
            block_add(&into->timeline.mpi_ns[k][i], from->timeline.mpi_ns[k][i]);
    }
}
