/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Hardware counts of a control group: exactly the sum of what is counted of each of its tasks alone.
 */
#include "counted_loop.h"
#include "node_names.h"
#include "node_test.h"

#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define TREE "/tmp/cgroups"
#define JOB TREE "/job"
#define INNER JOB "/inner"
enum { TASKS = 4, LOOP = 100000 };

struct task {
    pid_t pid;
    int go; /* a byte lets it work */
    int es;
};

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    bool written = file != NULL && fprintf(file, "%s\n", text) > 0;
    written = file != NULL && fclose(file) == 0 && written;
    if (!written) {
        node_check(0, "%s: %m", path);
        exit(1);
    }
}

/* Makes the groups. Below the root no group has perf_event before one controller, any, was given to them. */
static void make_groups(void)
{
    if (mkdir(TREE, 0755) != 0 || mount("cgroup2", TREE, "cgroup2", 0, NULL) != 0) {
        printf("SKIP: no control groups: %m\n");
        exit(77);
    }
    write_text(TREE "/cgroup.subtree_control", "+pids");
    node_check(mkdir(JOB, 0755) == 0 && mkdir(INNER, 0755) == 0, "two groups, one in the other");
}

static int set_of_group(void)
{
    int es = PAPI_NULL;
    NEED(PAPI_create_eventset(&es));
    NEED(PAPI_assign_eventset_component(es, 0));
    NEED(PAPI_attach_cgroup(es, JOB));
    NEED(PAPI_add_named_event(es, NODE_INSTRUCTIONS));
    return es;
}

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
    char number[24];
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
    snprintf(number, sizeof number, "%d", (int)task.pid);
    write_text(i % 2 == 0 ? JOB "/cgroup.procs" : INNER "/cgroup.procs", number);
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
