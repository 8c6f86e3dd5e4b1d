/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Signal handlers in a program that papi_counted built, which interrupt its loops, malloc, dlopen of a
 * counted library, and its readings.
 */
#include "exact_handlers.h"
#include "testing.h"
#include "work.h"

#include <dlfcn.h>
#include <stdlib.h>

enum { TURNS = 500 };

static void dot(void)
{
    work_dot(TURNS);
}

/* The library is counted, too, and does nothing: loading it and leaving it again changes what there is to be
 * summed. */
static void load_and_leave(void)
{
    static int calls;
    void *memory = malloc((size_t)(calls % 5000) + 1);
    free(memory);
    if (++calls % 20 != 0)
        return;
    void *library = dlopen(PLUGIN, RTLD_NOW | RTLD_LOCAL);
    CHECK(library != NULL);
    dlclose(library);
}

/* A multiplication and an addition each; two elements at once at most, of each an instruction, and loads. */
static const struct exact_work product = {
    .event = {"counted::DP_OPS", "counted::INSTRUCTIONS", "counted::LOADS"},
    .work = dot,
    .each = {2 * TURNS, TURNS, TURNS / 2},
    .between = load_and_leave,
    .interval = 100,
    .run_ms = 250,
};

static void of_a_counted_build(void **state)
{
    (void)state;
    test_init();
    exact_handlers(&product);
}

/* Calls a function of a library that is loaded and unloaded; its operations are counted before it is
 * unloaded. */
static void add_in_library(void)
{
    void *library = dlopen(PLUGIN, RTLD_NOW | RTLD_LOCAL);
    CHECK(library != NULL);
    work_plugin *work = (work_plugin *)dlsym(library, "plugin_work");
    work(TURNS);
    dlclose(library);
}

/* Three additions each. */
static const struct exact_work sums = {
    .event = {"counted::DP_OPS", "counted::INSTRUCTIONS", "counted::LOADS"},
    .work = add_in_library,
    .each = {3 * TURNS, 3 * TURNS, TURNS},
    .interval = 100,
    .run_ms = 250,
};

static void of_a_library_that_comes_and_goes(void **state)
{
    (void)state;
    test_init();
    exact_handlers(&sums);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_a_counted_build),
        cmocka_unit_test(of_a_library_that_comes_and_goes),
    };
    return TEST_RUN(tests);
}
