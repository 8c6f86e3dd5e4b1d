/* SPDX-License-Identifier: BSD-3-Clause
 *
 * libpapi_activity with a library that stands for AMD's rocprofiler-sdk: times are what the test says.
 */
#include "double_amd.h"
#include "recorded.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LIBRARY "librocprofiler-sdk.so.1"

enum { KERNEL = RECORDED_KERNEL, COPY = RECORDED_COPY, HOST = 1, IN = 2, OUT = 3, ON = 4 };

/* The vendor in the number of a call, so that none of another vendor has it. */
static const uint64_t OF_AMD = UINT64_C(1) << 56;

static struct double_amd *double_of_amd(void)
{
    if (recorded.library == NULL)
        recorded_load(LIBRARY);
    return recorded_symbol("double_amd");
}

static void start(void)
{
    double_of_amd();
    recorded_start(LIBRARY);
    assert_int_equal(double_of_amd()->wrong_calls, 0);
}

static void mark_at(uint64_t now, uint64_t of)
{
    double_of_amd()->now = now;
    assert_true(recorded.library->mark(of));
}

/* A region from 3600 to 5600, of records that come in three buffers, and out of order. */
static void give_records(void)
{
    const struct double_work work[] = {
        {{KERNEL, 0, 5000, 6000, 0}, 9, 0, "_Z5solvePd.kd"}, {{COPY, 0, 5500, 6500, 4096}, 10, IN, NULL},
        {{KERNEL, 1, 2000, 2500, 0}, 11, 0, "other"},        {{KERNEL, 0, 3000, 4000, 0}, 12, 0, NULL},
        {{COPY, 0, 3900, 4100, 64}, 13, OUT, NULL},          {{KERNEL, 0, 3500, 4200, 0}, 14, 0, NULL},
        {{COPY, 1, 2600, 2650, 1000}, 15, ON, NULL},
    };
    double_of_amd()->room = 3;
    double_of_amd()->now = 7000;
    recorded.give(work, 7);
}

static void is_work(int i, enum device_work_kind kind, uint64_t bytes, uint64_t launch, const char *name)
{
    assert_true(i < recorded.n_work);
    assert_int_equal(recorded.work[i].kind, kind);
    assert_int_equal(recorded.work[i].bytes, bytes);
    assert_int_equal(recorded.work[i].launch, launch != 0 ? OF_AMD | launch : 0);
    assert_string_equal(recorded.name[i], name);
}

static void check_records(void)
{
    mark_at(3600, 0);
    mark_at(5600, 1);
    double_of_amd()->now = 7000;
    assert_int_equal(recorded_settle(true), 2);
    const struct device_activity *first = recorded_device(0), *second = recorded_device(1);
    assert_int_equal(first->busy.kernel, 1000 + 1200);
    assert_int_equal(first->busy.copy, 500);
    assert_int_equal(first->kernels, 3);
    assert_int_equal(first->copies, 2);
    assert_int_equal(first->copied_bytes, 4096 + 64);
    assert_int_equal(first->unfinished, 0);
    assert_int_equal(second->number, 1);
    assert_int_equal(second->busy.kernel, 500);
    assert_int_equal(second->busy.copy, 50);
    assert_int_equal(recorded.told[0][1].kernel - recorded.told[0][0].kernel, 600 + 600);
    assert_int_equal(recorded.told[0][1].copy - recorded.told[0][0].copy, 0);
    assert_int_equal(recorded.library->dropped(), 0);
    assert_int_equal(recorded.n_work, 7);
    is_work(0, WORK_KERNEL, 0, 9, "_Z5solvePd");
    is_work(1, WORK_COPY_IN, 4096, 10, "");
    is_work(2, WORK_KERNEL, 0, 11, "other");
    is_work(4, WORK_COPY_OUT, 64, 13, "");
    is_work(6, WORK_COPY_OVER, 1000, 15, ""); /* from the first device */
    assert_int_equal(double_of_amd()->wrong_calls, 0);
}

static void kernels_and_copies(void)
{
    start();
    give_records();
    check_records();
}

/* A call is identified by one more word in some versions, and a copy's record may say more. */
static void one_more_word(void)
{
    double_of_amd()->identity = 3;
    start();
    give_records();
    check_records();
}

static void copies_with_addresses(void)
{
    start();
    double_of_amd()->more = 2;
    const struct double_work work = {{COPY, 0, 500, 600, 64}, 10, ON, NULL},
                             on_host = {{COPY, 0, 500, 900, 64}, 11, HOST, NULL};
    recorded.give(&work, 1);
    recorded.give(&on_host, 1); /* within the host's memory: by no device */
    assert_int_equal(recorded_settle(true), 1);
    assert_int_equal(recorded_device(0)->busy.copy, 100);
    is_work(0, WORK_COPY_ON, 64, 10, "");
}

static void calls_of_hip(void)
{
    start();
    uint64_t before = recorded.library->offload();
    recorded.call(0, RECORDED_ENTER, "hipLaunchKernel", 7);
    usleep(20000);
    recorded.call(0, RECORDED_EXIT, "hipLaunchKernel", 7);
    assert_true(recorded.library->offload() - before >= 20000000);
    recorded.call(0, RECORDED_ENTER, "hipDeviceSynchronize", 8);
    recorded.call(0, RECORDED_EXIT, "hipDeviceSynchronize", 8);
    recorded.call(0, RECORDED_ENTER, "hipMemcpyAsync", 9);
    recorded.call(0, RECORDED_EXIT, "hipMemcpyAsync", 9);
    assert_int_equal(recorded.n_launches, 2);
    assert_int_equal(recorded.launch[0], OF_AMD | 7);
    assert_int_equal(recorded.launch[1], OF_AMD | 9);
}

/* Launches without a record have not ended when all is over; records that were dropped are other ones. */
static void what_is_missing(void)
{
    start();
    const struct double_work runs = {{KERNEL, 1, 600, 0, 0}, 1, 0, NULL},
                             ended[] = {{{KERNEL, 0, 600, 700, 0}, 2, 0, NULL},
                                        {{KERNEL, 0, 800, 900, 0}, 3, 0, NULL}};
    recorded.give(ended, 2);
    recorded.give(&runs, 1);
    assert_int_equal(recorded_settle(true), 2);
    assert_int_equal(recorded_device(0)->busy.kernel, 200);
    assert_int_equal(recorded_device(0)->unfinished, 0);
    assert_int_equal(recorded_device(1)->unfinished, 1);
    assert_int_equal(recorded.library->dropped(), 0);
    double_of_amd()->drop = 1;
    recorded.give(ended, 2);
    recorded_settle(true);
    assert_int_equal(recorded.library->dropped(), 1);
    assert_int_equal(recorded_device(0)->unfinished, 0);
    assert_int_equal(recorded_device(0)->kernels, 3);
}

/* Records that come a little after the end are waited for. */
static void late_records(void)
{
    static const struct double_work work = {{KERNEL, 0, 500, 600, 0}, 1, 0, NULL};
    start();
    double_of_amd()->late = 3;
    recorded.give(&work, 1);
    assert_int_equal(recorded_settle(true), 1);
    assert_int_equal(recorded_device(0)->kernels, 1);
    assert_int_equal(recorded_device(0)->unfinished, 0);
    assert_true(double_of_amd()->flushes >= 3);
}

/* ---- layouts that are not known */

static void nothing_is_said(void)
{
    const struct double_work work[] = {{{KERNEL, 0, 500, 600, 0}, 1, 0, NULL},
                                       {{COPY, 0, 500, 600, 8}, 2, IN, NULL}};
    struct reason why = {0};
    double_of_amd()->now = 700;
    recorded.give(work, 2);
    assert_int_equal(recorded.library->settle(true, NULL, NULL, &why), PAPI_ENOSUPP);
    assert_non_null(strstr(why.text, "rocprofiler-sdk 1.1.0 records is not known"));
}

static void another_size(void)
{
    start();
    double_of_amd()->more = 1;
    nothing_is_said();
}

static void another_structure(void)
{
    start();
    double_of_amd()->odd = 1;
    nothing_is_said();
}

static void another_device(void)
{
    start();
    double_of_amd()->strange_agent = 1;
    nothing_is_said();
}

static void another_time(void)
{
    start();
    double_of_amd()->wrong_time = 1;
    nothing_is_said();
}

static void another_call(void)
{
    start();
    double_of_amd()->strange_call = 1;
    recorded.call(0, RECORDED_ENTER, "hipLaunchKernel", 7);
    double_of_amd()->strange_call = 0;
    nothing_is_said();
}

/* ---- devices */

static void node(const char *root, int number, const char *gpu, const char *properties)
{
    char path[128];
    snprintf(path, sizeof path, "sys/class/kfd/kfd/topology/nodes/%d/gpu_id", number);
    test_file(root, path, gpu);
    snprintf(path, sizeof path, "sys/class/kfd/kfd/topology/nodes/%d/name", number);
    test_file(root, path, "aldebaran\n");
    snprintf(path, sizeof path, "sys/class/kfd/kfd/topology/nodes/%d/properties", number);
    test_file(root, path, properties);
}

static void make_nodes(const char *root)
{
    node(root, 0, "0\n", "cpu_cores_count 64\nvendor_id 0\n");
    node(root, 1, "4711\n", "simd_count 440\nvendor_id 4098\nlocation_id 50432\ndomain 0\n"); /* c5:00.0 */
    node(root, 2, "4712\n", "vendor_id 4098\nlocation_id 778\ndomain 1\n");                   /* 03:01.2 */
    test_file(root, "sys/bus/pci/devices/0000:c5:00.0/product_name", "AMD Instinct of the test\n");
}

static void addresses_of_the_kernel(void)
{
    struct device_activity device[2];
    const char *root = test_folder();
    make_nodes(root);
    setenv("PAPI_SYSROOT", root, 1);
    start();
    assert_int_equal(recorded.library->usable(device, 2), 2);
    assert_string_equal(device[0].address, "0000:c5:00.0");
    assert_string_equal(device[0].name, "AMD Instinct of the test");
    assert_string_equal(device[1].address, "0001:03:01.2");
    assert_string_equal(device[1].name, "aldebaran");
    setenv("ROCR_VISIBLE_DEVICES", "1", 1); /* rocprofiler-sdk shows what it hides */
    assert_int_equal(recorded.library->usable(device, 2), -1);
    test_folder_remove(root);
}

/* A device has no address rather than a wrong one, if the kernel's nodes are others than the agents. */
static void other_nodes(void)
{
    struct device_activity device[2];
    const char *root = test_folder();
    make_nodes(root);
    node(root, 3, "4713\n", "vendor_id 4098\nlocation_id 1\n");
    setenv("PAPI_SYSROOT", root, 1);
    start();
    assert_int_equal(recorded.library->usable(device, 2), 2);
    assert_string_equal(device[0].address, "");
    test_folder_remove(root);
}

/* ---- refusals */

static void refusals(void)
{
    struct double_amd *amd = double_of_amd();
    amd->devices = 0;
    recorded_refused(PAPI_ENOSUPP, "sudo usermod -aG render,video");
    amd->devices = 2;
    amd->initialized = 1; /* by events of rocp_sdk, or HIP */
    recorded_refused(PAPI_ECNFLCT, "by events of the component rocp_sdk");
    amd->initialized = 0;
    amd->version[0] = 2;
    recorded_refused(PAPI_ENOSUPP, "what rocprofiler-sdk 2.1.0 records is not known");
    amd->version[0] = 0;
    amd->version[1] = 4;
    recorded_refused(PAPI_ENOSUPP, "what rocprofiler-sdk 0.4.0 records is not known");
    amd->version[1] = 5;
    amd->kinds = 2;
    recorded_refused(PAPI_ENOSUPP, "what rocprofiler-sdk 0.5.0 records is not known");
    amd->kinds = 0;
    amd->configure = 16;
    recorded_refused(PAPI_ENOSUPP,
                     "before any HIP call): AMD's rocprofiler-sdk answers \"configuration locked\"");
    amd->configure = 0;
    amd->context = 5;
    recorded_refused(PAPI_ENOSUPP, "records of kernels and copies: AMD's rocprofiler-sdk answers");
    amd->context = 0;
    start();
    assert_int_equal(amd->started, 1);
}

static void refuses_in_child(void)
{
    struct reason why = {0};
    assert_int_equal(recorded.library->start(NULL, &why), PAPI_ENOSUPP);
    assert_non_null(strstr(why.text, "child of a fork"));
}

static void in_the_child_of_a_fork(void)
{
    start();
    recorded_alone(refuses_in_child);
    give_records();
    check_records();
}

static void test_lacks_a_function(void **state)
{
    (void)state;
    recorded_load(LIBRARY);
    recorded_refused(PAPI_ENOSUPP, "lacks the function rocprofiler_get_timestamp: it is of another version");
}

RECORDED_ALONE(kernels_and_copies)
RECORDED_ALONE(one_more_word)
RECORDED_ALONE(copies_with_addresses)
RECORDED_ALONE(calls_of_hip)
RECORDED_ALONE(what_is_missing)
RECORDED_ALONE(late_records)
RECORDED_ALONE(another_size)
RECORDED_ALONE(another_structure)
RECORDED_ALONE(another_device)
RECORDED_ALONE(another_time)
RECORDED_ALONE(another_call)
RECORDED_ALONE(addresses_of_the_kernel)
RECORDED_ALONE(other_nodes)
RECORDED_ALONE(refusals)
RECORDED_ALONE(in_the_child_of_a_fork)

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kernels_and_copies),
        cmocka_unit_test(test_one_more_word),
        cmocka_unit_test(test_copies_with_addresses),
        cmocka_unit_test(test_calls_of_hip),
        cmocka_unit_test(test_what_is_missing),
        cmocka_unit_test(test_late_records),
        cmocka_unit_test(test_another_size),
        cmocka_unit_test(test_another_structure),
        cmocka_unit_test(test_another_device),
        cmocka_unit_test(test_another_time),
        cmocka_unit_test(test_another_call),
        cmocka_unit_test(test_addresses_of_the_kernel),
        cmocka_unit_test(test_other_nodes),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_in_the_child_of_a_fork),
    };
    const struct CMUnitTest of_lacking[] = {cmocka_unit_test(test_lacks_a_function)};
    if (argc > 1 && strcmp(argv[1], "lacking") == 0)
        return TEST_RUN(of_lacking);
    return TEST_RUN(tests);
}
