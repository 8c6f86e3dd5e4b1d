/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/sysroot.h"
#include "hardware/parts.h"

#include <string.h>

/* A cross compiler without the header of its target still builds the library, which then reads
 * sysfs itself. */
#if __has_include(<hwloc/autogen/config.h>)
#include <dlfcn.h>
#include <fcntl.h>
#include <hwloc.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* The interface of hwloc 2.x. */
#define HWLOC_LIBRARY "libhwloc.so.15"

/* What is used of hwloc, with its own types. None of its inline helpers may be used here: they would
 * make the linker ask for the library. */
struct hwloc {
    void *library;
    __typeof__(hwloc_topology_init) *init;
    __typeof__(hwloc_topology_destroy) *destroy;
    __typeof__(hwloc_topology_load) *load;
    __typeof__(hwloc_topology_set_flags) *set_flags;
    __typeof__(hwloc_topology_set_components) *set_components;
    __typeof__(hwloc_topology_set_xml) *set_xml;
    __typeof__(hwloc_topology_set_icache_types_filter) *set_icache_types_filter;
    __typeof__(hwloc_topology_is_thissystem) *is_thissystem;
    __typeof__(hwloc_get_type_depth) *get_type_depth;
    __typeof__(hwloc_get_nbobjs_by_depth) *get_nbobjs_by_depth;
    __typeof__(hwloc_get_obj_by_depth) *get_obj_by_depth;
    __typeof__(hwloc_bitmap_weight) *bitmap_weight;
    __typeof__(hwloc_bitmap_isset) *bitmap_isset;
};

#define SYMBOL(member, name)                                                                                 \
    {                                                                                                        \
        name, offsetof(struct hwloc, member)                                                                 \
    }

static const struct {
    const char *name;
    size_t offset;
} symbols[] = {
    SYMBOL(init, "hwloc_topology_init"),
    SYMBOL(destroy, "hwloc_topology_destroy"),
    SYMBOL(load, "hwloc_topology_load"),
    SYMBOL(set_flags, "hwloc_topology_set_flags"),
    SYMBOL(set_components, "hwloc_topology_set_components"),
    SYMBOL(set_xml, "hwloc_topology_set_xml"),
    SYMBOL(set_icache_types_filter, "hwloc_topology_set_icache_types_filter"),
    SYMBOL(is_thissystem, "hwloc_topology_is_thissystem"),
    SYMBOL(get_type_depth, "hwloc_get_type_depth"),
    SYMBOL(get_nbobjs_by_depth, "hwloc_get_nbobjs_by_depth"),
    SYMBOL(get_obj_by_depth, "hwloc_get_obj_by_depth"),
    SYMBOL(bitmap_weight, "hwloc_bitmap_weight"),
    SYMBOL(bitmap_isset, "hwloc_bitmap_isset"),
};

static int open_hwloc(struct hwloc *h)
{
    errno = 0; /* which tells a library that is not there from one that cannot be loaded now */
    h->library = dlopen(HWLOC_LIBRARY, RTLD_LAZY | RTLD_LOCAL);
    if (h->library == NULL)
        return -1;
    for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++) {
        void *address = dlsym(h->library, symbols[i].name);
        if (address == NULL) {
            dlclose(h->library);
            errno = ENOSYS;
            return -1;
        }
        memcpy((char *)h + symbols[i].offset, &address, sizeof address);
    }
    return 0;
}

/* All CPUs of the machine, also those outside this process'ss cgroup. What is not needed is left
 * out, since each part read is time and may be one that firmware described incorrectly. */
static void set_flags(const struct hwloc *h, hwloc_topology_t topology)
{
    unsigned long flags = HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED, quick = flags;
#if HWLOC_API_VERSION >= 0x00020800
    quick |=
        HWLOC_TOPOLOGY_FLAG_NO_DISTANCES | HWLOC_TOPOLOGY_FLAG_NO_MEMATTRS | HWLOC_TOPOLOGY_FLAG_NO_CPUKINDS;
#endif
    if (h->set_flags(topology, quick) != 0) /* an older library than the header */
        h->set_flags(topology, flags);
    /* It binds the calling thread to each CPU in turn. */
    h->set_components(topology, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86");
    h->set_icache_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_ALL);
}

/* NULL: no topology. xml: NULL for this machine, or what hwloc's environment puts in its place. */
static hwloc_topology_t load(const struct hwloc *h, const char *xml)
{
    hwloc_topology_t topology;
    if (h->init(&topology) != 0)
        return NULL;
    set_flags(h, topology);
    if ((xml == NULL || h->set_xml(topology, xml) == 0) && h->load(topology) == 0)
        return topology;
    h->destroy(topology);
    return NULL;
}

static int number_of(const struct hwloc *h, hwloc_topology_t topology, hwloc_obj_type_t type)
{
    int depth = h->get_type_depth(topology, type);
    if (depth == HWLOC_TYPE_DEPTH_UNKNOWN || depth == HWLOC_TYPE_DEPTH_MULTIPLE)
        return 0;
    return (int)h->get_nbobjs_by_depth(topology, depth);
}

static hwloc_obj_t object(const struct hwloc *h, hwloc_topology_t topology, hwloc_obj_type_t type, int i)
{
    return h->get_obj_by_depth(topology, h->get_type_depth(topology, type), (unsigned)i);
}

static int cpus_of(const struct hwloc *h, hwloc_obj_t obj)
{
    int weight = obj->cpuset ? h->bitmap_weight(obj->cpuset) : 0;
    return weight > 0 ? weight : 0;
}

static int most_threads(const struct hwloc *h, hwloc_topology_t topology, int cores)
{
    int most = 0;
    for (int i = 0; i < cores; i++) {
        int threads = cpus_of(h, object(h, topology, HWLOC_OBJ_CORE, i));
        if (threads > most)
            most = threads;
    }
    return most;
}

/* The smallest node around a CPU: a node of high-bandwidth or far memory may span several others. */
static int cpus_of_node(const struct hwloc *h, hwloc_topology_t topology, int nodes, hwloc_obj_t pu)
{
    int least = 0;
    for (int i = 0; i < nodes; i++) {
        hwloc_obj_t node = object(h, topology, HWLOC_OBJ_NUMANODE, i);
        if (node->cpuset == NULL || !h->bitmap_isset(node->cpuset, pu->os_index))
            continue;
        int cpus = cpus_of(h, node);
        if (least == 0 || cpus < least)
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

static int describe(const struct hwloc *h, hwloc_topology_t topology, struct counts *n, PAPI_mh_info_t *mh)
{
    n->cpus = number_of(h, topology, HWLOC_OBJ_PU);
    if (n->cpus <= 0)
        return -1;
    n->cores = number_of(h, topology, HWLOC_OBJ_CORE);
    n->threads = most_threads(h, topology, n->cores);
    n->sockets = number_of(h, topology, HWLOC_OBJ_PACKAGE);
    n->nodes = number_of(h, topology, HWLOC_OBJ_NUMANODE);
    hwloc_obj_t first = object(h, topology, HWLOC_OBJ_PU, 0);
    n->node_cpus = cpus_of_node(h, topology, n->nodes, first);
    n->elsewhere = !h->is_thissystem(topology);
    add_caches(first, mh);
    return 0;
}

/* Where a container hides /sys, hwloc complains on the terminal, whatever it is asked. It looks for
 * one of these files, unless its environment sends it elsewhere. */
static int can_discover(void)
{
    static const char *const elsewhere[] = {"HWLOC_XMLFILE", "HWLOC_SYNTHETIC", "HWLOC_FSROOT"};
    static const char *const files[] = {"package_cpus", "core_cpus", "core_siblings", "thread_siblings"};
    for (size_t i = 0; i < sizeof elsewhere / sizeof elsewhere[0]; i++)
        if (secure_getenv(elsewhere[i]) != NULL)
            return 1;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        char path[128];
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/topology/%s", files[i]);
        if (access(path, F_OK) == 0)
            return 1;
    }
    return 0;
}

/* hwloc takes another root from the environment alone, so a snapshot brings what it exported. */
static int snapshot_xml(const char *root, char *path, size_t size)
{
    return sysroot_path(root, "/topology.xml", path, size) == 0 && access(path, R_OK) == 0;
}

/* hwloc uses what it allocated without a look, and ends the program where there was nothing. */
static int has_memory_to_spare(void)
{
    enum { PLENTY = 8 << 20 };
    void *volatile probe = malloc(PLENTY); /* volatile: else the compiler leaves it out */
    free(probe);
    return probe != NULL;
}

/* hwloc takes a file that it cannot open for one that is not there. */
static int has_descriptors_to_spare(void)
{
    enum { PLENTY = 6 };
    int fd[PLENTY], n = 0;
    while (n < PLENTY && (fd[n] = open("/", O_PATH | O_CLOEXEC)) >= 0)
        n++;
    int enough = n == PLENTY, error = errno;
    while (n > 0)
        close(fd[--n]);
    errno = error;
    return enough;
}

int topology_hwloc(struct reading *from, struct counts *n, PAPI_mh_info_t *mh)
{
    memset(n, 0, sizeof *n);
    char xml[4096];
    const char *root = from->root;
    int snapshot = root[0] != '\0';
    if (snapshot ? !snapshot_xml(root, xml, sizeof xml) : !can_discover())
        return -1;
    struct hwloc h;
    if (!has_memory_to_spare() || !has_descriptors_to_spare() || open_hwloc(&h) != 0) {
        reading_failed(from);
        return -1;
    }
    int rc = -1;
    hwloc_topology_t topology = load(&h, snapshot ? xml : NULL);
    if (topology != NULL) {
        rc = describe(&h, topology, n, mh);
        h.destroy(topology);
    }
    dlclose(h.library);
    return rc;
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
