/* SPDX-License-Identifier: BSD-3-Clause
 *
 * PAPI 3.5: PAPI_multiplex_init, PAPI_set_multiplex, PAPI_get_multiplex, and the options.
 */
#include "program.h"

int main(void)
{
    int EventSet = PAPI_NULL, retval, status = 0;
    int Events[2] = {PAPI_TOT_INS, PAPI_FP_OPS};
    long_long values[2] = {-1, -1};
    PAPI_option_t options;
    need_events();
    retval = PAPI_multiplex_init();
    OK(retval);
    OK(PAPI_create_eventset(&EventSet));
    /* A set that no component counts yet cannot be multiplexed by all versions: events first. */
    OK(PAPI_add_events(EventSet, Events, 2));
    retval = PAPI_get_multiplex(EventSet);
    CHECK(retval == 0);
    retval = PAPI_set_multiplex(EventSet);
    if (retval == PAPI_ENOSUPP)
        skip("this component is not multiplexed");
    if (retval == PAPI_EINVAL && PAPI_get_multiplex(EventSet) > 0)
        printf("This event set already has multiplexing enabled\n");
    else
        OK(retval);
    retval = PAPI_get_multiplex(EventSet);
    CHECK(retval > 0);
    OK(PAPI_state(EventSet, &status));
    CHECK(status & PAPI_MULTIPLEXING);

    memset(&options, 0, sizeof options);
    options.multiplex.eventset = EventSet;
    CHECK(PAPI_get_opt(PAPI_MULTIPLEX, &options) > 0);
    memset(&options, 0, sizeof options);
    CHECK(PAPI_get_opt(PAPI_DEF_MPX_USEC, &options) >= PAPI_OK);
    CHECK(options.multiplex.us >= 0);
    CHECK(PAPI_get_opt(PAPI_MAX_MPX_CTRS, NULL) >= 2);

    OK(PAPI_start(EventSet));
    do_100events();
    OK(PAPI_stop(EventSet, values));
    CHECK(values[0] >= 100 && near_to(values[1], 100));
    OK(PAPI_cleanup_eventset(EventSet));
    OK(PAPI_destroy_eventset(&EventSet));
    PAPI_shutdown();
    return 0;
}
