/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Power, temperature, clocks and use of AMD's devices by ROCm SMI,
 * "rocm_smi:::power_average:device=0:sensor=0". The library writes to standard error where there is no
 * device: it is not loaded then.
 */
#include "base/gpus.h"
#include "base/text_rows.h"
#include "components/components.h"
#include "components/device/device_table.h"
#include "components/device/librocm_smi.h"
#include "papi.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define LIBRARY "librocm_smi64.so"

enum { MOST_DEVICES = 1024 };

enum { TEMPERATURES = 7, FANS = 4, POWERS = 2 };

/* Blocks that have memory which is checked, by their bits. */
TEXT_ROWS_BEGIN
static const char blocks[][12] = {"UMC",       "SDMA", "GFX", "MMHUB", "ATHUB", "PCIE_BIF", "HDP",
                                  "XGMI_WAFL", "DF",   "SMN", "SEM",   "MP0",   "MP1",      "FUSE"};
TEXT_ROWS_END
enum { BLOCKS = sizeof blocks / sizeof *blocks };

enum { A_DEVICE, THE_MACHINE }; /* kinds of devices */

#define ASKED(EVENT, NAME, WORDS, UNIT, FUNCTION, CALL, NUMBER, ...)                                         \
    {                                                                                                        \
        .event = EVENT(NAME, WORDS, UNIT), .function = FUNCTION, .call = CALL, .number = NUMBER, __VA_ARGS__ \
    }
#define LEVEL DEVICE_LEVEL
#define COUNTER DEVICE_COUNTER
#define TEMPERATURE(NAME, WORDS, WHICH)                                                                      \
    ASKED(LEVEL, NAME, WORDS " of the sensor: 0 edge, 1 junction, 2 memory, 3 to 6 stacks of HBM",           \
          "1/1000 degree C", "rsmi_dev_temp_metric_get", DEVICE_BY_TWO, DEVICE_I64,                          \
          .argument = {DEVICE_INSTANCE, WHICH}, .instances = TEMPERATURES)
#define OF_DEVICE(EVENT, NAME, WORDS, UNIT, FUNCTION, NUMBER, ...)                                           \
    ASKED(EVENT, NAME, WORDS, UNIT, FUNCTION, DEVICE_OUT, NUMBER, __VA_ARGS__)
#define MEMORY(NAME, WORDS, FUNCTION, WHICH)                                                                 \
    ASKED(LEVEL, NAME, WORDS, "bytes", FUNCTION, DEVICE_BY_ONE, DEVICE_U64, .argument = {WHICH})
#define CLOCK(NAME, WORDS, WHICH)                                                                            \
    ASKED(LEVEL, NAME, WORDS, "Hz", "rsmi_dev_gpu_clk_freq_get", DEVICE_OWN, DEVICE_U64, .argument = {WHICH})
#define OF_SENSOR(EVENT, NAME, WORDS, UNIT, FUNCTION, NUMBER, N, ...)                                        \
    ASKED(EVENT, NAME, WORDS, UNIT, FUNCTION, DEVICE_BY_ONE, NUMBER, .argument = {DEVICE_INSTANCE},          \
          .instances = N, __VA_ARGS__)
#define THROUGHPUT(NAME, WORDS, UNIT, OFFSET)                                                                \
    ASKED(LEVEL, NAME, WORDS, UNIT, "rsmi_dev_pci_throughput_get", DEVICE_OUT_THRICE, DEVICE_U64,            \
          .offset = OFFSET, .slow = true)
#define ERRORS(NAME, WORDS, OFFSET)                                                                          \
    ASKED(COUNTER, NAME, WORDS " of the block", "errors", "rsmi_dev_ecc_count_get", DEVICE_BY_ONE,           \
          DEVICE_U64, .offset = OFFSET, .argument = {DEVICE_INSTANCE_BIT}, .instances = BLOCKS)

static const struct device_row rows[] = {
    OF_DEVICE(LEVEL, "NUMDevices", "Devices that ROCm SMI finds", "", "rsmi_num_monitor_devices", DEVICE_U32,
              .kind = THE_MACHINE),
    OF_DEVICE(LEVEL, "rsmi_version", "Version of ROCm SMI: major * 2^32 + minor * 2^16 + patch", "",
              "rsmi_version_get", DEVICE_U64, .kind = THE_MACHINE),
    OF_SENSOR(LEVEL, "power_average", "Power that the device used in the last moments", "uW",
              "rsmi_dev_power_ave_get", DEVICE_U64, POWERS),
    OF_DEVICE(LEVEL, "power_current", "Power that the device's socket uses now", "uW",
              "rsmi_dev_current_socket_power_get", DEVICE_U64),
    OF_SENSOR(DEVICE_LIMIT, "power_cap", "Power that the device is allowed to use", "uW",
              "rsmi_dev_power_cap_get", DEVICE_U64, POWERS, .setter = "rsmi_dev_power_cap_set"),
    OF_DEVICE(LEVEL, "power_cap_default", "Limit of the power that the device begins with", "uW",
              "rsmi_dev_power_cap_default_get", DEVICE_U64),
    ASKED(LEVEL, "power_cap_range_max", "The highest limit of the power that can be set", "uW",
          "rsmi_dev_power_cap_range_get", DEVICE_BY_ONE_OUT_TWICE, DEVICE_U64, .argument = {DEVICE_INSTANCE},
          .instances = POWERS),
    ASKED(LEVEL, "power_cap_range_min", "The lowest limit of the power that can be set", "uW",
          "rsmi_dev_power_cap_range_get", DEVICE_BY_ONE_OUT_TWICE, DEVICE_U64, .argument = {DEVICE_INSTANCE},
          .instances = POWERS, .offset = 8),
    ASKED(COUNTER, "energy_count", "Energy that the device used", "uJ", "rsmi_dev_energy_count_get",
          DEVICE_OUT_THRICE, DEVICE_TIMES_FLOAT),
    TEMPERATURE("temp_current", "Temperature now", ROCM_NOW),
    TEMPERATURE("temp_max", "Highest allowed temperature", ROCM_MAX),
    TEMPERATURE("temp_min", "Lowest allowed temperature", ROCM_MIN),
    TEMPERATURE("temp_max_hyst", "Temperature below which it is no longer too high", ROCM_MAX_HYST),
    TEMPERATURE("temp_min_hyst", "Temperature above which it is no longer too low", ROCM_MIN_HYST),
    TEMPERATURE("temp_critical", "Critical temperature", ROCM_CRITICAL),
    TEMPERATURE("temp_critical_hyst", "Temperature below which it is no longer critical", ROCM_CRITICAL_HYST),
    TEMPERATURE("temp_emergency", "Temperature of an emergency", ROCM_EMERGENCY),
    TEMPERATURE("temp_emergency_hyst", "Temperature below which it is no longer one", ROCM_EMERGENCY_HYST),
    OF_DEVICE(LEVEL, "busy_percent", "Part of the last moments in which the device worked", "percent",
              "rsmi_dev_busy_percent_get", DEVICE_U32, .below = 101),
    OF_DEVICE(LEVEL, "memory_busy_percent", "Part of the last moments in which its memory was busy",
              "percent", "rsmi_dev_memory_busy_percent_get", DEVICE_U32, .below = 101),
    MEMORY("mem_total_VRAM", "Memory of the device", "rsmi_dev_memory_total_get", OF_MEMORY),
    MEMORY("mem_total_VIS_VRAM", "Memory of the device that processors reach", "rsmi_dev_memory_total_get",
           OF_VISIBLE_MEMORY),
    MEMORY("mem_total_GTT", "Memory of the node that the device reaches", "rsmi_dev_memory_total_get",
           OF_GTT),
    MEMORY("mem_usage_VRAM", "Memory of the device that is in use", "rsmi_dev_memory_usage_get", OF_MEMORY),
    MEMORY("mem_usage_VIS_VRAM", "Memory in use that processors reach", "rsmi_dev_memory_usage_get",
           OF_VISIBLE_MEMORY),
    MEMORY("mem_usage_GTT", "Memory of the node that the device uses", "rsmi_dev_memory_usage_get", OF_GTT),
    CLOCK("clk_freq_system", "Clock of the compute units", SYSTEM_CLOCK),
    CLOCK("clk_freq_fabric", "Clock of the data fabric", FABRIC_CLOCK),
    CLOCK("clk_freq_soc", "Clock of the rest of the chip", SOC_CLOCK),
    CLOCK("clk_freq_memory", "Clock of the memory", MEMORY_CLOCK),
    OF_SENSOR(LEVEL, "fan_rpms", "Speed of the fan", "RPM", "rsmi_dev_fan_rpms_get", DEVICE_I64, FANS),
    OF_SENSOR(LEVEL, "fan_speed", "Speed of the fan, of fan_speed_max", "", "rsmi_dev_fan_speed_get",
              DEVICE_I64, FANS),
    OF_SENSOR(LEVEL, "fan_speed_max", "The highest speed of the fan", "", "rsmi_dev_fan_speed_max_get",
              DEVICE_U64, FANS),
    THROUGHPUT("pci_throughput_sent", "Data that the device sends by PCIe in the second of the question",
               "bytes/s", 0),
    THROUGHPUT("pci_throughput_received",
               "Data that the device receives by PCIe in the second of the question", "bytes/s", 8),
    THROUGHPUT("pci_throughput_max_packet", "The largest packet of PCIe", "bytes", 16),
    OF_DEVICE(COUNTER, "pci_replay_counter", "Packets that PCIe had to send again", "",
              "rsmi_dev_pci_replay_counter_get", DEVICE_U64),
    ERRORS("ecc_count_correctable", "Errors of memory that were corrected", 0),
    ERRORS("ecc_count_uncorrectable", "Errors of memory that could not be corrected", 8),
    OF_DEVICE(LEVEL, "pci_id", "Address of PCI: domain * 2^32 + bus * 2^8 + device * 2^3 + function", "",
              "rsmi_dev_pci_id_get", DEVICE_U64),
    OF_DEVICE(LEVEL, "numa_node", "NUMA node that is nearest to the device", "",
              "rsmi_topo_numa_affinity_get", DEVICE_U32),
    OF_DEVICE(LEVEL, "overdrive_level", "Overdrive of the clock", "percent", "rsmi_dev_overdrive_level_get",
              DEVICE_U32),
    OF_DEVICE(LEVEL, "perf_level", "Level of performance: 0 automatic, 1 low, 2 high, 3 set by hand, ...", "",
              "rsmi_dev_perf_level_get", DEVICE_U32),
};

struct rsmi {
    struct device_table table;
    int (*init)(uint64_t flags), (*shut_down)(void);
    int (*count)(uint32_t *n);
    int (*string)(int result, const char **string);
};

/* ---- errors */

static int code_of(int result)
{
    switch (result) {
    case RSMI_PERMISSION:
        return PAPI_EPERM;
    case RSMI_NOT_SUPPORTED:
    case RSMI_FILE_ERROR:
    case RSMI_NOT_YET_IMPLEMENTED:
    case RSMI_NOT_FOUND:
    case RSMI_NO_DATA:
        return PAPI_ENOEVNT;
    case RSMI_INIT_ERROR:
        return PAPI_ENOSUPP;
    case RSMI_OUT_OF_RESOURCES:
        return PAPI_ENOMEM;
    case RSMI_INTERRUPT:
    case RSMI_BUSY:
        return PAPI_ESYS;
    default:
        return PAPI_EMISC;
    }
}

/* For sensors and blocks that a device does not have the library answers also that the argument is wrong. */
static bool is_absent(int result)
{
    return code_of(result) == PAPI_ENOEVNT || result == RSMI_INVALID_ARGUMENTS;
}

static const char *words_of(const struct device_table *table, int result)
{
    const struct rsmi *rsmi = (const struct rsmi *)table;
    const char *words = NULL;
    return rsmi->string != NULL && rsmi->string(result, &words) == RSMI_SUCCESS ? words : NULL;
}

/* ---- library */

static const struct device_library_source rocm = {
    .files = (const char *const[]){LIBRARY, LIBRARY ".1", LIBRARY ".7", LIBRARY ".6", LIBRARY ".5", NULL},
    .root_variable = "PAPI_ROCMSMI_ROOT",
    .usual_root = "/opt/rocm",
    .folders = (const char *const[]){"lib", "lib64", "rocm_smi/lib", NULL},
    .advice = "which ROCm brings (Debian: librocm-smi64-1): install it, or name its folder in "
              "PAPI_ROCMSMI_ROOT",
};

#define FUNCTION(NAME, MEMBER, NEED)                                                                         \
    {                                                                                                        \
        NAME, offsetof(struct rsmi, MEMBER), NEED                                                            \
    }

static const struct device_function functions[] = {
    FUNCTION("rsmi_init", init, DEVICE_NEEDED),
    FUNCTION("rsmi_shut_down", shut_down, DEVICE_NEEDED),
    FUNCTION("rsmi_num_monitor_devices", count, DEVICE_NEEDED),
    FUNCTION("rsmi_status_string", string, DEVICE_OPTIONAL),
};

static int start(struct device_table *table)
{
    return ((struct rsmi *)table)->init(0);
}

static void end(struct device_table *table)
{
    ((struct rsmi *)table)->shut_down();
}

static int find(struct device_table *table, struct reason *why)
{
    const struct device machine = {.kind = THE_MACHINE};
    uint32_t n = 0;
    int result = ((struct rsmi *)table)->count(&n);
    if (result != RSMI_SUCCESS)
        return device_table_failed(table, result, "the number of devices", why);
    if (n == 0)
        return reason_set(why, PAPI_ENOSUPP, "ROCm SMI finds no device that this container or job may use");
    int code = device_table_add(table, &machine, why);
    for (uint32_t i = 0; i < n && i < MOST_DEVICES && code == PAPI_OK; i++)
        code = device_table_add(table, &(struct device){.index = i}, why);
    return code;
}

static void name_event(const struct device *device, const struct device_row *row, int instance, char *text,
                       size_t size)
{
    char part[32] = "";
    if (row->instances > 0 && row->argument[0] == DEVICE_INSTANCE_BIT)
        snprintf(part, sizeof part, ":block=%s", blocks[instance]);
    else if (row->instances > 0)
        snprintf(part, sizeof part, ":sensor=%d", instance);
    if (device->kind == THE_MACHINE)
        snprintf(text, size, "%s", row->event.name);
    else
        snprintf(text, size, "%s:device=%u%s", row->event.name, device->index, part);
}

/* ---- numbers */

/* The frequency that a clock has now. An old library's structure begins with a number that is more than the
 * next one; a new library's with 0 or 1, or with what was there before, and its next number is at least 1. */
static int current_clock(int (*ask)(uint32_t, int, void *), uint32_t index, int which, uint64_t *answer)
{
    union {
        struct clocks now;
        struct old_clocks old;
        char room[1024];
    } clocks;
    memset(&clocks, 0xff, sizeof clocks);
    int result = ask(index, which, &clocks);
    if (result != RSMI_SUCCESS)
        return result;
    if (clocks.old.n <= MOST_CLOCKS - 1 && clocks.old.current < clocks.old.n)
        *answer = clocks.old.frequency[clocks.old.current];
    else if (clocks.now.n <= MOST_CLOCKS && clocks.now.current < clocks.now.n)
        *answer = clocks.now.frequency[clocks.now.current];
    else
        return RSMI_NO_DATA;
    return RSMI_SUCCESS;
}

struct version {
    uint32_t major, minor, patch;
    const char *build;
};

static int ask_machine(const struct device_row *row, device_function_pointer *function, void *answer)
{
    int result = ((int (*)(void *))function)(answer);
    struct version version;
    memcpy(&version, answer, sizeof version);
    if (row->number == DEVICE_U64)
        *(uint64_t *)answer = (uint64_t)version.major << 32 | version.minor << 16 | version.patch;
    return result;
}

static int call(const struct device_row *row, const int *argument, device_function_pointer *function,
                const struct device *device, void *answer)
{
    typedef int out(uint32_t, void *), by_one(uint32_t, uint32_t, void *);
    typedef int by_block(uint32_t, uint64_t, void *), by_two(uint32_t, uint32_t, uint32_t, void *);
    typedef int by_one_twice(uint32_t, uint32_t, void *, void *), thrice(uint32_t, void *, void *, void *);
    uint32_t index = device->index, first = (uint32_t)argument[0], second = (uint32_t)argument[1];
    char *a = answer;
    if (device->kind == THE_MACHINE)
        return ask_machine(row, function, answer);
    switch (row->call) {
    case DEVICE_OWN:
        return current_clock((int (*)(uint32_t, int, void *))function, index, argument[0], answer);
    case DEVICE_BY_ONE:
        return row->argument[0] == DEVICE_INSTANCE_BIT ? ((by_block *)function)(index, first, a)
                                                       : ((by_one *)function)(index, first, a);
    case DEVICE_BY_TWO:
        return ((by_two *)function)(index, first, second, a);
    case DEVICE_BY_ONE_OUT_TWICE:
        return ((by_one_twice *)function)(index, first, a, a + 8);
    case DEVICE_OUT_THRICE:
        return ((thrice *)function)(index, a, a + 8, a + 16);
    default:
        return ((out *)function)(index, a);
    }
}

static int set(device_function_pointer *setter, const struct device *device, int instance, uint64_t value)
{
    return ((int (*)(uint32_t, uint32_t, uint64_t))setter)(device->index, (uint32_t)instance, value);
}

/* ---- component */

static const struct device_vendor vendor = {
    .library = LIBRARY,
    .owner = "ROCm SMI",
    .source = &rocm,
    .functions = functions,
    .n_functions = sizeof functions / sizeof *functions,
    .size = sizeof(struct rsmi),
    .rows = rows,
    .n_rows = sizeof rows / sizeof *rows,
    .gpu = GPU_OF_AMD,
    .start = start,
    .end = end,
    .find = find,
    .call = call,
    .set = set,
    .name = name_event,
    .code = code_of,
    .absent = is_absent,
    .words = words_of,
};

DEVICE_FUNCTIONS(vendor)

const struct component rocm_smi_component = {
    DEVICE_COMPONENT("rocm_smi"),
    .description = "Power, temperature, clocks and use of AMD's devices, by ROCm SMI",
};
