/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "components/component.h"
#include <linux/perf_event.h>

/* Overflows as the kernel tells them: every period counts it writes a sample into the counter's
 * buffer and sends the thread a signal. The buffer has every sample, so that signals may merge. */

struct sampled_counter {
    bool user_only;                    /* it does not count the kernel */
    uint64_t period;                   /* 0: it does not overflow */
    int precise;                       /* the kernel's precise_ip */
    struct perf_event_mmap_page *ring; /* the counter's page, and the buffer behind it */
    uint32_t pages;                    /* of the buffer: a power of two */
    const char *buffer;                /* and its size in bytes */
    uint64_t size;
    bool full;  /* it had no room left, and how much was lost is still to come */
    bool stale; /* the next record is of an earlier run */
    bool early; /* the next sample is of no period */
};

/* The overflows of one group. */
struct overflows {
    struct sampled_counter counter[MAX_COUNTERS];
    int next;           /* whose sample is taken next: each has its turn */
    uint64_t lost;      /* samples for which the buffer had no room */
    uint64_t throttled; /* times that the kernel stopped a counter for a while */
};

/* PAPI_OK if the kernel can keep up with overflows of such a period, PAPI_EINVAL if not, with why. */
int overflows_allow(const struct event_encoding *event, uint64_t period, struct reason *why);

/* Asks for samples. */
void overflows_describe(uint64_t period, int precise, struct perf_event_attr *attr);

/* Maps the buffer of an open counter and directs its signal to the calling thread. */
int overflows_map(struct sampled_counter *counter, const char *root, int fd, bool user_only,
                  struct reason *why);
void overflows_unmap(struct sampled_counter *counter);

/* Functions of a kernel_group for struct group_ops' overflows. */
int overflows_arm(struct counter_group *group, struct reason *why);
uint64_t overflows_written(const struct counter_group *group);
bool overflows_take(struct counter_group *group, int *counter, uint64_t *address);
int overflows_precision(const struct counter_group *group);
bool overflows_may_not_end(const struct counter_group *group);
int overflows_check(const struct counter_group *group, struct reason *why);
