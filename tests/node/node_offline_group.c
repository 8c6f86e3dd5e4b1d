/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Control groups while a CPU is switched off and on: what is counted of the group is exactly what is counted
 * of its task alone, or there is an error, with exactly what the CPUs that have counters counted.
 */
#include "counted_loop.h"
#include "node_cpus.h"
#include "node_groups.h"
#include "node_names.h"
#include "node_test.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define LOOP 100000
#define TOOL "/fpapi/src-c/tools/papi_command_line"

/* The group's only task: it works on the CPU that it is told by a byte, and answers. */
static struct {
    pid_t pid;
    int orders, answers;
    int es; /* counts it by itself */
    long long before;
} task;

static void obey(int orders, int answers)
{
    char cpu;
    while (read(orders, &cpu, 1) == 1) {
        run_on(cpu - '0');
        counted_loop(LOOP);
        if (write(answers, &cpu, 1) != 1)
            _exit(1);
    }
    _exit(0);
}

static void begin_task(void)
{
    int orders[2], answers[2];
    if (pipe(orders) != 0 || pipe(answers) != 0 || (task.pid = fork()) < 0)
        exit(1);
    if (task.pid == 0) {
        close(orders[1]);
        obey(orders[0], answers[1]);
    }
    close(orders[0]);
    task.orders = orders[1];
    task.answers = answers[0];
    enter(JOB, task.pid);
}

static void end_task(void)
{
    close(task.orders);
    waitpid(task.pid, NULL, 0);
}

/* Afterwards it waits for the next order. */
static void work_on(int cpu)
{
    char word = (char)('0' + cpu);
    if (write(task.orders, &word, 1) != 1 || read(task.answers, &word, 1) != 1)
        exit(1);
    usleep(50000);
}

/* The work of the task since the last call. */
static long long done(void)
{
    long long now, since;
    NEED(PAPI_read(task.es, &now));
    since = now - task.before;
    task.before = now;
    return since;
}

static int attach_task(void)
{
    int es = PAPI_NULL;
    NEED(PAPI_create_eventset(&es));
    NEED(PAPI_assign_eventset_component(es, 0));
    NEED(PAPI_attach(es, (unsigned long)task.pid));
    NEED(PAPI_add_named_event(es, NODE_INSTRUCTIONS));
    NEED(PAPI_start(es));
    return es;
}

static void again(int es)
{
    NEED(PAPI_attach_cgroup(es, JOB));
    done();
    NEED(PAPI_start(es));
}

static void whole(int es, long long wanted)
{
    long long value = -1;
    NEED(PAPI_read(es, &value));
    node_check(value == wanted && value >= (long long)COUNTED_LOOP_LENGTH * LOOP,
               "the group: %lld, its task: %lld", value, wanted);
}

/* Before the task is on another CPU, it takes a few instructions on the one that it is on: moved. */
enum { MOVE = 100 };

static void lost(int code, const char *call, const char *reason, long long value, long long wanted,
                 bool moved)
{
    const char *text = code < 0 ? PAPI_strerror(code) : "no error";
    node_check(code == PAPI_ECLOST && strstr(text, reason) != NULL, "%s = %d (%s)", call, code, text);
    node_check(value >= wanted && value <= wanted + (moved ? MOVE : 0),
               "where there are counters: %lld, the task did %lld there", value, wanted);
}

static void read_lost(int es, const char *reason, long long wanted, bool moved)
{
    long long value = -1;
    int code = PAPI_read(es, &value);
    lost(code, "PAPI_read", reason, value, wanted, moved);
}

static void stop_lost(int es, const char *reason, long long wanted, bool moved)
{
    long long value = -1;
    int code = PAPI_stop(es, &value);
    lost(code, "PAPI_stop", reason, value, wanted, moved);
}

#define OFF "CPU 1 was switched off"
#define ON "CPU 1 was switched on"

static void goes_off(int es)
{
    long long counted;
    printf("a CPU goes off, and comes again:\n");
    done();
    NEED(PAPI_start(es));
    work_on(0);
    work_on(1);
    counted = done();
    whole(es, counted);
    switch_cpu(0);
    read_lost(es, OFF, counted, false);
    work_on(0);
    counted += done();
    read_lost(es, OFF, counted, false); /* the other one counts on */
    switch_cpu(1);
    work_on(1);
    done();
    read_lost(es, OFF, counted, true);
    stop_lost(es, OFF, counted, true);
    again(es);
    work_on(1);
    work_on(0);
    whole(es, done());
    NEED(PAPI_stop(es, NULL));
}

/* Off and on again between two readings. */
static void goes_and_comes(int es)
{
    long long counted;
    printf("off and on again:\n");
    again(es);
    work_on(1);
    counted = done();
    switch_cpu(0);
    switch_cpu(1);
    work_on(1);
    done();
    read_lost(es, OFF, counted, true);
    stop_lost(es, OFF, counted, true);
}

static void comes(int es)
{
    long long counted;
    printf("a CPU comes on:\n");
    switch_cpu(0);
    again(es);
    work_on(0);
    counted = done();
    whole(es, counted);
    switch_cpu(1);
    read_lost(es, ON, counted, false);
    work_on(1);
    done();
    work_on(0);
    counted += done();
    read_lost(es, ON, counted, true);
    stop_lost(es, ON, counted, true);
    again(es);
    work_on(1);
    whole(es, done());
    NEED(PAPI_stop(es, NULL));
}

/* On and off again between two readings. */
static void comes_and_goes(int es)
{
    long long counted;
    printf("on and off again:\n");
    switch_cpu(0);
    again(es);
    work_on(0);
    counted = done();
    switch_cpu(1);
    work_on(1);
    done();
    switch_cpu(0);
    read_lost(es, "was switched on for a while", counted, true);
    stop_lost(es, "was switched on for a while", counted, true);
    node_check(PAPI_start(es) == PAPI_ECLOST, "and it starts no more");
    again(es);
    work_on(0);
    whole(es, done());
    NEED(PAPI_stop(es, NULL));
    switch_cpu(1);
}

static int has_doubt(FILE *lines, char *line, int size)
{
    if (fgets(line, size, lines) == NULL) {
        node_check(0, "a line of " TOOL);
        exit(1);
    }
    return strstr(line, "\"doubt\"") != NULL;
}

/* The tool's lines are in doubt from the moment on. */
static void in_the_tool(const char *title, int first, const char *reason)
{
    char line[1024];
    printf("%s:\n", title);
    switch_cpu(first);
    FILE *lines = popen(TOOL " --json --cgroup=" JOB " -i 0.5 -n 6 " NODE_INSTRUCTIONS, "r");
    if (lines == NULL)
        exit(1);
    node_check(!has_doubt(lines, line, sizeof line), "before: %s", line);
    switch_cpu(!first);
    has_doubt(lines, line, sizeof line); /* it may have been read already */
    for (int i = 0; i < 2; i++)
        node_check(has_doubt(lines, line, sizeof line) && strstr(line, reason) != NULL, "after: %s", line);
    while (fgets(line, sizeof line, lines) != NULL)
        ;
    node_check(pclose(lines) == 0, "the tool ends well");
    switch_cpu(1);
}

int main(void)
{
    node_init();
    run_on(0);
    make_groups();
    begin_task();
    task.es = attach_task();
    int es = set_of_group();
    goes_off(es);
    goes_and_comes(es);
    comes(es);
    comes_and_goes(es);
    in_the_tool("papi_command_line, a CPU goes off", 1, OFF);
    in_the_tool("papi_command_line, a CPU comes on", 0, ON);
    NEED(PAPI_cleanup_eventset(es));
    NEED(PAPI_stop(task.es, NULL));
    NEED(PAPI_cleanup_eventset(task.es));
    end_task();
    return node_test_end();
}
