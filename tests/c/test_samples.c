/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Samples with their data. Page faults have the addresses that faulted, on every machine: of pages that are
 * touched one after the other these are known exactly. Loads and branches are tested with records that are
 * made by hand (profile.sample_record), since no machine of these tests has them.
 */
#include "made_machine.h"
#include "testing.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PAGES = 100, ROOM = 4096 };

static PAPI_sample_t samples[ROOM];

static int open_faults(long long period)
{
    int sampler = PAPI_NULL;
    OK(PAPI_sample_open(FAULTS, period, 0, &sampler));
    CHECK(sampler > 0);
    return sampler;
}

/* Fresh pages, none of which is large. */
static char *map_pages(int n)
{
    size_t size = (size_t)n * (size_t)sysconf(_SC_PAGESIZE);
    char *pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(pages != MAP_FAILED && madvise(pages, size, MADV_NOHUGEPAGE) == 0);
    return pages;
}

/* Touches each page at another offset. A sanitizer's check of each would touch pages of its own. */
__attribute__((no_sanitize_address, no_sanitize_thread)) static void touch(volatile char *pages, int n)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    for (size_t i = 0; i < (size_t)n; i++)
        pages[i * page + i % page] = 1;
}

static void unmap_pages(char *pages, int n)
{
    munmap(pages, (size_t)n * (size_t)sysconf(_SC_PAGESIZE));
}

static int read_all(int sampler)
{
    int n = ROOM;
    OK(PAPI_sample_read(sampler, samples, &n));
    return n;
}

static long long now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

/* Looks for samples of the pages, in the order in which these were touched; others are few. */
static void are_of_pages(int n, const char *pages, int touched, int every)
{
    int found = 0;
    long long page = sysconf(_SC_PAGESIZE);
    for (int i = 0; i < n; i++) {
        long long at = samples[i].address - (long long)(uintptr_t)pages;
        if (at < 0 || at >= touched * page)
            continue;
        EQUAL(at % page, at / page);
        found++;
    }
    CHECK(found <= touched / every + 1 && found >= (touched - (int)test_slack()) / every - 1);
}

static void addresses_are_exact(void **state)
{
    (void)state;
    NEED_SOFTWARE_EVENTS();
    int sampler = open_faults(1);
    char *pages = map_pages(PAGES);
    long long before = now(), lost = -1;
    OK(PAPI_sample_start(sampler));
    touch(pages, PAGES);
    OK(PAPI_sample_stop(sampler));
    long long after = now();
    int n = read_all(sampler);
    COUNTED(n, PAGES);
    are_of_pages(n, pages, PAGES, 1);
    for (int i = 0; i < n; i++) {
        CHECK(samples[i].time >= before && samples[i].time <= after);
        CHECK(i == 0 || samples[i].time >= samples[i - 1].time);
        EQUAL(samples[i].process, getpid());
        EQUAL(samples[i].thread, syscall(SYS_gettid));
        EQUAL(samples[i].period, 1);
        EQUAL(samples[i].latency, -1);
        EQUAL(samples[i].access, 0);
        EQUAL(samples[i].level, PAPI_SAMPLE_UNKNOWN);
        EQUAL(samples[i].branches, 0);
        CHECK(samples[i].cpu >= 0 && samples[i].cpu < sysconf(_SC_NPROCESSORS_CONF));
    }
    OK(PAPI_sample_lost(sampler, &lost));
    EQUAL(lost, 0);
    EQUAL(read_all(sampler), 0);
    unmap_pages(pages, PAGES);
    OK(PAPI_sample_close(&sampler));
    EQUAL(sampler, PAPI_NULL);
}

static void periods(void **state)
{
    (void)state;
    NEED_SOFTWARE_EVENTS();
    int sampler = open_faults(10);
    char *pages = map_pages(PAGES);
    for (int again = 0; again < 3; again++) { /* a period begins with the start */
        madvise(pages, PAGES * (size_t)sysconf(_SC_PAGESIZE), MADV_DONTNEED);
        OK(PAPI_sample_start(sampler));
        touch(pages, PAGES);
        OK(PAPI_sample_stop(sampler));
        int n = read_all(sampler);
        CHECK(n >= PAGES / 10 && n <= (PAGES + test_slack()) / 10);
        are_of_pages(n, pages, PAGES, 10);
    }
    unmap_pages(pages, PAGES);
    OK(PAPI_sample_close(&sampler));
}

/* Reads a few at a time while it runs: none is lost, and none comes twice. */
static void reads_in_parts(void **state)
{
    (void)state;
    NEED_SOFTWARE_EVENTS();
    int sampler = open_faults(1), all = 0, more;
    char *pages = map_pages(PAGES);
    OK(PAPI_sample_start(sampler));
    touch(pages, PAGES);
    do {
        more = 7;
        OK(PAPI_sample_read(sampler, samples + all, &more));
        all += more;
    } while (more == 7);
    more = 0;
    OK(PAPI_sample_read(sampler, samples, &more));
    EQUAL(more, 0);
    OK(PAPI_sample_stop(sampler));
    are_of_pages(all, pages, PAGES, 1);
    unmap_pages(pages, PAGES);
    OK(PAPI_sample_close(&sampler));
}

/* More than the buffer holds, which wraps around many times where it is read, and is full where it is not. */
static void losses_are_counted(void **state)
{
    (void)state;
    enum { MANY = 40000 };
    NEED_SOFTWARE_EVENTS();
    int sampler = open_faults(1);
    long long lost = 0, read = 0;
    char *pages = map_pages(MANY);
    OK(PAPI_sample_start(sampler));
    touch(pages, MANY);
    REFUSES(PAPI_sample_stop(sampler), PAPI_ECLOST, "found no room");
    OK(PAPI_sample_lost(sampler, &lost));
    for (int n = read_all(sampler); n > 0; n = read_all(sampler))
        read += n;
    CHECK(lost > 0 && read > 0);
    COUNTED(lost + read, MANY);
    madvise(pages, MANY * (size_t)sysconf(_SC_PAGESIZE), MADV_DONTNEED);
    OK(PAPI_sample_start(sampler));
    read = 0;
    for (int i = 0; i < MANY; i += 20) {
        touch(pages + (size_t)i * (size_t)sysconf(_SC_PAGESIZE), 20);
        read += read_all(sampler);
    }
    OK(PAPI_sample_stop(sampler));
    read += read_all(sampler);
    COUNTED(read, MANY);
    unmap_pages(pages, MANY);
    OK(PAPI_sample_close(&sampler));
}

static int before_linux_6(struct perf_event_attr *attr, int thread, int cpu)
{
    enum { FORMAT_LOST = 16 };
    (void)thread, (void)cpu;
    return (attr->read_format & FORMAT_LOST) != 0 ? EINVAL : 0;
}

/* Checks what a kernel that does not count lost samples leaves: a full buffer, before anybody has read it. */
static void losses_of_old_kernels(void **state)
{
    (void)state;
    enum { MANY = 40000 };
    NEED_SOFTWARE_EVENTS();
    made_machine_answer = before_linux_6;
    int sampler = open_faults(1);
    char *pages = map_pages(MANY);
    OK(PAPI_sample_start(sampler));
    touch(pages, PAGES);
    OK(PAPI_sample_stop(sampler));
    OK(PAPI_sample_start(sampler));
    touch(pages + (size_t)PAGES * (size_t)sysconf(_SC_PAGESIZE), MANY - PAGES);
    REFUSES(PAPI_sample_stop(sampler), PAPI_ECLOST, "or more");
    made_machine_answer = NULL;
    unmap_pages(pages, MANY);
    OK(PAPI_sample_close(&sampler));
}

/* ---- handlers */

static struct {
    int n, stop_at, closed, code;
    long long address[ROOM];
} calls;

static void note(int sampler, PAPI_sample_t *sample, PAPI_branch_t *branches, void *context)
{
    (void)branches;
    CHECK(context != NULL);
    calls.address[calls.n++ % ROOM] = sample->address;
    CODE(PAPI_sample_close(&(int){sampler}), PAPI_EISRUN);
    calls.closed = PAPI_EISRUN;
    if (calls.n == calls.stop_at)
        calls.code = PAPI_sample_stop(sampler);
}

static void handlers(void **state)
{
    (void)state;
    NEED_SOFTWARE_EVENTS();
    int sampler = open_faults(1), n = ROOM, found = 0;
    char *pages = map_pages(PAGES);
    memset(&calls, 0, sizeof calls);
    OK(PAPI_sample_handler(sampler, note));
    REFUSES(PAPI_sample_read(sampler, samples, &n), PAPI_EINVAL, "handler");
    OK(PAPI_sample_start(sampler));
    CODE(PAPI_sample_handler(sampler, NULL), PAPI_EISRUN);
    touch(pages, PAGES);
    OK(PAPI_sample_stop(sampler));
    COUNTED(calls.n, PAGES);
    EQUAL(calls.closed, PAPI_EISRUN);
    for (int i = 0; i < calls.n; i++)
        found += calls.address[i] >= (long long)(uintptr_t)pages &&
                 calls.address[i] < (long long)(uintptr_t)pages + PAGES * sysconf(_SC_PAGESIZE);
    CHECK(found >= PAGES - test_slack());
    /* A handler that stops the sampler is not called again. */
    memset(&calls, 0, sizeof calls);
    calls.stop_at = 5;
    madvise(pages, PAGES * (size_t)sysconf(_SC_PAGESIZE), MADV_DONTNEED);
    OK(PAPI_sample_start(sampler));
    touch(pages, PAGES);
    EQUAL(calls.n, 5);
    EQUAL(calls.code, PAPI_OK);
    CODE(PAPI_sample_stop(sampler), PAPI_ENOTRUN);
    /* And without it samples wait again. */
    OK(PAPI_sample_handler(sampler, NULL));
    madvise(pages, PAGES * (size_t)sysconf(_SC_PAGESIZE), MADV_DONTNEED);
    OK(PAPI_sample_start(sampler));
    touch(pages, PAGES);
    OK(PAPI_sample_stop(sampler));
    EQUAL(calls.n, 5);
    are_of_pages(read_all(sampler), pages, PAGES, 1);
    unmap_pages(pages, PAGES);
    OK(PAPI_sample_close(&sampler));
}

static void blocked_signals(void **state)
{
    (void)state;
    NEED_SOFTWARE_EVENTS();
    int sampler = open_faults(1);
    char *pages = map_pages(PAGES);
    sigset_t all, before;
    memset(&calls, 0, sizeof calls);
    OK(PAPI_sample_handler(sampler, note));
    sigfillset(&all);
    OK(PAPI_sample_start(sampler));
    sigprocmask(SIG_BLOCK, &all, &before);
    touch(pages, PAGES);
    REFUSES(PAPI_sample_stop(sampler), PAPI_ECLOST, "blocks signal");
    sigprocmask(SIG_SETMASK, &before, NULL);
    CHECK(calls.n < PAGES);
    unmap_pages(pages, PAGES);
    OK(PAPI_sample_close(&sampler));
}

/* An event set of the same event overflows meanwhile: each has all of its own. */
static int overflows;

static void overflow(int es, void *address, long long vector, void *context)
{
    (void)es, (void)address, (void)vector, (void)context;
    overflows++;
}

static void beside_overflows(void **state)
{
    (void)state;
    NEED_SOFTWARE_EVENTS();
    int sampler = open_faults(1), es = test_set(FAULTS, NULL);
    long long count = 0;
    char *pages = map_pages(PAGES);
    memset(&calls, 0, sizeof calls);
    overflows = 0;
    OK(PAPI_sample_handler(sampler, note));
    OK(PAPI_overflow(es, test_code_of(FAULTS), 2, 0, overflow));
    OK(PAPI_start(es));
    OK(PAPI_sample_start(sampler));
    touch(pages, PAGES);
    OK(PAPI_sample_stop(sampler));
    OK(PAPI_stop(es, &count));
    COUNTED(count, PAGES);
    EQUAL(overflows, count / 2);
    COUNTED(calls.n, PAGES);
    test_drop(es);
    unmap_pages(pages, PAGES);
    OK(PAPI_sample_close(&sampler));
}

/* A shared mapping of a file, whose first write faults anew after each signal: the run ends all the same. */
static void no_standstill(void **state)
{
    (void)state;
    NEED_SOFTWARE_EVENTS();
    int sampler = open_faults(1), file = memfd_create("pages", MFD_CLOEXEC), other = open_faults(1);
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    CHECK(file >= 0 && ftruncate(file, (off_t)(PAGES * page)) == 0);
    char *pages = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    CHECK(pages != MAP_FAILED);
    memset(&calls, 0, sizeof calls);
    OK(PAPI_sample_handler(sampler, note));
    OK(PAPI_sample_start(sampler));
    touch(pages, PAGES);
    int code = PAPI_sample_stop(sampler);
    CHECK(code == PAPI_OK ||
          (code == PAPI_ECLOST && strstr(PAPI_strerror(code), "no longer got on") != NULL));
    CHECK(code != PAPI_OK || calls.n >= PAGES);
    OK(PAPI_sample_start(sampler)); /* writes to the ring of another one for the first time */
    OK(PAPI_sample_start(other));
    OK(PAPI_sample_stop(other));
    code = PAPI_sample_stop(sampler);
    CHECK(code == PAPI_OK || code == PAPI_ECLOST);
    munmap(pages, PAGES * page);
    close(file);
    OK(PAPI_sample_close(&sampler));
    OK(PAPI_sample_close(&other));
}

/* ---- threads and processes */

static void *of_thread(void *of_other)
{
    CODE(PAPI_sample_start(*(int *)of_other), PAPI_EINVAL);
    int sampler = open_faults(1);
    char *pages = map_pages(PAGES);
    OK(PAPI_sample_start(sampler));
    touch(pages, PAGES);
    OK(PAPI_sample_stop(sampler));
    unmap_pages(pages, PAGES);
    return NULL; /* the sampler ends with the thread */
}

static void threads(void **state)
{
    (void)state;
    NEED_SOFTWARE_EVENTS();
    int sampler = open_faults(1), before = test_open_descriptors();
    char *pages = map_pages(1);
    OK(PAPI_sample_start(sampler));
    for (int i = 0; i < 4; i++) {
        pthread_t thread;
        CHECK(pthread_create(&thread, NULL, of_thread, &sampler) == 0);
        pthread_join(thread, NULL);
    }
    touch(pages, 1);
    OK(PAPI_sample_stop(sampler));
    int n = read_all(sampler);
    for (int i = 0; i < n; i++)
        EQUAL(samples[i].thread, syscall(SYS_gettid));
    CHECK(test_open_descriptors() <= before);
    unmap_pages(pages, 1);
    OK(PAPI_sample_close(&sampler));
}

static void child(void *of_parent)
{
    int sampler = *(int *)of_parent, n = ROOM;
    long long lost;
    CODE(PAPI_sample_start(sampler), PAPI_ECLOST);
    CODE(PAPI_sample_stop(sampler), PAPI_ECLOST);
    CODE(PAPI_sample_handler(sampler, note), PAPI_ECLOST);
    CODE(PAPI_sample_read(sampler, samples, &n), PAPI_ECLOST);
    CODE(PAPI_sample_branches(sampler, &(PAPI_branch_t){.from = 0}, &n), PAPI_ECLOST);
    CODE(PAPI_sample_lost(sampler, &lost), PAPI_ECLOST);
    CHECK(strstr(PAPI_strerror(PAPI_ECLOST), "fork") != NULL);
    OK(PAPI_sample_close(&sampler));
    sampler = open_faults(1);
    test_touch_pages(PAGES);
    OK(PAPI_sample_close(&sampler));
}

static void forks(void **state)
{
    (void)state;
    NEED_SOFTWARE_EVENTS();
    int sampler = open_faults(1);
    char *pages = map_pages(PAGES);
    OK(PAPI_sample_start(sampler));
    test_in_child(child, &sampler);
    read_all(sampler);
    touch(pages, PAGES);
    OK(PAPI_sample_stop(sampler));
    are_of_pages(read_all(sampler), pages, PAGES, 1);
    unmap_pages(pages, PAGES);
    OK(PAPI_sample_close(&sampler));
}

static void shutdown_ends_them(void **state)
{
    (void)state;
    NEED_SOFTWARE_EVENTS();
    int before = test_open_descriptors(), sampler = open_faults(1), n = 1;
    OK(PAPI_sample_start(sampler));
    PAPI_shutdown();
    CODE(PAPI_sample_start(sampler), PAPI_ENOINIT);
    CODE(PAPI_sample_stop(sampler), PAPI_ENOINIT);
    CODE(PAPI_sample_handler(sampler, note), PAPI_ENOINIT);
    CODE(PAPI_sample_read(sampler, samples, &n), PAPI_ENOINIT);
    CODE(PAPI_sample_branches(sampler, &(PAPI_branch_t){.from = 0}, &n), PAPI_ENOINIT);
    CODE(PAPI_sample_lost(sampler, &(long long){0}), PAPI_ENOINIT);
    CODE(PAPI_sample_open(FAULTS, 1, 0, &sampler), PAPI_ENOINIT);
    CODE(PAPI_sample_close(&sampler), PAPI_ENOINIT);
    test_init();
    CODE(PAPI_sample_start(sampler), PAPI_EINVAL);
    CHECK(test_open_descriptors() <= before);
}

/* ---- refusals */

static void limited(int which, rlim_t soft, struct rlimit *before)
{
    CHECK(getrlimit(which, before) == 0);
    CHECK(setrlimit(which, &(struct rlimit){soft, before->rlim_max}) == 0);
}

static void nothing_is_left(void **state)
{
    (void)state;
    NEED_SOFTWARE_EVENTS();
    if (test_under_valgrind())
        SKIP("valgrind keeps the limits to itself");
    int sampler = open_faults(1), other = PAPI_NULL;
    struct rlimit before;
    limited(RLIMIT_NOFILE, 3, &before);
    CODE(PAPI_sample_open(FAULTS, 1, 0, &other), PAPI_ESYS);
    CODE(PAPI_sample_handler(sampler, note), PAPI_ESYS);
    CHECK(setrlimit(RLIMIT_NOFILE, &before) == 0);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) /* which need memory themselves */
    limited(RLIMIT_AS, 1 << 20, &before);
    CODE(PAPI_sample_open(FAULTS, 1, 0, &other), PAPI_ENOMEM);
    CODE(PAPI_sample_handler(sampler, note), PAPI_ENOMEM);
    CHECK(setrlimit(RLIMIT_AS, &before) == 0);
#endif
    EQUAL(other, PAPI_NULL);
    OK(PAPI_sample_handler(sampler, note));
    OK(PAPI_sample_close(&sampler));
}

static void wrong_calls(void **state)
{
    (void)state;
    NEED_SOFTWARE_EVENTS();
    int sampler = PAPI_NULL, n = 1;
    long long lost;
    PAPI_branch_t branch;
    CODE(PAPI_sample_open(NULL, 1, 0, &sampler), PAPI_EINVAL);
    CODE(PAPI_sample_open(FAULTS, 1, 0, NULL), PAPI_EINVAL);
    REFUSES(PAPI_sample_open(FAULTS, 0, 0, &sampler), PAPI_EINVAL, "period");
    REFUSES(PAPI_sample_open(FAULTS, -5, 0, &sampler), PAPI_EINVAL, "period");
    REFUSES(PAPI_sample_open(FAULTS, 1, 2, &sampler), PAPI_EINVAL, "flags");
    REFUSES(PAPI_sample_open(CLOCK, 1, 0, &sampler), PAPI_EINVAL, "at the most often");
    CODE(PAPI_sample_open("perf::NO-SUCH-EVENT", 1, 0, &sampler), PAPI_ENOEVNT);
    CODE(PAPI_sample_open("PAPI_NO_SUCH", 1, 0, &sampler), PAPI_ENOTPRESET);
    CODE(PAPI_sample_open(FAULTS, 1, PAPI_SAMPLE_WITH_BRANCHES, &sampler), PAPI_ENOSUPP);
    CHECK(strstr(PAPI_strerror(PAPI_ENOSUPP), "papi_emulate") != NULL);
    EQUAL(sampler, PAPI_NULL);
    sampler = open_faults(1);
    CODE(PAPI_sample_stop(sampler), PAPI_ENOTRUN);
    CODE(PAPI_sample_read(sampler, NULL, &n), PAPI_EINVAL);
    CODE(PAPI_sample_read(sampler, samples, NULL), PAPI_EINVAL);
    n = -1;
    CODE(PAPI_sample_read(sampler, samples, &n), PAPI_EINVAL);
    CODE(PAPI_sample_branches(sampler, &branch, &n), PAPI_EINVAL);
    n = 1;
    OK(PAPI_sample_branches(sampler, &branch, &n));
    EQUAL(n, 0);
    CODE(PAPI_sample_branches(sampler, NULL, &n), PAPI_EINVAL);
    CODE(PAPI_sample_lost(sampler, NULL), PAPI_EINVAL);
    OK(PAPI_sample_start(sampler));
    CODE(PAPI_sample_start(sampler), PAPI_EISRUN);
    OK(PAPI_sample_close(&sampler)); /* while it runs */
    CODE(PAPI_sample_close(&sampler), PAPI_EINVAL);
    CODE(PAPI_sample_close(NULL), PAPI_EINVAL);
    CODE(PAPI_sample_start(4711), PAPI_EINVAL);
    CODE(PAPI_sample_stop(4711), PAPI_EINVAL);
    CODE(PAPI_sample_handler(4711, NULL), PAPI_EINVAL);
    n = 1;
    CODE(PAPI_sample_read(4711, samples, &n), PAPI_EINVAL);
    CODE(PAPI_sample_branches(4711, &branch, &n), PAPI_EINVAL);
    CODE(PAPI_sample_lost(4711, &lost), PAPI_EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_are_exact),
        cmocka_unit_test(periods),
        cmocka_unit_test(reads_in_parts),
        cmocka_unit_test(losses_are_counted),
        cmocka_unit_test(losses_of_old_kernels),
        cmocka_unit_test(handlers),
        cmocka_unit_test(blocked_signals),
        cmocka_unit_test(beside_overflows),
        cmocka_unit_test(no_standstill),
        cmocka_unit_test(threads),
        cmocka_unit_test(forks),
        cmocka_unit_test(shutdown_ends_them),
        cmocka_unit_test(wrong_calls),
        cmocka_unit_test(nothing_is_left),
    };
    return TEST_RUN(tests);
}
