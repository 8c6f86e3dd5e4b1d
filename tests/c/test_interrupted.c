/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Calls that a signal handler of the program's own interrupts, which counts: what allocates and opens files,
 * and what counts for the program.
 */
#include "counting_handler.h"
#include "testing.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { RUN_MS = 250, PAGES = 3 };

static void repeat(void (*body)(void))
{
    struct timespec from, now;
    clock_gettime(CLOCK_MONOTONIC, &from);
    do {
        body();
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while ((now.tv_sec - from.tv_sec) * 1000 + (now.tv_nsec - from.tv_nsec) / 1000000 < RUN_MS);
}

static void under_the_handler(void (*body)(void))
{
    counting_handler_begin();
    repeat(body);
    counting_handler_end();
}

/* ---- another event set */

static void use_another_set(void)
{
    long long value[2], from = counting_handler_faults();
    int es = PAPI_NULL, n = 2, codes[2];
    OK(PAPI_create_eventset(&es));
    OK(PAPI_add_named_event(es, CLOCK));
    OK(PAPI_add_event(es, test_code_of(FAULTS)));
    OK(PAPI_list_events(es, codes, &n));
    EQUAL(n, 2);
    EQUAL(codes[1], test_code_of(FAULTS));
    OK(PAPI_remove_named_event(es, CLOCK));
    OK(PAPI_start(es));
    test_touch_pages(PAGES);
    OK(PAPI_stop(es, value));
    CHECK(value[0] >= PAGES && value[0] <= counting_handler_faults() - from);
    OK(PAPI_cleanup_eventset(es));
    EQUAL(PAPI_num_events(es), 0);
    OK(PAPI_destroy_eventset(&es));
}

static void changes_of_another_set(void **state)
{
    (void)state;
    under_the_handler(use_another_set);
}

/* ---- rates */

struct rating {
    float real, process, rate;
    long long count, core; /* core: of PAPI_epc */
    struct {
        long long real, virt; /* ns */
    } began, ended;           /* of the call */
};

typedef int rate_call(struct rating *now);

static int flips(struct rating *now)
{
    return PAPI_flips(&now->real, &now->process, &now->count, &now->rate);
}

static int flops(struct rating *now)
{
    return PAPI_flops(&now->real, &now->process, &now->count, &now->rate);
}

static int flips_rate(struct rating *now)
{
    return PAPI_flips_rate(PAPI_FP_INS, &now->real, &now->process, &now->count, &now->rate);
}

static int flops_rate(struct rating *now)
{
    return PAPI_flops_rate(PAPI_FP_OPS, &now->real, &now->process, &now->count, &now->rate);
}

static int ipc(struct rating *now)
{
    return PAPI_ipc(&now->real, &now->process, &now->count, &now->rate);
}

static int epc(struct rating *now)
{
    long long reference;
    return PAPI_epc(PAPI_TOT_INS, &now->real, &now->process, &reference, &now->core, &now->count, &now->rate);
}

static rate_call *rate;
static struct rating before;
static long long touched, rates_began;

static bool is_about(double value, double wanted)
{
    return value >= 0.99 * wanted && value <= 1.01 * wanted;
}

/* The error of a difference of two numbers of seconds, as they are floats. */
static double doubt(float seconds)
{
    return FLT_EPSILON * (double)seconds;
}

/* True if a time grew by no less than what went by between two calls, and no more than with them. */
static bool grew(float now, float was, long long least_nsec, long long most_nsec)
{
    double seconds = (double)now - (double)was;
    return seconds >= 1e-9 * (double)least_nsec - doubt(now) &&
           seconds <= 1e-9 * (double)most_nsec + doubt(now);
}

static bool times_grew(const struct rating *now)
{
    return now->real > 0 &&
           grew(now->real, before.real, now->began.real - before.ended.real,
                now->ended.real - before.began.real) &&
           grew(now->process, before.process, now->began.virt - before.ended.virt,
                now->ended.virt - before.began.virt);
}

/* True if a rate is that of a count to the time of the thread, which stands still where a virtual machine's
 * kernel takes back what it had given it and other machines had: there is no rate then. */
static bool is_of_time(const struct rating *now, double count)
{
    double seconds = (double)now->process - (double)before.process;
    if (now->rate == 0)
        return seconds == 0;
    return fabs(now->rate * seconds * 1e6 - count) <= 0.01 * count + now->rate * doubt(now->process) * 1e6;
}

/* True if a rate agrees with what is known about the time or the cycles since the last call: a cycle is a
 * nanosecond of the thread. */
static bool is_rate(const struct rating *now)
{
    enum { LEAST_NSEC = 1000 };
    double count = (double)(now->count - before.count);
    if (rate == epc)
        return is_about(now->rate * (double)(now->core - before.core), count);
    if (rate == ipc)
        return now->rate * LEAST_NSEC <= count &&
               now->rate * (double)(now->ended.real - before.began.real) >= 0.99 * count;
    return is_of_time(now, count);
}

static void ask(struct rating *now)
{
    now->began.real = PAPI_get_real_nsec();
    now->began.virt = PAPI_get_virt_nsec();
    OK(rate(now));
    now->ended.real = PAPI_get_real_nsec();
    now->ended.virt = PAPI_get_virt_nsec();
}

static void use_rates(void)
{
    struct rating now = {0};
    test_touch_pages(PAGES);
    touched += PAGES;
    ask(&now);
    CHECK(now.count >= before.count + PAGES && now.count >= touched &&
          now.count <= counting_handler_faults() - rates_began);
    if (!times_grew(&now))
        fail_msg("seconds %.9f, %.9f, of the thread %.9f, %.9f", before.real, now.real, before.process,
                 now.process);
    if (!is_rate(&now))
        fail_msg("a rate of %g: counts %lld, %lld, cycles %lld, %lld, seconds %.9f, %.9f", now.rate,
                 before.count, now.count, before.core, now.core, before.process, now.process);
    before = now;
}

static void begin_and_end_rates(void)
{
    rates_began = counting_handler_faults();
    before = (struct rating){.count = -1, .core = -1};
    touched = 0;
    ask(&before);
    EQUAL(before.count, 0);
    before.core = 0;
    for (int i = 0; i < 5; i++)
        use_rates();
    OK(PAPI_rate_stop());
    CODE(PAPI_rate_stop(), PAPI_ENOTRUN);
}

static void rates(void **state)
{
    static rate_call *const all[] = {flips, flops, flips_rate, flops_rate, ipc, epc};
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        rate = all[i];
        under_the_handler(begin_and_end_rates);
    }
}

/* ---- memory */

/* Allocates, fills and checks blocks: their contents stay, whatever the handler calls. */
static void use_memory(void)
{
    enum { BLOCKS = 16, MOST = 20000 };
    unsigned char *block[BLOCKS];
    static unsigned turn;
    size_t size[BLOCKS];
    turn++;
    for (unsigned i = 0; i < BLOCKS; i++) {
        size[i] = (turn * 37U + i * 1001U) % MOST + 1;
        block[i] = malloc(size[i]);
        CHECK(block[i] != NULL);
        memset(block[i], (int)i, size[i]);
    }
    for (unsigned i = 0; i < BLOCKS; i += 2) {
        block[i] = realloc(block[i], 2 * size[i]);
        CHECK(block[i] != NULL);
    }
    for (unsigned i = 0; i < BLOCKS; i++) {
        CHECK(block[i][0] == i && block[i][size[i] - 1] == i);
        free(block[i]);
    }
}

static void memory(void **state)
{
    (void)state;
    under_the_handler(use_memory);
}

/* ---- names */

static void ask_for_names(void)
{
    PAPI_event_info_t info;
    char name[PAPI_MAX_STR_LEN];
    int code = test_code_of(FAULTS);
    OK(PAPI_event_code_to_name(code, name));
    EQUAL(strcmp(name, FAULTS), 0);
    OK(PAPI_get_event_info(code, &info));
    EQUAL(strcmp(info.symbol, FAULTS), 0);
    CODE(PAPI_event_name_to_code("perf::NO-SUCH-EVENT", &code), PAPI_ENOEVNT);
}

static void names(void **state)
{
    (void)state;
    under_the_handler(ask_for_names);
}

int main(void)
{
    test_software_presets();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changes_of_another_set),
        cmocka_unit_test(rates),
        cmocka_unit_test(memory),
        cmocka_unit_test(names),
    };
    return TEST_RUN(tests);
}
