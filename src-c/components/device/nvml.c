/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Power, clocks, temperature, traffic and errors of NVIDIA's devices, "nvml:::Tesla_V100:device_0:power", by
 * the library that their driver brings. It is loaded when somebody asks for its events, and stays as long as
 * their list. A device that is divided (MIG) also has its parts, "nvml:::H100:device_0:mig_1:total_memory".
 */
#include "components/components.h"
#include "components/device/device_table.h"
#include "papi.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define LIBRARY "libnvidia-ml.so.1"

enum { MOST_DEVICES = 1024, MOST_PARTS = 64 };

/* Numbers and structures of nvml.h, which do not change. */
enum {
    NVML_SUCCESS = 0,
    NVML_NOT_SUPPORTED = 3,
    NVML_NO_PERMISSION = 4,
    NVML_NOT_FOUND = 6,
    NVML_DRIVER_NOT_LOADED = 9,
    NVML_TIMEOUT = 10,
    NVML_FUNCTION_NOT_FOUND = 13,
    NVML_GPU_IS_LOST = 15,
    NVML_RESET_REQUIRED = 16,
    NVML_BLOCKED = 17,
    NVML_VERSION_MISMATCH = 18,
    NVML_IN_USE = 19,
    NVML_MEMORY = 20,
};
enum { CORRECTED = 0, UNCORRECTED = 1, VOLATILE = 0 }; /* errors since the driver was loaded */
enum { OF_L1, OF_L2, OF_MEMORY, OF_REGISTERS };
enum { GRAPHICS, SM, MEMORY, VIDEO };
enum { OF_THE_CHIP };
enum { SHUTDOWN, SLOWDOWN, MEMORY_MOST, CHIP_MOST };
enum { SENT, RECEIVED };
enum { BY_POWER, BY_TEMPERATURE, BY_SYNC_BOOST, BY_BOARD, BY_LOW_USE, BY_RELIABILITY };
enum { ALL_LINKS = -1 };
enum { THE_ADDRESS }; /* in place of the number of a field */

/* Numbers of fields, which are asked for together with a scope: a link, a part of the board. */
enum {
    FIELD_CRC_FLIT = 38,
    FIELD_CRC_DATA = 45,
    FIELD_REPLAY = 52,
    FIELD_RECOVERY = 59,
    FIELD_MEMORY_TEMPERATURE = 82,
    FIELD_DATA_SENT = 138,
    FIELD_DATA_RECEIVED,
    FIELD_RAW_SENT,
    FIELD_RAW_RECEIVED,
    FIELD_REMAPPED_CORRECTED,
    FIELD_REMAPPED_UNCORRECTED,
    FIELD_POWER_AVERAGE = 185,
    FIELD_POWER_INSTANT,
};

struct field {
    unsigned id, scope;
    long long time, latency;
    int type, result;
    union {
        double real;
        unsigned small;
        unsigned long long large;
        int small_signed;
    } value;
};
enum { FIELD_UNSIGNED = 1, FIELD_LONG, FIELD_LONG_LONG, FIELD_SIGNED_LONG_LONG, FIELD_SIGNED };

struct address {
    char legacy[16];
    unsigned domain, bus, device, id, subsystem;
    char text[32];
};

enum { WHOLE_DEVICE, PART_OF_DEVICE }; /* kinds of devices */

#define LEVEL DEVICE_LEVEL
#define COUNTER DEVICE_COUNTER
#define ASKED(KIND, NAME, WORDS, UNIT, FUNCTION, CALL, NUMBER, ...)                                          \
    {                                                                                                        \
        .event = KIND(NAME, WORDS, UNIT), .function = FUNCTION, .call = CALL, .number = NUMBER, __VA_ARGS__  \
    }
#define ERRORS(NAME, WHERE, SORT, PLACE)                                                                     \
    ASKED(COUNTER, NAME, WHERE " since the driver was loaded", "errors", "nvmlDeviceGetMemoryErrorCounter",  \
          DEVICE_BY_THREE, DEVICE_U64, .argument = {SORT, VOLATILE, PLACE})
#define FIELD(KIND, NAME, WORDS, UNIT, ID, SCOPE)                                                            \
    ASKED(KIND, NAME, WORDS, UNIT, "nvmlDeviceGetFieldValues", DEVICE_OWN, DEVICE_U64,                       \
          .argument = {ID, SCOPE})
#define NVLINK(NAME, WORDS, ID)                                                                              \
    ASKED(COUNTER, NAME, WORDS " by all links of NVLink", "bytes", "nvmlDeviceGetFieldValues", DEVICE_OWN,   \
          DEVICE_U64, .argument = {ID, ALL_LINKS}, .times = 1024)
#define CLOCK(NAME, WORDS, FUNCTION, WHICH)                                                                  \
    ASKED(LEVEL, NAME, WORDS, "MHz", FUNCTION, DEVICE_BY_ONE, DEVICE_U32, .argument = {WHICH})
#define THRESHOLD(NAME, WORDS, WHICH)                                                                        \
    ASKED(LEVEL, NAME, WORDS, "degree C", "nvmlDeviceGetTemperatureThreshold", DEVICE_BY_ONE, DEVICE_U32,    \
          .argument = {WHICH})
#define REASONS "nvmlDeviceGetCurrentClocksThrottleReasons"
#define REASON(NAME, WORDS, BIT)                                                                             \
    ASKED(LEVEL, "throttle_" NAME, "1 while the clocks are lower " WORDS ", else 0", "", REASONS,            \
          DEVICE_OUT, DEVICE_U64, .bit = BIT)
#define HELD_BACK(NAME, WORDS, POLICY)                                                                       \
    ASKED(COUNTER, "throttled_" NAME, "Time in which the clocks were held back " WORDS, "ns",                \
          "nvmlDeviceGetViolationStatus", DEVICE_BY_ONE, DEVICE_U64, .argument = {POLICY}, .offset = 8)
#define MEMORY_OF(OF, NAME, WORDS, OFFSET)                                                                   \
    ASKED(LEVEL, NAME, "Memory of the device" WORDS, "bytes", "nvmlDeviceGetMemoryInfo", DEVICE_OUT,         \
          DEVICE_U64, .offset = OFFSET, .kind = OF)
#define OF_DEVICE(KIND, NAME, WORDS, UNIT, FUNCTION)                                                         \
    ASKED(KIND, NAME, WORDS, UNIT, FUNCTION, DEVICE_OUT, DEVICE_U32, .offset = 0)

static const struct device_row rows[] = {
    OF_DEVICE(LEVEL, "power", "Power that the device uses now", "mW", "nvmlDeviceGetPowerUsage"),
    FIELD(LEVEL, "power_instant", "Power that the device uses at this moment", "mW", FIELD_POWER_INSTANT, 0),
    FIELD(LEVEL, "power_average", "Power that the device used in the last second", "mW", FIELD_POWER_AVERAGE,
          0),
    ASKED(COUNTER, "total_energy_consumption", "Energy that the device used", "mJ",
          "nvmlDeviceGetTotalEnergyConsumption", DEVICE_OUT, DEVICE_U64, .offset = 0),
    ASKED(LEVEL, "temperature", "Temperature of the chip", "degree C", "nvmlDeviceGetTemperature",
          DEVICE_BY_ONE, DEVICE_U32, .argument = {OF_THE_CHIP}),
    FIELD(LEVEL, "memory_temperature", "Temperature of the memory", "degree C", FIELD_MEMORY_TEMPERATURE, 0),
    THRESHOLD("temperature_shutdown", "Temperature at which the device switches itself off", SHUTDOWN),
    THRESHOLD("temperature_slowdown", "Temperature at which the device slows down", SLOWDOWN),
    THRESHOLD("memory_temperature_max", "Temperature of the memory at which the device slows down",
              MEMORY_MOST),
    THRESHOLD("temperature_max", "Temperature above which clocks fall below the base clock", CHIP_MOST),
    ASKED(LEVEL, "gpu_utilization", "Part of the last second or less in which the device ran a kernel",
          "percent", "nvmlDeviceGetUtilizationRates", DEVICE_OUT, DEVICE_U32, .offset = 0, .below = 101),
    ASKED(LEVEL, "memory_utilization",
          "Part of the last second or less in which the device's memory was read or written", "percent",
          "nvmlDeviceGetUtilizationRates", DEVICE_OUT, DEVICE_U32, .offset = 4, .below = 101),
    ASKED(LEVEL, "encoder_utilization", "Part of the time in which the video encoder worked", "percent",
          "nvmlDeviceGetEncoderUtilization", DEVICE_OUT_TWICE, DEVICE_U32, .below = 101),
    ASKED(LEVEL, "decoder_utilization", "Part of the time in which the video decoder worked", "percent",
          "nvmlDeviceGetDecoderUtilization", DEVICE_OUT_TWICE, DEVICE_U32, .below = 101),
    MEMORY_OF(WHOLE_DEVICE, "total_memory", "", 0),
    MEMORY_OF(WHOLE_DEVICE, "unallocated_memory", " that is free", 8),
    MEMORY_OF(WHOLE_DEVICE, "allocated_memory", " that is in use", 16),
    MEMORY_OF(PART_OF_DEVICE, "total_memory", "'s part", 0),
    MEMORY_OF(PART_OF_DEVICE, "unallocated_memory", "'s part that is free", 8),
    MEMORY_OF(PART_OF_DEVICE, "allocated_memory", "'s part that is in use", 16),
    CLOCK("graphics_clock", "Clock of the graphics engine", "nvmlDeviceGetClockInfo", GRAPHICS),
    CLOCK("sm_clock", "Clock of the multiprocessors", "nvmlDeviceGetClockInfo", SM),
    CLOCK("memory_clock", "Clock of the memory", "nvmlDeviceGetClockInfo", MEMORY),
    CLOCK("video_clock", "Clock of the video engines", "nvmlDeviceGetClockInfo", VIDEO),
    CLOCK("graphics_clock_max", "Highest clock of the graphics engine", "nvmlDeviceGetMaxClockInfo",
          GRAPHICS),
    CLOCK("sm_clock_max", "Highest clock of the multiprocessors", "nvmlDeviceGetMaxClockInfo", SM),
    CLOCK("memory_clock_max", "Highest clock of the memory", "nvmlDeviceGetMaxClockInfo", MEMORY),
    ASKED(LEVEL, "throttle_reasons",
          "Why the clocks are not higher, the sum of: 1 idle, 2 clocks of the application, 4 limit of "
          "the power, 8 hardware, 16 the clocks of other devices, 32 temperature by the driver, 64 "
          "temperature by the hardware, 128 the power supply, 256 clocks of the display",
          "", REASONS, DEVICE_OUT, DEVICE_U64, .offset = 0),
    REASON("idle", "because nothing runs", 1),
    REASON("application_clocks", "because somebody set the clocks of the applications", 2),
    REASON("power_limit", "by the limit of the power", 4),
    REASON("hardware", "by half or more, by temperature, power or the supply", 8),
    REASON("sync_boost", "to be those of the slowest device of a group", 16),
    REASON("temperature", "by the driver, to keep the temperature below its limit", 32),
    REASON("hardware_temperature", "by half or more, by the temperature", 64),
    REASON("power_brake", "by half or more, by the power supply", 128),
    REASON("display_clocks", "by the clocks of the display", 256),
    HELD_BACK("by_power", "by the limit of the power", BY_POWER),
    HELD_BACK("by_temperature", "by the temperature", BY_TEMPERATURE),
    HELD_BACK("by_sync_boost", "to be those of the slowest device of a group", BY_SYNC_BOOST),
    HELD_BACK("by_board", "by the voltage's limit of the board", BY_BOARD),
    HELD_BACK("by_low_use", "because the device had little to do", BY_LOW_USE),
    HELD_BACK("by_reliability", "by the limit that keeps the board reliable", BY_RELIABILITY),
    ASKED(LEVEL, "pcie_tx_throughput", "Data that the device sends by PCIe, in the last 20 ms", "KB/s",
          "nvmlDeviceGetPcieThroughput", DEVICE_BY_ONE, DEVICE_U32, .argument = {SENT}),
    ASKED(LEVEL, "pcie_rx_throughput", "Data that the device receives by PCIe, in the last 20 ms", "KB/s",
          "nvmlDeviceGetPcieThroughput", DEVICE_BY_ONE, DEVICE_U32, .argument = {RECEIVED}),
    OF_DEVICE(COUNTER, "pcie_replays", "Packets that PCIe had to send again", "",
              "nvmlDeviceGetPcieReplayCounter"),
    OF_DEVICE(LEVEL, "pcie_generation", "Generation of PCIe of the link now", "",
              "nvmlDeviceGetCurrPcieLinkGeneration"),
    OF_DEVICE(LEVEL, "pcie_width", "Lanes of the link of PCIe now", "", "nvmlDeviceGetCurrPcieLinkWidth"),
    OF_DEVICE(LEVEL, "pcie_generation_max", "Highest generation of PCIe of device and slot", "",
              "nvmlDeviceGetMaxPcieLinkGeneration"),
    OF_DEVICE(LEVEL, "pcie_width_max", "Most lanes of PCIe of device and slot", "",
              "nvmlDeviceGetMaxPcieLinkWidth"),
    NVLINK("nvlink_tx_bytes", "Data sent", FIELD_DATA_SENT),
    NVLINK("nvlink_rx_bytes", "Data received", FIELD_DATA_RECEIVED),
    NVLINK("nvlink_tx_raw_bytes", "Data and protocol sent", FIELD_RAW_SENT),
    NVLINK("nvlink_rx_raw_bytes", "Data and protocol received", FIELD_RAW_RECEIVED),
    FIELD(COUNTER, "nvlink_flit_errors", "Errors of NVLink's flow control", "errors", FIELD_CRC_FLIT, 0),
    FIELD(COUNTER, "nvlink_data_errors", "Errors of NVLink's data", "errors", FIELD_CRC_DATA, 0),
    FIELD(COUNTER, "nvlink_replays", "Packets that NVLink had to send again", "", FIELD_REPLAY, 0),
    FIELD(COUNTER, "nvlink_recoveries", "Times that a link of NVLink began anew", "", FIELD_RECOVERY, 0),
    OF_DEVICE(LEVEL, "fan_speed", "Speed of the fan, of the greatest that it is meant for", "percent",
              "nvmlDeviceGetFanSpeed"),
    OF_DEVICE(LEVEL, "pstate", "State of performance, from 0 (fastest) to 15 (slowest); 32: not known", "",
              "nvmlDeviceGetPerformanceState"),
    ASKED(DEVICE_LIMIT, "power_management_limit", "Power that the device is allowed to use", "mW",
          "nvmlDeviceGetPowerManagementLimit", DEVICE_OUT, DEVICE_U32,
          .setter = "nvmlDeviceSetPowerManagementLimit"),
    OF_DEVICE(LEVEL, "power_management_limit_default", "Limit of the power that the device begins with", "mW",
              "nvmlDeviceGetPowerManagementDefaultLimit"),
    OF_DEVICE(LEVEL, "power_limit_enforced", "The lowest of all limits of the power", "mW",
              "nvmlDeviceGetEnforcedPowerLimit"),
    ASKED(LEVEL, "power_management_limit_constraint_min", "The lowest limit of the power that can be set",
          "mW", "nvmlDeviceGetPowerManagementLimitConstraints", DEVICE_OUT_TWICE, DEVICE_U32, .offset = 0),
    ASKED(LEVEL, "power_management_limit_constraint_max", "The highest limit of the power that can be set",
          "mW", "nvmlDeviceGetPowerManagementLimitConstraints", DEVICE_OUT_TWICE, DEVICE_U32, .offset = 8),
    ASKED(LEVEL, "mig_mode", "1 where the device is divided into parts (MIG), else 0", "",
          "nvmlDeviceGetMigMode", DEVICE_OUT_TWICE, DEVICE_U32, .offset = 0),
    ASKED(LEVEL, "ecc_mode", "1 where errors of memory are corrected (ECC), else 0", "",
          "nvmlDeviceGetEccMode", DEVICE_OUT_TWICE, DEVICE_U32, .offset = 0),
    ASKED(LEVEL, "pci_id", "Address of PCI: domain * 2^16 + bus * 2^8 + device * 2^3", "",
          "nvmlDeviceGetPciInfo_v3", DEVICE_OWN, DEVICE_U64, .argument = {THE_ADDRESS}),
    ASKED(COUNTER, "total_ecc_errors", "Errors of memory that could not be corrected", "errors",
          "nvmlDeviceGetTotalEccErrors", DEVICE_BY_TWO, DEVICE_U64, .argument = {UNCORRECTED, VOLATILE}),
    ASKED(COUNTER, "total_corrected_ecc_errors", "Errors of memory that were corrected", "errors",
          "nvmlDeviceGetTotalEccErrors", DEVICE_BY_TWO, DEVICE_U64, .argument = {CORRECTED, VOLATILE}),
    ERRORS("l1_single_ecc_errors", "Corrected errors of the first-level cache", CORRECTED, OF_L1),
    ERRORS("l2_single_ecc_errors", "Corrected errors of the second-level cache", CORRECTED, OF_L2),
    ERRORS("memory_single_ecc_errors", "Corrected errors of the memory", CORRECTED, OF_MEMORY),
    ERRORS("regfile_single_ecc_errors", "Corrected errors of the registers", CORRECTED, OF_REGISTERS),
    ERRORS("l1_double_ecc_errors", "Uncorrected errors of the first-level cache", UNCORRECTED, OF_L1),
    ERRORS("l2_double_ecc_errors", "Uncorrected errors of the second-level cache", UNCORRECTED, OF_L2),
    ERRORS("memory_double_ecc_errors", "Uncorrected errors of the memory", UNCORRECTED, OF_MEMORY),
    ERRORS("regfile_double_ecc_errors", "Uncorrected errors of the registers", UNCORRECTED, OF_REGISTERS),
    FIELD(COUNTER, "remapped_rows_corrected", "Rows of memory replaced after corrected errors", "",
          FIELD_REMAPPED_CORRECTED, 0),
    FIELD(COUNTER, "remapped_rows_uncorrected", "Rows of memory replaced after uncorrected errors", "",
          FIELD_REMAPPED_UNCORRECTED, 0),
};

/* The library with its devices; what it does not have is NULL. */
struct nvml {
    struct device_table table;
    int (*init)(void), (*shutdown)(void);
    int (*count)(unsigned *n);
    int (*handle)(unsigned index, void **device);
    int (*name)(void *device, char *name, unsigned size);
    int (*most_parts)(void *device, unsigned *n);
    int (*part)(void *device, unsigned index, void **part);
    const char *(*error)(int result);
};

/* ---- errors */

static int code_of(int result)
{
    switch (result) {
    case NVML_NO_PERMISSION:
        return PAPI_EPERM;
    case NVML_NOT_SUPPORTED:
    case NVML_NOT_FOUND:
    case NVML_GPU_IS_LOST: /* fell off the bus: no question brings it back */
    case NVML_FUNCTION_NOT_FOUND:
        return PAPI_ENOEVNT;
    case NVML_DRIVER_NOT_LOADED:
    case NVML_BLOCKED:
    case NVML_VERSION_MISMATCH:
        return PAPI_ENOSUPP;
    case NVML_MEMORY:
        return PAPI_ENOMEM;
    case NVML_TIMEOUT:
    case NVML_IN_USE:
    case NVML_RESET_REQUIRED:
        return PAPI_ESYS; /* may be gone at the next question */
    default:
        return PAPI_EMISC;
    }
}

static bool is_absent(int result)
{
    return result == NVML_NOT_SUPPORTED || result == NVML_FUNCTION_NOT_FOUND;
}

static const char *words_of(const struct device_table *table, int result)
{
    const struct nvml *nvml = (const struct nvml *)table;
    return nvml->error != NULL ? nvml->error(result) : NULL;
}

/* ---- library */

static const struct device_library_source driver = {
    .files = (const char *const[]){LIBRARY, NULL},
    .file_variable = "PAPI_NVML_MAIN",
    .advice =
        "which the driver of NVIDIA's devices brings: install the driver, or name the library's folder in "
        "LD_LIBRARY_PATH, or the file in PAPI_NVML_MAIN",
};

#define FUNCTION(NAME, MEMBER, NEED)                                                                         \
    {                                                                                                        \
        NAME, offsetof(struct nvml, MEMBER), NEED                                                            \
    }

static const struct device_function functions[] = {
    FUNCTION("nvmlInit_v2", init, DEVICE_NEEDED),
    FUNCTION("nvmlShutdown", shutdown, DEVICE_NEEDED),
    FUNCTION("nvmlDeviceGetCount_v2", count, DEVICE_NEEDED),
    FUNCTION("nvmlDeviceGetHandleByIndex_v2", handle, DEVICE_NEEDED),
    FUNCTION("nvmlDeviceGetName", name, DEVICE_NEEDED),
    FUNCTION("nvmlDeviceGetMaxMigDeviceCount", most_parts, DEVICE_OPTIONAL),
    FUNCTION("nvmlDeviceGetMigDeviceHandleByIndex", part, DEVICE_OPTIONAL),
    FUNCTION("nvmlErrorString", error, DEVICE_OPTIONAL),
};

static int start(struct device_table *table)
{
    return ((struct nvml *)table)->init();
}

static void end(struct device_table *table)
{
    ((struct nvml *)table)->shutdown();
}

/* ---- devices */

static int find_parts(struct nvml *nvml, unsigned index, struct reason *why)
{
    struct device whole = nvml->table.device[nvml->table.n - 1];
    unsigned n = 0;
    int code = PAPI_OK;
    if (nvml->most_parts == NULL || nvml->part == NULL || nvml->most_parts(whole.handle, &n) != NVML_SUCCESS)
        return PAPI_OK;
    for (unsigned i = 0; i < n && i < MOST_PARTS && code == PAPI_OK; i++) {
        struct device part = {.index = index, .kind = PART_OF_DEVICE};
        if (nvml->part(whole.handle, i, &part.handle) != NVML_SUCCESS)
            continue;
        memcpy(part.name, whole.name, sizeof part.name);
        code = device_table_add(&nvml->table, &part, why);
        nvml->table.device[nvml->table.n - 1].instance = i;
    }
    return code;
}

static int find_device(struct nvml *nvml, unsigned i, struct reason *why)
{
    struct device device = {.index = i, .kind = WHOLE_DEVICE};
    device.result = nvml->handle(i, &device.handle);
    if (device.result == NVML_SUCCESS)
        device.result = nvml->name(device.handle, device.name, sizeof device.name);
    int code = device_table_add(&nvml->table, &device, why);
    return code == PAPI_OK && device.result == NVML_SUCCESS ? find_parts(nvml, i, why) : code;
}

static int find(struct device_table *table, struct reason *why)
{
    struct nvml *nvml = (struct nvml *)table;
    unsigned n = 0;
    int result = nvml->count(&n), code = PAPI_OK;
    if (result != NVML_SUCCESS)
        return device_table_failed(table, result, "the number of devices", why);
    for (unsigned i = 0; i < n && i < MOST_DEVICES && code == PAPI_OK; i++)
        code = find_device(nvml, i, why);
    return n > 0 ? code
                 : reason_set(why, PAPI_ENOSUPP,
                              "there is no device here that the NVIDIA driver serves, or none that this "
                              "container or job may use");
}

static void name_event(const struct device *device, const struct device_row *row, int instance, char *text,
                       size_t size)
{
    char part[32] = "";
    (void)instance;
    if (device->kind == PART_OF_DEVICE)
        snprintf(part, sizeof part, "mig_%u:", device->instance);
    snprintf(text, size, "%s:device_%u:%s%s", device->name, device->index, part, row->event.name);
}

/* ---- numbers */

/* Leaves a field's number as 64 bits at the head of the answer. */
static int take_field(const struct field *field, void *answer)
{
    uint64_t number = field->value.large;
    if (field->type == FIELD_UNSIGNED)
        number = field->value.small;
    else if (field->type == FIELD_SIGNED)
        number = (uint64_t)(int64_t)field->value.small_signed;
    else if (field->type < FIELD_UNSIGNED || field->type > FIELD_SIGNED_LONG_LONG)
        return NVML_NOT_SUPPORTED;
    memcpy(answer, &number, sizeof number);
    return field->result;
}

static int take_address(int (*ask)(void *, struct address *), void *device, void *answer)
{
    struct address address = {.domain = 0};
    int result = ask(device, &address);
    uint64_t number = (uint64_t)address.domain << 16 | address.bus << 8 | address.device << 3;
    memcpy(answer, &number, sizeof number);
    return result;
}

static int call(const struct device_row *row, const int *argument, device_function_pointer *function,
                const struct device *device, void *answer)
{
    struct field field = {.id = (unsigned)argument[0], .scope = (unsigned)argument[1]};
    if (row->call != DEVICE_OWN)
        return device_call(row, argument, function, device, answer);
    if (argument[0] == THE_ADDRESS)
        return take_address((int (*)(void *, struct address *))function, device->handle, answer);
    int result = ((int (*)(void *, int, struct field *))function)(device->handle, 1, &field);
    return result != NVML_SUCCESS ? result : take_field(&field, answer);
}

static int set(device_function_pointer *setter, const struct device *device, int instance, uint64_t value)
{
    (void)instance;
    return ((int (*)(void *, unsigned))setter)(device->handle, (unsigned)value);
}

/* ---- component */

static const struct device_vendor vendor = {
    .library = LIBRARY,
    .owner = "the NVIDIA driver's library",
    .source = &driver,
    .functions = functions,
    .n_functions = sizeof functions / sizeof *functions,
    .size = sizeof(struct nvml),
    .rows = rows,
    .n_rows = sizeof rows / sizeof *rows,
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

const struct component nvml_component = {
    DEVICE_COMPONENT("nvml"),
    .description = "Power, clocks, temperature, traffic and errors of NVIDIA's devices",
};
