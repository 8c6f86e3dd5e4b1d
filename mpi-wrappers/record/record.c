/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/record.h"

#include <stddef.h>
#include <string.h>

int record_thread_count(const struct rank_record *record)
{
    return atomic_load_explicit(&record->n_chunks, memory_order_acquire) * THREADS_IN_CHUNK;
}

struct thread_record *record_thread_at(const struct rank_record *record, int i)
{
    const char *chunk = (const char *)record + record_chunk_offset(record->timed != 0, i / THREADS_IN_CHUNK);
    return (struct thread_record *)(uintptr_t)chunk + i % THREADS_IN_CHUNK;
}

struct thread_times *record_times_at(const struct rank_record *record, int i)
{
    if (!record->timed)
        return NULL;
    struct thread_record *first = record_thread_at(record, i - i % THREADS_IN_CHUNK);
    return (struct thread_times *)(void *)(first + THREADS_IN_CHUNK) + i % THREADS_IN_CHUNK;
}

bool record_is_main(const struct rank_record *record, const struct thread_record *thread)
{
    return thread == record_thread_at(record, record->main_thread);
}

uint64_t record_last_moment(const struct rank_record *record)
{
    uint64_t end = record->end > record->begin ? record->end : record->begin;
    for (int i = 0; record->end == 0 && i < record_thread_count(record); i++) {
        const struct thread_record *thread = record_thread_at(record, i);

        if (thread->threads > 0 && thread->since > end)
            end = thread->since;
        for (int j = 0; j < thread->n_open; j++)
            end = thread->open[j].since > end ? thread->open[j].since : end;
    }
    return end;
}

uint64_t record_paused(const struct rank_record *record, uint64_t until)
{
    uint64_t since = atomic_load(&record->paused_since), ticks = atomic_load(&record->paused);
    if (since != 0 && until > since && __builtin_add_overflow(ticks, until - since, &ticks))
        ticks = UINT64_MAX; /* of a damaged record */
    return ticks;
}

static uint64_t less(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

struct thread_time record_thread_time(const struct thread_record *thread)
{
    const struct between *between = &thread->between;
    struct thread_time time = {between->on, between->off, thread->mpi_ticks};
    if (between->seen_read == between->read_at) {
        time.on += between->seen_on;
        time.off += between->seen_off;
    }
    if (between->seen_calls == thread->calls && thread->inside >= 0)
        time.mpi += between->seen_mpi;
    return time;
}

struct thread_time record_all_threads(const struct rank_record *record)
{
    struct thread_time all = {0, 0, 0};
    for (int i = 0; i < record_thread_count(record); i++) {
        const struct thread_record *thread = record_thread_at(record, i);
        if (thread->threads == 0)
            continue;
        struct thread_time time = record_thread_time(thread);
        all = (struct thread_time){all.on + time.on, all.off + time.off, all.mpi + time.mpi};
    }
    return all;
}

bool record_is_of_threads(const struct rank_record *record, uint64_t now)
{
    if (!record->measured || record->main_thread < 0 || record->main_thread >= record_thread_count(record))
        return false;
    struct thread_time all = record_all_threads(record),
                       main = record_thread_time(record_thread_at(record, record->main_thread));
    return less(all.on + all.mpi, main.on + main.mpi) > less(now, record->begin) / 100;
}

struct thread_time record_region_time(const struct rank_record *record, const struct thread_record *thread)
{
    if (!record->measured)
        return (struct thread_time){0, 0, 0};
    return record_is_main(record, thread) ? record_all_threads(record) : record_thread_time(thread);
}

/* The time of a region that is inside of itself is in the outer one's. */
static bool is_inside_itself(const struct thread_record *thread, int at)
{
    for (int i = 0; i < at; i++)
        if (thread->open[i].region == thread->open[at].region)
            return true;
    return false;
}

/* NULL: there is no room for it. */
static struct region_call *place_of_call(struct thread_record *thread, int region, int call)
{
    unsigned at = ((unsigned)region * 61 + (unsigned)call) % REGION_CALLS;
    for (int i = 0; i < REGION_CALLS; i++, at = (at + 1) % REGION_CALLS) {
        struct region_call *place = &thread->region_call[at];
        if (place->call == call + 1 && place->region == region)
            return place;
        if (place->call != 0)
            continue;
        if (thread->n_region_calls >= MOST_REGION_CALLS)
            break;
        thread->n_region_calls++;
        place->region = region;
        place->call = call + 1;
        return place;
    }
    return NULL;
}

/* Adds what is new of a call to the regions that are open. Returns how many calls that are. */
static uint64_t tell(struct thread_record *thread, struct told_call *told)
{
    const struct call_totals *now = &thread->call[told->call];
    uint64_t calls = now->calls - told->calls, ticks = less(now->ticks, told->ticks);
    for (int at = 0; at < thread->n_open && calls > 0; at++) {
        struct region_call *place =
            is_inside_itself(thread, at) ? NULL : place_of_call(thread, thread->open[at].region, told->call);
        if (place == NULL)
            continue;
        place->calls += calls;
        place->ticks += ticks;
    }
    told->calls = now->calls;
    told->ticks = now->ticks;
    return calls;
}

static bool is_told(const struct thread_record *thread, int call)
{
    int i = 0;
    while (i < thread->n_told && thread->told_call[i].call != call)
        i++;
    return i < thread->n_told;
}

/* The calls of before are looked at first: mostly there are no others. */
void record_tell_regions(struct thread_record *thread)
{
    uint64_t left = thread->calls - thread->told;
    thread->told = thread->calls;
    for (int i = 0; i < thread->n_told && left > 0; i++)
        left -= tell(thread, &thread->told_call[i]);
    for (int call = 0; call < CALL_COUNT && left > 0 && thread->n_told < CALL_COUNT; call++) {
        if (thread->call[call].calls == 0 || is_told(thread, call))
            continue;
        thread->told_call[thread->n_told] = (struct told_call){.call = call};
        left -= tell(thread, &thread->told_call[thread->n_told++]);
    }
}

static void add_open(struct region_totals *totals, const struct rank_record *record,
                     const struct thread_record *thread, int at, uint64_t now)
{
    const struct open_region *open = &thread->open[at];
    if (is_inside_itself(thread, at))
        return;
    totals->ticks += now > open->since ? now - open->since : 0;
    totals->mpi_ticks += thread->mpi_ticks - open->mpi_ticks;
    totals->paused += record_paused(record, now) - open->paused;
    struct thread_time used = record_region_time(record, thread);
    totals->used.on += less(used.on, open->used.on);
    totals->used.off += less(used.off, open->used.off);
    totals->used.mpi += less(used.mpi, open->used.mpi);
    struct thread_time own = record->measured ? record_thread_time(thread) : (struct thread_time){0, 0, 0};
    totals->own.on += less(own.on, open->own.on);
    totals->own.off += less(own.off, open->own.off);
    totals->own.mpi += less(own.mpi, open->own.mpi);
    if (!record_is_main(record, thread))
        return;
    totals->path_ns += record->path.ns - open->path_ns;
    totals->offload_ns += record->devices.offload_ns - open->offload_ns;
    for (int i = 0; i < record->n_counters; i++)
        totals->counter[i] += record->counter[i] - open->counter[i];
}

void record_add_region(const struct rank_record *record, struct thread_record *thread, int at, uint64_t now)
{
    add_open(&thread->region[thread->open[at].region], record, thread, at, now);
}

struct region_totals record_region_until(const struct rank_record *record, const struct thread_record *thread,
                                         int region, uint64_t now)
{
    struct region_totals totals = thread->region[region];
    for (int at = 0; at < thread->n_open; at++)
        if (thread->open[at].region == region)
            add_open(&totals, record, thread, at, now);
    return totals;
}

void record_finish_regions(const struct rank_record *record, struct thread_record *thread, uint64_t now)
{
    record_tell_regions(thread);
    for (int i = thread->n_open - 1; i >= 0; i--)
        record_add_region(record, thread, i, now);
    for (int i = 0; i < thread->n_open; i++) { /* a second time adds nothing more */
        struct open_region *open = &thread->open[i];

        open->since = now;
        open->mpi_ticks = thread->mpi_ticks;
        open->paused = record_paused(record, now);
        open->path_ns = record->path.ns;
        open->offload_ns = record->devices.offload_ns;
        open->used = record_region_time(record, thread);
        open->own = record->measured ? record_thread_time(thread) : open->used;
        memcpy(open->counter, record->counter, sizeof open->counter);
    }
}

/* ---- times of calls */

void thread_time_note(struct thread_times *times, int call, uint64_t ticks)
{
    if (times->at[call] == 0 && times->n < MAX_TIMED) {
        times->call[times->n] = call;
        times->at[call] = (uint8_t)++times->n;
    }
    if (times->at[call] > 0)
        times->calls[times->at[call] - 1][time_class(ticks)]++;
}

/* ---- before the program's first call */

void record_clear(struct rank_record *record)
{
    memset(record->counter_mpi, 0, sizeof record->counter_mpi);
    memset(record->object, 0, sizeof record->object);
    memset(&record->timeline, 0, sizeof record->timeline);
    memset(&record->meetings, 0, sizeof record->meetings);
    atomic_store(&record->n_objects, 0);
}

/* Clears a thread's record. The fields that stay are named, in the order of the structure, so that a field
 * that is added later is cleared. */
void record_clear_thread(struct thread_record *thread)
{
#define STAYS(field)                                                                                         \
    {                                                                                                        \
        offsetof(struct thread_record, field), sizeof thread->field                                          \
    }
    static const struct {
        size_t at, size;
    } stays[] = {STAYS(taken),  STAYS(threads), STAYS(since), STAYS(inside),
                 STAYS(n_open), STAYS(region),  STAYS(open),  {sizeof *thread, 0}};
#undef STAYS
    size_t done = 0;
    for (size_t i = 0; i < sizeof stays / sizeof *stays; i++) {
        memset((char *)thread + done, 0, stays[i].at - done);
        done = stays[i].at + stays[i].size;
    }
}

/* ---- meetings */

/* Keeps one in two of what is there, as often as it takes to have room. */
static void make_room(struct meetings *meetings)
{
    while (meetings->kept == MEETINGS && meetings->unkept < UINT64_MAX) {
        uint32_t kept = 0;
        meetings->unkept = meetings->unkept / 2 + (UINT64_MAX / 2 + 1);
        for (uint32_t i = 0; i < meetings->kept; i++) {
            if (!meeting_is_kept(meetings->number[i], meetings->unkept))
                continue;
            meetings->number[kept] = meetings->number[i];
            meetings->took[kept++] = meetings->took[i];
        }
        meetings->kept = kept;
    }
}

void meetings_keep(struct meetings *meetings, uint64_t number, uint64_t ticks)
{
    make_room(meetings);
    if (!meeting_is_kept(number, meetings->unkept) || meetings->kept == MEETINGS)
        return;
    meetings->number[meetings->kept] = number;
    meetings->took[meetings->kept++] = ticks;
}

/* ---- the critical path */

static struct path_share *smallest(struct path_share share[PATH_SHARES])
{
    struct path_share *found = share;
    for (int i = 1; i < PATH_SHARES; i++)
        found = share[i].ns < found->ns ? &share[i] : found;
    return found;
}

static void add_share(struct path_share share[PATH_SHARES], uint64_t *others, uint32_t of, uint64_t ns)
{
    for (int i = 0; i < PATH_SHARES; i++)
        if (share[i].ns > 0 && share[i].of == of) {
            share[i].ns += ns;
            return;
        }
    struct path_share *place = smallest(share);
    *others += place->ns;
    *place = (struct path_share){of, 0, ns};
}

void path_extend(struct path *path, uint64_t ns, uint32_t rank, uint32_t region)
{
    if (ns == 0)
        return;
    path->ns += ns;
    add_share(path->rank_share, &path->other_ranks_ns, rank, ns);
    add_share(path->region_share, &path->other_regions_ns, region, ns);
}

void path_longer(struct path *into, const struct path *from)
{
    if (from->ns > into->ns || (from->ns == into->ns && from->ns > 0 && from->rank < into->rank))
        *into = *from;
}

uint32_t path_region(const char *name)
{
    uint32_t hash = 0x811c9dc5u;
    for (; *name != '\0'; name++)
        hash = (hash ^ (unsigned char)*name) * 0x01000193u;
    return hash != 0 ? hash : 1;
}

/* ---- the timeline */

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

void timeline_settle(struct timeline *timeline, const struct thread_record *thread, int but_for,
                     uint64_t ticks)
{
    for (int call = 0; call < CALL_COUNT; call++) {
        uint64_t all = thread->call[call].ticks, more = all - timeline->settled[call];
        more -= call == but_for ? ticks : 0;
        if (more > 0)
            bins_of(timeline, call)[timeline->bin] += more;
        timeline->settled[call] = all;
    }
}

void timeline_add(struct timeline *timeline, const struct thread_record *thread, int call, uint64_t from,
                  uint64_t to)
{
    timeline_settle(timeline, thread, call, to - from);
    spread(timeline, call, from, to);
}
