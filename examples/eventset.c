/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Uses one event set: instructions and cycles if the processor counts them, and what the kernel
 * counts. Status: 0 if something was counted, 77 if nothing can be counted here.
 */
#include <papi.h>

#include <stdio.h>
#include <stdlib.h>

static const char *const wanted[] = {"PAPI_TOT_INS",      "PAPI_TOT_CYC",           "perf::TASK-CLOCK",
                                     "perf::PAGE-FAULTS", "perf::CONTEXT-SWITCHES", "perf::CPU-MIGRATIONS"};
#define WANTED ((int)(sizeof wanted / sizeof *wanted))

static void must(const char *what, int code)
{
    if (code == PAPI_OK)
        return;
    fprintf(stderr, "%s: %s\n", what, PAPI_strerror(code));
    exit(1);
}

/* Adds the events that count here and says why the others do not. Returns how many were added. */
static int add_events(int es, const char *counted[])
{
    int n = 0;
    for (int i = 0; i < WANTED; i++) {
        int rc = PAPI_add_named_event(es, wanted[i]);

        if (rc == PAPI_OK)
            counted[n++] = wanted[i];
        else
            printf("%s: %s\n", wanted[i], PAPI_strerror(rc));
    }
    return n;
}

/* Touches fresh memory, so that there are page faults to count, too. */
static double work(void)
{
    enum { SIZE = 1 << 20 };
    double *x = malloc(SIZE * sizeof *x), sum = 0;

    if (!x)
        return 0;
    for (int i = 0; i < SIZE; i++)
        x[i] = 1.0 / (i + 1);
    for (int i = 0; i < SIZE; i++)
        sum += x[i];
    free(x);
    return sum;
}

static void print_table(const char *const names[], const long long counts[], int n)
{
    printf("\n%-24s %16s\n", "event", "count");
    for (int i = 0; i < n; i++)
        printf("%-24s %16lld\n", names[i], counts[i]);
}

int main(void)
{
    const char *names[WANTED];
    long long counts[WANTED];
    int es = PAPI_NULL, n, version = PAPI_library_init(PAPI_VER_CURRENT);
    if (version != PAPI_VER_CURRENT)
        must("PAPI_library_init", version);
    must("PAPI_create_eventset", PAPI_create_eventset(&es));
    n = add_events(es, names);
    if (n == 0)
        return 77;
    must("PAPI_start", PAPI_start(es));
    double sum = work();
    must("PAPI_stop", PAPI_stop(es, counts));
    print_table(names, counts, n);
    printf("\nresult of the work: %.6f\n", sum);
    must("PAPI_cleanup_eventset", PAPI_cleanup_eventset(es));
    must("PAPI_destroy_eventset", PAPI_destroy_eventset(&es));
    PAPI_shutdown();
    return 0;
}
