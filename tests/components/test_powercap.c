/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Energy and limits of power, on the folders of a machine with two sockets and psys in between, of AMD's, and
 * without any.
 */
#include "../made_clock.h"
#include "folder.h"

#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define ZONES "sys/class/powercap/"

static void zone(const char *name, const char *file, const char *text)
{
    char path[128];
    snprintf(path, sizeof path, ZONES "%s/%s", name, file);
    shows(path, text);
}

static void two_sockets(void)
{
    static const char *const names[][2] = {{"intel-rapl:0", "package-0"}, {"intel-rapl:1", "psys"},
                                           {"intel-rapl:2", "package-1"}, {"intel-rapl:0:0", "core"},
                                           {"intel-rapl:0:1", "dram"},    {"intel-rapl-mmio:0", "package-0"}};
    for (size_t i = 0; i < COUNT(names); i++) {
        char text[64];
        snprintf(text, sizeof text, "%s\n", names[i][1]);
        zone(names[i][0], "name", text);
        zone(names[i][0], "enabled", "1\n");
        snprintf(text, sizeof text, "%zu000\n", i + 1);
        zone(names[i][0], "energy_uj", text);
        zone(names[i][0], "max_energy_range_uj", "262143328850\n");
    }
    zone("intel-rapl:2", "constraint_0_power_limit_uw", "165000000\n");
    zone("intel-rapl:2", "constraint_1_time_window_us", "9765\n");
    begin_in_folder();
}

static void zones_by_name(void **state)
{
    (void)state;
    two_sockets();
    int code,
        es = set_of("powercap:::ENERGY_UJ:ZONE0", "powercap:::ENERGY_UJ:ZONE1", "powercap:::ENERGY_UJ:PSYS",
                    "powercap:::ENERGY_UJ:ZONE0_SUBZONE1", "powercap:::MAX_ENERGY_RANGE_UJ:ZONE1", NULL);
    assert_int_equal(PAPI_start(es), PAPI_OK);
    zone("intel-rapl:0", "energy_uj", "1100\n");
    zone("intel-rapl:2", "energy_uj", "3200\n");
    zone("intel-rapl:1", "energy_uj", "2300\n");
    zone("intel-rapl:0:1", "energy_uj", "5400\n");
    reads(es, 100LL, 200LL, 300LL, 400LL, 262143328850LL, END);
    assert_int_equal(PAPI_stop(es, NULL), PAPI_OK);
    assert_int_equal(PAPI_event_name_to_code("powercap:::ENERGY_UJ:ZONE2", &code), PAPI_ENOEVNT);
    assert_int_equal(PAPI_event_name_to_code("powercap:::MAX_POWER_B_UW:ZONE0", &code), PAPI_ENOEVNT);
    PAPI_event_info_t info;
    assert_int_equal(PAPI_event_name_to_code("powercap:::ENERGY_UJ:ZONE0_SUBZONE0", &code), PAPI_OK);
    assert_int_equal(PAPI_get_event_info(code, &info), PAPI_OK);
    assert_string_equal(info.long_descr, "Energy used by package-0's core");
    assert_string_equal(info.units, "uJ");
    assert_int_equal(info.value_type, PAPI_VALUETYPE_RUNNING_SUM);
    assert_int_equal(PAPI_event_name_to_code("powercap:::MAX_ENERGY_RANGE_UJ:ZONE0", &code), PAPI_OK);
    assert_int_equal(PAPI_get_event_info(code, &info), PAPI_OK);
    assert_int_equal(info.value_type, PAPI_VALUETYPE_ABSOLUTE);
    refused(PAPI_add_named_event(es, "powercap:::NAME:ZONE0"), PAPI_EMISC, "does not hold a number");
}

/* Counters of energy that begin at 0 again after their greatest number, twice between a start and a stop. */
static void energy_wraps(void **state)
{
    (void)state;
    two_sockets();
    zone("intel-rapl:0", "energy_uj", "262143328800\n");
    int es = set_of("powercap:::ENERGY_UJ:ZONE0", NULL);
    assert_int_equal(PAPI_start(es), PAPI_OK);
    zone("intel-rapl:0", "energy_uj", "70\n");
    reads(es, 120LL, END);
    zone("intel-rapl:0", "energy_uj", "262143328850\n");
    reads(es, 262143328900LL, END);
    zone("intel-rapl:0", "energy_uj", "5\n");
    reads(es, 262143328905LL, END);
    assert_int_equal(PAPI_reset(es), PAPI_OK);
    zone("intel-rapl:0", "energy_uj", "1\n");
    reads(es, 262143328846LL, END);
    assert_int_equal(PAPI_stop(es, NULL), PAPI_OK);
}

static void names_of_rapl(void **state)
{
    (void)state;
    two_sockets();
    int es = set_of("rapl:::PACKAGE_ENERGY:PACKAGE0", "rapl:::PACKAGE_ENERGY:PACKAGE1",
                    "rapl:::PP0_ENERGY:PACKAGE0", "rapl:::DRAM_ENERGY:PACKAGE0",
                    "rapl:::PSYS_ENERGY:PACKAGE0", NULL);
    assert_int_equal(PAPI_start(es), PAPI_OK);
    zone("intel-rapl:0", "energy_uj", "1001\n");
    zone("intel-rapl:2", "energy_uj", "3002\n");
    zone("intel-rapl:0:0", "energy_uj", "4003\n");
    zone("intel-rapl:0:1", "energy_uj", "5004\n");
    zone("intel-rapl:1", "energy_uj", "4\n"); /* wrapped */
    reads(es, 1000LL, 2000LL, 3000LL, 4000LL, 262143326854000LL, END);
    assert_int_equal(PAPI_stop(es, NULL), PAPI_OK);
}

static double real(long long value)
{
    double number;
    memcpy(&number, &value, sizeof number);
    return number;
}

/* Limits in watts and seconds, which are real numbers. The driver of Intel's processors states no least
 * power. */
static void limits_of_rapl(void **state)
{
    PAPI_event_info_t info;
    long long value[3], sum[3] = {0};
    int code;
    (void)state;
    zone("intel-rapl:2", "constraint_0_max_power_uw", "165500000\n");
    zone("intel-rapl:2", "constraint_1_max_power_uw", "413000000\n");
    zone("intel-rapl:2", "constraint_0_max_time_window_us", "976562\n");
    two_sockets();
    int es = set_of("rapl:::THERMAL_SPEC:PACKAGE1", "rapl:::MAXIMUM_POWER:PACKAGE1",
                    "rapl:::MAXIMUM_TIME_WINDOW:PACKAGE1", NULL);
    assert_int_equal(PAPI_start(es), PAPI_OK);
    assert_int_equal(PAPI_reset(es), PAPI_OK);
    assert_int_equal(PAPI_read(es, value), PAPI_OK);
    assert_true(real(value[0]) == 165.5 && real(value[1]) == 413 && real(value[2]) == 0.976562);
    assert_int_equal(PAPI_accum(es, sum), PAPI_OK);
    assert_int_equal(PAPI_accum(es, sum), PAPI_OK);
    assert_true(real(sum[0]) == 331);
    zone("intel-rapl:2", "constraint_0_max_power_uw", "0\n");
    assert_int_equal(PAPI_stop(es, value), PAPI_OK);
    assert_true(real(value[0]) == 0 && real(value[1]) == 413);
    refused(PAPI_write(es, sum), PAPI_ECMP, "cannot be set");
    assert_int_equal(PAPI_event_name_to_code("rapl:::THERMAL_SPEC:PACKAGE1", &code), PAPI_OK);
    assert_int_equal(PAPI_get_event_info(code, &info), PAPI_OK);
    assert_int_equal(info.data_type, PAPI_DATATYPE_FP64);
    assert_int_equal(info.value_type, PAPI_VALUETYPE_ABSOLUTE);
    assert_string_equal(info.units, "W");
    assert_int_equal(PAPI_event_name_to_code("rapl:::THERMAL_SPEC:PACKAGE0", &code), PAPI_ENOEVNT);
    assert_int_equal(PAPI_event_name_to_code("rapl:::MINIMUM_POWER:PACKAGE1", &code), PAPI_ENOEVNT);
}

/* start, reset and accum leave a level alone; a stopped set shows what it was. */
static void levels(void **state)
{
    (void)state;
    long long sum[2] = {1, 1};
    two_sockets();
    int es = set_of("powercap:::POWER_LIMIT_A_UW:ZONE1", "powercap:::ENERGY_UJ:ZONE1", NULL);
    reads(es, 165000000LL, 0LL, END);
    assert_int_equal(PAPI_start(es), PAPI_OK);
    zone("intel-rapl:2", "constraint_0_power_limit_uw", "150000000\n");
    zone("intel-rapl:2", "energy_uj", "3500\n");
    reads(es, 150000000LL, 500LL, END);
    assert_int_equal(PAPI_reset(es), PAPI_OK);
    reads(es, 150000000LL, 0LL, END);
    zone("intel-rapl:2", "energy_uj", "3600\n");
    assert_int_equal(PAPI_accum(es, sum), PAPI_OK);
    assert_int_equal(sum[0], 150000001);
    assert_int_equal(sum[1], 101);
    reads(es, 150000000LL, 0LL, END);
    assert_int_equal(PAPI_stop(es, sum), PAPI_OK);
    assert_int_equal(sum[0], 150000000);
    zone("intel-rapl:2", "constraint_0_power_limit_uw", "1\n");
    reads(es, 150000000LL, 0LL, END);
    assert_int_equal(PAPI_reset(es), PAPI_OK);
    reads(es, 150000000LL, 0LL, END);
}

static void limits_are_written(void **state)
{
    (void)state;
    long long value[2] = {120000000, 0};
    char text[32];
    two_sockets();
    int es = set_of("powercap:::POWER_LIMIT_A_UW:ZONE1", "powercap:::ENERGY_UJ:ZONE1", NULL);
    assert_int_equal(PAPI_start(es), PAPI_OK);
    assert_int_equal(PAPI_write(es, value), PAPI_OK);
    reads(es, 120000000LL, 0LL, END);
    char path[256];
    snprintf(path, sizeof path, "%s/" ZONES "intel-rapl:2/constraint_0_power_limit_uw", folder);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_non_null(fgets(text, sizeof text, file));
    fclose(file);
    assert_string_equal(text, "120000000\n");
    /* A counter is set as any other. */
    value[1] = 7;
    assert_int_equal(PAPI_write(es, value), PAPI_OK);
    reads(es, 120000000LL, 7LL, END);
    assert_int_equal(PAPI_stop(es, NULL), PAPI_OK);
    es = set_of("powercap:::MAX_ENERGY_RANGE_UJ:ZONE0", NULL);
    refused(PAPI_write(es, value), PAPI_ECMP, "cannot be set");
}

/* Stops the whole process, so that nobody can read in between. */
static void suspended(unsigned msec)
{
    pid_t self = getpid(), child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        usleep(msec * 1000);
        kill(self, SIGCONT);
        _exit(0);
    }
    raise(SIGSTOP);
    assert_int_equal(waitpid(child, NULL, 0), child);
}

/* A counter that can begin at 0 again within two seconds, and is not read for longer: the counts are given,
 * and the code says that they may be too little. */
static void read_too_seldom(void **state)
{
    long long value;
    (void)state;
    two_sockets();
    zone("intel-rapl:2", "max_energy_range_uj", "100000000\n");
    zone("intel-rapl:2", "constraint_0_power_limit_uw", "50000000\n");
    int es = set_of("powercap:::ENERGY_UJ:ZONE1", NULL);
    assert_int_equal(PAPI_start(es), PAPI_OK);
    suspended(2500);
    zone("intel-rapl:2", "energy_uj", "3700\n");
    refused(PAPI_read(es, &value), PAPI_ECLOST, "read it more often");
    assert_int_equal(value, 700);
    reads(es, 700LL, END);
    suspended(2500);
    long long before = PAPI_get_real_cyc(), ticks = 0;
    refused(PAPI_read_ts(es, &value, &ticks), PAPI_ECLOST, "read it more often");
    assert_true(ticks >= before && ticks <= PAPI_get_real_cyc()); /* a count has its time */
    assert_int_equal(value, 700);
    suspended(2500);
    refused(PAPI_accum(es, &value), PAPI_ECLOST, "read it more often");
    assert_int_equal(value, 1400);
    suspended(2500);
    assert_int_equal(PAPI_reset(es), PAPI_OK); /* what was missed before does not matter */
    zone("intel-rapl:2", "energy_uj", "3750\n");
    reads(es, 50LL, END);
    suspended(2500);
    refused(PAPI_stop(es, &value), PAPI_ECLOST, "ENERGY_UJ:ZONE1 was not read for");
    assert_int_equal(value, 50);
    assert_int_equal(PAPI_start(es), PAPI_OK);
    assert_int_equal(PAPI_stop(es, &value), PAPI_OK);
    assert_int_equal(value, 0);
}

/* A machine that was suspended, which may begin its counters anew: a part of the energy, or a whole range too
 * much, would be shown. */
static void suspended_machine(void **state)
{
    long long value = -1;
    (void)state;
    two_sockets();
    int es = set_of("powercap:::ENERGY_UJ:ZONE0", "powercap:::POWER_LIMIT_A_UW:ZONE1", NULL);
    int levels = set_of("powercap:::POWER_LIMIT_A_UW:ZONE1", NULL);
    made_clock_suspended = 1000000000; /* before the start */
    assert_int_equal(PAPI_start(es), PAPI_OK);
    long long values[2] = {-1, -1};
    assert_int_equal(PAPI_read(es, values), PAPI_OK);
    assert_int_equal(PAPI_start(levels), PAPI_OK);
    made_clock_suspended += 5000000;
    zone("intel-rapl:0", "energy_uj", "7\n");
    refused(PAPI_read(es, values), PAPI_ECLOST, "the machine was suspended");
    refused(PAPI_read(es, values), PAPI_ECLOST, "the machine was suspended");
    refused(PAPI_stop(es, values), PAPI_ECLOST, "the machine was suspended");
    assert_int_equal(PAPI_start(es), PAPI_OK);
    zone("intel-rapl:0", "energy_uj", "27\n");
    assert_int_equal(PAPI_stop(es, values), PAPI_OK);
    assert_int_equal(values[0], 20);
    assert_int_equal(PAPI_stop(levels, &value), PAPI_OK);
    assert_int_equal(value, 165000000);
    made_clock_suspended = 0;
}

/* Energies that begin at 0 again twice between two readings of the program, and no limit of the power is
 * shown: 1500 J are 500 W for three seconds. */
static void read_in_between(void **state)
{
    static const char *const shown[] = {"1499000000\n", "5000000\n", "1400000000\n", "7000000\n"};
    long long value[2] = {-1, -1};
    (void)state;
    two_sockets();
    zone("intel-rapl:0", "max_energy_range_uj", "1500000000\n");
    zone("intel-rapl:0", "energy_uj", "1400000000\n");
    int es = set_of("powercap:::ENERGY_UJ:ZONE0", "powercap:::ENERGY_UJ:ZONE1", NULL);
    assert_int_equal(PAPI_start(es), PAPI_OK);
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        zone("intel-rapl:0", "energy_uj", shown[i]);
        usleep(3500000);
    }
    assert_int_equal(PAPI_read(es, value), PAPI_OK);
    /* 99 to 1499, 6 to 5, 1395 to 1400, 107 to 7: all together 1607 J. */
    assert_int_equal(value[0], 1607000000);
    assert_int_equal(value[1], 0);
    /* The set's thread does not run in a child, and ends with the set. */
    pid_t child = fork();
    if (child == 0) {
        PAPI_shutdown();
        _exit(0);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(PAPI_stop(es, value), PAPI_OK);
    assert_int_equal(value[0], 1607000000);
}

static void of_amd(void **state)
{
    (void)state;
    zone("intel-rapl:0", "name", "package-0\n");
    zone("intel-rapl:0", "energy_uj", "10\n");
    zone("intel-rapl:0", "max_energy_range_uj", "65532610987\n");
    begin_in_folder();
    int code, es = set_of("powercap:::ENERGY_UJ:ZONE0", NULL);
    assert_int_equal(PAPI_start(es), PAPI_OK);
    zone("intel-rapl:0", "energy_uj", "30\n");
    reads(es, 20LL, END);
    assert_int_equal(PAPI_event_name_to_code("powercap:::POWER_LIMIT_A_UW:ZONE0", &code), PAPI_ENOEVNT);
    zone("intel-rapl:0", "energy_uj", "nonsense\n");
    long long value;
    refused(PAPI_read(es, &value), PAPI_EMISC, "does not hold a number");
    zone("intel-rapl:0", "energy_uj", "40\n");
    reads(es, 30LL, END);
    assert_int_equal(PAPI_stop(es, NULL), PAPI_OK);
}

/* As a user that may not read what root alone may. */
static void says_who_may_read(void **state)
{
    enum { NOBODY = 65534 };
    char path[256];
    (void)state;
    zone("intel-rapl:0", "name", "package-0\n");
    zone("intel-rapl:0", "energy_uj", "10\n");
    snprintf(path, sizeof path, "%s/" ZONES "intel-rapl:0/energy_uj", folder);
    assert_int_equal(chmod(path, 0), 0);
    assert_int_equal(chmod(folder, 0755), 0);
    if (geteuid() == 0)
        assert_int_equal(setresuid(NOBODY, NOBODY, 0), 0);
    begin_in_folder();
    const PAPI_component_info_t *info = PAPI_get_component_info(PAPI_get_component_index("powercap"));
    assert_int_equal(info->partially_disabled, PAPI_EPERM);
    assert_non_null(strstr(info->partially_disabled_reason, "root alone"));
    int es = PAPI_NULL;
    assert_int_equal(PAPI_create_eventset(&es), PAPI_OK);
    refused(PAPI_add_named_event(es, "powercap:::ENERGY_UJ:ZONE0"), PAPI_EPERM, "Permission denied");
}

static int again_as_root(void **state)
{
    if (setresuid(0, 0, 0) != 0 && geteuid() == 0)
        return -1;
    return folder_remove(state);
}

static void without_any(void **state)
{
    (void)state;
    begin_in_folder();
    const PAPI_component_info_t *info = PAPI_get_component_info(PAPI_get_component_index("powercap"));
    assert_int_equal(info->disabled, PAPI_ENOSUPP);
    assert_non_null(strstr(info->disabled_reason, "there is no /sys/class/powercap"));
    int es = PAPI_NULL;
    assert_int_equal(PAPI_create_eventset(&es), PAPI_OK);
    refused(PAPI_add_named_event(es, "powercap:::ENERGY_UJ:ZONE0"), PAPI_ENOEVNT, "powercap");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(zones_by_name),
        IN_FOLDER(energy_wraps),
        IN_FOLDER(names_of_rapl),
        IN_FOLDER(limits_of_rapl),
        IN_FOLDER(levels),
        IN_FOLDER(limits_are_written),
        IN_FOLDER(of_amd),
        IN_FOLDER(read_too_seldom),
        IN_FOLDER(read_in_between),
        IN_FOLDER(suspended_machine),
        cmocka_unit_test_setup_teardown(says_who_may_read, folder_create, again_as_root),
        IN_FOLDER(without_any),
    };
    return TEST_RUN(tests);
}
