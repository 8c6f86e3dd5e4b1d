/* SPDX-License-Identifier: BSD-3-Clause */
#include "job/metric.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

__extension__ typedef unsigned __int128 uint128;

enum { MOST = 400 };

static uint64_t state = 88172645463325252u;

static uint64_t random_number(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

/* Values of every kind: small ones that are often the same, any size, the ends of the range. */
static uint64_t random_value(void)
{
    uint64_t kind = random_number() % 8;
    if (kind == 0)
        return random_number() % 3;
    if (kind == 1)
        return UINT64_MAX - random_number() % 3;
    return random_number() >> (random_number() % 64);
}

static void fill(uint64_t *value, int n)
{
    for (int i = 0; i < n; i++)
        value[i] = random_value();
}

static struct metric of(const uint64_t *value, int n)
{
    struct metric metric;
    memset(&metric, 0, sizeof metric);
    for (int i = 0; i < n; i++)
        metric_add(&metric, value[i], (uint64_t)i);
    return metric;
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void buckets_cover_all_values(void **unused)
{
    (void)unused;
    static const uint64_t edges[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 10, 15, 16, 1000, UINT64_MAX - 1, UINT64_MAX};
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++) {
        int bucket = metric_bucket(edges[i]);
        assert_in_range(bucket, 0, METRIC_BUCKET_LAST);
        assert_true(metric_bucket_start(bucket) <= edges[i]);
        assert_true(bucket == METRIC_BUCKET_LAST || metric_bucket_start(bucket + 1) > edges[i]);
    }
    for (int bucket = 0; bucket <= METRIC_BUCKET_LAST; bucket++) {
        uint64_t start = metric_bucket_start(bucket);
        assert_int_equal(metric_bucket(start), bucket);
        if (start > 0) {
            assert_int_equal(metric_bucket(start - 1), bucket - 1);
            assert_true(metric_bucket_start(bucket - 1) < start);
        }
    }
    assert_int_equal(metric_bucket(UINT64_MAX), METRIC_BUCKET_LAST);
    assert_true(metric_bucket_start(METRIC_BUCKETS - 1) == UINT64_MAX);
}

static void empty(void **unused)
{
    (void)unused;
    struct metric metric, other;
    memset(&metric, 0, sizeof metric);
    assert_true(metric_sum(&metric) == 0 && metric_mean(&metric) == 0 && metric_deviation(&metric) == 0);
    assert_true(metric_imbalance(&metric) == 0 && metric_quantile(&metric, 0.5) == 0);
    const uint64_t values[] = {5, 0, UINT64_MAX};
    other = of(values, 3);
    struct metric before = other;
    metric_merge(&other, &metric); /* nothing changes ... */
    assert_memory_equal(&other, &before, sizeof before);
    metric_merge(&metric, &other); /* ... on either side */
    assert_memory_equal(&metric, &before, sizeof before);
}

static void one_rank(void **unused)
{
    (void)unused;
    static const uint64_t values[] = {0, 1, 77, (uint64_t)INT64_MAX, UINT64_MAX};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        struct metric metric = of(&values[i], 1);
        double value = (double)values[i];
        assert_int_equal(metric.count, 1);
        assert_true(metric_sum(&metric) == value && metric_mean(&metric) == value);
        assert_true(metric_deviation(&metric) == 0 && metric_imbalance(&metric) == 0);
        for (int part = -1; part <= 11; part++)
            assert_true(metric_quantile(&metric, part / 10.0) == value);
        assert_true(metric.smallest[0].value == values[i] && metric.largest[0].value == values[i]);
    }
}

static void ends_are_sorted_with_the_lower_rank_first(void **unused)
{
    (void)unused;
    static const uint64_t values[] = {7, 3, 9, 3, 9, 1, 8, 9, 3, 2, 9};
    static const uint64_t least[][2] = {{1, 5}, {2, 9}, {3, 1}, {3, 3}, {3, 8}, {7, 0}, {8, 6}, {9, 2}};
    static const uint64_t largest[][2] = {{9, 2}, {9, 4}, {9, 7}, {9, 10}, {8, 6}, {7, 0}, {3, 1}, {3, 3}};
    struct metric metric = of(values, 11);
    for (int i = 0; i < METRIC_EXTREMES; i++) {
        assert_int_equal(metric.smallest[i].value, least[i][0]);
        assert_int_equal(metric.smallest[i].rank, least[i][1]);
        assert_int_equal(metric.largest[i].value, largest[i][0]);
        assert_int_equal(metric.largest[i].rank, largest[i][1]);
    }
}

/* Merges what part[from] to part[to - 1] are, split at random, each side first or last at random. */
static struct metric tree(const struct metric *part, int from, int to)
{
    if (to - from == 1)
        return part[from];
    int split = from + 1 + (int)(random_number() % (uint64_t)(to - from - 1));
    struct metric a = tree(part, from, split), b = tree(part, split, to);
    if (random_number() % 2) {
        metric_merge(&b, &a);
        return b;
    }
    metric_merge(&a, &b);
    return a;
}

static void shuffle(struct metric *part, int n)
{
    for (int i = n - 1; i > 0; i--) {
        int j = (int)(random_number() % (uint64_t)(i + 1));
        struct metric kept = part[i];
        part[i] = part[j];
        part[j] = kept;
    }
}

static void every_tree_gives_the_same_bits(void **unused)
{
    (void)unused;
    static struct metric part[MOST];
    uint64_t value[MOST];
    for (int round = 0; round < 60; round++) {
        int n = 1 + (int)(random_number() % (round < 30 ? 20 : MOST));
        fill(value, n);
        struct metric expected = of(value, n);
        for (int i = 0; i < n; i++) {
            memset(&part[i], 0, sizeof part[i]);
            metric_add(&part[i], value[i], (uint64_t)i);
        }
        for (int again = 0; again < 5; again++) {
            struct metric found = tree(part, 0, n);
            assert_memory_equal(&found, &expected, sizeof found);
            shuffle(part, n);
        }
    }
}

/* The quantile of sorted values, between the neighbours in proportion. */
static double exact_quantile(const uint64_t *sorted, int n, double part)
{
    double place = part * (n - 1);
    int low = (int)place;
    if (low == n - 1)
        return (double)sorted[low];
    return (double)sorted[low] + (place - low) * ((double)sorted[low + 1] - (double)sorted[low]);
}

static void quantiles(void **unused)
{
    (void)unused;
    static const double parts[] = {0, 0.05, 0.25, 0.5, 0.75, 0.95, 1};
    uint64_t value[MOST];
    for (int round = 0; round < 400; round++) {
        int n = round < 200 ? 1 + round % (2 * METRIC_EXTREMES) : 17 + (int)(random_number() % (MOST - 17));
        fill(value, n);
        struct metric metric = of(value, n);
        qsort(value, (size_t)n, sizeof *value, by_value);
        for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
            double expected = exact_quantile(value, n, parts[i]);
            double found = metric_quantile(&metric, parts[i]);
            double bound = n <= 2 * METRIC_EXTREMES ? 1e-12 : 0.125 + 1e-12;
            if (fabs(found - expected) > bound * expected)
                fail_msg("n %d, part %g: %.17g, not %.17g", n, parts[i], found, expected);
        }
    }
}

static void sums_and_deviations(void **unused)
{
    (void)unused;
    uint64_t value[MOST];
    for (int round = 0; round < 200; round++) {
        int n = 2 + (int)(random_number() % (MOST - 2));
        /* Close together and far from zero, where squares alone would lose all digits; every fourth time
         * any. */
        uint64_t base = random_number() >> (1 + round % 40);
        for (int i = 0; i < n; i++)
            value[i] = round % 4 == 3 ? random_value() >> 8 : base + random_number() % 1000;
        struct metric metric = of(value, n);
        uint128 sum = 0;
        /* From the smallest on, so that doubles are enough. */
        uint64_t least = UINT64_MAX;
        double mean = 0, squares = 0;
        for (int i = 0; i < n; i++) {
            sum += value[i];
            least = value[i] < least ? value[i] : least;
        }
        for (int i = 0; i < n; i++)
            mean += (double)(value[i] - least) / n;
        for (int i = 0; i < n; i++)
            squares += ((double)(value[i] - least) - mean) * ((double)(value[i] - least) - mean);
        assert_true(metric_sum(&metric) == (double)sum);
        assert_true(fabs(metric_mean(&metric) - (double)sum / n) <= 1e-15 * ((double)sum / n));
        double expected = sqrt(squares / n), found = metric_deviation(&metric);
        if (fabs(found - expected) > 1e-6 * expected)
            fail_msg("n %d: deviation %.17g, not %.17g", n, found, expected);
    }
}

/* The deviation is estimated from the histogram where even the squares around the mean do not fit. */
static void deviation_of_the_largest(void **unused)
{
    (void)unused;
    uint64_t value[100];
    for (int i = 0; i < 100; i++)
        value[i] = i % 2 ? UINT64_MAX : 0;
    struct metric metric = of(value, 100);
    double expected = (double)UINT64_MAX / 2;
    assert_true(fabs(metric_deviation(&metric) - expected) < 0.13 * expected);
    assert_true(fabs(metric_imbalance(&metric) - 1) < 1e-12);
}

static void wide_numbers_are_written_and_read(void **unused)
{
    (void)unused;
    static const struct {
        uint128 wide;
        const char *text;
    } cases[] = {{0, "0"},
                 {9, "9"},
                 {UINT64_MAX, "18446744073709551615"},
                 {(uint128)1 << 64, "18446744073709551616"},
                 {~(uint128)0, "340282366920938463463374607431768211455"}};
    char text[WIDE_TEXT];
    uint128 back;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_string_equal(wide_text(cases[i].wide, text), cases[i].text);
        assert_int_equal(wide_read(&back, cases[i].text), 0);
        assert_memory_equal(&back, &cases[i].wide, sizeof back);
    }
    static const char *const wrong[] = {"", "-1", "1e3", " 1", "340282366920938463463374607431768211456"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(wide_read(&back, wrong[i]), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(buckets_cover_all_values),
        cmocka_unit_test(empty),
        cmocka_unit_test(one_rank),
        cmocka_unit_test(ends_are_sorted_with_the_lower_rank_first),
        cmocka_unit_test(every_tree_gives_the_same_bits),
        cmocka_unit_test(quantiles),
        cmocka_unit_test(sums_and_deviations),
        cmocka_unit_test(deviation_of_the_largest),
        cmocka_unit_test(wide_numbers_are_written_and_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
