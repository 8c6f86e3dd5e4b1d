/* SPDX-License-Identifier: BSD-3-Clause
 *
 * PAPI 6 and 7: the rates.
 */
#include "program.h"

int main(void)
{
    float rtime = -1, ptime = -1, rate = -1;
    long long count = -1, ref = -1, core = -1;
    int retval;
    CHECK(PAPI_is_initialized() == PAPI_NOT_INITED);
    retval = PAPI_flops_rate(PAPI_FP_OPS, &rtime, &ptime, &count, &rate);
    if (retval == PAPI_ENOEVNT)
        skip(PAPI_strerror(retval));
    OK(retval);
    do_100events();
    OK(PAPI_flops_rate(PAPI_FP_OPS, &rtime, &ptime, &count, &rate));
    CHECK(near_rate(count, 100) && rtime > 0 && ptime > 0 && rate > 0);
    OK(PAPI_rate_stop());

    OK(PAPI_flips_rate(PAPI_FP_INS, &rtime, &ptime, &count, &rate));
    do_100events();
    OK(PAPI_flips_rate(PAPI_FP_INS, &rtime, &ptime, &count, &rate));
    CHECK(count >= 100 && rate > 0);
    OK(PAPI_rate_stop());
    CHECK(PAPI_rate_stop() < PAPI_OK);

    retval = PAPI_epc(PAPI_FP_OPS, &rtime, &ptime, &ref, &core, &count, &rate);
    if (retval == PAPI_OK) {
        do_100events();
        OK(PAPI_epc(PAPI_FP_OPS, &rtime, &ptime, &ref, &core, &count, &rate));
        CHECK(near_rate(count, 100) && core > 0 && ref > 0 && rate > 0);
        OK(PAPI_rate_stop());
    } else { /* a processor without a clock */
        CHECK(retval == PAPI_ENOEVNT);
    }
    PAPI_shutdown();
    return 0;
}
