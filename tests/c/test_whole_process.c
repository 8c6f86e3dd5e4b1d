/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Event sets that are attached to whole processes, on the kernel's page faults: the kernel's own account of
 * the process says how many there were, of its threads that have ended, too.
 */
#include "../crowd.h"
#include "testing.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGES = 20, STAYING = 50, AT_LEAST = STAYING * PAGES };

static char own_path[4096]; /* of this program */

static void work(void)
{
    test_touch_pages(PAGES);
}

/* The kernel's own account: the minor faults of all threads, in user mode and in the kernel. */
static long long faults_of(pid_t pid)
{
    char path[64], text[1024] = "";
    long long minor = -1;
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    int fd = open(path, O_RDONLY);
    CHECK(fd >= 0 && read(fd, text, sizeof text - 1) > 0);
    close(fd);
    const char *end = strrchr(text, ')');
    CHECK(end != NULL && sscanf(end + 1, " %*c %*d %*d %*d %*d %*d %*u %lld", &minor) == 1);
    return minor;
}

/* Only who may count the kernel has the same. */
static int has_all_faults(void)
{
    return geteuid() == 0;
}

static int new_set(void)
{
    int es = PAPI_NULL;
    PAPI_option_t option;
    memset(&option, 0, sizeof option);
    OK(PAPI_create_eventset(&es));
    option.domain.eventset = es;
    option.domain.domain = has_all_faults() ? PAPI_DOM_ALL : PAPI_DOM_USER;
    OK(PAPI_set_opt(PAPI_DOMAIN, &option));
    return es;
}

/* A set that counts the process. */
static int set_of(pid_t pid, int flags, int attach_first)
{
    int es = new_set();
    if (attach_first)
        OK(PAPI_attach_process(es, pid, flags));
    OK(PAPI_add_named_event(es, MINOR));
    OK(PAPI_add_named_event(es, CLOCK));
    if (!attach_first)
        OK(PAPI_attach_process(es, pid, flags));
    return es;
}

/* The kernel's account and the set's, from the start on. */
struct account {
    pid_t pid;
    int es;
    long long before;
};

static struct account begin(pid_t pid, int es)
{
    struct account account = {pid, es, faults_of(pid)};
    OK(PAPI_start(es));
    return account;
}

/* The set has counted what the kernel has, and at least so much, and no less than before. */
static long long agree(const struct account *account, long long least)
{
    long long values[2] = {-1, -1}, wanted = -2;
    /* Threads that have done their work may still be about to end, with a fault between the two accounts. */
    for (int tries = 0; tries < 100 && values[0] != wanted; tries++) {
        usleep(tries > 0 ? 10000 : 0);
        wanted = faults_of(account->pid) - account->before;
        OK(PAPI_read(account->es, values));
    }
    CHECK(values[0] >= least);
    if (has_all_faults())
        EQUAL(values[0], wanted);
    else
        CHECK(values[0] <= wanted);
    CHECK(values[1] > 0);
    return values[0];
}

/* ---- counts */

static void threads_that_come_and_go(int attach_first)
{
    struct crowd crowd = crowd_make(STAYING, work, NULL);
    int es = set_of(crowd.pid, 0, attach_first);
    struct account account = begin(crowd.pid, es);
    CHECK(crowd_do(&crowd, 'w'));
    agree(&account, AT_LEAST);
    for (int i = 0; i < 10; i++)
        CHECK(crowd_do(&crowd, 'c'));
    long long all = agree(&account, AT_LEAST + 1000 * PAGES);
    CHECK(crowd_do(&crowd, '+'));
    CHECK(crowd_do(&crowd, 'w'));
    all = agree(&account, all + AT_LEAST + 10 * PAGES);
    CHECK(crowd_do(&crowd, '-')); /* what they have counted stays */
    agree(&account, all);
    CHECK(crowd_do(&crowd, 'c'));
    long long last[2], again[2];
    OK(PAPI_stop(es, last));
    CHECK(crowd_do(&crowd, 'c'));
    OK(PAPI_read(es, again));
    EQUAL(again[0], last[0]);
    account = begin(crowd.pid, es);
    CHECK(crowd_do(&crowd, 'c'));
    agree(&account, 100 * PAGES);
    OK(PAPI_reset(es));
    OK(PAPI_read(es, again));
    CHECK(again[0] < 100 * PAGES);
    test_drop(es);
    EQUAL(crowd_end(&crowd), 0);
}

static void come_and_go(void **state)
{
    (void)state;
    NEED_SOFTWARE_EVENTS();
    int descriptors = test_open_descriptors();
    threads_that_come_and_go(1);
    threads_that_come_and_go(0);
    EQUAL(test_open_descriptors(), descriptors);
}

/* Threads come and go while the set is attached to their process. */
static void attached_in_a_storm(void **state)
{
    (void)state;
    NEED_SOFTWARE_EVENTS();
    for (int i = 0; i < 4; i++) {
        struct crowd crowd = crowd_make(10, work, NULL);
        CHECK(crowd_do(&crowd, 's'));
        int es = new_set();
        int code = PAPI_attach_process(es, crowd.pid, 0);
        for (int event = 0; event < 2 && code == PAPI_OK; event++)
            code = PAPI_add_named_event(es, event == 0 ? MINOR : CLOCK);
        CHECK(code == PAPI_OK || code == PAPI_ECNFLCT); /* an error, and no count that is not whole */
        CHECK(crowd_do(&crowd, 'p'));
        if (code == PAPI_OK) {
            struct account account = begin(crowd.pid, es);
            CHECK(crowd_do(&crowd, 'w'));
            CHECK(crowd_do(&crowd, 'c'));
            agree(&account, 110 * PAGES);
        } else {
            print_message("round %d: %s\n", i, PAPI_strerror(code));
        }
        test_drop(es);
        EQUAL(crowd_end(&crowd), 0);
    }
}

/* A thread that is never off the processor is attached to as well. */
static void with_a_hot_thread(void **state)
{
    (void)state;
    NEED_SOFTWARE_EVENTS();
    struct crowd crowd = crowd_make(2, work, NULL);
    CHECK(crowd_do(&crowd, 'h'));
    int es = set_of(crowd.pid, 0, 1);
    struct account account = begin(crowd.pid, es);
    CHECK(crowd_do(&crowd, 'w'));
    agree(&account, 2 * PAGES);
    CHECK(crowd_do(&crowd, 'i'));
    agree(&account, 2 * PAGES);
    test_drop(es);
    EQUAL(crowd_end(&crowd), 0);
}

/* An event that is added later counts the threads that have come meanwhile, too, and the others keep theirs.
 */
static void an_event_more(void **state)
{
    long long values[2], more[3];
    (void)state;
    NEED_SOFTWARE_EVENTS();
    struct crowd crowd = crowd_make(5, work, NULL);
    int es = set_of(crowd.pid, 0, 1);
    OK(PAPI_start(es));
    CHECK(crowd_do(&crowd, '+'));
    CHECK(crowd_do(&crowd, 'w'));
    OK(PAPI_stop(es, values));
    OK(PAPI_add_named_event(es, FAULTS));
    OK(PAPI_read(es, more));
    EQUAL(more[0], values[0]);
    EQUAL(more[1], values[1]);
    EQUAL(more[2], 0);
    OK(PAPI_start(es));
    CHECK(crowd_do(&crowd, 'w'));
    OK(PAPI_read(es, more));
    CHECK(more[0] >= 15 * PAGES);
    CHECK(more[2] >= more[0]);
    CHECK(more[2] <= more[0] + 2); /* major ones */
    test_drop(es);
    EQUAL(crowd_end(&crowd), 0);
}

/* ---- each thread */

enum { MOST_THREADS = 3000 };

struct rows {
    int n;
    long long tid[MOST_THREADS], ended[MOST_THREADS], value[2 * MOST_THREADS];
};

static struct rows rows;

/* Reads the rows, and returns the sum of their faults. */
static long long read_rows(int es)
{
    long long sum = 0;
    rows.n = MOST_THREADS;
    OK(PAPI_read_threads(es, rows.tid, rows.ended, rows.value, &rows.n));
    CHECK(rows.n > 0 && rows.n <= MOST_THREADS);
    for (int i = 0; i < rows.n; i++)
        sum += rows.value[2 * i];
    return sum;
}

/* ThreadSanitizer has threads of its own in each process. */
#if defined(__SANITIZE_THREAD__)
#define THREADS(got, wanted) CHECK((got) >= (wanted))
#else
#define THREADS(got, wanted) EQUAL((got), (wanted))
#endif

/* The number of threads that the kernel lists. */
static int threads_of(pid_t pid)
{
    char path[64];
    int n = 0;
    snprintf(path, sizeof path, "/proc/%d/task", pid);
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;)
        n += entry->d_name[0] != '.';
    if (folder != NULL)
        closedir(folder);
    return n;
}

/* The kernel's account of one thread; -1: it has ended. */
static long long faults_of_thread(pid_t pid, long long tid)
{
    char path[64], text[1024] = "";
    long long minor = -1;
    snprintf(path, sizeof path, "/proc/%d/task/%lld/stat", pid, tid);
    int fd = open(path, O_RDONLY);
    if (fd < 0)
        return -1;
    ssize_t n = read(fd, text, sizeof text - 1);
    close(fd);
    const char *end = n > 0 ? strrchr(text, ')') : NULL;
    CHECK(end != NULL && sscanf(end + 1, " %*c %*d %*d %*d %*d %*d %*u %lld", &minor) == 1);
    return minor;
}

/* Each thread has what the kernel has counted for it. */
static void rows_agree(pid_t pid, const struct rows *before)
{
    for (int i = 0; i < rows.n; i++) {
        long long now = faults_of_thread(pid, rows.tid[i]), then = 0;
        EQUAL(rows.ended[i], now < 0);
        for (int k = 0; k < before->n; k++)
            if (before->tid[k] == rows.tid[i])
                then = before->value[k];
        if (now >= 0 && has_all_faults())
            EQUAL(rows.value[2 * i], now - then);
    }
}

/* The accounts of all threads that there are. */
static struct rows accounts_of(int es, pid_t pid)
{
    static struct rows before;
    read_rows(es);
    before = rows;
    for (int i = 0; i < before.n; i++)
        before.value[i] = faults_of_thread(pid, before.tid[i]);
    return before;
}

static int ended_with(long long least)
{
    int n = 0;
    for (int i = 0; i < rows.n; i++)
        n += rows.ended[i] && rows.value[2 * i] >= least;
    return n;
}

static void each_thread(void **state)
{
    (void)state;
    NEED_SOFTWARE_EVENTS();
    int descriptors = test_open_descriptors();
    struct crowd crowd = crowd_make(STAYING, work, NULL);
    int es = set_of(crowd.pid, PAPI_PROCESS_THREADS, 1);
    static struct rows before;
    before = accounts_of(es, crowd.pid);
    EQUAL(before.n, threads_of(crowd.pid));
    THREADS(before.n, STAYING + 1);
    struct account account = begin(crowd.pid, es);
    CHECK(crowd_do(&crowd, 'w'));
    EQUAL(agree(&account, AT_LEAST), read_rows(es));
    rows_agree(crowd.pid, &before);
    for (int i = 0; i < 10; i++)
        CHECK(crowd_do(&crowd, 'c'));
    CHECK(crowd_do(&crowd, '+'));
    CHECK(crowd_do(&crowd, 'w'));
    usleep(100000); /* the ends have been noted */
    EQUAL(agree(&account, AT_LEAST + 1000 * PAGES), read_rows(es));
    CHECK(crowd_do(&crowd, 'f'));
    usleep(100000);
    read_rows(es); /* with a process that it has started */
    rows_agree(crowd.pid, &before);
    THREADS(rows.n, STAYING + 1 + 1000 + 10 + 1);
    EQUAL(ended_with(PAGES), 1000 + 1);
    CHECK(crowd_do(&crowd, '-'));
    usleep(100000);
    long long sum = read_rows(es), last[2];
    EQUAL(ended_with(PAGES), 1000 + 1 + STAYING + 10);
    OK(PAPI_stop(es, last));
    EQUAL(last[0], sum);
    EQUAL(read_rows(es), sum);
    OK(PAPI_start(es)); /* those that have ended are no longer there */
    CHECK(crowd_do(&crowd, 'c'));
    usleep(100000);
    sum = read_rows(es);
    THREADS(rows.n, 1 + 100);
    EQUAL(ended_with(PAGES), 100);
    OK(PAPI_stop(es, last));
    EQUAL(last[0], sum);
    test_drop(es);
    EQUAL(crowd_end(&crowd), 0);
    EQUAL(test_open_descriptors(), descriptors);
}

static void each_thread_in_a_storm(void **state)
{
    (void)state;
    NEED_SOFTWARE_EVENTS();
    for (int i = 0; i < 3; i++) {
        struct crowd crowd = crowd_make(10, work, NULL);
        CHECK(crowd_do(&crowd, 's'));
        int es = set_of(crowd.pid, PAPI_PROCESS_THREADS, i % 2);
        CHECK(crowd_do(&crowd, 'p'));
        static struct rows before;
        before = accounts_of(es, crowd.pid);
        struct account account = begin(crowd.pid, es);
        CHECK(crowd_do(&crowd, 'w'));
        CHECK(crowd_do(&crowd, 'c'));
        usleep(100000);
        EQUAL(agree(&account, 110 * PAGES), read_rows(es));
        rows_agree(crowd.pid, &before);
        test_drop(es);
        EQUAL(crowd_end(&crowd), 0);
    }
}

/* Counting begins while threads come and go: all that came since then are there, with what they did. */
static void a_storm_while_it_counts(void **state)
{
    (void)state;
    NEED_SOFTWARE_EVENTS();
    struct crowd crowd = crowd_make(10, work, NULL);
    int es = set_of(crowd.pid, PAPI_PROCESS_THREADS, 1);
    struct account account = begin(crowd.pid, es);
    CHECK(crowd_do(&crowd, 's'));
    usleep(100000);
    long long values[2];
    for (int i = 0; i < 100; i++)
        OK(PAPI_read(es, values));
    CHECK(crowd_do(&crowd, 'p'));
    usleep(100000);
    EQUAL(agree(&account, 10 * PAGES), read_rows(es));
    CHECK(ended_with(PAGES) > 10);
    test_drop(es);
    EQUAL(crowd_end(&crowd), 0);
}

/* Two sets on one process, and changes of a set that is attached. */
static void two_sets_of_a_process(void **state)
{
    long long values[2];
    (void)state;
    NEED_SOFTWARE_EVENTS();
    struct crowd crowd = crowd_make(3, work, NULL);
    int one = set_of(crowd.pid, PAPI_PROCESS_THREADS, 1), other = set_of(crowd.pid, PAPI_PROCESS_THREADS, 0);
    OK(PAPI_set_multiplex(other));
    OK(PAPI_remove_named_event(one, CLOCK));
    OK(PAPI_start(one));
    OK(PAPI_start(other));
    CHECK(crowd_do(&crowd, 'w'));
    CHECK(crowd_do(&crowd, 'c'));
    OK(PAPI_stop(one, values));
    long long faults = values[0];
    OK(PAPI_stop(other, values));
    EQUAL(values[0], faults);
    CHECK(faults >= 103 * PAGES);
    int third = new_set();
    OK(PAPI_attach_process(third, crowd.pid, PAPI_PROCESS_TREE | PAPI_PROCESS_THREADS));
    REFUSES(PAPI_add_named_event(third, MINOR), PAPI_EPERM, "followed already, by process");
    test_drop(third);
    test_drop(one);
    OK(PAPI_start(other));
    CHECK(crowd_do(&crowd, 'c'));
    OK(PAPI_stop(other, values));
    CHECK(values[0] >= 100 * PAGES);
    test_drop(other);
    CHECK(crowd_do(&crowd, 'c')); /* nobody holds its threads any more */
    EQUAL(crowd_end(&crowd), 0);
}

/* Signals and stops of a process that is followed are what they were. */
static void signals_of_a_followed_process(void **state)
{
    (void)state;
    NEED_SOFTWARE_EVENTS();
    struct crowd crowd = crowd_make(3, work, NULL);
    int es = set_of(crowd.pid, PAPI_PROCESS_THREADS, 1), status = -1;
    struct account account = begin(crowd.pid, es);
    EQUAL(kill(crowd.pid, SIGSTOP), 0);
    EQUAL(waitpid(crowd.pid, &status, WUNTRACED), crowd.pid);
    CHECK(WIFSTOPPED(status));
    crowd_order(&crowd, 'c');
    usleep(50000);
    CHECK(agree(&account, 0) < 100 * PAGES);
    EQUAL(kill(crowd.pid, SIGCONT), 0);
    char answer;
    EQUAL(read(crowd.answer, &answer, 1), 1);
    agree(&account, 100 * PAGES);
    EQUAL(kill(crowd.pid, SIGTERM), 0);
    EQUAL(waitpid(crowd.pid, &status, 0), crowd.pid);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
    long long values[2];
    OK(PAPI_stop(es, values));
    CHECK(values[0] >= 100 * PAGES);
    REFUSES(PAPI_start(es), PAPI_ECLOST, "has ended");
    test_drop(es);
    close(crowd.order);
    close(crowd.answer);
}

static void one_that_is_followed_executes(void **state)
{
    (void)state;
    NEED_SOFTWARE_EVENTS();
    for (int later = 0; later < 2; later++) {
        struct crowd crowd = crowd_make(5, work, own_path);
        int es = set_of(crowd.pid, PAPI_PROCESS_THREADS, 1), status = -1;
        OK(PAPI_start(es));
        if (later) /* then a thread that is not the first one executes, and takes its number */
            CHECK(crowd_do(&crowd, 'l'));
        crowd_order(&crowd, 'x');
        EQUAL(waitpid(crowd.pid, &status, 0), crowd.pid);
        EQUAL(status, 0);
        usleep(100000);
        long long sum = read_rows(es), values[2];
        THREADS(rows.n, 6 + later);
        EQUAL(ended_with(0), rows.n);
        CHECK(rows.value[2 * (later ? rows.n - 1 : 0)] >= PAGES);
        OK(PAPI_stop(es, values));
        EQUAL(values[0], sum);
        test_drop(es);
        close(crowd.order);
        close(crowd.answer);
    }
}

/* The number of the process that follows another one's threads. */
static int tracer_of(pid_t pid)
{
    char path[64], line[256];
    int tracer = 0;
    snprintf(path, sizeof path, "/proc/%d/status", pid);
    FILE *file = fopen(path, "r");
    CHECK(file != NULL);
    while (fgets(line, sizeof line, file) != NULL)
        sscanf(line, "TracerPid: %d", &tracer);
    fclose(file);
    return tracer;
}

/* Runs a program that its user may not read, once a byte comes: the kernel takes its counters for that. With
 * last it waits for a second byte at the end. */
static pid_t run_unreadable(const char *program, const int *gate, bool last)
{
    pid_t pid = fork();
    char byte;
    if (pid != 0)
        return pid;
    if (setgid(65534) != 0 || setuid(65534) != 0 || prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 ||
        read(gate[0], &byte, 1) != 1)
        _exit(1);
    if (last && dup2(gate[0], STDIN_FILENO) == STDIN_FILENO)
        execl(program, "dd", "of=/dev/null", "bs=1", "count=1", "status=none", (char *)NULL);
    execl(program, "dd", "if=/dev/zero", "of=/dev/null", "bs=1M", "count=1", "status=none", (char *)NULL);
    _exit(1);
}

static void one_that_executes_with_other_rights(void **state)
{
    enum { MEBIBYTE = 1 << 20 };
    char folder[] = "/tmp/fpapi-unreadable-XXXXXX", program[64], copy[128];
    long long values[2], row[4], tid[2], ended[2], least = MEBIBYTE / sysconf(_SC_PAGESIZE);
    int gate[2], status = -1, n = 2;
    (void)state;
    if (geteuid() != 0)
        SKIP("needs root, to become another user");
    NEED_SOFTWARE_EVENTS();
    CHECK(mkdtemp(folder) != NULL && chmod(folder, 0711) == 0 && pipe(gate) == 0);
    snprintf(program, sizeof program, "%s/dd", folder);
    snprintf(copy, sizeof copy, "cp -L \"$(command -v dd)\" %s", program);
    CHECK(system(copy) == 0 && chmod(program, 0711) == 0);
    pid_t pid = run_unreadable(program, gate, false);
    int es = set_of(pid, PAPI_PROCESS_THREADS, 1);
    OK(PAPI_start(es));
    EQUAL(write(gate[1], "x", 1), 1);
    EQUAL(waitpid(pid, &status, 0), pid);
    EQUAL(status, 0);
    OK(PAPI_read_threads(es, tid, ended, row, &n));
    OK(PAPI_stop(es, values));
    CHECK(values[0] >= least);
    EQUAL(n, 1);
    EQUAL(tid[0], pid);
    EQUAL(row[0], values[0]);
    test_drop(es);
    /* Attached to the thread alone it is not counted: the stop says so, while it runs. */
    pid = run_unreadable(program, gate, true);
    es = new_set();
    OK(PAPI_add_named_event(es, MINOR));
    OK(PAPI_attach(es, (unsigned long)pid));
    OK(PAPI_start(es));
    EQUAL(write(gate[1], "x", 1), 1);
    int attached = PAPI_ATTACHED;
    for (int tries = 0; tries < 1000 && (attached & PAPI_ATTACHED) != 0; tries++) {
        usleep(1000);
        OK(PAPI_state(es, &attached));
    }
    REFUSES(PAPI_stop(es, values), PAPI_ECLOST, "PAPI_PROCESS_THREADS");
    EQUAL(write(gate[1], "x", 1), 1);
    EQUAL(waitpid(pid, &status, 0), pid);
    EQUAL(status, 0);
    test_drop(es);
    close(gate[0]);
    close(gate[1]);
    CHECK(unlink(program) == 0 && rmdir(folder) == 0);
}

static void somebody_ends_the_tracer(void **state)
{
    long long values[2] = {-1, -1};
    (void)state;
    NEED_SOFTWARE_EVENTS();
    struct crowd crowd = crowd_make(3, work, NULL);
    int es = set_of(crowd.pid, PAPI_PROCESS_THREADS, 1), tracer = tracer_of(crowd.pid);
    CHECK(tracer > 0 && tracer != getpid());
    OK(PAPI_start(es));
    CHECK(crowd_do(&crowd, 'w'));
    EQUAL(kill(tracer, SIGKILL), 0);
    usleep(200000);
    EQUAL(tracer_of(crowd.pid), 0);
    CODE(PAPI_read(es, values), PAPI_ECLOST);
    CHECK(values[0] >= 3 * PAGES);
    rows.n = MOST_THREADS;
    CODE(PAPI_read_threads(es, rows.tid, rows.ended, rows.value, &rows.n), PAPI_ECLOST);
    THREADS(rows.n, 4);
    CHECK(crowd_do(&crowd, 'c'));
    CODE(PAPI_stop(es, values), PAPI_ECLOST);
    test_drop(es);
    es = set_of(crowd.pid, PAPI_PROCESS_THREADS, 1); /* another one follows it */
    OK(PAPI_start(es));
    CHECK(crowd_do(&crowd, 'c'));
    OK(PAPI_stop(es, values));
    CHECK(values[0] >= 100 * PAGES);
    test_drop(es);
    EQUAL(crowd_end(&crowd), 0);
}

/* Threads without counters have no counts, which is no 0. */
static void threads_without_descriptors(void **state)
{
    enum { AT_FIRST = 4, MORE = 10 };
    struct rlimit limit, none;
    long long values[2] = {-1, -1};
    int counted = 0, uncounted = 0;
    (void)state;
    NEED_SOFTWARE_EVENTS();
    struct crowd crowd = crowd_make(AT_FIRST - 1, work, NULL);
    int es = set_of(crowd.pid, PAPI_PROCESS_THREADS, 1), next = dup(0);
    CHECK(next >= 0 && close(next) == 0);
    OK(PAPI_start(es));
    EQUAL(getrlimit(RLIMIT_NOFILE, &limit), 0);
    none = limit;
    none.rlim_cur = (rlim_t)next;
    EQUAL(setrlimit(RLIMIT_NOFILE, &none), 0);
    bool done = crowd_do(&crowd, '+') && crowd_do(&crowd, 'w');
    EQUAL(setrlimit(RLIMIT_NOFILE, &limit), 0);
    CHECK(done);
    REFUSES(PAPI_read(es, values), PAPI_ECLOST, "ulimit -n");
    rows.n = MOST_THREADS;
    CODE(PAPI_read_threads(es, rows.tid, rows.ended, rows.value, &rows.n), PAPI_ECLOST);
    for (int i = 0; i < rows.n && i < MOST_THREADS; i++) {
        EQUAL(rows.ended[i], 0);
        uncounted += rows.value[2 * i] == -1 && rows.value[2 * i + 1] == -1;
        counted += rows.value[2 * i] >= 0 && rows.value[2 * i + 1] >= 0;
    }
    THREADS(rows.n, AT_FIRST + MORE);
    THREADS(counted, AT_FIRST);
    EQUAL(uncounted, MORE);
    CODE(PAPI_stop(es, values), PAPI_ECLOST);
    test_drop(es);
    EQUAL(crowd_end(&crowd), 0);
}

static void what_has_no_threads(void **state)
{
    long long one[1], values[2];
    int n = 1;
    (void)state;
    NEED_SOFTWARE_EVENTS();
    struct crowd crowd = crowd_make(3, work, NULL);
    int es = new_set();
    REFUSES(PAPI_attach_process(es, getpid(), PAPI_PROCESS_THREADS), PAPI_EINVAL, "its own threads");
    CODE(PAPI_read_threads(es, one, one, values, &n), PAPI_EINVAL);
    OK(PAPI_attach_process(es, crowd.pid, 0));
    OK(PAPI_add_named_event(es, MINOR));
    REFUSES(PAPI_read_threads(es, one, one, values, &n), PAPI_EINVAL, "PAPI_PROCESS_THREADS");
    OK(PAPI_attach_process(es, crowd.pid, PAPI_PROCESS_THREADS));
    CODE(PAPI_read_threads(es, one, one, values, NULL), PAPI_EINVAL);
    CODE(PAPI_read_threads(es, one, one, NULL, &n), PAPI_EINVAL);
    n = 0;
    OK(PAPI_read_threads(es, NULL, NULL, NULL, &n));
    THREADS(n, 4);
    n = 1;
    one[0] = values[1] = -7;
    OK(PAPI_read_threads(es, one, values, values, &n));
    THREADS(n, 4);
    EQUAL(one[0], crowd.pid);
    EQUAL(values[1], -7);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) /* which need memory themselves */
    struct rlimit limit, little = {1ULL << 33, RLIM_INFINITY};
    EQUAL(getrlimit(RLIMIT_AS, &limit), 0);
    little.rlim_max = limit.rlim_max;
    if (setrlimit(RLIMIT_AS, &little) == 0) {
        n = INT_MAX;
        CODE(PAPI_read_threads(es, one, one, values, &n), PAPI_ENOMEM);
        EQUAL(setrlimit(RLIMIT_AS, &limit), 0);
    }
#endif
    OK(PAPI_detach(es));
    EQUAL(tracer_of(crowd.pid), 0);
    test_drop(es);
    EQUAL(crowd_end(&crowd), 0);
}

/* ---- processes */

/* Processes that were started before are counted with PAPI_PROCESS_TREE, those that come later always. */
static void a_tree(void **state)
{
    long long values[2], alone[2];
    (void)state;
    NEED_SOFTWARE_EVENTS();
    struct crowd crowd = crowd_make(2, work, NULL);
    CHECK(crowd_do(&crowd, 'k'));
    int tree = set_of(crowd.pid, PAPI_PROCESS_TREE, 1), one = set_of(crowd.pid, 0, 0);
    OK(PAPI_start(tree));
    OK(PAPI_start(one));
    CHECK(crowd_do(&crowd, 'K'));
    OK(PAPI_read(one, alone));
    OK(PAPI_read(tree, values));
    CHECK(values[0] >= PAGES);
    CHECK(alone[0] < PAGES);
    CHECK(crowd_do(&crowd, 'f'));
    OK(PAPI_read(one, alone));
    CHECK(alone[0] >= PAGES);
    OK(PAPI_stop(tree, values));
    CHECK(values[0] >= 2 * PAGES);
    test_drop(tree);
    test_drop(one);
    EQUAL(crowd_end(&crowd), 0);
}

/* The first thread may end before the others. */
static void without_its_first_thread(void **state)
{
    (void)state;
    NEED_SOFTWARE_EVENTS();
    struct crowd crowd = crowd_make(5, work, NULL);
    CHECK(crowd_do(&crowd, 'l'));
    CHECK(crowd_do(&crowd, 'w'));
    int es = set_of(crowd.pid, 0, 1), bits = 0;
    OK(PAPI_state(es, &bits));
    CHECK((bits & PAPI_ATTACHED) != 0);
    struct account account = begin(crowd.pid, es);
    CHECK(crowd_do(&crowd, 'w'));
    CHECK(crowd_do(&crowd, 'c'));
    agree(&account, 105 * PAGES);
    test_drop(es);
    EQUAL(crowd_end(&crowd), 0);
}

static void one_that_executes(void **state)
{
    long long values[2];
    (void)state;
    NEED_SOFTWARE_EVENTS();
    struct crowd crowd = crowd_make(5, work, own_path);
    int es = set_of(crowd.pid, 0, 1), status = -1;
    OK(PAPI_start(es));
    crowd_order(&crowd, 'x');
    EQUAL(waitpid(crowd.pid, &status, 0), crowd.pid);
    EQUAL(status, 0);
    OK(PAPI_stop(es, values));
    CHECK(values[0] >= PAGES);
    test_drop(es);
    close(crowd.order);
    close(crowd.answer);
}

static void *touch(void *unused)
{
    work();
    return unused;
}

static void the_calling_one(void **state)
{
    long long values[2];
    pthread_t thread;
    (void)state;
    NEED_SOFTWARE_EVENTS();
    int es = set_of(getpid(), 0, 1);
    OK(PAPI_start(es));
    pthread_create(&thread, NULL, touch, NULL);
    pthread_join(thread, NULL);
    work();
    OK(PAPI_stop(es, values));
    CHECK(values[0] >= 2 * PAGES);
    test_drop(es);
}

static void taking_turns(void **state)
{
    long long values[2];
    (void)state;
    NEED_SOFTWARE_EVENTS();
    struct crowd crowd = crowd_make(5, work, NULL);
    int es = set_of(crowd.pid, 0, 1);
    OK(PAPI_set_multiplex(es));
    OK(PAPI_start(es));
    CHECK(crowd_do(&crowd, 'w'));
    OK(PAPI_stop(es, values));
    CHECK(values[0] >= 5 * PAGES);
    test_drop(es);
    EQUAL(crowd_end(&crowd), 0);
}

/* ---- the end, and attachments to something else */

static int state_of(int es)
{
    int bits = 0;
    OK(PAPI_state(es, &bits));
    return bits;
}

static void one_that_ends(void **state)
{
    long long values[2], last[2];
    PAPI_option_t option;
    (void)state;
    NEED_SOFTWARE_EVENTS();
    struct crowd crowd = crowd_make(5, work, NULL);
    int es = set_of(crowd.pid, 0, 1);
    EQUAL(state_of(es), PAPI_STOPPED | PAPI_ATTACHED);
    memset(&option, 0, sizeof option);
    option.attach.eventset = es;
    EQUAL(PAPI_get_opt(PAPI_ATTACH, &option), 1);
    EQUAL(option.attach.tid, crowd.pid);
    OK(PAPI_start(es));
    CODE(PAPI_attach_process(es, crowd.pid, 0), PAPI_EISRUN);
    CHECK(crowd_do(&crowd, 'w'));
    EQUAL(crowd_end(&crowd), 0);
    OK(PAPI_read(es, values));
    CHECK(values[0] >= 5 * PAGES);
    OK(PAPI_stop(es, last));
    EQUAL(last[0], values[0]);
    EQUAL(state_of(es), PAPI_STOPPED);
    OK(PAPI_read(es, last));
    EQUAL(last[0], values[0]);
    REFUSES(PAPI_start(es), PAPI_ECLOST, "has ended");
    REFUSES(PAPI_attach_process(es, crowd.pid, 0), PAPI_EINVAL, "there is no process");
    REFUSES(PAPI_add_named_event(es, FAULTS), PAPI_EINVAL, "has ended");
    OK(PAPI_detach(es));
    OK(PAPI_start(es));
    work();
    OK(PAPI_stop(es, values));
    CHECK(values[0] >= PAGES);
    test_drop(es);
}

static void a_zombie(void **state)
{
    (void)state;
    NEED_SOFTWARE_EVENTS();
    int es = new_set();
    siginfo_t info;
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    EQUAL(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0);
    REFUSES(PAPI_attach_process(es, child, 0), PAPI_EINVAL, "has ended");
    EQUAL(state_of(es), PAPI_STOPPED);
    waitpid(child, NULL, 0);
    test_drop(es);
}

static void *attach_to_own_number(void *es)
{
    (void)es;
    return (void *)syscall(SYS_gettid);
}

static void what_is_no_process(void **state)
{
    pthread_t thread;
    void *number;
    (void)state;
    NEED_SOFTWARE_EVENTS();
    int es = new_set();
    CODE(PAPI_attach_process(es + 1000, getpid(), 0), PAPI_ENOEVST);
    REFUSES(PAPI_attach_process(es, 0, 0), PAPI_EINVAL, "not the number of a process");
    REFUSES(PAPI_attach_process(es, -5, 0), PAPI_EINVAL, "not the number of a process");
    REFUSES(PAPI_attach_process(es, getpid(), 0x100), PAPI_EINVAL, "flags");
    REFUSES(PAPI_attach_process(es, 0x7ffffff0, 0), PAPI_EINVAL, "there is no process");
    pthread_create(&thread, NULL, attach_to_own_number, NULL);
    pthread_join(thread, &number);
    CODE(PAPI_attach_process(es, (int)(long)number, 0), PAPI_EINVAL);
    test_drop(es);
}

/* The number of a thread that is not the first is no process. */
static void a_thread_of_one(void **state)
{
    (void)state;
    NEED_SOFTWARE_EVENTS();
    struct crowd crowd = crowd_make(1, work, NULL);
    int es = new_set(), tid = 0;
    char command[128];
    snprintf(command, sizeof command, "ls /proc/%d/task | tail -1", crowd.pid);
    FILE *list = popen(command, "r");
    CHECK(list != NULL && fscanf(list, "%d", &tid) == 1);
    pclose(list);
    CHECK(tid > crowd.pid);
    REFUSES(PAPI_attach_process(es, tid, 0), PAPI_EINVAL, "is a thread of process");
    OK(PAPI_attach_process(es, crowd.pid, 0));
    OK(PAPI_add_named_event(es, MINOR));
    OK(PAPI_attach(es, (unsigned long)tid));
    long long one = -1;
    OK(PAPI_start(es));
    CHECK(crowd_do(&crowd, 'c')); /* not in that thread */
    OK(PAPI_stop(es, &one));
    CHECK(one < 100);
    test_drop(es);
    EQUAL(crowd_end(&crowd), 0);
}

/* Components that count something else than threads. */
static void by_another_component(void **state)
{
    (void)state;
    NEED_SOFTWARE_EVENTS();
    int es = PAPI_NULL;
    OK(PAPI_create_eventset(&es));
    OK(PAPI_assign_eventset_component(es, PAPI_get_component_index("io")));
    CODE(PAPI_attach_process(es, getpid(), 0), PAPI_ECMP);
    test_drop(es);
}

/* Another user's process. */
static void as_another_user(void *unused)
{
    (void)unused;
    pid_t parent = getppid();
    CHECK(setgid(65534) == 0 && setuid(65534) == 0);
    test_init();
    int es = new_set();
    REFUSES(PAPI_attach_process(es, parent, 0), PAPI_EPERM, "another user's");
    EQUAL(state_of(es), PAPI_STOPPED);
}

/* A child that works all the time, of the number or (0) of any. -1: there is none to be had. */
static pid_t begin_worker(pid_t number)
{
    for (int tries = 0; tries < 100; tries++) {
        FILE *last = number != 0 ? fopen("/proc/sys/kernel/ns_last_pid", "w") : NULL;
        if (number != 0 && last == NULL)
            return -1;
        if (last != NULL && (fprintf(last, "%d", (int)number - 1) < 0 || fclose(last) != 0))
            return -1;
        pid_t pid = fork();
        if (pid == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            while (number == 0 || getpid() == number) {
                work();
                usleep(1000);
            }
            _exit(0);
        }
        if (number == 0 || pid == number)
            return pid;
        waitpid(pid, NULL, 0);
    }
    return -1;
}

static void end_worker(pid_t pid)
{
    kill(pid, SIGKILL);
    EQUAL(waitpid(pid, NULL, 0), pid);
}

/* Starts sets of a process that has ended and whose number another one has: that one is never counted.
 *   way  the flags of PAPI_attach_process, or -1: PAPI_attach */
static void does_not_count_another(int way)
{
    pid_t pid = begin_worker(0);
    int es = new_set(), fresh = new_set(), state;
    long long before, after;
    OK(way < 0 ? PAPI_attach(es, (unsigned long)pid) : PAPI_attach_process(es, pid, way));
    OK(way < 0 ? PAPI_attach(fresh, (unsigned long)pid) : PAPI_attach_process(fresh, pid, way));
    OK(PAPI_add_named_event(es, MINOR));
    OK(PAPI_start(es));
    usleep(20000);
    end_worker(pid);
    pid_t other = begin_worker(pid);
    if (other < 0)
        SKIP("the number of a new process cannot be chosen");
    OK(PAPI_read(es, &before));
    usleep(20000);
    OK(PAPI_state(es, &state));
    CHECK((state & PAPI_ATTACHED) == 0);
    OK(PAPI_stop(es, &after));
    EQUAL(after, before);
    REFUSES(PAPI_start(es), PAPI_ECLOST, "has ended");
    CODE(PAPI_set_multiplex(es), PAPI_EINVAL);
    REFUSES(PAPI_start(es), PAPI_ECLOST, "has ended");
    OK(PAPI_state(fresh, &state));
    CHECK((state & PAPI_ATTACHED) == 0);
    REFUSES(PAPI_add_named_event(fresh, MINOR), PAPI_EINVAL, "another one has its number");
    OK(PAPI_detach(fresh));
    OK(PAPI_add_named_event(fresh, MINOR));
    end_worker(other);
    test_drop(es);
    test_drop(fresh);
}

static void a_number_that_is_anothers(void **state)
{
    (void)state;
    NEED_SOFTWARE_EVENTS();
    for (int way = -1; way <= (PAPI_PROCESS_TREE | PAPI_PROCESS_THREADS); way++)
        does_not_count_another(way);
}

static void without_permission(void **state)
{
    (void)state;
    if (geteuid() != 0)
        SKIP("needs root, to become another user");
    NEED_SOFTWARE_EVENTS();
    test_in_child(as_another_user, NULL);
}

static int enter_pid_namespace(void)
{
    return unshare(geteuid() == 0 ? CLONE_NEWPID : CLONE_NEWUSER | CLONE_NEWPID);
}

/* Ends a process without the leak checker, which clones one to look for threads in /proc: in another
 * namespace. */
static _Noreturn void leave(void)
{
    fflush(NULL);
    _exit(0);
}

static void in_a_pid_namespace(void *unused)
{
    long long value = -1;
    (void)unused;
    EQUAL(getpid(), 1);
    test_init();
    pid_t pid = begin_worker(0); /* 2 here; what /proc shows as 2 is another one */
    int es = new_set();
    REFUSES(PAPI_attach_process(es, pid, 0), PAPI_ESYS, "PID namespace");
    REFUSES(PAPI_attach_process(es, pid, PAPI_PROCESS_THREADS), PAPI_ESYS, "PID namespace");
    OK(PAPI_attach(es, (unsigned long)pid)); /* the kernel's own numbers are enough */
    OK(PAPI_add_named_event(es, MINOR));
    OK(PAPI_start(es));
    usleep(50000);
    end_worker(pid);
    OK(PAPI_stop(es, &value));
    CHECK(value > 0);
    test_drop(es);
    leave();
}

static void enter_and_attach(void *unused)
{
    EQUAL(enter_pid_namespace(), 0);
    test_in_child(in_a_pid_namespace, unused);
    leave();
}

/* The files of /proc are of other processes in a PID namespace that has none of its own. */
static void files_of_other_processes(void **state)
{
    int status;
    (void)state;
    NEED_SOFTWARE_EVENTS();
    pid_t pid = fork();
    if (pid == 0)
        _exit(enter_pid_namespace() == 0 ? 0 : 1);
    CHECK(waitpid(pid, &status, 0) == pid);
    if (status != 0)
        SKIP("a PID namespace cannot be made");
    test_in_child(enter_and_attach, NULL);
}

/* Each event takes a descriptor for each thread. */
static void a_shortage_of_descriptors(void **state)
{
    struct rlimit limit, few;
    (void)state;
    NEED_SOFTWARE_EVENTS();
    struct crowd crowd = crowd_make(STAYING, work, NULL);
    int es = new_set(), descriptors = test_open_descriptors();
    EQUAL(getrlimit(RLIMIT_NOFILE, &limit), 0);
    few = limit;
    few.rlim_cur = (rlim_t)descriptors + 30;
    OK(PAPI_attach_process(es, crowd.pid, 0));
    EQUAL(setrlimit(RLIMIT_NOFILE, &few), 0);
    REFUSES(PAPI_add_named_event(es, MINOR), PAPI_ESYS, "ulimit -n");
    EQUAL(setrlimit(RLIMIT_NOFILE, &limit), 0);
    EQUAL(PAPI_num_events(es), 0);
    OK(PAPI_add_named_event(es, MINOR));
    test_drop(es);
    EQUAL(test_open_descriptors(), descriptors);
    EQUAL(crowd_end(&crowd), 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(come_and_go),
        cmocka_unit_test(attached_in_a_storm),
        cmocka_unit_test(with_a_hot_thread),
        cmocka_unit_test(an_event_more),
        cmocka_unit_test(each_thread),
        cmocka_unit_test(each_thread_in_a_storm),
        cmocka_unit_test(a_storm_while_it_counts),
        cmocka_unit_test(two_sets_of_a_process),
        cmocka_unit_test(signals_of_a_followed_process),
        cmocka_unit_test(one_that_is_followed_executes),
        cmocka_unit_test(one_that_executes_with_other_rights),
        cmocka_unit_test(somebody_ends_the_tracer),
        cmocka_unit_test(threads_without_descriptors),
        cmocka_unit_test(what_has_no_threads),
        cmocka_unit_test(a_tree),
        cmocka_unit_test(without_its_first_thread),
        cmocka_unit_test(one_that_executes),
        cmocka_unit_test(the_calling_one),
        cmocka_unit_test(taking_turns),
        cmocka_unit_test(one_that_ends),
        cmocka_unit_test(a_zombie),
        cmocka_unit_test(what_is_no_process),
        cmocka_unit_test(a_thread_of_one),
        cmocka_unit_test(by_another_component),
        cmocka_unit_test(a_number_that_is_anothers),
        cmocka_unit_test(without_permission),
        cmocka_unit_test(files_of_other_processes),
        cmocka_unit_test(a_shortage_of_descriptors),
    };
    CHECK(readlink("/proc/self/exe", own_path, sizeof own_path - 1) > 0);
    if (argc > 1 && strcmp(argv[1], "work") == 0) {
        work();
        return 0;
    }
#if defined(__SANITIZE_ADDRESS__)
    /* A sanitizer looks for leaks by ptrace, which it cannot in a process that is followed: not in those that
     * are executed. */
    const char *options = getenv("ASAN_OPTIONS");
    char more[512];
    snprintf(more, sizeof more, "%s:detect_leaks=0", options != NULL ? options : "");
    setenv("ASAN_OPTIONS", more, 1);
#endif
    return TEST_RUN(tests);
}
