/* SPDX-License-Identifier: BSD-3-Clause */
#include "rank/polling.h"

#include "base/likely.h"
#include "rank/between.h"

#include <sys/resource.h>
#include <time.h>

/* Ticks up to which two tests are neighbours, however quick they are: two microseconds, in which a thread can
 * yield its processor. */
static uint64_t least_limit(void)
{
    return papi_mpi.look / 25;
}

/* ---- what a test takes */

static int known_place(enum call call)
{
    return (int)call % KNOWN_TESTS;
}

static uint64_t limit_of(const struct polling *polling, enum call call)
{
    int i = known_place(call);
    uint64_t limit = polling->known[i].call == (int32_t)call ? TESTS * polling->known[i].least : 0;
    if (limit > papi_mpi.look) /* of a test that gives its processor away: then processor time tells */
        return papi_mpi.look;
    return limit > least_limit() ? limit : least_limit();
}

static void learn(struct polling *polling, enum call call, uint64_t ticks)
{
    int i = known_place(call);
    if (polling->known[i].call != (int32_t)call || polling->known[i].least == 0 ||
        ticks < polling->known[i].least) {
        polling->known[i].call = (int32_t)call;
        polling->known[i].least = ticks > 0 ? ticks : 1;
    }
}

/* ---- processor time */

static struct reading read_processor(const struct thread_record *thread)
{
    struct timespec processor = {0, 0};
    struct rusage usage = {.ru_nvcsw = 0};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &processor);
    getrusage(RUSAGE_THREAD, &usage);
    return (struct reading){.ticks = clock_ticks(),
                            .processor_ns =
                                (uint64_t)processor.tv_sec * 1000000000u + (uint64_t)processor.tv_nsec,
                            .mpi_ticks = thread->mpi_ticks,
                            .waits = usage.ru_nvcsw};
}

static uint64_t ticks_of(uint64_t ns)
{
    __extension__ unsigned __int128 ticks = (unsigned __int128)ns * papi_mpi.record->tick_hertz;
    return (uint64_t)(ticks / 1000000000u);
}

static uint64_t less(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

/* Ticks without a processor since the last reading, outside of MPI calls as far as that is certain: those
 * before the first of these tests may have waited in the kernel. */
static uint64_t ticks_off(const struct polling *polling, const struct reading *now)
{
    uint64_t on = ticks_of(now->processor_ns - polling->last.processor_ns);
    return less(less(now->ticks - polling->last.ticks, on), less(polling->begun, polling->last.mpi_ticks));
}

/* Notes which of the thread's time was work of late, and which was tests and what is around them. */
static void remember(struct polling *polling, uint64_t worked, uint64_t waited)
{
    polling->worked += worked;
    polling->waited += waited;
    if (polling->worked + polling->waited > 4 * papi_mpi.look) {
        polling->worked /= 2;
        polling->waited /= 2;
    }
}

/* Tells what of ticks between tests was waiting, by the thread's processor time. A thread whose processor was
 * taken away was at what it has been at of late; spare is what the kernel takes to give it back. */
static uint64_t waited_off(struct thread_record *thread, uint64_t ticks)
{
    struct polling *polling = &mpi_thread.polling;
    if (papi_mpi.record->crowded) /* ranks take turns: a processor that is away says nothing */
        return 0;
    struct reading now = read_processor(thread);
    uint64_t on = less(ticks, ticks_off(polling, &now)), spare = papi_mpi.look + ticks / 64;
    int slept = now.waits != polling->last.waits;
    polling->last = now;
    if (on > ticks / 2) {
        remember(polling, ticks < papi_mpi.look ? ticks : papi_mpi.look, 0);
        return 0;
    }
    int works = on > spare;
    remember(polling, works ? papi_mpi.look : 0,
             works ? 0 : papi_mpi.look / 4); /* one may be a coincidence */
    if (slept)
        return works ? ticks - on : ticks;
    return polling->worked > polling->waited ? 0 : ticks;
}

/* ---- between two tests */

/* Tells what of the ticks between a test that failed and the next one was waiting. Middling ones are put
 * together, until it is worth a look at the processor time. */
static uint64_t waited(struct thread_record *thread, uint64_t gap)
{
    struct polling *polling = &mpi_thread.polling;
    uint64_t pending = polling->pending + gap;
    if (gap <= limit_of(polling, (enum call)polling->failed)) {
        remember(polling, 0, gap);
        return gap;
    }
    if (gap >= papi_mpi.look) {
        polling->pending = 0; /* which was work */
        return waited_off(thread, gap);
    }
    polling->pending = pending < papi_mpi.look ? pending : 0;
    return polling->pending > 0 ? 0 : waited_off(thread, pending);
}

static void add_waiting(struct thread_record *thread, uint64_t ticks, uint64_t gap, uint64_t now)
{
    const struct polling *polling = &mpi_thread.polling;
    enum call call = (enum call)polling->failed;
    ticks = less(ticks, papi_mpi.test_cost);
    thread->call[call].ticks += ticks;
    thread->mpi_ticks += ticks;
    thread->tested_ticks += ticks;
    thread->own_ticks += papi_mpi.test_more;
    between_waited(thread, ticks, now);
    if (mpi_thread.site != NULL)
        mpi_thread.site->ticks += ticks;
    if (unlikely(now >= papi_mpi.timeline_next))
        timeline_step(thread, call, now - (ticks < gap ? ticks : gap), now);
}

struct thread_record *polling_thread(enum call call)
{
    struct polling *polling = &mpi_thread.polling;
    struct thread_record *thread = rank_thread();
    int goes_on = thread != NULL && polling->failed >= 0 && call_is_test[call];
    polling->since = goes_on ? thread->since : 0;
    polling->mpi_ticks = goes_on ? thread->mpi_ticks : 0;
    if (!goes_on)
        polling->failed = -1;
    mpi_thread.quick = thread;
    if (thread != NULL && thread->between.tid != 0)
        between_call_begins(thread);
    return thread;
}

/* The time from the test that failed last to this one, which took so long. */
static void count_gap(struct thread_record *thread, uint64_t took)
{
    uint64_t begin = thread->since - took, gap = less(begin, mpi_thread.polling.since);
    add_waiting(thread, waited(thread, gap), gap, begin);
}

static void note_failure(struct thread_record *thread, enum call call)
{
    struct polling *polling = &mpi_thread.polling;
    polling->paused = atomic_load_explicit(&papi_mpi.record->paused, memory_order_relaxed);
    polling->failed = (int32_t)call;
    mpi_thread.quick = NULL;   /* the next call comes to polling_thread */
    if (polling->since == 0) { /* the first one */
        polling->begun = thread->mpi_ticks;
        polling->pending = 0;
    }
}

void polling_tested(struct thread_record *thread, enum call call, int found)
{
    struct polling *polling = &mpi_thread.polling;
    const struct rank_record *record = papi_mpi.record;
    if (record == NULL)
        return;
    int goes_on =
        polling->since != 0 && polling->paused == atomic_load_explicit(&record->paused, memory_order_relaxed);
    uint64_t took = goes_on ? thread->mpi_ticks - polling->mpi_ticks : 0;
    if (goes_on)
        count_gap(thread, took);
    if (!found)
        note_failure(thread, call);
    else
        polling->failed = -1;
    if (goes_on && !found) {
        learn(polling, call, took);
        remember(polling, 0, took < papi_mpi.look ? took : papi_mpi.look);
    }
    if (goes_on && unlikely(took >= papi_mpi.look)) /* it may have lost its processor there */
        polling->last = read_processor(thread);
    polling->since = 0;
}

void polling_begin(struct thread_record *thread)
{
    struct polling *polling = &mpi_thread.polling;
    polling->failed = -1;
    polling->since = 0;
    mpi_thread.quick = thread;
    for (int i = 0; i < KNOWN_TESTS; i++)
        polling->known[i].least = 0;
    polling->last = read_processor(thread);
}
