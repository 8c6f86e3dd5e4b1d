/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/load.h"
#include "base/sysroot.h"
#include "hardware/parts.h"

#include <string.h>

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

/* The interface of hwloc 2.x. */
#define HWLOC_LIBRARY "libhwloc.so.15"

/* What is used of hwloc, with its own types. None of its inline helpers may be used here: they would
 * make the linker ask for the library. */
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

static const struct load_symbol symbols[] = {
#define SYMBOL(name) {"hwloc_" #name, offsetof(struct hwloc, name)},
    FUNCTIONS(SYMBOL)};

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
    /* It binds the calling thread to each CPU in turn. */
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

/* The smallest node around a CPU: a node of high-bandwidth or far memory may span several others. */
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

static int cache_type(hwloc_obj_type_t type)
{
    if (type >= HWLOC_OBJ_L1ICACHE && type <= HWLOC_OBJ_L3ICACHE)
        return PAPI_MH_TYPE_INST;
    if (type >= HWLOC_OBJ_L1CACHE && type <= HWLOC_OBJ_L5CACHE)
        return PAPI_MH_TYPE_DATA;
    return PAPI_MH_TYPE_EMPTY;
}

static void add_caches(hwloc_obj_t pu, PAPI_mh_info_t *mh)
{
    for (hwloc_obj_t obj = pu; obj != NULL; obj = obj->parent) {
        int type = cache_type(obj->type);
        if (type == PAPI_MH_TYPE_EMPTY || obj->attr == NULL)
            continue;
        const struct hwloc_cache_attr_s *cache = &obj->attr->cache;
        if (type == PAPI_MH_TYPE_DATA && cache->type == HWLOC_OBJ_CACHE_UNIFIED)
            type = PAPI_MH_TYPE_UNIFIED;
        long long size = cache->size > LLONG_MAX ? LLONG_MAX : (long long)cache->size;
        cache_add(mh, (int)cache->depth, type, size, cache->linesize, cache->associativity);
    }
}

/* What hwloc finds out. xml: NULL for this machine, or what hwloc's environment puts in its place. */
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
    add_caches(first, mh);
    return 0;
}

/* Where a container hides /sys, hwloc complains on the terminal, whatever it is asked. It looks for
 * one of these files, unless its environment sends it elsewhere. */
static bool can_discover(void)
{
    static const char *const elsewhere[] = {"HWLOC_XMLFILE", "HWLOC_SYNTHETIC", "HWLOC_FSROOT"};
    static const char *const files[] = {"package_cpus", "core_cpus", "core_siblings", "thread_siblings"};
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

/* It uses what it allocated without a look, ends the program where there was nothing, and takes a file that
 * it cannot open for one that is not there. */
static bool has_room(void)
{
    enum { MEMORY = 8 << 20, DESCRIPTORS = 6 };
    return load_room(MEMORY, DESCRIPTORS);
}

/* hwloc would wait for a pipe. */
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
    /* It takes another root from the environment alone, so a snapshot brings what it exported. */
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
