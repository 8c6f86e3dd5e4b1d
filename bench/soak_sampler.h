/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stddef.h>

/* CPU-CLOCK of the calling thread with a sample each PERIOD, straight from the kernel. */
struct sampler {
    int fd;
    size_t page;
    struct perf_event_mmap_page *ring;
    volatile long long samples; /* taken since the start */
    volatile long long lost;    /* samples, by the kernel's own records */
    volatile long long losses;  /* records that say that some are missing */
};

/* signal: what the thread gets for each sample; 0: nothing. 0: the kernel refuses, and errno says why. */
int sampler_open(struct sampler *sampler, int signal);
void sampler_close(struct sampler *sampler);

void sampler_start(struct sampler *sampler);
void sampler_stop(struct sampler *sampler);
long long sampler_read(const struct sampler *sampler);

/* Counts what is in the ring. In a signal handler too. */
void sampler_take(struct sampler *sampler);
