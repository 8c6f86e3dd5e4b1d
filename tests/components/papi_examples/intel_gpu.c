/* SPDX-License-Identifier: BSD-3-Clause
 *
 * intel_gpu as PAPI's users count with it. The argument is the period between reports that the device is to
 * be asked for, whatever METRICS_SAMPLING_PERIOD says.
 *
 * A report of the first device is one of each of its two tiles.
 */
#include "../ze_double.h"
#include "example.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define INTEL "intel_gpu:::"
#define BASIC INTEL "ComputeBasic."

static struct ze_double *ze;

static void groups_and_tiles(unsigned period)
{
    long long value[5];
    int es = example_set(BASIC "GpuTime", BASIC "Events:device=0", BASIC "Events:device=0:tile=1",
                         BASIC "Events:tile=0:device=0", BASIC "Busy:device=1", NULL);
    MUST(PAPI_start(es));
    SAME(ze->period, period);
    ze->report(0, -1, 10);
    ze->report(0, -1, 20);
    ze->report(0, 1, 7);
    ze->report(1, -1, 50);
    MUST(PAPI_read(es, value));
    SAME(value[0], 2 * (10 + 20));
    SAME(value[1], 2 * (10 + 20));
    SAME(value[2], 7);
    SAME(value[3], 0);
    SAME(value[4] == 50 || value[4] == 51, true); /* 50.6 */
    MUST(PAPI_reset(es));
    ze->report(0, -1, 1);
    ze->report(1, -1, 1);
    MUST(PAPI_stop(es, value));
    SAME(value[0], 2);
    SAME(value[2], 0);
    example_print(es, value);
}

static void *start_in_thread(void *code)
{
    int es = example_set(BASIC "Events", NULL);
    *(int *)code = PAPI_start(es);
    return NULL;
}

/* A device counts the metrics of one group, for one event set. */
static void conflicts(void)
{
    int code = PAPI_OK, es = example_set(BASIC "Events:device=0", NULL),
        other = example_set(INTEL "Other.GpuTime", NULL);
    pthread_t thread;
    MUST_BE(PAPI_ECNFLCT, PAPI_add_named_event(es, INTEL "Other.GpuTime:device=0"));
    SAME(PAPI_num_events(es), 1);
    MUST(PAPI_add_named_event(es, BASIC "Events:device=1")); /* another device */
    MUST(PAPI_start(es));
    MUST_BE(PAPI_EISRUN, PAPI_start(other));
    SAME(pthread_create(&thread, NULL, start_in_thread, &code), 0);
    SAME(pthread_join(thread, NULL), 0);
    SAME(code, PAPI_ECNFLCT);
    MUST(PAPI_stop(es, NULL));
    MUST(PAPI_start(other));
    ze->report(0, -1, 3);
    long long value;
    MUST(PAPI_stop(other, &value));
    SAME(value, 6);
}

static void wrong_names(void)
{
    static const char *const names[] = {"GpuTime",
                                        "ComputeBasic",
                                        "ComputeBasic.",
                                        "ComputeBasic.GpuTimes",
                                        "Other.Events",
                                        "ComputeBasic.Events:device=2",
                                        "ComputeBasic.Events:device=",
                                        "ComputeBasic.Events:device=0:device=0",
                                        "ComputeBasic.Events:tile=2",
                                        "ComputeBasic.Events:device=1:tile=0",
                                        "ComputeBasic.Events:tiles=0",
                                        "ByQuery.GpuTime"};
    char name[PAPI_MAX_STR_LEN];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(name, sizeof name, INTEL "%s", names[i]);
        example_no_event(name);
    }
}

int main(int argc, char **argv)
{
    int events, forms;
    ze = example_symbol("ze_double");
    int component = example_begin("intel_gpu");
    MUST(PAPI_thread_init((unsigned long (*)(void))pthread_self));
    example_walk(component, &events, &forms);
    SAME(events, 10);
    SAME(forms, 9 * 4 + 3); /* devices and tiles; the second device lacks a group */
    groups_and_tiles(argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 400000);
    conflicts();
    wrong_names();
    PAPI_shutdown();
    SAME(ze->streamers, 0);
    SAME(ze->wrong_calls, 0);
    puts("PASSED");
    return 0;
}
