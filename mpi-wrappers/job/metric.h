/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PAPI_MPI_METRIC_H
#define PAPI_MPI_METRIC_H

#include <stdint.h>

/* One figure of all ranks, in a block of fixed size, integers only: merging two blocks is associative
 * and commutative to the last bit, whatever the tree of a reduction looks like. */

enum { METRIC_BUCKETS = 256, METRIC_EXTREMES = 8 };

struct wide {
    uint64_t low, high; /* 128 bits */
};

struct metric_extreme {
    uint64_t value;
    uint64_t rank;
};

struct metric {
    uint64_t count;
    struct wide sum, squares; /* squares is a sum modulo 2^128 */
    /* Sorted: by value, then by rank. Of the first count of them, at most METRIC_EXTREMES. */
    struct metric_extreme smallest[METRIC_EXTREMES], largest[METRIC_EXTREMES];
    uint32_t bucket[METRIC_BUCKETS]; /* log-linear, four to an octave: see metric_bucket */
};

void metric_clear(struct metric *metric);
void metric_add(struct metric *metric, uint64_t value, uint64_t rank);
void metric_merge(struct metric *into, const struct metric *from);

/* 0 to METRIC_BUCKETS - 1, and the smallest value of a bucket. */
int metric_bucket(uint64_t value);
uint64_t metric_bucket_start(int bucket);

double metric_sum(const struct metric *metric);
double metric_mean(const struct metric *metric);
double metric_deviation(const struct metric *metric); /* of the whole population */
/* max/mean - 1; 0 where nothing was counted. */
double metric_imbalance(const struct metric *metric);
/* part 0 to 1. Exact for up to 2 * METRIC_EXTREMES ranks, otherwise within one bucket: 12.5 %. */
double metric_quantile(const struct metric *metric, double part);

#endif
