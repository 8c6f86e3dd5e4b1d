/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The component lmsensors with a library that stands for libsensors (sensors_double.c), and with the one that
 * this machine has, or none: the loader's path or PAPI_LMSENSORS_ROOT has it, and the argument says which.
 */
#include "folder.h"
#include "sensors_double.h"

#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#define LIBRARY "libsensors.so.5"
#define CORE "lmsensors:::coretemp-isa-0000.Core_0."
#define PSU "lmsensors:::psu__main-isa-0290."

static void loaded_when_asked(void **state)
{
    (void)state;
    setenv("PAPI_LMSENSORS_ROOT", SENSORS_ROOT, 1); /* asks for it also where the kernel shows no sensors */
    begin_here();
    assert_false(library_is_loaded(LIBRARY));
    assert_int_equal(info_of_component("lmsensors")->disabled, PAPI_OK);
    assert_int_equal(info_of_component("lmsensors")->num_native_events, 7);
    assert_true(library_is_loaded(LIBRARY));
    PAPI_shutdown();
    assert_false(library_is_loaded(LIBRARY));
    unsetenv("PAPI_LMSENSORS_ROOT");
}

/* Thousandths, rounded to the nearest: 45.123 times 1000 is a little less than 45123. */
static void numbers(void **state)
{
    struct sensors_double *sensors = begin_with_double(state, LIBRARY, "sensors_double");
    int es = set_of(CORE "temp2_input", CORE "temp2_max", CORE "temp2_alarm", CORE "temp2_offset",
                    PSU "+12__V.in1_input", PSU "power1.power1_average", PSU "power1.power1_average_interval",
                    NULL);
    assert_int_equal(PAPI_start(es), PAPI_OK);
    reads(es, 45123LL, 80000LL, 1000LL, -2500LL, -12000LL, 95500LL, 300LL, END);
    sensors->temperature = 46;
    assert_int_equal(PAPI_reset(es), PAPI_OK);
    reads(es, 46000LL, 80000LL, 1000LL, -2500LL, -12000LL, 95500LL, 300LL, END);
    assert_int_equal(PAPI_stop(es, NULL), PAPI_OK);
    sensors->temperature = 47;
    reads(es, 46000LL, 80000LL, 1000LL, -2500LL, -12000LL, 95500LL, 300LL, END);
    no_event(CORE "temp2_secret", "papi_native_avail");
}

static void has_unit(const char *name, const char *unit)
{
    PAPI_event_info_t info;
    int code;
    assert_int_equal(PAPI_event_name_to_code(name, &code), PAPI_OK);
    assert_int_equal(PAPI_get_event_info(code, &info), PAPI_OK);
    assert_string_equal(info.units, unit);
    assert_int_equal(info.value_type, PAPI_VALUETYPE_ABSOLUTE);
}

static void units(void **state)
{
    begin_with_double(state, LIBRARY, "sensors_double");
    has_unit(CORE "temp2_input", "1/1000 degree C");
    has_unit(CORE "temp2_offset", "1/1000 degree C");
    has_unit(CORE "temp2_alarm", "1/1000");
    has_unit(PSU "+12__V.in1_input", "mV");
    has_unit(PSU "power1.power1_average", "mW");
    has_unit(PSU "power1.power1_average_interval", "ms");
}

static void limit_is_set(void **state)
{
    struct sensors_double *sensors = begin_with_double(state, LIBRARY, "sensors_double");
    int es = set_of(CORE "temp2_max", NULL);
    long long value = 72500;
    assert_int_equal(PAPI_start(es), PAPI_OK);
    assert_int_equal(PAPI_write(es, &value), PAPI_OK);
    assert_true(sensors->limit == 72.5);
    reads(es, 72500LL, END);
    value = 1000000;
    refused(PAPI_write(es, &value), PAPI_EPERM, "root may set it");
    value = 2000000;
    refused(PAPI_write(es, &value), PAPI_EINVAL, "cannot be set to 2000000");
    reads(es, 72500LL, END);
    assert_int_equal(PAPI_stop(es, NULL), PAPI_OK);
    es = set_of(CORE "temp2_input", NULL);
    refused(PAPI_write(es, &value), PAPI_ECMP, "cannot be set");
}

static void sensor_fails(void **state)
{
    struct sensors_double *sensors = begin_with_double(state, LIBRARY, "sensors_double");
    long long value;
    int es = set_of(CORE "temp2_input", NULL);
    assert_int_equal(PAPI_start(es), PAPI_OK);
    sensors->result = -10;
    refused(PAPI_read(es, &value), PAPI_ESYS, "I/O error");
    sensors->result = -4;
    refused(PAPI_read(es, &value), PAPI_ENOEVNT, CORE + 12);
    sensors->result = -3;
    refused(PAPI_read(es, &value), PAPI_EPERM, "Some Error");
    sensors->result = 0;
    sensors->temperature = NAN;
    refused(PAPI_read(es, &value), PAPI_EMISC, "no number");
    sensors->temperature = 1e300;
    refused(PAPI_read(es, &value), PAPI_EMISC, "no number");
    sensors->temperature = 50;
    reads(es, 50000LL, END);
    assert_int_equal(PAPI_stop(es, NULL), PAPI_OK);
}

static void no_chip(void **state)
{
    struct sensors_double *sensors = begin_with_double(state, LIBRARY, "sensors_double");
    sensors->chips = 0;
    assert_int_equal(info_of_component("lmsensors")->disabled, PAPI_ENOSUPP);
    assert_non_null(strstr(info_of_component("lmsensors")->disabled_reason, "sensors-detect"));
    no_event(CORE "temp2_input", "no sensors here");
    assert_int_equal(sensors->started, 0);
}

/* The library's own message is not printed: the reason names the command that prints it. */
static void bad_configuration(void **state)
{
    struct sensors_double *sensors = begin_with_double(state, LIBRARY, "sensors_double");
    int out[2], saved = dup(2);
    char text[64];
    sensors->init_result = -8;
    assert_int_equal(pipe(out), 0);
    assert_int_equal(dup2(out[1], 2), 2);
    const PAPI_component_info_t *info = info_of_component("lmsensors");
    dup2(saved, 2);
    close(out[1]);
    assert_int_equal(read(out[0], text, sizeof text), 0);
    close(out[0]);
    close(saved);
    assert_int_equal(info->disabled, PAPI_ENOSUPP);
    assert_non_null(strstr(info->disabled_reason, "the command sensors"));
}

static void no_kernel_interface(void **state)
{
    struct sensors_double *sensors = begin_with_double(state, LIBRARY, "sensors_double");
    sensors->init_result = -4;
    assert_int_equal(info_of_component("lmsensors")->disabled, PAPI_ENOSUPP);
    assert_non_null(strstr(info_of_component("lmsensors")->disabled_reason, "/sys/class/hwmon"));
}

/* The program's own use of the library goes on. */
static void used_by_the_program(void **state)
{
    struct sensors_double *sensors = begin_with_double(state, LIBRARY, "sensors_double");
    sensors->started = 1;
    reads(set_of(CORE "temp2_alarm", NULL), 1000LL, END);
    PAPI_shutdown();
    assert_int_equal(sensors->started, 1);
}

static void ten_thousand(void **state)
{
    enum { MANY = 10000 };
    struct sensors_double *sensors = begin_with_double(state, LIBRARY, "sensors_double");
    sensors->many = MANY;
    assert_int_equal(info_of_component("lmsensors")->num_native_events, MANY + 4);
}

/* Names that do not fit are left out: one that is cut would be another's. */
static void names_too_long(void **state)
{
    struct sensors_double *sensors = begin_with_double(state, LIBRARY, "sensors_double");
    sensors->many = -1;
    assert_int_equal(info_of_component("lmsensors")->num_native_events, 0);
}

/* By PAPI_LMSENSORS_ROOT, not by the loader's path. */
static void loaded_by_root(void **state)
{
    (void)state;
    begin_here();
    reads(set_of(CORE "temp2_max", NULL), 80000LL, END);
}

/* ---- with the machine's library, or none */

static void with_real_library(void **state)
{
    (void)state;
    begin_here();
    const PAPI_component_info_t *info = info_of_component("lmsensors");
    if (strstr(info->disabled_reason, "shows no sensors in /sys/class/hwmon") != NULL) {
        assert_int_equal(info->disabled, PAPI_ENOSUPP);
        assert_int_not_equal(system("ls /sys/class/hwmon 2>&1 | grep -q hwmon[0-9]"), 0);
        assert_false(library_is_loaded(LIBRARY));
        PAPI_shutdown(); /* a program that uses the library itself is asked, too */
    }
    void *library = dlopen(LIBRARY, RTLD_LAZY);
    begin_here();
    info = info_of_component("lmsensors");
    if (library == NULL) {
        assert_int_equal(info->disabled, PAPI_ENOSUPP);
        assert_true(strstr(info->disabled_reason, "apt-get install libsensors5") != NULL ||
                    strstr(info->disabled_reason, "shows no sensors") != NULL);
        return;
    }
    if (info->disabled != PAPI_OK) {
        assert_int_equal(info->disabled, PAPI_ENOSUPP);
        assert_non_null(strstr(info->disabled_reason, "finds no sensors"));
    } else {
        assert_true(info->num_native_events > 0);
    }
    PAPI_shutdown();
    dlclose(library);
}

static void of_another_machine(void **state)
{
    (void)state;
    begin_in_folder();
    assert_int_equal(info_of_component("lmsensors")->disabled, PAPI_ENOSUPP);
    assert_non_null(strstr(info_of_component("lmsensors")->disabled_reason, "PAPI_SYSROOT"));
    assert_false(library_is_loaded(LIBRARY));
}

#define TEST(test) cmocka_unit_test_teardown(test, library_end)

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        TEST(loaded_when_asked),
        TEST(numbers),
        TEST(units),
        TEST(limit_is_set),
        TEST(sensor_fails),
        TEST(no_chip),
        TEST(bad_configuration),
        TEST(no_kernel_interface),
        TEST(used_by_the_program),
        TEST(ten_thousand),
        TEST(names_too_long),
        IN_FOLDER(of_another_machine),
    };
    const struct CMUnitTest of_root[] = {TEST(loaded_by_root)}, of_real[] = {TEST(with_real_library)};
    if (argc > 1 && strcmp(argv[1], "root") == 0)
        return TEST_RUN(of_root);
    if (argc > 1 && strcmp(argv[1], "real") == 0)
        return TEST_RUN(of_real);
    return TEST_RUN(tests);
}
