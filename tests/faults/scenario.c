/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Uses the whole interface, and says what came out. For each n a child process goes through it three times:
 * with the n-th call of a kind failing, and twice without. Whatever the first pass answers is either what it
 * answers without a fault, or an error that names the lack (PAPI_ENOMEM, PAPI_ESYS); the others are as if
 * nothing had been. After the shutdown no descriptor, mapping or block of memory is left.
 *
 *   scenario KIND FIRST STEP LAST [ERRNO]     LAST 0: to the last call that there is
 *
 * FAULTS_LIMIT=RESOURCE:VALUE in the environment: under this limit instead, VALUE beginning with
 * +: besides what the process has already. FAULTS_FULL: on a full disk instead. FAULTS_NOBODY: as that user.
 * FAULTS_CASE=N: this case alone.
 */
#include "inject.h"
#include "papi.h"
#include "sde_lib.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- what is said */

enum { MOST_CASES = 64, CASE_TEXT = 24000 };

static struct answers {
    char text[MOST_CASES][CASE_TEXT];
    int lacked[MOST_CASES]; /* where the case ended, for want of something */
    size_t used[MOST_CASES];
} * reference, *now; /* reference: shared with the children */
static int at;       /* the case */

static __attribute__((format(printf, 1, 2))) void say(const char *format, ...)
{
    va_list args;
    size_t used = now->used[at];
    va_start(args, format);
    int n = vsnprintf(now->text[at] + used, CASE_TEXT - used, format, args);
    va_end(args);
    if (n > 0)
        now->used[at] = used + (size_t)n < CASE_TEXT ? used + (size_t)n : CASE_TEXT - 1;
}

static int lacks(int code)
{
    return code == PAPI_ENOMEM || code == PAPI_ESYS;
}

/* The rest of the case needs what the call did. */
#define CALL(call)                                                                                           \
    do {                                                                                                     \
        int code_ = (call);                                                                                  \
        if (lacks(code_)) {                                                                                  \
            now->lacked[at] = 1;                                                                             \
            return;                                                                                          \
        }                                                                                                    \
        say("%s: %d\n", #call, code_);                                                                       \
    } while (0)

/* A pointer, NULL where something lacks; every machine has what is asked for. */
#define POINTER(pointer)                                                                                     \
    do {                                                                                                     \
        if ((pointer) == NULL) {                                                                             \
            now->lacked[at] = 1;                                                                             \
            return;                                                                                          \
        }                                                                                                    \
    } while (0)

/* Counts are right, or nearly so: the machine faults pages, too. */
static void say_counted(const char *what, long long got, long long wanted)
{
    if (got >= wanted && got <= wanted + 400)
        say("%s: counted\n", what);
    else
        say("%s: %lld is not %lld\n", what, got, wanted);
}

/* ---- work */

#define FAULTS_EVENT "perf::PAGE-FAULTS"
#define CLOCK_EVENT "perf::TASK-CLOCK"

/* Touches n pages; the calls in here are not failed. */
static void touch(int n)
{
    enum { PAGE = 65536, MOST = 1000 }; /* the largest page that there is */
    static _Alignas(PAGE) volatile char memory[MOST * PAGE];
    inject_pause(1);
    size_t page = (size_t)sysconf(_SC_PAGESIZE), size = (size_t)n * page;
    madvise((void *)memory, size, MADV_NOHUGEPAGE);
    for (size_t i = 0; i < size; i += page)
        memory[i] = 1;
    madvise((void *)memory, size, MADV_DONTNEED);
    inject_pause(0);
}

static void burn(void)
{
    volatile unsigned n = 0;
    for (int i = 0; i < 3000000; i++)
        n = n + 1;
}

/* ---- cases */

static void case_events(void)
{
    static const char *const names[] = {"PAPI_TOT_INS", "PAPI_TOT_CYC", "PAPI_FP_OPS", "PAPI_L1_DCM",
                                        "MY_FAULTS",    "MY_SUM",       FAULTS_EVENT,  "perf::CPU-CLOCK:u",
                                        "cpu-clock",    "no_such_event"};
    char name[PAPI_MAX_STR_LEN];
    PAPI_event_info_t info;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        int code = 0, back = PAPI_event_name_to_code(names[i], &code);
        CALL(back);
        if (back != PAPI_OK)
            continue;
        CALL(PAPI_query_event(code));
        CALL(PAPI_event_code_to_name(code, name));
        CALL(PAPI_get_event_component(code));
        CALL(PAPI_get_event_info(code, &info));
        say("%s %s %s %u %s %s|%s|%s %d\n", name, info.symbol, info.derived, info.count, info.postfix,
            info.name[0], info.name[1], info.note, info.num_quals);
    }
}

static void case_definitions(void)
{
    PAPI_event_info_t info;
    int code = 0, es = PAPI_NULL;
    long long count[2] = {0, 0};
    memset(&info, 0, sizeof info);
    info.event_code = (unsigned)PAPI_PRESET_MASK;
    strcpy(info.symbol, "PAPI_TOT_INS");
    strcpy(info.derived, "DERIVED_POSTFIX");
    strcpy(info.postfix, "N0|3|*|");
    strcpy(info.name[0], FAULTS_EVENT);
    CALL(PAPI_set_event_info(&info, &code, 1));
    CALL(PAPI_get_event_info(code, &info));
    say("%s %s %s\n", info.symbol, info.postfix, info.name[0]);
    CALL(PAPI_create_eventset(&es));
    CALL(PAPI_add_event(es, code));
    CALL(PAPI_add_named_event(es, "MY_SUM"));
    CALL(PAPI_start(es));
    touch(500);
    CALL(PAPI_stop(es, count));
    say_counted("defined", count[0] / 3, 500);
    say_counted("user's", count[1], 1000);
    CALL(PAPI_cleanup_eventset(es));
    CALL(PAPI_destroy_eventset(&es));
    CALL(PAPI_encode_events("encoded.csv", 1));
    CALL(PAPI_query_named_event("PAPI_SR_INS"));
    PAPI_option_t option;
    option.events_file = (char *)"more.csv";
    CALL(PAPI_set_opt(PAPI_USER_EVENTS_FILE, &option));
    CALL(PAPI_event_name_to_code("MY_MORE", &code));
    CALL(PAPI_get_event_info(code, &info));
    say("%s %s %s\n", info.symbol, info.derived, info.name[0]);
    CALL(PAPI_event_name_to_code("PAPI_TOT_INS", &code));
    CALL(PAPI_get_event_info(code, &info));
    say("%s %s %s\n", info.symbol, info.postfix, info.name[0]);
}

static void case_presets(void)
{
    PAPI_event_info_t info;
    int code = PAPI_PRESET_MASK;
    CALL(PAPI_enum_event(&code, PAPI_ENUM_FIRST));
    do {
        int result = PAPI_get_event_info(code, &info);
        if (lacks(result))
            CALL(result);
        say("%s %u %s %.40s\n", info.symbol, info.count, info.name[0], info.note);
    } while (PAPI_enum_event(&code, PAPI_ENUM_EVENTS) == PAPI_OK);
    int available = PAPI_PRESET_MASK, n = 0, result;
    result = PAPI_enum_event(&available, PAPI_ENUM_FIRST);
    while (result == PAPI_OK && n++ < 200)
        result = PAPI_enum_event(&available, PAPI_PRESET_ENUM_AVAIL);
    CALL(result);
    say("%d\n", n);
}

static void case_natives(void)
{
    char name[PAPI_MAX_STR_LEN];
    PAPI_event_info_t info;
    for (int component = 0; component < PAPI_num_components(); component++) {
        int code = PAPI_NATIVE_MASK, n = 0, result = PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, component);
        for (; result == PAPI_OK && n < 70; n++) {
            CALL(PAPI_event_code_to_name(code, name));
            if (n % 9 == 0) {
                CALL(PAPI_get_event_info(code, &info));
                say("%s %s %d\n", name, info.long_descr, info.num_quals);
            }
            int mask = code;
            result = PAPI_enum_event(&mask, PAPI_NTV_ENUM_UMASKS);
            if (lacks(result))
                CALL(result);
            result = PAPI_enum_cmp_event(&code, PAPI_ENUM_EVENTS, component);
        }
        CALL(result);
        say("component %d: %d\n", component, n);
    }
}

static void case_machine(void)
{
    const PAPI_hw_info_t *hardware = PAPI_get_hardware_info();
    POINTER(hardware);
    say("%s|%s|%d %d %d %d %d\n", hardware->vendor_string, hardware->model_string, hardware->totalcpus,
        hardware->ncpu, hardware->sockets, hardware->mem_hierarchy.levels, hardware->nnodes);
    say("%d %d %d %d %d|%d %s %s\n", hardware->cores, hardware->threads, hardware->mhz > 0,
        hardware->cpu_max_mhz, hardware->cpu_min_mhz, hardware->virtualized, hardware->virtual_vendor_string,
        hardware->virtual_vendor_version);
    for (int i = 0; i < hardware->mem_hierarchy.levels; i++)
        for (int j = 0; j < PAPI_MH_MAX_LEVELS; j++)
            say("%d ", hardware->mem_hierarchy.level[i].cache[j].size);
    const PAPI_exe_info_t *executable = PAPI_get_executable_info();
    POINTER(executable);
    say("%s %d\n", executable->address_info.name, executable->address_info.text_start != NULL);
    const PAPI_shlib_info_t *libraries = PAPI_get_shared_lib_info();
    POINTER(libraries);
    say("%d\n", libraries->count > 1);
    PAPI_dmem_info_t memory;
    CALL(PAPI_get_dmem_info(&memory));
    say("%d %d\n", memory.size > 0, memory.resident > 0);
    CALL(PAPI_num_hwctrs());
    CALL(PAPI_num_counters());
    CALL(PAPI_get_component_index("perf_event"));
}

static void case_components(void)
{
    for (int i = 0; i < PAPI_num_components(); i++) {
        const PAPI_component_info_t *info = PAPI_get_component_info(i);
        POINTER(info);
        if (lacks(info->disabled) || lacks(info->partially_disabled)) {
            now->lacked[at] = 1;
            return;
        }
        say("%s %d %d %d %d %d|%s|%s\n", info->name, info->disabled, info->num_native_events,
            info->num_preset_events, info->num_cntrs, info->hardware_intr, info->disabled_reason,
            info->partially_disabled_reason);
        CALL(PAPI_num_cmp_hwctrs(i));
    }
    POINTER(PAPI_get_substrate_info());
}

static void case_counting(void)
{
    int es = PAPI_NULL, codes[8], n = 8, status = 0;
    long long count[2] = {0, 0}, cycles;
    CALL(PAPI_create_eventset(&es));
    CALL(PAPI_add_named_event(es, FAULTS_EVENT));
    CALL(PAPI_add_named_event(es, CLOCK_EVENT));
    CALL(PAPI_num_events(es));
    CALL(PAPI_list_events(es, codes, &n));
    CALL(PAPI_start(es));
    touch(200);
    CALL(PAPI_read(es, count));
    say_counted("read", count[0], 200);
    CALL(PAPI_reset(es));
    touch(300);
    CALL(PAPI_read_ts(es, count, &cycles));
    say_counted("read after a reset", count[0], 300);
    count[0] = count[1] = 0;
    CALL(PAPI_accum(es, count));
    touch(100);
    CALL(PAPI_accum(es, count));
    say_counted("accumulated", count[0], 400);
    count[0] = 7;
    CALL(PAPI_write(es, count));
    touch(100);
    CALL(PAPI_state(es, &status));
    CALL(PAPI_stop(es, count));
    say_counted("stopped", count[0], 107);
    say("%d\n", count[1] > 0);
    CALL(PAPI_remove_named_event(es, CLOCK_EVENT));
    CALL(PAPI_start(es));
    touch(50);
    CALL(PAPI_stop(es, count));
    say_counted("after a removal", count[0], 50);
    CALL(PAPI_cleanup_eventset(es));
    CALL(PAPI_destroy_eventset(&es));
}

static void case_options(void)
{
    int es = PAPI_NULL;
    long long count[2] = {0, 0};
    PAPI_option_t option;
    memset(&option, 0, sizeof option);
    CALL(PAPI_multiplex_init());
    CALL(PAPI_create_eventset(&es));
    CALL(PAPI_assign_eventset_component(es, 0));
    CALL(PAPI_set_multiplex(es));
    CALL(PAPI_add_named_event(es, FAULTS_EVENT));
    CALL(PAPI_add_named_event(es, CLOCK_EVENT));
    CALL(PAPI_get_multiplex(es));
    CALL(PAPI_start(es));
    touch(300);
    CALL(PAPI_stop(es, count));
    say_counted("multiplexed", count[0], 300);
    CALL(PAPI_cleanup_eventset(es));
    CALL(PAPI_destroy_eventset(&es));
    es = PAPI_NULL;
    CALL(PAPI_create_eventset(&es));
    CALL(PAPI_assign_eventset_component(es, 0));
    option.domain.eventset = es;
    option.domain.domain = PAPI_DOM_ALL;
    CALL(PAPI_set_opt(PAPI_DOMAIN, &option));
    option.inherit.eventset = es;
    option.inherit.inherit = PAPI_INHERIT_ALL;
    CALL(PAPI_set_opt(PAPI_INHERIT, &option));
    CALL(PAPI_add_named_event(es, FAULTS_EVENT));
    CALL(PAPI_start(es));
    touch(100);
    CALL(PAPI_stop(es, count));
    say_counted("inherited", count[0], 100);
    CALL(PAPI_get_opt(PAPI_MAX_HWCTRS, NULL));
    CALL(PAPI_get_opt(PAPI_MAX_CPUS, NULL));
}

static void case_attach(void)
{
    int es = PAPI_NULL;
    long long count[1] = {0};
    pid_t child = fork();
    now->lacked[at] = child < 0;
    if (child < 0)
        return;
    if (child == 0) {
        for (;;)
            pause();
    }
    int code = PAPI_create_eventset(&es);
    if (code == PAPI_OK)
        code = PAPI_assign_eventset_component(es, 0);
    if (code == PAPI_OK)
        code = PAPI_attach(es, (unsigned long)child);
    if (code == PAPI_OK)
        code = PAPI_add_named_event(es, FAULTS_EVENT);
    if (code == PAPI_OK)
        code = PAPI_start(es);
    if (code == PAPI_OK)
        code = PAPI_stop(es, count);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    CALL(code);
    CALL(PAPI_cleanup_eventset(es));
    CALL(PAPI_detach(es));
}

static volatile int n_overflows;

static void overflowed(int es, void *address, long long vector, void *context)
{
    (void)es, (void)address, (void)vector, (void)context;
    n_overflows++;
}

static unsigned short profile[4096];

static void case_overflow(int flags)
{
    int es = PAPI_NULL, code = 0;
    long long count[1];
    n_overflows = 0;
    CALL(PAPI_create_eventset(&es));
    CALL(PAPI_add_named_event(es, FAULTS_EVENT));
    CALL(PAPI_event_name_to_code(FAULTS_EVENT, &code));
    CALL(PAPI_overflow(es, code, 100, flags, overflowed));
    CALL(PAPI_start(es));
    touch(1000);
    if (flags != 0)
        for (int i = 0; i < 400 && n_overflows == 0; i++) /* a virtual machine may have lost ticks */
            burn();
    CALL(PAPI_stop(es, count));
    say_counted("with overflows", count[0], 1000);
    say("%d\n", n_overflows > 0);
    CALL(PAPI_overflow(es, code, 0, flags, overflowed));
    CALL(PAPI_profil(profile, sizeof profile, NULL, 65536, es, code, 100, PAPI_PROFIL_POSIX));
    CALL(PAPI_start(es));
    touch(300);
    CALL(PAPI_stop(es, count));
    CALL(PAPI_profil(profile, sizeof profile, NULL, 65536, es, code, 0, PAPI_PROFIL_POSIX));
    CALL(PAPI_cleanup_eventset(es));
    CALL(PAPI_destroy_eventset(&es));
}

static void case_hardware_overflow(void)
{
    case_overflow(0);
}

static void case_software_overflow(void)
{
    case_overflow(PAPI_OVERFLOW_FORCE_SW);
}

/* ---- threads: they are there before a fault is waited for, and do their part in each pass */

static struct {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    int turn, done, lacked, ok;
} helper = {.mutex = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static int count_as_thread(void)
{
    int es = PAPI_NULL, code = PAPI_register_thread();
    long long count[1] = {0};
    if (code == PAPI_OK)
        code = PAPI_create_eventset(&es);
    if (code == PAPI_OK)
        code = PAPI_add_named_event(es, FAULTS_EVENT);
    if (code == PAPI_OK)
        code = PAPI_start(es);
    touch(100);
    if (code == PAPI_OK)
        code = PAPI_stop(es, count);
    if (code != PAPI_OK)
        return code;
    return count[0] >= 100 && count[0] < 500 ? PAPI_unregister_thread() : PAPI_EBUG;
}

static void *help(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&helper.mutex);
    for (int turn = 0;;) {
        while (helper.turn == turn)
            pthread_cond_wait(&helper.changed, &helper.mutex);
        turn = helper.turn;
        helper.ok = count_as_thread();
        helper.done = turn;
        pthread_cond_broadcast(&helper.changed);
    }
    return NULL;
}

static unsigned long thread_number(void)
{
    return (unsigned long)pthread_self();
}

static void case_threads(void)
{
    CALL(PAPI_thread_init(thread_number));
    pthread_mutex_lock(&helper.mutex);
    int turn = ++helper.turn;
    pthread_cond_broadcast(&helper.changed);
    while (helper.done != turn)
        pthread_cond_wait(&helper.changed, &helper.mutex);
    int code = helper.ok;
    pthread_mutex_unlock(&helper.mutex);
    CALL(code);
    CALL(PAPI_set_thr_specific(PAPI_USR1_TLS, &helper));
    CALL(PAPI_lock(PAPI_USR1_LOCK));
    CALL(PAPI_unlock(PAPI_USR1_LOCK));
    say("%d %d\n", PAPI_get_real_nsec() > 0, PAPI_get_virt_nsec() > 0);
}

static void case_classic(void)
{
    int codes[1];
    long long count[1] = {0};
    float real, process, rate;
    long long operations;
    CALL(PAPI_event_name_to_code(FAULTS_EVENT, &codes[0]));
    CALL(PAPI_start_counters(codes, 1));
    touch(100);
    CALL(PAPI_read_counters(count, 1));
    say_counted("classic", count[0], 100);
    CALL(PAPI_stop_counters(count, 1));
    CALL(PAPI_flops(&real, &process, &operations, &rate));
    burn();
    CALL(PAPI_flops(&real, &process, &operations, &rate));
    CALL(PAPI_rate_stop());
}

static void remove_results(const char *folder)
{
    char path[600];
    DIR *entries = opendir(folder);
    for (struct dirent *entry; entries != NULL && (entry = readdir(entries)) != NULL;) {
        snprintf(path, sizeof path, "%s/%.255s", folder, entry->d_name);
        if (entry->d_name[0] != '.')
            unlink(path);
    }
    if (entries != NULL)
        closedir(entries);
    rmdir(folder);
}

static int not_in_all; /* the file says why an earlier region has not counted: that it keeps */

/* The file of the whole process has the region that has just ended at its end, with its count, or says why
 * there is none. */
static void judge_written(char *text)
{
    static const char key[] = "\"" FAULTS_EVENT "\": ", within[] = "\"region_value\": ";
    char *last = NULL, *next = text, *value;
    while ((next = strstr(next, "\"name\": \"a region\"")) != NULL)
        last = next++;
    value = last != NULL ? strstr(last, key) : NULL;
    not_in_all = strstr(text, "not in all threads") != NULL;
    if (value == NULL && not_in_all) {
        now->lacked[at] = 1;
        return;
    }
    if (value != NULL && strncmp(value += sizeof key - 1, "{", 1) == 0)
        value = strstr(value, within) + sizeof within - 1;
    say_counted("the region in the file", value != NULL ? atoll(value + 1) : -1, 10);
}

static void say_written(void)
{
    static char text[1 << 16];
    glob_t found;
    FILE *file = glob("papi_hl_output/*.json", 0, NULL, &found) == 0 ? fopen(found.gl_pathv[0], "re") : NULL;
    text[file != NULL ? fread(text, 1, sizeof text - 1, file) : 0] = '\0';
    if (file != NULL)
        fclose(file);
    globfree(&found);
    judge_written(text);
}

static void case_regions(void)
{
    CALL(PAPI_hl_region_begin("a region"));
    touch(10);
    CALL(PAPI_hl_read("a region"));
    CALL(PAPI_hl_region_end("a region"));
    CALL(PAPI_hl_stop());
    inject_pause(1);
    say_written();
    inject_pause(0);
}

static void case_devices(void)
{
    void *handle = NULL;
    for (int i = 0; i < 10 && PAPI_enum_dev_type(i == 0 ? PAPI_DEV_TYPE_ENUM__FIRST : PAPI_DEV_TYPE_ENUM__CPU,
                                                 &handle) == PAPI_OK;
         i++) {
        int n = 0;
        CALL(PAPI_get_dev_type_attr(handle, PAPI_DEV_TYPE_ATTR__INT_COUNT, &n));
        say("%d\n", n);
        break;
    }
}

/* The first events of each component, whatever this machine has: counted, or refused. */
static void count_some(int component)
{
    enum { SOME = 4 };
    int es = PAPI_NULL, code = PAPI_NATIVE_MASK, result, n = 0;
    long long count[SOME] = {0};
    CALL(PAPI_create_eventset(&es));
    result = PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, component);
    for (int i = 0; result == PAPI_OK && i < SOME; i++) {
        int added = PAPI_add_event(es, code);
        if (lacks(added))
            CALL(added);
        n += added == PAPI_OK;
        result = PAPI_enum_cmp_event(&code, PAPI_ENUM_EVENTS, component);
    }
    if (lacks(result))
        CALL(result);
    say("component %d: %d\n", component, n);
    if (n > 0) {
        CALL(PAPI_start(es));
        CALL(PAPI_read(es, count));
        CALL(PAPI_stop(es, count));
    }
    CALL(PAPI_cleanup_eventset(es));
    CALL(PAPI_destroy_eventset(&es));
}

static void case_each_component(void)
{
    for (int component = 0; component < PAPI_num_components() && !now->lacked[at]; component++)
        count_some(component);
}

static void use_sde(papi_handle_t library)
{
    static long long number;
    static const int element = 3;
    void *counter = NULL, *recorder = NULL, *set = NULL;
    int es = PAPI_NULL;
    long long count[3] = {0, 0, 0};
    number = 0;
    CALL(papi_sde_register_counter(library, "number", PAPI_SDE_RO, PAPI_SDE_long_long, &number));
    CALL(papi_sde_describe_counter(library, "number", "a number"));
    CALL(papi_sde_create_counter(library, "created", PAPI_SDE_DELTA, &counter));
    CALL(papi_sde_add_counter_to_group(library, "number", "sum", PAPI_SDE_SUM));
    CALL(papi_sde_create_recorder(library, "recorder", sizeof element, papi_sde_compare_int, &recorder));
    CALL(papi_sde_create_counting_set(library, "set", &set));
    CALL(PAPI_create_eventset(&es));
    CALL(PAPI_add_named_event(es, "sde:::faults::number"));
    CALL(PAPI_add_named_event(es, "sde:::faults::created"));
    CALL(PAPI_add_named_event(es, "sde:::faults::sum"));
    CALL(PAPI_start(es));
    number += 5;
    CALL(papi_sde_inc_counter(counter, 7));
    CALL(papi_sde_record(recorder, sizeof element, &element));
    CALL(papi_sde_counting_set_insert(set, sizeof element, sizeof element, &element, 1));
    CALL(PAPI_stop(es, count));
    say("%lld %lld %lld\n", count[0], count[1], count[2]);
    CALL(PAPI_cleanup_eventset(es));
    CALL(PAPI_destroy_eventset(&es));
}

/* Uses libsde. Without memory a library has no handle, and calls with none do nothing. */
static void case_sde(void)
{
    papi_handle_t library = papi_sde_init("faults");
    POINTER(library);
    use_sde(library);
    papi_sde_shutdown(library);
}

static void case_metrics(void)
{
    int es = PAPI_NULL;
    long long count[1] = {0};
    double value = 0;
    CALL(PAPI_create_eventset(&es));
    CALL(PAPI_add_named_event(es, FAULTS_EVENT));
    CALL(PAPI_start(es));
    touch(100);
    CALL(PAPI_stop(es, count));
    CALL(PAPI_metric(es, "faults_twice", count, 0, &value));
    say("%d\n", value == 2.0 * (double)count[0]);
    CALL(PAPI_metric(es, "mflops", count, 1000, &value));
    CALL(PAPI_cleanup_eventset(es));
    CALL(PAPI_destroy_eventset(&es));
}

/* Counted events; they exist where papi_counted built this program. */
static void case_counted(void)
{
    int es = PAPI_NULL;
    long long count[2] = {0, 0};
    CALL(PAPI_create_eventset(&es));
    CALL(PAPI_add_named_event(es, "counted::INSTRUCTIONS"));
    CALL(PAPI_add_named_event(es, "counted::TAKEN_BRANCHES"));
    CALL(PAPI_start(es));
    burn();
    CALL(PAPI_read(es, count));
    say("%d\n", count[1] >= 2999999);
    CALL(PAPI_stop(es, count));
    CALL(PAPI_cleanup_eventset(es));
    CALL(PAPI_destroy_eventset(&es));
}

static void (*const cases[])(void) = {
    case_counting,          case_events,  case_presets, case_components,     case_definitions,
    case_natives,           case_machine, case_options, case_attach,         case_hardware_overflow,
    case_software_overflow, case_threads, case_classic, case_each_component, case_sde,
    case_metrics,           case_counted, case_regions, case_devices,
};
enum { N_CASES = sizeof cases / sizeof cases[0] };

static int only = -1; /* the one case that is gone through; -1: all */

static void go_through(void)
{
    memset(now->used, 0, sizeof now->used);
    memset(now->lacked, 0, sizeof now->lacked);
    at = 0;
    int version = PAPI_library_init(PAPI_VER_CURRENT);
    if (version != PAPI_VER_CURRENT) {
        for (; at < N_CASES; at++) {
            now->lacked[at] = lacks(version);
            say("init: %d\n", version);
        }
        for (int i = 0; lacks(version) && i < N_CASES; i++)
            now->used[i] = 0;
        return;
    }
    for (; at < N_CASES; at++)
        if (only < 0 || at == only)
            cases[at]();
    PAPI_shutdown();
}

/* ---- judging */

static long count_lines(const char *path, const char *word)
{
    char line[600];
    long n = 0;
    FILE *file = fopen(path, "re");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        n += strstr(line, word) != NULL;
    if (file != NULL)
        fclose(file);
    return n;
}

static int count_descriptors(void)
{
    int n = 0;
    for (int fd = 0; fd < 1024; fd++)
        n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

struct holdings {
    long descriptors, mappings, blocks;
};

static struct holdings held(void)
{
    dlerror(); /* the message of the last error is the C library's until it is asked for twice */
    dlerror();
    return (struct holdings){count_descriptors(),
                             count_lines("/proc/self/maps", "perf_event") +
                                 count_lines("/proc/self/maps", "/dev/shm"),
                             inject_blocks()};
}

static int findings;

static __attribute__((format(printf, 3, 4))) void finding(const char *kind, long n, const char *format, ...)
{
    va_list args;
    char text[1200];
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    dprintf(STDOUT_FILENO, "FINDING %s:%ld: %s\n", kind, n, text);
    findings++;
}

static void compare(const char *kind, long n, const char *pass, int may_lack)
{
    for (int i = 0; i < N_CASES; i++) {
        size_t used = now->used[i];
        int lacked = now->lacked[i] && may_lack;
        int same = lacked ? strncmp(now->text[i], reference->text[i], used) == 0
                          : used == reference->used[i] && !now->lacked[i] &&
                                memcmp(now->text[i], reference->text[i], used) == 0;
        if (same)
            continue;
        size_t differs = 0;
        while (differs < used && now->text[i][differs] == reference->text[i][differs])
            differs++;
        while (differs > 0 && now->text[i][differs - 1] != '\n')
            differs--;
        now->text[i][used] = '\0';
        finding(kind, n, "%s, case %d%s: \"%.300s\", not \"%.300s\"", pass, i,
                now->lacked[i] ? " (lacks)" : "", now->text[i] + differs, reference->text[i] + differs);
    }
}

static struct shared {
    struct holdings held;
    long counted, left_out;
    int error, fired, clean;
} * shared;

/* Bytes that the process has of a resource (RLIMIT_AS or RLIMIT_DATA), since the limit is stated as what it
 * may take besides. */
static long taken_already(int resource)
{
    long size, data;
    FILE *file = fopen("/proc/self/statm", "re");
    if (file == NULL || fscanf(file, "%ld %*d %*d %*d %*d %ld", &size, &data) != 2)
        _exit(92);
    fclose(file);
    return sysconf(_SC_PAGESIZE) * (resource == RLIMIT_AS ? size : data);
}

static void become_nobody(void)
{
    enum { NOBODY = 65534 };
    if (setresgid(NOBODY, NOBODY, NOBODY) != 0 || setresuid(NOBODY, NOBODY, NOBODY) != 0 ||
        prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) != 0)
        _exit(91);
}

/* Fills the disk until it has no byte left. */
static void fill_disk(void)
{
    static const char block[512];
    int fd = open("filler", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    while (fd >= 0 && write(fd, block, sizeof block) > 0)
        ;
    if (fd < 0 || errno != ENOSPC)
        _exit(90);
    close(fd);
}

static void one(const char *kind, long n, int error, int judge)
{
    pthread_t thread;
    if (getenv("FAULTS_NOBODY") != NULL)
        become_nobody();
    if (pthread_create(&thread, NULL, help, NULL) != 0)
        _exit(95);
    struct rlimit before_it, limit;
    int resource = -1;
    long value = 0;
    const char *text = getenv("FAULTS_LIMIT");
    signal(SIGXFSZ, SIG_DFL); /* which kills: the library has to see to that itself */
    if (n > 0 && text != NULL && sscanf(text, "%d:%ld", &resource, &value) == 2) {
        getrlimit((__rlimit_resource_t)resource, &before_it);
        limit = before_it;
        limit.rlim_cur = (rlim_t)(value + (strchr(text, '+') != NULL ? taken_already(resource) : 0));
        setrlimit((__rlimit_resource_t)resource, &limit);
    } else if (text == NULL && getenv("FAULTS_FULL") == NULL) {
        inject_begin(kind, n, error);
    }
    int full = n > 0 && getenv("FAULTS_FULL") != NULL;
    if (full)
        fill_disk();
    go_through();
    if (full)
        unlink("filler");
    if (resource >= 0)
        setrlimit((__rlimit_resource_t)resource, &before_it);
    shared->counted = inject_end();
    shared->left_out = inject_left_out();
    int before = findings;
    if (now->lacked[N_CASES - 2]) {
        while (PAPI_hl_region_end("a region") == PAPI_OK)
            ;
        PAPI_hl_stop();
        PAPI_shutdown();
    }
    if (judge)
        compare(kind, n, "with the fault", 1);
    remove_results("papi_hl_output");
    for (int pass = 0; pass < 2; pass++) {
        go_through();
        if (judge)
            compare(kind, n, "afterwards", 0);
        remove_results("papi_hl_output");
    }
    struct holdings left = held();
    const long linker =
        1; /* the dynamic linker keeps a block of its own, or not, by the order of what it loads */
    /* libpfm4 keeps a block where its tables cannot grow as it starts. */
    left.blocks -= not_in_all + inject_in_libpfm();
    if (!judge) {
        memcpy(reference, now, sizeof *reference);
        shared->held = left;
    } else if (left.descriptors != shared->held.descriptors || left.mappings != shared->held.mappings ||
               left.blocks > shared->held.blocks + linker) {
        finding(kind, n,
                "left: %ld descriptors, %ld mappings, %ld blocks of memory; without a fault %ld, %ld, %ld",
                left.descriptors, left.mappings, left.blocks, shared->held.descriptors, shared->held.mappings,
                shared->held.blocks);
    }
    _exit(findings > before ? 1 : 0);
}

/* True if all went well. */
static int in_child(const char *kind, long n, int error, int judge)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        alarm(120);
        one(kind, n, error, judge);
    }
    if (child < 0 || waitpid(child, &status, 0) != child)
        return 0;
    if (WIFSIGNALED(status))
        finding(kind, n, "killed by signal %d", WTERMSIG(status));
    else if (WEXITSTATUS(status) > 1)
        finding(kind, n, "ended with status %d", WEXITSTATUS(status));
    findings += WIFEXITED(status) && WEXITSTATUS(status) == 1;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void *common(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        _exit(94);
    return memory;
}

static void write_file(const char *name, const char *text)
{
    FILE *file = fopen(name, "w");
    if (file == NULL || fputs(text, file) < 0 || fclose(file) != 0) {
        perror(name);
        exit(2);
    }
}

static void prepare(void)
{
    write_file("events.csv", "CPU,perf\n"
                             "PRESET,PAPI_TOT_INS,NOT_DERIVED,perf::PAGE-FAULTS,NOTE,\"from the file\"\n"
                             "PRESET,PAPI_FP_OPS,NOT_DERIVED,perf::PAGE-FAULTS\n"
                             "PRESET,PAPI_L1_DCM,NONE,NOTE,\"the file takes it away\"\n"
                             "PRESET,PAPI_TOT_CYC,DERIVED_POSTFIX,N0|2|*|,perf::TASK-CLOCK\n");
    write_file("user.csv", "EVENT,MY_FAULTS,NOT_DERIVED,perf::PAGE-FAULTS,LDESC,\"page faults\"\n"
                           "EVENT,MY_SUM,DERIVED_ADD,MY_FAULTS,perf::MINOR-FAULTS\n");
    write_file("more.csv", "EVENT,MY_MORE,DERIVED_ADD,perf::PAGE-FAULTS,perf::MAJOR-FAULTS\n"
                           "EVENT,MY_FAULTS,NOT_DERIVED,perf::MINOR-FAULTS\n");
    write_file("metrics.csv", "GROUP,mine,\"of the test\"\n"
                              "METRIC,faults_twice,1,2 * {" FAULTS_EVENT "},\"twice as many\"\n");
    write_file("encoded.csv", "PAPI_SR_INS,NOT_DERIVED,,stores,stores,,perf::PAGE-FAULTS\n");
    setenv("PAPI_CSV_EVENT_FILE", "events.csv", 1);
    setenv("PAPI_USER_EVENTS_FILE", "user.csv", 1);
    setenv("PAPI_METRICS_FILE", "metrics.csv", 1);
    setenv("PAPI_EVENTS", FAULTS_EVENT, 1);
    setenv("PAPI_REPORT", "0", 1);
}

int main(int argc, char **argv)
{
    if (argc < 5) {
        fprintf(stderr, "usage: %s KIND FIRST STEP LAST [ERRNO]\n", argv[0]);
        return 2;
    }
    const char *kind = argv[1];
    long first = atol(argv[2]), step = atol(argv[3]), last = atol(argv[4]), n, injected = 0, clean = 0;
    int error = argc > 5 ? atoi(argv[5]) : 0;
    /* Loads hwloc once: memory that the dynamic linker keeps after a first load is there from now on. */
    void *hwloc = dlopen("libhwloc.so.15", RTLD_LAZY | RTLD_LOCAL);
    if (hwloc != NULL)
        dlclose(hwloc);
    reference = common(sizeof *reference);
    shared = common(sizeof *shared);
    now = common(sizeof *now);
    prepare();
    if (getenv("FAULTS_CASE") != NULL)
        only = atoi(getenv("FAULTS_CASE"));
    if (!in_child(kind, 0, error, 0)) {
        printf("FINDING %s: the run without a fault failed\n", kind);
        return 1;
    }
    long counted = shared->counted, left_out = shared->left_out;
    if (getenv("FAULTS_SHOW") != NULL)
        for (int i = 0; i < N_CASES; i++)
            printf("---- case %d%s\n%.*s", i, reference->lacked[i] ? " LACKS" : "", (int)reference->used[i],
                   reference->text[i]);
    if (getenv("FAULTS_LIMIT") == NULL && getenv("FAULTS_FULL") == NULL && (last == 0 || last > counted))
        last = counted;
    for (n = first; n <= last; n += step) {
        injected++;
        clean += in_child(kind, n, error, 1);
    }
    printf("%s: %ld calls, %ld inside other libraries let alone, %ld faults, %ld clean, %d findings\n", kind,
           counted, left_out, injected, clean, findings);
    return findings > 0 || clean != injected;
}
