/* SPDX-License-Identifier: BSD-3-Clause
 *
 * PAPI 6 and 7: events by name, times with the counts, nanoseconds.
 */
#include "program.h"

int main(void)
{
    const char *names[2] = {"PAPI_FP_OPS", "PAPI_TOT_INS"};
    int es = PAPI_NULL, i, codes[2], n = 2;
    long long values[2], more[2], before, after, start, cpu;
    need_events();
    for (i = 0; i < 2; i++)
        OK(PAPI_query_named_event(names[i]));
    CODE(PAPI_query_named_event("PAPI_NONSENSE"), PAPI_ENOTPRESET);
    CHECK(PAPI_query_named_event("nonsense::EVENT") < 0);
    OK(PAPI_create_eventset(&es));
    for (i = 0; i < 2; i++)
        OK(PAPI_add_named_event(es, names[i]));
    CHECK(PAPI_add_named_event(es, "nonsense::EVENT") < 0);
    OK(PAPI_list_events(es, codes, &n));
    CHECK(n == 2 && codes[0] == PAPI_FP_OPS && codes[1] == PAPI_TOT_INS);
    start = PAPI_get_real_nsec();
    cpu = PAPI_get_virt_nsec();
    OK(PAPI_start(es));
    OK(PAPI_read_ts(es, values, &before));
    do_100events();
    OK(PAPI_read_ts(es, more, &after));
    OK(PAPI_stop(es, NULL));
    CHECK(after > before && near_to(more[0] - values[0], 100) && more[1] >= values[1]);
    CHECK(PAPI_get_real_nsec() > start && PAPI_get_virt_nsec() > cpu);
    OK(PAPI_remove_named_event(es, names[1]));
    CHECK(PAPI_num_events(es) == 1);
    OK(PAPI_cleanup_eventset(es));
    OK(PAPI_destroy_eventset(&es));
    for (i = 0; i > -PAPI_NUM_ERRORS; i--)
        CHECK(PAPI_strerror(i) != NULL);
    PAPI_shutdown();
    return 0;
}
