/* SPDX-License-Identifier: BSD-3-Clause
 *
 * libpapi_activity with libraries that stand for NVIDIA's driver and CUPTI: times are what the test says.
 */
#include "double.h"
#include "recorded.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { KERNEL = RECORDED_KERNEL, COPY = RECORDED_COPY, SET = 2, PEER = 22 };
enum { RUNTIME = 2, DRIVER = 1, ENTER = RECORDED_ENTER, EXIT = RECORDED_EXIT };

/* ---- a process with the library */

static struct {
    struct double_cuda *cuda;
    struct double_cupti *cupti;
    double_give *give;
    double_call *call;
    bool in_mpi;
} here;

static void begin(void)
{
    if (recorded.library == NULL)
        recorded_load("libcupti.so.13");
    here.cupti = recorded_symbol("double_cupti");
    *(void **)&here.give = recorded_symbol("double_gives");
    *(void **)&here.call = recorded_symbol("double_calls");
    *(void **)&here.cuda = dlsym(dlopen("libcuda.so.1", RTLD_NOW), "double_cuda");
    assert_non_null(here.cuda);
}

static bool in_mpi(void)
{
    return here.in_mpi;
}

static void start(void)
{
    struct reason why = {0};
    begin();
    assert_int_equal(recorded.library->start(in_mpi, &why), PAPI_OK);
    assert_int_equal(recorded.library->start(in_mpi, &why), PAPI_OK);
    assert_int_equal(here.cupti->subscribed, 1);
    assert_int_equal(here.cupti->before_init, 0);
}

/* ---- what devices do */

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void mark_at(uint64_t now, uint64_t of)
{
    here.cupti->now = now;
    assert_true(recorded.library->mark(of));
}

static void kernels_and_copies(void)
{
    start();
    here.cupti->room = 2; /* so that they come in three buffers, and the later ones first */
    const struct double_record records[] = {
        {KERNEL, 0, 5000, 6000, 0},  {COPY, 0, 5500, 6500, 4096}, {KERNEL, 1, 2000, 2500, 0},
        {KERNEL, 0, 3000, 4000, 0},  {SET, 0, 3900, 4100, 64},    {KERNEL, 0, 3500, 4200, 0},
        {PEER, 1, 2600, 2650, 1000},
    };
    here.give(records, 7);
    mark_at(3600, 0); /* a region from 3600 to 5600 */
    mark_at(5600, 1);
    assert_int_equal(recorded_settle(true), 2);
    const struct device_activity *first = recorded_device(0), *second = recorded_device(1);
    assert_int_equal(first->number, 0);
    assert_string_equal(first->name, "Stand-in A");
    assert_string_equal(first->address, "0000:3b:00.0");
    assert_int_equal(strlen(second->name), ACTIVITY_NAME - 1); /* the driver's is not terminated */
    assert_int_equal(first->busy.kernel, 1000 + 1200);
    assert_int_equal(first->busy.copy, 500);
    assert_int_equal(first->kernels, 3);
    assert_int_equal(first->copies, 2);
    assert_int_equal(first->copied_bytes, 4096 + 64);
    assert_int_equal(second->busy.kernel, 500);
    assert_int_equal(second->busy.copy, 50);
    assert_int_equal(recorded.told[0][1].kernel - recorded.told[0][0].kernel, 600 + 600);
    assert_int_equal(recorded.told[0][1].copy - recorded.told[0][0].copy, 0);
    assert_int_equal(recorded.n_told, 4);
    assert_int_equal(here.cuda->in_records, 0);
    assert_int_equal(recorded.library->dropped(), 0);
}

/* A region that begins before its device does anything has all of it. */
static void device_comes_later(void)
{
    start();
    mark_at(1000, 0);
    const struct double_record kernel = {KERNEL, 1, 2000, 2500, 0};
    here.give(&kernel, 1);
    mark_at(2400, 1);
    recorded_settle(true);
    assert_int_equal(recorded.n_told, 1);
    assert_int_equal(recorded.told[0][0].kernel, 0);
    assert_int_equal(recorded.told[0][1].kernel, 400);
}

/* Tells a watcher of each piece of work and of each call that launches some, with or without times
 * being measured besides. */
static void watched(void)
{
    struct reason why = {0};
    begin();
    assert_int_equal(recorded.library->watch(&recorded_watcher, ACTIVITY_VENDORS, &why), PAPI_OK);
    assert_int_equal(recorded.library->watch(&recorded_watcher, ACTIVITY_VENDORS, &why), PAPI_EISRUN);
    recorded.call(RUNTIME, ENTER, "cudaLaunchKernel", 7);
    recorded.call(DRIVER, ENTER, "cuLaunchKernel", 8);
    recorded.call(DRIVER, EXIT, "cuLaunchKernel", 8);
    recorded.call(RUNTIME, EXIT, "cudaLaunchKernel", 7);
    recorded.call(RUNTIME, ENTER, "cudaDeviceSynchronize", 9);
    recorded.call(RUNTIME, EXIT, "cudaDeviceSynchronize", 9);
    recorded.call(RUNTIME, ENTER, "cudaMemcpy", 10);
    recorded.call(RUNTIME, EXIT, "cudaMemcpy", 10);
    recorded.call(DRIVER, ENTER, "cuMemsetD32_v2", 11);
    recorded.call(DRIVER, EXIT, "cuMemsetD32_v2", 11);
    const struct double_work work[] = {
        {{KERNEL, 1, 2000, 2500, 0}, 8, 0, "_Z4copyPf"}, {{KERNEL, 0, 3000, 0, 0}, 8, 0, "unfinished"},
        {{COPY, 0, 100, 200, 4096}, 10, 2, NULL},        {{SET, 0, 300, 310, 64}, 11, 9, NULL},
        {{PEER, 1, 400, 420, 77}, 12, 1, NULL},          {{COPY, 0, 500, 510, 5}, 13, 77, NULL},
    };
    recorded.give(work, 6);
    const enum device_work_kind kinds[] = {WORK_KERNEL, WORK_COPY_OUT, WORK_SET, WORK_COPY_OVER, WORK_COPY};
    const uint64_t bytes[] = {0, 4096, 64, 77, 5}, launches[] = {8, 10, 11, 12, 13}, told[] = {7, 8, 10, 11};
    assert_int_equal(recorded.n_work, 5);
    for (int i = 0; i < recorded.n_work; i++) {
        assert_int_equal(recorded.work[i].kind, kinds[i]);
        assert_int_equal(recorded.work[i].bytes, bytes[i]);
        assert_int_equal(recorded.work[i].launch, launches[i]);
        assert_string_equal(recorded.name[i], i == 0 ? "_Z4copyPf" : "");
    }
    assert_int_equal(recorded.work[0].end - recorded.work[0].begin, 500);
    assert_int_equal(recorded.work[0].device, 1);
    assert_int_equal(recorded.n_launches, 4);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(recorded.launch[i], told[i]);
        assert_int_equal(recorded.again[i], i == 1);
    }
    assert_int_equal(recorded_settle(false), 2);
    assert_int_equal(recorded_device(1)->unfinished, 1);
    assert_int_equal(recorded_device(0)->kernels, 1);
    assert_int_equal(recorded_device(0)->busy.kernel, 0); /* nobody asked */
    start();
    recorded.give(work, 1);
    recorded_settle(true);
    assert_int_equal(recorded_device(0)->busy.kernel, 500);
    assert_int_equal(recorded.n_work, 6);
}

/* A moment of the driver's clock becomes the same one of the library's. */
static void in_the_clock_of_the_library(void)
{
    const uint64_t second = 1000000000;
    struct reason why = {0};
    begin();
    here.cupti->now = 500 * second;
    uint64_t before = now_ns();
    assert_int_equal(recorded.library->watch(&recorded_watcher, ACTIVITY_VENDORS, &why), PAPI_OK);
    uint64_t after = now_ns();
    const struct double_work work = {{KERNEL, 3, 499 * second, 503 * second, 0}, 0, 0, NULL};
    recorded.give(&work, 1);
    assert_true(recorded.work[0].begin >= before - second && recorded.work[0].begin <= after - second);
    assert_int_equal(recorded.work[0].end - recorded.work[0].begin, 4 * second);
    assert_int_equal(recorded.work[0].device, 3);
    assert_int_equal(recorded.work[0].place, 0);
}

/* Records that are missing are said. */
static void what_is_missing(void)
{
    start();
    const struct double_record runs = {KERNEL, 0, 2000, 0, 0}, ended = {KERNEL, 0, 2000, 2100, 0};
    here.give(&runs, 1);
    here.cupti->drop = 5;
    here.give(&ended, 1);
    for (uint32_t i = 0; i < ACTIVITY_DEVICES + 1; i++) {
        const struct double_record other = {KERNEL, i, 2200, 2300, 0};
        here.give(&other, 1);
    }
    assert_int_equal(recorded_settle(true), ACTIVITY_DEVICES);
    assert_int_equal(recorded_device(0)->unfinished, 1);
    assert_int_equal(recorded_device(0)->busy.kernel, 200);
    assert_int_equal(recorded.library->dropped(), 6);
    assert_int_equal(here.cupti->flushes[1], 1);
}

/* While it runs the last minute is not settled: a long kernel may still come. */
static void comes_late(void)
{
    start();
    const uint64_t second = 1000000000;
    const struct double_record one = {KERNEL, 0, 100 * second, 101 * second, 0},
                               two = {KERNEL, 0, 60 * second, 90 * second, 0},
                               too_late = {KERNEL, 0, 10 * second, 20 * second, 0};
    here.give(&one, 1);
    recorded_settle(false); /* up to 41 s */
    assert_int_equal(here.cupti->flushes[1], 0);
    assert_int_equal(recorded_device(0)->busy.kernel, 0);
    here.give(&two, 1);
    here.give(&too_late, 1);
    recorded_settle(true);
    assert_int_equal(recorded_device(0)->busy.kernel, 31 * second);
    assert_int_equal(recorded_device(0)->late_ns, 10 * second);
}

/* ---- the host's time */

static void wait_ms(long ms)
{
    nanosleep(&(struct timespec){0, ms * 1000000}, NULL);
}

static void time_in_the_runtime(void)
{
    start();
    here.call(RUNTIME, EXIT); /* of a call that had begun before */
    assert_int_equal(recorded.library->offload(), 0);
    uint64_t before = now_ns();
    here.call(RUNTIME, ENTER);
    here.call(DRIVER, ENTER); /* inside of it */
    wait_ms(20);
    here.call(DRIVER, EXIT);
    assert_true(recorded.library->offload() >= 20000000);
    here.call(RUNTIME, EXIT);
    uint64_t offload = recorded.library->offload(), passed = now_ns() - before;
    assert_true(offload >= 20000000 && offload <= passed);
    wait_ms(5);
    here.in_mpi = true; /* an MPI that copies from a device: its time is MPI's */
    here.call(RUNTIME, ENTER);
    wait_ms(5);
    here.call(RUNTIME, EXIT);
    here.in_mpi = false;
    assert_int_equal(recorded.library->offload(), offload);
}

/* ---- refusals */

static void without_driver(void)
{
    recorded_load(NULL);
    recorded_refused(PAPI_ENOSUPP, "papi_hardware_avail lists the devices");
    setenv("PAPI_CUDA_ROOT", "/nowhere", 1); /* names a library of NVIDIA's: its driver is looked for */
    recorded_refused(PAPI_ENOSUPP, "which the driver of NVIDIA's devices brings");
}

/* Each refusal undoes what was begun, so that the next try succeeds. */
static void with_errors(void)
{
    begin();
    here.cuda->init = 100;
    recorded_refused(PAPI_ENOSUPP, "does not start, or has no device here (100)");
    here.cuda->init = 0;
    here.cuda->devices = 0;
    recorded_refused(PAPI_ENOSUPP, "has no device for this process");
    here.cuda->devices = 2;
    here.cupti->enable = 35;
    recorded_refused(PAPI_EPERM, "NVreg_RestrictProfilingToAdminUsers=0");
    here.cupti->enable = 0;
    here.cupti->subscribe = 39;
    recorded_refused(PAPI_ECNFLCT, "another tool records already");
    assert_int_equal(here.cupti->enabled[KERNEL], 0);
    here.cupti->subscribe = 0;
    here.cupti->domain = 27;
    recorded_refused(PAPI_ENOSUPP, "(27)");
    assert_int_equal(here.cupti->subscribed, 0);
    here.cupti->domain = 0;
    start();
    assert_int_equal(here.cupti->enabled[KERNEL], 1);
}

static void refuses(void)
{
    struct reason why = {0};
    assert_int_equal(recorded.library->start(NULL, &why), PAPI_ENOSUPP);
    assert_true(recorded.library->mark(0));
}

static void in_the_child_of_a_fork(void)
{
    start();
    recorded_alone(refuses);
    const struct double_record kernel = {KERNEL, 0, 2000, 2500, 0};
    here.give(&kernel, 1);
    assert_int_equal(recorded_settle(true), 1);
}

/* Also those that do nothing. */
static void usable_devices(void)
{
    struct device_activity device[2];
    begin();
    assert_int_equal(recorded.library->usable(device, 2), -1);
    start();
    here.cuda->devices = 3;
    assert_int_equal(recorded.library->usable(device, 2), 3);
    assert_int_equal(device[1].number, 1);
    assert_string_equal(device[0].name, "Stand-in A");
    assert_string_equal(device[1].address, "0000:3c:00.0");
}

RECORDED_ALONE(kernels_and_copies)
RECORDED_ALONE(device_comes_later)
RECORDED_ALONE(watched)
RECORDED_ALONE(in_the_clock_of_the_library)
RECORDED_ALONE(what_is_missing)
RECORDED_ALONE(comes_late)
RECORDED_ALONE(time_in_the_runtime)
RECORDED_ALONE(with_errors)
RECORDED_ALONE(in_the_child_of_a_fork)
RECORDED_ALONE(usable_devices)

static void test_without_driver(void **state)
{
    (void)state;
    if (dlopen("libcuda.so.1", RTLD_LAZY) != NULL || access("/dev/kfd", F_OK) == 0 ||
        access("/dev/dri", F_OK) == 0)
        SKIP("this machine has devices");
    recorded_alone(without_driver);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kernels_and_copies),
        cmocka_unit_test(test_device_comes_later),
        cmocka_unit_test(test_what_is_missing),
        cmocka_unit_test(test_comes_late),
        cmocka_unit_test(test_time_in_the_runtime),
        cmocka_unit_test(test_with_errors),
        cmocka_unit_test(test_in_the_child_of_a_fork),
        cmocka_unit_test(test_usable_devices),
        cmocka_unit_test(test_watched),
        cmocka_unit_test(test_in_the_clock_of_the_library),
    };
    const struct CMUnitTest of_none[] = {cmocka_unit_test(test_without_driver)};
    if (argc > 1 && strcmp(argv[1], "none") == 0)
        return TEST_RUN(of_none);
    return TEST_RUN(tests);
}
