/* SPDX-License-Identifier: BSD-3-Clause */
#include "rank/timeline.h"

#include <string.h>

static void go_to_bin(struct rank_record *record, uint64_t moment)
{
    struct course *course = &record->course;
    course->bin = (uint32_t)(moment >> course->shift);
    papi_mpi.course_next = record->begin + (((uint64_t)course->bin + 1) << course->shift);
}

void course_begin(struct rank_record *record)
{
    memset(&record->course, 0, sizeof record->course);
    record->course.shift = COURSE_FIRST_SHIFT;
    record->course.n_calls = 1; /* the first place is that of all which have none */
    record->course.call[0] = -1;
    go_to_bin(record, 0);
}

static uint64_t *bins_of(struct course *course, int call)
{
    if (course->at[call] == 0) {
        int place = course->n_calls < COURSE_CALLS ? course->n_calls++ : 0;
        if (place > 0)
            course->call[place] = call;
        course->at[call] = (uint8_t)(place + 1);
    }
    return course->ticks[course->at[call] - 1];
}

/* Two bins become one: the same bins have room for twice the time. */
static void fold(struct course *course)
{
    enum { HALF = COURSE_BINS / 2 };
    for (int place = 0; place < COURSE_CALLS; place++) {
        uint64_t *ticks = course->ticks[place];
        for (int i = 0; i < HALF; i++)
            ticks[i] = ticks[2 * i] + ticks[2 * i + 1];
        memset(ticks + HALF, 0, HALF * sizeof *ticks);
    }
    course->shift++;
}

static void spread(struct course *course, int call, uint64_t from, uint64_t to)
{
    while (to >> course->shift >= COURSE_BINS)
        fold(course);
    uint64_t *ticks = bins_of(course, call);
    for (uint64_t bin = from >> course->shift; from < to; bin++) {
        uint64_t end = (bin + 1) << course->shift;
        end = end < to ? end : to;
        ticks[bin] += end - from;
        from = end;
    }
}

/* What calls took since the last time, but for so many ticks of one of them, is in the bin. */
static void settle(struct course *course, const struct thread_record *thread, int but_for, uint64_t ticks)
{
    for (int call = 0; call < CALL_COUNT; call++) {
        uint64_t all = thread->call[call].ticks, more = all - course->settled[call];
        more -= call == but_for ? ticks : 0;
        if (more > 0)
            bins_of(course, call)[course->bin] += more;
        course->settled[call] = all;
    }
}

void course_step(struct thread_record *thread, enum call call, uint64_t since, uint64_t now)
{
    struct rank_record *record = papi_mpi.record;
    if (thread != papi_mpi.main || record == NULL || now < since || since < record->begin)
        return;
    settle(&record->course, thread, (int)call, now - since);
    spread(&record->course, (int)call, since - record->begin, now - record->begin);
    go_to_bin(record, now - record->begin);
}

void course_finish(struct rank_record *record)
{
    settle(&record->course, record_thread_at(record, record->main_thread), -1, 0);
}
