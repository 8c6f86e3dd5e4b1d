/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sockets, cores, threads, NUMA nodes and caches. Four sources are asked in turn, and the first that answers
 * gives all counts, so that they fit together: hwloc, if it is installed, which knows most machines; the
 * files of sysfs, counting each core and each package at the first of its CPUs, which is right however CPUs
 * are numbered; /proc/cpuinfo, of which two numbers of the first processor give the rest; and the number of
 * CPUs that the C library knows. Caches that none of these has come from the C library.
 * PAPI's structure has one number of cores for all sockets, and one of CPUs for all nodes. Where they differ,
 * as in a machine with a socket that is partly switched off, cores are the rounded mean. Numbers that cannot
 * be found out are as if there was one of each.
 */
#include "base/load.h"
#include "base/sysroot.h"
#include "base/text_rows.h"
#include "base/trust.h"
#include "hardware/hardware.h"
#include "hardware/parts.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int clamp(long long value)
{
    if (value < 0)
        return 0;
    return value > INT_MAX ? INT_MAX : (int)value;
}

/* The place of a cache of that type: instruction before data before unified, as their numbers are. -1: it is
 * known already, or there is no room. */
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

/* Adds the caches that libc knows; C libraries other than glibc may know none. */
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

/* Counts by /proc/cpuinfo: two numbers of the first processor give the rest; without them each CPU is a
 * core. */
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
    /* hwloc is asked only if the environment is trusted: it loads, reads and prints what its own variables
     * name, whoever set them. */
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

/* Computes numbers for each socket and node. Where the sockets differ, a socket's cores are the rounded
 * mean. */
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

/* ---- from sysfs */

#define CPUS "/sys/devices/system/cpu/"
#define NODES "/sys/devices/system/node/"

/* The most caches of a CPU that are looked at: more than any processor has. */
#define MAX_CACHES 16

/* The number of CPUs that share something with one; 0: the kernel does not say. The files have two names. */
static int sharers(struct reading *from, int cpu, const char *name, const char *older_name,
                   struct cpulist *out)
{
    const char *names[] = {name, older_name};
    for (int i = 0; i < 2; i++)
        if (reading_list(from, out, CPUS "cpu%d/topology/%s", cpu, names[i]) && cpulist_has(out, cpu))
            return cpulist_count(out);
    return 0;
}

/* Counts a CPU; each core and each package is counted at the first of its CPUs. */
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

/* ---- NUMA nodes */

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

/* ---- hwloc */

/* A cross compiler without the header of its target still builds the library, which then reads
 * sysfs itself. */
#if __has_include(<hwloc/autogen/config.h>)
#include <dlfcn.h>
#include <errno.h>
#include <hwloc.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* The library with the interface of hwloc 2.x. */
#define HWLOC_LIBRARY "libhwloc.so.15"

/* Functions of hwloc that are used, with its own types. None of its inline helpers may be used here: they
 * would make the linker ask for the library. */
#define FUNCTIONS(FUNCTION)                                                                                  \
    FUNCTION(topology_init)                                                                                  \
    FUNCTION(topology_destroy)                                                                               \
    FUNCTION(topology_load)                                                                                  \
    FUNCTION(topology_set_flags)                                                                             \
    FUNCTION(topology_set_components)                                                                        \
    FUNCTION(topology_set_xml)                                                                               \
    FUNCTION(topology_set_icache_types_filter)                                                               \
    FUNCTION(topology_is_thissystem)                                                                         \
    FUNCTION(get_type_depth)                                                                                 \
    FUNCTION(get_nbobjs_by_depth)                                                                            \
    FUNCTION(get_obj_by_depth)                                                                               \
    FUNCTION(bitmap_weight)                                                                                  \
    FUNCTION(bitmap_isset)

struct hwloc {
    void *library;
    hwloc_topology_t topology;
#define MEMBER(name) __typeof__(hwloc_##name) *name;
    FUNCTIONS(MEMBER)
};

TEXT_ROWS_BEGIN
static const struct load_symbol symbols[] = {
#define SYMBOL(name) {"hwloc_" #name, offsetof(struct hwloc, name)},
    FUNCTIONS(SYMBOL)};
TEXT_ROWS_END

static bool open_hwloc(struct hwloc *h)
{
    errno = 0; /* which tells a library that is not there from one that cannot be loaded now */
    h->library = dlopen(HWLOC_LIBRARY, RTLD_LAZY | RTLD_LOCAL);
    if (h->library == NULL || load_symbols(h->library, symbols, sizeof symbols / sizeof *symbols, h))
        return h->library != NULL;
    dlclose(h->library);
    errno = ENOSYS;
    return false;
}

/* All CPUs of the machine, also those outside this process's cgroup. What is not needed is left
 * out, since each part read is time and may be one that firmware described incorrectly. */
static void set_flags(const struct hwloc *h)
{
    unsigned long flags = HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED, quick = flags;
#if HWLOC_API_VERSION >= 0x00020800
    quick |=
        HWLOC_TOPOLOGY_FLAG_NO_DISTANCES | HWLOC_TOPOLOGY_FLAG_NO_MEMATTRS | HWLOC_TOPOLOGY_FLAG_NO_CPUKINDS;
#endif
    if (h->topology_set_flags(h->topology, quick) != 0) /* an older library than the header */
        h->topology_set_flags(h->topology, flags);
    /* Component x86 is switched off: it binds the calling thread to each CPU in turn. */
    h->topology_set_components(h->topology, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86");
    h->topology_set_icache_types_filter(h->topology, HWLOC_TYPE_FILTER_KEEP_ALL);
}

static int number_of(const struct hwloc *h, hwloc_obj_type_t type)
{
    int depth = h->get_type_depth(h->topology, type);
    if (depth == HWLOC_TYPE_DEPTH_UNKNOWN || depth == HWLOC_TYPE_DEPTH_MULTIPLE)
        return 0;
    return (int)h->get_nbobjs_by_depth(h->topology, depth);
}

static hwloc_obj_t object(const struct hwloc *h, hwloc_obj_type_t type, int i)
{
    return h->get_obj_by_depth(h->topology, h->get_type_depth(h->topology, type), (unsigned)i);
}

static int cpus_of(const struct hwloc *h, hwloc_obj_t obj)
{
    int weight = obj->cpuset ? h->bitmap_weight(obj->cpuset) : 0;
    return weight > 0 ? weight : 0;
}

static int most_threads(const struct hwloc *h, int cores)
{
    int most = 0;
    for (int i = 0; i < cores; i++) {
        int threads = cpus_of(h, object(h, HWLOC_OBJ_CORE, i));
        most = threads > most ? threads : most;
    }
    return most;
}

/* The CPUs of the smallest node around a CPU: a node of high-bandwidth or far memory may span several
 * others. */
static int cpus_of_node(const struct hwloc *h, int nodes, hwloc_obj_t pu)
{
    int least = 0;
    for (int i = 0; i < nodes; i++) {
        hwloc_obj_t node = object(h, HWLOC_OBJ_NUMANODE, i);
        bool around = node->cpuset != NULL && h->bitmap_isset(node->cpuset, pu->os_index);
        int cpus = around ? cpus_of(h, node) : 0;
        if (around && (least == 0 || cpus < least))
            least = cpus;
    }
    return least;
}

static int object_cache_type(hwloc_obj_type_t type)
{
    if (type >= HWLOC_OBJ_L1ICACHE && type <= HWLOC_OBJ_L3ICACHE)
        return PAPI_MH_TYPE_INST;
    if (type >= HWLOC_OBJ_L1CACHE && type <= HWLOC_OBJ_L5CACHE)
        return PAPI_MH_TYPE_DATA;
    return PAPI_MH_TYPE_EMPTY;
}

static void add_object_caches(hwloc_obj_t pu, PAPI_mh_info_t *mh)
{
    for (hwloc_obj_t obj = pu; obj != NULL; obj = obj->parent) {
        int type = object_cache_type(obj->type);
        if (type == PAPI_MH_TYPE_EMPTY || obj->attr == NULL)
            continue;
        const struct hwloc_cache_attr_s *cache = &obj->attr->cache;
        if (type == PAPI_MH_TYPE_DATA && cache->type == HWLOC_OBJ_CACHE_UNIFIED)
            type = PAPI_MH_TYPE_UNIFIED;
        long long size = cache->size > LLONG_MAX ? LLONG_MAX : (long long)cache->size;
        cache_add(mh, (int)cache->depth, type, size, cache->linesize, cache->associativity);
    }
}

/* Finds out the counts and caches from hwloc. xml: NULL for this machine, or what hwloc's environment puts in
 * its place. */
static int describe(const struct hwloc *h, const char *xml, struct counts *n, PAPI_mh_info_t *mh)
{
    set_flags(h);
    if ((xml != NULL && h->topology_set_xml(h->topology, xml) != 0) || h->topology_load(h->topology) != 0)
        return -1;
    n->cpus = number_of(h, HWLOC_OBJ_PU);
    if (n->cpus <= 0)
        return -1;
    n->cores = number_of(h, HWLOC_OBJ_CORE);
    n->threads = most_threads(h, n->cores);
    n->sockets = number_of(h, HWLOC_OBJ_PACKAGE);
    n->nodes = number_of(h, HWLOC_OBJ_NUMANODE);
    hwloc_obj_t first = object(h, HWLOC_OBJ_PU, 0);
    n->node_cpus = cpus_of_node(h, n->nodes, first);
    n->elsewhere = !h->topology_is_thissystem(h->topology);
    add_object_caches(first, mh);
    return 0;
}

/* True if hwloc can look at /sys. Where a container hides that, hwloc complains on the terminal, whatever it
 * is asked. It looks for one of these files, unless its environment sends it elsewhere. */
static bool can_discover(void)
{
    TEXT_ROWS_BEGIN
    static const char elsewhere[][20] = {"HWLOC_XMLFILE", "HWLOC_SYNTHETIC", "HWLOC_FSROOT"};
    TEXT_ROWS_END
    TEXT_ROWS_BEGIN
    static const char files[][20] = {"package_cpus", "core_cpus", "core_siblings", "thread_siblings"};
    TEXT_ROWS_END
    for (size_t i = 0; i < sizeof elsewhere / sizeof elsewhere[0]; i++)
        if (secure_getenv(elsewhere[i]) != NULL)
            return true;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        char path[128];
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/topology/%s", files[i]);
        if (access(path, F_OK) == 0)
            return true;
    }
    return false;
}

/* True if there is memory and a descriptor for hwloc: it uses what it allocated without a look, ends the
 * program where there was nothing, and takes a file that it cannot open for one that is not there. */
static bool has_room(void)
{
    enum { MEMORY = 8 << 20, DESCRIPTORS = 6 };
    return load_room(MEMORY, DESCRIPTORS);
}

/* True for a regular file: hwloc would wait for a pipe. */
static bool is_file(const char *path)
{
    struct stat status;
    return access(path, R_OK) == 0 && stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

int topology_hwloc(struct reading *from, struct counts *n, PAPI_mh_info_t *mh)
{
    char xml[PATH_MAX];
    bool snapshot = from->root[0] != '\0';
    struct hwloc h;
    int code = -1;
    memset(n, 0, sizeof *n);
    /* A snapshot brings what hwloc exported, since hwloc takes another root only from the environment. */
    if (snapshot ? sysroot_path(from->root, "/topology.xml", xml, sizeof xml) != 0 || !is_file(xml)
                 : !can_discover())
        return -1;
    if (!has_room() || !open_hwloc(&h)) {
        reading_failed(from);
        return -1;
    }
    if (h.topology_init(&h.topology) == 0) {
        code = describe(&h, snapshot ? xml : NULL, n, mh);
        h.topology_destroy(h.topology);
    }
    dlclose(h.library);
    return code;
}

#else

int topology_hwloc(struct reading *from, struct counts *n, PAPI_mh_info_t *mh)
{
    (void)from;
    (void)n;
    (void)mh;
    return -1;
}

#endif
