/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Run by node_taken, which has all counters of the CPU: an event gets none, and the reason names that
 * process; a sampler gets none either.
 */
#include "node_test.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(void)
{
    char holder[64];
    int es = PAPI_NULL;
    snprintf(holder, sizeof holder, "held by %d (node_taken)", (int)getppid());
    NEED(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT ? PAPI_OK : PAPI_EINVAL);
    NEED(PAPI_create_eventset(&es));
    CODE(PAPI_add_named_event(es, "PAPI_TOT_INS"), PAPI_ECNFLCT);
    const char *text = PAPI_strerror(PAPI_ECNFLCT);
    node_check(strstr(text, holder) != NULL, "%s", text);
    node_check(strstr(text, "root alone") == NULL, "root sees all processes");
    /* Samples that do not come are no samples: a sampler without a counter does not start. */
    int sampler = PAPI_NULL, n = 8;
    PAPI_sample_t samples[8];
    NEED(PAPI_sample_open("PAPI_TOT_INS", 10000, 0, &sampler));
    CODE(PAPI_sample_start(sampler), PAPI_ECNFLCT);
    node_check(strstr(PAPI_strerror(PAPI_ECNFLCT), holder) != NULL, "%s", PAPI_strerror(PAPI_ECNFLCT));
    CODE(PAPI_sample_stop(sampler), PAPI_ENOTRUN);
    NEED(PAPI_sample_read(sampler, samples, &n));
    node_check(n == 0, "%d samples", n);
    NEED(PAPI_sample_close(&sampler));
    return node_test_end();
}
