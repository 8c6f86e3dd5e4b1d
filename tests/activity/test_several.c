/* SPDX-License-Identifier: BSD-3-Clause
 *
 * libpapi_activity in a program that uses devices of two vendors.
 */
#include "double_amd.h"
#include "recorded.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static double_give_work *give_nvidia;

static void load(void)
{
    recorded_load("librocprofiler-sdk.so.1");
    void *cupti = dlopen("libcupti.so.13", RTLD_NOW);
    assert_non_null(cupti);
    *(void **)&give_nvidia = dlsym(cupti, "double_gives_work");
    assert_non_null(give_nvidia);
    assert_non_null(dlopen("libcuda.so.1", RTLD_NOW));
}

/* Both have a device 0, which are not one, and a call 1, neither. */
static void both(void)
{
    const struct double_work amd = {{RECORDED_KERNEL, 0, 2000, 2300, 0}, 1, 0, "of_amd"};
    const struct double_work nvidia = {{RECORDED_KERNEL, 0, 2000, 2020, 0}, 1, 0, "of_nvidia"};
    struct device_activity device[40];
    load();
    recorded_start("librocprofiler-sdk.so.1");
    ((struct double_amd *)recorded_symbol("double_amd"))->now = 3000;
    recorded.give(&amd, 1);
    give_nvidia(&nvidia, 1);
    assert_int_equal(recorded_settle(true), 2);
    assert_int_equal(recorded_device(0)->busy.kernel, 300);
    assert_int_equal(recorded_device(1)->busy.kernel, 20);
    assert_int_equal(recorded_device(1)->number, 0);
    assert_string_equal(recorded_device(1)->name, "Stand-in A");
    assert_int_equal(recorded.work[0].place, 0);
    assert_int_equal(recorded.work[1].place, 1);
    assert_int_not_equal(recorded.work[0].launch, 0);
    assert_int_not_equal(recorded.work[1].launch, 0);
    assert_int_not_equal(recorded.work[0].launch, recorded.work[1].launch);
    assert_int_equal(recorded.library->usable(device, 40), 32 + 2); /* NVIDIA's first */
    assert_string_equal(device[31].address, "0000:5a:00.0");
    assert_int_equal(device[32].number, 0);
    assert_string_equal(device[32].address, "");
}

/* A vendor that is refused does not keep the other from being recorded, but it is said. */
static void one_of_two(void)
{
    struct reason why = {0};
    load();
    ((struct double_amd *)recorded_symbol("double_amd"))->initialized = 1;
    assert_int_equal(recorded.library->start(NULL, &why), PAPI_OK);
    assert_int_equal(why.code, PAPI_ECNFLCT);
    assert_non_null(strstr(why.text, "AMD's rocprofiler-sdk is in use already"));
    const struct double_work nvidia = {{RECORDED_KERNEL, 0, 2000, 2020, 0}, 1, 0, "of_nvidia"};
    give_nvidia(&nvidia, 1);
    assert_int_equal(recorded_settle(true), 1);
}

RECORDED_ALONE(both)
RECORDED_ALONE(one_of_two)

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_both), cmocka_unit_test(test_one_of_two)};
    return TEST_RUN(tests);
}
