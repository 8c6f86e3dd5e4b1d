/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Resources that the control group of this process, a job's or a container's, uses and may use,
 * "cgroup:::memory:usage".
 */
#include "base/sysroot.h"
#include "components/components.h"
#include "components/file_group.h"
#include "papi.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Documentation/admin-guide/cgroup-v2.rst and cgroup-v1: the second has a tree for each controller. */
#define GROUPS "/sys/fs/cgroup"
#define MEMBERSHIP "/proc/self/cgroup"

#define BYTES .unit = "bytes", .level = true

TEXT_ROWS_BEGIN
static const struct {
    char controller[8]; /* "": version 2's one tree */
    struct event_row row;
} values[] = {
    {"",
     {"cpu:usage", "Processor time used by %s", .file = "/cpu.stat", .line = "usage_usec", .unit = "ns",
      .times = 1000}},
    {"",
     {"cpu:user", "Processor time used by programs of %s", .file = "/cpu.stat", .line = "user_usec",
      .unit = "ns", .times = 1000}},
    {"",
     {"cpu:system", "Processor time used by the kernel for %s", .file = "/cpu.stat", .line = "system_usec",
      .unit = "ns", .times = 1000}},
    {"",
     {"cpu:periods", "Periods of the limit of processor time of %s", .file = "/cpu.stat",
      .line = "nr_periods"}},
    {"",
     {"cpu:throttled_periods", "Periods in which %s used up its limit of processor time", .file = "/cpu.stat",
      .line = "nr_throttled"}},
    {"",
     {"cpu:throttled", "Time in which %s waited, having used up its limit of processor time",
      .file = "/cpu.stat", .line = "throttled_usec", .unit = "ns", .times = 1000}},
    {"",
     {"cpu:limit", "Processor time that %s may use in a period, -1: any", .file = "/cpu.max", .unit = "us",
      .level = true}},
    {"",
     {"cpu:period", "The period of the limit of processor time of %s", .file = "/cpu.max", .word = 1,
      .unit = "us", .level = true}},
    {"", {"memory:usage", "Memory that %s uses", BYTES, .file = "/memory.current"}},
    {"", {"memory:peak", "The most memory that %s has used", BYTES, .file = "/memory.peak"}},
    {"", {"memory:limit", "Memory that %s may use, -1: any", BYTES, .file = "/memory.max"}},
    {"", {"memory:swap", "Swap space that %s uses", BYTES, .file = "/memory.swap.current"}},
    {"",
     {"memory:oom_kills", "Processes of %s that were killed for lack of memory", .file = "/memory.events",
      .line = "oom_kill"}},
    {"",
     {"io:read_bytes", "Bytes that disks read for %s", .file = "/io.stat",
      .label = "rbytes=", .unit = "bytes"}},
    {"",
     {"io:write_bytes", "Bytes that disks wrote for %s", .file = "/io.stat",
      .label = "wbytes=", .unit = "bytes"}},
    {"",
     {"io:reads", "Requests to read that disks completed for %s", .file = "/io.stat",
      .label = "rios=", .unit = "requests"}},
    {"",
     {"io:writes", "Requests to write that disks completed for %s", .file = "/io.stat",
      .label = "wios=", .unit = "requests"}},
    {"", {"processes", "Processes and threads of %s", .file = "/pids.current", .level = true}},
    {"cpuacct", {"cpu:usage", "Processor time used by %s", .file = "/cpuacct.usage", .unit = "ns"}},
    {"cpuacct",
     {"cpu:user", "Processor time used by programs of %s", .file = "/cpuacct.usage_user", .unit = "ns"}},
    {"cpuacct",
     {"cpu:system", "Processor time used by the kernel for %s", .file = "/cpuacct.usage_sys", .unit = "ns"}},
    {"cpu",
     {"cpu:periods", "Periods of the limit of processor time of %s", .file = "/cpu.stat",
      .line = "nr_periods"}},
    {"cpu",
     {"cpu:throttled_periods", "Periods in which %s used up its limit of processor time", .file = "/cpu.stat",
      .line = "nr_throttled"}},
    {"cpu",
     {"cpu:throttled", "Time in which %s waited, having used up its limit of processor time",
      .file = "/cpu.stat", .line = "throttled_time", .unit = "ns"}},
    {"cpu",
     {"cpu:limit", "Processor time that %s may use in a period, -1: any", .file = "/cpu.cfs_quota_us",
      .unit = "us", .level = true}},
    {"cpu",
     {"cpu:period", "The period of the limit of processor time of %s", .file = "/cpu.cfs_period_us",
      .unit = "us", .level = true}},
    {"memory", {"memory:usage", "Memory that %s uses", BYTES, .file = "/memory.usage_in_bytes"}},
    {"memory",
     {"memory:peak", "The most memory that %s has used", BYTES, .file = "/memory.max_usage_in_bytes"}},
    {"memory", {"memory:limit", "Memory that %s may use, -1: any", BYTES, .file = "/memory.limit_in_bytes"}},
    {"memory",
     {"memory:oom_kills", "Processes of %s that were killed for lack of memory",
      .file = "/memory.oom_control", .line = "oom_kill"}},
    {"pids", {"processes", "Processes and threads of %s", .file = "/pids.current", .level = true}},
};
TEXT_ROWS_END

enum { VALUES = sizeof values / sizeof *values };

/* ---- membership */

/* True if a list "cpu,cpuacct" has a controller; version 2's line has an empty list. */
static bool has_controller(const char *list, const char *controller)
{
    size_t length = strlen(controller);
    for (; *list != '\0'; list += strcspn(list, ",") + (list[strcspn(list, ",")] == ','))
        if (strncmp(list, controller, length) == 0 && (list[length] == ',' || list[length] == '\0'))
            return true;
    return false;
}

/* Splits a line of /proc/self/cgroup, "4:memory:/job1", at its colons. False: it has not two. */
static bool split(char *line, const char **controllers, const char **path)
{
    char *first = strchr(line, ':'), *second = first != NULL ? strchr(first + 1, ':') : NULL;
    if (second == NULL)
        return false;
    *second = '\0';
    *controllers = first + 1;
    *path = second + 1;
    return true;
}

/* Finds the folder of a group in a tree. A container's processes see the tree from their own group on, which
 * is its root there, and the path as the machine has it. */
static void find_folder(const char *root, const char *tree, const char *path, char *folder, size_t size)
{
    char whole[PATH_MAX];
    snprintf(folder, size, "%s%s", tree, strcmp(path, "/") != 0 ? path : "");
    if (sysroot_path(root, folder, whole, sizeof whole) != 0 || access(whole, F_OK) != 0)
        snprintf(folder, size, "%s", tree);
}

/* Version 2 beside version 1 is mounted on "unified" and has no controllers. */
static int add_group(const struct files_list *to, const char *controllers, const char *path,
                     struct reason *why)
{
    int code = PAPI_OK;
    for (int i = 0; i < VALUES && code == PAPI_OK; i++) {
        char tree[64] = GROUPS, folder[PATH_MAX];
        const char *controller = values[i].controller;
        if (controller[0] != '\0' ? !has_controller(controllers, controller) : controllers[0] != '\0')
            continue;
        if (controller[0] != '\0')
            snprintf(tree, sizeof tree, GROUPS "/%s", controller);
        find_folder(to->root, tree, path, folder, sizeof folder);
        if (event_list_find(to->list, values[i].row.name) < 0)
            code = files_add_row(to, &values[i].row, folder, values[i].row.name,
                                 "this process's control group", why);
    }
    return code;
}

static int visit_line(void *to, char *line, struct reason *why)
{
    const char *controllers, *path;
    return split(line, &controllers, &path) ? add_group(to, controllers, path, why) : PAPI_OK;
}

static int list(const char *root, struct event_list *list, struct reason *why)
{
    struct files_list to = {root, list};
    return files_lines(root, MEMBERSHIP, visit_line, &to, why);
}

static void discover(struct pmu_table *pmus, struct component_state *state)
{
    files_discover(pmus, state, GROUPS, "", "control groups");
}

const struct component cgroup_component = {
    FILES_MEMBERS("cgroup"),
    .granularity = PAPI_GRN_PROCG,
    .check_options = file_check_options,
    .description = "What the control group of this process (a job, a container) uses and may use",
    .list = list,
    .discover = discover,
};
