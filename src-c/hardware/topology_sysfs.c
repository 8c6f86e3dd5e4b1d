/* SPDX-License-Identifier: BSD-3-Clause */
#include "hardware/parts.h"

#include <stdlib.h>
#include <string.h>

#define CPUS "/sys/devices/system/cpu/"
#define NODES "/sys/devices/system/node/"

/* More indexes than any processor has caches. */
#define MAX_CACHES 16

/* The CPUs that share something with one; 0: the kernel does not tell. The files have two names. */
static int sharers(struct reading *from, int cpu, const char *name, const char *older_name,
                   struct cpulist *out)
{
    const char *names[] = {name, older_name};
    for (int i = 0; i < 2; i++)
        if (reading_list(from, out, CPUS "cpu%d/topology/%s", cpu, names[i]) && cpulist_has(out, cpu))
            return cpulist_count(out);
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
    if (!reading_list(from, &nodes, NODES "online"))
        return;
    n->nodes = cpulist_count(&nodes);
    for (int node = cpulist_next(&nodes, 0); node >= 0 && n->node_cpus == 0;
         node = cpulist_next(&nodes, node + 1))
        if (node_list(from, node, &cpus) && cpulist_has(&cpus, first_cpu))
            n->node_cpus = cpulist_count(&cpus);
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
    long long value = reading_number(from, CPUS "cpu%d/cache/index%d/%s", cpu, index, name);
    return value > 0 ? value : 0;
}

/* The size in bytes: the kernel writes 48K, and no other unit. A real cache has less than 2^30 KB. */
static long long cache_size(struct reading *from, int cpu, int index)
{
    char text[32], *end;
    if (!reading_text(from, text, sizeof text, CPUS "cpu%d/cache/index%d/size", cpu, index))
        return 0;
    long long kilobytes = strtoll(text, &end, 10);
    return strcmp(end, "K") == 0 && kilobytes > 0 && kilobytes < 1 << 30 ? kilobytes * 1024 : 0;
}

static void add_caches(struct reading *from, int cpu, PAPI_mh_info_t *mh)
{
    for (int i = 0; i < MAX_CACHES; i++) {
        char type[32];
        long long level = cache_number(from, cpu, i, "level");
        if (level == 0 || level > PAPI_MAX_MEM_HIERARCHY_LEVELS ||
            !reading_text(from, type, sizeof type, CPUS "cpu%d/cache/index%d/type", cpu, i))
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
    if (!reading_list(from, &online, CPUS "online") && !reading_list(from, &online, CPUS "present"))
        return -1;
    n->cpus = cpulist_count(&online);
    for (int cpu = cpulist_next(&online, 0); cpu >= 0; cpu = cpulist_next(&online, cpu + 1))
        count_cpu(from, cpu, n);
    int first = cpulist_next(&online, 0);
    count_nodes(from, first, n);
    add_caches(from, first, mh);
    return 0;
}
