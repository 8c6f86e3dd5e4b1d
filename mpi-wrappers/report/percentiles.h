/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "job/job.h"

#include <stdbool.h>

/* How the ranks' values of a metric lie. */
struct percentiles {
    double p5, p25, p50, p75, p95;
    bool exact; /* from few ranks or from rows; otherwise within a bucket of the histogram, 12.5 % */
};

struct percentiles percentiles_of(const struct job *job, int metric);

/* Where ranks stand out, judged by the middle half of all: what is further from the median is an outlier. */
double percentiles_fence(const struct percentiles *percentiles);
