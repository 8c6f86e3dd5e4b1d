/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Pages of memory that programs got, by NUMA node, "numa:::node0:numa_miss".
 */
#include "components/components.h"
#include "components/file_group.h"
#include "papi.h"

#include <limits.h>
#include <stdio.h>

/* Documentation/admin-guide/numastat.rst says what each line counts. */
#define NODES "/sys/devices/system/node"

TEXT_ROWS_BEGIN
static const struct event_row counts[] = {
    {"numa_hit", "Pages that programs wanted from %s and got there", .file = "numastat", .line = "numa_hit",
     .unit = "pages"},
    {"numa_miss", "Pages that programs got from %s and wanted from another node", .file = "numastat",
     .line = "numa_miss", .unit = "pages"},
    {"numa_foreign", "Pages that programs wanted from %s and got from another node", .file = "numastat",
     .line = "numa_foreign", .unit = "pages"},
    {"interleave_hit", "Pages of interleaved memory that were wanted from %s and got there",
     .file = "numastat", .line = "interleave_hit", .unit = "pages"},
    {"local_node", "Pages of %s that programs on it got", .file = "numastat", .line = "local_node",
     .unit = "pages"},
    {"other_node", "Pages of %s that programs on other nodes got", .file = "numastat", .line = "other_node",
     .unit = "pages"},
};
TEXT_ROWS_END

static int add_node(void *to, const char *node, struct reason *why)
{
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, NODES "/%s/", node);
    return files_add_rows(to, counts, sizeof counts / sizeof *counts, folder, node, why);
}

static int list(const char *root, struct event_list *list, struct reason *why)
{
    struct files_list to = {root, list};
    return files_each(root, NODES, "node", add_node, &to, why);
}

static void discover(struct pmu_table *pmus, struct component_state *state)
{
    files_discover(pmus, state, NODES, "node", "the NUMA nodes");
}

const struct component numa_component = {
    FILES_COMPONENT("numa"),
    .description = "From which NUMA nodes programs got their memory",
    .list = list,
    .discover = discover,
};
