/* SPDX-License-Identifier: BSD-3-Clause
 *
 * share_report own: regions whose work is in code of its own; library: in the C library; threads: the same in
 * threads, while the first one waits; taken: as own, with a handler of SIGPROF, which nobody has replaced.
 */
#include "papi.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SIZE = 1 << 20, THREADS = 3 };

static char memory[THREADS][SIZE];
static volatile sig_atomic_t signals;

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void work_here(double until)
{
    volatile double sum = 0;
    while (seconds() < until)
        for (int i = 0; i < 1000000; i++)
            sum = sum + 1.5;
}

static void work_there(char *there, double until)
{
    while (seconds() < until)
        for (int i = 0; i < 30; i++) {
            memset(there, i, SIZE);
            __asm__ volatile("" : : "r"(there) : "memory");
        }
}

static void *in_thread(void *there)
{
    PAPI_hl_region_begin("work");
    work_there(there, 0.3);
    PAPI_hl_region_end("work");
    return NULL;
}

static int threads(void)
{
    pthread_t thread[THREADS];
    PAPI_hl_region_begin("wait");
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&thread[i], NULL, in_thread, memory[i]) != 0)
            return 1;
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    PAPI_hl_region_end("wait");
    return 0;
}

static void note(int number)
{
    (void)number;
    signals++;
}

int main(int argc, char **argv)
{
    const char *what = argc == 2 ? argv[1] : "";
    if (strcmp(what, "threads") == 0)
        return threads();
    if (strcmp(what, "taken") == 0)
        signal(SIGPROF, note);
    PAPI_hl_region_begin(what);
    if (strcmp(what, "library") == 0)
        work_there(memory[0], 0.4);
    else
        work_here(0.4);
    PAPI_hl_region_end(what);
    if (strcmp(what, "taken") == 0)
        raise(SIGPROF);
    printf("%d signals\n", (int)signals);
    return 0;
}
