/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The component appio: exact counts of known calls, with libpapi_appio.so preloaded or linked; with the
 * argument none, without it, or with it where the program's calls do not reach it: the second argument is to
 * be loaded.
 */
#include "folder.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static int begin(void **state)
{
    (void)state;
    begin_here();
    return 0;
}

static int end(void **state)
{
    (void)state;
    PAPI_shutdown();
    return 0;
}

/* An assertion for threads other than the main one, from which cmocka cannot jump. */
static void expect(bool condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "not so: %s\n", what);
    abort();
}
#define EXPECT(condition) expect(condition, #condition)

/* The counts that a test's calls must have: the events by name, in the order of the values. */
struct wanted {
    const char *event;
    long long count;
};

static int started(const struct wanted *wanted, size_t n)
{
    char name[PAPI_MIN_STR_LEN];
    int es = PAPI_NULL;
    assert_int_equal(PAPI_create_eventset(&es), PAPI_OK);
    for (size_t i = 0; i < n; i++) {
        snprintf(name, sizeof name, "appio:::%s", wanted[i].event);
        int code = PAPI_add_named_event(es, name);
        if (code != PAPI_OK)
            fail_msg("%s: %s", name, PAPI_strerror(code));
    }
    assert_int_equal(PAPI_start(es), PAPI_OK);
    return es;
}

static void counted(int es, const struct wanted *wanted, size_t n)
{
    long long value[45];
    assert_int_equal(PAPI_stop(es, value), PAPI_OK);
    for (size_t i = 0; i < n; i++)
        if (value[i] != wanted[i].count)
            fail_msg("%s is %lld, not %lld", wanted[i].event, value[i], wanted[i].count);
}

#define STARTED(wanted) started(wanted, COUNT(wanted))
#define COUNTED_ALL(es, wanted) counted(es, wanted, COUNT(wanted))

static int new_file(char path[32])
{
    strcpy(path, "/tmp/fpapi-appio-XXXXXX");
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    return fd;
}

static void files(void **state)
{
    static const struct wanted wanted[] = {
        {"WRITE_CALLS", 3}, {"WRITE_BYTES", 1700}, {"WRITE_ERR", 0},       {"WRITE_SHORT", 0},
        {"READ_CALLS", 4},  {"READ_BYTES", 1700},  {"READ_SHORT", 1},      {"READ_EOF", 1},
        {"READ_ERR", 0},    {"SEEK_CALLS", 2},     {"SOCK_READ_CALLS", 0}, {"SOCK_WRITE_CALLS", 0},
        {"OPEN_CALLS", 2},  {"OPEN_ERR", 1},       {"RECV_CALLS", 0},      {"READ_WOULD_BLOCK", 0},
    };
    char path[32], data[1000] = "x";
    (void)state;
    int made = new_file(path), es = STARTED(wanted);
    int fd = open(path, O_RDWR), none = open("/nowhere/at/all", O_RDONLY);
    int error = errno;
    ssize_t written = write(fd, data, 1000) + write(fd, data, 500) + pwrite(fd, data, 200, 1500);
    off_t place = lseek(fd, 0, SEEK_SET) + lseek(fd, 0, SEEK_CUR);
    ssize_t got = read(fd, data, 1000) + read(fd, data, 1000) + read(fd, data, 0);
    got += pread(fd, data, 10, 5000);
    close(fd);
    COUNTED_ALL(es, wanted);
    assert_int_equal(none, -1);
    assert_int_equal(error, ENOENT);
    assert_int_equal(written, 1700);
    assert_int_equal(got, 1700);
    assert_int_equal(place, 0);
    close(made);
    unlink(path);
}

static void vectors(void **state)
{
    static const struct wanted wanted[] = {{"WRITE_CALLS", 2}, {"WRITE_BYTES", 30}, {"WRITE_ERR", 1},
                                           {"READ_CALLS", 1},  {"READ_BYTES", 30},  {"READ_SHORT", 1}};
    char path[32], a[10] = "a", b[20] = "b", c[100];
    const struct iovec out[] = {{a, sizeof a}, {b, sizeof b}}, in[] = {{a, sizeof a}, {c, sizeof c}};
    (void)state;
    int fd = new_file(path), es = STARTED(wanted);
    assert_int_equal(writev(fd, out, 2), 30);
    assert_int_equal(writev(-1, out, 2), -1);
    assert_int_equal(preadv(fd, in, 2, 0), 30);
    COUNTED_ALL(es, wanted);
    close(fd);
    unlink(path);
}

static void handle(int signal)
{
    (void)signal;
}

static void *interrupt(void *thread)
{
    usleep(20000);
    for (int i = 0; i < 100; i++) {
        pthread_kill(*(pthread_t *)thread, SIGUSR1);
        usleep(20000);
    }
    return NULL;
}

/* A read of an empty pipe is interrupted, or would block. */
static void errors(void **state)
{
    static const struct wanted wanted[] = {
        {"READ_CALLS", 3},        {"READ_ERR", 3},   {"READ_INTERRUPTED", 1}, {"READ_WOULD_BLOCK", 1},
        {"READ_BYTES", 0},        {"READ_EOF", 0},   {"WRITE_CALLS", 2},      {"WRITE_ERR", 1},
        {"WRITE_WOULD_BLOCK", 1}, {"WRITE_SHORT", 1}};
    struct sigaction action = {.sa_handler = handle};
    pthread_t thread, self = pthread_self();
    static char much[1 << 20];
    int error[4], way[2];
    char c;
    (void)state;
    assert_int_equal(pipe(way), 0);
    sigaction(SIGUSR1, &action, NULL);
    int es = STARTED(wanted);
    assert_int_equal(pthread_create(&thread, NULL, interrupt, &self), 0);
    error[0] = read(way[0], &c, 1) < 0 ? errno : 0;
    pthread_cancel(thread);
    pthread_join(thread, NULL);
    fcntl(way[0], F_SETFL, O_NONBLOCK);
    fcntl(way[1], F_SETFL, O_NONBLOCK);
    error[1] = read(way[0], &c, 1) < 0 ? errno : 0;
    error[2] = read(-1, &c, 1) < 0 ? errno : 0;
    ssize_t some = write(way[1], much, sizeof much);
    error[3] = write(way[1], much, 1) < 0 ? errno : 0;
    long long value[COUNT(wanted)];
    assert_int_equal(PAPI_stop(es, value), PAPI_OK);
    assert_int_equal(PAPI_start(es), PAPI_OK);
    assert_int_equal(PAPI_stop(es, NULL), PAPI_OK);
    for (size_t i = 0; i < COUNT(wanted); i++)
        assert_int_equal(value[i], wanted[i].count);
    assert_int_equal(error[0], EINTR);
    assert_int_equal(error[1], EAGAIN);
    assert_int_equal(error[2], EBADF);
    assert_int_equal(error[3], EAGAIN);
    assert_true(some > 0 && some < (ssize_t)sizeof much);
    close(way[0]);
    close(way[1]);
}

static void sockets(void **state)
{
    static const struct wanted wanted[] = {
        {"SOCK_WRITE_CALLS", 3}, {"SOCK_WRITE_BYTES", 350}, {"SOCK_WRITE_ERR", 0},
        {"WRITE_CALLS", 1},      {"WRITE_BYTES", 100},      {"SOCK_READ_CALLS", 2},
        {"SOCK_READ_BYTES", 10}, {"SOCK_READ_SHORT", 0},    {"SOCK_READ_WOULD_BLOCK", 1},
        {"SOCK_READ_ERR", 1},    {"READ_CALLS", 2},         {"RECV_CALLS", 4},
        {"RECV_BYTES", 340},     {"RECV_SHORT", 1},         {"RECV_WOULD_BLOCK", 1},
        {"RECV_ERR", 1},         {"RECV_EOF", 1},           {"RECV_INTERRUPTED", 0},
    };
    char data[200] = "x";
    struct iovec piece = {data, 150};
    struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1};
    int ends[2], es;
    (void)state;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    es = STARTED(wanted);
    ssize_t sent = write(ends[0], data, 100) + send(ends[0], data, 100, 0) + sendmsg(ends[0], &message, 0);
    ssize_t got =
        read(ends[1], data, 10) + recv(ends[1], data, 200, MSG_WAITALL) + recv(ends[1], data, 200, 0);
    int blocked = recv(ends[1], data, 1, MSG_DONTWAIT) < 0 ? errno : 0;
    fcntl(ends[1], F_SETFL, O_NONBLOCK);
    int blocked_too = read(ends[1], data, 1) < 0 ? errno : 0;
    shutdown(ends[0], SHUT_WR);
    ssize_t last = recvfrom(ends[1], data, 1, 0, NULL, NULL);
    COUNTED_ALL(es, wanted);
    assert_int_equal(sent, 350);
    assert_int_equal(got, 350);
    assert_int_equal(last, 0);
    assert_int_equal(blocked, EAGAIN);
    assert_int_equal(blocked_too, EAGAIN);
    close(ends[0]);
    close(ends[1]);
}

/* Averages and open descriptors are levels. They are those of the thread since its begin. */
static void *averages_of(void *path)
{
    char data[300] = "x";
    int fd = open(path, O_RDWR), es = set_of("appio:::READ_BLOCK_SIZE", "appio:::SEEK_ABS_STRIDE_SIZE",
                                             "appio:::WRITE_BLOCK_SIZE", NULL);
    reads(es, 0LL, 0LL, 0LL, END);
    assert_int_equal(PAPI_start(es), PAPI_OK);
    EXPECT(write(fd, data, 300) == 300 && pread(fd, data, 100, 0) == 100 && pread(fd, data, 200, 0) == 200);
    EXPECT(lseek(fd, -100, SEEK_CUR) == 200 && lseek(fd, 50, SEEK_CUR) == 250 && lseek(fd, 9, SEEK_SET) == 9);
    reads(es, 150LL, 75LL, 300LL, END);
    assert_int_equal(PAPI_stop(es, NULL), PAPI_OK);
    close(fd);
    PAPI_unregister_thread();
    return NULL;
}

static void levels(void **state)
{
    char path[32];
    long long before, value;
    pthread_t thread;
    (void)state;
    int made = new_file(path), es = set_of("appio:::OPEN_FDS", NULL);
    assert_int_equal(PAPI_read(es, &before), PAPI_OK);
    assert_int_equal(PAPI_start(es), PAPI_OK);
    int fd = open(path, O_RDONLY), again = open(path, O_RDONLY);
    reads(es, before + 2, END);
    close(again);
    close(again);
    reads(es, before + 1, END);
    FILE *stream = fdopen(open(path, O_RDONLY), "r");
    reads(es, before + 2, END);
    fclose(stream);
    reads(es, before + 1, END);
    close(fd);
    assert_int_equal(PAPI_stop(es, &value), PAPI_OK);
    assert_int_equal(value, before);
    assert_int_equal(pthread_create(&thread, NULL, averages_of, path), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    close(made);
    unlink(path);
}

static void *write_much(void *fd)
{
    enum { N = 2000 };
    int es = set_of("appio:::WRITE_CALLS", "appio:::WRITE_BYTES", NULL);
    EXPECT(PAPI_start(es) == PAPI_OK);
    for (int i = 0; i < N; i++)
        EXPECT(write(*(int *)fd, "abc", 3) == 3);
    reads(es, (long long)N, 3LL * N, END);
    EXPECT(PAPI_stop(es, NULL) == PAPI_OK);
    PAPI_unregister_thread();
    return NULL;
}

static void threads(void **state)
{
    static const struct wanted none[] = {{"WRITE_CALLS", 0}, {"WRITE_BYTES", 0}};
    pthread_t thread[4];
    (void)state;
    int null = open("/dev/null", O_WRONLY), es = STARTED(none);
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, write_much, &null), 0);
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_join(thread[i], NULL), 0);
    COUNTED_ALL(es, none);
    close(null);
}

/* Calls of a child of vfork are its parent's, whose memory it has, until it executes a program. */
static void child_of_a_vfork(void **state)
{
    static const struct wanted wanted[] = {{"WRITE_CALLS", 3}, {"WRITE_BYTES", 9}, {"OPEN_CALLS", 1}};
    int status;
    (void)state;
    int null = open("/dev/null", O_WRONLY), es = STARTED(wanted);
    pid_t child = vfork();
    if (child == 0) {
        bool wrote = write(null, "ab", 2) == 2 && write(null, "abc", 3) == 3;
        _exit(wrote && open("/dev/null", O_RDONLY) >= 0 ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    ssize_t own = write(null, "abcd", 4);
    COUNTED_ALL(es, wanted);
    assert_int_equal(status, 0);
    assert_int_equal(own, 4);
    close(null);
}

/* Times of calls that wait are at least as long as they were made to wait. */
static void times(void **state)
{
    struct timeval wait = {.tv_usec = 20000};
    long long value[2];
    (void)state;
    int es = set_of("appio:::SELECT_USEC", "appio:::READ_USEC", NULL);
    assert_int_equal(PAPI_start(es), PAPI_OK);
    select(0, NULL, NULL, NULL, &wait);
    assert_int_equal(PAPI_stop(es, value), PAPI_OK);
    assert_true(value[0] >= 19999);
    assert_int_equal(value[1], 0);
}

static void all_45_are_listed(void **state)
{
    (void)state;
    const PAPI_component_info_t *info = PAPI_get_component_info(PAPI_get_component_index("appio"));
    assert_int_equal(info->disabled, 0);
    assert_int_equal(info->num_native_events, 45);
    int es = set_of("appio:::READ_BYTES", NULL);
    refused(PAPI_attach(es, (unsigned long)getppid()), PAPI_ECMP, "calling thread");
}

/* The names are known, and what is missing is said at once: by the component, and where an event is added. */
static void is_not_preloaded(void **state)
{
    char name[PAPI_MAX_STR_LEN];
    int es = PAPI_NULL, index = PAPI_get_component_index("appio"), code = PAPI_NATIVE_MASK, n = 0;
    (void)state;
    const PAPI_component_info_t *info = PAPI_get_component_info(index);
    assert_int_equal(info->disabled, PAPI_ENOSUPP);
    assert_non_null(strstr(info->disabled_reason, "LD_PRELOAD=libpapi_appio.so"));
    assert_non_null(strstr(info->disabled_reason, "-lpapi_appio"));
    assert_int_equal(info->num_native_events, 45);
    assert_int_equal(PAPI_create_eventset(&es), PAPI_OK);
    int more = PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, index);
    for (; more == PAPI_OK; more = PAPI_enum_cmp_event(&code, PAPI_ENUM_EVENTS, index), n++) {
        assert_int_equal(PAPI_event_code_to_name(code, name), PAPI_OK);
        assert_memory_equal(name, "appio:::", 8);
        refused(PAPI_query_event(code), PAPI_ENOEVNT, "LD_PRELOAD");
        refused(PAPI_add_event(es, code), PAPI_ENOEVNT, "LD_PRELOAD");
    }
    assert_int_equal(more, PAPI_ENOEVNT);
    assert_int_equal(n, 45);
    refused(PAPI_add_named_event(es, "appio:::READ_BYTES"), PAPI_ENOEVNT, "LD_PRELOAD");
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        TEST(files),           TEST(vectors), TEST(errors), TEST(sockets),
        TEST(levels),          TEST(threads), TEST(times),  TEST(all_45_are_listed),
        TEST(child_of_a_vfork)};
    const struct CMUnitTest without[] = {TEST(is_not_preloaded)};
    if (argc > 2 && dlopen(argv[2], RTLD_NOW | RTLD_GLOBAL) == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    if (argc > 1 && strcmp(argv[1], "none") == 0)
        return TEST_RUN(without);
    return TEST_RUN(tests);
}
