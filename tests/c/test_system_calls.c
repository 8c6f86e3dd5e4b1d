/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Counts the system calls that a program makes for its first event, and for a read. A child makes them,
 * stopped at each.
 */
#include "made_machine.h"
#include "testing.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

/* Limits on system calls. MOST: in all, where the start of libpfm4 takes at most PLAIN, because it finds
 * nothing of its own to read; MOST_BESIDE: besides those of libpfm4's start, on every machine. MARK: a
 * process id that does not exist, by which calls to be counted are marked. */
enum { MOST = 45, PLAIN = 32, MOST_BESIDE = 35, MARK = 0x7061706d };

/* Marks a place in the trace: nothing else waits for a child of this number. */
static void mark(void)
{
    syscall(SYS_wait4, MARK, NULL, 0, NULL);
}

static void start_libpfm(void)
{
    void *library = dlopen("libpfm.so.4", RTLD_LAZY | RTLD_LOCAL);
    int (*initialize)(void) = library != NULL ? (int (*)(void))dlsym(library, "pfm_initialize") : NULL;
    if (initialize == NULL || initialize() != 0)
        _exit(1);
}

/* Work of a child. argument: an event; NULL: libpfm4 is started, and no more. */
static _Noreturn void first_calls(const void *argument)
{
    const char *event = argument;
    int es = PAPI_NULL;
    if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT || PAPI_create_eventset(&es) != PAPI_OK ||
        ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
        _exit(1);
    raise(SIGSTOP);
    mark();
    if (event != NULL)
        PAPI_add_named_event(es, event); /* some machines cannot count it, which takes as many calls */
    else
        start_libpfm();
    mark();
    _exit(0);
}

/* True if the call that the child is stopped at, about to be made or just made, is the mark. */
static int is_mark(pid_t pid)
{
    struct __ptrace_syscall_info info;
    CHECK(ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof info, &info) > 0);
    return info.op == PTRACE_SYSCALL_INFO_ENTRY && info.entry.nr == SYS_wait4 && info.entry.args[0] == MARK;
}

static int count_until_mark(pid_t pid)
{
    int status, stops = 0;
    do {
        CHECK(ptrace(PTRACE_SYSCALL, pid, NULL, NULL) == 0);
        CHECK(waitpid(pid, &status, 0) == pid);
        CHECK(WIFSTOPPED(status));
        stops++;
    } while (!is_mark(pid));
    return stops / 2 - 1; /* one before a call and one after it; the first is behind a mark */
}

/* A read of a running set between the marks. */
static _Noreturn void read_once(int es)
{
    long long value[8];
    if (PAPI_start(es) != PAPI_OK || PAPI_read(es, value) != PAPI_OK ||
        ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
        _exit(1);
    raise(SIGSTOP);
    mark();
    int code = PAPI_read(es, value);
    mark();
    _exit(code != PAPI_OK);
}

/* argument: names of events, up to a NULL. */
static _Noreturn void read_files(const void *argument)
{
    const char *const *events = argument;
    int es = PAPI_NULL;
    setenv("PAPI_SYSROOT", made_machine_folder(), 1);
    if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT || PAPI_create_eventset(&es) != PAPI_OK)
        _exit(1);
    for (; *events != NULL; events++)
        if (PAPI_add_named_event(es, *events) != PAPI_OK)
            _exit(1);
    read_once(es);
}

/* Sets of the same events, in different forms. */
enum form { MULTIPLEXED, INHERITED, ATTACHED, ATTACHED_INHERITED, SHARED, ATTACHED_SHARED };
enum { EVENTS = 8 };

static int set_form(int es, enum form form)
{
    PAPI_option_t option = {.inherit = {.eventset = es, .inherit = PAPI_INHERIT_ALL}},
                  share = {.share = {.eventset = es, .on = 1}};
    int code = PAPI_assign_eventset_component(es, 0);
    if (code == PAPI_OK && form == MULTIPLEXED)
        code = PAPI_set_multiplex(es);
    if (code == PAPI_OK && (form == INHERITED || form == ATTACHED_INHERITED))
        code = PAPI_set_opt(PAPI_INHERIT, &option);
    if (code == PAPI_OK && (form == SHARED || form == ATTACHED_SHARED))
        code = PAPI_set_opt(PAPI_SHARE, &share);
    if (code == PAPI_OK && (form == ATTACHED || form == ATTACHED_INHERITED || form == ATTACHED_SHARED))
        code = PAPI_attach(es, (unsigned long)getppid());
    return code;
}

static _Noreturn void read_form(const void *argument)
{
    int es = PAPI_NULL;
    char name[64];
    if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT || PAPI_create_eventset(&es) != PAPI_OK ||
        set_form(es, *(const enum form *)argument) != PAPI_OK)
        _exit(1);
    for (int i = 0; i < EVENTS; i++) { /* page faults under names of their own */
        snprintf(name, sizeof name, "software/config=2,config1=%d/", i + 1);
        if (PAPI_add_named_event(es, name) != PAPI_OK)
            _exit(1);
    }
    read_once(es);
}

/* The number of system calls that a child makes between two marks. */
static int calls_of_child(void (*child)(const void *), const void *argument)
{
    int status;
    fflush(NULL);
    pid_t pid = fork();
    CHECK(pid >= 0);
    if (pid == 0)
        child(argument);
    CHECK(waitpid(pid, &status, 0) == pid);
    if (!WIFSTOPPED(status))
        SKIP("this process may not trace its child");
    CHECK(ptrace(PTRACE_SETOPTIONS, pid, NULL, PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD) == 0);
    count_until_mark(pid);
    int calls = count_until_mark(pid);
    CHECK(ptrace(PTRACE_DETACH, pid, NULL, NULL) == 0);
    CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    return calls;
}

static int calls_for(const char *event)
{
    int calls = calls_of_child(first_calls, event);
    print_message("%s: %d system calls\n", event != NULL ? event : "the start of libpfm4", calls);
    return calls;
}

static void need_a_plain_machine(void)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    SKIP("the sanitizer's allocator makes calls of its own");
#endif
    if (test_under_valgrind())
        SKIP("valgrind makes the program's calls");
    if (access("/sys/kernel/tracing/events", R_OK) == 0 ||
        access("/sys/kernel/debug/tracing/events", R_OK) == 0)
        SKIP("libpfm4 reads the kernel's tracepoints, of which there are thousands");
}

/* The library starts libpfm4 a second time where that does not find the processor. Asked in a child, or
 * libpfm4 would already be there for the tests to come. */
static bool knows_processor(void)
{
    int status;
    pid_t pid = fork();
    CHECK(pid >= 0);
    if (pid == 0) {
        int n = 0, known = 0;
        if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT)
            _exit(0);
        for (const PAPI_component_info_t *info = PAPI_get_component_info(0); info->pmu_names[n] != NULL; n++)
            known = known || strncmp(info->pmu_names[n], "perf", 4) != 0;
        _exit(known);
    }
    CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status));
    return WEXITSTATUS(status) != 0;
}

static void first_event(void **state)
{
#if defined(__aarch64__) /* which of the processor's events it implements is in as many files */
    static const char *const events[] = {FAULTS};
#else
    static const char *const events[] = {FAULTS, "PAPI_TOT_INS"};
#endif
    (void)state;
    need_a_plain_machine();
    int start = calls_for(NULL);
    for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
        int calls = calls_for(events[i]);
        CHECK(calls - start <= MOST_BESIDE);
        CHECK(start > PLAIN || !knows_processor() || calls <= MOST);
    }
}

/* A server has hundreds of PMUs outside of its cores: where there is "cpu" nothing is read of them. */
static void many_pmus(void **state)
{
    enum { MANY = 50, MEMORY = 2 }; /* their names may take more of it */
    char name[32];
    (void)state;
    need_a_plain_machine();
    CHECK(made_machine_create() == 0);
    made_machine_put_pmu("cpu", PERF_TYPE_RAW, NULL);
    int one = calls_for("PAPI_TOT_INS");
    for (int i = 0; i < MANY; i++) {
        snprintf(name, sizeof name, "uncore_%d", i);
        made_machine_put_pmu(name, 20 + i, NULL);
    }
    int many = calls_for("PAPI_TOT_INS");
    CHECK(made_machine_remove() == 0);
    CHECK(many <= one + MEMORY);
}

/* A read opens each file once, however many events are in it. */
static void files(void **state)
{
    static const char *const zones[] = {"powercap:::ENERGY_UJ:ZONE0", "powercap:::ENERGY_UJ:ZONE1",
                                        "powercap:::ENERGY_UJ:ZONE0_SUBZONE0",
                                        "powercap:::ENERGY_UJ:ZONE1_SUBZONE0", NULL};
    static const char *const lines[] = {"io:::rchar", "io:::wchar", "io:::syscr", "io:::read_bytes", NULL};
    static const char *const folders[][2] = {{"intel-rapl:0", "package-0"},
                                             {"intel-rapl:1", "package-1"},
                                             {"intel-rapl:0:0", "dram"},
                                             {"intel-rapl:1:0", "dram"}};
    static const char *const contents[][2] = {{"energy_uj", "1"}, {"max_energy_range_uj", "262143328850"}};
    char path[128];
    (void)state;
    need_a_plain_machine();
    CHECK(made_machine_create() == 0);
    for (size_t i = 0; i < 4; i++) {
        snprintf(path, sizeof path, "sys/class/powercap/%s/name", folders[i][0]);
        made_machine_put(path, folders[i][1]);
        for (size_t j = 0; j < 2; j++) {
            snprintf(path, sizeof path, "sys/class/powercap/%s/%s", folders[i][0], contents[j][0]);
            made_machine_put(path, contents[j][1]);
        }
    }
    made_machine_put("proc/self/io",
                     "rchar: 1\nwchar: 2\nsyscr: 3\nsyscw: 4\nread_bytes: 5\nwrite_bytes: 6\n");
    EQUAL(calls_of_child(read_files, zones), 4);
    EQUAL(calls_of_child(read_files, lines), 1);
    CHECK(made_machine_remove() == 0);
}

static int calls_of_read(enum form form)
{
    return calls_of_child(read_form, &form);
}

/* The kernel from whose version on inherited counters are read at once. */
static bool kernel_is_new(void)
{
    struct utsname kernel;
    int major = 0, minor = 0;
    EQUAL(uname(&kernel), 0);
    sscanf(kernel.release, "%d.%d", &major, &minor);
    return major > 6 || (major == 6 && minor >= 6);
}

/* A read is one call for all events where the kernel has them in one group. */
static void forms(void **state)
{
    (void)state;
    need_a_plain_machine();
    NEED_SOFTWARE_EVENTS();
    EQUAL(calls_of_read(ATTACHED), 1);
    EQUAL(calls_of_read(SHARED), 1);
    EQUAL(calls_of_read(ATTACHED_SHARED), 1);
    EQUAL(calls_of_read(MULTIPLEXED), EVENTS);
    if (!kernel_is_new())
        SKIP("the kernel may not read inherited counters at once");
    EQUAL(calls_of_read(INHERITED), 1);
    EQUAL(calls_of_read(ATTACHED_INHERITED), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(first_event), cmocka_unit_test(many_pmus),
                                       cmocka_unit_test(files), cmocka_unit_test(forms)};
    return TEST_RUN(tests);
}
