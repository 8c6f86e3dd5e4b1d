/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The marks of a benchmark: processor time, in nanoseconds, the least of a name's.
 */
#include "marks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static struct timespec begin;
static struct {
    const char *name;
    long long least;
} times[64];

void mark_begin(void)
{
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
}

static void print(void)
{
    for (int i = 0; times[i].name != NULL; i++)
        printf("%s TIME %lld\n", times[i].name, times[i].least);
}

void mark_end(const char *name)
{
    struct timespec end;
    int i = 0;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
    long long time = (end.tv_sec - begin.tv_sec) * 1000000000LL + end.tv_nsec - begin.tv_nsec;
    if (times[0].name == NULL)
        atexit(print);
    while (times[i].name != NULL && strcmp(times[i].name, name) != 0)
        i++;
    if (times[i].name == NULL || time < times[i].least)
        times[i].least = time;
    times[i].name = name;
}
