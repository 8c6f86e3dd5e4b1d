/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/trust.h"
#include "hardware/parts.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

static int clamp(long long value)
{
    if (value < 0)
        return 0;
    return value > INT_MAX ? INT_MAX : (int)value;
}

/* Where a cache of that type goes: instruction before data before unified, as their numbers are. -1:
 * it is known already, or there is no place. */
static int cache_place(const PAPI_mh_level_t *level, int type)
{
    int i = 0;
    while (i < PAPI_MH_MAX_LEVELS && level->cache[i].type != PAPI_MH_TYPE_EMPTY &&
           level->cache[i].type < type)
        i++;
    if (i == PAPI_MH_MAX_LEVELS || level->cache[i].type == type ||
        level->cache[PAPI_MH_MAX_LEVELS - 1].type != PAPI_MH_TYPE_EMPTY)
        return -1;
    return i;
}

void cache_add(PAPI_mh_info_t *mh, int level, int type, long long size, long long line, long long ways)
{
    if (level < 1 || level > PAPI_MAX_MEM_HIERARCHY_LEVELS)
        return;
    PAPI_mh_cache_info_t *caches = mh->level[level - 1].cache;
    int i = cache_place(&mh->level[level - 1], type);
    if (i < 0)
        return;
    memmove(&caches[i + 1], &caches[i], (size_t)(PAPI_MH_MAX_LEVELS - 1 - i) * sizeof *caches);
    caches[i] = (PAPI_mh_cache_info_t){
        .type = type,
        .size = clamp(size),
        .line_size = clamp(line),
        .num_lines = line > 0 ? clamp(size / line) : 0,
        .associativity = ways == -1 || ways > SHRT_MAX ? SHRT_MAX : clamp(ways),
    };
    if (level > mh->levels)
        mh->levels = level;
}

/* C libraries other than glibc may not know caches. */
void caches_libc(PAPI_mh_info_t *mh)
{
#ifdef _SC_LEVEL1_ICACHE_SIZE
    static const struct {
        int level, type, size, line, ways;
    } table[] = {
        {1, PAPI_MH_TYPE_INST, _SC_LEVEL1_ICACHE_SIZE, _SC_LEVEL1_ICACHE_LINESIZE, _SC_LEVEL1_ICACHE_ASSOC},
        {1, PAPI_MH_TYPE_DATA, _SC_LEVEL1_DCACHE_SIZE, _SC_LEVEL1_DCACHE_LINESIZE, _SC_LEVEL1_DCACHE_ASSOC},
        {2, PAPI_MH_TYPE_UNIFIED, _SC_LEVEL2_CACHE_SIZE, _SC_LEVEL2_CACHE_LINESIZE, _SC_LEVEL2_CACHE_ASSOC},
        {3, PAPI_MH_TYPE_UNIFIED, _SC_LEVEL3_CACHE_SIZE, _SC_LEVEL3_CACHE_LINESIZE, _SC_LEVEL3_CACHE_ASSOC},
        {4, PAPI_MH_TYPE_UNIFIED, _SC_LEVEL4_CACHE_SIZE, _SC_LEVEL4_CACHE_LINESIZE, _SC_LEVEL4_CACHE_ASSOC},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        long size = sysconf(table[i].size);
        if (size > 0)
            cache_add(mh, table[i].level, table[i].type, size, sysconf(table[i].line),
                      clamp(sysconf(table[i].ways)));
    }
#else
    (void)mh;
#endif
}

/* The two numbers of the first processor give the rest; without them each CPU is a core. */
int topology_cpuinfo(struct reading *from, struct counts *n)
{
    struct cpuinfo cpu;
    memset(n, 0, sizeof *n);
    if (cpuinfo_read(from->root, CPUINFO_ALL, &cpu) != 0)
        reading_failed(from);
    n->cpus = cpu.n_read;
    int siblings = cpuinfo_number(&cpu, "siblings"), cores = cpuinfo_number(&cpu, "cpu cores");
    if (cores > 0 && siblings >= cores && siblings <= n->cpus) {
        n->threads = siblings / cores;
        n->sockets = n->cpus / siblings;
        n->cores = cores * n->sockets;
    }
    return n->cpus > 0 ? 0 : -1;
}

static void count(struct reading *from, struct counts *n, PAPI_mh_info_t *mh)
{
    /* hwloc loads, reads and prints what its own variables name, whoever set them. */
    if (trust_environment() && topology_hwloc(from, n, mh) == 0)
        return;
    memset(mh, 0, sizeof *mh);
    if (topology_sysfs(from, n, mh) == 0 || topology_cpuinfo(from, n) == 0)
        return;
    memset(n, 0, sizeof *n);
    if (from->root[0] == '\0') {
        long online = sysconf(_SC_NPROCESSORS_ONLN);
        n->cpus = online > 0 ? (int)online : 1; /* something runs this */
    }
}

/* Per-socket and per-node numbers. Where the sockets differ, a socket's cores are the rounded mean. */
static void divide(const struct counts *n, PAPI_hw_info_t *info)
{
    if (n->cpus == 0)
        return;
    int cores = n->cores > 0 ? n->cores : n->cpus;
    info->totalcpus = n->cpus;
    info->sockets = n->sockets > 0 ? n->sockets : 1;
    info->nnodes = n->nodes > 0 ? n->nodes : 1;
    info->threads = n->threads > 0 ? n->threads : 1;
    info->cores = cores > info->sockets ? (cores + info->sockets / 2) / info->sockets : 1;
    info->ncpu = n->node_cpus > 0 ? n->node_cpus : n->cpus / info->nnodes;
}

void topology_fill(struct reading *from, PAPI_hw_info_t *info)
{
    struct counts n;
    count(from, &n, &info->mem_hierarchy);
    divide(&n, info);
    if (info->mem_hierarchy.levels == 0 && from->root[0] == '\0' && !n.elsewhere)
        caches_libc(&info->mem_hierarchy);
    if (from->root[0] == '\0' && !n.elsewhere)
        tlb_fill(info);
}
