/* SPDX-License-Identifier: BSD-3-Clause */
#include "rank/energy.h"

#include "base/gpus.h"
#include "base/sysroot.h"
#include "base/visible.h"
#include "formats/device_activity.h"
#include "papi.h"
#include "rank/rank.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Components that have energy counters, and their events, of which those of a device have names that differ
 * in this word alone: its address is the event with "pci_id" in its place. */
static const struct source {
    unsigned vendor;
    const char *component, *event;
    uint64_t microjoules; /* of one of its unit */
    int domain;           /* the bit at which the domain begins in its addresses */
} sources[] = {{GPU_OF_NVIDIA, "nvml", "total_energy_consumption", 1000, 16},
               {GPU_OF_AMD, "amd_smi", "energy_consumed", 1, 16},
               {GPU_OF_AMD, "rocm_smi", "energy_count", 1, 32},
               {GPU_OF_INTEL, "intel_smi", "card_energy", 1, 16}};
enum { SOURCES = sizeof sources / sizeof *sources };

/* A device uses less than this: more is an error of its counter. */
enum { MOST_WATTS = 10000 };

/* After so many seconds the counter of a device that has power has moved. */
enum { STANDS_STILL = 2 };

struct meter {
    int es; /* PAPI_NULL: this rank does not read it */
    uint64_t microjoules;
};

struct rank_energy {
    struct meter meter[NODE_DEVICES];
    bool failed; /* a counter that is there cannot be read */
    double since;
};

static void refuse(struct rank_devices *devices, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void refuse(struct rank_devices *devices, const char *format, ...)
{
    char text[sizeof devices->energy_reason];
    va_list arguments;
    if (devices->energy_reason[0] != '\0')
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    visible(devices->energy_reason, sizeof devices->energy_reason, text);
}

/* ---- devices that may be used */

uint64_t energy_address(const char *text)
{
    unsigned domain, bus, device, function;
    if (sscanf(text, "%x:%x:%x.%x", &domain, &bus, &device, &function) != 4)
        return 0;
    return (uint64_t)domain << 16 | (bus & 0xff) << 8 | (device & 0x1f) << 3 | (function & 7);
}

/* The address of a device as text, as the kernel writes it. */
struct where {
    char text[24];
};

static struct where where_is(const struct node_device *device)
{
    struct where where;
    uint64_t address = device->address;
    snprintf(where.text, sizeof where.text, "%04x:%02x:%02x.%x", (unsigned)(address >> 16),
             (unsigned)(address >> 8 & 0xff), (unsigned)(address >> 3 & 0x1f), (unsigned)(address & 7));
    return where;
}

static void add_usable(struct node_devices *here, uint64_t address, const char *name, int node_rank)
{
    for (int i = 0; i < here->n; i++)
        if (here->device[i].address == address) /* parts of one device */
            return;
    if (here->n == NODE_DEVICES) {
        here->left_out = 1;
        return;
    }
    struct node_device *device = &here->device[here->n++];
    device->address = address;
    device->first = node_rank;
    snprintf(device->name, sizeof device->name, "%.*s", NODE_DEVICE_NAME - 1, name);
}

/* Variables that hide devices of a vendor from its runtime. */
static bool is_restricted(unsigned vendor)
{
    static const char *const amd[] = {"ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL",
                                      "CUDA_VISIBLE_DEVICES", NULL};
    static const char *const intel[] = {"ZE_AFFINITY_MASK", NULL};
    const char *const *variable = vendor == GPU_OF_AMD ? amd : intel;
    while (*variable != NULL && secure_getenv(*variable) == NULL)
        variable++;
    return *variable != NULL;
}

/* Devices that the kernel shows and this process may open, where no runtime tells. */
static void add_of_kernel(struct node_devices *here, int node_rank)
{
    struct gpu *gpus;
    int n = gpus_find("", &gpus);
    for (int i = 0; i < n; i++) {
        bool told =
            gpus[i].vendor != GPU_OF_NVIDIA && gpus[i].node[0] != '\0' && !is_restricted(gpus[i].vendor);
        here->unknown |= !told;
        if (told && access(gpus[i].node, R_OK | W_OK) == 0)
            add_usable(here, energy_address(gpus[i].address),
                       gpus[i].model[0] != '\0' ? gpus[i].model : gpu_vendor(&gpus[i]), node_rank);
    }
    free(gpus);
}

static void add_of_runtime(struct node_devices *here, int node_rank)
{
    struct device_activity device[NODE_DEVICES];
    int n = papi_mpi.activity->usable(device, NODE_DEVICES);
    here->unknown = n < 0;
    here->left_out = n > NODE_DEVICES;
    for (int i = 0; i < n && i < NODE_DEVICES; i++) {
        uint64_t address = energy_address(device[i].address);
        here->unknown |= address == 0;
        if (address != 0)
            add_usable(here, address, device[i].name, node_rank);
    }
}

void energy_usable(struct node_devices *here, int node_rank)
{
    memset(here, 0, sizeof *here);
    if (papi_mpi.activity != NULL)
        add_of_runtime(here, node_rank);
    else
        add_of_kernel(here, node_rank);
}

/* ---- their counters */

static int make_set(int component, int event, int *es)
{
    PAPI_option_t option = {0};
    *es = PAPI_NULL;
    int code = PAPI_create_eventset(es) ?: PAPI_assign_eventset_component(*es, component);
    option.inherit.eventset = *es; /* the program may have set another default */
    option.inherit.inherit = PAPI_INHERIT_NONE;
    return code ?: PAPI_set_opt(PAPI_INHERIT, &option) ?: PAPI_add_event(*es, event);
}

static void drop_set(int *es)
{
    if (*es == PAPI_NULL)
        return;
    PAPI_cleanup_eventset(*es);
    PAPI_destroy_eventset(es);
    *es = PAPI_NULL;
}

/* The device that an event is of, by the event that has its address; 0: it has none. */
static uint64_t address_of_event(const struct source *source, int component, const char *name)
{
    char address[PAPI_MAX_STR_LEN + 8];
    const char *word = strstr(name, source->event);
    long long value = 0;
    int event, es = PAPI_NULL;
    snprintf(address, sizeof address, "%.*spci_id%s", (int)(word - name), name, word + strlen(source->event));
    int code = PAPI_event_name_to_code(address, &event) ?: make_set(component, event, &es);
    code = code ?: PAPI_start(es) ?: PAPI_stop(es, &value);
    drop_set(&es);
    if (code != PAPI_OK)
        return 0;
    return (uint64_t)value >> source->domain << 16 | ((uint64_t)value & 0xffff);
}

static int place_of(const struct node_devices *node, uint64_t address, int node_rank)
{
    for (int i = 0; i < node->n; i++)
        if (node->device[i].address == address)
            return !node->device[i].taken && (node_rank == 0 || node->device[i].first == node_rank) ? i : -1;
    return -1;
}

static void take_event(struct rank_devices *devices, const struct source *source, int component, int event,
                       int node_rank)
{
    char name[PAPI_MAX_STR_LEN] = "";
    if (PAPI_event_code_to_name(event, name) != PAPI_OK || strstr(name, source->event) == NULL)
        return;
    int i = place_of(&devices->node, address_of_event(source, component, name), node_rank);
    if (i < 0)
        return;
    struct meter *meter = &papi_mpi.energy->meter[i];
    int code = make_set(component, event, &meter->es);
    meter->microjoules = source->microjoules;
    devices->node.device[i].taken = 1; /* also where it does not work: the reason is this one */
    if (code == PAPI_OK)
        return;
    refuse(devices, "%s", PAPI_strerror(code));
    papi_mpi.energy->failed = true;
    drop_set(&meter->es);
}

/* The vendor of a device; 0: the kernel does not tell. */
static unsigned vendor_of(const struct node_device *device)
{
    char path[80];
    long long vendor = 0;
    snprintf(path, sizeof path, "/sys/bus/pci/devices/%s/vendor", where_is(device).text);
    return sysroot_number("", path, &vendor) == 0 ? (unsigned)vendor : 0;
}

/* The number of devices that this rank is to find and has not found; vendor 0: of any. */
static int missing(const struct node_devices *node, int node_rank, unsigned vendor)
{
    int n = 0;
    for (int i = 0; i < node->n; i++) {
        unsigned of = vendor != 0 ? vendor_of(&node->device[i]) : 0;
        n += place_of(node, node->device[i].address, node_rank) >= 0 && (of == 0 || of == vendor);
    }
    return n;
}

static void find_in(struct rank_devices *devices, const struct source *source, int node_rank)
{
    int component = PAPI_get_component_index(source->component), event = PAPI_NATIVE_MASK;
    if (component < 0)
        return;
    int code = PAPI_enum_cmp_event(&event, PAPI_ENUM_FIRST, component);
    const PAPI_component_info_t *info = code != PAPI_OK ? PAPI_get_component_info(component) : NULL;
    for (; code == PAPI_OK; code = PAPI_enum_cmp_event(&event, PAPI_ENUM_EVENTS, component))
        take_event(devices, source, component, event, node_rank);
    if (missing(&devices->node, node_rank, source->vendor) == 0)
        return;
    if (info == NULL)
        refuse(devices, "%s has no counter of energy for it, and power alone is none", source->component);
    else if (info->disabled != PAPI_OK)
        refuse(devices, "%s: %s", source->component, info->disabled_reason);
}

static void find_all(struct rank_devices *devices, int node_rank)
{
    if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT) {
        refuse(devices, "the program uses libpapi of another version");
        return;
    }
    for (int i = 0; i < SOURCES; i++)
        if (missing(&devices->node, node_rank, sources[i].vendor) > 0)
            find_in(devices, &sources[i], node_rank);
    if (!papi_mpi.energy->failed &&
        missing(&devices->node, node_rank, 0) == 0) /* by another component than the first one */
        devices->energy_reason[0] = '\0';
}

void energy_find(struct rank_devices *devices, int node_rank)
{
    if (missing(&devices->node, node_rank, 0) == 0)
        return;
    papi_mpi.energy = calloc(1, sizeof *papi_mpi.energy);
    if (papi_mpi.energy == NULL) {
        refuse(devices, "out of memory");
        return;
    }
    for (int i = 0; i < NODE_DEVICES; i++)
        papi_mpi.energy->meter[i].es = PAPI_NULL;
    find_all(devices, node_rank);
}

/* ---- readings */

static double seconds(void)
{
    struct timespec now = {0, 0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void energy_start(struct rank_record *record)
{
    struct rank_energy *energy = papi_mpi.energy;
    if (energy == NULL)
        return;
    for (int i = 0; i < record->devices.node.n; i++) {
        int code = energy->meter[i].es != PAPI_NULL ? PAPI_start(energy->meter[i].es) : PAPI_OK;
        if (code == PAPI_OK)
            continue;
        refuse(&record->devices, "%s", PAPI_strerror(code));
        drop_set(&energy->meter[i].es);
    }
    energy->since = seconds();
}

/* Takes in what a device has used, unless that cannot be. */
static void take_energy(struct rank_devices *devices, int i, uint64_t count, double took)
{
    struct where name = where_is(&devices->node.device[i]);
    uint64_t microjoules;
    bool fits = !__builtin_mul_overflow(count, papi_mpi.energy->meter[i].microjoules, &microjoules);
    if (!fits || (double)microjoules > 1e6 * MOST_WATTS * (took + 1))
        refuse(devices, "the energy counter of device %s shows more than a device can use", name.text);
    else if (microjoules == 0 && took > STANDS_STILL)
        refuse(devices, "the energy counter of device %s stands still", name.text);
    else {
        devices->usage.microjoules[i] = microjoules;
        devices->usage.known |= UINT64_C(1) << i;
    }
}

void energy_stop(struct rank_record *record)
{
    struct rank_energy *energy = papi_mpi.energy;
    if (energy == NULL)
        return;
    double took = seconds() - energy->since;
    for (int i = 0; i < record->devices.node.n; i++) {
        long long count = 0;
        if (energy->meter[i].es == PAPI_NULL)
            continue;
        int code = PAPI_stop(energy->meter[i].es, &count);
        if (code == PAPI_OK && count >= 0)
            take_energy(&record->devices, i, (uint64_t)count, took);
        else if (code == PAPI_ECLOST)
            refuse(&record->devices, "the energy counter of device %s began anew",
                   where_is(&record->devices.node.device[i]).text);
        else
            refuse(&record->devices, "%s", PAPI_strerror(code));
        drop_set(&energy->meter[i].es);
    }
    free(energy);
    papi_mpi.energy = NULL;
}
