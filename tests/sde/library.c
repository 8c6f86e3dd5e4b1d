/* SPDX-License-Identifier: BSD-3-Clause */
#include "library.h"
#include "sde_lib.h"

#define JOIN(a, b) JOIN_OF(a, b)
#define JOIN_OF(a, b) a##b
#define TEXT(name) TEXT_OF(name)
#define TEXT_OF(name) #name

static _Atomic long long counter[LIBRARY_COUNTERS];

int JOIN(LIBRARY, _register)(int from, int n)
{
    papi_handle_t handle = papi_sde_init(TEXT(LIBRARY));
    int failures = handle == NULL;
    for (int i = from; i < from + n; i++) {
        char name[16];
        snprintf(name, sizeof name, "c%d", i);
        failures += papi_sde_register_counter(handle, name, PAPI_SDE_RO | PAPI_SDE_DELTA, PAPI_SDE_long_long,
                                              (void *)&counter[i]) != SDE_OK;
    }
    return failures;
}

void JOIN(LIBRARY, _add)(int i, long long by)
{
    counter[i] += by;
}
