/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Calls that a signal handler of the program's own interrupts, which counts: what allocates and opens files,
 * and what counts for the program.
 */
#include "counting_handler.h"
#include "testing.h"

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
    long long nsec;        /* when the call began */
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
               now->rate * (double)(PAPI_get_real_nsec() - before.nsec) >= 0.99 * count;
    return is_about(now->rate * (now->process - before.process) * 1e6, count);
}

static void use_rates(void)
{
    struct rating now = {.nsec = PAPI_get_real_nsec()};
    test_touch_pages(PAGES);
    touched += PAGES;
    OK(rate(&now));
    CHECK(now.count >= before.count + PAGES && now.count >= touched &&
          now.count <= counting_handler_faults() - rates_began);
    CHECK(now.real > before.real && now.process > before.process);
    if (!is_rate(&now))
        fail_msg("a rate of %g: counts %lld, %lld, cycles %lld, %lld, seconds %.9f, %.9f", now.rate,
                 before.count, now.count, before.core, now.core, before.process, now.process);
    before = now;
}

static void begin_and_end_rates(void)
{
    rates_began = counting_handler_faults();
    before = (struct rating){.count = -1, .core = -1, .nsec = PAPI_get_real_nsec()};
    touched = 0;
    OK(rate(&before));
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
