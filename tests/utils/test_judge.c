/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Verdicts of papi_check_presets on counts that are made here.
 */
#include "tools/presets/judge.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
/* after those that it needs */
#include <cmocka.h>

static const struct circumstances nothing_known = {.note = ""};

static struct sample *add(struct samples *samples, const char *work)
{
    struct sample *sample = &samples->sample[samples->n++];
    snprintf(sample->work, sizeof sample->work, "%s", work);
    sample->unit = "iteration";
    return sample;
}

/* A kernel of six instructions that claims a number, counted in three rounds. */
static void exact(struct samples *samples, double claim, double a, double b, double c)
{
    struct sample *sample = add(samples, "kernel");
    sample->exact = true;
    sample->least = sample->most = claim;
    sample->instructions = 6;
    memcpy(sample->counted, (double[]){a, b, c}, sizeof sample->counted);
}

static void range(struct samples *samples, double least, double most, double a, double b, double c)
{
    struct sample *sample = add(samples, "walk");
    sample->least = least;
    sample->most = most;
    sample->instructions = NAN;
    memcpy(sample->counted, (double[]){a, b, c}, sizeof sample->counted);
}

static struct judgement judged(const struct samples *samples, const struct circumstances *known)
{
    struct judgement judgement;
    judge(&judgement, samples, known);
    return judgement;
}

static enum verdict exact_verdict(double claim, double a, double b, double c)
{
    struct samples samples = {.n = 0};
    exact(&samples, claim, a, b, c);
    exact(&samples, 4, 4, 4, 4);
    return judged(&samples, &nothing_known).verdict;
}

static enum verdict range_verdict(double least, double most, double a, double b, double c, bool may_err)
{
    struct samples samples = {.n = 0};
    struct circumstances known = {.note = "", .ranges_may_err = may_err};
    range(&samples, least, most, a, b, c);
    range(&samples, 1, 2, 1, 1, 1);
    return judged(&samples, &known).verdict;
}

static void test_exact(void **state)
{
    (void)state;
    assert_int_equal(exact_verdict(3, 3, 3, 3), VERDICT_COUNTS);
    assert_int_equal(exact_verdict(3, 3.02, 2.99, 3), VERDICT_COUNTS);
    assert_int_equal(exact_verdict(3, 6, 6, 6), VERDICT_WRONG);
    assert_int_equal(exact_verdict(3, 0, 0, 0), VERDICT_WRONG);
    assert_int_equal(exact_verdict(0, 1, 1, 1), VERDICT_WRONG);
    assert_int_equal(exact_verdict(0, 0.009, 0, 0), VERDICT_COUNTS);
}

/* An interrupt in one round, and a machine that never counts twice the same. */
static void test_disturbed(void **state)
{
    (void)state;
    assert_int_equal(exact_verdict(3, 3, 9, 3), VERDICT_COUNTS);
    assert_int_equal(exact_verdict(3, 3, 9, 4), VERDICT_UNSURE);
    assert_int_equal(exact_verdict(3, 6, 9, 7), VERDICT_UNSURE);
    assert_int_equal(exact_verdict(3, 6, 6, 9), VERDICT_UNSURE);
    /* between right and wrong */
    assert_int_equal(exact_verdict(3, 3.1, 3.1, 3.1), VERDICT_UNSURE);
}

static void test_ranges(void **state)
{
    (void)state;
    assert_int_equal(range_verdict(0.4, 2.5, 0.4, 1, 2.5, false), VERDICT_COUNTS);
    assert_int_equal(range_verdict(0.4, 2.5, 0.2, 0.2, 0.2, false), VERDICT_UNSURE);
    assert_int_equal(range_verdict(0.4, 2.5, 0.01, 0.02, 0.05, false), VERDICT_WRONG);
    assert_int_equal(range_verdict(0.4, 2.5, 0.01, 0.02, 0.2, false), VERDICT_UNSURE);
    assert_int_equal(range_verdict(0, 0.1, 0.5, 0.7, 2, false), VERDICT_WRONG);
    /* a difference of two counts of next to nothing */
    assert_int_equal(range_verdict(0, 0.1, -0.001, -0.002, -0.001, false), VERDICT_COUNTS);
    assert_int_equal(range_verdict(0, 0.1, -0.5, -0.5, -0.5, false), VERDICT_WRONG);
    /* nothing that sizes of caches refute where they need not be true */
    assert_int_equal(range_verdict(0.4, 2.5, 0.01, 0.02, 0.05, true), VERDICT_UNSURE);
    assert_int_equal(range_verdict(0.4, 2.5, 1, 1, 1, true), VERDICT_COUNTS);
}

static void test_nothing_claimed(void **state)
{
    struct samples samples = {.n = 0};
    (void)state;
    exact(&samples, 0, 0, 0, 0);
    assert_int_equal(judged(&samples, &nothing_known).verdict, VERDICT_NOT_TESTED);
    exact(&samples, 0, 2, 2, 2);
    assert_int_equal(judged(&samples, &nothing_known).verdict, VERDICT_WRONG);
}

/* A note explains a kernel that differs, but not a factor that is everywhere. */
static void test_notes(void **state)
{
    struct samples some = {.n = 0}, all = {.n = 0};
    const struct circumstances noted = {.note = "A fused multiply-add counts as two."};
    (void)state;
    exact(&some, 3, 3, 3, 3);
    exact(&some, 3, 6, 6, 6);
    exact(&all, 3, 6, 6, 6);
    exact(&all, 4, 8, 8, 8);
    exact(&all, 0, 0, 0, 0);
    assert_int_equal(judged(&some, &nothing_known).verdict, VERDICT_WRONG);
    assert_int_equal(judged(&some, &noted).verdict, VERDICT_UNSURE);
    assert_non_null(strstr(judged(&some, &noted).reason, "multiply-add counts as two"));
    assert_int_equal(judged(&all, &noted).verdict, VERDICT_WRONG);
    assert_non_null(strstr(judged(&all, &noted).reason, "in all kernels 2 x what it claims"));
    assert_null(strstr(judged(&some, &nothing_known).reason, "in all kernels"));
}

/* Events that a virtual machine keeps for itself count 0; on a processor, an event that counts 0 is a wrong
 * one. */
static void test_silent(void **state)
{
    struct samples samples = {.n = 0};
    const struct circumstances in_guest = {.note = "", .may_be_silent = true};
    (void)state;
    exact(&samples, 4, 0, 0, 0);
    exact(&samples, 0, 0, 0, 0);
    assert_int_equal(judged(&samples, &nothing_known).verdict, VERDICT_WRONG);
    assert_int_equal(judged(&samples, &in_guest).verdict, VERDICT_UNSURE);
    assert_non_null(strstr(judged(&samples, &in_guest).reason, "counts nothing at all"));
    exact(&samples, 0, 3, 3, 3);
    assert_int_equal(judged(&samples, &in_guest).verdict, VERDICT_WRONG);
}

static void test_like(void **state)
{
    struct samples samples = {.n = 0};
    const struct circumstances like = {.note = "", .like = "PAPI_SR_INS"};
    (void)state;
    exact(&samples, 4, 0, 0, 0);
    exact(&samples, 0, 3, 3, 3);
    assert_true(judge_is_like(&samples, (double[]){0, 3}));
    assert_false(judge_is_like(&samples, (double[]){4, 3}));
    assert_true(judge_is_like(&samples, (double[]){NAN, 3}));
    assert_false(judge_is_like(&samples, (double[]){0, NAN})); /* zeroes are like everything */
    assert_non_null(strstr(judged(&samples, &like).reason, "in all kernels what PAPI_SR_INS claims"));
}

/* Counters that count every third instruction, as an emulated processor's may. */
static void test_any_instructions(void **state)
{
    struct samples any = {.n = 0}, real = {.n = 0}, instructions = {.n = 0};
    const struct circumstances known = {.note = "", .counts_any = true};
    (void)state;
    for (int i = 0; i < 4; i++) {
        exact(&any, i, 2, 2, 2);
        exact(&real, i, i, i, i);
        exact(&instructions, 6, 12, 12, 12);
    }
    assert_true(judge_counts_any(&any));
    assert_false(judge_counts_any(&real));
    assert_false(judge_counts_any(&instructions)); /* it claims instructions */
    assert_int_equal(judged(&any, &nothing_known).verdict, VERDICT_WRONG);
    assert_int_equal(judged(&any, &known).verdict, VERDICT_UNSURE);
    assert_int_equal(judged(&real, &known).verdict, VERDICT_UNSURE); /* right by chance */
    assert_int_equal(judged(&instructions, &known).verdict, VERDICT_WRONG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exact),
        cmocka_unit_test(test_disturbed),
        cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_nothing_claimed),
        cmocka_unit_test(test_notes),
        cmocka_unit_test(test_like),
        cmocka_unit_test(test_any_instructions),
        cmocka_unit_test(test_silent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
