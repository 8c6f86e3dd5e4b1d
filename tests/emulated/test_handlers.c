/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Signal handlers in a program that is emulated. A loop has as many additions and loads as turns; no handler
 * adds doubles.
 */
#include "exact_handlers.h"
#include "measure.h"

#include <dlfcn.h>
#include <stdlib.h>

enum { TURNS = 500 };

static volatile double number = 1.0;
static volatile double sum;

static __attribute__((noinline)) void add_up(void)
{
    double all = 0.0;
    for (int i = 0; i < TURNS; i++)
        all += number;
    sum = all;
}

static void allocate_and_load(void)
{
    static int calls;
    void *memory = malloc((size_t)(calls % 5000) + 1), *library;
    free(memory);
    if (++calls % 20 == 0 && (library = dlopen("libm.so.6", RTLD_NOW)) != NULL)
        dlclose(library);
}

static const struct exact_work adding = {
    .event = {"emu::DP_OPS", "emu::INSTRUCTIONS", "emu::LOADS"},
    .work = add_up,
    .each = {TURNS, 2 * TURNS, TURNS},
    .between = allocate_and_load,
    .interval = 500,
    .run_ms = 400,
};

static void of_the_emulator(void **state)
{
    (void)state;
    need_emulator();
    exact_handlers(&adding);
}

static void add_up_twice(void)
{
    add_up();
    add_up();
}

/* The loop's loads, and what a call of it loads beside: at most the constants and what it saved. */
static void loads_are_exact(void **state)
{
    int es = measure_set((const char *const[]){"emu::DP_OPS", "emu::LOADS", NULL});
    long long one[2], two[2];
    (void)state;
    measure(es, add_up, one);
    measure(es, add_up_twice, two);
    EQUAL(one[0], TURNS);
    EQUAL(two[0], 2 * TURNS);
    CHECK(one[1] >= TURNS && one[1] < TURNS + 8);
    CHECK(two[1] >= 2 * TURNS && two[1] < 2 * (TURNS + 8));
    test_drop(es);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_the_emulator),
        cmocka_unit_test(loads_are_exact),
    };
    return TEST_RUN(tests);
}
