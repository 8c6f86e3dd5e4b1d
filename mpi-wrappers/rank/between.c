/* SPDX-License-Identifier: BSD-3-Clause */
#include "rank/between.h"

#include "base/likely.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Ticks after which the processor time is read again: 200 microseconds. */
static uint64_t every(void)
{
    return 4 * papi_mpi.look;
}

static uint64_t less(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* ---- a reading */

/* The clock of another thread of this process, as the kernel numbers them. */
static clockid_t clock_of(int32_t tid)
{
    return (clockid_t)(~(uint32_t)tid << 3 | 6u);
}

/* Processor time; 0: there is no such thread any more. */
static uint64_t processor_ns(clockid_t clock)
{
    struct timespec now = {0, 0};
    if (clock_gettime(clock, &now) != 0)
        return 0;
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Ticks for which a thread could have run, but others did; 0: the kernel does not count them. Some
 * microseconds. */
static uint64_t delay_of(int32_t tid)
{
    char path[64], text[128];
    unsigned long long on = 0, delay = 0;
    int error = errno;
    snprintf(path, sizeof path, "/proc/self/task/%d/schedstat", tid);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = file >= 0 ? read(file, text, sizeof text - 1) : -1;
    if (file >= 0)
        close(file);
    errno = error;
    text[n > 0 ? n : 0] = '\0';
    return sscanf(text, "%llu %llu", &on, &delay) == 2 ? clock_in_ticks(delay) : 0;
}

/* The calling thread, as the kernel knows it. */
struct sight {
    uint64_t on, delay; /* ticks */
    int64_t waits;
};

/* A thread that did not wait for anything was without a processor only because others had it: then the delay
 * is known without asking for it. */
static struct sight sight_now(const struct between *before, uint64_t now)
{
    struct rusage usage = {.ru_nvcsw = 0};
    getrusage(RUSAGE_THREAD, &usage);
    struct sight sight = {.on = clock_in_ticks(processor_ns(CLOCK_THREAD_CPUTIME_ID)),
                          .waits = usage.ru_nvcsw};
    if (sight.waits == before->read_waits && before->read_at != 0)
        sight.delay = before->read_delay + less(less(now, before->read_at), less(sight.on, before->read_on));
    else
        sight.delay = delay_of(before->tid);
    return sight;
}

/* Ticks until now that are not the thread's. */
static uint64_t left_out(const struct rank_record *record, const struct thread_record *thread, uint64_t now)
{
    uint64_t of_main = record_is_main(record, thread) ? 0 : atomic_load(&record->left_out);
    return less(record_paused(record, now), of_main);
}

/* Divides the time since the last reading outside of calls. unknown: ticks in a call of which it is not known
 * how long that kept its processor. */
static struct thread_time divide(const struct rank_record *record, const struct thread_record *thread,
                                 struct sight sight, uint64_t now, uint64_t unknown)
{
    const struct between *between = &thread->between;
    uint64_t calls = less(thread->mpi_ticks, between->read_mpi);
    uint64_t all = less(less(now, between->read_at), less(left_out(record, thread, now), between->read_left));
    uint64_t gaps = less(all, calls);
    uint64_t ready = less(sight.on, between->read_on) + less(sight.delay, between->read_delay);
    uint64_t on = least(less(ready, less(calls, unknown)), gaps);
    return (struct thread_time){on, gaps - on, calls};
}

static void read_now(const struct rank_record *record, struct thread_record *thread, struct sight sight,
                     uint64_t now)
{
    struct between *between = &thread->between;
    between->read_on = sight.on;
    between->read_delay = sight.delay;
    between->read_waits = sight.waits;
    between->read_mpi = thread->mpi_ticks;
    between->read_left = left_out(record, thread, now);
    between->read_at = now;
    between->sampled = 0;
}

static void settle(const struct rank_record *record, struct thread_record *thread, uint64_t now,
                   uint64_t unknown)
{
    struct between *between = &thread->between;
    struct sight sight = sight_now(between, now);
    struct thread_time time = divide(record, thread, sight, now, unknown);
    if (time.on + time.off > 0) {
        between->last_on = time.on;
        between->last_off = time.off;
    }
    between->on += time.on;
    between->off += time.off;
    read_now(record, thread, sight, now);
}

/* ---- a thread */

void between_begin(struct rank_record *record, struct thread_record *thread)
{
    struct between *between = &thread->between;
    if (!record->measured)
        return;
    uint64_t now = clock_ticks();
    between->tid = (int32_t)syscall(SYS_gettid);
    between->read_at = 0;
    struct sight sight = sight_now(between, now);
    if (!record_is_main(record, thread)) /* it worked before its first call */
        between->on += least(sight.on + sight.delay, less(now, record->begin));
    between->last_on = between->last_off = 0;
    read_now(record, thread, sight, now);
    mpi_thread.quick = mpi_thread.tests = NULL;
}

void between_end(struct thread_record *thread)
{
    if (papi_mpi.record == NULL || thread->between.tid == 0)
        return;
    if (thread->inside < 0 && atomic_load(&papi_mpi.record->state) == RANK_RUNS)
        settle(papi_mpi.record, thread, clock_ticks(), 0);
    thread->between.tid = 0;
}

/* ---- calls */

void between_call_ended(struct thread_record *thread, uint64_t took, uint64_t now)
{
    const struct rank_record *record = papi_mpi.record;
    mpi_thread.quick = NULL; /* the next call begins with between_call_begins */
    if (record == NULL || now - thread->between.read_at < every())
        return;
    settle(record, thread, now, took);
    thread->between.sampled = 1;
}

void between_call_begins(struct thread_record *thread)
{
    const struct rank_record *record = papi_mpi.record;
    uint64_t now = clock_ticks();
    if (record != NULL && (thread->between.sampled || now - thread->between.read_at >= every()))
        settle(record, thread, now, 0);
}

/* Does nothing where no reading came since: these ticks are in mpi_ticks at the next one. */
void between_waited(struct thread_record *thread, uint64_t ticks, uint64_t begin)
{
    struct between *between = &thread->between;
    if (between->tid == 0 || between->read_at < begin)
        return;
    uint64_t off = least(ticks, between->last_off), on = least(ticks - off, between->last_on);
    between->last_off -= off;
    between->last_on -= on;
    between->off -= off;
    between->on -= on;
    between->read_mpi += ticks;
}

/* ---- looks from outside of calls */

/* The main thread looks at another one, which may go on meanwhile. */
static void look(const struct rank_record *record, struct thread_record *thread, uint64_t now)
{
    struct between *between = &thread->between;
    int32_t inside = __atomic_load_n(&thread->inside, __ATOMIC_RELAXED);
    uint64_t since = thread->since, calls = thread->calls, read_at = between->read_at;
    between->seen_read = 0;
    between->seen_mpi = inside >= 0 ? less(now, since) : 0;
    between->seen_calls = calls;
    uint64_t ns = inside < 0 ? processor_ns(clock_of(between->tid)) : 0;
    if (ns == 0)
        return;
    struct thread_time time = divide(
        record, thread, (struct sight){.on = clock_in_ticks(ns), .delay = delay_of(between->tid)}, now, 0);
    between->seen_on = time.on;
    between->seen_off = time.off;
    between->seen_read = read_at;
}

void between_update_own(struct rank_record *record)
{
    struct thread_record *own = mpi_thread.record;
    if (own != NULL && own->between.tid != 0)
        settle(record, own, clock_ticks(), 0);
}

void between_update(struct rank_record *record)
{
    const struct thread_record *own = mpi_thread.record;
    if (own == NULL || own->between.tid == 0)
        return;
    between_update_own(record);
    if (!record_is_main(record, own))
        return;
    uint64_t now = clock_ticks();
    for (int i = 0; i < record_thread_count(record); i++) {
        struct thread_record *thread = record_thread_at(record, i);
        if (thread != own && thread->between.tid != 0)
            look(record, thread, now);
    }
}

void between_waits(void)
{
    struct rank_record *record = papi_mpi.record;
    struct thread_record *thread = mpi_thread.record;
    if (record == NULL || thread == NULL || thread->between.tid == 0)
        return;
    struct between *between = &thread->between;
    uint64_t now = clock_ticks(), calls = less(thread->mpi_ticks, between->read_mpi);
    between->off += less(less(now, between->read_at), calls);
    read_now(record, thread, sight_now(between, now), now);
}
