/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The components rocm_smi and amd_smi with libraries that stand for AMD's (rocm_smi_double.c,
 * amd_smi_double.c): their variables name them, and a folder in place of /sys has devices. The argument says
 * which of the two.
 */
#include "amd_double.h"
#include "folder.h"

#include <dlfcn.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static const char *component, *variable, *file;

static void device_is_there(const char *vendor)
{
    shows("sys/bus/pci/devices/0000:03:00.0/class", "0x120000\n");
    shows("sys/bus/pci/devices/0000:03:00.0/vendor", vendor);
    shows("sys/bus/pci/devices/0000:03:00.0/device", "0x74a1\n");
}

/* Held open, so that what the test sets stays. */
static struct amd_double *begin(void **state)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/lib/%s", getenv(variable), file);
    void *library = dlopen(path, RTLD_LAZY);
    assert_non_null(library);
    *state = library;
    struct amd_double *amd = dlsym(library, "amd_double");
    assert_non_null(amd);
    device_is_there("0x1002\n");
    begin_in_folder();
    return amd;
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

/* A reading of one event. */
static long long once(const char *name)
{
    long long value = -1;
    int es = set_of(name, NULL);
    assert_int_equal(PAPI_start(es), PAPI_OK);
    assert_int_equal(PAPI_stop(es, &value), PAPI_OK);
    return value;
}

/* ---- of both */

static void loaded_where_a_device_is(void **state)
{
    (void)state;
    device_is_there("0x10de\n");
    begin_in_folder();
    assert_int_equal(info_of_component(component)->disabled, PAPI_ENOSUPP);
    assert_non_null(strstr(info_of_component(component)->disabled_reason, "no device of AMD"));
    assert_int_equal(info_of_component(component)->num_native_events, 0);
    assert_false(library_is_loaded(file));
    PAPI_shutdown();
    device_is_there("0x1002\n");
    begin_in_folder();
    assert_false(library_is_loaded(file));
    assert_int_equal(info_of_component(component)->disabled, PAPI_OK);
    assert_true(info_of_component(component)->num_native_events > 20);
    assert_true(library_is_loaded(file));
    PAPI_shutdown();
    assert_false(library_is_loaded(file));
}

static void does_not_start(void **state)
{
    struct amd_double *amd = begin(state);
    amd->init_result = strcmp(component, "amd_smi") == 0 ? 34 : 8;
    assert_int_equal(info_of_component(component)->disabled, PAPI_ENOSUPP);
    assert_non_null(strstr(info_of_component(component)->disabled_reason, "does not start: "));
    assert_non_null(strstr(info_of_component(component)->disabled_reason,
                           amd->init_result == 8 ? "no init" : "not loaded"));
    assert_int_equal(amd->started, 0);
}

static void no_device_to_use(void **state)
{
    struct amd_double *amd = begin(state);
    amd->count = 0;
    assert_int_equal(info_of_component(component)->disabled, PAPI_ENOSUPP);
    assert_non_null(strstr(info_of_component(component)->disabled_reason, "finds no device"));
    assert_int_equal(amd->started, 0);
}

static void no_library(void **state)
{
    char root[PATH_MAX];
    (void)state;
    snprintf(root, sizeof root, "%s", getenv(variable));
    device_is_there("0x1002\n");
    setenv(variable, "/nowhere", 1);
    begin_in_folder();
    assert_int_equal(info_of_component(component)->disabled, PAPI_ENOSUPP);
    assert_non_null(strstr(info_of_component(component)->disabled_reason, "below /nowhere, which PAPI_"));
    setenv(variable, root, 1);
}

/* ---- rocm_smi */

static void rocm_numbers(void **state)
{
    struct amd_double *amd = begin(state);
    int es = set_of("rocm_smi:::NUMDevices", "rocm_smi:::rsmi_version",
                    "rocm_smi:::power_average:device=0:sensor=0", "rocm_smi:::power_cap:device=1:sensor=0",
                    "rocm_smi:::power_cap_range_max:device=0:sensor=0",
                    "rocm_smi:::power_cap_range_min:device=0:sensor=0",
                    "rocm_smi:::temp_current:device=1:sensor=0", "rocm_smi:::temp_critical:device=0:sensor=1",
                    "rocm_smi:::busy_percent:device=1", "rocm_smi:::mem_total_VRAM:device=0",
                    "rocm_smi:::mem_total_GTT:device=0", "rocm_smi:::fan_rpms:device=1:sensor=0",
                    "rocm_smi:::numa_node:device=0", "rocm_smi:::pci_id:device=1", NULL);
    assert_int_equal(PAPI_start(es), PAPI_OK);
    amd->device[1].temperature = -3000;
    reads(es, 2LL, (5LL << 32) + (2 << 16) + 3, 90000000LL, 500000000LL, 560000000LL, 100000000LL, -3000LL,
          35001LL, 60LL, 68702699520LL, 68702699522LL, 1501LL, 1LL, 0x301LL, END);
    assert_int_equal(PAPI_stop(es, NULL), PAPI_OK);
    not_listed("rocm_smi:::power_average:device=0:sensor=1");
    not_listed("rocm_smi:::power_cap_range_max:device=0:sensor=1");
    not_listed("rocm_smi:::temp_current:device=0:sensor=1");
    not_listed("rocm_smi:::memory_busy_percent:device=0"); /* the library lacks the function */
    not_listed("rocm_smi:::numa_node:device=1");           /* all bits: there is none */
    not_listed("rocm_smi:::busy_percent:device=2");
}

/* The current one of the frequencies, in the structure's form before ROCm 6 and in today's. */
static void rocm_clocks(void **state)
{
    struct amd_double *amd = begin(state);
    long long value;
    assert_int_equal(once("rocm_smi:::clk_freq_system:device=0"), 500000000);
    amd->device[0].clock = amd->device[1].clock = 1;
    assert_int_equal(once("rocm_smi:::clk_freq_system:device=0"), 1502000000);
    assert_int_equal(once("rocm_smi:::clk_freq_system:device=1"), 1700000000);
    not_listed("rocm_smi:::clk_freq_memory:device=0");
    int es = set_of("rocm_smi:::clk_freq_system:device=1", NULL);
    assert_int_equal(PAPI_start(es), PAPI_OK);
    amd->device[1].clock = 2; /* of two */
    refused(PAPI_read(es, &value), PAPI_ENOEVNT, "some error");
}

/* A question that takes a second is not asked for a list. */
static void rocm_throughput(void **state)
{
    struct amd_double *amd = begin(state);
    assert_true(info_of_component(component)->num_native_events > 20);
    assert_int_equal(amd->questions_of_a_second, 0);
    amd->device[1].throughput = 123456789012;
    assert_int_equal(once("rocm_smi:::pci_throughput_sent:device=1"), 123456789012);
    assert_int_equal(once("rocm_smi:::pci_throughput_received:device=1"), 123456789013);
    assert_int_equal(once("rocm_smi:::pci_throughput_max_packet:device=1"), 256);
}

static void rocm_errors(void **state)
{
    struct amd_double *amd = begin(state);
    int es = set_of("rocm_smi:::ecc_count_correctable:device=1:block=UMC",
                    "rocm_smi:::ecc_count_correctable:device=0:block=XGMI_WAFL",
                    "rocm_smi:::ecc_count_uncorrectable:device=0:block=UMC", NULL);
    assert_int_equal(PAPI_start(es), PAPI_OK);
    amd->device[1].corrected += 5;
    amd->device[0].corrected += 9;
    reads(es, 5LL, 9LL, 0LL, END);
    not_listed("rocm_smi:::ecc_count_correctable:device=0:block=GFX");
}

/* ---- amd_smi */

static void amd_numbers(void **state)
{
    begin(state);
    int es = set_of("amd_smi:::power_current:device=0", "amd_smi:::power_average:device=1",
                    "amd_smi:::power_cap:device=0", "amd_smi:::power_cap_default:device=0",
                    "amd_smi:::power_cap_range_min:device=0", "amd_smi:::power_cap_range_max:device=0",
                    "amd_smi:::temp_current_sensor=0:device=1", "amd_smi:::temp_critical_sensor=1:device=0",
                    "amd_smi:::gfx_activity:device=1", "amd_smi:::umc_activity:device=1",
                    "amd_smi:::clk_freq_system:device=0", "amd_smi:::clk_freq_system_min:device=0",
                    "amd_smi:::mem_usage_GTT:device=0", "amd_smi:::pci_id:device=1", NULL);
    assert_int_equal(PAPI_start(es), PAPI_OK);
    reads(es, 95LL, 120LL, 300000000LL, 550000000LL, 100000000LL, 560000000LL, -5LL, 36LL, 60LL, 7LL, 1700LL,
          500LL, 1002LL, 0x10301LL, END);
    assert_int_equal(PAPI_stop(es, NULL), PAPI_OK);
    not_listed("amd_smi:::power_average:device=0");       /* all bits: there is none */
    not_listed("amd_smi:::mm_activity:device=0");         /* 65535 percent */
    not_listed("amd_smi:::clk_freq_system_max:device=0"); /* 65535 MHz */
    not_listed("amd_smi:::temp_current_sensor=1:device=0");
    not_listed("amd_smi:::mem_total_VRAM:device=0"); /* the library lacks the function */
    not_listed("amd_smi:::power_current:device=2");
}

/* Power of the older structure would be a voltage: it is not shown. */
static void amd_power_of_old(void **state)
{
    struct amd_double *amd = begin(state);
    amd->device[1].form = 1;
    assert_int_equal(once("amd_smi:::power_current:device=0"), 95);
    not_listed("amd_smi:::power_current:device=1");
    not_listed("amd_smi:::power_average:device=1");
}

static void amd_errors(void **state)
{
    struct amd_double *amd = begin(state);
    int es =
        set_of("amd_smi:::ecc_count_correctable:device=0", "amd_smi:::ecc_count_deferred:device=0", NULL);
    assert_int_equal(PAPI_start(es), PAPI_OK);
    amd->device[0].corrected += 4;
    reads(es, 4LL, 0LL, END);
}

static void amd_many(void **state)
{
    struct amd_double *amd = begin(state);
    amd->count = 100;
    assert_int_equal(once("amd_smi:::gfx_activity:device=99"), 40);
    assert_int_equal(once("amd_smi:::gfx_activity:device=199"), 60);
    not_listed("amd_smi:::gfx_activity:device=200");
}

/* ---- of both, by other names */

static const char *energy[2], *busy, *cap;

/* count times 16043213 by 2^20, cut, in two parts of 64 bits. */
static long long product_of(unsigned long long count)
{
    return (long long)((count >> 20) * 16043213 + ((count & 0xfffff) * 16043213 >> 20));
}

/* Counts times a float: the product is exact, however large the count is, and cut once. 15.3 is the float
 * 16043213 / 2^20, 15.259 16000221 / 2^20. */
static void energy_is_exact(void **state)
{
    struct amd_double *amd = begin(state);
    const unsigned long long large = 400000000000000000;
    amd->device[0].energy = large;
    int es = set_of(energy[0], energy[1], NULL);
    assert_int_equal(PAPI_start(es), PAPI_OK);
    amd->device[0].energy += 1000001;
    amd->device[1].energy += 3;
    long long first = product_of(large + 1000001) - product_of(large);
    long long second = (7003LL * 16000221 >> 20) - (7000LL * 16000221 >> 20);
    reads(es, first, second, END);
    assert_int_equal(PAPI_stop(es, NULL), PAPI_OK);
}

static void wrong_answers(void **state)
{
    struct amd_double *amd = begin(state);
    const float wrong[] = {NAN, INFINITY, 0, -1};
    long long value;
    int es = set_of(energy[0], NULL), other = set_of(busy, NULL);
    assert_int_equal(PAPI_start(es), PAPI_OK);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        amd->device[0].resolution = wrong[i];
        refused(PAPI_read(es, &value), PAPI_EMISC, "a number that cannot be");
    }
    amd->device[0].resolution = 15.3f;
    amd->device[0].energy = UINT64_MAX - 1; /* the product has more than 63 bits */
    refused(PAPI_read(es, &value), PAPI_EMISC, "a number that cannot be");
    amd->device[0].energy = 5;
    refused(PAPI_read(es, &value), PAPI_ECLOST, "began anew");
    assert_int_equal(value, 0);
    assert_int_equal(PAPI_stop(es, &value), PAPI_ECLOST);
    assert_int_equal(PAPI_start(other), PAPI_OK);
    amd->device[0].busy = 101;
    refused(PAPI_read(other, &value), PAPI_EMISC, "a number that cannot be");
    amd->device[0].busy = 3;
    amd->device[0].result = 9999;
    refused(PAPI_read(other, &value), PAPI_EMISC, "some error");
    amd->device[0].result = 0;
    reads(other, 3LL, END);
}

static void cap_is_set(void **state)
{
    struct amd_double *amd = begin(state);
    int es = set_of(cap, NULL);
    long long value = 250000000;
    assert_int_equal(PAPI_start(es), PAPI_OK);
    assert_int_equal(PAPI_write(es, &value), PAPI_OK);
    reads(es, 250000000LL, END);
    value = 7;
    refused(PAPI_write(es, &value), PAPI_EINVAL, "cannot be set to 7");
    value = 1;
    refused(PAPI_write(es, &value), PAPI_EPERM, "some error");
    assert_int_equal(amd->device[0].cap, 250000000);
    assert_int_equal(PAPI_stop(es, NULL), PAPI_OK);
    PAPI_shutdown();
    assert_int_equal(amd->device[0].cap, 300000000);
    assert_int_equal(amd->started, 0);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, folder_create, end)
#define OF_BOTH                                                                                              \
    TEST(loaded_where_a_device_is), TEST(does_not_start), TEST(no_device_to_use), TEST(no_library),          \
        TEST(energy_is_exact), TEST(wrong_answers), TEST(cap_is_set)

int main(int argc, char **argv)
{
    const struct CMUnitTest of_rocm[] = {OF_BOTH, TEST(rocm_numbers), TEST(rocm_clocks),
                                         TEST(rocm_throughput), TEST(rocm_errors)};
    const struct CMUnitTest of_amd[] = {OF_BOTH, TEST(amd_numbers), TEST(amd_power_of_old), TEST(amd_errors),
                                        TEST(amd_many)};
    if (argc > 1 && strcmp(argv[1], "rocm_smi") == 0) {
        component = "rocm_smi", variable = "PAPI_ROCMSMI_ROOT", file = "librocm_smi64.so";
        energy[0] = "rocm_smi:::energy_count:device=0", energy[1] = "rocm_smi:::energy_count:device=1";
        busy = "rocm_smi:::busy_percent:device=0", cap = "rocm_smi:::power_cap:device=0:sensor=0";
        return TEST_RUN(of_rocm);
    }
    component = "amd_smi", variable = "PAPI_AMDSMI_ROOT", file = "libamd_smi.so";
    energy[0] = "amd_smi:::energy_consumed:device=0", energy[1] = "amd_smi:::energy_consumed:device=1";
    busy = "amd_smi:::gfx_activity:device=0", cap = "amd_smi:::power_cap:device=0";
    return TEST_RUN(of_amd);
}
