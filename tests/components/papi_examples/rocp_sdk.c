/* SPDX-License-Identifier: BSD-3-Clause
 *
 * rocp_sdk as PAPI's users count with it: what devices do, or, with PAPI_ROCP_SDK_DISPATCH_MODE, kernel by
 * kernel. "example_rocp_sdk EVENT..." counts these events of a kernel of each device.
 *
 * A false kernel of size n adds n times 1, 2, 3 ... to the instances of each counter: SQ_WAVES has 8 of
 * device 0, 2 of XCC by 4 of SHADER_ENGINE, and so 36 n together.
 */
#include "../rocp_double.h"
#include "example.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define AMD "rocp_sdk:::"
#define WAVES AMD "SQ_WAVES"

static struct rocp_double *rocp;

static void run_kernel(int device, long size)
{
    if (getenv("PAPI_ROCP_SDK_DISPATCH_MODE") == NULL)
        rocp->run(device, size);
    else
        rocp->end(rocp->launch(device, size));
}

static int count_events(char **name)
{
    long long value[PAPI_MAX_STR_LEN];
    int es = PAPI_NULL;
    MUST(PAPI_create_eventset(&es));
    for (; *name != NULL; name++) {
        int code = PAPI_add_named_event(es, *name);
        if (code == PAPI_OK)
            continue;
        fprintf(stderr, "%s: %s\n", *name, PAPI_strerror(code));
        return 2;
    }
    MUST(PAPI_start(es));
    run_kernel(0, 10);
    run_kernel(1, 100);
    MUST(PAPI_stop(es, value));
    example_print(es, value);
    return 0;
}

/* ---- in both ways */

/* A dimension that is not named is added up, and a device that is not named is the first. */
static void dimensions(void)
{
    long long value[6];
    int es = example_set(WAVES, WAVES ":device=0", WAVES ":XCC=1:device=0", WAVES ":SHADER_ENGINE=2:device=0",
                         WAVES ":XCC=1:SHADER_ENGINE=2:device=0", AMD "SQ_INSTS:device=1", NULL);
    MUST(PAPI_start(es));
    run_kernel(0, 10);
    run_kernel(1, 1);
    MUST(PAPI_stop(es, value));
    SAME(value[0], 360);
    SAME(value[1], 360);
    SAME(value[2], 10 * (5 + 6 + 7 + 8));
    SAME(value[3], 10 * (3 + 7));
    SAME(value[4], 10 * 7);
    SAME(value[5], 1 + 2 + 3);
}

/* Also right after a kernel, a reading has all of it. */
static void readings(void)
{
    long long value;
    int es = example_set(WAVES ":device=0", NULL);
    MUST(PAPI_start(es));
    for (long long i = 1; i <= 20; i++) {
        run_kernel(0, 1);
        MUST(PAPI_read(es, &value));
        SAME(value, 36 * i);
    }
    MUST(PAPI_reset(es));
    run_kernel(0, 2);
    MUST(PAPI_stop(es, &value));
    SAME(value, 72);
}

static void wrong_names(void)
{
    static const char *const names[] = {
        "SQ_WAVE",         "SQ_WAVES:device=",     "SQ_WAVES:device=2",
        "SQ_WAVES:XCC=2",  "SQ_WAVES:XCC=0:XCC=0", "SQ_WAVES:device=0:device=1",
        "SQ_WAVES:AID=0",  "SQ_WAVES:XCC=one",     "SQ_WAVES:device=0:",
        "SQ_WAVES:XCC=-1", "GRBM_COUNT:device=1",  "SQ_WAVES:device",
        "GPUBusy:XCC=0",   "SQ_WAVES,XCC=0"};
    char name[PAPI_MAX_STR_LEN];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(name, sizeof name, AMD "%s", names[i]);
        example_no_event(name);
    }
}

/* An event set without events, of the component or of none. */
static void empty_sets(int component)
{
    int es = PAPI_NULL;
    MUST(PAPI_create_eventset(&es));
    MUST_BE(PAPI_EINVAL, PAPI_start(es));
    MUST(PAPI_assign_eventset_component(es, component));
    MUST_BE(PAPI_EINVAL, PAPI_start(es));
    MUST_BE(PAPI_ENOTRUN, PAPI_stop(es, NULL));
    MUST(PAPI_add_named_event(es, WAVES));
    MUST(PAPI_start(es));
    MUST(PAPI_stop(es, NULL));
}

static void *start_in_thread(void *code)
{
    int es = example_set(WAVES, NULL);
    *(int *)code = PAPI_start(es);
    return NULL;
}

/* A device counts for one set at a time, whoever asks; one beside it counts for another. */
static void one_set_a_device(void)
{
    int code = PAPI_OK, es = example_set(WAVES, NULL), second = example_set(AMD "GRBM_COUNT", NULL),
        beside = example_set(AMD "SQ_INSTS:device=1", NULL);
    pthread_t thread;
    MUST(PAPI_start(es));
    MUST_BE(PAPI_EISRUN, PAPI_start(second));
    SAME(pthread_create(&thread, NULL, start_in_thread, &code), 0);
    SAME(pthread_join(thread, NULL), 0);
    SAME(code, PAPI_ECNFLCT);
    MUST(PAPI_start(beside));
    MUST(PAPI_stop(beside, NULL));
    MUST(PAPI_stop(es, NULL));
    MUST(PAPI_start(second));
    MUST(PAPI_stop(second, NULL));
}

/* ---- two threads, each with its device */

struct worker {
    const char *event;
    int device;
    long long each, failed;
};

static void *count_in_thread(void *data)
{
    struct worker *worker = data;
    int es = example_set(worker->event, NULL);
    long long value;
    for (int i = 0; i < 100; i++) {
        MUST(PAPI_start(es));
        run_kernel(worker->device, 1);
        MUST(PAPI_stop(es, &value));
        worker->failed += value != worker->each;
    }
    return NULL;
}

static void two_threads(void)
{
    struct worker worker[2] = {{WAVES ":device=0", 0, 36, 0}, {AMD "SQ_INSTS:device=1", 1, 6, 0}};
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        SAME(pthread_create(&thread[i], NULL, count_in_thread, &worker[i]), 0);
    for (int i = 0; i < 2; i++) {
        SAME(pthread_join(thread[i], NULL), 0);
        SAME(worker[i].failed, 0);
    }
}

/* ---- what is not the same in both ways */

/* Kernels from before the start are not in it; a kernel that is running is in a device's counts. */
static void kernel_in_flight(void)
{
    long long value;
    int es = example_set(WAVES ":device=0", NULL);
    run_kernel(0, 1000);
    MUST(PAPI_start(es));
    if (getenv("PAPI_ROCP_SDK_DISPATCH_MODE") == NULL) {
        rocp->run(0, 5);
        MUST(PAPI_read(es, &value));
        SAME(value, 5 * 36);
    } else {
        int kernel = rocp->launch(0, 5);
        MUST_BE(PAPI_ECLOST, PAPI_read(es, &value));
        SAME(value, 0);
        rocp->end(kernel);
    }
    MUST(PAPI_stop(es, &value));
    SAME(value, 5 * 36);
}

int main(int argc, char **argv)
{
    int events, forms;
    rocp = example_symbol("rocp_double");
    int component = example_begin("rocp_sdk");
    MUST(PAPI_thread_init((unsigned long (*)(void))pthread_self));
    if (argc > 1)
        return count_events(argv + 1);
    example_walk(component, &events, &forms);
    SAME(events, 9);
    SAME(forms > events, true);
    dimensions();
    readings();
    wrong_names();
    empty_sets(component);
    one_set_a_device();
    two_threads();
    kernel_in_flight();
    PAPI_shutdown();
    SAME(rocp->running, 0);
    SAME(rocp->wrong_calls, 0);
    puts("PASSED");
    return 0;
}
