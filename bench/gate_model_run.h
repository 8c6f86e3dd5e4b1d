/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/* Programs of bench/gate_model: NAME TURNS prints the least processor time of a turn of this loop (all: of
 * each), in nanoseconds; NAME TURNS exactly runs it so often, and measures nothing; without arguments all are
 * listed. */

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct loop {
    const char *name;
    double (*run)(void);
};

static volatile double sink;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static double batch_of(double (*run)(void), int turns)
{
    double start = now();
    for (int i = 0; i < turns; i++)
        sink = run();
    return (now() - start) / turns;
}

static int order_times(const void *one, const void *other)
{
    double a = *(const double *)one, b = *(const double *)other;
    return (a > b) - (a < b);
}

/* A low one of many batches of a few turns, of one where turns are long: another program's turn on the
 * processor is in few of them. Not the least: in a virtual machine the clock goes wrong now and then. Long
 * loops have fewer, but forty. */
static double least(double (*run)(void), long turns)
{
    enum { BATCH = 20, LONG = 20000, MANY = 100000000, FEWEST = 40, MOST = 2000 };
    static double time[MOST];
    double spent = 0;
    int size = batch_of(run, BATCH) > LONG ? 1 : BATCH, n = 0;
    for (long i = 0; i < turns && n < MOST && (n < FEWEST || spent < MANY); i += size) {
        time[n] = batch_of(run, size);
        spent += time[n++] * size;
    }
    qsort(time, (size_t)n, sizeof *time, order_times);
    return n > 0 ? time[n / 10] : NAN;
}

static int loops_main(const struct loop *loops, size_t n, int argc, char **argv)
{
    for (size_t i = 0; i < n; i++) {
        if (argc < 3) {
            puts(loops[i].name);
        } else if (strcmp(argv[1], loops[i].name) == 0 || strcmp(argv[1], "all") == 0) {
            if (argc > 3)
                for (long turn = atol(argv[2]); turn > 0; turn--)
                    sink = loops[i].run();
            else
                printf("%s %.1f\n", loops[i].name, least(loops[i].run, atol(argv[2])));
        }
    }
    return 0;
}
