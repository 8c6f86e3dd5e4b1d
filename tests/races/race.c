/* SPDX-License-Identifier: BSD-3-Clause */
#include "race.h"

#include <stdlib.h>
#include <string.h>

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
enum { SLOWER = 4 };
#else
enum { SLOWER = 1 };
#endif

int race_rounds(int usual)
{
    const char *text = getenv("RACE_ROUNDS");
    int rounds = text != NULL ? atoi(text) : 0;
    if (rounds > 0)
        return rounds;
    rounds = usual / (test_under_valgrind() ? 30 : SLOWER);
    return rounds > 2 ? rounds : 2;
}

const char *race_event(void)
{
    const char *text = getenv("RACE_EVENT");
    return text != NULL ? text : "perf::CPU-CLOCK";
}

/* The least period that the kernel takes for a clock, in nanoseconds. */
int race_threshold(void)
{
    return 100000;
}

unsigned race_random(unsigned *state, unsigned below)
{
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 8) % below;
}

void race_compute(void)
{
    for (volatile int i = 0; i < 20000; i++)
        ;
}

void race_stop(int es, long long *values)
{
    int code = PAPI_stop(es, values);
    if (code != PAPI_ECLOST)
        OK(code);
}

int race_mappings(void)
{
    char line[4096];
    int n = 0;
    FILE *maps = fopen("/proc/self/maps", "re");
    CHECK(maps != NULL);
    while (fgets(line, sizeof line, maps) != NULL)
        n += strstr(line, "[perf_event]") != NULL;
    fclose(maps);
    return n;
}

pthread_t race_start(void *(*run)(void *), void *argument)
{
    pthread_t thread;
    EQUAL(pthread_create(&thread, NULL, run, argument), 0);
    return thread;
}

void race_join(pthread_t thread)
{
    EQUAL(pthread_join(thread, NULL), 0);
}
