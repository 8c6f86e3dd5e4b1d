/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Overflows by the kernel's samples.
 *
 * A counter that overflows has the kernel write a record with the instruction's address into the counter's
 * ring buffer, and send OVERFLOW_SIGNAL to the thread. The signal is not queued: one may stand for many
 * records, of several counters, and may come when an earlier handler has taken them all. So a handler takes
 * whatever records there are, from one ring after the other in turn (next), so that a frequent event does not
 * keep a rare one waiting. The kernel writes at data_head, which is read with acquire, and reuses what lies
 * before data_tail, which is written with release; both count bytes since the start and never wrap, and only
 * their lower bits are a place.
 *
 * A ring that is full loses records. The kernel says how many in a record of type LOST, but only when it
 * writes the next one: after a stop, that a ring was full is all that is known, and enough for PAPI_ECLOST. A
 * LOST record that comes first in the next run is about the one before (stale) and is not counted again. A
 * kernel that throttles the event stops the counter itself: then counts are missing, too.
 */
#include "components/perf_event/samples.h"
#include "base/sysroot.h"
#include "components/perf_event/perf_group.h"
#include "papi.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { MOST_PAGES = 8, SAMPLE_SIZE = 16 /* a header and the address */ };

/* Software clocks overflow by a timer of the kernel, which raises a period below 10 microseconds to
 * that without a word. Where a timer's interrupt costs as much, as in many virtual machines, the
 * program stands still. */
enum { LEAST_CLOCK_PERIOD = 100000 };

int overflows_allow(const struct event_encoding *event, uint64_t period, struct reason *why)
{
    bool clock = event->type == PERF_TYPE_SOFTWARE &&
                 (event->config == PERF_COUNT_SW_TASK_CLOCK || event->config == PERF_COUNT_SW_CPU_CLOCK);
    if (period != 0 && clock && period < LEAST_CLOCK_PERIOD)
        return reason_set(why, PAPI_EINVAL, "a clock of the kernel overflows every %d ns at the most often",
                          (int)LEAST_CLOCK_PERIOD);
    return PAPI_OK;
}

void overflows_describe(uint64_t period, int precise, struct perf_event_attr *attr)
{
    attr->precise_ip = (unsigned)precise & 3;
    attr->sample_period = period;
    attr->sample_type = PERF_SAMPLE_IP;
    attr->wakeup_events = 1;
}

/* ---- map */

static int no_buffer(const char *root, int error, struct reason *why)
{
    long long limit = 0;
    if (error != EPERM)
        return reason_set(why, error == ENOMEM ? PAPI_ENOMEM : PAPI_ESYS,
                          "the buffer for samples cannot be mapped: %s", strerror(error));
    sysroot_number(root, "/proc/sys/kernel/perf_event_mlock_kb", &limit);
    return reason_set(why, PAPI_ENOMEM,
                      "all the memory that this user may have for samples is in use "
                      "(kernel.perf_event_mlock_kb is %lld for each processor): raise it, or the limit of "
                      "locked memory (ulimit -l)",
                      limit);
}

/* Maps a ring for samples, as large as the kernel allows now: it limits what all programs of a user map
 * together. */
int overflows_map(struct sampled_counter *counter, const char *root, int fd, bool user_only,
                  struct reason *why)
{
    counter->user_only = user_only;
    for (uint32_t pages = MOST_PAGES; counter->ring == NULL && pages > 0; pages /= 2) {
        counter->ring = sys_map(fd, pages);
        counter->pages = pages;
    }
    if (counter->ring == NULL)
        return no_buffer(root, errno, why);
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    counter->buffer = (const char *)counter->ring + page;
    counter->size = counter->pages * page;
    int code = sys_send_signal(fd, OVERFLOW_SIGNAL, why);
    if (code != PAPI_OK)
        overflows_unmap(counter);
    return code;
}

void overflows_unmap(struct sampled_counter *counter)
{
    sys_unmap(counter->ring, counter->pages);
    counter->ring = NULL;
}

/* ---- buffers */

/* The kernel writes at head; what lies before it is complete once head was read. */
static uint64_t head_of(const struct sampled_counter *counter)
{
    return __atomic_load_n(&counter->ring->data_head, __ATOMIC_ACQUIRE);
}

static uint64_t tail_of(const struct sampled_counter *counter)
{
    return counter->ring->data_tail;
}

/* Gives the kernel what lies before tail. */
static void set_tail(struct sampled_counter *counter, uint64_t tail)
{
    __atomic_store_n(&counter->ring->data_tail, tail, __ATOMIC_RELEASE);
}

/* Records are made of such words, and a word does not lie across the end. */
static uint64_t word_at(const struct sampled_counter *counter, uint64_t at)
{
    uint64_t word;
    memcpy(&word, counter->buffer + (at & (counter->size - 1)), sizeof word);
    return word;
}

/* Linux on POWER takes an event of the processor whose period was set for one whose period is over: it makes
 * a sample at the first count, from which it then counts whole periods. */
#if defined(__powerpc64__)
enum { FIRST_IS_EARLY = true };
#else
enum { FIRST_IS_EARLY = false };
#endif

int overflows_arm(struct counter_group *base, struct reason *why)
{
    struct kernel_group *group = kernel_group(base);
    int code = PAPI_OK;
    for (int i = 0; i < base->n_counters && code == PAPI_OK; i++) {
        struct sampled_counter *counter = &group->overflows.counter[i];
        if (counter->ring == NULL)
            continue;
        set_tail(counter, head_of(counter));
        counter->stale = counter->stale || counter->full;
        counter->full = false;
        counter->early = FIRST_IS_EARLY && is_hardware_event(&group->event[i]) && counter->period > 1;
        code = sys_set_period(group->fd[i], counter->period, why);
    }
    group->overflows.lost = group->overflows.throttled = 0;
    group->overflows.next = 0;
    return code;
}

uint64_t overflows_written(const struct counter_group *base)
{
    const struct sampled_counter *counter = kernel_group(base)->overflows.counter;
    uint64_t sum = 0;
    for (int i = 0; i < base->n_counters; i++)
        if (counter[i].ring != NULL)
            sum += head_of(&counter[i]);
    return sum;
}

/* Reads a record; true: it is a sample at the end of a period. */
static bool take_record(struct overflows *overflows, struct sampled_counter *counter, uint64_t *address)
{
    uint64_t tail = tail_of(counter), word = word_at(counter, tail);
    struct perf_event_header header;
    memcpy(&header, &word, sizeof header);
    switch (header.type) {
    case PERF_RECORD_SAMPLE:
        *address = word_at(counter, tail + sizeof header);
        /* The interrupt came late, when the kernel was entered already. */
        if (counter->user_only && (header.misc & PERF_RECORD_MISC_CPUMODE_MASK) != PERF_RECORD_MISC_USER)
            *address = 0;
        break;
    case PERF_RECORD_LOST: /* its second word after the event's number */
        if (!counter->stale)
            overflows->lost += word_at(counter, tail + sizeof header + sizeof word);
        counter->stale = counter->full = false;
        break;
    case PERF_RECORD_THROTTLE:
        overflows->throttled++;
        break;
    default:
        break;
    }
    set_tail(counter, tail + header.size);
    if (header.type != PERF_RECORD_SAMPLE)
        return false;
    bool counts = !counter->early;
    counter->early = false;
    return counts;
}

static bool take_from(struct overflows *overflows, struct sampled_counter *counter, uint64_t *address)
{
    uint64_t head = head_of(counter);
    /* A byte at least is always left free. */
    if (head - tail_of(counter) + SAMPLE_SIZE >= counter->size)
        counter->full = true;
    while (tail_of(counter) != head)
        if (take_record(overflows, counter, address))
            return true;
    return false;
}

bool overflows_take(struct counter_group *base, int *counter, uint64_t *address)
{
    struct overflows *overflows = &kernel_group(base)->overflows;
    for (int k = 0, n = base->n_counters; k < n; k++) {
        int i = (overflows->next + k) % n;
        if (overflows->counter[i].ring != NULL && take_from(overflows, &overflows->counter[i], address)) {
            *counter = i;
            overflows->next = (i + 1) % n;
            return true;
        }
    }
    return false;
}

int overflows_precision(const struct counter_group *base)
{
    const struct sampled_counter *counter = kernel_group(base)->overflows.counter;
    int least = -1;
    for (int i = 0; i < base->n_counters; i++)
        if (counter[i].period != 0 && (least < 0 || counter[i].precise < least))
            least = counter[i].precise;
    return least;
}

/* ---- losses */

/* The processor's events happen in a signal's handling too, some for each of its instructions: a period of
 * fewer counts than that has may not end. */
bool overflows_may_not_end(const struct counter_group *base)
{
    enum { SMALL = 2000 };
    const struct kernel_group *group = kernel_group(base);
    for (int i = 0; i < base->n_counters; i++)
        if (is_hardware_event(&group->event[i]) && group->overflows.counter[i].period - 1 < SMALL)
            return true;
    return false;
}

int overflows_check(const struct counter_group *base, struct reason *why)
{
    const struct overflows *overflows = &kernel_group(base)->overflows;
    if (overflows->throttled > 0)
        return reason_set(
            why, PAPI_ECLOST,
            "the kernel stopped an overflowing counter %llu times for a while, and counts are "
            "missing: it overflowed more often than kernel.perf_event_max_sample_rate allows; use "
            "a larger threshold",
            (unsigned long long)overflows->throttled);
    if (overflows->lost > 0)
        return reason_set(why, PAPI_ECLOST,
                          "%llu overflows found no room in their buffer: the program blocked signal %d for "
                          "long, or its handler is slow; use a larger threshold",
                          (unsigned long long)overflows->lost, (int)OVERFLOW_SIGNAL);
    for (int i = 0; i < base->n_counters; i++)
        if (overflows->counter[i].full)
            return reason_set(why, PAPI_ECLOST,
                              "the buffer of overflows was full, and some may be lost: the program blocked "
                              "signal %d for long, or its handler is slow; use a larger threshold",
                              (int)OVERFLOW_SIGNAL);
    return PAPI_OK;
}
