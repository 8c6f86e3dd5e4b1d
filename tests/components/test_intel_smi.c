/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The component intel_smi with a library that stands for Level Zero's loader (level_zero_double.c), which
 * PAPI_INTEL_GPU_ROOT names, and a folder in place of /sys that has a device.
 */
#include "folder.h"
#include "level_zero_double.h"

#include <dlfcn.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define NAME "intel_smi:::"

static void device_is_there(const char *class)
{
    shows("sys/bus/pci/devices/0000:4d:00.0/class", class);
    shows("sys/bus/pci/devices/0000:4d:00.0/vendor", "0x8086\n");
}

static struct level_zero_double *begin(void **state)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/lib/libze_loader.so.1", getenv("PAPI_INTEL_GPU_ROOT"));
    void *library = dlopen(path, RTLD_LAZY);
    assert_non_null(library);
    *state = library;
    struct level_zero_double *zes = dlsym(library, "level_zero_double");
    assert_non_null(zes);
    device_is_there("0x038000\n");
    begin_in_folder();
    return zes;
}

static int end(void **state)
{
    PAPI_shutdown();
    if (*state != NULL)
        dlclose(*state);
    *state = NULL;
    return folder_remove(state);
}

static void not_listed(const char *name)
{
    no_event(name, "papi_native_avail");
}

static void numbers(void **state)
{
    struct level_zero_double *zes = begin(state);
    int es = set_of(NAME "energy:device=0:power=0", NAME "energy:device=0:power=1",
                    NAME "active_time:device=0:engine=0", NAME "frequency:device=0:clock=0",
                    NAME "frequency_request:device=0:clock=0", NAME "throttle_reasons:device=0:clock=0",
                    NAME "temperature:device=0:sensor=0", NAME "temperature:device=1:sensor=0",
                    NAME "memory_size:device=0:memory=0", NAME "memory_free:device=0:memory=0",
                    NAME "pci_received:device=0", NAME "card_energy:device=0", NAME "pci_id:device=0",
                    NAME "pci_id:device=1", NULL);
    assert_int_equal(PAPI_start(es), PAPI_OK);
    zes->energy[0] += 70;
    zes->energy[1] += 9;
    zes->card += 200;
    zes->active = 11;
    zes->received = 4096;
    reads(es, 70LL, 9LL, 11LL, 1550250LL, 1600000LL, 8LL, 45125LL, -12500LL, 68719476736LL, 7LL, 4096LL,
          200LL, 0x4d11LL, 0x14d11LL, END);
    assert_int_equal(PAPI_stop(es, NULL), PAPI_OK);
    not_listed(NAME "frequency_limit:device=0:clock=0"); /* negative: not known */
    not_listed(NAME "throttled_time:device=0:clock=0");  /* the library lacks the function */
    not_listed(NAME "energy:device=1:power=0");
    not_listed(NAME "card_energy:device=1");
    not_listed(NAME "pci_received:device=1");
}

static void wrong_answers(void **state)
{
    struct level_zero_double *zes = begin(state);
    const double wrong[] = {NAN, INFINITY, 1e300};
    long long value;
    int es = set_of(NAME "frequency:device=0:clock=0", NULL);
    int energy = set_of(NAME "energy:device=0:power=0", NULL);
    assert_int_equal(PAPI_start(es), PAPI_OK);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        zes->frequency = wrong[i];
        refused(PAPI_read(es, &value), PAPI_EMISC, "a number that cannot be");
    }
    zes->frequency = -1;
    refused(PAPI_read(es, &value), PAPI_ENOEVNT, "not supported");
    zes->frequency = 1;
    assert_int_equal(PAPI_stop(es, &value), PAPI_OK);
    assert_int_equal(PAPI_start(energy), PAPI_OK);
    zes->energy[0] -= 1;
    refused(PAPI_read(energy, &value), PAPI_ECLOST, "began anew");
    zes->result = 0x70000001;
    refused(PAPI_read(energy, &value), PAPI_ENOEVNT, "the device is lost");
    zes->result = 0x70010000;
    refused(PAPI_read(energy, &value), PAPI_EPERM, "groups render and video");
    zes->result = 0;
}

static void reasons(void **state)
{
    struct level_zero_double *zes = begin(state);
    zes->init_result = 0x78000001;
    assert_int_equal(info_of_component("intel_smi")->disabled, PAPI_ENOSUPP);
    assert_non_null(strstr(info_of_component("intel_smi")->disabled_reason, "no driver of Level Zero"));
    PAPI_shutdown();
    zes->init_result = 0;
    zes->no_device = true;
    begin_in_folder();
    assert_int_equal(info_of_component("intel_smi")->disabled, PAPI_ENOSUPP);
    assert_non_null(strstr(info_of_component("intel_smi")->disabled_reason, "finds no device"));
    PAPI_shutdown();
    device_is_there("0x020000\n"); /* a network's */
    begin_in_folder();
    assert_non_null(strstr(info_of_component("intel_smi")->disabled_reason, "no device of Intel"));
    assert_int_equal(info_of_component("intel_smi")->num_native_events, 0);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, folder_create, end)

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(numbers), TEST(wrong_answers), TEST(reasons)};
    return TEST_RUN(tests);
}
