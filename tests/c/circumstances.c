/* SPDX-License-Identifier: BSD-3-Clause */
#include "circumstances.h"

#include "../under_valgrind.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- memory: the program's own malloc comes before the C library's */

static int allowed = -1, refused;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
int circumstance_refuses(void)
{
    return 0;
}
#else
int circumstance_refuses(void)
{
    return !test_under_valgrind(); /* whose allocator comes before this one */
}

#pragma GCC visibility push(default) /* the library's calls come here, too */

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static int refuse(void)
{
    if (allowed < 0)
        return 0;
    if (allowed > 0) {
        allowed--;
        return 0;
    }
    refused++;
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t size)
{
    return refuse() ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
    return refuse() ? NULL : __libc_calloc(n, size);
}

void *realloc(void *old, size_t size)
{
    return refuse() ? NULL : __libc_realloc(old, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return refuse() ? NULL : __libc_memalign(alignment, size);
}

int posix_memalign(void **out, size_t alignment, size_t size)
{
    if (refuse())
        return ENOMEM;
    *out = __libc_memalign(alignment, size);
    return *out == NULL ? ENOMEM : 0;
}

#pragma GCC visibility pop
#endif

int circumstance_allocations(int n)
{
    int before = refused;
    allowed = n;
    refused = 0;
    return before;
}

/* ---- what the system refuses */

static void die(const char *what)
{
    perror(what);
    _exit(99);
}

enum { MOST_CALLS = 8, IMPOSSIBLE = 96 /* a child's status */ };

/* These system calls fail with an error; 0: they do nothing and answer 0. */
static void refuse_calls(int error, const long *calls, int n)
{
    struct sock_filter filter[MOST_CALLS + 3];
    struct sock_fprog program = {(unsigned short)(n + 3), filter};
    for (int i = 0; i < n; i++)
        if (calls[i] == SYS_read && test_under_valgrind())
            _exit(IMPOSSIBLE);
    filter[0] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (int i = 0; i < n; i++)
        filter[i + 1] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)calls[i],
                                                     (unsigned char)(n - i), 0);
    filter[n + 1] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    filter[n + 2] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)error);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        die("seccomp");
}

void circumstance_counters_refused(int error)
{
    static const long calls[] = {SYS_perf_event_open};
    refuse_calls(error, calls, 1);
}

void circumstance_forbidden(void)
{
    circumstance_counters_refused(EACCES);
}

void circumstance_counters_taken(void)
{
    static const long calls[] = {SYS_read};
    refuse_calls(0, calls, 1);
}

void circumstance_kernel_fails(void)
{
    static const long calls[] = {SYS_perf_event_open, SYS_ioctl, SYS_read, SYS_fcntl, SYS_timer_create};
    refuse_calls(EIO, calls, sizeof calls / sizeof *calls);
}

void circumstance_no_output(void)
{
    if (setenv("PAPI_OUTPUT_DIRECTORY", "/dev/null", 1) != 0)
        die("PAPI_OUTPUT_DIRECTORY");
}

void circumstance_no_files(void)
{
    const struct rlimit limit = {0, 0};
    if (test_under_valgrind()) /* which makes up a limit of its own */
        _exit(IMPOSSIBLE);
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0)
        die("RLIMIT_NOFILE");
}

/* ---- children */

enum { CHILD_SECONDS = 20 };

/* A child that crashes or hangs ends, without a debugger's work for its last words. */
static void end_at_crashes(void)
{
    static const int crashes[] = {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL};
    for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++)
        signal(crashes[i], SIG_DFL);
    alarm(CHILD_SECONDS);
}

void circumstance_forked(void)
{
    int status = 0;
    fflush(NULL);
    pid_t child = fork();
    if (child < 0)
        die("fork");
    if (child == 0) {
        alarm(CHILD_SECONDS);
        return;
    }
    if (waitpid(child, &status, 0) != child)
        die("waitpid");
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 98);
}

int circumstance_child(int (*body)(void *), void *argument)
{
    int ends[2], got = -1000, value, status = 0;
    fflush(NULL);
    if (pipe(ends) != 0)
        die("pipe");
    pid_t child = fork();
    if (child < 0)
        die("fork");
    if (child == 0) {
        close(ends[0]);
        end_at_crashes();
        value = body(argument);
        fflush(NULL);
        _exit(write(ends[1], &value, sizeof value) == sizeof value ? 0 : 97);
    }
    close(ends[1]);
    if (read(ends[0], &got, sizeof got) != sizeof got)
        got = -1000;
    close(ends[0]);
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == IMPOSSIBLE)
        got = -1001;
    return got;
}
