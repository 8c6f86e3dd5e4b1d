/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Control groups of a node, which it has none of before.
 */
#pragma once

#include "node_names.h"
#include "node_test.h"

#include <stdbool.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/types.h>

#define TREE "/tmp/cgroups"
#define JOB TREE "/job"
#define INNER JOB "/inner"

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

/* Moves a process into a group. */
static void enter(const char *group, pid_t pid)
{
    char path[128], number[24];
    snprintf(path, sizeof path, "%s/cgroup.procs", group);
    snprintf(number, sizeof number, "%d", (int)pid);
    write_text(path, number);
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

/* A set that counts the instructions of a group. */
static int set_of_group(void)
{
    int es = PAPI_NULL;
    NEED(PAPI_create_eventset(&es));
    NEED(PAPI_assign_eventset_component(es, 0));
    NEED(PAPI_attach_cgroup(es, JOB));
    NEED(PAPI_add_named_event(es, NODE_INSTRUCTIONS));
    return es;
}
