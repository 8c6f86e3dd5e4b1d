/* SPDX-License-Identifier: BSD-3-Clause
 *
 * PAPI 3.5: PAPI_overflow, PAPI_get_overflow_event_index.
 */
#include "program.h"

#define THRESHOLD 20

static volatile int total; /* overflows */
static volatile int wrong;
static int expected_set;

static void handler(int EventSet, void *address, long_long overflow_vector, void *context)
{
    int array[8], number = 8;
    total++;
    if (EventSet != expected_set || address == NULL || context == NULL)
        wrong++;
    if (PAPI_get_overflow_event_index(EventSet, overflow_vector, array, &number) != PAPI_OK)
        wrong++;
    else if (number != 1 || array[0] != 1)
        wrong++;
}

int main(void)
{
    int EventSet = PAPI_NULL, retval, status = 0;
    int Events[2] = {PAPI_TOT_INS, PAPI_FP_OPS};
    long_long values[2];
    need_events();
    OK(PAPI_create_eventset(&EventSet));
    OK(PAPI_add_events(EventSet, Events, 2));
    expected_set = EventSet;
    retval = PAPI_overflow(EventSet, PAPI_FP_OPS, THRESHOLD, 0, handler);
    if (retval == PAPI_ENOSUPP)
        skip(PAPI_strerror(retval));
    OK(retval);
    CODE(PAPI_overflow(EventSet, PAPI_FP_OPS, -1, 0, handler), PAPI_EINVAL);
    OK(PAPI_state(EventSet, &status));
    CHECK(status & PAPI_OVERFLOWING);
    OK(PAPI_start(EventSet));
    CODE(PAPI_overflow(EventSet, PAPI_FP_OPS, THRESHOLD, 0, handler), PAPI_EISRUN);
    do_100events();
    OK(PAPI_stop(EventSet, values));
    CHECK(wrong == 0);
    CHECK(exact() ? total == 100 / THRESHOLD : total >= 1);
    CHECK(near_to(values[1], 100));

    /* The threshold 0 ends it. */
    OK(PAPI_overflow(EventSet, PAPI_FP_OPS, 0, 0, handler));
    total = 0;
    OK(PAPI_start(EventSet));
    do_100events();
    OK(PAPI_stop(EventSet, values));
    CHECK(total == 0);
    OK(PAPI_cleanup_eventset(EventSet));
    OK(PAPI_destroy_eventset(&EventSet));
    PAPI_shutdown();
    return 0;
}
