/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The component rocp_sdk with a library that stands for AMD's rocprofiler-sdk (rocp_double.c), which
 * PAPI_ROCP_SDK_LIB or a folder's variable names. That can be configured once in a process: each way in which
 * it does not work has a process of its own, and the argument says which.
 */
#include "folder.h"
#include "rocp_double.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define AMD "rocp_sdk:::"

static struct rocp_double *rocp;

/* The library, held open so that what the test sets stays. */
static struct rocp_double *double_of(const char *path)
{
    void *library = dlopen(path, RTLD_LAZY);
    struct rocp_double *found = library != NULL ? dlsym(library, "rocp_double") : NULL;
    assert_non_null(found);
    return found;
}

static int begin(void **state)
{
    (void)state;
    rocp = double_of(getenv("PAPI_ROCP_SDK_LIB"));
    begin_here();
    return 0;
}

static int end(void **state)
{
    (void)state;
    PAPI_shutdown();
    assert_int_equal(rocp->running, 0);
    assert_int_equal(rocp->configs, 0);
    assert_int_equal(rocp->wrong_calls, 0);
    return 0;
}

static void add_refused(int es, const char *name, int wanted, const char *part)
{
    refused(PAPI_add_named_event(es, name), wanted, part);
}

static int empty_set(void)
{
    int es = PAPI_NULL;
    assert_int_equal(PAPI_create_eventset(&es), PAPI_OK);
    return es;
}

/* ---- names */

static void names_are_listed(void **state)
{
    static const char *const wanted[] = {"SQ_WAVES", "GRBM_COUNT", "TCC_HIT",       "TCC_MISS", "GPUBusy",
                                         "RATIO",    "WAVES_SUM",  "MAX_WAVE_SIZE", "SQ_INSTS"};
    int code = PAPI_NATIVE_MASK, n = 0, component = PAPI_get_component_index("rocp_sdk");
    char name[PAPI_2MAX_STR_LEN];
    (void)state;
    assert_int_equal(PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, component), PAPI_OK);
    do {
        assert_true(n < 9);
        assert_int_equal(PAPI_event_code_to_name(code, name), PAPI_OK);
        assert_string_equal(name + strlen(AMD), wanted[n++]);
    } while (PAPI_enum_cmp_event(&code, PAPI_ENUM_EVENTS, component) == PAPI_OK);
    assert_int_equal(n, 9);
    assert_int_equal(info_of_component("rocp_sdk")->num_native_events, 9);
    assert_int_equal(info_of_component("rocp_sdk")->disabled, PAPI_OK);
}

/* The forms of an event: of both devices, and of its dimensions. */
static void forms_are_listed(void **state)
{
    static const char *const wanted[] = {"SQ_WAVES:device=0", "SQ_WAVES:device=1", "SQ_WAVES:XCC=0",
                                         "SQ_WAVES:SHADER_ENGINE=0"};
    char name[PAPI_2MAX_STR_LEN];
    int code, n = 0;
    (void)state;
    assert_int_equal(PAPI_event_name_to_code(AMD "SQ_WAVES", &code), PAPI_OK);
    while (PAPI_enum_event(&code, PAPI_NTV_ENUM_UMASKS) == PAPI_OK) {
        assert_true(n < 4);
        assert_int_equal(PAPI_event_code_to_name(code, name), PAPI_OK);
        assert_string_equal(name + strlen(AMD), wanted[n++]);
    }
    assert_int_equal(n, 4);
}

static void events_are_described(void **state)
{
    PAPI_event_info_t info;
    int code;
    (void)state;
    assert_int_equal(PAPI_event_name_to_code(AMD "WAVES_SUM", &code), PAPI_OK);
    assert_int_equal(PAPI_get_event_info(code, &info), PAPI_OK);
    assert_string_equal(info.long_descr, "Sum = reduce(SQ_WAVES,sum)");
    assert_int_equal(info.value_type, PAPI_VALUETYPE_RUNNING_SUM);
    assert_int_equal(PAPI_event_name_to_code(AMD "GPUBusy:device=0", &code), PAPI_OK);
    assert_int_equal(PAPI_get_event_info(code, &info), PAPI_OK);
    assert_non_null(strstr(info.long_descr, "Share of the time = 100*reduce(A,max)/reduce(B,max), rounded"));
    assert_int_equal(info.value_type, PAPI_VALUETYPE_ABSOLUTE);
}

static void wrong_names(void **state)
{
    (void)state;
    no_event(AMD "SQ_WAVE", "papi_native_avail");
    no_event(AMD "SQ_WAVES:", "qualifiers are :device=N");
    no_event(AMD "SQ_WAVES:XCC", "qualifiers are :device=N");
    no_event(AMD "SQ_WAVES:XCC=", "qualifiers are :device=N");
    no_event(AMD "SQ_WAVES:XCC=-1", "qualifiers are :device=N");
    no_event(AMD "SQ_WAVES:XCC=1x", "qualifiers are :device=N");
    no_event(AMD "SQ_WAVES:XCC=1:", "qualifiers are :device=N");
    no_event(AMD "SQ_WAVES:XCC=1:XCC=1", "each once");
    no_event(AMD "SQ_WAVES:device=0:device=1", "each once");
    no_event(AMD "SQ_WAVES:XCC=9999999999", "qualifiers are :device=N");
    no_event(AMD "SQ_WAVES:XCC=2", "XCC of SQ_WAVES is at most 1, not 2");
    no_event(AMD "SQ_WAVES:AID=0", "SQ_WAVES has no dimension AID; it has: XCC=0..1 SHADER_ENGINE=0..3");
    no_event(AMD "GPUBusy:XCC=0", "it has: none");
    no_event(AMD "SQ_WAVES:device=2", "there is no device 2: the devices are 0 to 1");
    no_event(AMD "GRBM_COUNT:device=1", "one that has it is GRBM_COUNT:device=0");
    no_event(AMD "RATIO:device=0", "name one, such as RATIO:XCC=0");
    rocp->dimensions_status = 1;
    no_event(AMD "SQ_WAVES:device=0", "does not say which dimensions SQ_WAVES has");
    rocp->dimensions_status = 0;
    /* An event without qualifiers is of device 0, and is refused when it is added. */
    add_refused(empty_set(), AMD "SQ_INSTS", PAPI_ENOEVNT, "one that has it is SQ_INSTS:device=1");
    add_refused(empty_set(), AMD "RATIO", PAPI_ENOEVNT, "name one, such as RATIO:XCC=0");
}

/* ---- counts. A kernel of amount a adds a * (1 + instance) to each instance */

static void counts(void **state)
{
    (void)state;
    int es = set_of(AMD "SQ_WAVES", AMD "SQ_WAVES:XCC=1", AMD "SQ_WAVES:SHADER_ENGINE=2:device=0",
                    AMD "SQ_WAVES:device=0:XCC=1:SHADER_ENGINE=2", AMD "GRBM_COUNT:device=0",
                    AMD "SQ_WAVES:device=1", AMD "SQ_INSTS:device=1", AMD "WAVES_SUM", AMD "GPUBusy",
                    AMD "MAX_WAVE_SIZE", AMD "RATIO:XCC=1", NULL);
    rocp->run(0, 1000);
    assert_int_equal(PAPI_start(es), PAPI_OK);
    rocp->run(0, 10);
    rocp->run(1, 100);
    reads(es, 360LL, 260LL, 100LL, 70LL, 30LL, 100LL, 600LL, 10LL, 13LL, 64LL, 13LL, END);
    assert_int_equal(PAPI_reset(es), PAPI_OK);
    rocp->run(0, 1);
    reads(es, 36LL, 26LL, 10LL, 7LL, 3LL, 0LL, 0LL, 1LL, 13LL, 64LL, 13LL, END);
    assert_int_equal(PAPI_stop(es, NULL), PAPI_OK);
    rocp->run(0, 1000);
    reads(es, 36LL, 26LL, 10LL, 7LL, 3LL, 0LL, 0LL, 1LL, 13LL, 64LL, 13LL, END);
    assert_int_equal(PAPI_start(es), PAPI_OK);
    rocp->run(0, 2);
    reads(es, 72LL, 52LL, 20LL, 14LL, 6LL, 0LL, 0LL, 2LL, 13LL, 64LL, 13LL, END);
    assert_int_equal(PAPI_stop(es, NULL), PAPI_OK);
}

static void accumulates(void **state)
{
    (void)state;
    long long sum[] = {1000};
    int es = set_of(AMD "SQ_INSTS:device=1", NULL);
    assert_int_equal(PAPI_start(es), PAPI_OK);
    rocp->run(1, 1);
    assert_int_equal(PAPI_accum(es, sum), PAPI_OK);
    rocp->run(1, 2);
    assert_int_equal(PAPI_accum(es, sum), PAPI_OK);
    assert_int_equal(sum[0], 1018);
    rocp->run(1, 3);
    assert_int_equal(PAPI_stop(es, sum), PAPI_OK);
    assert_int_equal(sum[0], 18);
    assert_int_equal(PAPI_remove_named_event(es, AMD "SQ_INSTS:device=1"), PAPI_OK);
    assert_int_equal(PAPI_add_named_event(es, AMD "SQ_WAVES"), PAPI_OK);
    assert_int_equal(PAPI_start(es), PAPI_OK);
    rocp->run(0, 1);
    assert_int_equal(PAPI_stop(es, sum), PAPI_OK);
    assert_int_equal(sum[0], 36);
}

static void not_together(void **state)
{
    (void)state;
    int es = set_of(AMD "SQ_WAVES", AMD "TCC_HIT", NULL);
    add_refused(
        es, AMD "TCC_MISS", PAPI_ECNFLCT,
        "TCC_MISS cannot be counted together with TCC_HIT: these counters: AMD's rocprofiler-sdk answers "
        "\"exceeds hardware\" (38); count them in event sets");
    assert_int_equal(PAPI_start(es), PAPI_OK);
    rocp->run(0, 1);
    reads(es, 36LL, 36LL, END);
    assert_int_equal(PAPI_stop(es, NULL), PAPI_OK);
}

static void not_as_others(void **state)
{
    (void)state;
    PAPI_option_t option = {.cpu = {.cpu_num = 0}};
    long long value = 1;
    int es = set_of(AMD "GPUBusy", NULL);
    option.cpu.eventset = es;
    refused(PAPI_set_opt(PAPI_CPU_ATTACH, &option), PAPI_ECMP, "counts what devices do");
    refused(PAPI_write(es, &value), PAPI_ECMP, "cannot be set");
    assert_int_equal(PAPI_overflow(es, PAPI_NULL, 1, 0, NULL), PAPI_EINVAL);
    refused(PAPI_start(empty_set()), PAPI_EINVAL, "has no events");
}

/* ---- one set at a time */

static void *start_there(void *from)
{
    long long value = 0;
    int es = set_of(AMD "SQ_WAVES", NULL);
    refused(PAPI_start(es), PAPI_ECNFLCT, "device 0 counts for an event set of another thread");
    assert_int_equal(PAPI_cleanup_eventset(es), PAPI_OK);
    assert_int_equal(PAPI_add_named_event(es, AMD "SQ_INSTS:device=1"), PAPI_OK);
    assert_int_equal(PAPI_start(es), PAPI_OK);
    for (int i = 0; i < 1000; i++)
        rocp->run(1, 1);
    assert_int_equal(PAPI_stop(es, &value), PAPI_OK);
    assert_int_equal(value, 6000);
    return from;
}

static void in_thread(void *(*function)(void *))
{
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, function, NULL), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
}

static void of_two_threads(void **state)
{
    (void)state;
    pthread_t thread;
    long long value;
    assert_int_equal(PAPI_thread_init((unsigned long (*)(void))pthread_self), PAPI_OK);
    int es = set_of(AMD "SQ_WAVES", NULL), other = set_of(AMD "GRBM_COUNT", NULL);
    assert_int_equal(PAPI_start(es), PAPI_OK);
    assert_int_equal(pthread_create(&thread, NULL, start_there, NULL), 0);
    for (int i = 1; i <= 1000; i++) {
        rocp->run(0, 1);
        assert_int_equal(PAPI_read(es, &value), PAPI_OK);
        assert_int_equal(value, 36 * i);
    }
    assert_int_equal(pthread_join(thread, NULL), 0);
    refused(PAPI_start(other), PAPI_EISRUN, "device 0 counts for another event set of this thread");
    reads(es, 36000LL, END);
    assert_int_equal(PAPI_stop(es, NULL), PAPI_OK);
    assert_int_equal(PAPI_start(other), PAPI_OK);
    assert_int_equal(PAPI_stop(other, NULL), PAPI_OK);
}

static void *leave_running(void *from)
{
    assert_int_equal(PAPI_start(set_of(AMD "SQ_WAVES", NULL)), PAPI_OK);
    return from;
}

/* A thread that ends takes what it left running along, and a shutdown does. */
static void left_running(void **state)
{
    (void)state;
    in_thread(leave_running);
    assert_int_equal(rocp->running, 0);
    leave_running(NULL);
    assert_int_equal(rocp->running, 1);
    PAPI_shutdown();
    assert_int_equal(rocp->running, 0);
    begin_here();
    int es = set_of(AMD "SQ_WAVES", NULL);
    assert_int_equal(PAPI_start(es), PAPI_OK);
    rocp->run(0, 1);
    reads(es, 36LL, END);
    assert_int_equal(PAPI_stop(es, NULL), PAPI_OK);
}

/* The child of a fork is refused, and its end changes nothing for the parent. */
static void forked(void **state)
{
    (void)state;
    int es = set_of(AMD "SQ_WAVES", NULL), status;
    assert_int_equal(PAPI_start(es), PAPI_OK);
    rocp->run(0, 1);
    pid_t child = fork();
    if (child == 0) {
        long long value;
        int own = PAPI_NULL, calls = rocp->starts + rocp->configs;
        bool right = PAPI_read(es, &value) == PAPI_ECLOST && PAPI_create_eventset(&own) == PAPI_OK &&
                     PAPI_add_named_event(own, AMD "SQ_WAVES") == PAPI_ENOSUPP &&
                     strstr(PAPI_strerror(PAPI_ENOSUPP), "forked from") != NULL &&
                     PAPI_destroy_eventset(&es) == PAPI_OK;
        PAPI_shutdown();
        _exit(right && calls == rocp->starts + rocp->configs && rocp->running == 1 ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    rocp->run(0, 1);
    reads(es, 72LL, END);
    assert_int_equal(PAPI_stop(es, NULL), PAPI_OK);
}

/* ---- errors of the running library */

static void start_fails(int wanted, const char *part)
{
    int es = set_of(AMD "SQ_WAVES", AMD "SQ_INSTS:device=1", NULL);
    refused(PAPI_start(es), wanted, part);
    assert_int_equal(rocp->running, 0);
    rocp->start_status = rocp->set_status = rocp->sample_status = rocp->silent_start = rocp->lost_counter = 0;
    rocp->added = 0;
    assert_int_equal(PAPI_start(es), PAPI_OK);
    rocp->run(0, 1);
    reads(es, 36LL, 0LL, END);
    assert_int_equal(PAPI_stop(es, NULL), PAPI_OK);
    assert_int_equal(PAPI_cleanup_eventset(es), PAPI_OK);
}

static void starts_fail(void **state)
{
    (void)state;
    rocp->start_status = 22;
    start_fails(PAPI_ENOSUPP,
                "HSA library not loaded\" (22); start counting after the program's first HIP call");
    rocp->start_status = 12;
    start_fails(PAPI_ENOSUPP, "another tool counts on the device");
    rocp->start_status = 40;
    start_fails(PAPI_ENOSUPP, "usermod -aG render,video");
    rocp->start_status = 28;
    start_fails(PAPI_ENOSUPP, "amdgpu is too old");
    rocp->set_status = 1;
    start_fails(PAPI_ENOSUPP, "does not start to count");
    rocp->silent_start = 1;
    start_fails(PAPI_ENOSUPP, "does not ask what it is to count");
    rocp->sample_status = 1;
    start_fails(PAPI_ESYS, "cannot be read");
    rocp->lost_counter = 1;
    start_fails(PAPI_EMISC, "gave 0 values of SQ_WAVES");
    rocp->added = -1e9;
    start_fails(PAPI_EMISC, "which is no count");
}

static void read_fails(int es, int wanted, const char *part)
{
    long long value = 77;
    refused(PAPI_read(es, &value), wanted, part);
    assert_int_equal(value, 77);
    rocp->sample_status = rocp->too_many = rocp->lost_record = rocp->lost_counter = 0;
    rocp->added = 0;
    reads(es, 36LL, END);
}

static void reads_fail(void **state)
{
    (void)state;
    int es = set_of(AMD "SQ_WAVES", NULL);
    assert_int_equal(PAPI_start(es), PAPI_OK);
    rocp->run(0, 1);
    rocp->sample_status = 1;
    read_fails(es, PAPI_ESYS, "cannot be read: AMD's rocprofiler-sdk answers \"An error\" (1)");
    rocp->too_many = 1;
    read_fails(es, PAPI_EMISC, "gave 9 values where 8 were expected");
    rocp->lost_record = 1;
    read_fails(es, PAPI_EMISC, "gave 7 values of SQ_WAVES, and not 8");
    rocp->lost_counter = 1;
    read_fails(es, PAPI_EMISC, "gave 0 values of SQ_WAVES");
    rocp->added = 0.0 / (rocp->too_many * 1.0);
    read_fails(es, PAPI_EMISC, "nan for SQ_WAVES, which is no count");
    rocp->added = 1e300;
    read_fails(es, PAPI_EMISC, "which is no count");
    rocp->stop_status = 1;
    refused(PAPI_stop(es, NULL), PAPI_ENOSUPP, "does not stop counting");
    rocp->stop_status = 0;
    rocp->added = 100;
    assert_int_equal(PAPI_start(es), PAPI_OK);
    rocp->run(0, 1);
    reads(es, 36LL, END);
    rocp->added = 0;
    refused(PAPI_read(es, (long long[]){0}), PAPI_EMISC, "SQ_WAVES of AMD's device went back");
    assert_int_equal(PAPI_stop(es, NULL), PAPI_EMISC);
}

/* ---- kernel by kernel */

static void kernels_are_counted(void **state)
{
    (void)state;
    int es = set_of(AMD "SQ_WAVES", AMD "SQ_WAVES:XCC=0", AMD "GPUBusy", AMD "SQ_INSTS:device=1", NULL);
    rocp->end(rocp->launch(0, 1000));
    assert_int_equal(PAPI_start(es), PAPI_OK);
    reads(es, 0LL, 0LL, 0LL, 0LL, END);
    rocp->end(rocp->launch(0, 10));
    reads(es, 360LL, 100LL, 13LL, 0LL, END);
    int first = rocp->launch(0, 1), second = rocp->launch(1, 1);
    rocp->end(second);
    rocp->end(first);
    reads(es, 396LL, 110LL, 13LL, 6LL, END);
    assert_int_equal(PAPI_reset(es), PAPI_OK);
    rocp->end(rocp->launch(0, 1));
    assert_int_equal(PAPI_stop(es, NULL), PAPI_OK);
    reads(es, 36LL, 10LL, 13LL, 0LL, END);
    rocp->end(rocp->launch(0, 1000));
    assert_int_equal(PAPI_start(es), PAPI_OK);
    assert_int_equal(PAPI_stop(es, NULL), PAPI_OK);
    reads(es, 0LL, 0LL, 0LL, 0LL, END);
}

/* Missing kernels are said, with the counts of the others. Counts that come after a stop are nobody's. */
static void kernel_has_not_ended(void **state)
{
    (void)state;
    int es = set_of(AMD "SQ_WAVES", NULL);
    long long value;
    assert_int_equal(PAPI_start(es), PAPI_OK);
    rocp->end(rocp->launch(0, 1));
    int kernel = rocp->launch(0, 10);
    refused(PAPI_read(es, &value), PAPI_ECLOST, "1 kernels that were launched have not ended");
    assert_int_equal(value, 36);
    refused(PAPI_stop(es, &value), PAPI_ECLOST, "hipDeviceSynchronize()");
    assert_int_equal(value, 36);
    assert_int_equal(PAPI_start(es), PAPI_OK);
    rocp->end(kernel);
    reads(es, 0LL, END);
    rocp->end(rocp->launch(0, 1));
    assert_int_equal(PAPI_stop(es, &value), PAPI_OK);
    assert_int_equal(value, 36);
}

struct ending {
    int kernel, later;
    double seconds;
};

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void *end_soon(void *data)
{
    struct ending *ending = data;
    double begun = seconds();
    usleep(100000);
    ending->later = rocp->launch(0, 100);
    rocp->end(ending->kernel);
    ending->seconds = seconds() - begun;
    return NULL;
}

/* A reading waits for the kernels that were launched before, and not for later ones. On a machine that is too
 * busy for that the test is repeated. */
static void reading_waits(void **state)
{
    (void)state;
    int es = set_of(AMD "SQ_WAVES", NULL), code;
    struct ending ending;
    long long value;
    do {
        pthread_t thread;
        assert_int_equal(PAPI_start(es), PAPI_OK);
        ending.kernel = rocp->launch(0, 1);
        assert_int_equal(pthread_create(&thread, NULL, end_soon, &ending), 0);
        code = PAPI_read(es, &value);
        assert_int_equal(pthread_join(thread, NULL), 0);
        rocp->end(ending.later);
        if (code == PAPI_OK)
            assert_true(value == 36 || value == 3636); /* the later one had ended as well */
        assert_int_equal(PAPI_stop(es, &value), PAPI_OK);
        assert_int_equal(value, 3636);
    } while (code == PAPI_ECLOST && ending.seconds > 1);
    assert_int_equal(code, PAPI_OK);
}

static void *launch_many(void *from)
{
    for (int i = 0; i < 1000; i++)
        rocp->end(rocp->launch(0, 1));
    return from;
}

static void kernels_of_two_threads(void **state)
{
    (void)state;
    pthread_t thread;
    int es = set_of(AMD "SQ_WAVES", NULL);
    assert_int_equal(PAPI_start(es), PAPI_OK);
    assert_int_equal(pthread_create(&thread, NULL, launch_many, NULL), 0);
    launch_many(NULL);
    assert_int_equal(pthread_join(thread, NULL), 0);
    reads(es, 72000LL, END);
    assert_int_equal(PAPI_stop(es, NULL), PAPI_OK);
}

/* Starts and stops the counting of kernels on a device many times, each of which has its kernel. */
static void count_often(int device, const char *name, long long wanted)
{
    long long value;
    int es = set_of(name, NULL);
    for (int i = 0; i < 300; i++) {
        assert_int_equal(PAPI_start(es), PAPI_OK);
        rocp->end(rocp->launch(device, 1));
        assert_int_equal(PAPI_stop(es, &value), PAPI_OK);
        assert_int_equal(value, wanted);
    }
}

static void *count_on_other(void *from)
{
    count_often(1, AMD "SQ_INSTS:device=1", 6);
    return from;
}

static void kernels_of_two_devices(void **state)
{
    (void)state;
    pthread_t thread;
    assert_int_equal(PAPI_thread_init((unsigned long (*)(void))pthread_self), PAPI_OK);
    assert_int_equal(pthread_create(&thread, NULL, count_on_other, NULL), 0);
    count_often(0, AMD "SQ_WAVES", 36);
    assert_int_equal(pthread_join(thread, NULL), 0);
}

static void kernels_fail(void **state)
{
    (void)state;
    int es = set_of(AMD "SQ_WAVES", NULL);
    long long value = 77;
    rocp->start_status = 12;
    refused(PAPI_start(es), PAPI_ENOSUPP, "kernels are not counted");
    rocp->start_status = 0;
    assert_int_equal(PAPI_start(es), PAPI_OK);
    rocp->lost_counter = 1;
    rocp->end(rocp->launch(0, 1));
    rocp->lost_counter = 0;
    refused(PAPI_read(es, &value), PAPI_EMISC, "no value of an event");
    assert_int_equal(value, 77);
    assert_int_equal(PAPI_stop(es, &value), PAPI_EMISC);
    assert_int_equal(PAPI_start(es), PAPI_OK);
    rocp->end(rocp->launch(0, 1));
    assert_int_equal(PAPI_stop(es, &value), PAPI_OK);
    assert_int_equal(value, 36);
}

/* ---- libraries that do not count here */

static void disabled(const char *part)
{
    const PAPI_component_info_t *info = info_of_component("rocp_sdk");
    assert_int_equal(info->disabled, PAPI_ENOSUPP);
    assert_non_null(strstr(info->disabled_reason, part));
    no_event(AMD "SQ_WAVES", part);
    PAPI_shutdown();
}

static void disabled_now(const char *part)
{
    disabled(part);
    begin_here();
}

static void without_devices(void **state)
{
    (void)state;
    rocp->n_devices = 0;
    disabled_now("finds no device here that this user may use");
    rocp->agents_status = 1;
    disabled_now("the devices: AMD's rocprofiler-sdk answers \"An error\" (1)");
    rocp->agents_status = 0;
    rocp->n_devices = 2;
    rocp->counters_status = 40;
    disabled_now(
        "the counters of a device: AMD's rocprofiler-sdk answers \"An error\" (40); the user must be in");
    rocp->counters_status = 0;
    rocp->version_status = 1;
    disabled_now("the version: ");
    rocp->version_status = 0;
    rocp->major = 0;
    rocp->minor = 4;
    disabled_now("rocprofiler-sdk 0.4.0 is older than 0.5");
}

static void cannot_be_client(const char *part)
{
    assert_int_equal(info_of_component("rocp_sdk")->num_native_events, 9);
    add_refused(empty_set(), AMD "SQ_WAVES", PAPI_ENOSUPP, part);
    PAPI_shutdown();
    begin_here();
    rocp->initialized = rocp->configure_status = rocp->context_status = 0;
    add_refused(empty_set(), AMD "SQ_WAVES", PAPI_ENOSUPP, part); /* as it will stay */
    assert_int_equal(info_of_component("rocp_sdk")->partially_disabled, PAPI_ENOSUPP);
}

static void used_by_another(void **state)
{
    (void)state;
    rocp->initialized = 1;
    cannot_be_client("is in use already, by another tool or since the program's first HIP call");
    assert_int_equal(rocp->configured, 0);
}

static void is_locked(void **state)
{
    (void)state;
    rocp->configure_status = 16;
    cannot_be_client("libpapi is not taken as a tool");
}

static void makes_no_contexts(void **state)
{
    (void)state;
    rocp->context_status = 1;
    cannot_be_client("the counters' configuration: AMD's rocprofiler-sdk answers");
}

static void with_old_names(void **state)
{
    (void)state;
    int es = set_of(AMD "SQ_WAVES", NULL);
    assert_int_equal(PAPI_start(es), PAPI_OK);
    rocp->run(0, 1);
    reads(es, 36LL, END);
    assert_int_equal(PAPI_stop(es, NULL), PAPI_OK);
}

static void lacks_functions(void **state)
{
    (void)state;
    disabled("lacks the function rocprofiler_create_counter_config");
}

/* ROCm's folder by a variable, with a version of before counting worked. */
static void of_old_rocm(void **state)
{
    (void)state;
    begin_here();
    disabled_now("ROCm 6.3.1 in ");
    disabled("is older than 6.3.2");
}

static bool is_loaded(void)
{
    void *library = dlopen("librocprofiler-sdk.so.1", RTLD_LAZY | RTLD_NOLOAD);
    if (library != NULL)
        dlclose(library);
    return library != NULL;
}

/* Without a device of AMD's in sysfs nothing is loaded; with one, the files must be this machine's. */
static void by_sysfs(void **state)
{
    (void)state;
    unsetenv("PAPI_ROCP_SDK_LIB");
    begin_in_folder();
    disabled("there is no AMD device here that the kernel's driver amdgpu serves");
    shows("sys/class/kfd/kfd/topology/nodes/0/gpu_id", "0\n");
    begin_in_folder();
    disabled("there is no AMD device here that the kernel's driver amdgpu serves");
    shows("sys/class/kfd/kfd/topology/nodes/1/gpu_id", "51966\n");
    begin_in_folder();
    disabled("there is no librocprofiler-sdk.so.1 for the files of another machine");
    assert_false(is_loaded());
}

static void nothing_there(void **state)
{
    (void)state;
    setenv("PAPI_ROCP_SDK_LIB", "/nowhere/librocprofiler-sdk.so", 1);
    begin_here();
    disabled("there is no library /nowhere/librocprofiler-sdk.so, which PAPI_ROCP_SDK_LIB names");
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(int argc, char **argv)
{
    const struct CMUnitTest devices[] = {
        TEST(names_are_listed), TEST(forms_are_listed), TEST(events_are_described),
        TEST(wrong_names),      TEST(counts),           TEST(accumulates),
        TEST(not_together),     TEST(not_as_others),    TEST(of_two_threads),
        TEST(left_running),     TEST(forked),           TEST(starts_fail),
        TEST(reads_fail),
    };
    const struct CMUnitTest kernels[] = {
        TEST(kernels_are_counted),    TEST(kernel_has_not_ended),   TEST(reading_waits),
        TEST(kernels_of_two_threads), TEST(kernels_of_two_devices), TEST(kernels_fail),
    };
    const struct CMUnitTest refusing[] = {TEST(without_devices)}, used[] = {TEST(used_by_another)},
                            locked[] = {TEST(is_locked)}, contexts[] = {TEST(makes_no_contexts)},
                            old[] = {TEST(with_old_names)}, lacking[] = {TEST(lacks_functions)},
                            rocm[] = {cmocka_unit_test(of_old_rocm)},
                            none[] = {IN_FOLDER(by_sysfs), cmocka_unit_test(nothing_there)};
#define CASE(name)                                                                                           \
    if (argc > 1 && strcmp(argv[1], #name) == 0)                                                             \
    return TEST_RUN(name)
    CASE(kernels);
    CASE(refusing);
    CASE(used);
    CASE(locked);
    CASE(contexts);
    CASE(old);
    CASE(lacking);
    CASE(rocm);
    CASE(none);
    return TEST_RUN(devices);
}
