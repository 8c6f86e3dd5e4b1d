/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cuda as PAPI's users count with it. "example_cuda EVENT..." counts these events of a kernel of each device;
 * without one, the program's own are counted in all the ways that PAPI's documents describe, and each error
 * that they name is provoked.
 *
 * A false kernel of size n has the first unit of a device execute n instructions in 10 n cycles, and the
 * second one 3 n in 30 n; three of four lookups are hits.
 */
#include "../device/cuda_double.h"
#include "example.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define INST "cuda:::sm__inst_executed"
#define CYCLES "cuda:::sm__cycles_elapsed"
#define BYTES "cuda:::dram__bytes"
#define RATE "cuda:::l1tex__t_sector_hit_rate"

static struct cuda_double *gpu;
static double_kernel *kernel;
static double_primary_kernel *primary_kernel;
static double_new_context *new_context;

static void find_device(void)
{
    gpu = example_symbol("cuda_double");
    *(void **)&kernel = example_symbol("cuda_double_kernel");
    *(void **)&primary_kernel = example_symbol("cuda_double_primary_kernel");
    *(void **)&new_context = example_symbol("cuda_double_new_context");
}

/* ---- events of the command line */

static int count_events(char **name)
{
    long long value[PAPI_MAX_STR_LEN];
    int es = PAPI_NULL;
    example_begin("cuda");
    MUST(PAPI_create_eventset(&es));
    for (; *name != NULL; name++) {
        int code = PAPI_add_named_event(es, *name);
        if (code == PAPI_OK)
            continue;
        fprintf(stderr, "%s: %s\n", *name, PAPI_strerror(code));
        return code == PAPI_EMULPASS ? 3 : 2;
    }
    MUST(PAPI_start(es));
    primary_kernel(0, 100);
    primary_kernel(1, 7);
    MUST(PAPI_stop(es, value));
    example_print(es, value);
    return 0;
}

/* ---- counting */

/* The first device that has the event, and the first statistic; qualifiers in any order. */
static void defaults(void)
{
    long long value[4];
    int es = example_set(INST, "cuda:::ada__inst_executed", INST ":device=1:stat=max",
                         INST ":stat=max:device=1", NULL);
    MUST(PAPI_start(es));
    primary_kernel(0, 10);
    primary_kernel(1, 100);
    MUST(PAPI_stop(es, value));
    SAME(value[0], (10 + 30) / 2);
    SAME(value[1], (100 + 300) / 2);
    SAME(value[2], 300);
    SAME(value[3], 300);
}

/* Counts by one event set for all devices, with a reading in between, and counts from nothing after a reset.
 */
static void several_devices(void)
{
    long long value[5];
    int es = example_set(INST ":stat=sum:device=0", INST ":stat=min:device=0", INST ":stat=max:device=0",
                         INST ":stat=sum:device=1", BYTES ":stat=sum:device=1", NULL);
    MUST(PAPI_start(es));
    for (long long i = 1; i <= 3; i++) {
        primary_kernel(0, 10);
        primary_kernel(1, 2);
        MUST(PAPI_read(es, value));
        SAME(value[0], 40 * i);
        SAME(value[1], 10); /* the least and the most of the readings */
        SAME(value[2], 30);
        SAME(value[3], 8 * i);
        SAME(value[4], 64 * 8 * i);
    }
    MUST(PAPI_reset(es));
    MUST(PAPI_read(es, value));
    for (int i = 0; i < 5; i++)
        SAME(value[i], 0);
    primary_kernel(0, 1);
    MUST(PAPI_stop(es, value));
    SAME(value[0], 4);
    SAME(value[3], 0);
}

/* More than PAPI's 30 of one device, as three counters of the hardware give them all. */
static void many_events(void)
{
    static const char *const base[] = {INST, CYCLES, BYTES}, *const stat[] = {"avg", "max", "min", "sum"},
                             *const sub[] = {"", ".per_second", ".pct_of_peak_sustained_elapsed"};
    long long value[36];
    char name[PAPI_MAX_STR_LEN];
    int es = PAPI_NULL;
    MUST(PAPI_create_eventset(&es));
    for (int i = 0; i < 36; i++) {
        snprintf(name, sizeof name, "%s%s:stat=%s:device=0", base[i / 12], sub[i / 4 % 3], stat[i % 4]);
        MUST(PAPI_add_named_event(es, name));
    }
    SAME(PAPI_num_events(es), 36);
    MUST(PAPI_start(es));
    primary_kernel(0, 8);
    MUST(PAPI_stop(es, value));
    SAME(value[3], 4 * 8);
    SAME(value[12 + 3], 40 * 8);
    SAME(value[24 + 3], 64 * 4 * 8);
}

/* Values that are no integers: rounded, or whole with ":real". */
static void fractions(void)
{
    long long value[3];
    double ratio;
    int es = example_set(RATE ":stat=pct", RATE ":stat=ratio", RATE ":stat=ratio:real", NULL);
    MUST(PAPI_start(es));
    primary_kernel(0, 5);
    MUST(PAPI_stop(es, value));
    memcpy(&ratio, &value[2], sizeof ratio);
    SAME(value[0], 75);
    SAME(value[1], 1); /* of 0.75 */
    SAME(ratio == 0.75, true);
}

/* ---- threads */

struct worker {
    int device;
    long long size, counted;
};

/* A thread with a context of its own counts what that runs. */
static void *count_in_thread(void *data)
{
    struct worker *worker = data;
    char name[PAPI_MAX_STR_LEN];
    new_context(worker->device);
    snprintf(name, sizeof name, INST ":stat=sum:device=%d", worker->device);
    int es = example_set(name, NULL);
    MUST(PAPI_start(es));
    for (int i = 0; i < 100; i++)
        kernel((uint64_t)worker->size);
    MUST(PAPI_stop(es, &worker->counted));
    MUST(PAPI_cleanup_eventset(es));
    MUST(PAPI_destroy_eventset(&es));
    return NULL;
}

static void two_threads(void)
{
    struct worker worker[2] = {{.device = 0, .size = 3}, {.device = 1, .size = 50}};
    pthread_t thread[2];
    MUST(PAPI_thread_init((unsigned long (*)(void))pthread_self));
    for (int i = 0; i < 2; i++)
        SAME(pthread_create(&thread[i], NULL, count_in_thread, &worker[i]), 0);
    for (int i = 0; i < 2; i++)
        SAME(pthread_join(thread[i], NULL), 0);
    SAME(worker[0].counted, 100 * 4 * 3);
    SAME(worker[1].counted, 100 * 4 * 50);
}

static void *start_in_thread(void *code)
{
    int es = example_set(INST ":device=0", NULL);
    *(int *)code = PAPI_start(es);
    return NULL;
}

static void one_set_a_device(void)
{
    int code = PAPI_OK, es = example_set(INST ":stat=sum:device=0", NULL);
    int second = example_set(CYCLES ":stat=sum:device=0", NULL);
    long long value;
    pthread_t thread;
    MUST(PAPI_start(es));
    MUST_BE(PAPI_EISRUN, PAPI_start(es));
    MUST_BE(PAPI_EISRUN, PAPI_start(second));
    SAME(pthread_create(&thread, NULL, start_in_thread, &code), 0);
    SAME(pthread_join(thread, NULL), 0);
    SAME(code, PAPI_ECNFLCT);
    primary_kernel(0, 1);
    MUST(PAPI_stop(es, &value));
    SAME(value, 4);
    MUST(PAPI_start(second));
    primary_kernel(0, 1);
    MUST(PAPI_stop(second, &value));
    SAME(value, 40);
}

/* ---- errors */

/* An event that takes several passes is refused as it is added, and a set that does; what it had still
 * counts. */
static void passes(void)
{
    long long value[3];
    int es = example_set(INST ":stat=sum", CYCLES ":stat=sum", BYTES ":stat=sum", NULL);
    MUST_BE(PAPI_EMULPASS, PAPI_add_named_event(es, "cuda:::sm__throughput:stat=avg:device=0"));
    HAS(PAPI_strerror(PAPI_EMULPASS), "8 times");
    MUST_BE(PAPI_EMULPASS, PAPI_add_named_event(es, RATE ":stat=pct:device=0"));
    SAME(PAPI_num_events(es), 3);
    MUST(PAPI_start(es));
    primary_kernel(0, 1);
    MUST(PAPI_stop(es, value));
    SAME(value[2], 64 * 4);
}

static void wrong_names(void)
{
    static const char *const names[] = {
        "sm__inst_execute",
        "sm__inst_executed:stat",
        "sm__inst_executed:stat=",
        "sm__inst_executed:stat=mean",
        "sm__inst_executed:stat=sum:stat=sum",
        "sm__inst_executed:stat=sum:stat=avg",
        "sm__inst_executed:device",
        "sm__inst_executed:device=",
        "sm__inst_executed:device=x",
        "sm__inst_executed:device=0x1",
        "sm__inst_executed:device=9",
        "sm__inst_executed:device=-1",
        "sm__inst_executed:device=0:device=0",
        "sm__inst_executed:stat=sum:device=0:",
        "sm__inst_executed:unit=3",
        "sm__inst_executed.sum",
        "sm__inst_executed stat=sum",
        "l1tex__t_sector_hit_rate:stat=sum",
        "ada__inst_executed:device=0",
        "",
    };
    char name[PAPI_MAX_STR_LEN];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(name, sizeof name, "cuda:::%s", names[i]);
        example_no_event(name);
    }
}

/* Each listed event has its own description and unit, also with qualifiers, and counts, or says how many
 * passes it takes. */
static void enumeration(int component)
{
    PAPI_event_info_t info;
    int events, forms, event;
    example_walk(component, &events, &forms);
    SAME(events, PAPI_get_component_info(component)->num_native_events);
    SAME(forms > 3 * events, true); /* statistics, devices, and ":real" */
    MUST(PAPI_event_name_to_code(INST ":stat=sum:device=1", &event));
    MUST(PAPI_get_event_info(event, &info));
    HAS(info.long_descr, "sum; 1 pass");
    SAME(strcmp(info.units, "instruction"), 0);
    MUST(PAPI_event_name_to_code(INST ".per_second:stat=sum:device=1", &event));
    MUST(PAPI_get_event_info(event, &info));
    SAME(strcmp(info.units, "instruction/second"), 0);
    MUST(PAPI_event_name_to_code("cuda:::sm__throughput:stat=max", &event));
    MUST(PAPI_get_event_info(event, &info));
    HAS(info.long_descr, "8 passes");
}

/* PAPI's own names of operations are not there: the counters that they stand for are. */
static void presets(void)
{
    int code;
    MUST_BE(PAPI_ENOTPRESET, PAPI_event_name_to_code("PAPI_CUDA_FP64_FMA", &code));
    MUST(PAPI_query_named_event("cuda:::smsp__sass_thread_inst_executed_op_dfma_pred_on:stat=sum"));
}

/* A device that the library does not know is said, and the other counts. */
static void mixed_devices(void)
{
    long long value;
    gpu->chip_result[0] = 46;
    int component = example_begin("cuda");
    const PAPI_component_info_t *info = PAPI_get_component_info(component);
    SAME(info->disabled, PAPI_OK);
    SAME(info->partially_disabled != PAPI_OK, true);
    HAS(info->partially_disabled_reason, "device 0");
    example_no_event(INST ":device=0");
    int es = example_set(INST ":stat=sum", NULL);
    MUST(PAPI_start(es));
    primary_kernel(1, 2);
    MUST(PAPI_stop(es, &value));
    SAME(value, 8);
    PAPI_shutdown();
    gpu->chip_result[0] = 0;
}

int main(int argc, char **argv)
{
    find_device();
    if (argc > 1)
        return count_events(argv + 1);
    int component = example_begin("cuda");
    enumeration(component);
    defaults();
    several_devices();
    many_events();
    fractions();
    two_threads();
    one_set_a_device();
    passes();
    wrong_names();
    presets();
    PAPI_shutdown();
    mixed_devices();
    SAME(gpu->misused, 0);
    SAME(gpu->sessions, 0);
    puts("PASSED");
    return 0;
}
