/* SPDX-License-Identifier: BSD-3-Clause
 *
 * papi_hardware_avail: the devices that could be counted on, and what the processor is like.
 */
#include "base/gpus.h"
#include "papi.h"
#include "tools/common/device_file.h"
#include "tools/common/machine_head.h"
#include "tools/common/tool.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage_text[] =
    "Usage: papi_hardware_avail [--json]\n"
    "Lists the devices of this machine, and the sockets, cores, caches and NUMA nodes\n"
    "of its processors. Of each graphics device: model, PCI address, driver, memory,\n"
    "and the NUMA node and CPUs that are near it.\n"
    "\n"
    "      --json     the same for programs: one JSON object\n"
    "      --version  the version of the interface\n"
    "  -h, --help     this text\n"
    "\n"
    "Exit status: 0, 1 after an error, 2 for wrong options.\n";

/* ---- kinds of devices */

struct device_kind {
    void *handle;
    int id, vendor, count;
    const char *name, *status;
};

static bool next_kind(struct device_kind *kind)
{
    return PAPI_enum_dev_type(PAPI_DEV_TYPE_ENUM__ALL, &kind->handle) == PAPI_OK &&
           PAPI_get_dev_type_attr(kind->handle, PAPI_DEV_TYPE_ATTR__INT_PAPI_ID, &kind->id) == PAPI_OK &&
           PAPI_get_dev_type_attr(kind->handle, PAPI_DEV_TYPE_ATTR__INT_VENDOR_ID, &kind->vendor) ==
               PAPI_OK &&
           PAPI_get_dev_type_attr(kind->handle, PAPI_DEV_TYPE_ATTR__CHAR_NAME, &kind->name) == PAPI_OK &&
           PAPI_get_dev_type_attr(kind->handle, PAPI_DEV_TYPE_ATTR__INT_COUNT, &kind->count) == PAPI_OK &&
           PAPI_get_dev_type_attr(kind->handle, PAPI_DEV_TYPE_ATTR__CHAR_STATUS, &kind->status) == PAPI_OK;
}

/* A fact about a device; 0 if the machine does not tell. */
static unsigned fact(void *handle, int id, PAPI_dev_attr_e attribute)
{
    unsigned value = 0;
    return PAPI_get_dev_attr(handle, id, attribute, &value) == PAPI_OK ? value : 0;
}

static const char *device_name(void *handle)
{
    const char *name = "";
    return PAPI_get_dev_attr(handle, 0, PAPI_DEV_ATTR__CPU_CHAR_NAME, &name) == PAPI_OK ? name : "";
}

/* ---- caches */

static const struct cache_attributes {
    const char *label, *key;
    PAPI_dev_attr_e size, line_size, lines, ways;
} caches[] = {
#define CACHE(label, key, name)                                                                              \
    {                                                                                                        \
        label, key, PAPI_DEV_ATTR__CPU_UINT_##name##_CACHE_SIZE,                                             \
            PAPI_DEV_ATTR__CPU_UINT_##name##_CACHE_LINE_SIZE,                                                \
            PAPI_DEV_ATTR__CPU_UINT_##name##_CACHE_LINE_COUNT, PAPI_DEV_ATTR__CPU_UINT_##name##_CACHE_ASSOC  \
    }
    CACHE("L1i Cache", "l1i", L1I),
    CACHE("L1d Cache", "l1d", L1D),
    CACHE("L2 Cache", "l2", L2U),
    CACHE("L3 Cache", "l3", L3U),
};
enum { N_CACHES = sizeof caches / sizeof caches[0] };

static void show_cache(struct report *report, void *cpu, const struct cache_attributes *cache)
{
    unsigned size = fact(cpu, 0, cache->size), ways = fact(cpu, 0, cache->ways);
    unsigned line_size = fact(cpu, 0, cache->line_size), lines = fact(cpu, 0, cache->lines);
    bool full = ways == SHRT_MAX;
    if (size == 0)
        return;
    report_object(report, cache->key);
    report_sentence(
        report, cache->label,
        full ? "Size/LineSize/Lines/Assoc {.size_kb}KB/{line_size}B/{lines}/full"
             : "Size/LineSize/Lines/Assoc {.size_kb}KB/{line_size}B/{lines}/{associativity|unknown}",
        AS_NUMBER("size", size), AS_NUMBER(".size_kb", size / 1024), AS_NUMBER("line_size", line_size),
        AS_NUMBER("lines", lines), AS_NUMBER("associativity", full || ways == 0 ? REPORT_UNKNOWN : ways),
        AS_FLAG("fully_associative", full));
    report_end(report);
}

/* ---- NUMA nodes */

enum { MAX_CPU = 65536 };

/* "0-7,16-23", of all CPUs of the machine those that are of a node; empty where that is not as many as the
 * node has: then the machine does not tell. */
static void list_cpus(void *cpu, int total, int node, unsigned number, char *list, size_t size)
{
    int first = -1; /* of those in sequence */
    list[0] = '\0';
    for (int i = 0; i < MAX_CPU && (total > 0 || first >= 0); i++) {
        unsigned found;
        bool there = PAPI_get_dev_attr(cpu, i, PAPI_DEV_ATTR__CPU_UINT_THR_NUMA_AFFINITY, &found) == PAPI_OK;
        bool on_node = there && (int)found == node;
        total -= there;
        number -= on_node;
        if (on_node && first < 0)
            first = i;
        if (on_node || first < 0)
            continue;
        text_append(list, size, ",", i > first + 1 ? "%d-%d" : "%d", first, i - 1);
        first = -1;
    }
    if (number != 0)
        list[0] = '\0';
}

static void show_node(struct report *report, void *cpu, int total, int node)
{
    char label[64], cpus[1024];
    unsigned threads = fact(cpu, node, PAPI_DEV_ATTR__CPU_UINT_THR_PER_NUMA);
    list_cpus(cpu, total, node, threads, cpus, sizeof cpus);
    report_object(report, NULL);
    report_number(report, NULL, "node", node);
    snprintf(label, sizeof label, "Numa Node %d Memory", node);
    report_measure(report, label, "memory_mb", fact(cpu, node, PAPI_DEV_ATTR__CPU_UINT_NUMA_MEM_SIZE), " MB");
    snprintf(label, sizeof label, "Numa Node %d Threads", node);
    report_sentence(report, label, threads > 0 ? "{threads}{cpus? (%s)}" : "unknown",
                    AS_NUMBER("threads", threads), AS_TEXT("cpus", cpus[0] != '\0' ? cpus : NULL));
    report_end(report);
}

/* ---- the whole */

/* "---- title ---------", 80 columns */
static void show_rule(struct report *report, const char *title)
{
    static const char dashes[] =
        "--------------------------------------------------------------------------------";
    int n = title[0] != '\0' ? (int)strlen(title) + 1 : 0;
    report_line(report, NULL, "%s%s%s", title, n > 0 ? " " : "", dashes + n);
}

static void show_names(struct report *report, const struct device_kind *kind)
{
    void *cpu = kind->handle;
    unsigned family = fact(cpu, 0, PAPI_DEV_ATTR__CPU_UINT_FAMILY),
             model = fact(cpu, 0, PAPI_DEV_ATTR__CPU_UINT_MODEL),
             stepping = fact(cpu, 0, PAPI_DEV_ATTR__CPU_UINT_STEPPING);
    report_sentence(report, "Vendor", "{vendor|unknown} ({vendor_code},0x{vendor_code:%x})",
                    AS_TEXT("vendor", kind->name), AS_NUMBER("vendor_code", kind->vendor));
    report_line(report, "Id", "0");
    report_sentence(report, "Name", "{name|unknown}", AS_TEXT("name", device_name(cpu)));
    report_sentence(report, "CPUID",
                    "Family/Model/Stepping {family}/{model}/{stepping} "
                    "0x{family:%02x}/0x{model:%02x}/0x{stepping:%02x}",
                    AS_NUMBER("family", family), AS_NUMBER("model", model), AS_NUMBER("stepping", stepping));
}

static void show_topology(struct report *report, void *cpu, const PAPI_hw_info_t *hw)
{
    report_number(report, "Sockets", "sockets", fact(cpu, 0, PAPI_DEV_ATTR__CPU_UINT_SOCKET_COUNT));
    report_number(report, "Numa regions", "numa_nodes", fact(cpu, 0, PAPI_DEV_ATTR__CPU_UINT_NUMA_COUNT));
    report_number(report, "Cores per socket", "cores_per_socket",
                  fact(cpu, 0, PAPI_DEV_ATTR__CPU_UINT_CORE_COUNT));
    /* CPUs; scripts know this label. */
    report_number(report, "Cores per NUMA region", "threads_per_numa_node", hw->ncpu);
    report_number(report, "SMT threads per core", "threads_per_core",
                  fact(cpu, 0, PAPI_DEV_ATTR__CPU_UINT_THREAD_COUNT));
    report_number(report, "Threads", "threads", hw->totalcpus);
    report_number(report, "CPU Max MHz", "max_mhz", hw->cpu_max_mhz);
    report_number(report, "CPU Min MHz", "min_mhz", hw->cpu_min_mhz);
    report_flag(report, "Running in a VM", "virtual", hw->virtualized);
    report_sentence(report, "VM Vendor", hw->virtualized ? "{virtual_vendor|unknown}" : NULL,
                    AS_TEXT("virtual_vendor", hw->virtualized ? hw->virtual_vendor_string : NULL));
}

static void show_processor(struct report *report, const struct device_kind *kind, const PAPI_hw_info_t *hw)
{
    report_object(report, "processor");
    show_names(report, kind);
    show_topology(report, kind->handle, hw);
    report_object(report, "caches");
    for (int i = 0; i < N_CACHES; i++)
        show_cache(report, kind->handle, &caches[i]);
    report_end(report);
    report_list(report, "nodes");
    for (int i = 0; i < hw->nnodes; i++)
        show_node(report, kind->handle, hw->totalcpus, i);
    report_end(report);
    report_end(report);
}

static void show_device(struct report *report, const struct device_kind *kind)
{
    static const struct report_layout layout = {.indent = 1, .separator = "\\-> Status: ", .hang = 13};
    report_object(report, NULL);
    report_sentence(report, NULL, "{vendor:%-38s|unknown}({count})", AS_TEXT("vendor", kind->name),
                    AS_NUMBER("count", kind->count));
    report->layout = &layout;
    report_string(report, "", "status", kind->status[0] != '\0' ? kind->status : NULL);
    report_end(report);
}

/* ---- graphics devices */

/* A device's driver, with its version where it shows one, or why there is none. */
static void show_driver(struct report *report, const struct gpu *gpu)
{
    if (gpu->driver[0] != '\0')
        report_sentence(report, "Driver", "{driver}{driver_version? %s}", AS_TEXT("driver", gpu->driver),
                        AS_TEXT("driver_version", gpu->version[0] != '\0' ? gpu->version : NULL));
    else
        report_sentence(report, "Driver",
                        "{driver|none} is bound to it, so that nothing counts: load {needed_driver}",
                        AS_TEXT("driver", NULL), AS_TEXT("needed_driver", device_driver(gpu)));
}

static void show_access(struct report *report, const struct gpu *gpu)
{
    char group[64] = "";
    const char *closed = device_closed_file(gpu, group, sizeof group);
    if (closed != NULL)
        report_sentence(report, "Access",
                        "you may not open {closed}, so that nothing counts: sudo usermod -aG {group} $USER, "
                        "and log in again",
                        AS_TEXT("closed", closed), AS_TEXT("group", group));
}

/* The model without the vendor's name, which stands before it; NULL: the driver shows none. */
static const char *model_of(const struct gpu *gpu)
{
    size_t length = strlen(gpu_vendor(gpu));
    const char *model = gpu->model;
    if (strncmp(model, gpu_vendor(gpu), length) == 0 && model[length] == ' ')
        model += length + 1;
    return model[0] != '\0' ? model : NULL;
}

static void show_gpu(struct report *report, const struct gpu *gpu)
{
    report_object(report, NULL);
    report_sentence(report, "Graphics device", "{vendor}{model? %s}", AS_TEXT("vendor", gpu_vendor(gpu)),
                    AS_TEXT("model", model_of(gpu)));
    report_sentence(report, "PCI device id", "0x{device:%04x}", AS_NUMBER("device", gpu->device));
    report_string(report, "PCI address", "pci", gpu->address);
    show_driver(report, gpu);
    if (gpu->memory > 0)
        report_measure(report, "Memory", "memory_mb", (long long)(gpu->memory >> 20), " MB");
    if (gpu->numa_node >= 0)
        report_sentence(report, "NUMA node", "{numa_node}", AS_NUMBER("numa_node", gpu->numa_node));
    report_string(report, "CPUs near it", "cpus", gpu->cpus[0] != '\0' ? gpu->cpus : NULL);
    report_string(report, "File", "file", gpu->node[0] != '\0' ? gpu->node : NULL);
    show_access(report, gpu);
    report_end(report);
}

static void show_gpus(struct report *report)
{
    struct gpu *gpus;
    int n = gpus_find(machine_root(), &gpus);
    report_list(report, "gpus");
    for (int i = 0; i < n; i++) {
        report_blank(report);
        show_gpu(report, &gpus[i]);
    }
    report_end(report);
    free(gpus);
}

static void show_devices(struct report *report, const PAPI_hw_info_t *hw)
{
    static const struct report_layout layout = {.width = 38, .separator = ": ", .zero = "unknown"};
    struct device_kind kind = {.handle = NULL}, cpu = {.handle = NULL};
    char version[32];
    report_line(report, NULL, "Devices of this machine, and its processors");
    show_rule(report, "");
    version_text(PAPI_VERSION, version, sizeof version);
    report_line(report, NULL, "PAPI version                          : %s\n", version);
    show_rule(report, "Device Summary");
    report_line(report, NULL, "%-38s%s", "Vendor", "DevCount");
    report_list(report, "devices");
    while (next_kind(&kind)) {
        if (kind.id == PAPI_DEV_TYPE_ID__CPU && kind.count > 0)
            cpu = kind;
        show_device(report, &kind);
    }
    report_end(report);
    report_blank(report);
    show_rule(report, "Device Information");
    report->layout = &layout;
    if (cpu.handle != NULL)
        show_processor(report, &cpu, hw);
    show_gpus(report);
    show_rule(report, "");
}

static int run(struct tool *tool)
{
    const PAPI_hw_info_t *hw = PAPI_get_hardware_info();
    if (hw == NULL)
        return tool_error(tool, "the machine cannot be described: %s", PAPI_strerror(PAPI_ENOMEM));
    show_devices(&tool->report, hw);
    return TOOL_FINE;
}

int main(int argc, char **argv)
{
    struct tool tool = {.name = "papi_hardware_avail", .usage = usage_text};
    if (tool_ready(&tool, argc, argv, NULL, NULL))
        tool.status = run(&tool);
    return tool_end(&tool);
}
