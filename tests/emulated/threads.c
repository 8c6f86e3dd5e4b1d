/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Four OpenMP threads, each with an event set of its own for its own share of the work. Prints their
 * counts, one line each, and their sum.
 */
#include "operations_loop.h"
#include "papi.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 4, TURNS = 100000 };

static void need(int code, const char *what)
{
    if (code == PAPI_OK)
        return;
    fprintf(stderr, "%s: %s\n", what, PAPI_strerror(code));
    exit(1);
}

static unsigned long own_number(void)
{
    return (unsigned long)omp_get_thread_num();
}

static void count_own_share(long long values[3])
{
    static const char *const names[] = {"PAPI_DP_OPS", "PAPI_FML_INS", "PAPI_TOT_INS"};
    int es = PAPI_NULL;
    need(PAPI_create_eventset(&es), "PAPI_create_eventset");
    for (int i = 0; i < 3; i++)
        need(PAPI_add_named_event(es, names[i]), names[i]);
#pragma omp barrier
    for (int again = 0; again < 2; again++) { /* the first time finds what it calls */
        need(PAPI_start(es), "PAPI_start");
        operations_loop(TURNS * (omp_get_thread_num() + 1L));
        need(PAPI_stop(es, values), "PAPI_stop");
    }
    need(PAPI_cleanup_eventset(es), "PAPI_cleanup_eventset");
    need(PAPI_destroy_eventset(&es), "PAPI_destroy_eventset");
}

int main(void)
{
    long long values[THREADS][3] = {{0}}, sum = 0, wanted = 0;
    int wrong = 0;
    if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT)
        return 1;
    need(PAPI_thread_init(own_number), "PAPI_thread_init");
    omp_set_dynamic(0);
    omp_set_num_threads(THREADS);
#pragma omp parallel
    {
        count_own_share(values[omp_get_thread_num()]);
        need(PAPI_unregister_thread(), "PAPI_unregister_thread");
    }
    for (int i = 0; i < THREADS; i++) {
        long long share = TURNS * (i + 1LL);
        printf("thread %d: %lld operations, %lld multiplications, %lld instructions\n", i, values[i][0],
               values[i][1], values[i][2]);
        wrong |= values[i][0] != OPERATIONS * share || values[i][1] != share;
        /* Six instructions a turn; the rest is the same for all. */
        wrong |= values[i][2] - values[0][2] != 6 * (share - TURNS);
        sum += values[i][0];
        wanted += OPERATIONS * share;
    }
    printf("sum: %lld\n", sum);
    return wrong || sum != wanted;
}
