/* SPDX-License-Identifier: BSD-3-Clause
 *
 * libpapi_activity with a library that stands for Level Zero's loader: work runs as long as the test says.
 */
#include "double_ze.h"
#include "recorded.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define LIBRARY "libze_loader.so.1"
#define MS UINT64_C(1000000)

/* ---- the program's side */

static struct {
    double_end *ends;
    void *(*kernel)(const char *name), *(*device)(int number);
    int (*create_context)(void *driver, const void *wanted, void **context),
        (*destroy_context)(void *context);
    int (*create_list)(void *context, void *device, const void *wanted, void **list);
    int (*create_immediate)(void *context, void *device, const void *wanted, void **list);
    int (*destroy_list)(void *list);
    int (*launch)(void *list, void *kernel, const void *groups, void *event, uint32_t n, void **wait);
    int (*copy)(void *list, void *to, const void *from, size_t size, void *event, uint32_t n, void **wait);
    int (*fill)(void *list, void *to, const void *pattern, size_t pattern_size, size_t size, void *event,
                uint32_t n, void **wait);
    int (*region)(void *list, void *to, const void *to_region, uint32_t pitch, uint32_t slice,
                  const void *from, const void *from_region, uint32_t from_pitch, uint32_t from_slice,
                  void *event, uint32_t n, void **wait);
    int (*execute)(void *queue, uint32_t n, void **list, void *fence),
        (*synchronize)(void *queue, uint64_t wait);
    int (*create_pool)(void *context, const void *wanted, uint32_t n, void **device, void **pool);
    int (*destroy_pool)(void *pool);
    int (*create_event)(void *pool, const void *wanted, void **event);
    int (*destroy_event)(void *event), (*reset_event)(void *event);
    void *context, *list;
} ze;

static struct double_ze *settings(void)
{
    if (recorded.library == NULL)
        recorded_load(LIBRARY);
    return recorded_symbol("double_ze");
}

static void find_functions(void)
{
    static const struct {
        const char *name;
        void *place;
    } function[] = {
        {"double_ends", &ze.ends},
        {"double_kernel", &ze.kernel},
        {"double_device", &ze.device},
        {"zeContextCreate", &ze.create_context},
        {"zeContextDestroy", &ze.destroy_context},
        {"zeCommandListCreate", &ze.create_list},
        {"zeCommandListCreateImmediate", &ze.create_immediate},
        {"zeCommandListDestroy", &ze.destroy_list},
        {"zeCommandListAppendLaunchKernel", &ze.launch},
        {"zeCommandListAppendMemoryCopy", &ze.copy},
        {"zeCommandListAppendMemoryFill", &ze.fill},
        {"zeCommandListAppendMemoryCopyRegion", &ze.region},
        {"zeCommandQueueExecuteCommandLists", &ze.execute},
        {"zeCommandQueueSynchronize", &ze.synchronize},
        {"zeEventPoolCreate", &ze.create_pool},
        {"zeEventPoolDestroy", &ze.destroy_pool},
        {"zeEventCreate", &ze.create_event},
        {"zeEventDestroy", &ze.destroy_event},
        {"zeEventHostReset", &ze.reset_event},
    };
    for (size_t i = 0; i < COUNT(function); i++)
        *(void **)function[i].place = recorded_symbol(function[i].name);
}

/* A program with an immediate list of the first device. */
static void begin_program(void)
{
    find_functions();
    assert_int_equal(settings()->wrong_calls, 0);
    assert_int_equal(ze.create_context(NULL, NULL, &ze.context), 0);
    assert_int_equal(ze.create_immediate(ze.context, ze.device(0), NULL, &ze.list), 0);
}

static void start(void)
{
    settings();
    recorded_start(LIBRARY);
    begin_program();
}

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void launch(void *list, const char *name, void *event)
{
    assert_int_equal(ze.launch(list, ze.kernel(name), NULL, event, 0, NULL), 0);
}

/* An event of the program's: as it asks for it, without times, or one for other processes. */
static void *event_of(uint32_t flags, void **pool)
{
    const struct {
        int structure;
        const void *next;
        uint32_t flags, n;
    } wanted = {0x10, NULL, flags, 4};
    void *event = NULL;
    assert_int_equal(ze.create_pool(ze.context, &wanted, 0, NULL, pool), 0);
    assert_int_equal(ze.create_event(*pool, NULL, &event), 0);
    return event;
}

static void is_work(int i, enum device_work_kind kind, uint64_t ns, uint64_t bytes, const char *name)
{
    assert_true(i < recorded.n_work);
    assert_int_equal(recorded.work[i].kind, kind);
    assert_int_equal(recorded.work[i].end - recorded.work[i].begin, ns);
    assert_int_equal(recorded.work[i].bytes, bytes);
    assert_string_equal(recorded.name[i], name);
}

/* ---- what devices do */

/* Kernels and copies that overlap, on two devices, of a list each. */
static void kernels_and_copies(void)
{
    start();
    void *other, *of_tile;
    ze.create_immediate(ze.context, ze.device(1), NULL, &other);
    ze.create_immediate(ze.context, ze.device(-1), NULL, &of_tile);
    launch(ze.list, "solve", NULL);
    launch(of_tile, "smooth", NULL);
    assert_int_equal(ze.copy(ze.list, (void *)2, (void *)1, 4096, NULL, 0, NULL), 0);
    launch(other, "solve", NULL);
    uint64_t t = now_ns();
    usleep(10000);
    ze.ends(t + 3 * MS, t + 5 * MS);
    ze.ends(t + 4 * MS, t + 7 * MS);
    ze.ends(t + 6 * MS, t + 9 * MS);
    ze.ends(t + 2 * MS, t + 2 * MS + 77);
    ze.synchronize(NULL, 0);
    assert_int_equal(recorded.n_work, 4);
    assert_int_equal(recorded_settle(true), 2);
    const struct device_activity *first = recorded_device(recorded.work[3].place),
                                 *second = recorded_device(recorded.work[0].place);
    assert_int_equal(first->number, 0);
    assert_string_equal(first->name, "Stand-in A");
    assert_string_equal(first->address, "0000:3b:00.0");
    assert_int_equal(first->busy.kernel, 4 * MS);
    assert_int_equal(first->busy.copy, 2 * MS);
    assert_int_equal(first->kernels, 2);
    assert_int_equal(first->copied_bytes, 4096);
    assert_int_equal(second->busy.kernel, 77);
    assert_string_equal(second->address, "0000:3c:00.0");
    is_work(0, WORK_KERNEL, 77, 0, "solve");
    is_work(1, WORK_COPY_IN, 3 * MS, 4096, "");
    is_work(2, WORK_KERNEL, 3 * MS, 0, "smooth");
    is_work(3, WORK_KERNEL, 2 * MS, 0, "solve");
    for (int i = 0; i < 4; i++) /* each call has its number, which is that of its work */
        assert_int_equal(recorded.launch[i], recorded.work[3 - i].launch);
    assert_int_equal(recorded.library->dropped(), 0);
    assert_int_equal(settings()->wrong_calls, 0);
}

static void directions_and_bytes(void)
{
    const uint32_t region[6] = {0, 0, 0, 10, 4, 0};
    start();
    ze.copy(ze.list, (void *)1, (void *)2, 1, NULL, 0, NULL);
    ze.copy(ze.list, (void *)2, (void *)2, 2, NULL, 0, NULL);
    ze.copy(ze.list, (void *)2, (void *)3, 3, NULL, 0, NULL);
    ze.copy(ze.list, (void *)0, (void *)1, 4, NULL, 0, NULL);
    ze.fill(ze.list, (void *)2, "", 1, 5, NULL, 0, NULL);
    ze.region(ze.list, (void *)2, region, 10, 0, (void *)1, region, 10, 0, NULL, 0, NULL);
    uint64_t t = now_ns();
    usleep(3000);
    const enum device_work_kind kinds[] = {WORK_COPY_OUT, WORK_COPY_ON, WORK_COPY_OVER,
                                           WORK_COPY,     WORK_SET,     WORK_COPY_IN};
    for (uint64_t i = 0; i < COUNT(kinds); i++)
        ze.ends(t + MS, t + MS + i);
    recorded_settle(true);
    assert_int_equal(recorded.n_work, 6);
    for (int i = 0; i < 6; i++)
        is_work(5 - i, kinds[i], (uint64_t)i, i < 5 ? (uint64_t)i + 1 : 40, "");
}

/* A list that runs again has its work recorded again. */
static void list_that_runs_twice(void)
{
    void *list;
    start();
    ze.create_list(ze.context, ze.device(0), NULL, &list);
    launch(list, "solve", NULL);
    assert_int_equal(recorded_settle(true), 0); /* nothing runs yet */
    for (uint64_t i = 1; i <= 3; i++) {
        ze.execute(NULL, 1, &list, NULL);
        uint64_t t = now_ns();
        usleep(3000);
        ze.ends(t + MS, t + MS + 1000 * i);
        if (i != 2) /* else it is seen when the list runs again */
            ze.synchronize(NULL, 0);
    }
    assert_int_equal(recorded.n_work, 3);
    ze.destroy_list(list);
    recorded_settle(true);
    assert_int_equal(recorded_device(0)->busy.kernel, 6000);
    assert_int_equal(recorded_device(0)->unfinished, 0);
    assert_int_equal(settings()->wrong_calls, 0);
}

/* An event of the program's has times, too, which are taken before they are lost. */
static void events_of_the_program(void)
{
    void *pool, *event;
    start();
    event = event_of(1, &pool);
    for (uint64_t i = 1; i <= 3; i++) {
        launch(ze.list, "solve", event);
        uint64_t t = now_ns();
        usleep(3000);
        ze.ends(t + MS, t + MS + 1000 * i);
        if (i < 3)
            ze.reset_event(event);
    }
    assert_int_equal(recorded.n_work, 2);
    ze.destroy_event(event);
    ze.destroy_pool(pool);
    assert_int_equal(recorded.n_work, 3);
    recorded_settle(true);
    assert_int_equal(recorded_device(0)->busy.kernel, 6000);
    assert_int_equal(settings()->wrong_calls, 0);
}

/* An event shows what ran before until its new work has ended. */
static void old_times(void)
{
    void *pool, *event;
    start();
    event = event_of(1, &pool);
    launch(ze.list, "solve", event);
    uint64_t t = now_ns();
    usleep(3000);
    ze.ends(t + MS, t + 2 * MS);
    ze.reset_event(event);
    usleep(10000);
    launch(ze.list, "solve", event);
    ze.ends(t + MS, t + 2 * MS); /* a driver whose event is signalled already */
    recorded_settle(true);
    assert_int_equal(recorded.n_work, 1);
    assert_int_equal(recorded_device(0)->unfinished, 1);
}

static void what_is_missing(void)
{
    void *pool, *shared;
    start();
    shared = event_of(2, &pool); /* for other processes: it is left as it is */
    launch(ze.list, "solve", shared);
    assert_int_equal(recorded.library->dropped(), 1);
    settings()->append = 5;
    assert_int_equal(ze.launch(ze.list, ze.kernel("refused"), NULL, NULL, 0, NULL), 5);
    settings()->append = 0;
    launch(ze.list, "runs", NULL);
    recorded_settle(true);
    recorded_settle(true);
    assert_int_equal(recorded_device(0)->unfinished, 1);
    assert_int_equal(recorded_device(0)->kernels, 0);
    assert_int_equal(recorded.library->dropped(), 1);
    assert_int_equal(settings()->wrong_calls, 0);
}

/* ---- the clock */

static void ran(uint64_t wait_ms, uint64_t ns)
{
    launch(ze.list, "solve", NULL);
    uint64_t t = now_ns();
    usleep((useconds_t)(1000 * wait_ms));
    ze.ends(t + MS, t + MS + ns);
    ze.synchronize(NULL, 0);
}

/* Times of few bits begin anew, here while a kernel runs. */
static void clock_begins_anew(void)
{
    settings()->hertz = 1000000;
    settings()->bits = 30; /* a round of 1,074 s */
    start();
    uint64_t ticks = now_ns() / 1000, mask = (1 << 30) - 1;
    settings()->offset = mask - (ticks & mask) + 1 - 2000; /* which ends in 2 ms */
    ran(5, 3 * MS);
    assert_int_equal(recorded.n_work, 1);
    is_work(0, WORK_KERNEL, 3 * MS, 0, "solve");
}

/* Nobody knows when work ran if more than one round has passed. */
static void more_than_a_round(void)
{
    settings()->hertz = 1000000;
    settings()->bits = 14; /* a round of 16 ms */
    start();
    ran(40, 3 * MS);
    recorded_settle(true);
    assert_int_equal(recorded.n_work, 0);
    assert_int_equal(recorded_device(0)->unfinished, 1);
}

static void old_driver(void)
{
    settings()->old = 1;
    settings()->hertz = 12500000; /* 80 ns */
    start();
    ran(5, 800000);
    is_work(0, WORK_KERNEL, 800000, 0, "solve");
}

/* ---- the host */

static void time_in_calls(void)
{
    double_call *call;
    start();
    *(void **)&call = recorded_symbol("double_calls");
    uint64_t before = recorded.library->offload(), began = now_ns();
    call(0, RECORDED_ENTER);
    usleep(20000);
    call(0, RECORDED_EXIT);
    uint64_t passed = now_ns() - began, offload = recorded.library->offload() - before;
    assert_true(offload >= 20 * MS && offload <= passed);
}

static void context_that_goes(void)
{
    struct reason why = {0};
    settings();
    assert_int_equal(recorded.library->start(NULL, &why), PAPI_OK); /* nobody watches so much */
    begin_program();
    for (int i = 0; i < 100; i++) /* more than a pool of this library's has */
        launch(ze.list, "solve", NULL);
    uint64_t t = now_ns();
    for (uint64_t i = 0; i < 100; i++)
        ze.ends(t, t + i);
    assert_true(settings()->pools > 1);
    ze.destroy_list(ze.list);
    ze.destroy_context(ze.context);
    assert_int_equal(settings()->pools, 0);
    assert_int_equal(settings()->wrong_calls, 0);
    recorded_settle(true);
    assert_int_equal(recorded_device(0)->kernels, 100);
}

/* ---- refusals */

static void refusals(void)
{
    struct double_ze *double_of = settings();
    setenv("ZE_ENABLE_TRACING_LAYER", "0", 1);
    recorded_refused(PAPI_ENOSUPP, "start the program with ZE_ENABLE_TRACING_LAYER=1");
    setenv("ZE_ENABLE_TRACING_LAYER", "1", 1);
    double_of->init = 0x78000001;
    recorded_refused(PAPI_ENOSUPP, "zeInit: Level Zero answers 0x78000001: no driver of Intel's devices");
    double_of->init = 0;
    double_of->devices = 0;
    recorded_refused(PAPI_ENOSUPP, "sudo usermod -aG render,video");
    double_of->devices = 2;
    double_of->bits = 0;
    recorded_refused(PAPI_ENOSUPP, "does not say what its times are");
    double_of->bits = 32;
    double_of->tracer = 0x78000003;
    recorded_refused(PAPI_ENOSUPP, "its tracing layer is not there; install libze_tracing_layer.so.1");
    assert_int_equal(double_of->enabled, 0);
    double_of->tracer = 0;
    start();
    assert_int_equal(double_of->enabled, 1);
}

static void refuses_in_child(void)
{
    struct reason why = {0};
    assert_int_equal(recorded.library->start(NULL, &why), PAPI_ENOSUPP);
    launch(ze.list, "in the child", NULL); /* nothing is traced there */
    assert_int_equal(settings()->pools, 0);
}

static void in_the_child_of_a_fork(void)
{
    start();
    recorded_alone(refuses_in_child);
    ran(3, MS);
    assert_int_equal(recorded.n_work, 1);
}

static void test_lacks_a_function(void **state)
{
    (void)state;
    recorded_load(LIBRARY);
    recorded_refused(PAPI_ENOSUPP,
                     "libze_loader.so.1 lacks the function zelTracerCreate: it is of another version");
}

/* The real loader, where it is installed and has no driver. */
static void test_without_driver(void **state)
{
    (void)state;
    if (dlopen(LIBRARY, RTLD_NOW) == NULL)
        SKIP("libze1 is not installed");
    if (access("/dev/dri", F_OK) == 0)
        SKIP("this machine has devices");
    recorded_load(LIBRARY);
    recorded_refused(PAPI_ENOSUPP, "no driver of Intel's devices is installed");
}

RECORDED_ALONE(kernels_and_copies)
RECORDED_ALONE(directions_and_bytes)
RECORDED_ALONE(list_that_runs_twice)
RECORDED_ALONE(events_of_the_program)
RECORDED_ALONE(old_times)
RECORDED_ALONE(what_is_missing)
RECORDED_ALONE(clock_begins_anew)
RECORDED_ALONE(more_than_a_round)
RECORDED_ALONE(old_driver)
RECORDED_ALONE(time_in_calls)
RECORDED_ALONE(context_that_goes)
RECORDED_ALONE(refusals)
RECORDED_ALONE(in_the_child_of_a_fork)

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kernels_and_copies),
        cmocka_unit_test(test_directions_and_bytes),
        cmocka_unit_test(test_list_that_runs_twice),
        cmocka_unit_test(test_events_of_the_program),
        cmocka_unit_test(test_old_times),
        cmocka_unit_test(test_what_is_missing),
        cmocka_unit_test(test_clock_begins_anew),
        cmocka_unit_test(test_more_than_a_round),
        cmocka_unit_test(test_old_driver),
        cmocka_unit_test(test_time_in_calls),
        cmocka_unit_test(test_context_that_goes),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_in_the_child_of_a_fork),
    };
    const struct CMUnitTest of_lacking[] = {cmocka_unit_test(test_lacks_a_function)};
    const struct CMUnitTest of_none[] = {cmocka_unit_test(test_without_driver)};
    if (argc > 1 && strcmp(argv[1], "lacking") == 0)
        return TEST_RUN(of_lacking);
    if (argc > 1 && strcmp(argv[1], "none") == 0)
        return TEST_RUN(of_none);
    return TEST_RUN(tests);
}
