/* SPDX-License-Identifier: BSD-3-Clause
 *
 * PAPI 3.5: the pages on the high level. The first call of each program part initialises.
 */
#include "program.h"

/* PAPI_num_counters, PAPI_start_counters, PAPI_read_counters, PAPI_accum_counters, PAPI_stop_counters */
static void counters(void)
{
    int Events[2] = {PAPI_TOT_INS, PAPI_FP_OPS}, num_hwcntrs;
    long_long values[2];
    if ((num_hwcntrs = PAPI_num_counters()) < 0)
        exit(1);
    if (num_hwcntrs == 0)
        fprintf(stderr, "Info:: This machine does not provide hardware counters.\n");
    CHECK(PAPI_is_initialized() == PAPI_HIGH_LEVEL_INITED);
    if (PAPI_query_event(PAPI_FP_OPS) != PAPI_OK)
        skip(PAPI_strerror(PAPI_query_event(PAPI_FP_OPS)));
    OK(PAPI_start_counters(Events, 2));
    do_100events();
    OK(PAPI_read_counters(values, 2));
    CHECK(values[0] >= 100 && near_to(values[1], 100));
    do_100events();
    OK(PAPI_accum_counters(values, 2));
    CHECK(values[0] >= 200 && values[1] >= 200 && near_to(values[1] - 100, 100));
    values[0] = values[1] = -100;
    do_100events();
    OK(PAPI_accum_counters(values, 2));
    CHECK(near_to(values[1], 0));
    do_100events();
    OK(PAPI_stop_counters(values, 2));
    CHECK(near_to(values[1], 100));
}

static void flops(void) /* PAPI_flips, PAPI_flops */
{
    float rtime = -1, ptime = -1, mflops = -1;
    long_long flpops = -1;
    OK(PAPI_flops(&rtime, &ptime, &flpops, &mflops));
    CHECK(rtime == 0 && ptime == 0 && flpops == 0 && mflops == 0);
    do_100events();
    OK(PAPI_flops(&rtime, &ptime, &flpops, &mflops));
    CHECK(near_rate(flpops, 100) && rtime > 0 && ptime > 0 && mflops > 0);
    OK(PAPI_stop_counters(NULL, 0));

    OK(PAPI_flips(&rtime, &ptime, &flpops, &mflops));
    CHECK(flpops == 0);
    do_100events();
    OK(PAPI_flips(&rtime, &ptime, &flpops, &mflops));
    CHECK(flpops >= 100 && rtime > 0 && ptime > 0 && mflops > 0);
    OK(PAPI_stop_counters(NULL, 0));
}

static void instructions(void) /* PAPI_ipc */
{
    float rtime = -1, ptime = -1, ipc = -1;
    long_long ins = -1;
    int retval = PAPI_ipc(&rtime, &ptime, &ins, &ipc);
    if (PAPI_query_event(PAPI_TOT_CYC) != PAPI_OK) {
        CHECK(retval == PAPI_ENOEVNT); /* the emulated processor has no clock */
        return;
    }
    OK(retval);
    do_100events();
    OK(PAPI_ipc(&rtime, &ptime, &ins, &ipc));
    CHECK(ins >= 100 && rtime > 0 && ptime > 0 && ipc > 0);
    OK(PAPI_stop_counters(NULL, 0));
}

int main(void)
{
    counters();
    flops();
    instructions();
    PAPI_shutdown();
    return 0;
}
