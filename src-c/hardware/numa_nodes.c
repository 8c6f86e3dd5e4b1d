/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/sysroot.h"
#include "hardware/hardware.h"
#include "hardware/parts.h"

#include <stdio.h>

#define NODES "/sys/devices/system/node/"

/* The kernel's number of the index-th node; -1: none, or no such files. */
static int node_at(const char *root, int index)
{
    struct cpulist nodes;
    int node = -1;
    if (index < 0 || cpulist_read(root, NODES "online", &nodes) != 0)
        return -1;
    do
        node = cpulist_next(&nodes, node + 1);
    while (node >= 0 && index-- > 0);
    return node;
}

/* "Node 0 MemTotal: 123 kB", without the node in the file of the whole machine. */
static long long total_kilobytes(const char *root, const char *path)
{
    char line[256];
    long long total = -1;
    FILE *in = sysroot_open(root, path);
    if (in == NULL)
        return -1;
    while (total < 0 && fgets(line, sizeof line, in) != NULL)
        if (sscanf(line, "Node %*d MemTotal: %lld", &total) != 1 &&
            sscanf(line, "MemTotal: %lld", &total) != 1)
            total = -1;
    fclose(in);
    return total;
}

long long node_megabytes(const char *root, int index)
{
    char path[128] = "/proc/meminfo";
    int node = node_at(root, index);
    if (node < 0 && index != 0)
        return -1;
    if (node >= 0)
        snprintf(path, sizeof path, NODES "node%d/meminfo", node);
    long long kilobytes = total_kilobytes(root, path);
    return kilobytes < 0 ? -1 : kilobytes / 1024;
}

bool node_list(struct reading *from, int node, struct cpulist *cpus)
{
    return reading_list(from, cpus, NODES "node%d/cpulist", node);
}

int node_cpus(const char *root, int index)
{
    struct reading from = {.root = root};
    struct cpulist cpus;
    int node = node_at(root, index);
    if (node < 0)
        return -1;
    /* A node may have memory alone. */
    return node_list(&from, node, &cpus) ? cpulist_count(&cpus) : 0;
}

int node_of_cpu(const char *root, int cpu)
{
    struct reading from = {.root = root};
    struct cpulist cpus;
    int node;
    for (int index = 0; (node = node_at(root, index)) >= 0; index++)
        if (node_list(&from, node, &cpus) && cpulist_has(&cpus, cpu))
            return index;
    return -1;
}
