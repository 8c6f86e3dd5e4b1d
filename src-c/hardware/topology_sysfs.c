/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/sysroot.h"
#include "hardware/parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CPUS "/sys/devices/system/cpu/"
#define NODES "/sys/devices/system/node/"

/* More indexes than any processor has caches. */
#define MAX_CACHES 16

static int read_list(struct reading *from, const char *path, struct cpulist *out)
{
    int code = cpulist_read(from->root, path, out);
    if (code != 0)
        reading_failed(from);
    return code;
}

/* The CPUs that share something with one; 0: the kernel does not tell. The files have two names. */
static int sharers(struct reading *from, int cpu, const char *name, const char *older_name,
                   struct cpulist *out)
{
    const char *names[] = {name, older_name};
    for (int i = 0; i < 2; i++) {
        char path[128];
        snprintf(path, sizeof path, CPUS "cpu%d/topology/%s", cpu, names[i]);
        if (read_list(from, path, out) == 0 && cpulist_has(out, cpu))
            return cpulist_count(out);
    }
    return 0;
}

/* Each core and each package is counted at the first of its CPUs. */
static void count_cpu(struct reading *from, int cpu, struct counts *n)
{
    struct cpulist list;
    int threads = sharers(from, cpu, "core_cpus_list", "thread_siblings_list", &list);
    if (threads == 0 || cpulist_next(&list, 0) == cpu)
        n->cores++;
    if (threads > n->threads)
        n->threads = threads;
    if (sharers(from, cpu, "package_cpus_list", "core_siblings_list", &list) > 0 &&
        cpulist_next(&list, 0) == cpu)
        n->sockets++;
}

static void count_nodes(struct reading *from, int first_cpu, struct counts *n)
{
    struct cpulist nodes, cpus;
    if (read_list(from, NODES "online", &nodes) != 0)
        return;
    n->nodes = cpulist_count(&nodes);
    for (int node = cpulist_next(&nodes, 0); node >= 0; node = cpulist_next(&nodes, node + 1)) {
        char path[128];
        snprintf(path, sizeof path, NODES "node%d/cpulist", node);
        if (read_list(from, path, &cpus) == 0 && cpulist_has(&cpus, first_cpu)) {
            n->node_cpus = cpulist_count(&cpus);
            return;
        }
    }
}

static int cache_type(const char *text)
{
    if (strcmp(text, "Instruction") == 0)
        return PAPI_MH_TYPE_INST;
    if (strcmp(text, "Data") == 0)
        return PAPI_MH_TYPE_DATA;
    return PAPI_MH_TYPE_UNIFIED;
}

/* A file of one cache; 0 where it is missing, as some firmware leaves it. */
static long long cache_number(struct reading *from, int cpu, int index, const char *name)
{
    char path[128];
    long long value = 0;
    snprintf(path, sizeof path, CPUS "cpu%d/cache/index%d/%s", cpu, index, name);
    if (sysroot_number(from->root, path, &value) != 0)
        reading_failed(from);
    return value > 0 ? value : 0;
}

static int read_word(struct reading *from, const char *path, char *out, size_t size)
{
    int length = sysroot_line(from->root, path, out, size);
    if (length < 0)
        reading_failed(from);
    return length;
}

/* The size in bytes: the kernel writes 48K, and no other unit. A real cache has less than 2^30 KB. */
static long long cache_size(struct reading *from, int cpu, int index)
{
    char path[128], text[32], *end;
    snprintf(path, sizeof path, CPUS "cpu%d/cache/index%d/size", cpu, index);
    if (read_word(from, path, text, sizeof text) <= 0)
        return 0;
    long long kilobytes = strtoll(text, &end, 10);
    return strcmp(end, "K") == 0 && kilobytes > 0 && kilobytes < 1 << 30 ? kilobytes * 1024 : 0;
}

static void add_caches(struct reading *from, int cpu, PAPI_mh_info_t *mh)
{
    for (int i = 0; i < MAX_CACHES; i++) {
        char path[128], type[32];
        long long level = cache_number(from, cpu, i, "level");
        snprintf(path, sizeof path, CPUS "cpu%d/cache/index%d/type", cpu, i);
        if (level == 0 || level > PAPI_MAX_MEM_HIERARCHY_LEVELS ||
            read_word(from, path, type, sizeof type) <= 0)
            continue;
        cache_add(mh, (int)level, cache_type(type), cache_size(from, cpu, i),
                  cache_number(from, cpu, i, "coherency_line_size"),
                  cache_number(from, cpu, i, "ways_of_associativity"));
    }
}

int topology_sysfs(struct reading *from, struct counts *n, PAPI_mh_info_t *mh)
{
    memset(n, 0, sizeof *n);
    struct cpulist online;
    if (read_list(from, CPUS "online", &online) != 0 && read_list(from, CPUS "present", &online) != 0)
        return -1;
    n->cpus = cpulist_count(&online);
    for (int cpu = cpulist_next(&online, 0); cpu >= 0; cpu = cpulist_next(&online, cpu + 1))
        count_cpu(from, cpu, n);
    int first = cpulist_next(&online, 0);
    count_nodes(from, first, n);
    add_caches(from, first, mh);
    return 0;
}
