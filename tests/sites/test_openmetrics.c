/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The lines of many series: families in the order in which they come first, none twice, and a page of many
 * ranks in a time that grows with them.
 */
#include "tools/common/openmetrics.h"

#include "papi.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

/* The library, which is asked for events alone. */
int PAPI_event_name_to_code(const char *name, int *code)
{
    *code = 0;
    return name != NULL ? PAPI_ENOEVNT : PAPI_EINVAL;
}

int PAPI_get_event_info(int code, PAPI_event_info_t *info)
{
    return info != NULL && code != 0 ? PAPI_ENOEVNT : PAPI_EINVAL;
}

static struct series series_of(const char *name, const char *words, const char *label, bool level,
                               long long value)
{
    struct series series;
    const struct figure_family family = {name, NULL, words, 1, level, false};
    assert_int_equal(series_open_figure(&series, &family), PAPI_OK);
    assert_int_equal(series_label(&series, "rank", label), PAPI_OK);
    assert_true(series_take(&series, value, false));
    return series;
}

static char *page_of(struct series *series, int n)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    assert_int_equal(openmetrics_series(out, FORM_OPENMETRICS, series, n), PAPI_OK);
    assert_int_equal(fclose(out), 0);
    return text;
}

static void test_families(void **state)
{
    (void)state;
    struct series series[] = {
        series_of("papi_z", "Last of names", "3", false, 30),
        series_of("papi_a", "Same", "1", true, 7),
        series_of("papi_z", "Other words", "1", false, 10),
        series_of("papi_z", "Twin", "3", false, 99),
        series_of("papi_none", "Without a value", "1", false, 1),
        series_of("papi_a", "Same", "0", true, 8),
        series_of("papi_z", "A level", "1", true, 5),
    };
    enum { N = sizeof series / sizeof *series };
    series[4].has_value = false;
    char *page = page_of(series, N);
    assert_string_equal(page, "# TYPE papi_z counter\n"
                              "# HELP papi_z Last of names; likewise of others\n"
                              "papi_z_total{rank=\"3\"} 30\n"
                              "papi_z_total{rank=\"1\"} 10\n"
                              "# TYPE papi_a gauge\n"
                              "# HELP papi_a Same\n"
                              "papi_a{rank=\"1\"} 7\n"
                              "papi_a{rank=\"0\"} 8\n"
                              "# TYPE papi_z_now gauge\n"
                              "# HELP papi_z_now A level\n"
                              "papi_z_now{rank=\"1\"} 5\n");
    free(page);
    for (int i = 0; i < N; i++)
        series_close(&series[i]);
}

static void test_none(void **state)
{
    (void)state;
    char *page = page_of(NULL, 0);
    assert_string_equal(page, "");
    free(page);
}

/* Processor time of a page of so many ranks, ns: the least of three. */
static double time_of(struct series *series, int n)
{
    double least = 1e18;
    for (int i = 0; i < 3; i++) {
        struct timespec before, after;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &before);
        free(page_of(series, n));
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &after);
        double ns = (double)(after.tv_sec - before.tv_sec) * 1e9 + (double)(after.tv_nsec - before.tv_nsec);
        least = ns < least ? ns : least;
    }
    return least;
}

/* Ten times the ranks take about ten times as long: all pairs of them would take a hundred times. */
static void test_many_ranks(void **state)
{
    (void)state;
    enum { FEW = 2000, MANY = 10 * FEW };
    struct series *series = calloc(MANY, sizeof *series);
    assert_non_null(series);
    for (int i = 0; i < MANY; i++) {
        char number[16];
        snprintf(number, sizeof number, "%d", i);
        series[i] = series_of("papi_mpi_calls", "MPI calls", number, false, i);
    }
    double few = time_of(series, FEW), many = time_of(series, MANY);
    print_message("%d ranks: %.1f ms, %d ranks: %.1f ms\n", FEW, few / 1e6, MANY, many / 1e6);
    assert_true(many < 40 * few);
    for (int i = 0; i < MANY; i++)
        series_close(&series[i]);
    free(series);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_families),
        cmocka_unit_test(test_none),
        cmocka_unit_test(test_many_ranks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
