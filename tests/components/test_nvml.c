/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The component nvml with a library that stands for the NVIDIA driver's (nvml_double.c), with an older one,
 * and without any: the loader's path has it, and the argument says which.
 */
#include "folder.h"
#include "nvml_double.h"

#include <dlfcn.h>
#include <stdlib.h>

#define LIBRARY "libnvidia-ml.so.1"
#define V100 "nvml:::Tesla_V100_SXM2:device_0:"
#define A100 "nvml:::A100:device_1:"

static void loaded_when_asked(void **state)
{
    (void)state;
    begin_here();
    assert_false(library_is_loaded(LIBRARY));
    assert_int_equal(info_of_component("nvml")->disabled, PAPI_OK);
    assert_true(info_of_component("nvml")->num_native_events > 0);
    assert_true(library_is_loaded(LIBRARY));
    PAPI_shutdown();
    assert_false(library_is_loaded(LIBRARY));
}

static void numbers(void **state)
{
    struct nvml_double *nvml = begin_with_double(state, LIBRARY, "nvml_double");
    int es = set_of(V100 "power", A100 "power", V100 "temperature", V100 "gpu_utilization",
                    V100 "memory_utilization", V100 "total_memory", V100 "unallocated_memory",
                    V100 "allocated_memory", V100 "graphics_clock", V100 "sm_clock", V100 "memory_clock",
                    V100 "pstate", A100 "pstate", V100 "power_management_limit_constraint_min",
                    A100 "power_management_limit_constraint_max", V100 "total_ecc_errors", V100 "pci_id",
                    A100 "pci_id", NULL);
    assert_int_equal(PAPI_start(es), PAPI_OK);
    nvml->device[0].power = 110000;
    reads(es, 110000LL, 60000LL, 40LL, 80LL, 30LL, 17179869184LL, 17179869000LL, 184LL, 1000LL, 1001LL,
          1002LL, 2LL, 3LL, 100000LL, 300001LL, 0LL, 0x3b18LL, 0x100023c18LL, END);
    assert_int_equal(PAPI_stop(es, NULL), PAPI_OK);
    no_event(V100 "fan_speed", "papi_native_avail");
    no_event(V100 "l1_single_ecc_errors", "papi_native_avail");
    no_event("nvml:::A100:device_0:power", "papi_native_avail");
}

static void energy_is_counted(void **state)
{
    struct nvml_double *nvml = begin_with_double(state, LIBRARY, "nvml_double");
    PAPI_event_info_t info;
    int code, es = set_of(A100 "total_energy_consumption", V100 "power", NULL);
    reads(es, 0LL, 50000LL, END);
    assert_int_equal(PAPI_start(es), PAPI_OK);
    nvml->device[1].energy += 500;
    reads(es, 500LL, 50000LL, END);
    assert_int_equal(PAPI_reset(es), PAPI_OK);
    nvml->device[1].energy += 20;
    nvml->device[0].power = 1;
    assert_int_equal(PAPI_stop(es, NULL), PAPI_OK);
    nvml->device[1].energy += 1000; /* while it is stopped */
    nvml->device[0].power = 2;
    reads(es, 20LL, 1LL, END);
    assert_int_equal(PAPI_start(es), PAPI_OK);
    nvml->device[1].energy += 3;
    reads(es, 3LL, 2LL, END);
    assert_int_equal(PAPI_stop(es, NULL), PAPI_OK);
    assert_int_equal(PAPI_event_name_to_code(A100 "total_energy_consumption", &code), PAPI_OK);
    assert_int_equal(PAPI_get_event_info(code, &info), PAPI_OK);
    assert_string_equal(info.units, "mJ");
    assert_int_equal(info.value_type, PAPI_VALUETYPE_RUNNING_SUM);
    assert_int_equal(PAPI_event_name_to_code(A100 "power", &code), PAPI_OK);
    assert_int_equal(PAPI_get_event_info(code, &info), PAPI_OK);
    assert_string_equal(info.units, "mW");
    assert_int_equal(info.value_type, PAPI_VALUETYPE_ABSOLUTE);
    assert_int_equal(info.location, PAPI_LOCATION_UNCORE);
}

static void limit_is_set(void **state)
{
    struct nvml_double *nvml = begin_with_double(state, LIBRARY, "nvml_double");
    int es = set_of(A100 "power_management_limit", NULL);
    long long value = 200000;
    assert_int_equal(PAPI_start(es), PAPI_OK);
    assert_int_equal(PAPI_write(es, &value), PAPI_OK);
    assert_int_equal(nvml->device[1].limit, 200000);
    reads(es, 200000LL, END);
    value = 7;
    refused(PAPI_write(es, &value), PAPI_EINVAL, "cannot be set to 7");
    value = 1;
    refused(PAPI_write(es, &value), PAPI_EPERM, "Some Error");
    value = -1;
    refused(PAPI_write(es, &value), PAPI_EINVAL, "cannot be set to -1");
    assert_int_equal(PAPI_stop(es, NULL), PAPI_OK);
    es = set_of(A100 "power", NULL);
    refused(PAPI_write(es, &value), PAPI_ECMP, "cannot be set");
}

/* The other one's numbers go on, and so does it when it comes back. */
static void device_vanishes(void **state)
{
    struct nvml_double *nvml = begin_with_double(state, LIBRARY, "nvml_double");
    long long value;
    int es = set_of(A100 "total_energy_consumption", NULL), other = set_of(V100 "power", NULL);
    assert_int_equal(PAPI_start(es), PAPI_OK);
    nvml->device[1].result = 15;
    refused(PAPI_read(es, &value), PAPI_ENOEVNT, "GPU is lost");
    reads(other, 50000LL, END);
    int added = PAPI_NULL;
    assert_int_equal(PAPI_create_eventset(&added), PAPI_OK);
    refused(PAPI_add_named_event(added, A100 "power"), PAPI_ENOEVNT, A100 + 7);
    nvml->device[1].result = 4;
    refused(PAPI_read(es, &value), PAPI_EPERM, "Some Error");
    nvml->device[1].result = 0;
    nvml->device[1].energy += 9;
    assert_int_equal(PAPI_stop(es, &value), PAPI_OK);
    assert_int_equal(value, 9);
}

/* The first limit is set again when the last event has gone, unless somebody else has set
 * it since. */
static void limit_is_set_back(void **state)
{
    struct nvml_double *nvml = begin_with_double(state, LIBRARY, "nvml_double");
    int es = set_of(A100 "power_management_limit", V100 "power_management_limit", NULL);
    long long value[] = {200000, 150000}, again[] = {180000, 140000};
    assert_int_equal(PAPI_start(es), PAPI_OK);
    assert_int_equal(PAPI_write(es, value), PAPI_OK);
    assert_int_equal(PAPI_write(es, again), PAPI_OK);
    assert_int_equal(PAPI_stop(es, NULL), PAPI_OK);
    assert_int_equal(nvml->device[1].limit, 180000);
    nvml->device[0].limit = 111000;
    PAPI_shutdown();
    assert_int_equal(nvml->device[1].limit, 250000);
    assert_int_equal(nvml->device[0].limit, 111000);
}

/* ---- what is wrong, or not as it should be */

/* A counter that shrinks shows no huge number, but what it had counted; and counts again after a start. */
static void counter_shrinks(void **state)
{
    struct nvml_double *nvml = begin_with_double(state, LIBRARY, "nvml_double");
    int es = set_of(A100 "total_energy_consumption", V100 "total_energy_consumption", NULL);
    long long value[2];
    assert_int_equal(PAPI_start(es), PAPI_OK);
    nvml->device[1].energy += 50;
    nvml->device[0].energy += 3;
    reads(es, 50LL, 3LL, END);
    nvml->device[1].energy = 10;
    nvml->device[0].energy += 4;
    refused(PAPI_read(es, value), PAPI_ECLOST, "began anew: it shows 10 after 7050");
    assert_int_equal(value[0], 50);
    assert_int_equal(value[1], 7);
    nvml->device[1].energy = 8000; /* more than before: still nobody knows */
    refused(PAPI_read(es, value), PAPI_ECLOST, A100 + 7);
    assert_int_equal(value[0], 50);
    assert_int_equal(PAPI_stop(es, value), PAPI_ECLOST);
    assert_int_equal(PAPI_start(es), PAPI_OK);
    nvml->device[1].energy += 6;
    reads(es, 6LL, 0LL, END);
    assert_int_equal(PAPI_stop(es, NULL), PAPI_OK);
}

/* Numbers that cannot be are an error, not a count. */
static void absurd_numbers(void **state)
{
    struct nvml_double *nvml = begin_with_double(state, LIBRARY, "nvml_double");
    long long value;
    int es = set_of(V100 "gpu_utilization", NULL), bytes = set_of(V100 "nvlink_tx_bytes", NULL);
    assert_int_equal(PAPI_start(es), PAPI_OK);
    nvml->device[0].utilization = 100;
    reads(es, 100LL, END);
    nvml->device[0].utilization = 101;
    refused(PAPI_read(es, &value), PAPI_EMISC, "a number that cannot be");
    nvml->device[0].utilization = 4000000000;
    assert_int_equal(PAPI_stop(es, &value), PAPI_EMISC);
    assert_int_equal(PAPI_start(bytes), PAPI_OK);
    nvml->device[0].sent = UINT64_MAX / 1024 + 1;
    refused(PAPI_read(bytes, &value), PAPI_EMISC, "a number that cannot be");
}

static void names_without_end(void **state)
{
    struct nvml_double *nvml = begin_with_double(state, LIBRARY, "nvml_double");
    PAPI_event_info_t info;
    char name[PAPI_2MAX_STR_LEN] = "nvml:::";
    nvml->name = "\x01:\xc3 9";
    for (int i = 0; i < 95; i++)
        strcat(name, i % 5 == 4 ? "9" : "_");
    strcat(name, ":device_0:power");
    int code;
    assert_int_equal(PAPI_event_name_to_code(name, &code), PAPI_OK);
    assert_int_equal(PAPI_get_event_info(code, &info), PAPI_OK);
}

static void many_devices(void **state)
{
    struct nvml_double *nvml = begin_with_double(state, LIBRARY, "nvml_double");
    nvml->count = 200;
    reads(set_of("nvml:::A100:device_199:power", "nvml:::A100:device_64:temperature", NULL), 60000LL, 50LL,
          END);
    PAPI_shutdown();
    nvml->count = -1;
    begin_here();
    reads(set_of("nvml:::A100:device_1023:power", NULL), 60000LL, END);
    no_event("nvml:::A100:device_1024:power", "papi_native_avail");
}

/* ---- more numbers */

static void traffic(void **state)
{
    struct nvml_double *nvml = begin_with_double(state, LIBRARY, "nvml_double");
    nvml->device[0].pcie = 7000;
    int es = set_of(V100 "pcie_tx_throughput", V100 "pcie_rx_throughput", V100 "nvlink_tx_bytes",
                    V100 "memory_temperature", NULL);
    nvml->device[0].temperature_of_memory = 61;
    nvml->device[0].sent = 1000;
    assert_int_equal(PAPI_start(es), PAPI_OK);
    nvml->device[0].sent += 3;
    reads(es, 7000LL, 7001LL, 3072LL, 61LL, END);
    nvml->device[0].type_of_field = 1;
    nvml->device[0].sent += 2;
    reads(es, 7000LL, 7001LL, 5120LL, 61LL, END);
    assert_int_equal(PAPI_stop(es, NULL), PAPI_OK);
    no_event(A100 "nvlink_tx_bytes", "papi_native_avail"); /* comes as a double, which no field is */
    no_event(V100 "nvlink_rx_bytes", "papi_native_avail");
    no_event(A100 "memory_temperature", "papi_native_avail");
}

static void throttling(void **state)
{
    struct nvml_double *nvml = begin_with_double(state, LIBRARY, "nvml_double");
    int es = set_of(V100 "throttle_reasons", V100 "throttle_idle", V100 "throttle_power_limit",
                    V100 "throttle_display_clocks", V100 "throttled_by_power", V100 "sm_clock_max",
                    V100 "temperature_shutdown", V100 "temperature_slowdown", NULL);
    nvml->device[0].throttled = 5000;
    assert_int_equal(PAPI_start(es), PAPI_OK);
    reads(es, 0LL, 0LL, 0LL, 0LL, 0LL, 2001LL, 97LL, 96LL, END);
    nvml->device[0].reasons = 4 + 256;
    nvml->device[0].throttled += 1500;
    reads(es, 260LL, 0LL, 1LL, 1LL, 1500LL, 2001LL, 97LL, 96LL, END);
    assert_int_equal(PAPI_stop(es, NULL), PAPI_OK);
    no_event(V100 "throttled_by_board", "papi_native_avail");
    no_event(V100 "temperature_max", "papi_native_avail");
}

/* A divided device: each part that is there has its memory, and nothing that belongs to the whole one. */
static void divided(void **state)
{
    struct nvml_double *nvml = begin_with_double(state, LIBRARY, "nvml_double");
    nvml->parts = 3;
    reads(set_of(V100 "mig_0:allocated_memory", V100 "mig_2:total_memory", V100 "total_memory", NULL), 100LL,
          1000LL, 17179869184LL, END);
    no_event(V100 "mig_1:total_memory", "papi_native_avail");
    no_event(V100 "mig_0:power", "papi_native_avail");
}

/* A device that is lost before the library looks: the others count, and the component says which. */
static void device_is_lost(void **state)
{
    struct nvml_double *nvml = begin_with_double(state, LIBRARY, "nvml_double");
    nvml->device[0].result = 15;
    assert_int_equal(info_of_component("nvml")->disabled, PAPI_OK);
    assert_int_equal(info_of_component("nvml")->partially_disabled, PAPI_ENOEVNT);
    assert_non_null(strstr(info_of_component("nvml")->partially_disabled_reason, "device 0"));
    reads(set_of(A100 "power", NULL), 60000LL, END);
    no_event(V100 "power", "papi_native_avail");
}

static void no_device(void **state)
{
    struct nvml_double *nvml = begin_with_double(state, LIBRARY, "nvml_double");
    nvml->count = 0;
    assert_int_equal(info_of_component("nvml")->disabled, PAPI_ENOSUPP);
    assert_non_null(strstr(info_of_component("nvml")->disabled_reason, "no device"));
    no_event(V100 "power", "no device");
    assert_int_equal(nvml->started, 0);
}

static void no_driver(void **state)
{
    struct nvml_double *nvml = begin_with_double(state, LIBRARY, "nvml_double");
    nvml->init_result = 9;
    assert_int_equal(info_of_component("nvml")->disabled, PAPI_ENOSUPP);
    assert_non_null(strstr(info_of_component("nvml")->disabled_reason, "Driver Not Loaded"));
    assert_int_equal(info_of_component("nvml")->num_native_events, 0);
}

static void does_not_attach(void **state)
{
    PAPI_option_t option = {.cpu = {.cpu_num = 0}};
    begin_with_double(state, LIBRARY, "nvml_double");
    int es = set_of(V100 "power", NULL);
    option.cpu.eventset = es;
    refused(PAPI_set_opt(PAPI_CPU_ATTACH, &option), PAPI_ECMP, "whole machine's");
    assert_int_equal(PAPI_overflow(es, PAPI_NULL, 1, 0, NULL), PAPI_EINVAL);
}

/* ---- with other libraries, or none */

static void with_old_driver(void **state)
{
    begin_with_double(state, LIBRARY, "nvml_double");
    int es = set_of(V100 "power_management_limit", NULL);
    long long value = 200000;
    no_event(V100 "total_energy_consumption", "papi_native_avail");
    refused(PAPI_write(es, &value), PAPI_ECMP, "no function");
}

static void without_driver(void **state)
{
    (void)state;
    begin_here();
    void *library = dlopen(LIBRARY, RTLD_LAZY);
    if (library != NULL) {
        dlclose(library);
        SKIP("this machine has " LIBRARY);
    }
    assert_int_equal(info_of_component("nvml")->disabled, PAPI_ENOSUPP);
    assert_non_null(strstr(info_of_component("nvml")->disabled_reason, "there is no " LIBRARY));
    assert_int_equal(info_of_component("nvml")->num_native_events, 0);
    no_event(V100 "power", "install the driver");
}

/* A file that PAPI_NVML_MAIN names is the only one tried: where it is not a library, that is said. */
static void file_of_variable(void **state)
{
    begin_with_double(state, LIBRARY, "nvml_double");
    PAPI_shutdown();
    setenv("PAPI_NVML_MAIN", "/proc/self/status", 1);
    begin_here();
    assert_int_equal(info_of_component("nvml")->disabled, PAPI_ENOSUPP);
    assert_non_null(strstr(info_of_component("nvml")->disabled_reason, "/proc/self/status does not load: "));
    PAPI_shutdown();
    setenv("PAPI_NVML_MAIN", "/nowhere/libnvidia-ml.so", 1);
    begin_here();
    assert_non_null(strstr(info_of_component("nvml")->disabled_reason,
                           "there is no library /nowhere/libnvidia-ml.so, which PAPI_NVML_MAIN names"));
    unsetenv("PAPI_NVML_MAIN");
}

static void of_another_machine(void **state)
{
    (void)state;
    begin_in_folder();
    assert_int_equal(info_of_component("nvml")->disabled, PAPI_ENOSUPP);
    assert_non_null(strstr(info_of_component("nvml")->disabled_reason, "PAPI_SYSROOT"));
    assert_false(library_is_loaded(LIBRARY));
}

#define TEST(test) cmocka_unit_test_teardown(test, library_end)

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        TEST(loaded_when_asked),
        TEST(numbers),
        TEST(energy_is_counted),
        TEST(limit_is_set),
        TEST(limit_is_set_back),
        TEST(counter_shrinks),
        TEST(absurd_numbers),
        TEST(names_without_end),
        TEST(many_devices),
        TEST(traffic),
        TEST(throttling),
        TEST(divided),
        TEST(device_vanishes),
        TEST(device_is_lost),
        TEST(no_device),
        TEST(no_driver),
        TEST(does_not_attach),
        TEST(file_of_variable),
        IN_FOLDER(of_another_machine),
    };
    const struct CMUnitTest of_old[] = {TEST(with_old_driver)}, of_none[] = {TEST(without_driver)};
    if (argc > 1 && strcmp(argv[1], "old") == 0)
        return TEST_RUN(of_old);
    if (argc > 1 && strcmp(argv[1], "none") == 0)
        return TEST_RUN(of_none);
    return TEST_RUN(tests);
}
