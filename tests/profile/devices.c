/* SPDX-License-Identifier: BSD-3-Clause
 *
 * devices CASE: has a device that a stand-in plays run kernels and copies. The lines that the test looks for
 * end with a name.
 */
#include "double.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

double_starter double_starts;
double_kernel_starter double_starts_kernel;
extern struct double_cupti double_cupti;
int cuInit(unsigned flags);
int cuptiActivityFlushAll(unsigned flags);

static void work(void)
{
    struct timespec now = {0};
    while (now.tv_sec == 0 && now.tv_nsec < 100000000)
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
}

static void copy(uint8_t direction, uint64_t ns, uint64_t bytes)
{
    double_starts(&(struct double_start){"cudaMemcpyAsync", NULL, 1, 1, direction, ns, bytes}); /* helper */
}

static void host(void)
{
    for (int i = 0; i < 3; i++)
        double_starts_kernel("_Z5saxpyPfi", 1000 + 500 * i); /* first */
    double_starts_kernel("_Z5saxpyPfi", 7000);               /* second */
    double_starts_kernel("dot", 400);                        /* third */
}

static void copies(void)
{
    copy(1, 2000, 8000);                                                             /* in */
    copy(1, 4000, 16000);                                                            /* in again */
    copy(2, 1000, 3000);                                                             /* out */
    double_starts(&(struct double_start){"cudaMemsetAsync", NULL, 2, 0, 0, 50, 64}); /* set */
    double_starts(&(struct double_start){NULL, "unseen", 10, 0, 0, 123, 0});
}

static void *of_thread(void *of)
{
    (void)of;
    for (int i = 0; i < 5; i++)
        double_starts_kernel("threaded", 10); /* thread */
    return NULL;
}

static void threads(void)
{
    pthread_t thread[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&thread[i], NULL, of_thread, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(thread[i], NULL);
}

/* The function that nvcc makes for a kernel has its name, and lies between the launch and its line. */
static __attribute__((noinline)) void stubbed(void)
{
    double_starts_kernel("stubbed", 60); /* stub */
    __asm__ volatile("");
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "all";
    work();
    if (strcmp(what, "host") == 0) /* uses no device */
        return 0;
    if (strcmp(what, "fork") == 0 && fork() > 0) { /* the child is a process that uses it, too */
        int status;
        wait(&status);
    }
    cuInit(0);
    host();
    copies();
    threads();
    stubbed(); /* caller of the stub */
    if (strcmp(what, "dropped") == 0) {
        double_cupti.drop = 7;
        double_starts(&(struct double_start){"cudaLaunchKernel", "unfinished", 10, 0, 0, (uint64_t)-5000, 0});
    }
    if (strcmp(what, "killed") == 0) {
        cuptiActivityFlushAll(0);
        kill(getpid(), SIGKILL);
    }
    if (strcmp(what, "many") == 0) /* more than are kept in memory until they are written */
        for (int i = 0; i < 20000; i++)
            double_starts_kernel("many", 1 + i % 2); /* many */
    if (strcmp(what, "after") == 0) {                /* what a child of a fork says is not the parent's */
        if (fork() == 0)
            return 0;
        int status;
        wait(&status);
    }
    return 0;
}
