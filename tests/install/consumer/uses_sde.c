/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A library's own event, counted.
 */
#include <papi.h>
#include <sde_lib.h>

#include <stdio.h>

int main(void)
{
    static long long number;
    long long value = 0;
    int es = PAPI_NULL;
    if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT)
        return 1;
    papi_sde_register_counter(papi_sde_init("consumer"), "number", PAPI_SDE_RO | PAPI_SDE_DELTA,
                              PAPI_SDE_long_long, &number);
    PAPI_create_eventset(&es);
    int code = PAPI_add_named_event(es, "sde:::consumer::number");
    if (code != PAPI_OK) {
        printf("%s\n", PAPI_strerror(code));
        return 1;
    }
    PAPI_start(es);
    number += 6;
    PAPI_stop(es, &value);
    printf("PAPI %d.%d\n", PAPI_VERSION_MAJOR(PAPI_VERSION), PAPI_VERSION_MINOR(PAPI_VERSION));
    return value == 6 ? 0 : 1;
}
