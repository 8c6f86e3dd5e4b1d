/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Samplers of known work: every sample comes, or the stop says that some are missing, before anybody has read
 * one. node_samples [throttled]: the kernel must have stopped the event for a while.
 */
#include "counted_loop.h"
#include "node_test.h"

#include <string.h>

enum { PERIOD = 10000, SAMPLES = 2000, ROOM = SAMPLES + 100 };

int main(int argc, char **argv)
{
    (void)argv;
    static PAPI_sample_t samples[ROOM];
    int sampler = PAPI_NULL, n = ROOM;
    long long lost = -1;
    node_init();
    NEED(PAPI_sample_open("PAPI_TOT_INS", PERIOD, 0, &sampler));
    NEED(PAPI_sample_start(sampler));
    counted_loop((long)PERIOD * SAMPLES / COUNTED_LOOP_LENGTH);
    int code = PAPI_sample_stop(sampler);
    NEED(PAPI_sample_lost(sampler, &lost));
    NEED(PAPI_sample_read(sampler, samples, &n));
    printf("%d samples, %lld lost\n", n, lost);
    if (argc > 1) {
        node_code(code, PAPI_ECLOST, "PAPI_sample_stop(sampler)");
        node_check(strstr(PAPI_strerror(PAPI_ECLOST), "perf_event_max_sample_rate") != NULL, "%s",
                   PAPI_strerror(PAPI_ECLOST));
        node_check(n < SAMPLES, "%d of %d samples", n, (int)SAMPLES);
    } else {
        node_code(code, PAPI_OK, "PAPI_sample_stop(sampler)");
        node_check(n >= SAMPLES && n <= SAMPLES + 10, "%d of %d samples", n, (int)SAMPLES);
    }
    NEED(PAPI_sample_close(&sampler));
    return node_test_end();
}
