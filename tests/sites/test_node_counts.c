/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Counts of a node whose first CPU is switched off and on, by functions that stand for the library's: 10 a
 * read and CPU.
 */
#include "tools/site/node_counts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_SETS = 8192, EACH = 10 };

/* The library: a set has its CPU and what it counts. */
static struct {
    int cpu;
    bool lost, runs;
    long long value;
} sets[MOST_SETS];
static int n_sets, destroyed;
static bool first_is_off;
static int first_cpu = -1;
static int refused_cpu = -1; /* for whose sets no descriptor is free */

int PAPI_create_eventset(int *es)
{
    assert_true(n_sets < MOST_SETS);
    sets[n_sets].cpu = -1;
    *es = n_sets++;
    return PAPI_OK;
}

int PAPI_assign_eventset_component(int es, int component)
{
    return es >= 0 && component == 0 ? PAPI_OK : PAPI_EINVAL;
}

int PAPI_set_opt(int option, PAPI_option_t *value)
{
    assert_int_equal(option, PAPI_CPU_ATTACH);
    int cpu = (int)value->cpu.cpu_num;
    if (first_cpu < 0)
        first_cpu = cpu; /* where the event was tried: it runs */
    if (first_is_off && cpu == first_cpu)
        return PAPI_EINVAL;
    sets[value->cpu.eventset].cpu = cpu;
    return PAPI_OK;
}

int PAPI_add_event(int es, int code)
{
    if (sets[es].cpu >= 0 && sets[es].cpu == refused_cpu)
        return PAPI_ESYS;
    return sets[es].cpu >= 0 && code == 1 ? PAPI_OK : PAPI_EINVAL;
}

int PAPI_start(int es)
{
    sets[es].runs = true;
    return PAPI_OK;
}

int PAPI_read(int es, long long *value)
{
    assert_true(sets[es].runs);
    bool lost = sets[es].lost;
    sets[es].value += lost ? 0 : EACH;
    *value = sets[es].value;
    return lost ? PAPI_ECLOST : PAPI_OK;
}

int PAPI_stop(int es, long long *value)
{
    return PAPI_read(es, value);
}

int PAPI_cleanup_eventset(int es)
{
    sets[es].runs = false;
    return PAPI_OK;
}

int PAPI_destroy_eventset(int *es)
{
    destroyed++;
    *es = PAPI_NULL;
    return PAPI_OK;
}

int PAPI_set_multiplex(int es)
{
    return es >= 0 ? PAPI_OK : PAPI_EINVAL;
}

int PAPI_attach(int es, unsigned long tid)
{
    return es >= 0 && tid > 0 ? PAPI_OK : PAPI_EINVAL;
}

/* Calls of other tools, which counts of a node do not make. */

int PAPI_attach_process(int es, int pid, int flags)
{
    fail_msg("set %d: process %d, flags %d", es, pid, flags);
    return PAPI_EINVAL;
}

int PAPI_attach_cgroup(int es, const char *path)
{
    fail_msg("set %d: control group %s", es, path);
    return PAPI_EINVAL;
}

int PAPI_state(int es, int *state)
{
    (void)state;
    fail_msg("set %d: its state", es);
    return PAPI_EINVAL;
}

int PAPI_read_threads(int es, long long *tids, long long *ended, long long *values, int *n)
{
    (void)tids, (void)ended, (void)values, (void)n;
    fail_msg("set %d: threads", es);
    return PAPI_EINVAL;
}

int PAPI_read_shares(int es, double *shares)
{
    (void)shares;
    fail_msg("set %d: its shares", es);
    return PAPI_EINVAL;
}

int PAPI_remove_event(int es, int code)
{
    fail_msg("set %d: event %d is removed", es, code);
    return PAPI_EINVAL;
}

int PAPI_event_name_to_code(const char *name, int *code)
{
    *code = 1;
    return strcmp(name, "PAPI_TOT_INS") == 0 ? PAPI_OK : PAPI_ENOEVNT;
}

int PAPI_get_event_component(int code)
{
    return code == 1 ? 0 : PAPI_ENOEVNT;
}

int PAPI_get_event_info(int code, PAPI_event_info_t *info)
{
    memset(info, 0, sizeof *info);
    return code == 1 ? PAPI_OK : PAPI_ENOEVNT;
}

const PAPI_component_info_t *PAPI_get_component_info(int component)
{
    (void)component;
    return NULL;
}

char *PAPI_strerror(int code)
{
    (void)code;
    return NULL;
}

/* ---- the test */

/* The first CPU goes off: its sets have lost their counters. */
static void switch_off(void)
{
    first_is_off = true;
    for (int i = 0; i < n_sets; i++)
        sets[i].lost |= sets[i].cpu == first_cpu;
}

static long long shown(const struct node_counts *counts)
{
    const struct series *series = &counts->series[MAX_COUNT_EVENTS];
    assert_true(series->has_value);
    return series->carried + series->last;
}

/* Counts of instructions on all CPUs, not yet started. */
static struct node_counts *opened(void)
{
    struct node_counts *counts = calloc(1, sizeof *counts);
    char why[PAPI_HUGE_STR_LEN];
    assert_non_null(counts);
    assert_int_equal(node_counts_open(counts), PAPI_OK);
    assert_int_equal(node_counts_add(counts, "PAPI_TOT_INS", why, sizeof why), PAPI_OK);
    return counts;
}

static void a_cpu_that_goes_and_comes(void **state)
{
    (void)state;
    struct node_counts *counts = opened();
    assert_int_equal(node_counts_start(counts), PAPI_OK);
    int all = counts->n_cpus;
    node_counts_read(counts);
    node_counts_read(counts);
    assert_int_equal(shown(counts), 2 * EACH * all);
    assert_int_equal(counts->counting, all);
    assert_int_equal(counts->lost, 0);
    switch_off();
    for (int read = 1; read <= 3; read++) { /* what it counted stays, and it is no failure */
        node_counts_read(counts);
        assert_int_equal(shown(counts), 2 * EACH * all + read * EACH * (all - 1));
        assert_int_equal(counts->counting, all - 1);
        assert_int_equal(counts->lost, 1);
        assert_int_equal(counts->failed, 0);
    }
    long long before = shown(counts);
    first_is_off = false;
    node_counts_read(counts); /* it begins again */
    assert_int_equal(shown(counts), before + EACH * (all - 1));
    assert_int_equal(counts->counting, all);
    assert_int_equal(counts->lost, 2);
    node_counts_read(counts);
    assert_int_equal(shown(counts), before + EACH * (all - 1) + EACH * all);
    assert_int_equal(counts->lost, 2);
    /* Off and on again between two reads. */
    before = shown(counts);
    switch_off();
    first_is_off = false;
    node_counts_read(counts);
    assert_int_equal(shown(counts), before + EACH * (all - 1));
    assert_int_equal(counts->counting, all);
    assert_int_equal(counts->lost, 3);
    node_counts_close(counts);
    assert_int_equal(destroyed, n_sets);
    free(counts);
}

/* A CPU that is on and cannot be counted is a failure, and no sum of the others. */
static void a_cpu_that_is_refused(void **state)
{
    (void)state;
    struct node_counts *counts = opened();
    refused_cpu = counts->cpu[counts->n_cpus - 1].cpu; /* the first, if there is one alone */
    assert_int_equal(node_counts_start(counts), PAPI_ESYS);
    refused_cpu = -1;
    assert_int_equal(node_counts_start(counts), PAPI_OK);
    node_counts_read(counts);
    long long before = shown(counts);
    assert_int_equal(before, EACH * counts->n_cpus);
    switch_off();
    first_is_off = false;
    refused_cpu = first_cpu;
    node_counts_read(counts); /* on again, and refused */
    assert_false(counts->series[MAX_COUNT_EVENTS].has_value);
    assert_int_equal(counts->failed, 1);
    refused_cpu = -1;
    node_counts_read(counts);
    assert_true(shown(counts) >= before);
    node_counts_close(counts);
    free(counts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_cpu_that_goes_and_comes),
                                       cmocka_unit_test(a_cpu_that_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
