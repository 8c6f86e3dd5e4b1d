/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PAPI_PERF_EVENT_SAMPLES_H
#define PAPI_PERF_EVENT_SAMPLES_H

#include "components/component.h"
#include <linux/perf_event.h>
#include <signal.h>

/* Overflows as the kernel tells them: every period counts it writes a sample into the counter's
 * buffer and sends the thread a signal. The buffer has every sample, so that signals may merge. */

/* Not a real-time signal: those are queued, and where the queue is full (RLIMIT_SIGPENDING) the kernel
 * sends SIGIO in their place, which ends a program that does not expect it. This one is pending or
 * it is not, which is enough; no kernel, C library or program has another use for it. */
#ifdef SIGSTKFLT
enum { OVERFLOW_SIGNAL = SIGSTKFLT };
#else
enum { OVERFLOW_SIGNAL = SIGIO };
#endif

struct sampled_counter {
    bool user_only;                    /* it does not count the kernel */
    uint64_t period;                   /* 0: it does not overflow */
    struct perf_event_mmap_page *ring; /* the counter's page, and the buffer behind it */
    uint32_t pages;                    /* of the buffer: a power of two */
    const char *buffer;                /* and its size in bytes */
    uint64_t size;
    bool full;  /* it had no room left, and how much was lost is still to come */
    bool stale; /* what comes is of an earlier run */
};

/* The overflows of one group. */
struct overflows {
    struct sampled_counter counter[MAX_COUNTERS];
    int next;           /* whose sample is taken next: each has its turn */
    uint64_t lost;      /* samples for which the buffer had no room */
    uint64_t throttled; /* how often the kernel stopped a counter for a while */
};

/* Whether the kernel can keep up with such a period. PAPI_EINVAL. */
int overflows_allow(const struct event_encoding *event, uint64_t period, struct reason *why);

/* Asks for samples. */
void overflows_describe(uint64_t period, struct perf_event_attr *attr);

/* Maps the buffer of an open counter and directs its signal to the calling thread. */
int overflows_map(struct sampled_counter *counter, const char *root, int fd, bool user_only,
                  struct reason *why);
void overflows_unmap(struct sampled_counter *counter);

/* Fewer counts than the instructions of a signal's handling. */
static inline bool overflows_small(const struct sampled_counter *counter)
{
    enum { SMALL = 2000 };
    return counter->period != 0 && counter->period <= SMALL;
}

/* Before a start: the periods start again and the buffers are empty. */
int overflows_arm(struct overflows *overflows, const int *fd, int n, struct reason *why);

/* A number that grows with each sample that is written. */
uint64_t overflows_written(const struct overflows *overflows, int n);

/* The next sample; false: none. */
bool overflows_take(struct overflows *overflows, int n, int *counter, uint64_t *address);

/* After a stop: PAPI_ECLOST where samples or counts are missing. */
int overflows_check(const struct overflows *overflows, int n, struct reason *why);

#endif
