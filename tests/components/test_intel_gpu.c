/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The component intel_gpu with a library that stands for Level Zero (ze_double.c) below PAPI_INTEL_GPU_ROOT.
 * It is kept as long as the process lives: ways in which it does not work have a process of their own, which
 * the argument names.
 */
#include "folder.h"
#include "ze_double.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define INTEL "intel_gpu:::"
#define BASIC INTEL "ComputeBasic."

static struct ze_double *ze;

static int begin(void **state)
{
    char path[PATH_MAX];
    (void)state;
    snprintf(path, sizeof path, "%s/lib/libze_loader.so.1", getenv("PAPI_INTEL_GPU_ROOT"));
    void *library = dlopen(path, RTLD_LAZY);
    assert_non_null(library);
    ze = dlsym(library, "ze_double");
    assert_non_null(ze);
    begin_here();
    return 0;
}

static int end(void **state)
{
    (void)state;
    PAPI_shutdown();
    assert_int_equal(ze->streamers, 0);
    assert_int_equal(ze->active, 0);
    assert_int_equal(ze->wrong_calls, 0);
    return 0;
}

static void names_are_listed(void **state)
{
    static const char *const wanted[] = {
        "ComputeBasic.GpuTime",  "ComputeBasic.Events", "ComputeBasic.Range", "ComputeBasic.BytesRead",
        "ComputeBasic.ReadRate", "ComputeBasic.Time",   "ComputeBasic.Busy",  "ComputeBasic.Raw",
        "ComputeBasic.Float",    "Other.GpuTime"};
    static const char *const forms[] = {":device=0", ":device=0:tile=0", ":device=0:tile=1", ":device=1"};
    int code = PAPI_NATIVE_MASK, n = 0, component = PAPI_get_component_index("intel_gpu");
    char name[PAPI_2MAX_STR_LEN];
    PAPI_event_info_t info;
    (void)state;
    assert_int_equal(PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, component), PAPI_OK);
    do {
        assert_true(n < 10);
        assert_int_equal(PAPI_event_code_to_name(code, name), PAPI_OK);
        assert_string_equal(name + strlen(INTEL), wanted[n++]);
    } while (PAPI_enum_cmp_event(&code, PAPI_ENUM_EVENTS, component) == PAPI_OK);
    assert_int_equal(n, 10);
    assert_int_equal(PAPI_event_name_to_code(BASIC "Events", &code), PAPI_OK);
    for (n = 0; PAPI_enum_event(&code, PAPI_NTV_ENUM_UMASKS) == PAPI_OK; n++) {
        assert_true(n < 4);
        assert_int_equal(PAPI_event_code_to_name(code, name), PAPI_OK);
        assert_string_equal(name + strlen(BASIC "Events"), forms[n]);
    }
    assert_int_equal(n, 4);
    assert_int_equal(PAPI_event_name_to_code(BASIC "Busy", &code), PAPI_OK);
    assert_int_equal(PAPI_get_event_info(code, &info), PAPI_OK);
    assert_string_equal(info.long_descr, "A metric; the mean of the reports since the start");
    assert_string_equal(info.units, "percent");
    assert_int_equal(info.value_type, PAPI_VALUETYPE_ABSOLUTE);
    assert_int_equal(PAPI_event_name_to_code(BASIC "BytesRead:device=1", &code), PAPI_OK);
    assert_int_equal(PAPI_get_event_info(code, &info), PAPI_OK);
    assert_string_equal(info.long_descr, "A metric");
    assert_string_equal(info.units, "bytes");
    assert_int_equal(info.value_type, PAPI_VALUETYPE_RUNNING_SUM);
}

static void wrong_names(void **state)
{
    (void)state;
    no_event(BASIC "Event", "papi_native_avail");
    no_event(INTEL "ByQuery.GpuTime", "papi_native_avail");
    no_event(BASIC "Events:", "qualifiers are :device=N and :tile=N");
    no_event(BASIC "Events:device=0:device=1", "each once");
    no_event(BASIC "Events:device=0:stat=1", "qualifiers are :device=N and :tile=N");
    no_event(BASIC "Events:tile=x", "qualifiers are :device=N and :tile=N");
    no_event(BASIC "Events:device=2", "there is no device 2: the devices are 0 to 1");
    no_event(BASIC "Events:device=1:tile=0", "device 1 has no tile 0");
    no_event(INTEL "Other.GpuTime:device=1", "device 1 has no metric Other.GpuTime there");
}

/* Sums of all tiles' reports, means of shares and rates, and the last of what is neither. */
static void counts(void **state)
{
    (void)state;
    int es = set_of(BASIC "GpuTime", BASIC "Events", BASIC "Range", BASIC "BytesRead", BASIC "ReadRate",
                    BASIC "Time", BASIC "Busy", BASIC "Raw", BASIC "Float", BASIC "Events:device=0:tile=1",
                    BASIC "Events:device=1", NULL);
    ze->report(0, -1, 1000);
    assert_int_equal(PAPI_start(es), PAPI_OK);
    assert_int_equal(ze->period, 400000);
    ze->report(0, -1, 10);
    ze->report(0, -1, 20);
    ze->report(0, 1, 7);
    ze->report(1, -1, 3);
    /* Two tiles: 2 * (10 + 20); (10 + 20) / 2 + 0.25; + 0.6. */
    reads(es, 60LL, 60LL, 60LL, 60LL, 15LL, 1700000000000000021LL, 16LL, 20LL, 60LL, 7LL, 3LL, END);
    ze->report(0, -1, 30);
    reads(es, 120LL, 120LL, 120LL, 120LL, 20LL, 1700000000000000031LL, 21LL, 30LL, 120LL, 7LL, 3LL, END);
    assert_int_equal(PAPI_reset(es), PAPI_OK);
    ze->report(0, -1, 40);
    assert_int_equal(PAPI_stop(es, NULL), PAPI_OK);
    reads(es, 80LL, 80LL, 80LL, 80LL, 25LL, 1700000000000000041LL, 26LL, 40LL, 80LL, 0LL, 0LL, END);
    assert_int_equal(PAPI_start(es), PAPI_OK);
    ze->report(0, -1, 1);
    ze->report(0, 1, 1);
    ze->report(1, -1, 1);
    assert_int_equal(PAPI_stop(es, NULL), PAPI_OK);
    reads(es, 2LL, 2LL, 2LL, 2LL, 1LL, 1700000000000000002LL, 2LL, 1LL, 2LL, 1LL, 1LL, END);
}

static void refusals(void **state)
{
    (void)state;
    PAPI_option_t option = {.cpu = {.cpu_num = 0}};
    int es = set_of(BASIC "Events", NULL), other = set_of(BASIC "GpuTime", NULL);
    refused(PAPI_add_named_event(es, INTEL "Other.GpuTime"), PAPI_ECNFLCT,
            "cannot be counted together with ComputeBasic.Events: a device counts the metrics of one group");
    assert_int_equal(PAPI_start(es), PAPI_OK);
    refused(PAPI_start(other), PAPI_EISRUN, "another event set of this thread");
    assert_int_equal(PAPI_stop(es, NULL), PAPI_OK);
    assert_int_equal(PAPI_overflow(es, PAPI_NULL, 1, 0, NULL), PAPI_EINVAL);
    option.cpu.eventset = es;
    refused(PAPI_set_opt(PAPI_CPU_ATTACH, &option), PAPI_ECMP, "counts what devices do");
}

static void reports_are_missing(void **state)
{
    (void)state;
    long long value[2];
    int es = set_of(BASIC "Events", NULL), share = set_of(BASIC "Busy", BASIC "Events", NULL);
    assert_int_equal(PAPI_start(es), PAPI_OK);
    reads(es, 0LL, END);
    ze->report(0, -1, 5);
    ze->dropped = 1;
    refused(PAPI_read(es, value), PAPI_ECLOST, "some are missing until the next start");
    assert_int_equal(value[0], 10);
    ze->dropped = 0;
    ze->report(0, -1, 5);
    refused(PAPI_stop(es, value), PAPI_ECLOST, "METRICS_SAMPLING_PERIOD (400000 ns now)");
    assert_int_equal(value[0], 20);
    assert_int_equal(PAPI_start(share), PAPI_OK);
    refused(PAPI_read(share, value), PAPI_ECLOST, "has not written a report yet");
    ze->report(0, -1, 5);
    reads(share, 6LL, 10LL, END);
    assert_int_equal(PAPI_stop(share, value), PAPI_OK);
}

static void start_fails(int wanted, const char *part)
{
    int es = set_of(BASIC "Events:device=1", BASIC "Events", NULL);
    refused(PAPI_start(es), wanted, part);
    assert_int_equal(ze->active, 0);
    ze->activate_status = ze->open_status = 0;
    assert_int_equal(PAPI_start(es), PAPI_OK);
    ze->report(1, -1, 3);
    assert_int_equal(PAPI_stop(es, NULL), PAPI_OK);
    reads(es, 3LL, 0LL, END);
    assert_int_equal(PAPI_cleanup_eventset(es), PAPI_OK);
}

/* A reading that fails leaves values as they were, and is remembered until the next start. */
static void read_fails(const char *part, int wanted)
{
    int es = set_of(BASIC "Float", NULL);
    long long value = 77;
    ze->half_a_report = ze->wrong_type = ze->negative = ze->n_sets_wrong = ze->no_sets = 0;
    ze->read_status = ze->calculate_status = 0;
    assert_int_equal(PAPI_start(es), PAPI_OK);
    ze->report(0, -1, 3);
    if (strcmp(part, "half") == 0)
        ze->half_a_report = 1;
    else if (strcmp(part, "type") == 0)
        ze->wrong_type = 1;
    else if (strcmp(part, "negative") == 0)
        ze->negative = 1;
    else if (strcmp(part, "sets") == 0)
        ze->n_sets_wrong = 1;
    else if (strcmp(part, "none") == 0)
        ze->no_sets = 1;
    else if (strcmp(part, "calculate") == 0)
        ze->calculate_status = 0x78000004;
    else
        ze->read_status = 0x78000004;
    assert_int_equal(PAPI_read(es, &value), wanted);
    assert_int_equal(value, 77);
    ze->half_a_report = ze->wrong_type = ze->negative = ze->n_sets_wrong = ze->no_sets = 0;
    ze->read_status = ze->calculate_status = 0;
    assert_int_equal(PAPI_stop(es, &value), strcmp(part, "read") == 0 ? PAPI_OK : PAPI_ECLOST);
    assert_int_equal(PAPI_start(es), PAPI_OK);
    ze->report(0, -1, 1);
    assert_int_equal(PAPI_stop(es, &value), PAPI_OK);
    assert_int_equal(value, 2);
}

static void calls_fail(void **state)
{
    (void)state;
    ze->activate_status = 0x70010000;
    start_fails(PAPI_EPERM, "sysctl dev.i915.perf_stream_paranoid=0");
    ze->open_status = 0x78000006;
    start_fails(PAPI_ECNFLCT, "another program counts on the device");
    ze->open_status = 0x78000003;
    start_fails(PAPI_ENOSUPP, "intel-metrics-library");
    read_fails("half", PAPI_EMISC);
    read_fails("type", PAPI_EMISC);
    read_fails("negative", PAPI_EMISC);
    read_fails("sets", PAPI_EMISC);
    read_fails("none", PAPI_EMISC);
    read_fails("calculate", PAPI_ENOSUPP);
    read_fails("read", PAPI_ENOSUPP);
    int es = set_of(BASIC "Events", NULL);
    assert_int_equal(PAPI_start(es), PAPI_OK);
    ze->close_status = 0x78000001;
    refused(PAPI_stop(es, NULL), PAPI_ENOSUPP, "does not stop counting: Level Zero answers 0x78000001");
    ze->close_status = 0;
}

static void *start_there(void *from)
{
    long long value = 0;
    int es = set_of(BASIC "Events", NULL);
    refused(PAPI_start(es), PAPI_ECNFLCT, "device 0 counts for an event set of another thread");
    assert_int_equal(PAPI_cleanup_eventset(es), PAPI_OK);
    assert_int_equal(PAPI_add_named_event(es, BASIC "Events:device=1"), PAPI_OK);
    assert_int_equal(PAPI_start(es), PAPI_OK);
    for (int i = 0; i < 1000; i++)
        ze->report(1, -1, 3);
    assert_int_equal(PAPI_stop(es, &value), PAPI_OK);
    assert_int_equal(value, 3000);
    assert_int_equal(PAPI_start(es), PAPI_OK); /* which the thread's end stops */
    return from;
}

static void threads_and_forks(void **state)
{
    (void)state;
    pthread_t thread;
    int status, es = set_of(BASIC "Events", NULL);
    assert_int_equal(PAPI_thread_init((unsigned long (*)(void))pthread_self), PAPI_OK);
    assert_int_equal(PAPI_start(es), PAPI_OK);
    assert_int_equal(pthread_create(&thread, NULL, start_there, NULL), 0);
    for (int i = 0; i < 1000; i++)
        ze->report(0, -1, 1);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(ze->streamers, 1);
    reads(es, 2000LL, END);
    pid_t child = fork();
    if (child == 0) {
        long long value;
        int own = PAPI_NULL;
        bool right = PAPI_read(es, &value) == PAPI_ECLOST && PAPI_create_eventset(&own) == PAPI_OK &&
                     PAPI_add_named_event(own, BASIC "Events") == PAPI_ENOSUPP &&
                     (test_under_valgrind() || PAPI_destroy_eventset(&es) == PAPI_OK);
        if (!test_under_valgrind()) /* which calls the parent's plan, which stays where it is, a leak */
            PAPI_shutdown();
        _exit(right && ze->streamers == 1 && ze->wrong_calls == 0 ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    ze->report(0, -1, 1);
    reads(es, 2002LL, END);
    PAPI_shutdown(); /* while it runs */
    assert_int_equal(ze->streamers, 0);
    begin_here();
    es = set_of(BASIC "Events", NULL);
    assert_int_equal(PAPI_start(es), PAPI_OK);
    assert_int_equal(PAPI_stop(es, NULL), PAPI_OK);
}

/* ---- where it does not count */

static void disabled(const char *part)
{
    const PAPI_component_info_t *info = info_of_component("intel_gpu");
    assert_true(info->disabled != PAPI_OK);
    assert_non_null(strstr(info->disabled_reason, part));
    PAPI_shutdown();
    begin_here();
}

static void *wait_for_end(void *end)
{
    pthread_mutex_lock(end);
    pthread_mutex_unlock(end);
    return NULL;
}

static void does_not_count(void **state)
{
    (void)state;
    pthread_mutex_t ending = PTHREAD_MUTEX_INITIALIZER;
    pthread_t thread;
    pthread_mutex_lock(&ending);
    assert_int_equal(pthread_create(&thread, NULL, wait_for_end, &ending), 0);
    disabled("start the program with ZET_ENABLE_METRICS=1");
    assert_null(getenv("ZET_ENABLE_METRICS"));
    pthread_mutex_unlock(&ending);
    assert_int_equal(pthread_join(thread, NULL), 0);
    ze->init_status = 0x78000001;
    disabled("zeInit: Level Zero answers 0x78000001: no driver of Intel's devices is installed");
    ze->init_status = 0;
    ze->drivers_status = 0x78000001;
    disabled("zeDriverGet: Level Zero answers 0x78000001: no driver");
    ze->drivers_status = 0;
    ze->n_devices = 0;
    disabled("Level Zero has no device that computes");
    ze->n_devices = 2;
    ze->no_groups = 1;
    disabled("devices without metrics: metrics take the driver's libraries of metrics");
    ze->no_groups = 0;
    ze->groups_status = 0x70020000;
    disabled("the metrics of a device: Level Zero answers 0x70020000: it takes the driver's libraries");
    ze->groups_status = 0;
    setenv("ZE_ENABLE_TRACING_LAYER", "1", 1);
    disabled("ZE_ENABLE_TRACING_LAYER=1 asks for counts of each kernel");
    setenv("ZE_ENABLE_TRACING_LAYER", "0", 1);
    setenv("METRICS_SAMPLING_PERIOD", "1000000", 1);
    int es = set_of(BASIC "Events", NULL);
    assert_int_equal(PAPI_start(es), PAPI_OK);
    assert_int_equal(ze->period, 1000000);
    assert_int_equal(PAPI_stop(es, NULL), PAPI_OK);
}

static void by_sysfs(void **state)
{
    (void)state;
    unsetenv("PAPI_INTEL_GPU_ROOT");
    begin_in_folder();
    assert_non_null(strstr(info_of_component("intel_gpu")->disabled_reason,
                           "there is no device of Intel's here that computes"));
    PAPI_shutdown();
    shows("sys/class/drm/renderD128/device/vendor", "0x1002\n");
    begin_in_folder();
    assert_non_null(strstr(info_of_component("intel_gpu")->disabled_reason,
                           "there is no device of Intel's here that computes"));
    PAPI_shutdown();
    shows("sys/class/drm/renderD129/device/vendor", "0x8086\n");
    begin_in_folder();
    assert_non_null(strstr(info_of_component("intel_gpu")->disabled_reason,
                           "libze_loader.so.1 for the files of another machine"));
    assert_null(dlopen("libze_loader.so.1", RTLD_LAZY | RTLD_NOLOAD));
}

/* The loader of this machine, which has no driver here. */
static void with_real_loader(void **state)
{
    (void)state;
    if (access("/usr/lib/x86_64-linux-gnu/libze_loader.so.1", R_OK) != 0)
        SKIP("libze_loader.so.1 is not installed");
    setenv("PAPI_INTEL_GPU_ROOT", "/usr", 1);
    begin_here();
    const PAPI_component_info_t *info = info_of_component("intel_gpu");
    if (info->disabled == PAPI_OK)
        SKIP("there is a device of Intel's");
    assert_non_null(strstr(info->disabled_reason, "zeInit: Level Zero answers 0x78000001: no driver"));
    no_event(BASIC "Events", "0x78000001");
    PAPI_shutdown();
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {TEST(names_are_listed), TEST(wrong_names),         TEST(counts),
                                       TEST(refusals),         TEST(reports_are_missing), TEST(calls_fail),
                                       TEST(threads_and_forks)};
    const struct CMUnitTest none[] = {TEST(does_not_count)}, other[] = {IN_FOLDER(by_sysfs)},
                            real[] = {cmocka_unit_test(with_real_loader)};
    unsetenv("ZET_ENABLE_METRICS");
    if (argc > 1 && strcmp(argv[1], "none") == 0)
        return TEST_RUN(none);
    if (argc > 1 && strcmp(argv[1], "other") == 0)
        return TEST_RUN(other);
    if (argc > 1 && strcmp(argv[1], "real") == 0)
        return TEST_RUN(real);
    return TEST_RUN(tests);
}
