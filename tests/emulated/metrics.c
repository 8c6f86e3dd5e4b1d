/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Four kernels in regions, whose instructions, operations, branches and misses are known by analysis: it
 * prints these, -1 where they depend on the compiler, and what PAPI_metric and PAPI_hl_metric give. The case
 * "metrics" of emulated_test.py compares both with the file and the table of regions. caches:
 * L1d:32K:8:64,L1i:32K:8:64,L2:1M:16:64,L3:8M:16:64
 */
#include "testing.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

enum { SIDE = 40, TRIAD = 1 << 16, STEPS = 1 << 16, LINE = 64, SORTED = 200 };

/* Follows a chain: three instructions a step, one of them a load. */
#if defined(__x86_64__)
enum { PER_COMPARISON = 7, PER_SWAP = 2 };

static void follow(void **place, long steps)
{
    __asm__ volatile("1:\tmov (%0), %0\n\tdec %1\n\tjne 1b" : "+r"(place), "+r"(steps) : : "memory", "cc");
}

static void bubble_sort(long *first, long n)
{
    long *place, left, a, b;
    __asm__ volatile("1:\tmov %[first], %[place]\n\tmov %[n], %[left]\n"
                     "2:\tmov (%[place]), %[a]\n\tmov 8(%[place]), %[b]\n\tcmp %[b], %[a]\n\tjle 3f\n\t"
                     "mov %[b], (%[place])\n\tmov %[a], 8(%[place])\n"
                     "3:\tadd $8, %[place]\n\tdec %[left]\n\tjne 2b\n\tdec %[n]\n\tjne 1b"
                     : [place] "=&r"(place), [left] "=&r"(left), [a] "=&r"(a), [b] "=&r"(b), [n] "+r"(n)
                     : [first] "r"(first)
                     : "memory", "cc");
}
#elif defined(__aarch64__)
enum { PER_COMPARISON = 6, PER_SWAP = 1 };

static void follow(void **place, long steps)
{
    __asm__ volatile("1:\tldr %0, [%0]\n\tsubs %1, %1, #1\n\tb.ne 1b"
                     : "+r"(place), "+r"(steps)
                     :
                     : "memory", "cc");
}

static void bubble_sort(long *first, long n)
{
    long *place, left, a, b;
    __asm__ volatile("1:\tmov %[place], %[first]\n\tmov %[left], %[n]\n"
                     "2:\tldp %[a], %[b], [%[place]]\n\tcmp %[a], %[b]\n\tb.le 3f\n\t"
                     "stp %[b], %[a], [%[place]]\n"
                     "3:\tadd %[place], %[place], #8\n\tsubs %[left], %[left], #1\n\tb.ne 2b\n\t"
                     "subs %[n], %[n], #1\n\tb.ne 1b"
                     : [place] "=&r"(place), [left] "=&r"(left), [a] "=&r"(a), [b] "=&r"(b), [n] "+r"(n)
                     : [first] "r"(first)
                     : "memory", "cc");
}
#endif

static double product[3][SIDE][SIDE];
static double *triad[3];
static void **chain;
static long numbers[SORTED];

static long random_number(void)
{
    static uint64_t state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (long)(state >> 40);
}

static void prepare(void)
{
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++) {
            product[0][i][j] = 1.0 + i;
            product[1][i][j] = 2.0 - j;
            product[2][i][j] = 0.0;
        }
    for (int i = 0; i < SORTED; i++)
        numbers[i] = random_number();
    /* Each line leads to the next one: 4 MB, of which nothing is in L2 when the chain is followed again. */
    for (long i = 0; i < STEPS; i++)
        chain[i * LINE / 8] = &chain[(i + 1) % STEPS * LINE / 8];
}

static void multiply(void)
{
    for (int i = 0; i < SIDE; i++)
        for (int k = 0; k < SIDE; k++)
            for (int j = 0; j < SIDE; j++)
                product[2][i][j] = product[2][i][j] + product[0][i][k] * product[1][k][j];
}

static void add_scaled(void)
{
    for (int i = 0; i < TRIAD; i++)
        triad[0][i] = triad[1][i] + 3.0 * triad[2][i];
}

static void say(const char *region, long instructions, long operations, long conditional, long taken,
                long misses)
{
    printf("%s %ld %ld %ld %ld %ld\n", region, instructions, operations, conditional, taken, misses);
}

static void sort_and_say(const char *region)
{
    long comparisons = SORTED * (SORTED - 1L) / 2, swaps = 0, rounds = SORTED - 1;
    for (int i = 0; i < SORTED; i++)
        for (int j = i + 1; j < SORTED; j++)
            swaps += numbers[i] > numbers[j];
    OK(PAPI_hl_region_begin(region));
    bubble_sort(numbers, rounds);
    OK(PAPI_hl_region_end(region));
    for (int i = 1; i < SORTED; i++)
        EQUAL(numbers[i - 1] <= numbers[i], 1);
    say(region, PER_COMPARISON * comparisons + PER_SWAP * swaps + 4 * rounds, 0, 2 * comparisons + rounds,
        (comparisons - swaps) + (comparisons - rounds) + (rounds - 1), -1);
}

/* Names of the same length, so that each begin and end takes as many instructions. */
static void all_regions(void)
{
    prepare();
    OK(PAPI_hl_region_begin("empty"));
    OK(PAPI_hl_region_end("empty"));
    OK(PAPI_hl_region_begin("multi"));
    multiply();
    OK(PAPI_hl_region_end("multi"));
    say("multi", -1, 2L * SIDE * SIDE * SIDE, -1, -1, -1);
    OK(PAPI_hl_region_begin("triad"));
    add_scaled();
    OK(PAPI_hl_region_end("triad"));
    say("triad", -1, 2L * TRIAD, -1, -1, 3L * TRIAD * 8 / LINE);
    OK(PAPI_hl_region_begin("chase"));
    follow(chain, STEPS);
    OK(PAPI_hl_region_end("chase"));
    say("chase", 3L * STEPS, 0, STEPS, STEPS - 1, STEPS);
    sort_and_say("order");
}

static void say_metric(const char *region, const char *metric)
{
    double value = -1;
    OK(PAPI_hl_metric(region, metric, &value));
    printf("%s %s %.17g\n", region, metric, value);
}

static void say_missing(const char *region, const char *metric)
{
    double value = -1;
    int code = PAPI_hl_metric(region, metric, &value);
    EQUAL(value == -1 && code != PAPI_OK, 1);
    printf("missing %s: %s\n", region, PAPI_strerror(code));
}

/* Metrics of an event set, with a time that the caller states: 2 SIDE^3 operations in a second. */
static void of_event_set(void)
{
    int es = PAPI_NULL;
    long long values[2];
    double value = -1;
    OK(PAPI_create_eventset(&es));
    OK(PAPI_add_named_event(es, "PAPI_FP_OPS"));
    OK(PAPI_add_named_event(es, "PAPI_TOT_INS"));
    OK(PAPI_start(es));
    multiply();
    OK(PAPI_stop(es, values));
    OK(PAPI_metric(es, "mflops", values, 1000000000, &value));
    EQUAL(value == 2e-6 * SIDE * SIDE * SIDE, 1);
    OK(PAPI_metric(es, "flop_per_ins", NULL, 0, &value));
    EQUAL(value == (double)values[0] / (double)values[1], 1);
    EQUAL(PAPI_metric(es, "mflops", NULL, 0, &value), PAPI_EINVAL);
    EQUAL(PAPI_metric(es, "ipc", NULL, 0, &value), PAPI_ENOEVNT);
    values[1] = 0;
    EQUAL(PAPI_metric(es, "flop_per_ins", values, 0, &value), PAPI_EINVAL);
    printf("missing set: %s\n", PAPI_strerror(PAPI_EINVAL));
}

int main(void)
{
    for (int i = 0; i < 3; i++) {
        EQUAL(posix_memalign((void **)&triad[i], LINE, TRIAD * sizeof *triad[i]), 0);
        for (int j = 0; j < TRIAD; j++)
            triad[i][j] = i + j;
    }
    EQUAL(posix_memalign((void **)&chain, LINE, (size_t)STEPS * LINE), 0);
    all_regions(); /* the first time, what regions need is made */
    all_regions();
    say_metric("multi", "mflops");
    say_metric("chase", "l1d_mpki");
    say_metric("order", "taken_share");
    say_missing("multi", "ipc");
    say_missing("nowhere", "mflops");
    say_missing("multi", "no_such_metric");
    of_event_set();
    return 0;
}
