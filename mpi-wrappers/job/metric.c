/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Statistics of a value over all ranks, without keeping the values.
 *
 * Count, sum and sum of squares are integers, of 128 bits where 64 do not do, so that the order of merging
 * shows nowhere. The variance is made of the sum of (value - m)^2 with an integer m next to the mean,
 * calculated modulo 2^128 from the sums: it has none of the cancellation that the textbook's formula has in
 * floating point, and stays right after the sum of squares has wrapped, as long as the true result fits;
 * beyond that, the histogram estimates it.
 *
 * The histogram has four buckets for each power of two, from 0 to 2^64, so that a value is known to an
 * eighth. With the eight smallest and the eight largest values, which are kept with their ranks, quantiles
 * are exact for up to 16 ranks and at both ends of any job, and within half a bucket between.
 */
#include "job/metric.h"
#include "job/job.h"
#include "metrics/metrics.h"
#include "papi.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static int kept(const struct metric *metric)
{
    return metric->count < METRIC_EXTREMES ? (int)metric->count : METRIC_EXTREMES;
}

/* True if a comes before b among the smallest; among the largest with down. The lower rank is first where
 * values are the same, so that no order of merging shows. */
static int before(const struct metric_extreme *a, const struct metric_extreme *b, int down)
{
    if (a->value != b->value)
        return down ? a->value > b->value : a->value < b->value;
    return a->rank < b->rank;
}

static void merge_extremes(struct metric_extreme *into, int n_into, const struct metric_extreme *from,
                           int n_from, int down)
{
    struct metric_extreme merged[METRIC_EXTREMES] = {{0, 0}};
    int i = 0, j = 0;
    for (int k = 0; k < METRIC_EXTREMES && (i < n_into || j < n_from); k++) {
        if (j == n_from || (i < n_into && before(&into[i], &from[j], down)))
            merged[k] = into[i++];
        else
            merged[k] = from[j++];
    }
    memcpy(into, merged, sizeof(merged));
}

void metric_add(struct metric *metric, uint64_t value, uint64_t rank)
{
    const struct metric_extreme one = {value, rank};
    int n = kept(metric);
    merge_extremes(metric->smallest, n, &one, 1, 0);
    merge_extremes(metric->largest, n, &one, 1, 1);
    metric->count++;
    metric->sum += value;
    metric->squares += (uint128)value * value;
    metric->bucket[metric_bucket(value)]++;
}

void metric_merge(struct metric *into, const struct metric *from)
{
    int n_into = kept(into), n_from = kept(from);
    if (n_from == 0)
        return;
    merge_extremes(into->smallest, n_into, from->smallest, n_from, 0);
    merge_extremes(into->largest, n_into, from->largest, n_from, 1);
    into->count += from->count;
    into->sum += from->sum;
    into->squares += from->squares;
    for (int i = 0; i < METRIC_BUCKETS; i++)
        into->bucket[i] += from->bucket[i];
}

/* 0 to 3 have a bucket each; then the two bits behind the highest one say which quarter of the octave. */
int metric_bucket(uint64_t value)
{
    if (value < 4)
        return (int)value;
    int octave = 63 - __builtin_clzll(value);
    return 4 * (octave - 1) + (int)(value >> (octave - 2) & 3);
}

uint64_t metric_bucket_start(int bucket)
{
    if (bucket < 4)
        return (uint64_t)bucket;
    if (bucket > METRIC_BUCKET_LAST)
        return UINT64_MAX;
    return (uint64_t)(4 + bucket % 4) << (bucket / 4 - 1);
}

double metric_sum(const struct metric *metric)
{
    return (double)metric->sum;
}

double metric_mean(const struct metric *metric)
{
    return metric->count == 0 ? 0 : (double)metric->sum / (double)metric->count;
}

/* Value that stands for those in a bucket: none is further away than half of its width. */
static double bucket_middle(int bucket)
{
    double start = (double)metric_bucket_start(bucket);
    double width = bucket < 4 ? 1 : (double)(1ULL << (bucket / 4 - 1));
    return start + (width - 1) / 2;
}

static double deviation_of_buckets(const struct metric *metric, double mean)
{
    double sum = 0;
    for (int i = 0; i < METRIC_BUCKETS; i++)
        sum += metric->bucket[i] * pow(bucket_middle(i) - mean, 2);
    return sqrt(sum / (double)metric->count);
}

/* The sum of (value - m)^2 for m next to the mean: without rounding, and whatever the squares have lost
 * beyond 128 bits is lost on both sides, as long as that sum itself fits. */
double metric_deviation(const struct metric *metric)
{
    if (metric->count < 2)
        return 0;
    double n = (double)metric->count, mean = metric_mean(metric);
    double range = (double)metric->largest[0].value - (double)metric->smallest[0].value;
    if (n * range * range > 0x1p127)
        return deviation_of_buckets(metric, mean);
    uint128 m = metric->sum / metric->count;
    uint128 squares = metric->squares - 2 * m * metric->sum + metric->count * m * m;
    double rest = (double)(metric->sum - m * metric->count) / n; /* mean - m */
    double variance = (double)squares / n - rest * rest;
    return variance > 0 ? sqrt(variance) : 0;
}

double metric_imbalance(const struct metric *metric)
{
    double mean = metric_mean(metric);
    return mean > 0 ? (double)metric->largest[0].value / mean - 1 : 0;
}

/* The value at a place of the sorted values: exact at both ends, the middle of its bucket between. */
static double value_at(const struct metric *metric, uint64_t place)
{
    uint64_t from_end = metric->count - 1 - place;
    if (place < METRIC_EXTREMES)
        return (double)metric->smallest[place].value;
    if (from_end < METRIC_EXTREMES)
        return (double)metric->largest[from_end].value;
    uint64_t below = 0;
    int i = 0;
    while (i < METRIC_BUCKETS - 1 && below + metric->bucket[i] <= place)
        below += metric->bucket[i++];
    double least = (double)metric->smallest[METRIC_EXTREMES - 1].value;
    double most = (double)metric->largest[METRIC_EXTREMES - 1].value;
    return fmin(fmax(bucket_middle(i), least), most);
}

double metric_quantile(const struct metric *metric, double part)
{
    if (metric->count == 0)
        return 0;
    double place = fmin(fmax(part, 0), 1) * (double)(metric->count - 1);
    uint64_t low = (uint64_t)place;
    double a = value_at(metric, low);
    if (low + 1 >= metric->count)
        return a;
    return a + (place - (double)low) * (value_at(metric, low + 1) - a);
}

/* Digits are made from the end. */
const char *wide_text(uint128 wide, char text[WIDE_TEXT])
{
    char *p = text + WIDE_TEXT - 1;
    *p = '\0';
    do {
        *--p = (char)('0' + (int)(wide % 10));
        wide /= 10;
    } while (wide > 0);
    return p;
}

int wide_read(uint128 *wide, const char *text)
{
    const uint128 most = ~(uint128)0;
    uint128 sum = 0;
    if (*text == '\0')
        return -1;
    for (; *text != '\0'; text++) {
        if (*text < '0' || *text > '9')
            return -1;
        unsigned digit = (unsigned)(*text - '0');
        if (sum > (most - digit) / 10)
            return -1;
        sum = sum * 10 + digit;
    }
    *wide = sum;
    return 0;
}

/* ---- metrics by name */

struct source {
    const struct job *job;
    const struct job_region *region; /* NULL: all */
};

/* The text after the one at *text, of which the array has fewer than its size; NULL: there are no more. */
static const char *after(const struct job *job, const char *text)
{
    const char *next = text + strnlen(text, sizeof job->formulas - (size_t)(text - job->formulas)) + 1;
    return next < job->formulas + sizeof job->formulas ? next : NULL;
}

bool job_formula(const struct job *job, int i, struct job_formula *out)
{
    const char *next = job->formulas;
    for (; i >= 0; i--) {
        const char **const part[] = {&out->name, &out->unit, &out->formula, &out->description, &out->reason};
        for (int p = 0; p < 5; p++) {
            if (next == NULL || (p == 0 && *next == '\0'))
                return false;
            *part[p] = next;
            next = after(job, next);
        }
    }
    return true;
}

bool job_formula_add(struct job *job, const struct job_formula *formula)
{
    const char *part[] = {formula->name, formula->unit, formula->formula, formula->description,
                          formula->reason};
    struct job_formula last;
    int n = 0;
    while (job_formula(job, n, &last))
        n++;
    const char *end = n > 0 && job_formula(job, n - 1, &last) ? after(job, last.reason) : job->formulas;
    size_t used = end != NULL ? (size_t)(end - job->formulas) : sizeof job->formulas;
    for (int p = 0; p < 5; p++) {
        size_t length = strlen(part[p]) + 1;
        if (used + length >= sizeof job->formulas)
            return false;
        memcpy(job->formulas + used, part[p], length);
        used += length;
    }
    return true;
}

static double seconds(const struct source *from)
{
    const struct metric *elapsed = &from->job->metric[METRIC_ELAPSED];
    if (from->region == NULL)
        return elapsed->count > 0 ? 1e-9 * metric_mean(elapsed) : 0;
    return from->region->ranks > 0 ? 1e-9 * (double)from->region->ns / (double)from->region->ranks : 0;
}

/* Counts of a part of the ranks do not go with those of all. */
static int counter(const struct source *from, int i, double *value, struct reason *why)
{
    const struct job *job = from->job;
    const struct metric *metric = &job->metric[METRIC_FIXED + i];
    uint64_t all = job->node_counters & 1u << i ? job->nodes : job->metric[METRIC_ELAPSED].count;
    if (metric->count < all || metric->count == 0)
        return reason_set(why, PAPI_ECNFLCT, "%s was not counted by all ranks", job->counter_name[i]);
    *value = from->region != NULL ? job_region_count(from->region, i) : metric_sum(metric);
    return isnan(*value) ? reason_set(why, PAPI_ECNFLCT, "%s was not counted there: no main thread was there",
                                      job->counter_name[i])
                         : PAPI_OK;
}

static int look_up(const void *context, const char *name, double *value, struct reason *why)
{
    const struct source *from = context;
    *value = seconds(from);
    if (strcmp(name, METRICS_TIME) == 0)
        return PAPI_OK;
    for (int i = 0; i < from->job->n_counters; i++)
        if (strcmp(from->job->counter_name[i], name) == 0)
            return counter(from, i, value, why);
    return PAPI_ENOEVNT;
}

double job_formula_value(const struct job *job, const struct job_region *region,
                         const struct job_formula *formula, char reason[FORMULA_REASON])
{
    const struct source from = {job, region};
    struct reason why = {0};
    double value = NAN;
    snprintf(reason, FORMULA_REASON, "%s", formula->reason);
    if (reason[0] != '\0')
        return NAN;
    if (metrics_value(formula->formula, look_up, &from, &value, &why) != PAPI_OK)
        value = NAN;
    snprintf(reason, FORMULA_REASON, "%s", why.text);
    return value;
}
