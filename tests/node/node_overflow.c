/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Usage: node_overflow PART... | threshold NUMBER
 * Overflows of CPU_CYCLES, whose interrupts are exact here: as many calls as the count has thresholds,
 * each for an address in the loop; and a profile of two routines of known shares.
 */
#include "counted_loop.h"
#include "node_test.h"

#include <stdint.h>
#include <string.h>

enum { TURNS = 4000000, THRESHOLD = 10000, LENGTH = 64 /* bytes that have a loop */ };
#if defined(__powerpc64__) /* whose registers to keep are many */
enum { HANDLER = 620 };
#else
enum { HANDLER = 476 }; /* the instructions of a handler's call, at most */
#endif

/* Another routine of the same instructions. */
__attribute__((noinline, noclone, aligned(2 * LENGTH))) static void other_loop(long n)
{
    long i = n, sum = 0;
#if defined(__aarch64__)
    __asm__ volatile("1: add %1, %1, #3\n\teor %1, %1, #1\n\tnop\n\tsubs %0, %0, #1\n\tb.ne 1b"
                     : "+r"(i), "+r"(sum)
                     :
                     : "cc");
#elif defined(__x86_64__)
    __asm__ volatile("1: add $3, %1\n\txor $1, %1\n\tnop\n\tsub $1, %0\n\tjne 1b"
                     : "+r"(i), "+r"(sum)
                     :
                     : "cc");
#elif defined(__powerpc64__)
    __asm__ volatile("1: addi %1, %1, 3\n\txori %1, %1, 1\n\tnop\n\taddic. %0, %0, -1\n\tbne 1b"
                     : "+b"(i), "+b"(sum)
                     :
                     : "cr0", "xer");
#else
    for (volatile long j = 0; j < i; j++)
        sum += j;
#endif
}

static struct {
    int n, inside, codes, backwards;
    long long read;
} calls;
static int reading;

static void note(int es, void *address, long long vector, void *context)
{
    (void)vector;
    (void)context;
    calls.n++;
    calls.inside +=
        (char *)address >= (char *)counted_loop && (char *)address < (char *)counted_loop + LENGTH;
    if (reading) {
        long long values[2];
        calls.codes |= PAPI_read(es, values);
        calls.backwards += values[0] <= calls.read || values[0] < (long long)calls.n * THRESHOLD;
        calls.read = values[0];
    }
}

static long long run(int es, long turns, int *code)
{
    long long values[2] = {0, 0};
    memset(&calls, 0, sizeof calls);
    NEED(PAPI_start(es));
    counted_loop(turns);
    *code = PAPI_stop(es, values);
    return values[0];
}

static void exact_calls(int es)
{
    int code;
    NEED(PAPI_overflow(es, PAPI_TOT_CYC, THRESHOLD, 0, note));
    for (int again = 0; again < 2; again++) {
        long long count = run(es, TURNS, &code);
        CODE(code, PAPI_OK);
        node_check(count >= 20000000 && count < 20000000 + 2100LL * HANDLER, "%lld cycles", count);
        node_check(calls.n == count / THRESHOLD, "%d calls, %lld thresholds", calls.n, count / THRESHOLD);
        node_check(calls.inside == calls.n, "%d addresses inside the loop", calls.inside);
    }
    /* 2,002 thresholds and a little more, what the handlers take among them. */
    long long count = 0;
    for (long cycles = 20000000, tries = 0; tries < 5 && (count < 20020000 || count >= 20030000); tries++) {
        count = run(es, cycles / COUNTED_LOOP_LENGTH, &code);
        cycles += (long)(20025000 - count);
    }
    node_check(count >= 20020000 && count < 20030000 && calls.n == 2002, "%d calls in %lld cycles", calls.n,
               count);
}

static void handlers_read(int es)
{
    int code;
    NEED(PAPI_overflow(es, PAPI_TOT_CYC, THRESHOLD, 0, note));
    reading = 1;
    long long count = run(es, TURNS, &code);
    reading = 0;
    CODE(code, PAPI_OK);
    node_check(calls.n == count / THRESHOLD, "%d calls of a handler that reads, %lld thresholds", calls.n,
               count / THRESHOLD);
    CODE(calls.codes, PAPI_OK);
    node_check(calls.backwards == 0, "%d reads were less than the overflows so far", calls.backwards);
}

/* Reads between the overflows: the loop and the read, and nothing of a wrapped counter. */
static void reads(int es)
{
    long long before, after, least = INT64_MAX, most = 0;
    NEED(PAPI_overflow(es, PAPI_TOT_CYC, 1000003, 0, note));
    NEED(PAPI_start(es));
    NEED(PAPI_read(es, &before));
    for (int i = 0; i < 2000; i++) {
        counted_loop(2000);
        NEED(PAPI_read(es, &after));
        least = after - before < least ? after - before : least;
        most = after - before > most ? after - before : most;
        before = after;
    }
    NEED(PAPI_stop(es, &after));
    node_check(least >= 10000 && most < 12000, "between two reads %lld to %lld cycles", least, most);
    node_check(after >= before && after < before + 2000, "the stop has %lld more", after - before);
}

/* Runs with a tiny threshold: the run ends, with all the calls or with an error that says that some are
 * missing. */
static void tiny_threshold(int es, int threshold)
{
    int code = PAPI_overflow(es, PAPI_TOT_CYC, threshold, 0, note);
    const char *least = code == PAPI_EINVAL ? strstr(PAPI_strerror(code), "the least is ") : NULL;
    if (least != NULL) { /* older Intel processors */
        node_check(1, "a threshold of %d: %s", threshold, PAPI_strerror(code));
        threshold = atoi(least + strlen("the least is "));
        code = PAPI_overflow(es, PAPI_TOT_CYC, threshold, 0, note);
    }
    NEED(code);
    long long count = run(es, 10000, &code);
    node_check(code == PAPI_OK || code == PAPI_ECLOST, "a threshold of %d: %d calls, %lld cycles, %s",
               threshold, calls.n, count, code == PAPI_OK ? "all" : PAPI_strerror(code));
    node_check(calls.n > 0, "the handler is called");
    if (code == PAPI_OK)
        node_check(calls.n == count / threshold, "%lld thresholds", count / threshold);
}

static uint32_t sum(const uint32_t *buckets)
{
    uint32_t all = 0;
    for (int i = 0; i < LENGTH; i++)
        all += buckets[i];
    return all;
}

static void shares(int es)
{
    static uint32_t one[LENGTH], other[LENGTH];
    PAPI_sprofil_t regions[] = {
        {one, sizeof one, (vptr_t)counted_loop, 0x20000},
        {other, sizeof other, (vptr_t)other_loop, 0x20000},
    };
    NEED(PAPI_sprofil(regions, 2, es, PAPI_TOT_CYC, 9973, PAPI_PROFIL_BUCKET_32));
    NEED(PAPI_start(es));
    for (int i = 0; i < 100; i++) {
        counted_loop(70000);
        other_loop(30000);
    }
    NEED(PAPI_stop(es, NULL));
    double share = (double)sum(one) / (sum(one) + sum(other));
    node_check(share > 0.69 && share < 0.71, "70 %% of the cycles are %.2f %% of %u samples", 100 * share,
               sum(one) + sum(other));
    NEED(PAPI_profil(NULL, 0, NULL, 0, es, PAPI_TOT_CYC, 0, 0));
}

/* A loop with one branch, of which every instruction but its own is a nop. The addresses of the first and of
 * the branch. */
#if defined(__aarch64__) || defined(__x86_64__)
enum { NOPS = 60 };
__attribute__((noinline, noclone)) static void one_branch(long n, const char **first, const char **branch)
{
    const char *from, *to;
#if defined(__aarch64__)
    __asm__ volatile("adr %1, 1f\n\tadr %2, 2f\n1:\n\t.rept 60\n\tnop\n\t.endr\n\tsub %0, %0, #1\n"
                     "2:\tcbnz %0, 1b"
                     : "+r"(n), "=&r"(from), "=&r"(to));
#else
    __asm__ volatile("lea 1f(%%rip), %1\n\tlea 2f(%%rip), %2\n1:\n\t.rept 60\n\tnop\n\t.endr\n\tsub $1, %0\n"
                     "2:\tjne 1b"
                     : "+r"(n), "=&r"(from), "=&r"(to)
                     :
                     : "cc");
#endif
    *first = from;
    *branch = to;
}

/* Profiles the loop by cycles, of which every instruction has one here. From sample to sample it is the same
 * number of instructions of the loop, so that samples are of all or of every n-th: that none of these has
 * more than another says that the interrupts' delay, if there is one, is always the same. */
static void skid(int es)
{
    static uint32_t bucket[1024];
    const char *first, *branch;
    PAPI_option_t option = {.precise = {.eventset = es}};
    one_branch(1, &first, &branch);
    NEED(PAPI_profil(bucket, sizeof bucket, (vptr_t)first, 0x20000, es, PAPI_TOT_CYC, 9973,
                     PAPI_PROFIL_BUCKET_32));
    NEED(PAPI_get_opt(PAPI_PRECISE, &option));
    NEED(PAPI_start(es));
    one_branch(4000000, &first, &branch);
    NEED(PAPI_stop(es, NULL));
    uint32_t least = UINT32_MAX, most = 0, n = 0, all = 0;
    for (long i = 0; i <= branch - first; i++) {
        n += bucket[i] > 0;
        all += bucket[i];
        most = bucket[i] > most ? bucket[i] : most;
        least = bucket[i] > 0 && bucket[i] < least ? bucket[i] : least;
    }
    node_check(option.precise.in_use == 0, "samples are where the interrupt comes");
    node_check(n > 1 && (NOPS + 2) % n == 0 && all > 20000 && least * 5 > most * 4,
               "%u samples on %u instructions, %u to %u on each", all, n, least, most);
    NEED(PAPI_profil(NULL, 0, NULL, 0, es, PAPI_TOT_CYC, 0, 0));
    option.precise.level = 2; /* none here is so precise */
    NEED(PAPI_set_opt(PAPI_PRECISE, &option));
    CODE(PAPI_overflow(es, PAPI_TOT_CYC, 9973, 0, note), PAPI_ENOSUPP);
}
#endif

/* Has overflows by software: the same program, by a timer. */
static void by_software(int es)
{
    int code;
    NEED(PAPI_overflow(es, PAPI_TOT_CYC, THRESHOLD, PAPI_OVERFLOW_FORCE_SW, note));
    long long count = run(es, 10 * TURNS, &code);
    CODE(code, PAPI_OK);
    node_check(calls.n >= 20 && calls.n <= count / 1000000, "by a timer %d calls in %lld cycles", calls.n,
               count);
    node_check(calls.inside >= calls.n - 2, "%d addresses inside the loop", calls.inside);
    NEED(PAPI_overflow(es, PAPI_TOT_CYC, 0, 0, NULL));
}

/* Counts of others in the group are as right as without. */
static void the_group_counts(int alone)
{
    const PAPI_component_info_t *info = PAPI_get_component_info(0);
    long long values[2];
    int es = NODE_SET("PAPI_TOT_INS", "PAPI_TOT_CYC");
    (void)alone;
    node_check(info != NULL && info->hardware_intr == 1, "hardware_intr");
    NEED(PAPI_overflow(es, PAPI_TOT_CYC, 100000, 0, note));
    NEED(PAPI_start(es));
    counted_loop(TURNS);
    NEED(PAPI_stop(es, values));
    node_check(values[0] > 20000000 && llabs(values[1] - values[0]) < 100, "%lld instructions, %lld cycles",
               values[0], values[1]);
    node_check(PAPI_cleanup_eventset(es) == PAPI_OK, "cleaned up");
    NEED(PAPI_destroy_eventset(&es));
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*body)(int es);
    } parts[] = {
        {"calls", exact_calls},
        {"handlers", handlers_read},
        {"reads", reads},
        {"profile", shares},
        {"software", by_software},
        {"group", the_group_counts},
#if defined(__aarch64__) || defined(__x86_64__)
        {"skid", skid},
#endif
    };
    setvbuf(stdout, NULL, _IOLBF, 0); /* if it hangs, where */
    node_init();
    int es = NODE_SET("PAPI_TOT_CYC");
    if (argc == 3 && strcmp(argv[1], "threshold") == 0)
        tiny_threshold(es, atoi(argv[2]));
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        for (int k = 1; k < argc; k++)
            if (strcmp(argv[k], parts[i].name) == 0) {
                printf("%s\n", parts[i].name);
                parts[i].body(es);
            }
    return node_test_end();
}
