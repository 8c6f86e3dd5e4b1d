/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The marks of a benchmark: processor time, in nanoseconds.
 */
#include "marks.h"

#include <stdio.h>
#include <time.h>

static struct timespec begin;

void mark_begin(void)
{
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
}

void mark_end(const char *name)
{
    struct timespec end;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
    printf("%s TIME %lld\n", name, (end.tv_sec - begin.tv_sec) * 1000000000LL + end.tv_nsec - begin.tv_nsec);
}
