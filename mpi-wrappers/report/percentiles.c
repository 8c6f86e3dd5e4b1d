/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/percentiles.h"

#include <stdlib.h>

static int by_value(const void *a, const void *b)
{
    uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;
    return one < other ? -1 : one > other;
}

/* Between its neighbours, as metric_quantile does it. */
static double at(const uint64_t *sorted, uint64_t n, double part)
{
    double place = part * (double)(n - 1);
    uint64_t low = (uint64_t)place;
    double value = (double)sorted[low];
    return low + 1 < n ? value + (place - (double)low) * ((double)sorted[low + 1] - value) : value;
}

/* All values, from the rows; NULL where the rows are not what the metric was made of. */
static uint64_t *values(const struct job *job, int metric)
{
    uint64_t wanted = job->metric[metric].count, n = 0;
    if (job->row == NULL || job->n_rows < wanted || !job_in_rows(job, metric))
        return NULL;
    uint64_t *value = malloc(job->n_rows * sizeof *value);
    for (uint64_t i = 0; value != NULL && i < job->n_rows; i++)
        if (job->row[i].value[metric] != ROW_NONE)
            value[n++] = job->row[i].value[metric];
    if (n == 0 || n != wanted) {
        free(value);
        return NULL;
    }
    qsort(value, n, sizeof *value, by_value);
    return value;
}

struct percentiles percentiles_of(const struct job *job, int metric)
{
    const struct metric *from = &job->metric[metric];
    uint64_t *sorted = from->count > 2 * METRIC_EXTREMES ? values(job, metric) : NULL;
    const double part[] = {0.05, 0.25, 0.5, 0.75, 0.95};
    double found[5];
    for (int i = 0; i < 5; i++)
        found[i] = sorted != NULL ? at(sorted, from->count, part[i]) : metric_quantile(from, part[i]);
    struct percentiles percentiles = {found[0], found[1],
                                      found[2], found[3],
                                      found[4], sorted != NULL || from->count <= 2 * METRIC_EXTREMES};
    free(sorted);
    return percentiles;
}

double percentiles_fence(const struct percentiles *percentiles)
{
    /* The middle half of a normal distribution is 1.349 deviations wide. The floor: values that are all
     * but equal have no outliers for a difference that nobody would look at, and a quantile that is known
     * to a bucket says no more. */
    double deviation = (percentiles->p75 - percentiles->p25) / 1.349;
    double floor = percentiles->p50 * (percentiles->exact ? 0.02 : 0.07);
    return 5 * (deviation > floor ? deviation : floor);
}
