/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure.h"

#include <string.h>

BLOCK(empty, "");

void need_emulator(void)
{
    OK(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT ? PAPI_OK : PAPI_EINVAL);
    const PAPI_component_info_t *info = PAPI_get_component_info(PAPI_get_component_index("emulated"));
    CHECK(info != NULL);
    if (info->disabled)
        SKIP("%s", info->disabled_reason);
}

int measure_set(const char *const *names)
{
    int es = PAPI_NULL;
    need_emulator();
    OK(PAPI_create_eventset(&es));
    for (int i = 0; names[i] != NULL; i++)
        OK(PAPI_add_named_event(es, names[i]));
    return es;
}

/* Counts one block. There is one such place, so that all blocks are counted with the same instructions around
 * them. */
static __attribute__((noinline)) void run(int es, void (*block)(void), long long *values)
{
    PAPI_start(es);
    block();
    PAPI_stop(es, values);
}

void measure(int es, void (*block)(void), long long *values)
{
    long long overhead[MAX_MEASURED] = {0};
    run(es, block_empty, overhead); /* once for the lines and pages it needs */
    run(es, block_empty, overhead);
    run(es, block, values);
    for (int i = 0; i < PAPI_num_events(es); i++)
        values[i] -= overhead[i];
}
