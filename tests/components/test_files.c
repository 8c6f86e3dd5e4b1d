/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The components that read numbers in files of the kernel, on folders as real machines have them; and on this
 * machine's own files where there are some.
 */
#include "folder.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* A change of a file between a start and a read, and what that makes of an event. */
struct change {
    const char *event, *file, *before, *after;
    long long wanted;
    const char *unit;
};

/* Files that a component looks for as it lists its events. */
struct also {
    const char *file, *text;
};

static void check_change(const struct change *change, int es)
{
    PAPI_event_info_t info;
    int code;
    assert_int_equal(PAPI_event_name_to_code(change->event, &code), PAPI_OK);
    assert_int_equal(PAPI_get_event_info(code, &info), PAPI_OK);
    assert_string_equal(info.units, change->unit);
    assert_int_equal(PAPI_start(es), PAPI_OK);
    shows(change->file, change->after);
    reads(es, change->wanted, END);
    assert_int_equal(PAPI_stop(es, NULL), PAPI_OK);
    assert_int_equal(PAPI_cleanup_eventset(es), PAPI_OK);
    assert_int_equal(PAPI_destroy_eventset(&es), PAPI_OK);
}

static void check_changes(const struct change *change, size_t n, const struct also *also, size_t n_also)
{
    for (size_t i = 0; i < n_also; i++)
        shows(also[i].file, also[i].text);
    for (size_t i = 0; i < n; i++)
        shows(change[i].file, change[i].before);
    begin_in_folder();
    for (size_t i = 0; i < n; i++) {
        shows(change[i].file, change[i].before);
        check_change(&change[i], set_of(change[i].event, NULL));
    }
}

#define CHANGES(changes, also) check_changes(changes, COUNT(changes), also, COUNT(also))

static void not_there(const char *event)
{
    int code;
    refused(PAPI_event_name_to_code(event, &code), PAPI_ENOEVNT, "papi_native_avail");
}

/* ---- on folders */

static void sensors(void **state)
{
    static const struct also also[] = {{"sys/class/hwmon/hwmon0/name", "coretemp\n"},
                                       {"sys/class/hwmon/hwmon0/temp2_label", "Core 0\n"},
                                       {"sys/class/hwmon/hwmon10/device/name", "old\n"},
                                       {"sys/class/hwmon/hwmon0/temp1_max", "100000\n"}};
    static const struct change changes[] = {
        {"coretemp:::hwmon0:temp2_input", "sys/class/hwmon/hwmon0/temp2_input", "45000\n", "-5000\n", -5000,
         "1/1000 degree C"},
        {"coretemp:::hwmon10:fan1_input", "sys/class/hwmon/hwmon10/device/fan1_input", "900\n", "1200\n",
         1200, "RPM"},
        {"coretemp:::hwmon0:in0_input", "sys/class/hwmon/hwmon0/in0_input", "1000\n", "1012\n", 1012, "mV"},
        {"coretemp:::hwmon0:power1_average", "sys/class/hwmon/hwmon0/power1_average", "1\n", "90000000\n",
         90000000, "uW"},
        {"coretemp:::hwmon0:energy1_input", "sys/class/hwmon/hwmon0/energy1_input", "1000\n", "1700\n", 700,
         "uJ"}};
    PAPI_event_info_t info;
    int code;
    (void)state;
    CHANGES(changes, also);
    not_there("coretemp:::hwmon0:temp1_max");
    assert_int_equal(PAPI_event_name_to_code(changes[0].event, &code), PAPI_OK);
    assert_int_equal(PAPI_get_event_info(code, &info), PAPI_OK);
    assert_string_equal(info.long_descr, "Temperature: coretemp, Core 0");
}

#define PORTS "sys/class/infiniband/mlx5_0/ports/"

/* Counts two ports of InfiniBand, of which one is down. */
static void ports(void **state)
{
    static const struct also also[] = {{PORTS "1/state", "4: ACTIVE\n"},
                                       {PORTS "2/state", "1: DOWN\n"},
                                       {PORTS "2/counters/port_rcv_data", "1\n"},
                                       {PORTS "1/hw_counters/lifespan", "10\n"}};
    static const struct change changes[] = {
        {"infiniband:::mlx5_0_1:port_xmit_data", PORTS "1/counters/port_xmit_data", "100\n", "110\n", 40,
         "bytes"},
        {"infiniband:::mlx5_0_1:port_rcv_packets", PORTS "1/counters/port_rcv_packets", "5\n", "7\n", 2, ""},
        {"infiniband:::mlx5_0_1_ext:port_rcv_data_64", PORTS "1/counters_ext/port_rcv_data_64", "5\n", "6\n",
         4, "bytes"},
        {"infiniband:::mlx5_0_1:out_of_sequence", PORTS "1/hw_counters/out_of_sequence", "0\n", "3\n", 3,
         ""}};
    (void)state;
    CHANGES(changes, also);
    not_there("infiniband:::mlx5_0_2:port_rcv_data");
    not_there("infiniband:::mlx5_0_1:lifespan");
}

#define IO(read, write)                                                                                      \
    "rchar: 1\nwchar: 2\nsyscr: 3\nsyscw: 4\nread_bytes: " read "\nwrite_bytes: " write                      \
    "\ncancelled_write_bytes: 0\n"

static void process_io(void **state)
{
    static const struct also also[] = {{"proc/self/io", IO("0", "0")}};
    static const struct change changes[] = {
        {"io:::read_bytes", "proc/self/io", IO("4096", "1"), IO("8192", "2"), 4096, "bytes"},
        {"io:::write_bytes", "proc/self/io", IO("4096", "1"), IO("8192", "2"), 1, "bytes"},
        {"io:::thread:read_bytes", "proc/thread-self/io", IO("1", "1"), IO("3", "2"), 2, "bytes"}};
    (void)state;
    CHANGES(changes, also);
}

#define STAT(all, first)                                                                                     \
    "cpu  10 0 10 10 0 0 0 " all " 0 0\ncpu0 1 2 3 4 5 6 7 " first " 9\ncpu12 0 0 0 0 0 0 0 0 0 0\nintr 1 "  \
    "2\n"

static void stolen(void **state)
{
    static const struct also also[] = {{"proc/stat", STAT("1", "1")}};
    long long tick = 1000000 / sysconf(_SC_CLK_TCK);
    const struct change changes[] = {
        {"stealtime:::TOTAL", "proc/stat", STAT("5", "1"), STAT("8", "1"), 3 * tick, "us"},
        {"stealtime:::CPU0", "proc/stat", STAT("5", "1"), STAT("8", "2"), tick, "us"},
        {"stealtime:::CPU12", "proc/stat", STAT("5", "1"), STAT("8", "2"), 0, "us"}};
    (void)state;
    CHANGES(changes, also);
    not_there("stealtime:::CPU1");
}

#define MOUNT "proc/fs/lustre/llite/scratch-ffff8803/"
#define SAMPLES "snapshot_time 1.1 secs.usecs\nread_bytes 2 samples [bytes] 1 4096 "

static void lustre(void **state)
{
    static const struct also also[] = {{MOUNT "stats", SAMPLES "1\n"}};
    static const struct change changes[] = {
        {"lustre:::scratch_llread", MOUNT "stats", SAMPLES "4097\n", SAMPLES "5000\n", 903, "bytes"},
        {"lustre:::scratch_wrong_readahead", MOUNT "read_ahead_stats",
         "hits 10\nread but discarded 4 samples [pages]\n", "hits 10\nread but discarded 7 samples [pages]\n",
         3, "pages"}};
    (void)state;
    CHANGES(changes, also);
    int es = PAPI_NULL;
    assert_int_equal(PAPI_create_eventset(&es), PAPI_OK);
    refused(PAPI_add_named_event(es, "lustre:::scratch_llwrite"), PAPI_ENOEVNT, "write_bytes");
}

#define DISK(read, write, flying) "  10 0 " read " 5 20 0 " write " 7 " flying " 8 9 0 0 0 0 0 0\n"

static void disks(void **state)
{
    static const struct also also[] = {{"sys/block/sda/removable", "0\n"}};
    static const struct change changes[] = {{"disk:::sda:read_bytes", "sys/block/sda/stat",
                                             DISK("10", "1", "0"), DISK("12", "1", "0"), 1024, "bytes"},
                                            {"disk:::sda:write_bytes", "sys/block/sda/stat",
                                             DISK("10", "1", "0"), DISK("12", "2", "0"), 512, "bytes"},
                                            {"disk:::sda:in_flight", "sys/block/sda/stat",
                                             DISK("10", "1", "9"), DISK("12", "2", "4"), 4, "requests"}};
    (void)state;
    CHANGES(changes, also);
}

#define GROUP "sys/fs/cgroup/job1/"

static void groups_of_version_2(void **state)
{
    static const struct also also[] = {{"proc/self/cgroup", "0::/job1\n"},
                                       {GROUP "cpu.max", "max 100000\n"},
                                       {"sys/fs/cgroup/memory.peak", "1\n"}}; /* of all, not of the group */
    static const struct change changes[] = {
        {"cgroup:::cpu:usage", GROUP "cpu.stat", "usage_usec 10\nuser_usec 4\n",
         "usage_usec 12\nuser_usec 4\n", 2000, "ns"},
        {"cgroup:::memory:usage", GROUP "memory.current", "1000\n", "4096\n", 4096, "bytes"},
        {"cgroup:::memory:oom_kills", GROUP "memory.events", "low 0\noom 1\noom_kill 1\n",
         "low 0\noom 2\noom_kill 2\n", 1, ""},
        {"cgroup:::io:read_bytes", GROUP "io.stat", "8:0 rbytes=1 wbytes=2\n8:16 rbytes=10 wbytes=0\n",
         "8:0 rbytes=3 wbytes=2\n8:16 rbytes=20 wbytes=0\n9:0 rbytes=100 wbytes=0\n", 112, "bytes"}};
    (void)state;
    CHANGES(changes, also);
    int es = set_of("cgroup:::cpu:period", NULL);
    reads(es, 100000LL, END);
    reads(set_of("cgroup:::cpu:limit", NULL), -1LL, END);
    not_there("cgroup:::memory:peak");
}

/* The path is the machine's, the tree begins at the container's own group. */
static void group_of_a_container(void **state)
{
    static const struct also also[] = {{"proc/self/cgroup", "0::/docker/12ab\n"}};
    static const struct change changes[] = {
        {"cgroup:::memory:usage", "sys/fs/cgroup/memory.current", "1\n", "2\n", 2, "bytes"},
        {"cgroup:::memory:limit", "sys/fs/cgroup/memory.max", "max\n", "4096\n", 4096, "bytes"}};
    (void)state;
    CHANGES(changes, also);
}

static void groups_of_version_1(void **state)
{
    static const struct also also[] = {
        {"proc/self/cgroup", "9:name=systemd:/\n4:memory:/api/x\n2:cpu,cpuacct:/\n0::/\n"},
        {"sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n"}};
    static const struct change changes[] = {
        {"cgroup:::memory:usage", "sys/fs/cgroup/memory/api/x/memory.usage_in_bytes", "1\n", "2\n", 2,
         "bytes"},
        {"cgroup:::memory:peak", "sys/fs/cgroup/memory/api/x/memory.max_usage_in_bytes", "1\n", "3\n", 3,
         "bytes"},
        {"cgroup:::cpu:usage", "sys/fs/cgroup/cpuacct/cpuacct.usage", "1\n", "3\n", 2, "ns"}};
    (void)state;
    CHANGES(changes, also);
    reads(set_of("cgroup:::cpu:limit", NULL), -1LL, END);
}

#define PSI(total)                                                                                           \
    "some avg10=0.00 avg60=0.12 avg300=0.00 total=" total "\nfull avg10=0.00 avg60=0.00 avg300=0.00 "        \
    "total=7\n"

static void pressure(void **state)
{
    static const struct also also[] = {{"proc/pressure/memory", PSI("1")}};
    static const struct change changes[] = {
        {"pressure:::memory:some", "proc/pressure/memory", PSI("10"), PSI("25"), 15, "us"},
        {"pressure:::memory:full", "proc/pressure/memory", PSI("10"), PSI("25"), 0, "us"}};
    (void)state;
    CHANGES(changes, also);
}

#define OPAL "sys/firmware/opal/powercap/system-powercap/powercap-"

static void limits_of_power_nodes(void **state)
{
    static const struct also also[] = {{OPAL "min", "500\n"}, {OPAL "max", "3050\n"}};
    static const struct change changes[] = {
        {"powercap_ppc:::CURRENT_POWER", OPAL "current", "3050\n", "2000\n", 2000, "W"},
        {"powercap_ppc:::MIN_POWER", OPAL "min", "500\n", "500\n", 500, "W"},
        {"powercap_ppc:::MAX_POWER", OPAL "max", "3050\n", "3050\n", 3050, "W"}};
    long long value = 1500;
    (void)state;
    CHANGES(changes, also);
    int es = set_of("powercap_ppc:::CURRENT_POWER", NULL);
    assert_int_equal(PAPI_start(es), PAPI_OK);
    assert_int_equal(PAPI_write(es, &value), PAPI_OK);
    reads(es, 1500LL, END);
    assert_int_equal(PAPI_stop(es, NULL), PAPI_OK);
    refused(PAPI_write(set_of("powercap_ppc:::MAX_POWER", NULL), &value), PAPI_ECMP, "cannot be set");
}

static void numa(void **state)
{
    static const struct also also[] = {{"sys/devices/system/node/node0/numastat", "numa_hit 1\n"}};
    static const struct change changes[] = {
        {"numa:::node1:numa_miss", "sys/devices/system/node/node1/numastat", "numa_hit 1\nnuma_miss 2\n",
         "numa_hit 1\nnuma_miss 5\n", 3, "pages"}};
    (void)state;
    CHANGES(changes, also);
}

static void frequencies(void **state)
{
    static const struct also also[] = {{"sys/devices/system/cpu/cpufreq/boost", "1\n"}};
    static const struct change changes[] = {
        {"frequency:::cpu1:khz", "sys/devices/system/cpu/cpu1/cpufreq/scaling_cur_freq", "2000000\n",
         "3100000\n", 3100000, "kHz"},
        {"frequency:::cpu0:core_throttles",
         "sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count", "3\n", "4\n", 1, "times"}};
    (void)state;
    CHANGES(changes, also);
}

/* A machine that has nothing of all this: each component says what is missing. */
static void nothing_there(void **state)
{
    static const char *const names[] = {"powercap",     "rapl",      "coretemp",  "net",      "infiniband",
                                        "io",           "stealtime", "lustre",    "disk",     "cgroup",
                                        "pressure",     "numa",      "frequency", "nvml",     "lmsensors",
                                        "powercap_ppc", "pcp",       "amd_smi",   "rocm_smi", "sensors_ppc"};
    (void)state;
    begin_in_folder();
    for (size_t i = 0; i < COUNT(names); i++) {
        int index = PAPI_get_component_index(names[i]);
        assert_true(index > 0);
        const PAPI_component_info_t *info = PAPI_get_component_info(index);
        if (info->disabled != PAPI_ENOSUPP || strstr(info->disabled_reason, "there is no") == NULL ||
            info->num_native_events != 0)
            fail_msg("%s: %d, \"%s\"", names[i], info->disabled, info->disabled_reason);
    }
}

/* A file that vanishes while it is counted is an error with a reason; it counts on when it comes back. */
static void vanishes(void **state)
{
    long long value;
    (void)state;
    shows("proc/stat", STAT("1", "1"));
    begin_in_folder();
    int es = set_of("stealtime:::CPU0", NULL);
    assert_int_equal(PAPI_start(es), PAPI_OK);
    shows("proc/stat", "cpu  1 2 3 4 5 6 7 8\n");
    refused(PAPI_read(es, &value), PAPI_ENOEVNT, "cpu0");
    shows("proc/stat", "cpu0 1 2 3\n");
    refused(PAPI_read(es, &value), PAPI_ENOEVNT, "cpu0");
    shows("proc/stat", "cpu0 1 2 3 4 5 6 7 x\n");
    refused(PAPI_read(es, &value), PAPI_EMISC, "does not hold a number");
    shows("proc/stat", "cpu0 1 2 3 4 5 6 7 99999999999999999999\n");
    refused(PAPI_read(es, &value), PAPI_EMISC, "does not hold a number");
    shows("proc/stat", STAT("1", "2"));
    assert_int_equal(PAPI_stop(es, &value), PAPI_OK);
    assert_int_equal(value, 1000000 / sysconf(_SC_CLK_TCK));
}

/* A number that may have been cut is not given. */
static void too_long(void **state)
{
    enum { SIZE = 2 << 20 };
    char *text = malloc(SIZE);
    long long value;
    (void)state;
    assert_non_null(text);
    memset(text, '\n', SIZE - 1);
    memcpy(text, STAT("1", "1"), sizeof STAT("1", "1") - 1);
    text[SIZE - 1] = '\0';
    shows("proc/stat", STAT("1", "1"));
    begin_in_folder();
    int es = set_of("stealtime:::CPU0", NULL);
    assert_int_equal(PAPI_start(es), PAPI_OK);
    shows("proc/stat", text);
    refused(PAPI_read(es, &value), PAPI_ENOEVNT, "File too large");
    free(text);
}

/* ---- on this machine */

static int begin_machine(void **state)
{
    (void)state;
    begin_here();
    return 0;
}

static int end_machine(void **state)
{
    (void)state;
    PAPI_shutdown();
    return 0;
}

static void need(const char *component)
{
    const PAPI_component_info_t *info = PAPI_get_component_info(PAPI_get_component_index(component));
    if (info->disabled || info->num_native_events == 0) {
        test_skipping(info->disabled_reason);
        skip();
    }
}

static void written_by_this_process(void **state)
{
    enum { N = 50, SIZE = 1000 };
    static const char data[SIZE];
    long long value[2], of_thread[2];
    (void)state;
    need("io");
    if (test_under_valgrind()) {
        test_skipping("valgrind writes, too");
        skip();
    }
    int null = open("/dev/null", O_WRONLY), es = set_of("io:::wchar", "io:::syscw", NULL);
    int thread = set_of("io:::thread:wchar", "io:::thread:syscw", NULL);
    assert_true(null >= 0);
    assert_int_equal(PAPI_start(es), PAPI_OK);
    assert_int_equal(PAPI_start(thread), PAPI_OK);
    for (int i = 0; i < N; i++)
        assert_int_equal(write(null, data, SIZE), SIZE);
    assert_int_equal(PAPI_stop(thread, of_thread), PAPI_OK);
    assert_int_equal(PAPI_stop(es, value), PAPI_OK);
    close(null);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(value[i], i == 0 ? N * SIZE : N);
        assert_int_equal(of_thread[i], value[i]);
    }
}

/* The processor time of the group is at least this process's own. */
static void group_of_this_process(void **state)
{
    long long used;
    struct timespec begin, now;
    (void)state;
    need("cgroup");
    int code, es = PAPI_NULL;
    assert_int_equal(PAPI_create_eventset(&es), PAPI_OK);
    if (PAPI_event_name_to_code("cgroup:::cpu:usage", &code) != PAPI_OK ||
        PAPI_add_event(es, code) != PAPI_OK) {
        test_skipping(PAPI_strerror(PAPI_ENOEVNT));
        skip();
    }
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
    assert_int_equal(PAPI_start(es), PAPI_OK);
    do
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    while ((now.tv_sec - begin.tv_sec) * 1000 + (now.tv_nsec - begin.tv_nsec) / 1000000 < 100);
    assert_int_equal(PAPI_stop(es, &used), PAPI_OK);
    assert_true(used >= 80000000); /* the kernel brings it up to date at its ticks */
}

/* Every event that is listed here is a number, or the reason says what stands in its way. */
static void all_that_is_here(void **state)
{
    int counted = 0, code;
    (void)state;
    for (int c = 2; c < PAPI_num_components(); c++) {
        code = PAPI_NATIVE_MASK;
        for (int got = PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, c); got == PAPI_OK;
             got = PAPI_enum_cmp_event(&code, PAPI_ENUM_EVENTS, c)) {
            long long value;
            char name[PAPI_MAX_STR_LEN];
            int es = PAPI_NULL;
            assert_int_equal(PAPI_event_code_to_name(code, name), PAPI_OK);
            assert_int_equal(PAPI_create_eventset(&es), PAPI_OK);
            int added = PAPI_add_event(es, code);
            if (added == PAPI_OK) {
                assert_int_equal(PAPI_start(es), PAPI_OK);
                assert_int_equal(PAPI_stop(es, &value), PAPI_OK);
                counted++;
            } else if (strlen(PAPI_strerror(added)) < 20)
                fail_msg("%s: %s", name, PAPI_strerror(added));
            PAPI_cleanup_eventset(es);
            PAPI_destroy_eventset(&es);
        }
    }
    printf("# %d events\n", counted);
    assert_true(counted > 0);
}

#define HERE(test) cmocka_unit_test_setup_teardown(test, begin_machine, end_machine)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(sensors),
        IN_FOLDER(ports),
        IN_FOLDER(process_io),
        IN_FOLDER(stolen),
        IN_FOLDER(lustre),
        IN_FOLDER(disks),
        IN_FOLDER(groups_of_version_2),
        IN_FOLDER(groups_of_version_1),
        IN_FOLDER(group_of_a_container),
        IN_FOLDER(pressure),
        IN_FOLDER(numa),
        IN_FOLDER(limits_of_power_nodes),
        IN_FOLDER(frequencies),
        IN_FOLDER(nothing_there),
        IN_FOLDER(vanishes),
        IN_FOLDER(too_long),
        HERE(written_by_this_process),
        HERE(group_of_this_process),
        HERE(all_that_is_here),
    };
    return TEST_RUN(tests);
}
