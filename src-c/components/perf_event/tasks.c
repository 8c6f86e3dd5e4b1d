/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Threads of processes, by the kernel's files.
 *
 * A list of threads alone does not tell where counting begins. A thread that is being made has its counters,
 * or lacks them, from an early moment of the call clone on, and is in no list before its end. So who attaches
 * to threads and then looks whether there are others waits in between until each has been seen outside of
 * that call: asleep where signals wake it, which it never is in there; or in user mode, which a sample of a
 * clock of its CPU time shows.
 */
#include "components/perf_event/tasks.h"
#include "base/array.h"
#include "base/seconds.h"
#include "base/syscall.h"
#include "base/task_stat.h"
#include "components/perf_event/sys.h"
#include "papi.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- files */

/* Reads a small file of a folder (AT_FDCWD: a whole path). The number of bytes; -1 with errno. */
static long read_file(int folder, const char *path, char *text, size_t size)
{
    int fd = openat(folder, path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, text, size - 1) : -1;
    int error = errno;
    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = '\0';
    errno = error;
    return n;
}

enum { ENDED = '\0', NOT_KNOWN = '?' };

/* The state and the parent that a file stat shows: ENDED where nothing has that number, NOT_KNOWN where it
 * cannot be read, with errno. */
static char state_in(int folder, const char *path, int *parent)
{
    struct task_stat stat;
    int code = task_stat_read(folder, path, &stat);
    *parent = stat.parent;
    if (code != 0)
        return errno == ENOENT || errno == ESRCH ? ENDED : NOT_KNOWN;
    return stat.state != '\0' ? stat.state : NOT_KNOWN;
}

static char state_of(int tid)
{
    char path[64];
    int parent;
    snprintf(path, sizeof path, "/proc/%d/stat", tid);
    return state_in(AT_FDCWD, path, &parent);
}

static bool has_ended(char state)
{
    return state == ENDED || task_state_is_end(state);
}

/* ---- lists */

static int append(struct tasks *tasks, int number, struct reason *why)
{
    if (!ARRAY_GROW(tasks->number, tasks->n))
        return reason_set(why, PAPI_ENOMEM, "out of memory");
    tasks->number[tasks->n++] = number;
    return PAPI_OK;
}

static int by_number(const void *a, const void *b)
{
    const int *one = a, *other = b;
    return (*one > *other) - (*one < *other);
}

void tasks_sort(struct tasks *tasks)
{
    if (tasks->n > 0)
        qsort(tasks->number, (size_t)tasks->n, sizeof *tasks->number, by_number);
}

void tasks_free(struct tasks *tasks)
{
    free(tasks->number);
    *tasks = (struct tasks){0};
}

bool tasks_have(const struct tasks *tasks, int number)
{
    return tasks->n > 0 &&
           bsearch(&number, tasks->number, (size_t)tasks->n, sizeof number, by_number) != NULL;
}

bool tasks_have_more(const struct tasks *tasks, const struct tasks *than)
{
    for (int i = 0; i < tasks->n; i++)
        if (!tasks_have(than, tasks->number[i]))
            return true;
    return false;
}

/* Adds the folders of a folder that have a number for a name. The folder is closed. */
static int append_numbers(int folder, struct tasks *tasks, struct reason *why)
{
    DIR *all = folder >= 0 ? fdopendir(folder) : NULL;
    int code = PAPI_OK;
    if (all == NULL && folder >= 0)
        close(folder);
    if (all == NULL)
        return errno == ENOENT || errno == ESRCH ? PAPI_OK : reason_unreadable("the list of threads", why);
    for (struct dirent *entry; code == PAPI_OK && (entry = readdir(all)) != NULL;) {
        char *end;
        long number = strtol(entry->d_name, &end, 10);
        if (number > 0 && *end == '\0')
            code = append(tasks, (int)number, why);
    }
    closedir(all);
    return code;
}

/* ---- processes */

/* A number in a file status; 0: there is no such thread; -1: that cannot be read, with errno. */
static int in_status(int folder, const char *path, const char *key)
{
    char text[4096];
    long n = read_file(folder, path, text, sizeof text);
    const char *line = n > 0 ? strstr(text, key) : NULL;
    if (n < 0)
        return errno == ESRCH || errno == ENOENT ? 0 : -1;
    return line != NULL ? atoi(line + strlen(key)) : 0;
}

static int process_of(const struct process *process)
{
    return in_status(process->folder, "status", "\nTgid:");
}

int task_process(int tid)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/status", tid);
    return in_status(AT_FDCWD, path, "\nTgid:");
}

int task_tracer(int tid)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/status", tid);
    int tracer = in_status(AT_FDCWD, path, "\nTracerPid:");
    return tracer > 0 ? tracer : 0;
}

bool task_has_ended(int tid)
{
    return has_ended(state_of(tid));
}

int process_find(int pid, struct process *process, struct reason *why)
{
    char path[64];
    *process = (struct process){pid, -1};
    if (!task_files_are_ours())
        return reason_set(why, PAPI_ESYS,
                          "/proc does not show the processes of this PID namespace, and which threads "
                          "process %d has is not known: mount one here (mount -t proc proc /proc, unshare "
                          "--mount-proc)",
                          pid);
    snprintf(path, sizeof path, "/proc/%d", pid);
    process->folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (process->folder < 0 && errno != ENOENT)
        return reason_unreadable(path, why);
    int leader = process->folder >= 0 ? process_of(process) : 0, code = PAPI_OK;
    if (leader < 0)
        code = reason_unreadable(path, why);
    else if (leader == 0)
        code = reason_set(why, PAPI_EINVAL, "there is no process %d", pid);
    else if (leader != pid)
        code = reason_set(why, PAPI_EINVAL, "%d is a thread of process %d: PAPI_attach counts it alone", pid,
                          leader);
    else if (!process_lives(process))
        code = reason_set(why, PAPI_EINVAL, "process %d has ended", pid);
    if (code != PAPI_OK)
        process_forget(process);
    return code;
}

void process_forget(struct process *process)
{
    if (process->folder >= 0)
        close(process->folder);
    process->folder = -1;
}

int process_threads(const struct process *process, struct tasks *threads, struct reason *why)
{
    return append_numbers(openat(process->folder, "task", O_RDONLY | O_DIRECTORY | O_CLOEXEC), threads, why);
}

bool process_lives(const struct process *process)
{
    struct tasks threads = {0};
    bool lives = process_threads(process, &threads, NULL) != PAPI_OK; /* it is not known that it ended */
    for (int i = 0; i < threads.n && !lives; i++) {
        char path[64];
        int parent;
        snprintf(path, sizeof path, "task/%d/stat", threads.number[i]);
        lives = !has_ended(state_in(process->folder, path, &parent));
    }
    tasks_free(&threads);
    return lives;
}

/* Adds the processes with a parent in the list, as long as there are more. */
static int append_children(const struct tasks *all, const int *parent, struct tasks *family,
                           struct reason *why)
{
    int code = PAPI_OK, own = getpid();
    for (int done = 0; done < family->n; done++)
        for (int i = 0; i < all->n && code == PAPI_OK; i++)
            if (parent[i] == family->number[done] && all->number[i] != own)
                code = append(family, all->number[i], why);
    return code;
}

/* The whole family, the process itself first. */
static int append_family(int pid, struct tasks *family, struct reason *why)
{
    struct tasks all = {0};
    int *parent = NULL;
    int code = append(family, pid, why)
                   ?: append_numbers(open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC), &all, why);
    if (code == PAPI_OK && (parent = calloc((size_t)all.n + 1, sizeof *parent)) == NULL)
        code = reason_set(why, PAPI_ENOMEM, "out of memory");
    for (int i = 0; i < all.n && code == PAPI_OK; i++) {
        char path[64];
        snprintf(path, sizeof path, "/proc/%d/stat", all.number[i]);
        char state = state_in(AT_FDCWD, path, &parent[i]);
        if (has_ended(state))
            parent[i] = 0;
        if (state == NOT_KNOWN)
            code = reason_unreadable(path, why);
    }
    if (code == PAPI_OK)
        code = append_children(&all, parent, family, why);
    free(parent);
    tasks_free(&all);
    return code;
}

int process_descendants(const struct process *process, struct tasks *processes, struct tasks *threads,
                        struct reason *why)
{
    struct tasks family = {0};
    int code = append_family(process->pid, &family, why);
    for (int i = 1; i < family.n && code == PAPI_OK; i++) {
        char path[64];
        snprintf(path, sizeof path, "/proc/%d/task", family.number[i]);
        code = append(processes, family.number[i], why);
        if (code == PAPI_OK && threads != NULL)
            code = append_numbers(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), threads, why);
    }
    tasks_free(&family);
    return code;
}

/* ---- clones */

/* A clock of the thread's CPU time that samples in user mode, every so many ns. */
enum { SAMPLED_NS = 100000 };

struct watch {
    int fd;
    struct perf_event_mmap_page *page;
};

/* Opens the clock, if that is possible. */
static struct watch watch_user_mode(int tid)
{
    const struct group_options options = {.target = tid};
    struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
                                   .config = PERF_COUNT_SW_TASK_CLOCK,
                                   .sample_period = SAMPLED_NS,
                                   .sample_type = PERF_SAMPLE_IP,
                                   .exclude_kernel = 1,
                                   .exclude_hv = 1};
    struct watch watch = {.fd = -1};
    if (sys_open("", &options, &attr, -1, &watch.fd, NULL) == PAPI_OK)
        watch.page = sys_map(watch.fd, 1);
    return watch;
}

static bool was_in_user_mode(const struct watch *watch)
{
    return watch->page != NULL && __atomic_load_n(&watch->page->data_head, __ATOMIC_ACQUIRE) != 0;
}

/* True if the thread sleeps where a signal wakes it, is stopped, or has ended: never within clone. */
static bool sleeps(int tid)
{
    char state = state_of(tid);
    return state != 'R' && state != 'D' && state != NOT_KNOWN;
}

static bool wait_for_user_mode(int tid, double deadline)
{
    static const struct timespec pause = {.tv_nsec = 50000};
    struct watch watch = watch_user_mode(tid);
    bool seen;
    while (!(seen = was_in_user_mode(&watch) || sleeps(tid)) && seconds_now() < deadline)
        nanosleep(&pause, NULL);
    sys_unmap(watch.page, 1);
    sys_close(watch.fd);
    return seen;
}

int task_is_between_clones(int tid, double deadline, struct reason *why)
{
    if (tid == system_call(SYS_gettid, 0, 0, 0) || sleeps(tid) || wait_for_user_mode(tid, deadline))
        return PAPI_OK;
    return reason_set(why, PAPI_ECNFLCT,
                      "thread %d had no processor, or was in one and the same call of the kernel, all the "
                      "time: which threads it has started cannot be told; try again",
                      tid);
}
