/* SPDX-License-Identifier: BSD-3-Clause */
#include "job/metric.h"

#include <math.h>
#include <string.h>

static int kept(const struct metric *metric)
{
    return metric->count < METRIC_EXTREMES ? (int)metric->count : METRIC_EXTREMES;
}

/* Whether a comes before b among the smallest; among the largest with down. The lower rank is first where
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

/* What a value in this bucket is taken for: no value in it is further away than half of its width. */
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
