/* SPDX-License-Identifier: BSD-3-Clause */
#include "api/api.h"
#include "base/gpus.h"
#include "core/descriptions.h"
#include "hardware/hardware.h"

/* ---- kinds of devices */

/* The kinds of devices; their addresses are the handles. */
static const struct device_type {
    int id, flag;
    const char *name;
    unsigned vendor;         /* of base/gpus.h; 0: the processors */
    int first, last, model;  /* their attributes; the one of a device's name */
    const char *none, *tool; /* the status where there is no device; a command that tells more of them */
} types[PAPI_DEV_TYPE_ID__MAX_NUM] = {
    {PAPI_DEV_TYPE_ID__CPU, PAPI_DEV_TYPE_ENUM__CPU, NULL, 0, PAPI_DEV_ATTR__CPU_CHAR_NAME,
     PAPI_DEV_ATTR__CPU_UINT_THR_PER_NUMA, PAPI_DEV_ATTR__CPU_CHAR_NAME, "", ""},
    {PAPI_DEV_TYPE_ID__CUDA, PAPI_DEV_TYPE_ENUM__CUDA, "NVIDIA", GPU_OF_NVIDIA, PAPI_DEV_ATTR__CUDA_ULONG_UID,
     PAPI_DEV_ATTR__CUDA_UINT_BLK_PER_SM, PAPI_DEV_ATTR__CUDA_CHAR_DEVICE_NAME,
     "no such device: /sys/bus/pci/devices has none of NVIDIA", "nvidia-smi -q"},
    {PAPI_DEV_TYPE_ID__ROCM, PAPI_DEV_TYPE_ENUM__ROCM, "AMD", GPU_OF_AMD, PAPI_DEV_ATTR__ROCM_ULONG_UID,
     PAPI_DEV_ATTR__ROCM_UINT_COMP_CAP_MINOR, PAPI_DEV_ATTR__ROCM_CHAR_DEVICE_NAME,
     "no such device: /sys/bus/pci/devices has none of AMD", "rocminfo"},
};

static const struct device_type *type_of(const void *handle)
{
    for (int i = 0; i < PAPI_DEV_TYPE_ID__MAX_NUM; i++)
        if (handle == &types[i])
            return &types[i];
    return NULL;
}

static int next_type(int modifier, void **handle)
{
    bool first = modifier == PAPI_DEV_TYPE_ENUM__FIRST;
    const struct device_type *last = first ? NULL : type_of(*handle);
    *handle = NULL;
    for (int i = last != NULL ? last->id + 1 : 0; i < PAPI_DEV_TYPE_ID__MAX_NUM && *handle == NULL; i++)
        if (first || types[i].flag & modifier)
            *handle = (void *)&types[i];
    if (*handle == NULL)
        return reason_set(api_why(), PAPI_ENOEVNT, "there is no further kind of devices");
    return PAPI_OK;
}

int PAPI_enum_dev_type(int modifier, void **handle)
{
    int code = api_ready() ?: api_not_null(handle, "handle");
    if (code == PAPI_OK && modifier & ~PAPI_DEV_TYPE_ENUM__ALL)
        code = reason_set(api_why(), PAPI_EINVAL, "0x%x names no kinds of devices", (unsigned)modifier);
    return api_result(code ?: next_type(modifier, handle));
}

static int check_type(const struct device_type *type, const void *value)
{
    if (type == NULL)
        return reason_set(api_why(), PAPI_EINVAL, "the handle is none of PAPI_enum_dev_type");
    return api_not_null(value, "value");
}

/* The devices of the machine, of all vendors. */
static int all_devices(const struct gpu **gpus, int *n)
{
    int code = api_lock_if_ready();
    if (code == PAPI_OK) {
        code = gpus_info(gpus, n, api_why());
        library_unlock();
    }
    return code;
}

/* Counts the devices of a kind. The processors are one. The one with number id, if there is: *found. */
static int count_devices(const struct device_type *type, int id, int *count, const struct gpu **found)
{
    const struct gpu *gpus;
    int n, code = type->vendor != 0 ? all_devices(&gpus, &n) : PAPI_OK;
    *count = type->vendor == 0;
    for (int i = 0; code == PAPI_OK && type->vendor != 0 && i < n; i++)
        if (gpus[i].vendor == type->vendor && (*count)++ == id)
            *found = &gpus[i];
    return code;
}

static int type_attribute(const struct device_type *type, PAPI_dev_type_attr_e attr,
                          const PAPI_hw_info_t *hardware, int count, void *value)
{
    int cpu = type->id == PAPI_DEV_TYPE_ID__CPU, which = (int)attr;
    const int numbers[] = {[PAPI_DEV_TYPE_ATTR__INT_PAPI_ID] = type->id,
                           [PAPI_DEV_TYPE_ATTR__INT_VENDOR_ID] = cpu         ? hardware->vendor
                                                                 : count > 0 ? (int)type->vendor
                                                                             : -1,
                           [PAPI_DEV_TYPE_ATTR__INT_COUNT] = count};
    const char *const texts[] = {[PAPI_DEV_TYPE_ATTR__CHAR_NAME] = cpu ? hardware->vendor_string : type->name,
                                 [PAPI_DEV_TYPE_ATTR__CHAR_STATUS] = count > 0 ? "" : type->none};
    if (which < 0 || which > PAPI_DEV_TYPE_ATTR__CHAR_STATUS)
        return reason_set(api_why(), PAPI_EINVAL, "%d is not an attribute of a kind of devices", which);
    if (which == PAPI_DEV_TYPE_ATTR__CHAR_NAME || which == PAPI_DEV_TYPE_ATTR__CHAR_STATUS)
        *(const char **)value = texts[which];
    else
        *(int *)value = numbers[which];
    return PAPI_OK;
}

int PAPI_get_dev_type_attr(void *handle, PAPI_dev_type_attr_e attr, void *value)
{
    const struct device_type *type = type_of(handle);
    const PAPI_hw_info_t *hardware;
    const struct gpu *unused;
    int count, code = api_ready() ?: check_type(type, value) ?: api_hardware(&hardware);
    code = code ?: count_devices(type, 0, &count, &unused);
    return api_result(code ?: type_attribute(type, attr, hardware, count, value));
}

/* ---- the processor */

/* The attributes of caches: four facts, each of four caches. */
static const struct cache_kind {
    int level, type;
} caches[] = {{0, PAPI_MH_TYPE_INST}, {0, PAPI_MH_TYPE_DATA}, {1, PAPI_MH_TYPE_DATA}, {2, PAPI_MH_TYPE_DATA}};

static int cache_fact(const PAPI_mh_info_t *hierarchy, int which)
{
    const struct cache_kind *kind = &caches[which % 4];
    if (kind->level >= hierarchy->levels)
        return 0;
    const PAPI_mh_cache_info_t *cache = hierarchy->level[kind->level].cache,
                               *end = cache + PAPI_MH_MAX_LEVELS;
    while (cache < end && !(cache->type & kind->type))
        cache++;
    if (cache == end)
        return 0;
    const int facts[] = {cache->size, cache->line_size, cache->num_lines, cache->associativity};
    return facts[which / 4];
}

static int plain_fact(const PAPI_hw_info_t *hardware, int attr)
{
    const int facts[] = {hardware->sockets,       hardware->nnodes,       hardware->cores,
                         hardware->threads,       hardware->cpuid_family, hardware->cpuid_model,
                         hardware->cpuid_stepping};
    if (attr < PAPI_DEV_ATTR__CPU_UINT_SOCKET_COUNT)
        return cache_fact(&hardware->mem_hierarchy, attr - PAPI_DEV_ATTR__CPU_UINT_L1I_CACHE_SIZE);
    return facts[attr - PAPI_DEV_ATTR__CPU_UINT_SOCKET_COUNT];
}

static unsigned at_least_zero(long long value)
{
    return value > 0 ? (unsigned)value : 0;
}

/* Facts by NUMA node or CPU; without files of NUMA nodes all is in node 0. */
static int node_fact(const PAPI_hw_info_t *hardware, int id, int attr, unsigned *value)
{
    const char *root = papi_library.root;
    if (attr == PAPI_DEV_ATTR__CPU_UINT_THR_NUMA_AFFINITY) {
        int node = node_of_cpu(root, id);
        if (node < 0 && (node_cpus(root, 0) >= 0 || id < 0 || id >= hardware->totalcpus))
            return reason_set(api_why(), PAPI_EINVAL, "there is no CPU %d, or it is offline", id);
        *value = at_least_zero(node);
        return PAPI_OK;
    }
    if (id < 0 || id >= hardware->nnodes)
        return reason_set(api_why(), PAPI_EINVAL, "there is no NUMA node %d; %d nodes are numbered from 0",
                          id, hardware->nnodes);
    int cpus = node_cpus(root, id);
    *value = attr == PAPI_DEV_ATTR__CPU_UINT_NUMA_MEM_SIZE ? at_least_zero(node_megabytes(root, id))
             : cpus < 0                                    ? at_least_zero(hardware->ncpu)
                                                           : (unsigned)cpus;
    return PAPI_OK;
}

static int processor_attribute(const PAPI_hw_info_t *hardware, int id, int attr, void *value)
{
    if (attr == PAPI_DEV_ATTR__CPU_UINT_NUMA_MEM_SIZE || attr == PAPI_DEV_ATTR__CPU_UINT_THR_PER_NUMA ||
        attr == PAPI_DEV_ATTR__CPU_UINT_THR_NUMA_AFFINITY)
        return node_fact(hardware, id, attr, value);
    if (id != 0)
        return reason_set(api_why(), PAPI_EINVAL,
                          "there is no device %d: the machine's processors are device 0", id);
    if (attr == PAPI_DEV_ATTR__CPU_CHAR_NAME)
        *(const char **)value = hardware->model_string;
    else
        *(unsigned *)value = at_least_zero(plain_fact(hardware, attr));
    return PAPI_OK;
}

static int check_attribute(const struct device_type *type, int attr)
{
    if (attr < type->first || attr > type->last)
        return reason_set(api_why(), PAPI_EINVAL, "%d is not an attribute of this kind of devices", attr);
    return PAPI_OK;
}

/* A fact about a device that is not a processor: the kernel knows its name. */
static int device_attribute(const struct device_type *type, int id, int attr, void *value)
{
    const struct gpu *gpu = NULL;
    int count, code = count_devices(type, id, &count, &gpu);
    if (code != PAPI_OK)
        return code;
    if (count == 0)
        return reason_set(api_why(), PAPI_ENOSUPP, "%s", type->none);
    if (gpu == NULL)
        return reason_set(api_why(), PAPI_EINVAL,
                          "there is no device %d of %s: there are %d, numbered from 0", id, type->name,
                          count);
    if (attr != type->model || gpu->model[0] == '\0')
        return reason_set(api_why(), PAPI_ENOSUPP,
                          "the kernel does not say this about device %d of %s: \"%s\" does", id, type->name,
                          type->tool);
    *(const char **)value = gpu->model;
    return PAPI_OK;
}

int PAPI_get_dev_attr(void *handle, int id, PAPI_dev_attr_e attr, void *value)
{
    const struct device_type *type = type_of(handle);
    const PAPI_hw_info_t *hardware;
    int code = api_ready() ?: check_type(type, value) ?: check_attribute(type, (int)attr);
    if (code == PAPI_OK && type->vendor != 0)
        return api_result(device_attribute(type, id, (int)attr, value));
    return api_result(code ?: api_hardware(&hardware) ?: processor_attribute(hardware, id, (int)attr, value));
}
