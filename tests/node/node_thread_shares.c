/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The shares of the threads of a process, exactly, by counters that do not come from the library.
 *
 * Threads that were there have a counter each of this program's. The library's numbers and its own are read
 * while the threads wait, and grow by the same. Threads that come later count themselves, from one of their
 * first instructions to one of their last: what is before and behind is the same few instructions for all,
 * since they are made by clone and do nothing but system calls and their loop.
 */
#include "counted_loop.h"
#include "node_names.h"
#include "node_test.h"

#include <linux/futex.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STAYING = 50, COMING = 50, LOOP = 2000, STACK = 16384, ROOM = 1 + STAYING + COMING };

/* Shared by the process, which is a child, and this program. */
struct shared {
    struct thread {
        long long tid;
        long long counted; /* of one that comes: by its own counter */
        int gone;          /* its futex, that the kernel sets to 0 */
    } staying[STAYING], coming[COMING];
    int order[STAYING][2], answer[2], control[2];
};
static struct shared *shared;

/* Each thread has a share of its own. */
static long loops_of(int i)
{
    return (long)LOOP * (i + 1);
}

static int open_counter(int tid)
{
    struct perf_event_attr attr = {.type = PERF_TYPE_HARDWARE,
                                   .config = PERF_COUNT_HW_INSTRUCTIONS,
                                   .size = sizeof attr,
                                   .exclude_kernel = 1,
                                   .exclude_hv = 1};
    return (int)syscall(SYS_perf_event_open, &attr, tid, -1, -1, 0);
}

/* ---- the process */

static void *stay(void *number)
{
    int i = (int)(long)number;
    char word;
    shared->staying[i].tid = syscall(SYS_gettid);
    if (write(shared->answer[1], "", 1) != 1)
        _exit(1);
    while (read(shared->order[i][0], &word, 1) == 1 && word == 'w') {
        counted_loop(loops_of(i));
        if (write(shared->answer[1], "", 1) != 1)
            _exit(1);
    }
    return NULL;
}

static char stack[COMING][STACK] __attribute__((aligned(64)));

/* With the thread pointer of the thread that has made it. */
static int come(void *number)
{
    int i = (int)(long)number;
    struct thread *own = &shared->coming[i];
    int counter = open_counter(0);
    counted_loop(loops_of(i));
    syscall(SYS_read, counter, &own->counted, sizeof own->counted);
    syscall(SYS_close, counter);
    return 0;
}

static void let_come(int i)
{
    struct thread *own = &shared->coming[i];
    int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM |
                CLONE_CHILD_CLEARTID,
        now;
    own->gone = 1;
    own->tid = clone(come, stack[i] + STACK, flags, (void *)(long)i, NULL, NULL, &own->gone);
    while ((now = __atomic_load_n(&own->gone, __ATOMIC_ACQUIRE)) != 0)
        syscall(SYS_futex, &own->gone, FUTEX_WAIT, now, NULL, NULL, 0);
}

static void process(void)
{
    pthread_t thread[STAYING];
    char word;
    for (int i = 0; i < STAYING; i++)
        if (pthread_create(&thread[i], NULL, stay, (void *)(long)i) != 0)
            _exit(1);
    while (read(shared->control[0], &word, 1) == 1) {
        for (int i = 0; i < COMING && word == 'c'; i++)
            let_come(i);
        for (int i = 0; i < STAYING && word == '-'; i++)
            pthread_join(thread[i], NULL);
        if (write(shared->answer[1], "", 1) != 1)
            _exit(1);
    }
    _exit(0);
}

static pid_t begin_process(void)
{
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    bool made = pipe(shared->answer) == 0 && pipe(shared->control) == 0;
    for (int i = 0; i < STAYING; i++)
        made = made && pipe(shared->order[i]) == 0;
    pid_t pid = made ? fork() : -1;
    if (pid == 0)
        process();
    if (pid < 0)
        exit(1);
    return pid;
}

/* Waits for answers, and until who has given them sleeps. */
static void await(int answers)
{
    char word;
    for (int i = 0; i < answers; i++)
        if (read(shared->answer[0], &word, 1) != 1)
            exit(1);
    usleep(200000);
}

static void order(int end, char word)
{
    if (write(end, &word, 1) != 1)
        exit(1);
}

static void order_all(char word)
{
    for (int i = 0; i < STAYING; i++)
        order(shared->order[i][1], word);
}

/* ---- the library's rows */

static struct {
    int n;
    long long tid[ROOM], ended[ROOM], value[ROOM];
} rows;

static void read_rows(int es)
{
    rows.n = ROOM;
    NEED(PAPI_read_threads(es, rows.tid, rows.ended, rows.value, &rows.n));
    if (rows.n > ROOM) {
        node_check(0, "%d threads", rows.n);
        exit(1);
    }
}

static long long row_of(long long tid, int ended)
{
    for (int i = 0; i < rows.n; i++)
        if (rows.tid[i] == tid && rows.ended[i] == ended)
            return rows.value[i];
    return -1;
}

/* ---- checks */

static long long count_of(int counter)
{
    long long count = -1;
    return read(counter, &count, sizeof count) == sizeof count ? count : -1;
}

struct both {
    long long row[STAYING], counter[STAYING];
};

static struct both read_both(int es, const int *counter, int ended)
{
    struct both both;
    read_rows(es);
    for (int i = 0; i < STAYING; i++) {
        both.row[i] = row_of(shared->staying[i].tid, ended);
        both.counter[i] = count_of(counter[i]);
    }
    return both;
}

/* Growth of each thread's numbers between two moments: the same by both, and at least that of its loops. */
static void same_growth(const char *what, const struct both *from, const struct both *to, int rounds)
{
    int same = 0, loops = 0;
    for (int i = 0; i < STAYING; i++) {
        long long row = to->row[i] - from->row[i], counter = to->counter[i] - from->counter[i];
        long long least = (long long)COUNTED_LOOP_LENGTH * loops_of(i) * rounds;
        if (row == counter)
            same++;
        else
            node_check(0, "%s, thread %d: %lld, its own counter: %lld", what, i, row, counter);
        loops += row >= least;
    }
    node_check(same == STAYING, "%s: the shares of %d threads are what their own counters show", what, same);
    node_check(loops == STAYING, "%s: %d have their loops' instructions, %d the first and %d the last", what,
               loops, (int)(to->row[0] - from->row[0]), (int)(to->row[STAYING - 1] - from->row[STAYING - 1]));
}

static void those_that_stay(int es, int *counter)
{
    struct both before, after, end;
    before = read_both(es, counter, 0);
    order_all('w');
    await(STAYING);
    order_all('w');
    await(STAYING);
    after = read_both(es, counter, 0);
    same_growth("two rounds", &before, &after, 2);
    order_all('-');
    order(shared->control[1], '-');
    await(1);
    end = read_both(es, counter, 1);
    same_growth("to their end", &before, &end, 2);
    for (int i = 0; i < STAYING; i++)
        close(counter[i]);
}

static void those_that_come(int es)
{
    long long beside = -1;
    int same = 0, loops = 0;
    order(shared->control[1], 'c');
    await(1);
    read_rows(es);
    for (int i = 0; i < COMING; i++) {
        const struct thread *thread = &shared->coming[i];
        long long rest = row_of(thread->tid, 1) - thread->counted;
        beside = i == 0 ? rest : beside;
        if (rest == beside)
            same++;
        else
            node_check(0, "thread %d: %lld beside what it has counted itself, %lld", i, rest,
                       thread->counted);
        loops += thread->counted >= (long long)COUNTED_LOOP_LENGTH * loops_of(i) &&
                 thread->counted < (long long)COUNTED_LOOP_LENGTH * loops_of(i) + 100;
    }
    node_check(loops == COMING, "%d threads that came and went have counted their loops", loops);
    node_check(same == COMING && beside > 0 && beside < 100,
               "the shares of %d are what they have counted, and %lld instructions before and behind", same,
               beside);
}

int main(void)
{
    int counter[STAYING], es = PAPI_NULL, opened = 0;
    long long sum, all = 0;
    pid_t pid = begin_process();
    await(STAYING);
    node_init();
    NEED(PAPI_create_eventset(&es));
    NEED(PAPI_attach_process(es, pid, PAPI_PROCESS_THREADS));
    NEED(PAPI_add_named_event(es, NODE_INSTRUCTIONS));
    NEED(PAPI_start(es));
    for (int i = 0; i < STAYING; i++)
        opened += (counter[i] = open_counter((int)shared->staying[i].tid)) >= 0;
    node_check(opened == STAYING, "%d counters", opened);
    usleep(200000);
    those_that_stay(es, counter);
    those_that_come(es);
    close(shared->control[1]);
    usleep(200000);
    NEED(PAPI_stop(es, &sum));
    read_rows(es);
    for (int i = 0; i < rows.n; i++)
        all += rows.value[i];
    node_check(rows.n == 1 + STAYING + COMING, "%d threads", rows.n);
    node_check(sum == all, "the sum of all: %lld, the set's: %lld", all, sum);
    NEED(PAPI_cleanup_eventset(es));
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    return node_test_end();
}
