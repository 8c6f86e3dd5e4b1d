/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A region around 2,000 operations.
 */
#include <papi.h>

int main(void)
{
    volatile double x = 1;
    if (PAPI_hl_region_begin("loop") != PAPI_OK)
        return 1;
    for (int i = 0; i < 1000; i++)
        x = x * 1.0000001 + 1e-9;
    return PAPI_hl_region_end("loop") == PAPI_OK ? 0 : 1;
}
