/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Measures PAPI_read of four events in a counted program, beside a function of bench/counted's making that
 * has most of its blocks: none of them has run, a tenth, all; and all of them run between two reads.
 */
#include "papi.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

extern void (*const piece[])(int);
extern const int pieces;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void run(int from, int to)
{
    for (int i = from; i < to; i++)
        piece[i](-1);
}

/* The cost of a read in microseconds: the best of some batches, since what else the machine does is not of
 * interest. */
static double cost(int es)
{
    enum { BATCHES = 25, READS = 200 };
    long long values[4];
    double best = 1e9;
    for (int batch = 0; batch < BATCHES; batch++) {
        double from = now();
        for (int i = 0; i < READS; i++)
            if (PAPI_read(es, values) != PAPI_OK)
                exit(1);
        double each = (now() - from) / READS * 1e6;
        best = each < best ? each : best;
    }
    return best;
}

/* The cost of a read if all code pieces have run before it. */
static double cost_between(int es)
{
    long long values[4];
    double best = 1e9;
    for (int i = 0; i < 200; i++) {
        run(0, pieces);
        double from = now();
        if (PAPI_read(es, values) != PAPI_OK)
            exit(1);
        double each = (now() - from) * 1e6;
        best = each < best ? each : best;
    }
    return best;
}

int main(void)
{
    static const char *const names[] = {"counted::DP_OPS", "counted::INSTRUCTIONS", "counted::LOADS",
                                        "counted::BRANCHES"};
    int es = PAPI_NULL;
    if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT || PAPI_create_eventset(&es) != PAPI_OK)
        return 1;
    double from = now();
    for (int i = 0; i < 4; i++)
        if (PAPI_add_named_event(es, names[i]) != PAPI_OK)
            return fprintf(stderr, "%s: %s\n", names[i], PAPI_strerror(PAPI_ENOCMP)), 1;
    double added = (now() - from) * 1e3;
    if (PAPI_start(es) != PAPI_OK)
        return 1;
    double none = cost(es);
    run(0, pieces / 10);
    double tenth = cost(es);
    run(0, pieces);
    double everything = cost(es);
    printf("%.3f %.3f %.3f %.3f %.3f\n", added, none, tenth, everything, cost_between(es));
    return 0;
}
