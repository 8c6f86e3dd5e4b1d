/* SPDX-License-Identifier: BSD-3-Clause */
#include "cpus.h"

#include <hwloc.h>
#include <stdlib.h>

struct topology {
    hwloc_topology_t all;
    hwloc_cpuset_t usable; /* by this process */
};

/* ------------------------------------------------------------------------ what there is */

static bool open_topology(struct topology *of)
{
    of->usable = hwloc_bitmap_alloc();
    if (of->usable == NULL || hwloc_topology_init(&of->all) != 0)
        return false;
    if (hwloc_topology_load(of->all) != 0)
        return false;
    /* taskset, and what a launcher bound this process to */
    if (hwloc_get_cpubind(of->all, of->usable, HWLOC_CPUBIND_PROCESS) != 0)
        hwloc_bitmap_copy(of->usable, hwloc_topology_get_allowed_cpuset(of->all));
    hwloc_bitmap_and(of->usable, of->usable, hwloc_topology_get_allowed_cpuset(of->all));
    return true;
}

/* Of each core the first CPU; where cores are not known, each CPU. */
static bool find_cores(struct cpus *cpus)
{
    const struct topology *of = cpus->of;
    int depth = hwloc_get_type_or_below_depth(of->all, HWLOC_OBJ_CORE);
    int most = (int)hwloc_get_nbobjs_by_depth(of->all, depth);
    cpus->cpu = calloc((size_t)most + 1, sizeof *cpus->cpu);
    for (int i = 0; i < most && cpus->cpu != NULL; i++) {
        hwloc_obj_t core = hwloc_get_obj_by_depth(of->all, depth, (unsigned)i);
        for (int cpu = hwloc_bitmap_first(core->cpuset); cpu >= 0; cpu = hwloc_bitmap_next(core->cpuset, cpu))
            if (hwloc_bitmap_isset(of->usable, (unsigned)cpu)) {
                cpus->cpu[cpus->n++] = cpu;
                break;
            }
    }
    return cpus->n > 0;
}

static int cores_below(const struct cpus *cpus, hwloc_obj_t object)
{
    int n = 0;
    for (int i = 0; i < cpus->n; i++)
        n += hwloc_bitmap_isset(object->cpuset, (unsigned)cpus->cpu[i]) != 0;
    return n;
}

static bool has_data(hwloc_obj_t object)
{
    return hwloc_obj_type_is_dcache(object->type);
}

static void count_caches(const struct cpus *cpus, struct cpus_cache *cache, hwloc_obj_t first)
{
    for (hwloc_obj_t one = hwloc_get_obj_by_depth(cpus->of->all, first->depth, 0); one != NULL;
         one = one->next_cousin) {
        int cores = cores_below(cpus, one);
        cache->count += cores > 0;
        cache->sharing = cores > cache->sharing ? cores : cache->sharing;
    }
}

/* Those of the first core, which stand for all. */
static void find_caches(struct cpus *cpus)
{
    hwloc_obj_t object = hwloc_get_pu_obj_by_os_index(cpus->of->all, (unsigned)cpus->cpu[0]);
    for (; object != NULL && cpus->n_caches < CPUS_LEVELS; object = object->parent) {
        if (!has_data(object) || object->attr->cache.size == 0)
            continue;
        struct cpus_cache *cache = &cpus->cache[cpus->n_caches++];
        *cache = (struct cpus_cache){.level = (int)object->attr->cache.depth,
                                     .size = (long long)object->attr->cache.size,
                                     .line = (int)object->attr->cache.linesize};
        if (cache->line <= 0)
            cache->line = 64;
        count_caches(cpus, cache, object);
    }
}

const char *cpus_find(struct cpus *cpus)
{
    *cpus = (struct cpus){.of = calloc(1, sizeof(struct topology))};
    if (cpus->of == NULL)
        return "out of memory";
    if (!open_topology(cpus->of))
        return "hwloc does not find the processors of this machine";
    if (!find_cores(cpus))
        return "there is no processor that this process may use";
    find_caches(cpus);
    cpus->memory = (long long)hwloc_get_root_obj(cpus->of->all)->total_memory;
    return NULL;
}

void cpus_free(struct cpus *cpus)
{
    if (cpus->of != NULL && cpus->of->all != NULL)
        hwloc_topology_destroy(cpus->of->all);
    if (cpus->of != NULL)
        hwloc_bitmap_free(cpus->of->usable);
    free(cpus->of);
    free(cpus->cpu);
    *cpus = (struct cpus){.n = 0};
}

/* ------------------------------------------------------------------------ its use */

bool cpus_bind(const struct cpus *cpus, int core)
{
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    bool bound = set != NULL && hwloc_bitmap_set(set, (unsigned)cpus->cpu[core]) == 0 &&
                 hwloc_set_cpubind(cpus->of->all, set, HWLOC_CPUBIND_THREAD) == 0;
    hwloc_bitmap_free(set);
    return bound;
}
