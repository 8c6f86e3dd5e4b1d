/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Loaded before libpapi: events of the component sde whose values are real numbers, as a library registers
 * them.
 */
#include "sde_lib.h"

#include <string.h>

/* A half more each time that it is read. */
static long long grow(void *parameter)
{
    static double total = 0.25;
    long long bits;
    (void)parameter;
    total += 0.5;
    memcpy(&bits, &total, sizeof bits);
    return bits;
}

static __attribute__((constructor)) void loaded(void)
{
    static double residual = 0.1;
    papi_handle_t reals = papi_sde_init("reals");
    papi_sde_register_counter(reals, "residual", PAPI_SDE_RO | PAPI_SDE_INSTANT, PAPI_SDE_double, &residual);
    papi_sde_register_counter_cb(reals, "growth", PAPI_SDE_RO | PAPI_SDE_DELTA, PAPI_SDE_double, grow, NULL);
}
