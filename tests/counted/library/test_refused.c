/* SPDX-License-Identifier: BSD-3-Clause
 *
 *   test_refused PART   of a program that does not count itself: the reason has this part
 */
#include "testing.h"

#include <string.h>

static const char *part;

static void says_why(void **state)
{
    int es = PAPI_NULL, code;
    PAPI_event_info_t info;
    (void)state;
    test_init();
    const PAPI_component_info_t *component = PAPI_get_component_info(PAPI_get_component_index("counted"));
    CHECK(component != NULL);
    EQUAL(component->disabled, PAPI_ENOCMP);
    print_message("%s\n", component->disabled_reason);
    CHECK(strstr(component->disabled_reason, part) != NULL);
    CHECK(strstr(component->disabled_reason, "link it with papi_counted") != NULL);
    EQUAL(component->num_native_events, 0);
    OK(PAPI_create_eventset(&es));
    CODE(PAPI_add_named_event(es, "counted::DP_OPS"), PAPI_ENOCMP);
    CHECK(strstr(PAPI_strerror(PAPI_ENOCMP), part) != NULL);
    /* Presets are the processor's, or nobody's. */
    code = PAPI_get_event_info(PAPI_DP_OPS, &info);
    CHECK(code != PAPI_OK || info.component_index == 0);
    test_drop(es);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(says_why)};
    if (argc != 2)
        return 2;
    part = argv[1];
    return TEST_RUN(tests);
}
