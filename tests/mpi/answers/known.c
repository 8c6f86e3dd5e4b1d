/* SPDX-License-Identifier: BSD-3-Clause */
#include "known.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_NOTES = 128 };

static struct {
    pthread_mutex_t lock;
    double begin, elapsed, delay;
    int rank, n;
    struct {
        char name[64];
        double value;
    } note[MAX_NOTES];
} known = {.lock = PTHREAD_MUTEX_INITIALIZER};

static double seconds_of(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

double known_now(void)
{
    return seconds_of(CLOCK_MONOTONIC_RAW);
}

double known_delay(void)
{
    unsigned long long on, delay = 0;
    FILE *file = fopen("/proc/thread-self/schedstat", "r");
    if (file && fscanf(file, "%llu %llu", &on, &delay) != 2)
        abort();
    if (file)
        fclose(file);
    return (double)delay * 1e-9;
}

void known_note(const char *name, double value)
{
    int i = 0;
    pthread_mutex_lock(&known.lock);
    while (i < known.n && strcmp(known.note[i].name, name) != 0)
        i++;
    if (i == MAX_NOTES)
        abort();
    if (i == known.n)
        snprintf(known.note[known.n++].name, sizeof known.note[i].name, "%s", name);
    known.note[i].value += value;
    pthread_mutex_unlock(&known.lock);
}

void known_begin(void)
{
    known.delay = known_delay();
    known.begin = known_now();
}

void known_spin(double seconds)
{
    double end = seconds_of(CLOCK_THREAD_CPUTIME_ID) + seconds;
    volatile double result = 0;
    do
        for (int i = 0; i < 200; i++)
            result = result * 0.5 + 1;
    while (seconds_of(CLOCK_THREAD_CPUTIME_ID) < end);
}

void known_work_named(const char *name, double seconds)
{
    double begin = known_now(), processor = seconds_of(CLOCK_THREAD_CPUTIME_ID);
    known_spin(seconds);
    processor = seconds_of(CLOCK_THREAD_CPUTIME_ID) - processor;
    double took =
        known_now() - begin; /* by a clock that takes no system call, after which a thread is often put off */
    known_note(name, took);
    if (strcmp(name, "useful") != 0)
        known_note("useful", took);
    known_note("processor", processor);
}

void known_work(double seconds)
{
    known_work_named("useful", seconds);
}

/* Writes the notes when the program ends: that takes a while, which is not to be in anybody's times. */
static void write_notes(void)
{
    char path[4096];
    const char *folder = getenv("KNOWN_DIR");
    snprintf(path, sizeof path, "%s/%d", folder ? folder : ".", known.rank);
    FILE *file = fopen(path, "w");
    if (!file)
        abort();
    fprintf(file, "elapsed %.9f\ndelay %.9f\n", known.elapsed, known.delay);
    for (int i = 0; i < known.n; i++)
        fprintf(file, "%s %.9f\n", known.note[i].name, known.note[i].value);
    fclose(file);
}

void known_end(int rank)
{
    known.elapsed = known_now() - known.begin;
    known.delay = known_delay() - known.delay;
    known.rank = rank;
    atexit(write_notes);
}
