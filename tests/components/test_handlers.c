/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Signal handlers that count: a timer of 100 us interrupts a program that allocates, loads libraries and
 * counts itself, and its handler reads, accumulates, resets, stops and starts, on event sets of its own and
 * on the one that the program is using. Every value lies within what the program is known to have done.
 */
#include "../interrupted.h"
#include "amd_double.h"
#include "folder.h"
#include "level_zero_double.h"
#include "nvml_double.h"
#include "pcp_double.h"
#include "rocp_double.h"
#include "sensors_double.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sde_lib.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 6, RECORDED = 1000, RUN_MS = 100 };

/* ---- what the program does, and is known to have done */

static volatile long long steps;
static double halves;
static void *sizes, *kinds, *added;

static long long no_work(int event)
{
    (void)event;
    return 0;
}

static long long steps_done(int event)
{
    (void)event;
    return steps;
}

static long long faults(int event)
{
    struct rusage usage;
    (void)event;
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_minflt + usage.ru_majflt;
}

/* A clock of processor time, whose kernel's fellow need not agree with that for threads. */
static long long time_gone(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static volatile int refusals;

/* A fault that a signal interrupts begins twice, and is one for getrusage. */
static long long perf_truth(int event)
{
    return event == 0 ? faults(0) + signals : time_gone();
}

static void touch(void)
{
    enum { SIZE = 8192 };
    char *page = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        return;
    ((volatile char *)page)[0] = 1;
    munmap(page, SIZE);
}

/* ---- the event sets */

struct subject {
    const char *name;
    const char *event[MOST + 1];
    long long (*truth)(int event); /* how much there was so far of a counter's event; it only grows */
    bool exact;                    /* the truth is the count */
    bool here;                     /* not in the folder */
    void (*work)(void);            /* what the program does beside, of such events; or NULL */
    void (*form)(int es);          /* what the sets are, before they have events; or NULL */
    void (*finish)(int es);        /* what the program's set is, with its events; or NULL */
    bool may_lose;                 /* overflows that came while a handler ran (PAPI_ECLOST of a stop) */
    bool allocates;                /* the library that is asked does: the program itself must not */
};

static const struct subject files = {
    .name = "files",
    .event = {"net:::eth0:rx:bytes", "net:::eth0:tx:bytes", "net:::eth0:rx:packets", "net:::eth0:tx:packets",
              "net:::lo:rx:bytes"},
    .truth = no_work,
    .exact = true,
};
static const struct subject variables = {
    .name = "sde",
    .event = {"sde:::handlers::steps", "sde:::handlers::added"},
    .truth = steps_done,
    .exact = true,
    .here = true,
};
static const struct subject kernel = {
    .name = "perf",
    .event = {"perf::PAGE-FAULTS", "perf::TASK-CLOCK"},
    .truth = perf_truth,
    .here = true,
    .work = touch,
};

/* ---- reading */

static const struct subject *subject;
static int n_events;
static int used, own; /* event sets: the program's, and the handler's */
static long long began[MOST];
static long long by_program[MOST], by_handler[MOST]; /* accumulated */
static long long before[MOST];                       /* what was read last */

static long long done(int i)
{
    return subject->truth(i) - began[i];
}

static void check_values(const long long *value, int line)
{
    for (int i = 0; i < n_events; i++)
        if (value[i] < 0 || value[i] > done(i))
            wrong(line, value[i], done(i));
}

/* True if a call gave counts, which it must unless the subject's form has a reason not to. */
static bool gave(int code, int line)
{
    bool lost = subject->may_lose && code == PAPI_ECLOST;
    if (code != PAPI_OK && !lost)
        wrong(line, code, PAPI_OK);
    return code == PAPI_OK || lost;
}

#define GIVES(call) gave((call), __LINE__)

static void read_used(void)
{
    long long value[MOST];
    if (GIVES(PAPI_read(used, value)))
        check_values(value, __LINE__);
}

static void use_own(void)
{
    long long value[MOST];
    IS(PAPI_start(own), PAPI_OK);
    if (GIVES(PAPI_read(own, value)))
        check_values(value, __LINE__);
    IS(PAPI_reset(own), PAPI_OK);
    if (GIVES(PAPI_stop(own, value)))
        check_values(value, __LINE__);
}

/* Checks the code of a call that may be refused, because the handler interrupted a change of the set. */
static int may_be_refused(int code)
{
    HOLDS(code == PAPI_OK || code == PAPI_ECNFLCT, code, PAPI_ECNFLCT);
    refusals += code == PAPI_ECNFLCT;
    return code;
}

static void accumulate(void)
{
    may_be_refused(PAPI_accum(used, by_handler));
}

static void reset_used(void)
{
    long long value[MOST];
    if (may_be_refused(PAPI_reset(used)) == PAPI_OK && GIVES(PAPI_read(used, value)))
        check_values(value, __LINE__);
    may_be_refused(PAPI_reset(used));
}

/* Stops and starts the set, which is not running while the program starts it, or after it has stopped it. */
static void stop_and_start(void)
{
    long long value[MOST];
    int code = PAPI_stop(used, value);
    if (code != PAPI_ENOTRUN && GIVES(code))
        check_values(value, __LINE__);
    code = PAPI_start(used);
    HOLDS(code == PAPI_OK || code == PAPI_EISRUN || code == PAPI_ECNFLCT, code, PAPI_OK);
    read_used();
}

/* ---- the program */

static void step(void)
{
    void *memory[4], *library;
    for (int i = 0; i < 4; i++)
        memory[i] = malloc((size_t)(steps * 37 + i * 1001) % 5000 + 1);
    steps++;
    papi_sde_inc_counter(added, 1);
    int size = (int)(steps % RECORDED) + 1;
    if (size == 1)
        papi_sde_reset_recorder(sizes);
    papi_sde_record(sizes, sizeof size, &size);
    papi_sde_counting_set_insert(kinds, sizeof size, sizeof size, &size, 1);
    papi_sde_counting_set_remove(kinds, sizeof size, &size, 1);
    halves += 0.5;
    for (int i = 0; i < 4; i++)
        free(memory[i]);
    if (steps % 50 == 0 && (library = dlopen("libm.so.6", RTLD_NOW)) != NULL)
        dlclose(library);
}

static void register_events(void)
{
    papi_handle_t library = papi_sde_init("handlers");
    papi_sde_register_counter(library, "steps", PAPI_SDE_RO | PAPI_SDE_DELTA, PAPI_SDE_long_long,
                              (void *)(uintptr_t)&steps);
    papi_sde_register_counter(library, "halves", PAPI_SDE_RO | PAPI_SDE_DELTA, PAPI_SDE_double, &halves);
    papi_sde_create_counter(library, "added", PAPI_SDE_DELTA, &added);
    papi_sde_create_recorder(library, "sizes", sizeof(int), papi_sde_compare_int, &sizes);
    papi_sde_create_counting_set(library, "kinds", &kinds);
    papi_sde_add_counter_to_group(library, "steps", "both", PAPI_SDE_SUM);
    papi_sde_add_counter_to_group(library, "added", "both", PAPI_SDE_SUM);
}

static int make_set(void)
{
    int es = PAPI_NULL;
    assert_int_equal(PAPI_create_eventset(&es), PAPI_OK);
    if (subject->form != NULL)
        subject->form(es);
    for (n_events = 0; subject->event[n_events] != NULL; n_events++) {
        int code = PAPI_add_named_event(es, subject->event[n_events]);
        if (code != PAPI_OK)
            fail_msg("%s: %s", subject->event[n_events], PAPI_strerror(code));
    }
    return es;
}

static void start_all(const struct subject *of)
{
    subject = of;
    shows("sys/class/net/eth0/statistics/rx_bytes", "1000000000001\n");
    shows("sys/class/net/eth0/statistics/tx_bytes", "3\n");
    shows("sys/class/net/eth0/statistics/rx_packets", "7700\n");
    shows("sys/class/net/eth0/statistics/tx_packets", "123456\n");
    shows("sys/class/net/lo/statistics/rx_bytes", "18446744073709551000\n");
    if (of->here)
        begin_here();
    else
        begin_in_folder();
    register_events();
    used = make_set();
    own = make_set();
    if (of->finish != NULL)
        of->finish(used);
    for (int i = 0; i < MOST; i++)
        by_program[i] = by_handler[i] = before[i] = 0;
    failed_at = signals = refusals = 0;
    for (int i = 0; i < n_events; i++)
        began[i] = subject->truth(i);
    assert_int_equal(PAPI_start(used), PAPI_OK);
}

/* Runs the program's part again and again, interrupted by the handler. */
static void run(void (*program)(void), void (*handler)(void))
{
    long long end = PAPI_get_real_usec() + RUN_MS * 1000;
    in_handler = handler;
    every(100);
    while (failed_at == 0 && PAPI_get_real_usec() < end) {
        if (!subject->allocates)
            step();
        if (subject->work != NULL)
            subject->work();
        program();
    }
    every(0);
    if (failed_at != 0)
        fail_msg("%s, line %d: %lld where %lld was expected or possible", subject->name, failed_at,
                 failed_value, failed_bound);
    assert_true(signals > 0);
}

/* ---- the tests */

static void program_reads(void)
{
    read_used();
}

/* Values only grow as long as nobody changes the set. */
static void program_reads_more(void)
{
    long long value[MOST];
    if (!GIVES(PAPI_read(used, value)))
        return;
    check_values(value, __LINE__);
    for (int i = 0; i < n_events; i++) {
        HOLDS(value[i] >= before[i], value[i], before[i]);
        before[i] = value[i];
    }
}

static void program_accumulates(void)
{
    GIVES(PAPI_accum(used, by_program));
}

static void program_resets(void)
{
    IS(PAPI_reset(used), PAPI_OK);
    read_used();
}

static void program_switches(void)
{
    long long value[MOST];
    int code = PAPI_stop(used, value);
    if (code != PAPI_ENOTRUN && GIVES(code))
        check_values(value, __LINE__);
    read_used();
    code = PAPI_start(used);
    HOLDS(code == PAPI_OK || code == PAPI_EISRUN, code, PAPI_OK);
    PAPI_accum(used, by_program);
    read_used();
}

static void all_of(const struct subject *of)
{
    long long value[MOST];
    start_all(of);
    run(program_reads_more, read_used);
    run(program_reads_more, use_own);
    run(program_reads, reset_used);
    run(program_resets, reset_used);
    run(program_switches, read_used);
    run(program_switches, use_own);
    run(program_switches, stop_and_start);
    run(program_resets, stop_and_start);
    run(program_accumulates, stop_and_start);
    PAPI_start(used);
    int code = PAPI_stop(used, value);
    if (!GIVES(code))
        fail_msg("%s: %s", of->name, PAPI_strerror(code));
}

/* No count is in both sums, or in none. */
static void sums_of(const struct subject *of)
{
    long long value[MOST];
    start_all(of);
    run(program_accumulates, accumulate);
    assert_int_equal(PAPI_stop(used, value), PAPI_OK);
    for (int i = 0; i < n_events; i++) {
        long long sum = by_program[i] + by_handler[i] + value[i];
        if (sum < 0 || sum > done(i) || (of->exact && sum != done(i)))
            fail_msg("%s: %lld of %lld in all", of->event[i], sum, done(i));
    }
}

static void of_files(void **state)
{
    (void)state;
    all_of(&files);
}

static void sums_of_files(void **state)
{
    (void)state;
    sums_of(&files);
}

static void of_variables(void **state)
{
    (void)state;
    all_of(&variables);
}

static void sums_of_variables(void **state)
{
    (void)state;
    sums_of(&variables);
}

static void need_software_events(void)
{
    begin_here();
    int code = PAPI_query_named_event("perf::PAGE-FAULTS");
    if (code != PAPI_OK) {
        printf("SKIP: perf::PAGE-FAULTS: %s\n", PAPI_strerror(code));
        skip();
    }
    PAPI_shutdown();
}

static void of_the_kernel(void **state)
{
    (void)state;
    need_software_events();
    all_of(&kernel);
}

static void sums_of_the_kernel(void **state)
{
    (void)state;
    need_software_events();
    sums_of(&kernel);
}

/* ---- sets that are multiplexed, inherited, or overflow */

static void multiplex(int es)
{
    assert_int_equal(PAPI_assign_eventset_component(es, PAPI_get_component_index("perf_event")), PAPI_OK);
    assert_int_equal(PAPI_set_multiplex(es), PAPI_OK);
}

static void of_multiplexed_sets(void **state)
{
    static const struct subject turns = {
        .name = "multiplexed",
        .event = {"perf::PAGE-FAULTS", "perf::TASK-CLOCK"},
        .truth = perf_truth,
        .here = true,
        .work = touch,
        .form = multiplex,
    };
    (void)state;
    need_software_events();
    all_of(&turns);
}

static void inherit(int es)
{
    PAPI_option_t option = {.inherit = {.eventset = es, .inherit = PAPI_INHERIT_ALL}};
    assert_int_equal(PAPI_assign_eventset_component(es, PAPI_get_component_index("perf_event")), PAPI_OK);
    assert_int_equal(PAPI_set_opt(PAPI_INHERIT, &option), PAPI_OK);
}

static void *touch_in_thread(void *unused)
{
    touch();
    return unused;
}

/* Signals are the program's. */
static void touch_with_thread(void)
{
    sigset_t all, before_it;
    pthread_t thread;
    touch();
    if (steps % 20 != 0)
        return;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_it);
    int code = pthread_create(&thread, NULL, touch_in_thread, NULL);
    pthread_sigmask(SIG_SETMASK, &before_it, NULL);
    if (code == 0)
        pthread_join(thread, NULL);
}

/* Processor time of two threads is at most twice what has gone. A thread's faults are in the process's
 * usage. */
static long long truth_of_threads(int event)
{
    struct rusage usage;
    if (event != 0)
        return 2 * time_gone();
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_minflt + usage.ru_majflt + signals;
}

static void of_inherited_sets(void **state)
{
    static const struct subject inherited = {
        .name = "inherited",
        .event = {"perf::PAGE-FAULTS", "perf::TASK-CLOCK"},
        .truth = truth_of_threads,
        .here = true,
        .work = touch_with_thread,
        .form = inherit,
    };
    (void)state;
    need_software_events();
    all_of(&inherited);
}

enum { THRESHOLD = 20 };

static volatile long long overflows;

static void on_overflow(int es, void *address, long long vector, void *context)
{
    (void)address, (void)context;
    overflows++;
    HOLDS(es == used && vector == 1, vector, 1);
    read_used();
}

static void overflow_by(int es, int flags)
{
    int code;
    overflows = 0;
    assert_int_equal(PAPI_event_name_to_code("perf::PAGE-FAULTS", &code), PAPI_OK);
    code = PAPI_overflow(es, code, THRESHOLD, flags, on_overflow);
    if (code != PAPI_OK)
        fail_msg("%s", PAPI_strerror(code));
}

static void overflow_by_the_kernel(int es)
{
    overflow_by(es, 0);
}

static void overflow_by_a_timer(int es)
{
    overflow_by(es, PAPI_OVERFLOW_FORCE_SW);
}

/* Each is for as many faults, and none for those before the last start. */
static void overflows_of(void (*finish)(int es))
{
    const struct subject overflowing = {
        .name = "overflowing",
        .event = {"perf::PAGE-FAULTS", "perf::TASK-CLOCK"},
        .truth = perf_truth,
        .here = true,
        .work = touch,
        .finish = finish,
        .may_lose = true,
    };
    need_software_events();
    all_of(&overflowing);
    assert_true(overflows > 0);
    if (overflows * THRESHOLD > done(0))
        fail_msg("%lld overflows of %d in %lld", overflows, THRESHOLD, done(0));
}

static void of_overflows_by_the_kernel(void **state)
{
    (void)state;
    overflows_of(overflow_by_the_kernel);
}

static void of_overflows_by_a_timer(void **state)
{
    (void)state;
    overflows_of(overflow_by_a_timer);
}

/* ---- the program's own reads, where appio sees them */

enum { EACH_READ = 100 };

static volatile long long reads_begun;

static void read_zeroes(void)
{
    char zero[EACH_READ];
    static int fd = -1;
    if (fd < 0)
        fd = open("/dev/zero", O_RDONLY);
    reads_begun++;
    ssize_t size = read(fd, zero, sizeof zero);
    HOLDS(size == EACH_READ, size, EACH_READ);
}

static long long reads_done(int event)
{
    return event == 0 ? reads_begun : EACH_READ * reads_begun;
}

static const struct subject input = {
    .name = "appio",
    .event = {"appio:::READ_CALLS", "appio:::READ_BYTES"},
    .truth = reads_done,
    .exact = true,
    .here = true,
    .work = read_zeroes,
};

static void need_appio(void)
{
    begin_here();
    int code = PAPI_query_named_event("appio:::READ_CALLS");
    if (code != PAPI_OK) {
        printf("SKIP: appio:::READ_CALLS: %s\n", PAPI_strerror(code));
        skip();
    }
    PAPI_shutdown();
}

static void of_appio(void **state)
{
    (void)state;
    need_appio();
    all_of(&input);
}

static void sums_of_appio(void **state)
{
    (void)state;
    need_appio();
    sums_of(&input);
}

/* ---- what the NVIDIA driver's library is asked for, which lets no call into another */

static struct nvml_double *nvml;

static void use_energy(void)
{
    nvml->device[0].energy += 3;
    nvml->device[1].energy += 5;
}

static long long energy_used(int event)
{
    return event < 2 ? (long long)nvml->device[event].energy : 0;
}

static const struct subject devices = {
    .name = "nvml",
    .event = {"nvml:::Tesla_V100_SXM2:device_0:total_energy_consumption",
              "nvml:::A100:device_1:total_energy_consumption",
              "nvml:::Tesla_V100_SXM2:device_0:total_ecc_errors"},
    .truth = energy_used,
    .exact = true,
    .here = true,
    .work = use_energy,
};

/* The library that stands for it is held open, so that what the test sets stays. */
static void *need_nvml(void)
{
    void *library = dlopen("libnvidia-ml.so.1", RTLD_LAZY);
    nvml = library != NULL ? dlsym(library, "nvml_double") : NULL;
    if (nvml == NULL) {
        printf("SKIP: the loader's path has no library in the place of the NVIDIA driver's\n");
        skip();
    }
    nvml->within = 0;
    return library;
}

static void of_nvml(void **state)
{
    (void)state;
    void *library = need_nvml();
    all_of(&devices);
    assert_int_equal(nvml->within, 0);
    PAPI_shutdown();
    dlclose(library);
}

static void sums_of_nvml(void **state)
{
    (void)state;
    void *library = need_nvml();
    sums_of(&devices);
    assert_int_equal(nvml->within, 0);
    PAPI_shutdown();
    dlclose(library);
}

/* ---- a device's counters, which count only while the set is started */

static struct rocp_double *rocp;
static long long kernels;

/* No handler comes between the counters of a device and what they are to be. */
static void run_kernels(void)
{
    sigset_t all, before_it;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_it);
    rocp->run(0, 1);
    rocp->run(1, 1);
    kernels++;
    pthread_sigmask(SIG_SETMASK, &before_it, NULL);
}

static long long kernels_run(int event)
{
    return kernels * (event == 0 ? 36 : event == 1 ? 3 : 6);
}

static const struct subject amd = {
    .name = "rocp_sdk",
    .event = {"rocp_sdk:::SQ_WAVES", "rocp_sdk:::GRBM_COUNT", "rocp_sdk:::SQ_INSTS:device=1"},
    .truth = kernels_run,
    .exact = true,
    .here = true,
    .work = run_kernels,
};

static void need_rocp(void)
{
    const char *file = getenv("PAPI_ROCP_SDK_LIB");
    void *library = file != NULL ? dlopen(file, RTLD_LAZY) : NULL;
    rocp = library != NULL ? dlsym(library, "rocp_double") : NULL;
    if (rocp == NULL) {
        printf("SKIP: PAPI_ROCP_SDK_LIB names no library in the place of rocprofiler-sdk\n");
        skip();
    }
}

/* All but sets of the handlers' own: the devices count for one at a time. */
static void of_rocp(void **state)
{
    long long value[MOST];
    (void)state;
    need_rocp();
    start_all(&amd);
    run(program_reads_more, read_used);
    run(program_reads, reset_used);
    run(program_resets, reset_used);
    run(program_switches, read_used);
    run(program_switches, stop_and_start);
    run(program_resets, stop_and_start);
    run(program_accumulates, stop_and_start);
    PAPI_start(used);
    assert_int_equal(PAPI_stop(used, value), PAPI_OK);
    PAPI_shutdown();
    assert_int_equal(rocp->wrong_calls, 0);
    assert_int_equal(rocp->running, 0);
}

static void sums_of_rocp(void **state)
{
    (void)state;
    need_rocp();
    sums_of(&amd);
    PAPI_shutdown();
    assert_int_equal(rocp->wrong_calls, 0);
}

/* ---- other libraries that are asked, which variables name */

static struct amd_double *amd_smi;
static struct level_zero_double *zes;
static struct sensors_double *sensors;
static struct pcp_double *pcp;

/* A variable of the library, which is held open. */
static void *need_library(const char *variable, const char *file, const char *name)
{
    char path[PATH_MAX];
    const char *root = getenv(variable);
    snprintf(path, sizeof path, "%s/lib/%s", root != NULL ? root : "", file);
    void *library = root != NULL ? dlopen(path, RTLD_LAZY) : NULL;
    void *found = library != NULL ? dlsym(library, name) : NULL;
    if (found == NULL) {
        printf("SKIP: %s names no library in the place of the vendor's\n", variable);
        skip();
    }
    return found;
}

static void device_is_there(const char *vendor)
{
    shows("sys/bus/pci/devices/0000:03:00.0/class", "0x038000\n");
    shows("sys/bus/pci/devices/0000:03:00.0/vendor", vendor);
}

static void both_of(const struct subject *of)
{
    all_of(of);
    PAPI_shutdown();
    sums_of(of);
    PAPI_shutdown();
}

static void correct_errors(void)
{
    amd_smi->device[0].corrected += 3;
}

static long long corrected(int event)
{
    (void)event;
    return (long long)amd_smi->device[0].corrected;
}

static void of_amd_smi(void **state)
{
    static const struct subject asked = {
        .name = "amd_smi",
        .event = {"amd_smi:::ecc_count_correctable:device=0"},
        .truth = corrected,
        .exact = true,
        .work = correct_errors,
    };
    (void)state;
    amd_smi = need_library("PAPI_AMDSMI_ROOT", "libamd_smi.so", "amd_double");
    device_is_there("0x1002\n");
    both_of(&asked);
    assert_int_equal(amd_smi->started, 0);
}

static void of_rocm_smi(void **state)
{
    static const struct subject asked = {
        .name = "rocm_smi",
        .event = {"rocm_smi:::ecc_count_correctable:device=0:block=UMC",
                  "rocm_smi:::ecc_count_correctable:device=0:block=XGMI_WAFL"},
        .truth = corrected,
        .exact = true,
        .work = correct_errors,
    };
    (void)state;
    amd_smi = need_library("PAPI_ROCMSMI_ROOT", "librocm_smi64.so", "amd_double");
    device_is_there("0x1002\n");
    both_of(&asked);
    assert_int_equal(amd_smi->started, 0);
}

static void use_domains(void)
{
    zes->energy[0] += 70;
    zes->energy[1] += 9;
}

static long long used_in_domain(int event)
{
    return (long long)zes->energy[event];
}

static void of_intel_smi(void **state)
{
    static const struct subject asked = {
        .name = "intel_smi",
        .event = {"intel_smi:::energy:device=0:power=0", "intel_smi:::energy:device=0:power=1"},
        .truth = used_in_domain,
        .exact = true,
        .work = use_domains,
    };
    (void)state;
    zes = need_library("PAPI_INTEL_GPU_ROOT", "libze_loader.so.1", "level_zero_double");
    device_is_there("0x8086\n");
    both_of(&asked);
}

static void get_warmer(void)
{
    sensors->temperature += 0.125;
}

static long long degrees(int event)
{
    return event == 0 ? (long long)(sensors->temperature * 1000 + 0.5) : 0;
}

/* A level, of which there are no sums: it is at most what it has come to. */
static void of_lmsensors(void **state)
{
    static const struct subject asked = {
        .name = "lmsensors",
        .event = {"lmsensors:::coretemp-isa-0000.Core_0.temp2_input"},
        .truth = degrees,
        .here = true,
        .work = get_warmer,
        .allocates = true,
    };
    (void)state;
    sensors = need_library("PAPI_LMSENSORS_ROOT", "libsensors.so.5", "sensors_double");
    sensors->temperature = 0;
    sensors->within = 0;
    all_of(&asked);
    assert_int_equal(sensors->within, 0);
    PAPI_shutdown();
    assert_int_equal(sensors->started, 0);
}

static void grow(void)
{
    pcp->u64 += 3;
    pcp->cpu[0] += 5;
}

static long long grown(int event)
{
    return (long long)(event == 0 ? pcp->u64 : pcp->cpu[0]);
}

static void of_pcp(void **state)
{
    static const struct subject asked = {
        .name = "pcp",
        .event = {"pcp:::test.u64", "pcp:::test.cpu:cpu0"},
        .truth = grown,
        .exact = true,
        .here = true,
        .work = grow,
        .allocates = true,
    };
    (void)state;
    pcp = need_library("PAPI_PCP_ROOT", "libpcp.so.3", "pcp_double");
    both_of(&asked);
    assert_int_equal(pcp->within, 0);
    assert_int_equal(pcp->contexts, 0);
}

/* ---- what libsde computes in a reading */

static const struct subject computed = {
    .name = "computed",
    .event = {"sde:::handlers::sizes:MED", "sde:::handlers::sizes:CNT", "sde:::handlers::kinds",
              "sde:::handlers::both", "sde:::handlers::sizes:MAX"},
    .truth = no_work,
    .here = true,
};

static void check_recorded(long long address)
{
    const int *size = GET_SDE_RECORDER_ADDRESS(address, const int);
    HOLDS(size == NULL || (*size >= 1 && *size <= RECORDED), size == NULL ? 0 : *size, RECORDED);
}

static void read_computed(void)
{
    long long value[MOST];
    IS(PAPI_read(used, value), PAPI_OK);
    check_recorded(value[0]);
    check_recorded(value[4]);
    HOLDS(value[1] >= 0 && value[1] <= RECORDED, value[1], RECORDED);
    HOLDS(value[3] >= 0 && value[3] <= 2 * steps, value[3], 2 * steps);
    for (const cset_list_object_t *kind = (const cset_list_object_t *)(uintptr_t)value[2]; kind != NULL;
         kind = kind->next)
        HOLDS(kind->count == 1 && *(const int *)kind->ptr <= RECORDED, kind->count, 1);
}

static void of_what_is_computed(void **state)
{
    (void)state;
    start_all(&computed);
    run(read_computed, read_computed);
    run(program_accumulates, read_computed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(of_files),
        IN_FOLDER(sums_of_files),
        IN_FOLDER(of_variables),
        IN_FOLDER(sums_of_variables),
        IN_FOLDER(of_the_kernel),
        IN_FOLDER(sums_of_the_kernel),
        IN_FOLDER(of_what_is_computed),
        IN_FOLDER(of_multiplexed_sets),
        IN_FOLDER(of_inherited_sets),
        IN_FOLDER(of_overflows_by_the_kernel),
        IN_FOLDER(of_overflows_by_a_timer),
        IN_FOLDER(of_appio),
        IN_FOLDER(of_rocp),
        IN_FOLDER(sums_of_rocp),
        IN_FOLDER(sums_of_appio),
        IN_FOLDER(of_nvml),
        IN_FOLDER(sums_of_nvml),
        IN_FOLDER(of_amd_smi),
        IN_FOLDER(of_rocm_smi),
        IN_FOLDER(of_intel_smi),
        IN_FOLDER(of_lmsensors),
        IN_FOLDER(of_pcp),
    };
    return TEST_RUN(tests);
}
