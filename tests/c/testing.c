/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing.h"

#include <dirent.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static pid_t test_process; /* the process whose main thread cmocka runs in */
static pthread_t test_thread;
static int skipped;

__attribute__((constructor)) static void remember_runner(void)
{
    test_process = getpid();
    test_thread = pthread_self();
    setvbuf(stdout, NULL, _IOLBF, 0);
}

/* cmocka leaves a failed test with longjmp, which is right only where it called the test. */
static void failed(const char *file, int line)
{
    if (getpid() == test_process && pthread_equal(pthread_self(), test_thread))
        _fail(file, line);
    fflush(NULL);
    _exit(1);
}

void test_check(int condition, const char *text, const char *file, int line)
{
    if (condition)
        return;
    fprintf(stderr, "%s:%d: not true: %s\n", file, line, text);
    failed(file, line);
}

void test_equal(long long got, long long wanted, const char *text, const char *file, int line)
{
    if (got == wanted)
        return;
    fprintf(stderr, "%s:%d: %s is %lld, not %lld\n", file, line, text, got, wanted);
    failed(file, line);
}

void test_code(int got, int wanted, const char *text, const char *file, int line)
{
    const char *why;
    if (got == wanted)
        return;
    why = PAPI_strerror(got);
    fprintf(stderr, "%s:%d: %s returned %d, not %d (%s)\n", file, line, text, got, wanted, why ? why : "-");
    failed(file, line);
}

void test_refused(int got, int wanted, const char *part, const char *text, const char *file, int line)
{
    test_code(got, wanted, text, file, line);
    if (strstr(PAPI_strerror(got), part) != NULL)
        return;
    fprintf(stderr, "%s:%d: %s: \"%s\" should have \"%s\"\n", file, line, text, PAPI_strerror(got), part);
    failed(file, line);
}

void test_counted(long long got, long long wanted, const char *text, const char *file, int line)
{
    if (got >= wanted && got <= wanted + test_slack())
        return;
    fprintf(stderr, "%s:%d: %s counted %lld, not %lld (+%lld)\n", file, line, text, got, wanted,
            test_slack());
    failed(file, line);
}

void test_skipping(const char *format, ...)
{
    va_list args;
    skipped++;
    printf("SKIP: ");
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    printf("\n");
}

void test_choose(void)
{
    cmocka_set_test_filter(getenv("TEST_ONLY"));
    cmocka_set_skip_filter(getenv("TEST_SKIP"));
}

int test_status(int failures, int total)
{
    if (failures != 0)
        return 1;
    return skipped == total ? 77 : 0;
}

void test_init(void)
{
    CODE(PAPI_library_init(PAPI_VER_CURRENT), PAPI_VER_CURRENT);
}

const char *test_no_software_events(void)
{
    int error;
    test_init();
    error = PAPI_query_named_event(FAULTS);
    return error == PAPI_OK ? NULL : PAPI_strerror(error);
}

const char *test_switches(void)
{
    return PAPI_query_named_event(SWITCHES) == PAPI_OK ? SWITCHES : "perf::CPU-CLOCK";
}

void test_in_child(void (*body)(void *), void *argument)
{
    int status = 0;
    pid_t child;
    fflush(NULL);
    child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        body(argument);
        fflush(NULL);
        exit(0); /* not _exit: the leak checkers look at exit */
    }
    EQUAL(waitpid(child, &status, 0), child);
    EQUAL(WIFSIGNALED(status) ? WTERMSIG(status) : 0, 0);
    EQUAL(WEXITSTATUS(status), 0);
}

static char presets_path[256];
static pid_t presets_process; /* which made the file: a child of the test may make its own */

static void remove_presets(void)
{
    if (getpid() == presets_process)
        unlink(presets_path);
}

const char *test_presets(const char *text, size_t size)
{
    const char *folder = getenv("TMPDIR");
    FILE *file;
    int fd;
    if (presets_path[0] == 0)
        atexit(remove_presets);
    else
        remove_presets();
    presets_process = getpid();
    snprintf(presets_path, sizeof presets_path, "%s/fpapi-presets-XXXXXX", folder ? folder : "/tmp");
    fd = mkstemp(presets_path);
    CHECK(fd >= 0);
    file = fdopen(fd, "w");
    CHECK(file != NULL);
    EQUAL(fwrite(text, 1, size, file), size);
    EQUAL(fclose(file), 0);
    EQUAL(setenv("PAPI_CSV_EVENT_FILE", presets_path, 1), 0);
    return presets_path;
}

void test_software_presets(void)
{
    static const char table[] = "CPU,perf\n"
                                "PRESET,PAPI_TOT_INS,NOT_DERIVED,perf::PAGE-FAULTS\n"
                                "PRESET,PAPI_FP_INS,NOT_DERIVED,perf::PAGE-FAULTS\n"
                                "PRESET,PAPI_FP_OPS,NOT_DERIVED,perf::PAGE-FAULTS\n"
                                "PRESET,PAPI_TOT_CYC,NOT_DERIVED,perf::TASK-CLOCK\n";

    test_presets(table, sizeof table - 1);
}

int test_open_descriptors(void)
{
    DIR *folder = opendir("/proc/self/fd");
    int n = 0;
    CHECK(folder != NULL);
    while (readdir(folder) != NULL)
        n++;
    closedir(folder);
    return n - 3; /* ".", ".." and the folder itself */
}

void test_touch_pages(int n)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t size = (size_t)n * page;
    volatile char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(memory != MAP_FAILED);
    /* A huge page would be one fault. */
    madvise((void *)memory, size, MADV_NOHUGEPAGE);
    for (size_t at = 0; at < size; at += page)
        memory[at] = 1;
    munmap((void *)memory, size);
}

/* Code and data that are used for the first time while counting fault too: pages of the C library
 * and of the test's own stack. A sanitizer's shadow and Valgrind's translations fault far more. */
long long test_slack(void)
{
#if defined(__SANITIZE_THREAD__)
    return 100000;
#elif defined(__SANITIZE_ADDRESS__)
    return 500;
#endif
    return test_under_valgrind() ? 5000 : 12;
}

void test_sleep(int n)
{
    struct timespec moment = {0, 200000};
    for (int i = 0; i < n; i++)
        nanosleep(&moment, NULL);
}

static long long cpu_nsec(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

void test_burn(long long nsec)
{
    long long end = cpu_nsec() + nsec;
    volatile unsigned n = 0;
    while (cpu_nsec() < end)
        for (int i = 0; i < 1000; i++)
            n = n + 1;
}

int test_set(const char *name, ...)
{
    int es = PAPI_NULL;
    va_list args;
    OK(PAPI_create_eventset(&es));
    va_start(args, name);
    for (; name != NULL; name = va_arg(args, const char *))
        OK(PAPI_add_named_event(es, name));
    va_end(args);
    return es;
}

void test_drop(int es)
{
    int state = 0;
    OK(PAPI_state(es, &state));
    if (state & PAPI_RUNNING)
        OK(PAPI_stop(es, NULL));
    OK(PAPI_cleanup_eventset(es));
    OK(PAPI_destroy_eventset(&es));
    EQUAL(es, PAPI_NULL);
}

int test_code_of(const char *name)
{
    int code = 0;
    OK(PAPI_event_name_to_code(name, &code));
    return code;
}
