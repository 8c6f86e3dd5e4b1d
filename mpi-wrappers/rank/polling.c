/* SPDX-License-Identifier: BSD-3-Clause */
#include "rank/polling.h"

#include "base/likely.h"
#include "rank/between.h"

#include <sys/resource.h>
#include <time.h>

/* Times in looks: a reading of a millisecond ago is old; the kernel takes up to so long to give a processor
 * to others and back. */
enum { OLD = 20, SWITCHES = 4 };

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

static int is_known(const struct polling *polling, enum call call)
{
    return polling->known[known_place(call)].call == (int32_t)call;
}

static uint64_t limit_of(const struct polling *polling, enum call call)
{
    return is_known(polling, call) ? polling->known[known_place(call)].most : least_limit();
}

/* Up to which time others are like the quickest test; not more than what a look at the processor time can
 * tell. */
static uint32_t like(uint64_t least)
{
    uint64_t most = TESTS * least > least_limit() ? TESTS * least : least_limit();
    return (uint32_t)(most < papi_mpi.look ? most : papi_mpi.look);
}

/* Processor time of a test that fails, however long it takes. */
static uint64_t usual(const struct polling *polling, enum call call)
{
    return is_known(polling, call) ? 2 * (uint64_t)polling->known[known_place(call)].least : 0;
}

static void learn(struct polling *polling, enum call call, uint64_t ticks)
{
    int i = known_place(call);
    if (is_known(polling, call) && ticks >= polling->known[i].least)
        return;
    polling->known[i].call = (int32_t)call;
    polling->known[i].least = ticks < papi_mpi.look ? (uint32_t)ticks : (uint32_t)papi_mpi.look;
    polling->known[i].most = like(polling->known[i].least);
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

static uint64_t less(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

/* Ticks without a processor from the last reading to the end of the test that took so long, outside of MPI
 * calls as far as that is certain: the system calls of a reading often cost the processor, too. Those before
 * the first of these tests may have waited in the kernel, and so may the one that has just ended. In those
 * between, no processor was away for long: that is read at once. */
static uint64_t ticks_off(const struct polling *polling, const struct reading *now, uint64_t end,
                          uint64_t took, uint64_t usual)
{
    uint64_t on = clock_in_ticks(now->processor_ns - polling->last.processor_ns);
    uint64_t off = less(less(end - polling->last.ticks, on), less(polling->begun, polling->last.mpi_ticks));
    return less(off, less(took, usual));
}

static uint64_t at_most(uint64_t ticks, uint64_t most)
{
    return ticks < most ? ticks : most;
}

/* ---- between two tests */

/* Processor time between the tests that were counted without being looked at. */
static uint64_t quick_ticks(const struct thread_record *thread)
{
    return thread->tested_ticks + thread->calls * papi_mpi.test_cost;
}

/* Ticks between two tests, as the kernel knows them. */
struct gap {
    uint64_t ticks, on; /* in all, and with a processor */
    int slept;
};

static struct gap look_at(struct thread_record *thread, enum call call, uint64_t took, uint64_t ticks)
{
    struct polling *polling = &mpi_thread.polling;
    struct reading now = read_processor(thread);
    uint64_t off = ticks_off(polling, &now, thread->since, took, usual(polling, call));
    struct gap gap = {ticks, less(ticks, off), now.waits != polling->last.waits};
    polling->last = now;
    return gap;
}

static int is_work(struct gap gap)
{
    return gap.on > gap.ticks / 2;
}

/* Tells what of a gap was waiting, where the thread had no processor for most of it. spare is what the kernel
 * takes to give it one, and more if others came in between. */
static uint64_t waited_off(struct gap gap)
{
    uint64_t spare = (gap.slept ? 1 : SWITCHES) * papi_mpi.look + at_most(gap.ticks / 64, 2 * papi_mpi.look);
    if (gap.slept)
        return gap.on > spare ? gap.ticks - gap.on : gap.ticks;
    if (gap.on > spare) {
        taken_certainly(&mpi_thread.polling.taken, gap.on);
        return 0;
    }
    return gap.ticks - taken_from_work(&mpi_thread.polling.taken, gap.on, gap.ticks);
}

/* Tells what of the ticks between a test that failed and the next one was waiting. Middling ones are put
 * together, until it is worth a look at the processor time. */
static uint64_t waited(struct thread_record *thread, enum call call, uint64_t took)
{
    struct polling *polling = &mpi_thread.polling;
    uint64_t ticks = polling->gap, pending = polling->pending + ticks;
    if (ticks <= limit_of(polling, call)) {
        taken_tested(&polling->taken, ticks);
        return ticks;
    }
    if (ticks < papi_mpi.look) {
        taken_worked(&polling->taken, ticks);
        polling->pending = pending < papi_mpi.look ? pending : 0;
        if (polling->pending > 0)
            return 0;
    } else {
        polling->pending = 0; /* which was work */
        pending = ticks;
    }
    struct gap gap = look_at(thread, call, took, pending);
    if (!is_work(gap))
        return waited_off(gap);
    if (ticks == pending)
        taken_worked(&polling->taken, gap.on);
    return 0;
}

static void add_ticks(struct thread_record *thread, enum call call, uint64_t ticks)
{
    thread->call[call].ticks += ticks;
    thread->mpi_ticks += ticks;
    if (mpi_thread.site != NULL)
        mpi_thread.site->ticks += ticks;
}

/* Adds waiting from the test that failed last to this one, which is in the thread's record already. */
static void add_waiting(struct thread_record *thread, enum call call, uint64_t took, uint64_t ticks)
{
    uint64_t gap = mpi_thread.polling.gap, now = thread->since - took;
    if (ticks == 0)
        return;
    ticks = polling_without_own(thread, ticks);
    add_ticks(thread, call, ticks);
    thread->tested_ticks += ticks;
    between_waited(thread, ticks, now);
    if (unlikely(now >= papi_mpi.timeline_next))
        timeline_step(thread, call, now - at_most(ticks, gap), now);
}

static void begin_anew(struct polling *polling)
{
    polling->failed = -1;
    polling->neighbours = 0;
}

struct thread_record *polling_thread(int tests)
{
    struct thread_record *thread = rank_thread();
    if (!tests)
        begin_anew(&mpi_thread.polling);
    mpi_thread.quick = thread;
    if (thread != NULL && thread->between.tid != 0)
        between_call_begins(thread);
    return thread;
}

/* Takes out of all times what a reading has taken since the call ended, but for what it lost its processor
 * for, as it often does: that is the call's, as if it had been lost there. */
static void take_reading_out(struct thread_record *thread, enum call call)
{
    uint64_t now = clock_ticks(), ticks = less(now, thread->since), own = at_most(ticks, papi_mpi.look);
    if (mpi_thread.polling.last.ticks <= thread->since)
        return;
    thread->own_ticks += (int64_t)own;
    add_ticks(thread, call, ticks - own);
    mpi_thread.polling.last.ticks = thread->since = now;
    mpi_thread.polling.last.mpi_ticks = thread->mpi_ticks;
}

/* A test that fails, and is no neighbour of another one. The processor time is read if that is a while ago,
 * so that what was before is not taken for something between tests. */
static void begin_tests(struct thread_record *thread)
{
    struct polling *polling = &mpi_thread.polling;
    polling->begun = thread->mpi_ticks;
    polling->remembered = quick_ticks(thread);
    polling->pending = 0;
    if (thread->since - polling->last.ticks > OLD * papi_mpi.look)
        polling->last = read_processor(thread);
}

static void go_on(struct thread_record *thread, enum call call, uint64_t took)
{
    struct polling *polling = &mpi_thread.polling;
    taken_tested(&polling->taken, less(quick_ticks(thread), polling->remembered));
    add_waiting(thread, call, took, waited(thread, call, took));
    if (took >= papi_mpi.look) /* it may have lost its processor there */
        polling->last = read_processor(thread);
    polling->remembered = quick_ticks(thread);
}

static void note_failure(struct polling *polling, enum call call, uint64_t took)
{
    learn(polling, call, took);
    polling->failed = (int32_t)call;
    polling->neighbours = mpi_thread.tests != NULL;
    mpi_thread.quick = NULL; /* the next call, if it is no test, comes to polling_thread */
}

void polling_tested(struct thread_record *thread, enum call call, uint64_t took, int found)
{
    struct polling *polling = &mpi_thread.polling;
    const struct rank_record *record = papi_mpi.record;
    if (record == NULL)
        return;
    uint64_t paused = atomic_load_explicit(&record->paused, memory_order_relaxed);
    if (polling->failed < 0 || polling->paused != paused)
        begin_tests(thread);
    else if (polling->gap != POLLING_COUNTED)
        go_on(thread, call, took);
    polling->paused = paused;
    begin_anew(polling);
    mpi_thread.quick = mpi_thread.tests;
    if (!found)
        note_failure(polling, call, took);
    take_reading_out(thread, call);
}

void polling_begin(struct thread_record *thread)
{
    struct polling *polling = &mpi_thread.polling;
    begin_anew(polling);
    taken_begin(&polling->taken);
    mpi_thread.quick = mpi_thread.tests = thread;
    for (int i = 0; i < KNOWN_TESTS; i++)
        polling->known[i].call = -1;
    polling->last = read_processor(thread);
}
