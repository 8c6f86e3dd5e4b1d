/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

/* A metric of all ranks, in a block of fixed size, integers only: merging two blocks is associative and
 * commutative to the last bit, whatever the tree of a reduction looks like. */

enum {
    METRIC_BUCKETS = 256,
    METRIC_BUCKET_LAST = 251, /* that a value can be in */
    METRIC_EXTREMES = 8,
    WIDE_TEXT = 40 /* the digits of 128 bits, and \0 */
};

__extension__ typedef unsigned __int128 uint128;

struct metric_extreme {
    uint64_t value;
    uint64_t rank;
};

struct metric {
    uint64_t count;
    uint128 sum, squares; /* squares is a sum modulo 2^128 */
    /* The first count of them, at most METRIC_EXTREMES; the others are 0. The smallest and the largest value
     * is first, and the lower rank where values are the same. */
    struct metric_extreme smallest[METRIC_EXTREMES], largest[METRIC_EXTREMES];
    uint32_t bucket[METRIC_BUCKETS]; /* log-linear, four to an octave: see metric_bucket */
};

void metric_add(struct metric *metric, uint64_t value, uint64_t rank);
void metric_merge(struct metric *into, const struct metric *from);

/* 0 to METRIC_BUCKET_LAST, and the smallest value of a bucket (UINT64_MAX beyond the last one). */
int metric_bucket(uint64_t value);
uint64_t metric_bucket_start(int bucket);

double metric_sum(const struct metric *metric);
double metric_mean(const struct metric *metric);
double metric_deviation(const struct metric *metric); /* of the whole population */
/* The imbalance: max/mean - 1; 0 where nothing was counted. */
double metric_imbalance(const struct metric *metric);
/* The quantile at part, 0 to 1, between two ranks' values in proportion; 0 where nothing was counted. Exact
 * for up to 2 * METRIC_EXTREMES ranks, otherwise at most half a bucket away: 12.5 %. */
double metric_quantile(const struct metric *metric, double part);

/* Write a number in decimal digits, and read it. The text begins at what wide_text returns; wide_read returns
 * 0, or -1 where text is not such a number. */
const char *wide_text(uint128 wide, char text[WIDE_TEXT]);
int wide_read(uint128 *wide, const char *text);
