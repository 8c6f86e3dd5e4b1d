/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Hardware counts of a control group: exactly the sum of what is counted of each of its tasks alone.
 */
#include "counted_loop.h"
#include "node_groups.h"
#include "node_names.h"
#include "node_test.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TASKS = 4, LOOP = 100000 };

struct task {
    pid_t pid;
    int go; /* a byte lets it work */
    int es;
};

/* The child of number i, which has i + 1 loops. */
static void work(int i, int go)
{
    char word;
    while (read(go, &word, 1) > 0)
        counted_loop((long)LOOP * (i + 1));
    _exit(0);
}

/* A task that waits, in the group or the one below it, and is counted by itself. */
static struct task begin(int i)
{
    int ends[2];
    struct task task = {.es = PAPI_NULL};
    if (pipe(ends) != 0)
        exit(1);
    task.pid = fork();
    if (task.pid == 0) {
        close(ends[1]);
        work(i, ends[0]);
    }
    close(ends[0]);
    task.go = ends[1];
    usleep(100000); /* until it waits in its read */
    enter(i % 2 == 0 ? JOB : INNER, task.pid);
    NEED(PAPI_create_eventset(&task.es));
    NEED(PAPI_assign_eventset_component(task.es, 0));
    NEED(PAPI_attach(task.es, (unsigned long)task.pid));
    NEED(PAPI_add_named_event(task.es, NODE_INSTRUCTIONS));
    return task;
}

static void end(struct task *task)
{
    kill(task->pid, SIGKILL);
    close(task->go);
    waitpid(task->pid, NULL, 0);
    NEED(PAPI_cleanup_eventset(task->es));
    NEED(PAPI_destroy_eventset(&task->es));
}

int main(void)
{
    struct task task[TASKS];
    long long group, counted, sum = 0, loops = 0;
    node_init();
    make_groups();
    for (int i = 0; i < TASKS; i++)
        task[i] = begin(i);
    int es = set_of_group();
    NEED(PAPI_start(es));
    for (int i = 0; i < TASKS; i++)
        NEED(PAPI_start(task[i].es));
    for (int i = 0; i < TASKS; i++)
        node_check(write(task[i].go, "w", 1) == 1, "task %d works", i);
    counted_loop(LOOP); /* which is not the group's */
    usleep(500000);
    for (int i = 0; i < TASKS; i++) {
        NEED(PAPI_stop(task[i].es, &counted));
        long long loop = (long long)COUNTED_LOOP_LENGTH * LOOP * (i + 1);
        node_check(counted >= loop && counted < loop + 1000, "task %d: %lld instructions, of %lld in loops",
                   i, counted, loop);
        sum += counted;
        loops += loop;
    }
    NEED(PAPI_stop(es, &group));
    node_check(group == sum, "the control group: %lld, its tasks: %lld", group, sum);
    node_check(group >= loops, "%lld in loops", loops);
    for (int i = 0; i < TASKS; i++)
        end(&task[i]);
    NEED(PAPI_cleanup_eventset(es));
    return node_test_end();
}
