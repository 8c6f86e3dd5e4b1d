/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Checks what a rank finds out about its node, from files as other machines have them.
 */
#include "rank/machine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char root[] = "/tmp/papi_machine_test.XXXXXX";

static void run(const char *command)
{
    assert_int_equal(system(command), 0);
}

static void put(const char *path, const char *text)
{
    char command[512], whole[256];
    snprintf(command, sizeof command, "mkdir -p \"$(dirname '%s%s')\"", root, path);
    run(command);
    snprintf(whole, sizeof whole, "%s%s", root, path);
    FILE *file = fopen(whole, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static int empty(void **state)
{
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s && mkdir %s", root, root);
    run(command);
    return 0;
}

static int gone(void **state)
{
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", root);
    run(command);
    return 0;
}

#define MEMINFO "MemTotal:       1000 kB\nMemFree:         10 kB\n"

static void nothing_there(void **unused)
{
    (void)unused;
    assert_int_equal(machine_memory(root), 0);
    assert_int_equal(machine_frequency(root, 0), 0);
}

static void memory_of_the_node(void **unused)
{
    (void)unused;
    put("/proc/meminfo", MEMINFO);
    assert_int_equal(machine_memory(root), 1024000);
    put("/proc/self/cgroup", "0::/\n");
    assert_int_equal(machine_memory(root), 1024000);
}

/* The limit is that of the job, the group is one of its steps. */
static void limit_above_the_group(void **unused)
{
    (void)unused;
    put("/proc/meminfo", MEMINFO);
    put("/proc/self/cgroup", "0::/slurm/job_7/step_0\n");
    put("/sys/fs/cgroup/slurm/job_7/step_0/memory.max", "max\n");
    put("/sys/fs/cgroup/slurm/job_7/memory.max", "500000\n");
    assert_int_equal(machine_memory(root), 500000);
    put("/sys/fs/cgroup/slurm/memory.max", "400000\n");
    assert_int_equal(machine_memory(root), 400000);
    put("/sys/fs/cgroup/slurm/memory.max", "9000000\n"); /* more than there is */
    put("/sys/fs/cgroup/slurm/job_7/memory.max", "max\n");
    assert_int_equal(machine_memory(root), 1024000);
}

static void version_1(void **unused)
{
    (void)unused;
    put("/proc/meminfo", MEMINFO);
    put("/proc/self/cgroup", "8:pids:/job\n4:memory:/job\n0::/\n");
    put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    put("/sys/fs/cgroup/memory/job/memory.limit_in_bytes", "300000\n");
    put("/sys/fs/cgroup/pids/job/memory.limit_in_bytes", "1\n");
    assert_int_equal(machine_memory(root), 300000);
}

/* A process in a container sees its own group as the root of the tree. */
static void in_a_container(void **unused)
{
    (void)unused;
    put("/proc/meminfo", MEMINFO);
    put("/proc/self/cgroup", "0::/docker/3f2a\n");
    put("/sys/fs/cgroup/memory.max", "200000\n");
    assert_int_equal(machine_memory(root), 200000);
}

static void frequency_of_a_cpu(void **unused)
{
    (void)unused;
    put("/sys/devices/system/cpu/cpu3/cpufreq/scaling_cur_freq", "2450000\n");
    assert_true(machine_frequency(root, 3) == 2450000000u);
    assert_int_equal(machine_frequency(root, 0), 0);
    put("/sys/devices/system/cpu/cpu3/cpufreq/scaling_cur_freq", "<unknown>\n");
    assert_int_equal(machine_frequency(root, 3), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(nothing_there, empty),
        cmocka_unit_test_setup(memory_of_the_node, empty),
        cmocka_unit_test_setup(limit_above_the_group, empty),
        cmocka_unit_test_setup(version_1, empty),
        cmocka_unit_test_setup(in_a_container, empty),
        cmocka_unit_test_setup(frequency_of_a_cpu, empty),
    };
    if (mkdtemp(root) == NULL)
        return 1;
    return cmocka_run_group_tests(tests, NULL, gone);
}
