/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Event sets of control groups: their counts are exactly the sum of what each of their tasks counts for
 * itself.
 */
#include "made_machine.h"
#include "testing.h"

#include <errno.h>
#include <mntent.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TASKS = 3, PAGES = 400 };

static char tree[256];  /* where control groups are mounted */
static char group[384]; /* a fresh one, and one in it */
static char below[400];

/* ---- groups */

static void find_tree(void)
{
    FILE *mounts = setmntent("/proc/self/mounts", "r");
    struct mntent *entry;
    bool sure = false;
    while (mounts != NULL && (entry = getmntent(mounts)) != NULL) {
        bool events = strcmp(entry->mnt_type, "cgroup") == 0 && hasmntopt(entry, "perf_event") != NULL;
        if (events || (strcmp(entry->mnt_type, "cgroup2") == 0 && !sure && tree[0] == '\0'))
            snprintf(tree, sizeof tree, "%s", entry->mnt_dir);
        sure |= events;
    }
    if (mounts != NULL)
        endmntent(mounts);
}

static int make_groups(void **state)
{
    (void)state;
    snprintf(group, sizeof group, "%s/fpapi_test_%d", tree, (int)getpid());
    snprintf(below, sizeof below, "%s/inner", group);
    if (tree[0] == '\0' || mkdir(group, 0755) != 0 || mkdir(below, 0755) != 0)
        below[0] = group[0] = '\0';
    return 0;
}

static int remove_groups(void **state)
{
    (void)state;
    made_machine_answer = NULL;
    if (group[0] != '\0') {
        rmdir(below);
        rmdir(group);
    }
    return 0;
}

static void enter(const char *folder, pid_t pid)
{
    char path[512];
    snprintf(path, sizeof path, "%s/cgroup.procs", folder);
    FILE *file = fopen(path, "w");
    CHECK(file != NULL && fprintf(file, "%d\n", (int)pid) > 0);
    CHECK(file != NULL && fclose(file) == 0);
}

static int attached(const char *path)
{
    int es = PAPI_NULL;
    OK(PAPI_create_eventset(&es));
    OK(PAPI_assign_eventset_component(es, 0));
    OK(PAPI_attach_cgroup(es, path));
    return es;
}

static int set_of_group(const char *path)
{
    int es = attached(path);
    OK(PAPI_add_named_event(es, FAULTS));
    return es;
}

static void need_groups(void)
{
    int es = PAPI_NULL;
    if (group[0] == '\0')
        SKIP("control groups cannot be made here");
    test_init();
    OK(PAPI_create_eventset(&es));
    OK(PAPI_assign_eventset_component(es, 0));
    int code = PAPI_attach_cgroup(es, group);
    test_drop(es);
    if (code == PAPI_EPERM)
        SKIP("control groups may not be counted here");
    OK(code);
}

/* ---- tasks */

struct task {
    pid_t pid;
    int orders, answers;
};

static void go_to(int cpu)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    sched_setaffinity(0, sizeof one, &one);
}

/* Touches as many pages as it is told, on one CPU after another. */
static void obey(int orders, int answers)
{
    int pages, cpus = (int)sysconf(_SC_NPROCESSORS_ONLN);
    for (int turn = 0; read(orders, &pages, sizeof pages) == sizeof pages && pages > 0; turn++) {
        go_to(turn % cpus);
        test_touch_pages(pages);
        if (write(answers, &pages, sizeof pages) != sizeof pages)
            _exit(1);
    }
    _exit(0);
}

static struct task start_task(const char *folder)
{
    int orders[2], answers[2];
    struct task task = {0};
    CHECK(pipe(orders) == 0 && pipe(answers) == 0);
    task.pid = fork();
    if (task.pid == 0) {
        close(orders[1]);
        close(answers[0]);
        obey(orders[0], answers[1]);
    }
    close(orders[0]);
    close(answers[1]);
    task.orders = orders[1];
    task.answers = answers[0];
    if (folder != NULL)
        enter(folder, task.pid);
    return task;
}

static void work(const struct task *task, int pages)
{
    int done = 0;
    CHECK(write(task->orders, &pages, sizeof pages) == sizeof pages);
    CHECK(read(task->answers, &done, sizeof done) == sizeof done && done == pages);
}

static void end_task(struct task *task)
{
    int status, end = 0; /* other tasks have the pipe, too */
    CHECK(write(task->orders, &end, sizeof end) == sizeof end);
    close(task->orders);
    close(task->answers);
    CHECK(waitpid(task->pid, &status, 0) == task->pid && status == 0);
}

/* The task's own count. */
static int set_of_task(const struct task *task)
{
    int es = PAPI_NULL;
    OK(PAPI_create_eventset(&es));
    OK(PAPI_assign_eventset_component(es, 0));
    OK(PAPI_attach(es, (unsigned long)task->pid));
    OK(PAPI_add_named_event(es, FAULTS));
    return es;
}

static long long value_of(int es)
{
    long long value = -1;
    OK(PAPI_read(es, &value));
    return value;
}

/* ---- counts */

static void is_the_sum_of_its_tasks(void **state)
{
    struct task task[TASKS];
    int own[TASKS];
    (void)state;
    need_groups();
    for (int i = 0; i < TASKS; i++) {
        task[i] = start_task(i == 0 ? below : group); /* groups within it count, too */
        own[i] = set_of_task(&task[i]);
    }
    struct task other = start_task(NULL);
    int whole = set_of_group(group), inner = set_of_group(below);
    for (int round = 0; round < 3; round++) { /* with the counts of earlier starts gone */
        long long sum = 0, last = -1;
        for (int i = 0; i < TASKS; i++)
            OK(PAPI_start(own[i]));
        OK(PAPI_start(whole));
        OK(PAPI_start(inner));
        for (int i = 0; i < TASKS; i++) {
            work(&task[i], PAGES * (i + 1));
            work(&task[i], PAGES);
            work(&other, PAGES);
            test_touch_pages(PAGES);
        }
        for (int i = 0; i < TASKS; i++)
            sum += value_of(own[i]);
        CHECK(sum >= PAGES * 9);
        EQUAL(value_of(whole), sum);
        EQUAL(value_of(inner), value_of(own[0]));
        OK(PAPI_stop(whole, &last));
        EQUAL(last, sum);
        work(&task[0], PAGES);
        EQUAL(value_of(whole), sum);
        OK(PAPI_stop(inner, NULL));
        for (int i = 0; i < TASKS; i++)
            OK(PAPI_stop(own[i], NULL));
    }
    end_task(&other);
    test_drop(whole);
    test_drop(inner);
    for (int i = 0; i < TASKS; i++) {
        test_drop(own[i]);
        end_task(&task[i]);
    }
}

static void counts_while_a_task_is_in_it(void **state)
{
    long long more = 0, value = 0;
    (void)state;
    need_groups();
    struct task task = start_task(NULL);
    int own = set_of_task(&task), es = set_of_group(group);
    OK(PAPI_start(es));
    work(&task, PAGES);
    EQUAL(value_of(es), 0); /* an empty one */
    enter(group, task.pid);
    OK(PAPI_start(own));
    work(&task, PAGES);
    OK(PAPI_stop(own, &more));
    enter(tree, task.pid);
    work(&task, PAGES);
    CHECK(more >= PAGES);
    EQUAL(value_of(es), more);
    OK(PAPI_accum(es, &value));
    EQUAL(value, more);
    EQUAL(value_of(es), 0);
    OK(PAPI_stop(es, NULL));
    test_drop(es);
    test_drop(own);
    end_task(&task);
}

static void takes_events_one_by_one(void **state)
{
    long long values[3];
    (void)state;
    need_groups();
    int before = test_open_descriptors();
    struct task task = start_task(group);
    int es = set_of_group(group);
    OK(PAPI_start(es));
    work(&task, PAGES);
    OK(PAPI_stop(es, values));
    long long faults = values[0];
    OK(PAPI_add_named_event(es, MAJOR));
    OK(PAPI_add_named_event(es, MINOR));
    values[0] = -1;
    OK(PAPI_read(es, values));
    EQUAL(values[0], faults); /* what was counted stays */
    EQUAL(values[2], 0);
    OK(PAPI_remove_named_event(es, MAJOR));
    OK(PAPI_start(es));
    work(&task, PAGES);
    OK(PAPI_stop(es, values));
    CHECK(values[0] >= PAGES);
    EQUAL(values[1], values[0]);
    OK(PAPI_set_multiplex(es));
    OK(PAPI_start(es));
    work(&task, PAGES);
    OK(PAPI_stop(es, values));
    CHECK(values[0] >= PAGES);
    EQUAL(values[1], values[0]);
    test_drop(es);
    end_task(&task);
    EQUAL(test_open_descriptors(), before);
}

/* ---- which counters are opened */

static struct {
    int n, thread[64], cpu[64];
} opened;

static int note(struct perf_event_attr *attr, int thread, int cpu)
{
    if (attr->type == PERF_TYPE_SOFTWARE && attr->config == PERF_COUNT_SW_PAGE_FAULTS && opened.n < 64) {
        opened.thread[opened.n] = thread;
        opened.cpu[opened.n++] = cpu;
    }
    return 0;
}

static void one_counter_for_each_cpu(void **state)
{
    (void)state;
    need_groups();
    int cpus = (int)sysconf(_SC_NPROCESSORS_ONLN);
    if (cpus > 64)
        SKIP("this machine has more CPUs than the test looks at");
    int es = attached(group);
    opened.n = 0;
    made_machine_answer = note;
    OK(PAPI_add_named_event(es, FAULTS));
    made_machine_answer = NULL;
    EQUAL(opened.n, cpus);
    for (int i = 0; i < opened.n; i++) {
        CHECK(opened.thread[i] > 2 && opened.thread[i] == opened.thread[0]); /* the group's folder */
        CHECK(opened.cpu[i] >= 0 && (i == 0 || opened.cpu[i] > opened.cpu[i - 1]));
    }
    test_drop(es);
}

/* A folder stands for the machine's sysfs. */
static void cpus_that_come(void **state)
{
    static const char online[] = "sys/devices/system/cpu/online", events[] = "sys/kernel/uevent_seqnum";
    long long value = -1;
    (void)state;
    need_groups();
    PAPI_shutdown();
    CHECK(made_machine_create() == 0);
    made_machine_put(online, "0\n");
    made_machine_put(events, "7\n");
    test_init();
    struct task task = start_task(group);
    int es = set_of_group(group);
    OK(PAPI_start(es));
    work(&task, PAGES); /* on CPU 0 */
    CHECK(value_of(es) >= PAGES);
    long long on_0 = value_of(es);
    if (sysconf(_SC_NPROCESSORS_ONLN) > 1) { /* on and off again, as its work tells */
        work(&task, PAGES);
        usleep(200000);
        EQUAL(value_of(es), on_0);
        made_machine_put(events, "9\n");
        REFUSES(PAPI_read(es, &value), PAPI_ECLOST, "was switched on for a while");
        EQUAL(value, on_0);
    }
    made_machine_put(online, "0-1\n");
    REFUSES(PAPI_read(es, &value), PAPI_ECLOST, "CPU 1 was switched on");
    EQUAL(value, on_0); /* what was counted on the others */
    REFUSES(PAPI_stop(es, &value), PAPI_ECLOST, "CPU 1 was switched on");
    REFUSES(PAPI_start(es), PAPI_ECLOST, "CPU 1 was switched on");
    if (sysconf(_SC_NPROCESSORS_ONLN) > 1) {
        OK(PAPI_attach_cgroup(es, group));
        OK(PAPI_start(es));
        OK(PAPI_stop(es, NULL));
    }
    test_drop(es);
    end_task(&task);
    PAPI_shutdown();
    CHECK(made_machine_remove() == 0);
}

/* ---- the end of a group */

static void a_group_that_is_removed(void **state)
{
    int status;
    (void)state;
    need_groups();
    struct task task = start_task(below);
    int es = set_of_group(below);
    OK(PAPI_start(es));
    OK(PAPI_state(es, &status));
    CHECK((status & PAPI_ATTACHED) != 0 && (status & PAPI_CPU_ATTACHED) == 0);
    work(&task, PAGES);
    long long value = value_of(es);
    CHECK(value >= PAGES);
    end_task(&task);
    long long last = value_of(es);
    CHECK(last >= value);
    CHECK(rmdir(below) == 0);
    EQUAL(value_of(es), last);
    OK(PAPI_state(es, &status));
    CHECK((status & PAPI_ATTACHED) == 0);
    OK(PAPI_stop(es, &value));
    EQUAL(value, last);
    REFUSES(PAPI_start(es), PAPI_ECLOST, "was removed");
    REFUSES(PAPI_add_named_event(es, MINOR), PAPI_EINVAL, "was removed");
    OK(PAPI_detach(es));
    OK(PAPI_start(es));
    test_touch_pages(PAGES);
    OK(PAPI_stop(es, &value));
    COUNTED(value, PAGES);
    test_drop(es);
}

/* ---- refusals */

static void names(void **state)
{
    char wrong[512];
    int es = PAPI_NULL;
    (void)state;
    need_groups();
    OK(PAPI_create_eventset(&es));
    OK(PAPI_assign_eventset_component(es, 0));
    OK(PAPI_attach_cgroup(es, group + strlen(tree)));     /* as /proc/PID/cgroup has it */
    OK(PAPI_attach_cgroup(es, group + strlen(tree) + 1)); /* and without the root's "/" */
    OK(PAPI_attach_cgroup(es, below));
    snprintf(wrong, sizeof wrong, "%s/fpapi_tset_%d", tree, (int)getpid());
    REFUSES(PAPI_attach_cgroup(es, wrong), PAPI_EINVAL, group + strlen(tree));
    REFUSES(PAPI_attach_cgroup(es, "inne"), PAPI_EINVAL, below + strlen(tree));
    REFUSES(PAPI_attach_cgroup(es, "/tmp"), PAPI_EINVAL, "no control group \"/tmp\"");
    REFUSES(PAPI_attach_cgroup(es, ""), PAPI_EINVAL, "no control group");
    REFUSES(PAPI_attach_cgroup(es, NULL), PAPI_EINVAL, "NULL");
    test_drop(es);
}

static void options(void **state)
{
    PAPI_option_t option = {0};
    (void)state;
    need_groups();
    int es = set_of_group(group);
    option.granularity.eventset = es;
    OK(PAPI_get_opt(PAPI_GRANUL, &option));
    EQUAL(option.granularity.granularity, PAPI_GRN_PROCG);
    OK(PAPI_set_opt(PAPI_GRANUL, &option));
    option.cpu.eventset = es;
    EQUAL(PAPI_get_opt(PAPI_CPU_ATTACH, &option), 0);
    option.cpu.cpu_num = 0;
    REFUSES(PAPI_set_opt(PAPI_CPU_ATTACH, &option), PAPI_EINVAL, "PAPI_detach first");
    REFUSES(PAPI_attach(es, (unsigned long)getppid()), PAPI_EINVAL, "PAPI_detach first");
    option.inherit.eventset = es;
    option.inherit.inherit = PAPI_INHERIT_ALL;
    REFUSES(PAPI_set_opt(PAPI_INHERIT, &option), PAPI_EINVAL, "nothing to inherit");
    OK(PAPI_start(es));
    REFUSES(PAPI_attach_cgroup(es, below), PAPI_EISRUN, "running");
    OK(PAPI_stop(es, NULL));
    OK(PAPI_detach(es));
    REFUSES(PAPI_detach(es), PAPI_EINVAL, "not attached");
    option.cpu.eventset = es;
    option.cpu.cpu_num = 0;
    OK(PAPI_set_opt(PAPI_CPU_ATTACH, &option));
    REFUSES(PAPI_attach_cgroup(es, group), PAPI_EINVAL, "PAPI_detach first");
    OK(PAPI_detach(es));
    OK(PAPI_attach(es, (unsigned long)getppid()));
    REFUSES(PAPI_attach_cgroup(es, group), PAPI_EINVAL, "PAPI_detach first");
    OK(PAPI_detach(es));
    option.granularity.eventset = es;
    option.granularity.granularity = PAPI_GRN_THR;
    OK(PAPI_attach_cgroup(es, group));
    OK(PAPI_set_opt(PAPI_GRANUL, &option)); /* which ends it */
    REFUSES(PAPI_detach(es), PAPI_EINVAL, "not attached");
    test_drop(es);
    es = PAPI_NULL;
    OK(PAPI_create_eventset(&es));
    OK(PAPI_assign_eventset_component(es, PAPI_get_component_index("net")));
    CODE(PAPI_attach_cgroup(es, group), PAPI_ECMP);
    test_drop(es);
}

static int refused_with;

static int refuse(struct perf_event_attr *attr, int thread, int cpu)
{
    (void)thread;
    return attr->config == PERF_COUNT_SW_PAGE_FAULTS && cpu >= 0 ? refused_with : 0;
}

/* An event that the kernel counts, but not there. */
static void counters_that_are_refused(void **state)
{
    long long value = -1;
    (void)state;
    need_groups();
    int es = test_set(FAULTS, NULL);
    made_machine_answer = refuse;
    refused_with = ENOENT;
    CODE(PAPI_attach_cgroup(es, group), PAPI_ENOEVNT);
    refused_with = EBUSY;
    CODE(PAPI_attach_cgroup(es, group), PAPI_ECNFLCT);
    made_machine_answer = NULL;
    OK(PAPI_start(es)); /* as before */
    test_touch_pages(PAGES);
    OK(PAPI_stop(es, &value));
    COUNTED(value, PAGES);
    test_drop(es);
}

static void as_nobody(void *unused)
{
    int es = PAPI_NULL;
    (void)unused;
    CHECK(setgid(65534) == 0 && setuid(65534) == 0);
    test_init();
    OK(PAPI_create_eventset(&es));
    OK(PAPI_assign_eventset_component(es, 0));
    REFUSES(PAPI_attach_cgroup(es, group), PAPI_EPERM, "counting a control group needs 0");
    CODE(PAPI_attach_cgroup(es, group), PAPI_EPERM);
}

static void rights(void **state)
{
    int paranoid = 0;
    FILE *file = fopen("/proc/sys/kernel/perf_event_paranoid", "r");
    (void)state;
    need_groups();
    PAPI_shutdown();
    if (file == NULL || fscanf(file, "%d", &paranoid) != 1 || paranoid < 1 || geteuid() != 0)
        SKIP("everybody may count whole CPUs here, or this user may not be another one");
    fclose(file);
    test_in_child(as_nobody, NULL);
}

#define MADE(test) cmocka_unit_test_setup_teardown(test, make_groups, remove_groups)

int main(void)
{
    const struct CMUnitTest tests[] = {
        MADE(is_the_sum_of_its_tasks),
        MADE(counts_while_a_task_is_in_it),
        MADE(takes_events_one_by_one),
        MADE(one_counter_for_each_cpu),
        MADE(cpus_that_come),
        MADE(a_group_that_is_removed),
        MADE(names),
        MADE(options),
        MADE(counters_that_are_refused),
        MADE(rights),
    };
    find_tree();
    return TEST_RUN(tests);
}
