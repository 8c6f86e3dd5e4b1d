/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The component cuda with libraries that stand for CUDA's driver and CUPTI, which count what false kernels
 * execute; with an older CUPTI; and without any. The argument says which.
 */
#include "cuda_double.h"
#include "folder.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CUDA "cuda:::"
#define INST CUDA "sm__inst_executed"
#define CYC CUDA "sm__cycles_elapsed"
#define RATE CUDA "l1tex__t_sector_hit_rate"

static struct {
    struct cuda_double *state;
    double_kernel *kernel;
    double_primary_kernel *primary;
    double_new_context *new_context;
    int (*set_current)(void *context);
} gpu;

static void *symbol(void *library, const char *name)
{
    void *found = dlsym(library, name);
    assert_non_null(found);
    return found;
}

/* Held open, so that what the test sets stays. */
static void begin_with_library(void **state)
{
    void *library = dlopen("libcuda.so.1", RTLD_LAZY);
    assert_non_null(library);
    *state = library;
    gpu.state = symbol(library, "cuda_double");
    *(void **)&gpu.kernel = symbol(library, "cuda_double_kernel");
    *(void **)&gpu.primary = symbol(library, "cuda_double_primary_kernel");
    *(void **)&gpu.new_context = symbol(library, "cuda_double_new_context");
    *(void **)&gpu.set_current = symbol(library, "cuCtxSetCurrent");
    begin_here();
}

/* Everything that was opened is closed, and no call was a wrong one. */
static int end(void **state)
{
    PAPI_shutdown();
    unsetenv("PAPI_CUDA_CHIP");
    if (*state == NULL)
        return 0;
    struct cuda_double fresh = {.count = DOUBLE_DEVICES,
                                .level = {3, 3, 3, 3, 3, 3},
                                .n_contexts = DOUBLE_DEVICES,
                                .context = {{0}, {1, {{0}}}}};
    int wrong = gpu.state->misused + gpu.state->hosts + gpu.state->sessions + gpu.state->retained;
    gpu.set_current(NULL);
    *gpu.state = fresh;
    return wrong;
}

static PAPI_event_info_t event_info(const char *name)
{
    PAPI_event_info_t info;
    int code;
    assert_int_equal(PAPI_event_name_to_code(name, &code), PAPI_OK);
    assert_int_equal(PAPI_get_event_info(code, &info), PAPI_OK);
    return info;
}

static void not_added(const char *name, int code, const char *part)
{
    int es = PAPI_NULL;
    assert_int_equal(PAPI_create_eventset(&es), PAPI_OK);
    refused(PAPI_add_named_event(es, name), code, part);
}

/* ---- names */

static void listed_when_asked(void **state)
{
    begin_with_library(state);
    assert_int_equal(gpu.state->started, 0);
    assert_int_equal(info_of_component("cuda")->disabled, PAPI_OK);
    /* Events of both chips: 6 counters with 3 forms each, a ratio, 2 throughputs with and without the
     * submetric. */
    assert_int_equal(info_of_component("cuda")->num_native_events, 6 * 3 + 1 + 2 * 2);
    assert_true(gpu.state->started > 0);
}

static void forms_of_an_event(void **state)
{
    begin_with_library(state);
    int event;
    char name[PAPI_MAX_STR_LEN];
    static const char *const forms[] = {":stat=avg", ":stat=max", ":stat=min", ":stat=sum",
                                        ":device=0", ":device=1", ":real"};
    assert_int_equal(PAPI_event_name_to_code(INST ".per_second", &event), PAPI_OK);
    for (int i = 0; i < 7; i++) {
        char wanted[PAPI_MAX_STR_LEN];
        snprintf(wanted, sizeof wanted, INST ".per_second%s", forms[i]);
        assert_int_equal(PAPI_enum_event(&event, PAPI_NTV_ENUM_UMASKS), PAPI_OK);
        assert_int_equal(PAPI_event_code_to_name(event, name), PAPI_OK);
        assert_string_equal(name, wanted);
        assert_int_equal(PAPI_query_event(event), PAPI_OK);
    }
    assert_int_equal(PAPI_enum_event(&event, PAPI_NTV_ENUM_UMASKS), PAPI_ENOEVNT);
}

static void described(void **state)
{
    begin_with_library(state);
    PAPI_event_info_t info = event_info(INST ":stat=sum");
    assert_string_equal(info.long_descr, "# of what is counted; sum; 1 pass");
    assert_string_equal(info.units, "instruction");
    assert_int_equal(info.data_type, PAPI_DATATYPE_INT64);
    assert_int_equal(info.value_type, PAPI_VALUETYPE_RUNNING_SUM);
    info = event_info(INST ".per_second:stat=max:device=1:real");
    assert_string_equal(info.long_descr, "# of what is counted; max; 1 pass");
    assert_string_equal(info.units, "instruction/second");
    assert_int_equal(info.data_type, PAPI_DATATYPE_FP64);
    assert_int_equal(info.value_type, PAPI_VALUETYPE_ABSOLUTE);
    info = event_info(CUDA "sm__throughput:stat=avg:device=0");
    assert_string_equal(info.long_descr, "# of what is counted; avg, rounded; 8 passes: not counted");
    assert_string_equal(info.units, "percent");
    int listed = PAPI_NATIVE_MASK; /* which takes too long for all of a list */
    assert_int_equal(PAPI_enum_cmp_event(&listed, PAPI_ENUM_FIRST, PAPI_get_component_index("cuda")),
                     PAPI_OK);
    assert_int_equal(PAPI_get_event_info(listed, &info), PAPI_OK);
    assert_string_equal(info.long_descr, "# of what is counted; avg, rounded");
}

static void wrong_names(void **state)
{
    begin_with_library(state);
    no_event(CUDA "sm__inst_execute:stat=sum", "the nearest is " INST);
    no_event(INST ":stat=total", "sm__inst_executed has no statistic \"total\"; it has avg, max, min, sum");
    no_event(RATE ":stat=sum", "it has max_rate, pct, ratio");
    no_event(INST ":stat=sum:stat=sum", "has the qualifier \":stat=\" twice");
    no_event(INST ":device=0:device=1", "has the qualifier \":device=\" twice");
    no_event(INST ":device=2", "there is no device \"2\" that has it; these have: 0 1");
    no_event(INST ":device=-1", "there is no device \"-1\"");
    no_event(INST ":device=00000000000000000000000000001", "there is no device");
    no_event(INST ":device=", "there is no device \"\"");
    no_event(INST ":stat", "\":stat\" is none of the qualifiers");
    no_event(INST ":", "\":\" is none of the qualifiers");
    no_event(INST ":stat=sum:", "\":\" is none of the qualifiers");
    no_event(INST ":realistic", "\":realistic\" is none of the qualifiers");
    no_event(INST ".sum", "papi_native_avail");
    no_event(CUDA "ada__inst_executed:device=0", "there is no device \"0\" that has it; these have: 1");
    no_event(CUDA "dram__bytes.per_cent", "papi_native_avail");
}

/* The first device that has it, and the first statistic. */
static void defaults(void **state)
{
    begin_with_library(state);
    int es = set_of(INST, CUDA "ada__inst_executed", NULL);
    assert_int_equal(PAPI_start(es), PAPI_OK);
    gpu.primary(0, 10);
    gpu.primary(1, 100);
    reads(es, 20LL, 200LL, END);
    assert_int_equal(PAPI_stop(es, NULL), PAPI_OK);
}

/* ---- counting */

static void counts(void **state)
{
    begin_with_library(state);
    int es = set_of(INST ":stat=sum", INST ":stat=avg", INST ":stat=min", INST ":stat=max",
                    CYC ":stat=sum:device=1", CYC ".per_second:stat=sum:device=1", RATE ":stat=pct:device=1",
                    NULL);
    gpu.primary(0, 1000); /* before the start */
    assert_int_equal(PAPI_start(es), PAPI_OK);
    gpu.primary(0, 5);
    gpu.primary(1, 7);
    long long value[7], first[] = {20, 10, 5, 15, 280, 35, 75}, second[] = {60, 30, 5, 30, 280, 35, 75};
    assert_int_equal(PAPI_read(es, value), PAPI_OK);
    assert_memory_equal(value, first, sizeof value);
    gpu.primary(0, 10);
    assert_int_equal(PAPI_stop(es, value), PAPI_OK);
    second[5] = value[5];
    assert_memory_equal(value, second, sizeof value);
    gpu.primary(0, 1000); /* while it is stopped */
    assert_int_equal(PAPI_read(es, value), PAPI_OK);
    assert_memory_equal(value, second, sizeof value);
    assert_int_equal(PAPI_start(es), PAPI_OK);
    gpu.primary(0, 1);
    gpu.primary(1, 1);
    assert_int_equal(PAPI_stop(es, value), PAPI_OK);
    long long third[] = {4, 2, 1, 3, 40, 5, 75};
    assert_memory_equal(value, third, sizeof value);
    assert_true(gpu.state->synchronized >= 6);
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* A rate is averaged over the time of its readings: a second one that lasted the longer weighs the more. */
static void rates_are_weighted(void **state)
{
    begin_with_library(state);
    static const struct timespec longer = {.tv_nsec = 300000000};
    int es = set_of(INST ".per_second:stat=sum:real", NULL);
    double rate, began = now();
    assert_int_equal(PAPI_start(es), PAPI_OK);
    gpu.primary(0, 20000); /* 10000 a second, for the double has 8 seconds pass */
    assert_int_equal(PAPI_read(es, (long long *)&rate), PAPI_OK);
    assert_true(rate == 10000);
    double first = now() - began; /* at most */
    gpu.primary(0, 2000);
    nanosleep(&longer, NULL);
    assert_int_equal(PAPI_stop(es, (long long *)&rate), PAPI_OK);
    assert_true(rate > 1000 && rate <= (10000 * first + 1000 * 0.3) / (first + 0.3) + 1e-6);
}

static void reset_begins_anew(void **state)
{
    begin_with_library(state);
    long long value[3] = {0};
    int es = set_of(INST ":stat=sum", INST ":stat=max", RATE ":stat=pct", NULL);
    assert_int_equal(PAPI_start(es), PAPI_OK);
    gpu.primary(0, 100);
    assert_int_equal(PAPI_reset(es), PAPI_OK);
    gpu.primary(0, 2);
    reads(es, 8LL, 6LL, 75LL, END);
    gpu.primary(0, 1);
    reads(es, 12LL, 6LL, 75LL, END);
    refused(PAPI_accum(es, value), PAPI_ECMP, "cannot be added up");
    assert_int_equal(PAPI_stop(es, NULL), PAPI_OK);
    assert_int_equal(PAPI_reset(es), PAPI_OK);
    reads(es, 0LL, 0LL, 0LL, END);
    es = set_of(INST ":stat=sum", NULL);
    assert_int_equal(PAPI_start(es), PAPI_OK);
    value[0] = 1000;
    for (int i = 1; i <= 3; i++) {
        gpu.primary(0, 1);
        assert_int_equal(PAPI_accum(es, value), PAPI_OK);
        assert_int_equal(value[0], 1000 + 4 * i);
    }
    reads(es, 0LL, END);
    assert_int_equal(PAPI_stop(es, NULL), PAPI_OK);
}

/* A share of nothing is an error, and the counts beside it are there. */
static void no_share_of_nothing(void **state)
{
    begin_with_library(state);
    int es = set_of(INST ":stat=sum", RATE ":stat=pct", RATE ":stat=ratio:real", NULL);
    long long value[3];
    double ratio;
    assert_int_equal(PAPI_start(es), PAPI_OK);
    refused(PAPI_read(es, value), PAPI_ECLOST, "l1tex__t_sector_hit_rate:stat=");
    assert_int_equal(value[0], 0);
    assert_true(value[1] == INT64_MIN);
    memcpy(&ratio, &value[2], sizeof ratio);
    assert_true(ratio != ratio);
    assert_int_equal(PAPI_reset(es), PAPI_OK);
    gpu.primary(0, 1);
    assert_int_equal(PAPI_read(es, value), PAPI_OK);
    assert_int_equal(PAPI_read(es, value), PAPI_OK); /* a range of nothing weighs nothing */
    assert_int_equal(value[0], 4);
    assert_int_equal(value[1], 75);
    memcpy(&ratio, &value[2], sizeof ratio);
    assert_true(ratio == 0.75);
    assert_int_equal(PAPI_stop(es, NULL), PAPI_OK);
}

/* An event that comes to a set, and one that leaves it, change nothing of the others. */
static void sets_change(void **state)
{
    begin_with_library(state);
    int es = set_of(INST ":stat=sum", INST ":stat=max:device=1", NULL);
    assert_int_equal(PAPI_start(es), PAPI_OK);
    gpu.primary(0, 1);
    gpu.primary(1, 2);
    assert_int_equal(PAPI_stop(es, NULL), PAPI_OK);
    assert_int_equal(PAPI_add_named_event(es, CYC ":stat=sum"), PAPI_OK);
    reads(es, 4LL, 6LL, 0LL, END);
    assert_int_equal(PAPI_remove_named_event(es, INST ":stat=sum"), PAPI_OK);
    reads(es, 6LL, 0LL, END);
    assert_int_equal(PAPI_start(es), PAPI_OK);
    gpu.primary(0, 1);
    assert_int_equal(PAPI_stop(es, NULL), PAPI_OK);
    reads(es, 0LL, 40LL, END);
}

/* ---- passes */

static void passes(void **state)
{
    begin_with_library(state);
    not_added(CUDA "sm__throughput:stat=avg", PAPI_EMULPASS, "8 times");
    int code, es = set_of(INST ":stat=sum", CYC ":stat=sum", CUDA "dram__bytes:stat=sum", NULL);
    refused(PAPI_add_named_event(es, RATE ":stat=pct"), PAPI_EMULPASS, "2 times");
    /* The other device has a pass of its own. */
    assert_int_equal(PAPI_add_named_event(es, INST ":stat=sum:device=1"), PAPI_OK);
    assert_int_equal(PAPI_start(es), PAPI_OK);
    gpu.primary(0, 1);
    gpu.primary(1, 2);
    reads(es, 4LL, 40LL, 256LL, 8LL, END);
    assert_int_equal(PAPI_stop(es, NULL), PAPI_OK);
    es = set_of(CUDA "smsp__sass_thread_inst_executed_op_dfma_pred_on:stat=sum", NULL);
    refused(PAPI_add_named_event(es, INST ":stat=sum"), PAPI_EMULPASS, "2 times");
    refused(PAPI_add_named_event(es, CUDA "CTC.TriageCompute.ctc__rx_bytes:stat=sum"), PAPI_ECNFLCT,
            "CTC.TriageCompute.ctc__rx_bytes:stat=sum cannot be counted together with smsp__sass");
    assert_int_equal(PAPI_event_name_to_code(CUDA "sm__throughput", &code), PAPI_OK);
    assert_int_equal(PAPI_query_event(code), PAPI_EMULPASS);
}

/* ---- who counts where */

static void one_set_runs(void **state)
{
    begin_with_library(state);
    int es = set_of(INST ":stat=sum", NULL), same = set_of(CYC ":stat=sum", NULL),
        other = set_of(INST ":stat=sum:device=1", NULL);
    assert_int_equal(PAPI_start(es), PAPI_OK);
    refused(PAPI_start(es), PAPI_EISRUN, "is running");
    refused(PAPI_start(same), PAPI_EISRUN, "device 0 counts for another event set of this thread");
    assert_int_equal(PAPI_start(other), PAPI_OK);
    gpu.primary(0, 1);
    gpu.primary(1, 3);
    reads(es, 4LL, END);
    reads(other, 12LL, END);
    assert_int_equal(PAPI_stop(other, NULL), PAPI_OK);
    assert_int_equal(PAPI_stop(es, NULL), PAPI_OK);
    assert_int_equal(PAPI_start(same), PAPI_OK);
    gpu.primary(0, 1);
    assert_int_equal(PAPI_stop(same, NULL), PAPI_OK);
    reads(same, 40LL, END);
}

struct worker {
    int device;
    bool refused;
    long long n, counted;
    int failed; /* checks: cmocka's are for its own thread alone */
};

static pthread_barrier_t barrier;

static void *count_in_thread(void *argument)
{
    struct worker *worker = argument;
    char name[PAPI_MAX_STR_LEN];
    int es = PAPI_NULL;
    snprintf(name, sizeof name, INST ":stat=sum:device=%d", worker->device);
    gpu.new_context(worker->device);
    worker->failed += PAPI_create_eventset(&es) != PAPI_OK;
    worker->failed += PAPI_add_named_event(es, name) != PAPI_OK;
    if (worker->refused)
        pthread_barrier_wait(&barrier);
    int code = PAPI_start(es);
    worker->failed += code != (worker->refused ? PAPI_ECNFLCT : PAPI_OK);
    worker->failed += worker->refused && strstr(PAPI_strerror(code),
                                                "device 0 counts for an event set of another thread") == NULL;
    if (!worker->refused)
        pthread_barrier_wait(&barrier);
    for (int i = 0; i < 10 && !worker->refused; i++) {
        gpu.kernel((uint64_t)worker->n);
        worker->failed += PAPI_read(es, &worker->counted) != PAPI_OK;
        worker->failed += worker->counted != 4 * worker->n * (i + 1);
    }
    pthread_barrier_wait(&barrier);
    worker->failed += !worker->refused && PAPI_stop(es, &worker->counted) != PAPI_OK;
    return NULL;
}

/* Each thread counts what its own context runs. */
static void threads_have_contexts(void **state)
{
    begin_with_library(state);
    struct worker worker[] = {{.device = 0, .n = 3}, {.device = 1, .n = 5}, {.device = 0, .refused = true}};
    pthread_t thread[3];
    assert_int_equal(PAPI_thread_init(pthread_self), PAPI_OK);
    pthread_barrier_init(&barrier, NULL, 3);
    for (int i = 0; i < 3; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, count_in_thread, &worker[i]), 0);
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
    for (int i = 0; i < 3; i++)
        assert_int_equal(worker[i].failed, 0);
    pthread_barrier_destroy(&barrier);
    assert_int_equal(worker[0].counted, 120);
    assert_int_equal(worker[1].counted, 200);
}

/* A current context of another device is not used, and is current again afterwards. */
static void context_of_another_device(void **state)
{
    begin_with_library(state);
    gpu.new_context(1);
    int es = set_of(INST ":stat=sum:device=0", INST ":stat=sum:device=1", NULL);
    assert_int_equal(PAPI_start(es), PAPI_OK);
    assert_int_equal(gpu.state->retained, 1);
    gpu.primary(0, 1);
    gpu.primary(1, 100);
    gpu.kernel(2);
    reads(es, 4LL, 8LL, END);
    gpu.kernel(1);
    assert_int_equal(PAPI_stop(es, NULL), PAPI_OK);
    reads(es, 4LL, 12LL, END);
    assert_int_equal(gpu.state->retained, 0);
}

/* ---- ends */

/* The number of the first wrong answer in the child of a process whose set is running. */
static int in_child(int parents)
{
    long long value;
    int es = PAPI_NULL;
    if (PAPI_read(parents, &value) != PAPI_ECLOST)
        return 1;
    if (PAPI_create_eventset(&es) != PAPI_OK)
        return 2;
    int code = PAPI_add_named_event(es, CYC ":stat=sum");
    if (code != PAPI_ENOSUPP || strstr(PAPI_strerror(code), "does not work in its children") == NULL)
        return 3;
    /* The parent's plan stays where it is, which valgrind calls a leak. */
    if (!test_under_valgrind() && PAPI_cleanup_eventset(parents) != PAPI_OK)
        return 4;
    return gpu.state->sessions == 1 ? 0 : 5;
}

static void forks(void **state)
{
    begin_with_library(state);
    int es = set_of(INST ":stat=sum", NULL);
    assert_int_equal(PAPI_start(es), PAPI_OK);
    gpu.primary(0, 1);
    int status;
    pid_t child = fork();
    if (child == 0)
        _exit(in_child(es));
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    gpu.primary(0, 1);
    reads(es, 8LL, END);
    assert_int_equal(PAPI_stop(es, NULL), PAPI_OK);
}

static void shut_down_while_it_runs(void **state)
{
    begin_with_library(state);
    int es = set_of(INST ":stat=sum", INST ":stat=sum:device=1", NULL);
    assert_int_equal(PAPI_start(es), PAPI_OK);
    assert_int_equal(gpu.state->sessions, 2);
    PAPI_shutdown();
    assert_int_equal(gpu.state->sessions, 0);
    begin_here();
    es = set_of(INST ":stat=sum", NULL);
    assert_int_equal(PAPI_start(es), PAPI_OK);
    assert_int_equal(PAPI_cleanup_eventset(es), PAPI_EISRUN);
    assert_int_equal(PAPI_stop(es, NULL), PAPI_OK);
    assert_int_equal(gpu.state->sessions, 0);
}

static void *start_in_thread(void *argument)
{
    int es = PAPI_NULL;
    *(int *)argument = PAPI_create_eventset(&es) ?: PAPI_add_named_event(es, INST ":stat=sum") ?: PAPI_start(es);
    return NULL;
}

/* A thread that ends gives its device back. */
static void ends_while_it_runs(void **state)
{
    begin_with_library(state);
    pthread_t thread;
    int code = 1;
    assert_int_equal(PAPI_thread_init(pthread_self), PAPI_OK);
    assert_int_equal(pthread_create(&thread, NULL, start_in_thread, &code), 0);
    pthread_join(thread, NULL);
    assert_int_equal(code, PAPI_OK);
    assert_int_equal(gpu.state->sessions, 0);
    int es = set_of(INST ":stat=sum", NULL);
    assert_int_equal(PAPI_start(es), PAPI_OK);
    gpu.primary(0, 1);
    reads(es, 4LL, END);
    assert_int_equal(PAPI_stop(es, NULL), PAPI_OK);
}

static volatile sig_atomic_t handled;
static int handled_set;

static void read_in_handler(int signal)
{
    long long value;
    (void)signal;
    if (PAPI_read(handled_set, &value) == PAPI_OK)
        handled++;
}

/* A handler waits until the libraries are done: their locks are held no more. */
static void handlers(void **state)
{
    begin_with_library(state);
    struct itimerval often = {{0, 200}, {0, 200}}, never = {{0, 0}, {0, 0}};
    long long value = 0;
    handled_set = set_of(INST ":stat=sum", NULL);
    assert_int_equal(PAPI_start(handled_set), PAPI_OK);
    signal(SIGALRM, read_in_handler);
    setitimer(ITIMER_REAL, &often, NULL);
    int n = 0;
    for (; handled < 50; n++) {
        gpu.primary(0, 1);
        assert_int_equal(PAPI_read(handled_set, &value), PAPI_OK);
    }
    setitimer(ITIMER_REAL, &never, NULL);
    signal(SIGALRM, SIG_IGN); /* and not SIG_DFL: one that was sent before may come later */
    assert_int_equal(PAPI_stop(handled_set, &value), PAPI_OK);
    assert_int_equal(value, 4 * n);
    assert_int_equal(gpu.state->within, 0);
}

/* ---- errors */

static void lost_counts(void **state)
{
    begin_with_library(state);
    long long value = -7;
    int es = set_of(INST ":stat=sum", NULL);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(PAPI_start(es), PAPI_OK);
        gpu.state->dropped = i == 0;
        gpu.state->not_submitted = i == 1;
        gpu.state->no_number = i == 2;
        refused(PAPI_read(es, &value), PAPI_EMISC, i == 2 ? "the device gave no number" : "counts are lost");
        gpu.state->dropped = gpu.state->not_submitted = gpu.state->no_number = 0;
        refused(PAPI_read(es, &value), PAPI_EMISC, i == 2 ? "the device gave no number" : "counts are lost");
        assert_int_equal(PAPI_stop(es, &value), PAPI_EMISC);
        assert_int_equal(value, -7);
    }
    assert_int_equal(PAPI_start(es), PAPI_OK);
    gpu.primary(0, 1);
    assert_int_equal(PAPI_stop(es, &value), PAPI_OK);
    assert_int_equal(value, 4);
    gpu.state->start_result = 999;
    refused(PAPI_start(es), PAPI_EMISC, "CUPTI answers CUPTI_ERROR_UNKNOWN (999)");
    assert_int_equal(gpu.state->sessions, 0);
}

/* The reason why the component is disabled. */
static void disabled(int code, const char *part)
{
    PAPI_shutdown();
    begin_here();
    const PAPI_component_info_t *info = info_of_component("cuda");
    assert_int_equal(info->disabled, code);
    if (strstr(info->disabled_reason, part) == NULL)
        fail_msg("\"%s\" is not in: %s", part, info->disabled_reason);
}

static void reasons_of_the_driver(void **state)
{
    begin_with_library(state);
    gpu.state->init_result = 100;
    disabled(PAPI_ENOSUPP, "nvidia-smi -L");
    assert_int_equal(info_of_component("cuda")->num_native_events, 0);
    no_event(INST, "there is no device here");
    gpu.state->init_result = 999;
    disabled(PAPI_ENOSUPP, "the NVIDIA driver answers CUDA_ERROR_UNKNOWN (999)");
    gpu.state->init_result = gpu.state->count = 0;
    disabled(PAPI_ENOSUPP, "there is no device here");
    assert_int_equal(gpu.state->loaded, 0);
}

static void reasons_of_devices(void **state)
{
    begin_with_library(state);
    enum { ARCHITECTURE, SLI, VIRTUAL, CONFIDENTIAL, MINING };
    static const struct {
        int part, level, code;
        const char *text;
    } cases[] = {{ARCHITECTURE, 1, PAPI_ENOSUPP, "13 from Turing (7.5)"},
                 {SLI, 1, PAPI_ENOSUPP, "(SLI)"},
                 {VIRTUAL, 1, PAPI_ENOSUPP, "it is a virtual device, which has no counters"},
                 {VIRTUAL, 2, PAPI_EPERM, "enable_profiling=1"},
                 {CONFIDENTIAL, 1, PAPI_ENOSUPP, "nvidia-smi conf-compute"},
                 {MINING, 1, PAPI_ENOSUPP, "a processor for mining"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        gpu.state->level[cases[i].part] = cases[i].level;
        disabled(cases[i].code, cases[i].text);
        gpu.state->level[cases[i].part] = 3;
    }
    gpu.state->initialize_result = 39;
    disabled(PAPI_ECNFLCT, "another profiler has the counters");
    gpu.state->initialize_result = 0;
    /* The other device counts. */
    gpu.state->chip_result[0] = 46;
    disabled(PAPI_OK, "");
    assert_int_equal(info_of_component("cuda")->partially_disabled, PAPI_ENOSUPP);
    assert_non_null(strstr(info_of_component("cuda")->partially_disabled_reason,
                           "device 0 (First GPU, XX900): this toolkit's CUPTI does not know the chip"));
    no_event(INST ":device=0", "these have: 1");
    int es = set_of(INST ":stat=sum", NULL);
    assert_int_equal(PAPI_start(es), PAPI_OK);
    gpu.primary(1, 1);
    assert_int_equal(PAPI_stop(es, NULL), PAPI_OK);
    reads(es, 4LL, END);
    gpu.state->chip_result[0] = 27;
    gpu.state->chip_result[1] = 46;
    disabled(PAPI_ENOSUPP, "device 0 (First GPU, GV100): this toolkit's CUPTI does not count on it");
}

static void reasons_in_a_context(void **state)
{
    static const struct {
        int result, code;
        const char *text;
    } cases[] = {{35, PAPI_EPERM, "NVreg_RestrictProfilingToAdminUsers=0"},
                 {43, PAPI_ENOSUPP, "nvidia-smi -mig 0"},
                 {33, PAPI_ENOSUPP, "virtual device"},
                 {999, PAPI_EMISC, "CUPTI answers CUPTI_ERROR_UNKNOWN (999)"}};
    begin_with_library(state);
    for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
        PAPI_shutdown();
        *(i % 2 == 0 ? &gpu.state->availability_result : &gpu.state->enable_result) = cases[i / 2].result;
        begin_here();
        not_added(INST ":stat=sum", cases[i / 2].code, cases[i / 2].text);
        gpu.state->availability_result = gpu.state->enable_result = 0;
        not_added(CYC ":stat=sum", cases[i / 2].code, cases[i / 2].text); /* which is remembered */
        assert_int_equal(gpu.state->retained, 0);
    }
    PAPI_shutdown();
    begin_here();
    gpu.state->enable_result = 39;
    not_added(INST ":stat=sum", PAPI_ECNFLCT, "dcgmi profile --pause");
    gpu.state->enable_result = 0; /* the other one has ended */
    set_of(INST ":stat=sum", NULL);
}

/* A library that a variable names is the only one tried. */
static void variables(void **state)
{
    static const char *const names[] = {"PAPI_CUDA_CUPTI", "PAPI_CUDA_PERFWORKS", "PAPI_CUDA_ROOT"};
    begin_with_library(state);
    for (int i = 0; i < 3; i++) {
        char part[80];
        snprintf(part, sizeof part, "/nowhere, which %s names", names[i]);
        setenv(names[i], "/nowhere", 1);
        disabled(PAPI_ENOSUPP, part);
        unsetenv(names[i]);
    }
    disabled(PAPI_OK, "");
}

static void does_not_attach(void **state)
{
    PAPI_option_t option = {.cpu = {.cpu_num = 0}};
    begin_with_library(state);
    int es = set_of(INST, NULL);
    option.cpu.eventset = es;
    refused(PAPI_set_opt(PAPI_CPU_ATTACH, &option), PAPI_ECMP, "without PAPI_attach");
    long long value = 1;
    assert_int_equal(PAPI_start(es), PAPI_OK);
    gpu.primary(0, 1);
    refused(PAPI_write(es, &value), PAPI_ECMP, "cannot be set");
    assert_int_equal(PAPI_stop(es, NULL), PAPI_OK);
}

static void a_chip_alone(void **state)
{
    setenv("PAPI_CUDA_CHIP", "AD102", 1);
    begin_with_library(state);
    assert_int_equal(info_of_component("cuda")->disabled, PAPI_ENOSUPP);
    assert_non_null(strstr(info_of_component("cuda")->disabled_reason, "unset it to count"));
    assert_string_equal(event_info(CUDA "ada__inst_executed:stat=sum").long_descr,
                        "# of what is counted; sum; 1 pass");
    no_event(CUDA "CTC.TriageCompute.ctc__rx_bytes", "papi_native_avail");
    not_added(INST ":stat=sum", PAPI_ENOSUPP, "PAPI_CUDA_CHIP has the events of AD102 listed");
    setenv("PAPI_CUDA_CHIP", "XY1", 1);
    disabled(PAPI_ENOSUPP, "PAPI_CUDA_CHIP (XY1): this toolkit's CUPTI does not know the chip");
    gpu.state->init_result = 100;
    setenv("PAPI_CUDA_CHIP", "GH100", 1);
    disabled(PAPI_ENOSUPP, "nvidia-smi -L lists them; PAPI_CUDA_CHIP has the events of GH100 listed");
    assert_string_equal(event_info(INST).units, "instruction");
}

/* ---- with other libraries, or none */

static int count_listed(void)
{
    int n = 0, event = PAPI_NATIVE_MASK, cuda = PAPI_get_component_index("cuda");
    for (int code = PAPI_enum_cmp_event(&event, PAPI_ENUM_FIRST, cuda); code == PAPI_OK;
         code = PAPI_enum_cmp_event(&event, PAPI_ENUM_EVENTS, cuda))
        n++;
    return n;
}

/* The real CUPTI has the metrics of chips that are not here. */
static void with_real_cupti(const char *chip, int at_least)
{
    if (getenv("PAPI_CUDA_ROOT") == NULL)
        SKIP("no CUDA toolkit was found as this was built");
    setenv("PAPI_CUDA_CHIP", chip, 1);
    clock_t began = clock();
    begin_here();
    int n = count_listed();
    double seconds = (double)(clock() - began) / CLOCKS_PER_SEC;
    printf("%s: %d events, %.3f s of processor time\n", chip, n, seconds);
    assert_true(n > at_least && seconds < 5); /* it takes less than one */
    assert_int_equal(info_of_component("cuda")->disabled, PAPI_ENOSUPP);
    assert_non_null(strstr(info_of_component("cuda")->disabled_reason, chip));
    assert_int_equal(n, info_of_component("cuda")->num_native_events);
    PAPI_event_info_t info = event_info(CUDA "sm__cycles_elapsed:stat=sum");
    assert_non_null(strstr(info.long_descr, "of cycles elapsed on SM; sum; 1 pass"));
    assert_string_equal(event_info(CUDA "sm__inst_executed:stat=sum").units, "instruction");
    assert_string_equal(event_info(CUDA "sm__inst_executed.per_second:stat=sum").units, "instruction/second");
    info = event_info(CUDA "sm__throughput:stat=avg:device=0");
    assert_string_equal(info.units, "percent");
    assert_non_null(strstr(info.long_descr, " passes: not counted"));
    info = event_info(CUDA "smsp__sass_thread_inst_executed_op_ffma_pred_on:stat=sum");
    assert_non_null(strstr(info.long_descr, "; 1 pass"));
    no_event(CUDA "sm__cycle_elapsed:stat=sum", "the nearest is " CUDA "sm__cycles_elapsed");
    not_added(CUDA "sm__cycles_elapsed:stat=sum", PAPI_ENOSUPP, "PAPI_CUDA_CHIP has the events of");
}

static void real_gh100(void **state)
{
    (void)state;
    with_real_cupti("GH100", 30000);
}

static void real_ga100(void **state)
{
    (void)state;
    with_real_cupti("GA100", 25000);
}

static void real_ad102(void **state)
{
    (void)state;
    with_real_cupti("AD102", 25000);
}

static void real_unknown(void **state)
{
    (void)state;
    if (getenv("PAPI_CUDA_ROOT") == NULL)
        SKIP("no CUDA toolkit was found as this was built");
    setenv("PAPI_CUDA_CHIP", "GX999", 1);
    begin_here();
    assert_non_null(strstr(info_of_component("cuda")->disabled_reason,
                           "PAPI_CUDA_CHIP (GX999): this toolkit's CUPTI does not know"));
}

static void with_old_cupti(void **state)
{
    begin_with_library(state);
    disabled(PAPI_ENOSUPP, "lacks the function cuptiProfilerHostInitialize");
    assert_non_null(strstr(info_of_component("cuda")->disabled_reason, "CUDA 12.6"));
    no_event(INST, "CUDA 12.6");
}

static void without_driver(void **state)
{
    (void)state;
    void *library = dlopen("libcuda.so.1", RTLD_LAZY);
    if (library != NULL) {
        dlclose(library);
        SKIP("this machine has libcuda.so.1");
    }
    begin_here();
    disabled(PAPI_ENOSUPP, "there is no libcuda.so.1, which the driver of NVIDIA's devices brings");
    assert_non_null(strstr(info_of_component("cuda")->disabled_reason, "PAPI_CUDA_CHIP=GH100"));
    no_event(INST, "install the driver");
    library = dlopen("libcupti.so.13", RTLD_LAZY | RTLD_NOLOAD);
    assert_null(library);
}

static void of_another_machine(void **state)
{
    (void)state;
    begin_in_folder();
    assert_int_equal(info_of_component("cuda")->disabled, PAPI_ENOSUPP);
    assert_non_null(strstr(info_of_component("cuda")->disabled_reason, "PAPI_SYSROOT"));
}

#define TEST(test) cmocka_unit_test_teardown(test, end)

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        TEST(listed_when_asked),
        TEST(forms_of_an_event),
        TEST(described),
        TEST(wrong_names),
        TEST(defaults),
        TEST(counts),
        TEST(rates_are_weighted),
        TEST(reset_begins_anew),
        TEST(no_share_of_nothing),
        TEST(sets_change),
        TEST(passes),
        TEST(one_set_runs),
        TEST(threads_have_contexts),
        TEST(context_of_another_device),
        TEST(forks),
        TEST(shut_down_while_it_runs),
        TEST(ends_while_it_runs),
        TEST(handlers),
        TEST(lost_counts),
        TEST(reasons_of_the_driver),
        TEST(reasons_of_devices),
        TEST(reasons_in_a_context),
        TEST(variables),
        TEST(does_not_attach),
        TEST(a_chip_alone),
    };
    const struct CMUnitTest of_old[] = {TEST(with_old_cupti)};
    const struct CMUnitTest of_none[] = {TEST(without_driver), IN_FOLDER(of_another_machine)};
    const struct CMUnitTest of_real[] = {TEST(real_gh100), TEST(real_ga100), TEST(real_ad102),
                                         TEST(real_unknown)};
    if (argc > 1 && strcmp(argv[1], "real") == 0)
        return TEST_RUN(of_real);
    if (argc > 1 && strcmp(argv[1], "old") == 0)
        return TEST_RUN(of_old);
    if (argc > 1 && strcmp(argv[1], "none") == 0)
        return TEST_RUN(of_none);
    return TEST_RUN(tests);
}
