/* SPDX-License-Identifier: BSD-3-Clause
 *
 * teams CASE: parallel regions of three threads with OpenMP. What the threads do is known.
 */
#include "work.h"

#include <locale.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

static double out[4];

/* Two operations each time. */
static void calculate(int number, long times)
{
    double x = 1.5;
    for (long i = 0; i < times; i++) {
        x = x * 0.5 + 1;
        __asm__ volatile("" : "+m"(x));
    }
    out[number] = x;
}

static void flops(void)
{
    for (int i = 0; i < 5; i++) {
#pragma omp parallel num_threads(3) /* REGION flops */
        calculate(omp_get_thread_num(), 1000L * (1 + omp_get_thread_num()));
    }
}

static void pages(void)
{
    for (int i = 0; i < 3; i++) {
#pragma omp parallel num_threads(3) /* REGION pages */
        touch(i > 0 ? 100 * (1 + omp_get_thread_num()) : 1);
    }
}

static void waits(void)
{
    for (int i = 0; i < 2; i++) {
#pragma omp parallel num_threads(3) /* REGION waits */
        {
            usleep(omp_get_thread_num() == 0 ? 60000 : 0);
#pragma omp barrier /* BARRIER waits */
            usleep(omp_get_thread_num() == 1 ? 30000 : 0);
        }
    }
}

static void locks(void)
{
#pragma omp parallel num_threads(3) /* REGION locks */
    {
#pragma omp critical /* LOCK locks */
        usleep(50000);
    }
}

static void nested(void)
{
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2) /* REGION outer */
    {
        touch(100);
#pragma omp parallel num_threads(2) /* REGION inner */
        usleep(omp_get_thread_num() == 0 ? 0 : 60000);
    }
}

static void tasks(void)
{
#pragma omp parallel num_threads(2) /* REGION tasks */
    {
#pragma omp single
        {
#pragma omp task
            usleep(40000);
#pragma omp taskwait
        }
    }
}

static void cancelled(void)
{
    for (int i = 0; i < 10; i++) {
#pragma omp parallel num_threads(3) /* REGION cancelled */
        {
#pragma omp cancel parallel if (omp_get_thread_num() == i % 3)
            usleep(1000);
#pragma omp cancellation point parallel
            usleep(1000);
#pragma omp barrier
        }
    }
}

static void one(void)
{
#pragma omp parallel num_threads(1) /* REGION one */
    touch(10);
}

static void forked(void)
{
    pages();
    if (fork() == 0) {
        one();
        exit(0);
    }
    wait(NULL);
    pages();
}

static void unended(void)
{
    one();
#pragma omp parallel num_threads(2) /* REGION unended */
    {
#pragma omp master
        exit(5);
    }
}

/* Inside of a loop that runs its threads, and with a reduction of tasks. */
static void reduced(void)
{
    int sum = 0;
#pragma omp parallel num_threads(3) reduction(task, + : sum) /* REGION reduced */
    {
#pragma omp single
        for (int i = 0; i < 10; i++) {
#pragma omp task in_reduction(+ : sum)
            sum += i;
        }
    }
    printf("%d\n", sum);
}

/* Closes what it does not know, and what counts threads is among that. */
static void closed(void)
{
    for (int i = 0; i < 2; i++) {
        for (int fd = 3; fd < 100; fd++)
            close(fd);
        one();
        pages();
    }
}

/* Code after a region runs with one thread. */
static void outside(void)
{
    usleep(200000);
    one();
    pages();
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } cases[] = {{"flops", flops},     {"pages", pages},         {"waits", waits},     {"locks", locks},
                 {"nested", nested},   {"tasks", tasks},         {"one", one},         {"forked", forked},
                 {"unended", unended}, {"cancelled", cancelled}, {"reduced", reduced}, {"outside", outside},
                 {"closed", closed}};
    setlocale(LC_ALL, "");
    for (size_t i = 0; i < sizeof cases / sizeof *cases && argc > 1; i++)
        if (strcmp(cases[i].name, argv[1]) == 0)
            cases[i].run();
    return 0;
}
