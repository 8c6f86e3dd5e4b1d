/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A counted program's own thread-local variables hide no counts: one shrinks by as much as a counter beside
 * it grows, as the number of free elements of a list does. Not counted itself, so that nothing else grows.
 */
#include "beside.h"
#include "testing.h"

static void counts_beside_a_variable_that_shrinks(void **state)
{
    enum { RUNS = 1000 };
    long long before, after;
    (void)state;
    EQUAL(PAPI_library_init(PAPI_VER_CURRENT), PAPI_VER_CURRENT);
    int es = test_set("counted::DP_OPS", NULL);
    OK(PAPI_start(es));
    for (int i = 0; i < BESIDE_VARIABLES; i++) {
        OK(PAPI_read(es, &before));
        for (int run = 0; run < RUNS; run++) {
            beside_work();
            beside_variable[i]--;
        }
        OK(PAPI_read(es, &after));
        EQUAL(after - before, 2 * RUNS);
    }
    OK(PAPI_stop(es, NULL));
    test_drop(es);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(counts_beside_a_variable_that_shrinks)};
    return TEST_RUN(tests);
}
