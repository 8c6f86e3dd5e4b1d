/* SPDX-License-Identifier: BSD-3-Clause
 *
 * PAPI 3.5: the pages on event sets and their counts.
 */
#include "program.h"

static int new_set(void) /* PAPI_create_eventset, PAPI_add_event */
{
    int EventSet = PAPI_NULL;
    if (PAPI_create_eventset(&EventSet) != PAPI_OK)
        exit(1);
    OK(PAPI_add_event(EventSet, PAPI_FP_OPS));
    return EventSet;
}

static void drop(int EventSet) /* PAPI_cleanup_eventset, PAPI_destroy_eventset */
{
    OK(PAPI_cleanup_eventset(EventSet));
    OK(PAPI_destroy_eventset(&EventSet));
    CHECK(EventSet == PAPI_NULL);
}

static void start_stop(void) /* PAPI_start, PAPI_stop, PAPI_state */
{
    long_long values[1];
    int EventSet = new_set(), status = 0;
    OK(PAPI_state(EventSet, &status));
    CHECK(status & PAPI_STOPPED);
    OK(PAPI_start(EventSet));
    OK(PAPI_state(EventSet, &status));
    CHECK((status & PAPI_RUNNING) && !(status & (PAPI_STOPPED | PAPI_PAUSED | PAPI_NOT_INIT)));
    CHECK(!(status & (PAPI_OVERFLOWING | PAPI_PROFILING | PAPI_MULTIPLEXING)));
    CHECK(!(status & (PAPI_ACCUMULATING | PAPI_HWPROFILING)));
    do_100events();
    OK(PAPI_stop(EventSet, values));
    CHECK(near_to(values[0], 100));
    CODE(PAPI_stop(EventSet, values), PAPI_ENOTRUN);
    OK(PAPI_start(EventSet));
    CODE(PAPI_start(EventSet), PAPI_EISRUN);
    OK(PAPI_stop(EventSet, NULL));
    drop(EventSet);
}

static void read_accum(void) /* PAPI_read, PAPI_accum, PAPI_reset, PAPI_write */
{
    long_long values[1] = {0};
    int EventSet = new_set();
    OK(PAPI_start(EventSet));
    do_100events();
    OK(PAPI_read(EventSet, values));
    CHECK(near_to(values[0], 100));
    do_100events();
    values[0] = -100;
    OK(PAPI_accum(EventSet, values));
    CHECK(near_to(values[0], 100));
    values[0] = -100;
    do_100events();
    OK(PAPI_accum(EventSet, values));
    CHECK(near_to(values[0], 0));
    do_100events();
    OK(PAPI_reset(EventSet));
    do_100events();
    OK(PAPI_read(EventSet, values));
    CHECK(near_to(values[0], 100));
    values[0] = 1000;
    OK(PAPI_write(EventSet, values));
    do_100events();
    OK(PAPI_stop(EventSet, values));
    CHECK(near_to(values[0], 1100));
    drop(EventSet);
}

static void many(void) /* PAPI_add_events, PAPI_remove_event, PAPI_remove_events, PAPI_list_events */
{
    int EventSet = PAPI_NULL, Events[2] = {PAPI_TOT_INS, PAPI_FP_OPS}, List[4], number = 4;
    int EventCode, first[1] = {PAPI_TOT_INS};
    long_long values[2] = {-1, -1};
    OK(PAPI_create_eventset(&EventSet));
    OK(PAPI_add_events(EventSet, Events, 2));
    CHECK(PAPI_num_events(EventSet) == 2); /* PAPI_num_events */
    OK(PAPI_list_events(EventSet, List, &number));
    CHECK(number == 2 && List[0] == PAPI_TOT_INS && List[1] == PAPI_FP_OPS);
    OK(PAPI_start(EventSet));
    CODE(PAPI_add_event(EventSet, PAPI_FP_INS), PAPI_EISRUN);
    CODE(PAPI_remove_event(EventSet, PAPI_FP_OPS), PAPI_EISRUN);
    do_100events();
    OK(PAPI_stop(EventSet, values));
    CHECK(values[0] >= 100 && near_to(values[1], 100));
    OK(PAPI_remove_event(EventSet, PAPI_FP_OPS));
    OK(PAPI_remove_events(EventSet, first, 1));
    CHECK(PAPI_num_events(EventSet) == 0);
    /* PAPI_add_events returns the number of events that it added before one failed. */
    OK(PAPI_event_name_to_code("PAPI_CSR_TOT", &EventCode));
    Events[1] = EventCode;
    CHECK(PAPI_add_events(EventSet, Events, 2) == 1);
    drop(EventSet);
}

int main(void)
{
    need_events();
    start_stop();
    read_accum();
    many();
    PAPI_shutdown();
    return 0;
}
