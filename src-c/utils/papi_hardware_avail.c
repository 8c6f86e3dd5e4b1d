/* SPDX-License-Identifier: BSD-3-Clause
 *
 * papi_hardware_avail: the devices that could be counted on, and what the processor is like.
 */
#include "base/json.h"
#include "machine.h"
#include "papi.h"
#include "tool.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

static const char usage_text[] =
    "Usage: papi_hardware_avail [--json]\n"
    "Lists the devices of this machine, and the sockets, cores, caches and NUMA nodes\n"
    "of its processors.\n"
    "\n"
    "      --json     the same for programs: one JSON object\n"
    "      --version  the version of the interface\n"
    "  -h, --help     this text\n"
    "\n"
    "Exit status: 0, 1 after an error, 2 for wrong options.\n";

/* ------------------------------------------------------------------ kinds of devices */

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

/* 0 where the machine does not tell. */
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

/* ------------------------------------------------------------------------- caches */

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

static void print_cache(void *cpu, const struct cache_attributes *cache)
{
    unsigned size = fact(cpu, 0, cache->size), ways = fact(cpu, 0, cache->ways);
    if (size == 0)
        return;
    printf("%-38s: Size/LineSize/Lines/Assoc %uKB/%uB/%u/", cache->label, size / 1024,
           fact(cpu, 0, cache->line_size), fact(cpu, 0, cache->lines));
    if (ways == SHRT_MAX)
        puts("full");
    else if (ways == 0)
        puts("unknown");
    else
        printf("%u\n", ways);
}

static void cache_json(struct json *json, void *cpu, const struct cache_attributes *cache)
{
    unsigned size = fact(cpu, 0, cache->size), ways = fact(cpu, 0, cache->ways);
    if (size == 0)
        return;
    json_open(json, cache->key, '{');
    json_integer(json, "size", size);
    json_integer(json, "line_size", fact(cpu, 0, cache->line_size));
    json_integer(json, "lines", fact(cpu, 0, cache->lines));
    if (ways == 0 || ways == SHRT_MAX)
        json_string(json, "associativity", NULL);
    else
        json_integer(json, "associativity", ways);
    json_boolean(json, "fully_associative", ways == SHRT_MAX);
    json_close(json, '}');
}

/* --------------------------------------------------------------------- NUMA nodes */

enum { MAX_CPU = 65536 };

/* The NUMA node of each CPU, by its number; -1: there is none. Allocated; NULL: out of memory. */
static int *find_nodes(void *cpu, int total, int *end)
{
    int *nodes = malloc(MAX_CPU * sizeof *nodes);
    *end = 0;
    for (int i = 0, found = 0; nodes != NULL && i < MAX_CPU && found < total; i++) {
        unsigned node;
        int code = PAPI_get_dev_attr(cpu, i, PAPI_DEV_ATTR__CPU_UINT_THR_NUMA_AFFINITY, &node);
        nodes[i] = code == PAPI_OK ? (int)node : -1;
        found += code == PAPI_OK;
        *end = i + 1;
    }
    return nodes;
}

/* "0-7,16-23"; empty where that is not as many as the node has: then the machine does not tell. */
static void list_cpus(const int *nodes, int end, int node, unsigned number, char *list, size_t size)
{
    size_t used = 0;
    list[0] = '\0';
    for (int i = 0; i < end; i++)
        number -= nodes[i] == node;
    if (number != 0)
        return;
    for (int i = 0; i < end && used < size; i++) {
        if (nodes[i] != node)
            continue;
        int last = i;
        while (last + 1 < end && nodes[last + 1] == node)
            last++;
        used += (size_t)snprintf(list + used, size - used, last > i ? "%s%d-%d" : "%s%d", used > 0 ? "," : "",
                                 i, last);
        i = last;
    }
}

static void node_json(struct json *json, void *cpu, int node, const int *nodes, int end)
{
    char cpus[1024];
    unsigned threads = fact(cpu, node, PAPI_DEV_ATTR__CPU_UINT_THR_PER_NUMA);
    list_cpus(nodes, end, node, threads, cpus, sizeof cpus);
    json_open(json, NULL, '{');
    json_integer(json, "node", node);
    json_integer(json, "memory_mb", fact(cpu, node, PAPI_DEV_ATTR__CPU_UINT_NUMA_MEM_SIZE));
    json_integer(json, "threads", threads);
    json_string(json, "cpus", cpus[0] != '\0' ? cpus : NULL);
    json_close(json, '}');
}

/* --------------------------------------------------------------------------- text */

/* "---- title ---------", 80 columns */
static void print_rule(const char *title)
{
    int n = title[0] != '\0' ? printf("%s ", title) : 0;
    for (; n < 80; n++)
        putchar('-');
    putchar('\n');
}

static void print_number(const char *label, unsigned value, const char *unit)
{
    if (value == 0)
        printf("%-38s: unknown\n", label);
    else
        printf("%-38s: %u%s\n", label, value, unit);
}

static void print_text(const char *label, const char *text)
{
    printf("%-38s: %s\n", label, text[0] != '\0' ? text : "unknown");
}

static void print_node(void *cpu, int node, const int *nodes, int end)
{
    char label[64], cpus[1024], behind[1032] = "";
    unsigned threads = fact(cpu, node, PAPI_DEV_ATTR__CPU_UINT_THR_PER_NUMA);
    list_cpus(nodes, end, node, threads, cpus, sizeof cpus);
    if (cpus[0] != '\0')
        snprintf(behind, sizeof behind, " (%s)", cpus);
    snprintf(label, sizeof label, "Numa Node %d Memory", node);
    print_number(label, fact(cpu, node, PAPI_DEV_ATTR__CPU_UINT_NUMA_MEM_SIZE), " MB");
    snprintf(label, sizeof label, "Numa Node %d Threads", node);
    print_number(label, threads, behind);
}

static void print_processor(const struct device_kind *kind, const PAPI_hw_info_t *hw)
{
    void *cpu = kind->handle;
    printf("%-38s: %s (%d,0x%x)\n", "Vendor", kind->name[0] != '\0' ? kind->name : "unknown", kind->vendor,
           (unsigned)kind->vendor);
    print_text("Id", "0");
    print_text("Name", device_name(cpu));
    unsigned family = fact(cpu, 0, PAPI_DEV_ATTR__CPU_UINT_FAMILY),
             model = fact(cpu, 0, PAPI_DEV_ATTR__CPU_UINT_MODEL),
             stepping = fact(cpu, 0, PAPI_DEV_ATTR__CPU_UINT_STEPPING);
    printf("%-38s: Family/Model/Stepping %u/%u/%u 0x%02x/0x%02x/0x%02x\n", "CPUID", family, model, stepping,
           family, model, stepping);
    print_number("Sockets", fact(cpu, 0, PAPI_DEV_ATTR__CPU_UINT_SOCKET_COUNT), "");
    print_number("Numa regions", fact(cpu, 0, PAPI_DEV_ATTR__CPU_UINT_NUMA_COUNT), "");
    print_number("Cores per socket", fact(cpu, 0, PAPI_DEV_ATTR__CPU_UINT_CORE_COUNT), "");
    print_number("Cores per NUMA region", (unsigned)hw->ncpu, ""); /* CPUs; scripts know this label */
    print_number("SMT threads per core", fact(cpu, 0, PAPI_DEV_ATTR__CPU_UINT_THREAD_COUNT), "");
    print_number("Threads", (unsigned)hw->totalcpus, "");
    print_number("CPU Max MHz", (unsigned)hw->cpu_max_mhz, "");
    print_number("CPU Min MHz", (unsigned)hw->cpu_min_mhz, "");
    print_text("Running in a VM", !hw->virtualized ? "no" : "yes");
    if (hw->virtualized)
        print_text("VM Vendor", hw->virtual_vendor_string);
    for (int i = 0; i < N_CACHES; i++)
        print_cache(cpu, &caches[i]);
}

static void print_summary(void)
{
    struct device_kind kind = {.handle = NULL};
    print_rule("Device Summary");
    printf("%-38s%s\n", "Vendor", "DevCount");
    while (next_kind(&kind)) {
        printf("%-38s(%d)\n", kind.name[0] != '\0' ? kind.name : "unknown", kind.count);
        if (kind.status[0] != '\0') {
            fputs(" \\-> Status: ", stdout);
            print_wrapped(stdout, kind.status, 13, 13);
        }
    }
}

static void print_devices(const PAPI_hw_info_t *hw, const int *nodes, int end)
{
    struct device_kind kind = {.handle = NULL};
    puts("Devices of this machine, and its processors");
    print_rule("");
    printf("PAPI version                          : %d.%d.%d.%d\n", PAPI_VERSION_MAJOR(PAPI_VERSION),
           PAPI_VERSION_MINOR(PAPI_VERSION), PAPI_VERSION_REVISION(PAPI_VERSION),
           PAPI_VERSION_INCREMENT(PAPI_VERSION));
    putchar('\n');
    print_summary();
    putchar('\n');
    print_rule("Device Information");
    while (next_kind(&kind)) {
        if (kind.id != PAPI_DEV_TYPE_ID__CPU || kind.count == 0)
            continue;
        print_processor(&kind, hw);
        for (int i = 0; i < hw->nnodes; i++)
            print_node(kind.handle, i, nodes, end);
    }
    print_rule("");
}

/* --------------------------------------------------------------------------- JSON */

static void processor_json(struct json *json, const struct device_kind *kind, const PAPI_hw_info_t *hw,
                           const int *nodes, int end)
{
    void *cpu = kind->handle;
    json_open(json, "processor", '{');
    json_string(json, "vendor", kind->name);
    json_integer(json, "vendor_code", kind->vendor);
    json_string(json, "name", device_name(cpu));
    json_integer(json, "family", fact(cpu, 0, PAPI_DEV_ATTR__CPU_UINT_FAMILY));
    json_integer(json, "model", fact(cpu, 0, PAPI_DEV_ATTR__CPU_UINT_MODEL));
    json_integer(json, "stepping", fact(cpu, 0, PAPI_DEV_ATTR__CPU_UINT_STEPPING));
    json_integer(json, "sockets", fact(cpu, 0, PAPI_DEV_ATTR__CPU_UINT_SOCKET_COUNT));
    json_integer(json, "numa_nodes", fact(cpu, 0, PAPI_DEV_ATTR__CPU_UINT_NUMA_COUNT));
    json_integer(json, "cores_per_socket", fact(cpu, 0, PAPI_DEV_ATTR__CPU_UINT_CORE_COUNT));
    json_integer(json, "threads_per_core", fact(cpu, 0, PAPI_DEV_ATTR__CPU_UINT_THREAD_COUNT));
    json_integer(json, "threads_per_numa_node", hw->ncpu);
    json_integer(json, "threads", hw->totalcpus);
    json_integer(json, "min_mhz", hw->cpu_min_mhz);
    json_integer(json, "max_mhz", hw->cpu_max_mhz);
    json_boolean(json, "virtual", hw->virtualized);
    json_string(json, "virtual_vendor", hw->virtualized ? hw->virtual_vendor_string : NULL);
    json_open(json, "caches", '{');
    for (int i = 0; i < N_CACHES; i++)
        cache_json(json, cpu, &caches[i]);
    json_close(json, '}');
    json_open(json, "nodes", '[');
    for (int i = 0; i < hw->nnodes; i++)
        node_json(json, cpu, i, nodes, end);
    json_close(json, ']');
    json_close(json, '}');
}

static void devices_json(const PAPI_hw_info_t *hw, const int *nodes, int end)
{
    struct json json = {.out = stdout};
    struct device_kind kind = {.handle = NULL}, cpu = {.handle = NULL};
    json_open(&json, NULL, '{');
    json_open(&json, "devices", '[');
    while (next_kind(&kind)) {
        if (kind.id == PAPI_DEV_TYPE_ID__CPU)
            cpu = kind;
        json_open(&json, NULL, '{');
        json_string(&json, "vendor", kind.name);
        json_integer(&json, "count", kind.count);
        json_string(&json, "status", kind.status[0] != '\0' ? kind.status : NULL);
        json_close(&json, '}');
    }
    json_close(&json, ']');
    if (cpu.handle != NULL && cpu.count > 0)
        processor_json(&json, &cpu, hw, nodes, end);
    json_close(&json, '}');
}

static int run(struct tool *tool)
{
    if (tool_open(tool) != TOOL_FINE)
        return TOOL_ERROR;
    const PAPI_hw_info_t *hw = PAPI_get_hardware_info();
    void *cpu = NULL;
    int end = 0;
    int *nodes = hw != NULL && PAPI_enum_dev_type(PAPI_DEV_TYPE_ENUM__CPU, &cpu) == PAPI_OK
                     ? find_nodes(cpu, hw->totalcpus, &end)
                     : NULL;
    if (nodes == NULL)
        return tool_error(tool, "the machine cannot be described: %s", PAPI_strerror(PAPI_ENOMEM));
    if (tool->report.json)
        devices_json(hw, nodes, end);
    else
        print_devices(hw, nodes, end);
    free(nodes);
    return TOOL_FINE;
}

int main(int argc, char **argv)
{
    struct tool tool = {.name = "papi_hardware_avail", .usage = usage_text};
    tool_start(&tool, "h", NULL);
    if (tool_option(&tool, argc, argv) == TOOL_NO_MORE && tool_no_arguments(&tool, argc, argv) == TOOL_FINE)
        tool.status = run(&tool);
    return tool_end(&tool);
}
