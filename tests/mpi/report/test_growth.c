/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Estimates of an efficiency on more ranks: of runs whose law is known, measured with a known error.
 */
#include "report/growth.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static uint64_t state = 88172645463325252u;

/* A number of the normal distribution, nearly: twelve of the uniform one. */
static double normal(void)
{
    double sum = -6;
    for (int i = 0; i < 12; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        sum += (double)(state >> 11) / (double)(UINT64_C(1) << 53);
    }
    return sum;
}

static double constant(double ranks)
{
    return 0 * ranks;
}

static double amdahl(double ranks)
{
    return ranks - 1;
}

static double surface(double ranks)
{
    return sqrt(ranks) - 1;
}

static const struct known {
    const char *name;
    double (*g)(double ranks);
    double b; /* the cost is 1 + b g */
} known[] = {{"constant", constant, 0},
             {"log(ranks)", log2, 0.08},
             {"sqrt(ranks)", surface, 0.1},
             {"ranks", amdahl, 0.01}};
enum { KNOWN = sizeof known / sizeof *known };

static double efficiency(const struct known *law, double ranks)
{
    return 1 / (1 + law->b * law->g(ranks));
}

/* Runs on 2, 4, 8 ... ranks. spread: what is known of the error. */
static void run(struct growth_point *point, int n, const struct known *law, double error, double spread)
{
    for (int i = 0; i < n; i++) {
        double ranks = ldexp(1, i + 1);
        point[i] = (struct growth_point){ranks, efficiency(law, ranks) * (1 + error * normal()), spread};
    }
}

static void exact_runs_give_the_law(void **unused)
{
    (void)unused;
    for (int law = 0; law < KNOWN; law++) {
        struct growth_point point[6];
        struct growth_range range;
        run(point, 6, &known[law], 0, 0.001);
        for (double ranks = 128; ranks <= 512; ranks *= 4) {
            double truth = efficiency(&known[law], ranks);
            assert_true(growth_estimate(&range, point, 6, ranks));
            assert_string_equal(range.law, known[law].name);
            assert_true(range.low <= truth && truth <= range.high);
            assert_true(range.high - range.low < 0.15);
        }
    }
}

/* The part of the trials in which the range holds the truth. */
static double held(const struct known *law, int n, int times, double error, double spread)
{
    enum { TRIALS = 1000 };
    double ranks = ldexp(times, n), truth = efficiency(law, ranks);
    int held = 0;
    for (int i = 0; i < TRIALS; i++) {
        struct growth_point point[6];
        struct growth_range range;
        run(point, n, law, error, spread);
        assert_true(growth_estimate(&range, point, n, ranks));
        assert_true(range.low <= range.high && range.low > 0);
        held += range.low <= truth && truth <= range.high;
    }
    return (double)held / TRIALS;
}

/* The range holds the truth nearly always, on 2 and 8 times as many ranks, by whatever law, where the error
 * is known and where it is not. */
static void ranges_hold_the_truth(void **unused)
{
    (void)unused;
    for (int law = 0; law < KNOWN; law++)
        for (int n = 3; n <= 6; n++)
            for (int times = 2; times <= 8; times *= 4) {
                assert_true(held(&known[law], n, times, 0.01, 0.01) >= 0.9);
                assert_true(held(&known[law], n, times, 0.02, 0) >= 0.88);
            }
}

static void too_few_runs_give_none(void **unused)
{
    struct growth_point point[] = {{2, 0.9, 0}, {4, 0.8, 0}, {4, 0.81, 0}, {2, 0.9, 0}};
    struct growth_range range;
    (void)unused;
    assert_false(growth_estimate(&range, point, 4, 8));
    assert_false(growth_estimate(&range, point, 0, 8));
}

/* Caches that hold more of a smaller part make runs faster than they should be; that does not go on. */
static void better_than_ideal_does_not_go_on(void **unused)
{
    struct growth_point point[] = {{2, 1, 0}, {4, 1.1, 0}, {8, 1.3, 0}, {16, 1.4, 0}};
    struct growth_range range;
    (void)unused;
    assert_true(growth_estimate(&range, point, 4, 128));
    assert_true(range.high <= 1.4 && range.low > 0.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_runs_give_the_law),
        cmocka_unit_test(ranges_hold_the_truth),
        cmocka_unit_test(too_few_runs_give_none),
        cmocka_unit_test(better_than_ideal_does_not_go_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
