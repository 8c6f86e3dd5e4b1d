/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Power, temperature, clocks and use of AMD's devices by AMD SMI, "amd_smi:::power_current:device=0". As for
 * rocm_smi.c, the library is loaded only where the kernel shows such a device.
 */
#include "base/gpus.h"
#include "components/components.h"
#include "components/device/device_table.h"
#include "papi.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIBRARY "libamd_smi.so"

enum { MOST_DEVICES = 1024 };

/* Numbers of amdsmi.h. */
enum {
    AMDSMI_SUCCESS = 0,
    AMDSMI_INVALID = 1,
    AMDSMI_NOT_SUPPORTED = 2,
    AMDSMI_NOT_YET_IMPLEMENTED = 3,
    AMDSMI_FAIL_LOAD_MODULE = 4,
    AMDSMI_DRM_ERROR = 6,
    AMDSMI_TIMEOUT = 8,
    AMDSMI_RETRY = 9,
    AMDSMI_NO_PERMISSION = 10,
    AMDSMI_INTERRUPT = 11,
    AMDSMI_FILE_ERROR = 14,
    AMDSMI_OUT_OF_RESOURCES = 15,
    AMDSMI_INIT_ERROR = 18,
    AMDSMI_BUSY = 30,
    AMDSMI_NOT_FOUND = 31,
    AMDSMI_DRIVER_NOT_LOADED = 34,
    AMDSMI_NO_DATA = 40,
    AMDSMI_NO_DRIVER = 51,
    AMDSMI_FILE_NOT_FOUND = 52,
};
enum { INIT_GPUS = 2, PROCESSOR_IS_GPU = 1 };
enum { OF_MEMORY, OF_VISIBLE_MEMORY, OF_GTT };
enum { SYSTEM_CLOCK = 0, FABRIC_CLOCK = 1, SOC_CLOCK = 3, MEMORY_CLOCK = 4 };
enum { NOW, MAX, MIN, MAX_HYST, MIN_HYST, CRITICAL, CRITICAL_HYST, EMERGENCY };
enum { TEMPERATURES = 8, FANS = 4 };

/* An answer of 16 bits that means that there is none comes in numbers of more bits, too. */
enum { NO_WATTS = 0xffff, NO_MHZ = 0xffff, NO_DEGREES = 0xffff };

/* Structures of amdsmi.h, as far as they are read. */
struct power {
    uint64_t socket;
    uint32_t current, average;
};
struct power_cap {
    uint64_t now, by_default, dpm, min, max;
};
struct clock {
    uint32_t now, min, max;
};
struct activity {
    uint32_t gfx, umc, mm;
};

#define ASKED(EVENT, NAME, WORDS, UNIT, FUNCTION, CALL, NUMBER, ...)                                         \
    {                                                                                                        \
        .event = EVENT(NAME, WORDS, UNIT), .function = FUNCTION, .call = CALL, .number = NUMBER, __VA_ARGS__ \
    }
#define LEVEL DEVICE_LEVEL
#define COUNTER DEVICE_COUNTER
#define POWER(NAME, WORDS, MEMBER)                                                                           \
    ASKED(LEVEL, NAME, WORDS, "W", "amdsmi_get_power_info", DEVICE_OWN, DEVICE_U32,                          \
          .offset = offsetof(struct power, MEMBER), .below = NO_WATTS)
#define CAP(EVENT, NAME, WORDS, MEMBER, ...)                                                                 \
    ASKED(EVENT, NAME, WORDS, "uW", "amdsmi_get_power_cap_info", DEVICE_BY_ONE, DEVICE_U64, .argument = {0}, \
          .offset = offsetof(struct power_cap, MEMBER), __VA_ARGS__)
#define TEMPERATURE(NAME, WORDS, WHICH)                                                                      \
    ASKED(LEVEL, NAME, WORDS " of the sensor: 0 edge, 1 junction, 2 memory, 3 to 6 stacks of HBM, 7 switch", \
          "degree C", "amdsmi_get_temp_metric", DEVICE_BY_TWO, DEVICE_I64,                                   \
          .argument = {DEVICE_INSTANCE, WHICH}, .instances = TEMPERATURES, .below = NO_DEGREES)
#define CLOCK(NAME, WORDS, WHICH, MEMBER)                                                                    \
    ASKED(LEVEL, NAME, WORDS, "MHz", "amdsmi_get_clock_info", DEVICE_BY_ONE, DEVICE_U32,                     \
          .argument = {WHICH}, .offset = offsetof(struct clock, MEMBER), .below = NO_MHZ)
#define CLOCKS(NAME, WORDS, WHICH)                                                                           \
    CLOCK("clk_freq_" NAME, "Clock of " WORDS, WHICH, now),                                                  \
        CLOCK("clk_freq_" NAME "_min", "Lowest clock of " WORDS, WHICH, min),                                \
        CLOCK("clk_freq_" NAME "_max", "Highest clock of " WORDS, WHICH, max)
#define ACTIVITY(NAME, WORDS, MEMBER)                                                                        \
    ASKED(LEVEL, NAME, WORDS, "percent", "amdsmi_get_gpu_activity", DEVICE_OUT, DEVICE_U32,                  \
          .offset = offsetof(struct activity, MEMBER), .below = 101)
#define MEMORY(NAME, WORDS, FUNCTION, WHICH)                                                                 \
    ASKED(LEVEL, NAME, WORDS, "bytes", FUNCTION, DEVICE_BY_ONE, DEVICE_U64, .argument = {WHICH})
#define FAN(NAME, WORDS, UNIT, FUNCTION, NUMBER)                                                             \
    ASKED(LEVEL, NAME, WORDS, UNIT, FUNCTION, DEVICE_BY_ONE, NUMBER, .argument = {DEVICE_INSTANCE},          \
          .instances = FANS)
#define THROUGHPUT(NAME, WORDS, UNIT, OFFSET)                                                                \
    ASKED(LEVEL, NAME, WORDS, UNIT, "amdsmi_get_gpu_pci_throughput", DEVICE_OUT_THRICE, DEVICE_U64,          \
          .offset = OFFSET, .slow = true)
#define ERRORS(NAME, WORDS, OFFSET)                                                                          \
    ASKED(COUNTER, NAME, "Errors of memory that " WORDS, "errors", "amdsmi_get_gpu_total_ecc_count",         \
          DEVICE_OUT, DEVICE_U64, .offset = OFFSET)

static const struct device_row rows[] = {
    POWER("power_current", "Power that the device's socket uses now", current),
    POWER("power_average", "Power that the device's socket used in the last moments", average),
    CAP(DEVICE_LIMIT, "power_cap", "Power that the device is allowed to use", now,
        .setter = "amdsmi_set_power_cap"),
    CAP(LEVEL, "power_cap_default", "Limit of the power that the device begins with", by_default, ),
    CAP(LEVEL, "power_cap_range_min", "The lowest limit of the power that can be set", min, ),
    CAP(LEVEL, "power_cap_range_max", "The highest limit of the power that can be set", max, ),
    ASKED(COUNTER, "energy_consumed", "Energy that the device used", "uJ", "amdsmi_get_energy_count",
          DEVICE_OUT_THRICE, DEVICE_TIMES_FLOAT, .offset = 0),
    TEMPERATURE("temp_current", "Temperature now", NOW),
    TEMPERATURE("temp_max", "Highest allowed temperature", MAX),
    TEMPERATURE("temp_critical", "Critical temperature", CRITICAL),
    TEMPERATURE("temp_emergency", "Temperature of an emergency", EMERGENCY),
    ACTIVITY("gfx_activity", "Part of the last moments in which the compute units worked", gfx),
    ACTIVITY("umc_activity", "Part of the last moments in which the memory was busy", umc),
    ACTIVITY("mm_activity", "Part of the last moments in which the video engines worked", mm),
    MEMORY("mem_total_VRAM", "Memory of the device", "amdsmi_get_gpu_memory_total", OF_MEMORY),
    MEMORY("mem_total_VIS_VRAM", "Memory of the device that processors reach", "amdsmi_get_gpu_memory_total",
           OF_VISIBLE_MEMORY),
    MEMORY("mem_total_GTT", "Memory of the node that the device reaches", "amdsmi_get_gpu_memory_total",
           OF_GTT),
    MEMORY("mem_usage_VRAM", "Memory of the device that is in use", "amdsmi_get_gpu_memory_usage", OF_MEMORY),
    MEMORY("mem_usage_VIS_VRAM", "Memory in use that processors reach", "amdsmi_get_gpu_memory_usage",
           OF_VISIBLE_MEMORY),
    MEMORY("mem_usage_GTT", "Memory of the node that the device uses", "amdsmi_get_gpu_memory_usage", OF_GTT),
    CLOCKS("system", "the compute units", SYSTEM_CLOCK),
    CLOCKS("fabric", "the data fabric", FABRIC_CLOCK),
    CLOCKS("soc", "the rest of the chip", SOC_CLOCK),
    CLOCKS("memory", "the memory", MEMORY_CLOCK),
    FAN("fan_rpms", "Speed of the fan", "RPM", "amdsmi_get_gpu_fan_rpms", DEVICE_I64),
    FAN("fan_speed", "Speed of the fan, of fan_speed_max", "", "amdsmi_get_gpu_fan_speed", DEVICE_I64),
    FAN("fan_speed_max", "The highest speed of the fan", "", "amdsmi_get_gpu_fan_speed_max", DEVICE_U64),
    THROUGHPUT("pci_throughput_sent", "Data that the device sends by PCIe in the second of the question",
               "bytes/s", 0),
    THROUGHPUT("pci_throughput_received",
               "Data that the device receives by PCIe in the second of the question", "bytes/s", 8),
    THROUGHPUT("pci_throughput_max_packet", "The largest packet of PCIe", "bytes", 16),
    ASKED(COUNTER, "pci_replay_counter", "Packets that PCIe had to send again", "",
          "amdsmi_get_gpu_pci_replay_counter", DEVICE_OUT, DEVICE_U64, .offset = 0),
    ERRORS("ecc_count_correctable", "were corrected", 0),
    ERRORS("ecc_count_uncorrectable", "could not be corrected", 8),
    ERRORS("ecc_count_deferred", "were found and not yet used", 16),
    ASKED(LEVEL, "pci_id", "Address of PCI: domain * 2^16 + bus * 2^8 + device * 2^3 + function", "",
          "amdsmi_get_gpu_device_bdf", DEVICE_OUT, DEVICE_U64, .offset = 0),
    ASKED(LEVEL, "overdrive_level", "Overdrive of the clock", "percent", "amdsmi_get_gpu_overdrive_level",
          DEVICE_OUT, DEVICE_U32, .offset = 0),
    ASKED(LEVEL, "perf_level", "Level of performance: 0 automatic, 1 low, 2 high, 3 set by hand, ...", "",
          "amdsmi_get_gpu_perf_level", DEVICE_OUT, DEVICE_U32, .offset = 0),
};

struct amdsmi {
    struct device_table table;
    int (*init)(uint64_t flags), (*shut_down)(void);
    int (*sockets)(uint32_t *n, void **socket);
    int (*processors)(void *socket, uint32_t *n, void **processor);
    int (*type)(void *processor, int *type);
    int (*string)(int result, const char **string);
};

/* ---- errors */

static int code_of(int result)
{
    switch (result) {
    case AMDSMI_NO_PERMISSION:
        return PAPI_EPERM;
    case AMDSMI_NOT_SUPPORTED:
    case AMDSMI_NOT_YET_IMPLEMENTED:
    case AMDSMI_FILE_ERROR:
    case AMDSMI_NOT_FOUND:
    case AMDSMI_NO_DATA:
    case AMDSMI_FILE_NOT_FOUND:
        return PAPI_ENOEVNT;
    case AMDSMI_FAIL_LOAD_MODULE:
    case AMDSMI_DRM_ERROR:
    case AMDSMI_INIT_ERROR:
    case AMDSMI_DRIVER_NOT_LOADED:
    case AMDSMI_NO_DRIVER:
        return PAPI_ENOSUPP;
    case AMDSMI_OUT_OF_RESOURCES:
        return PAPI_ENOMEM;
    case AMDSMI_TIMEOUT:
    case AMDSMI_RETRY:
    case AMDSMI_INTERRUPT:
    case AMDSMI_BUSY:
        return PAPI_ESYS;
    default:
        return PAPI_EMISC;
    }
}

/* For sensors that a device does not have the library answers also that the argument is wrong. */
static bool is_absent(int result)
{
    return code_of(result) == PAPI_ENOEVNT || result == AMDSMI_INVALID;
}

static const char *words_of(const struct device_table *table, int result)
{
    const struct amdsmi *amdsmi = (const struct amdsmi *)table;
    const char *words = NULL;
    return amdsmi->string != NULL && amdsmi->string(result, &words) == AMDSMI_SUCCESS ? words : NULL;
}

/* ---- library */

static const struct device_library_source rocm = {
    .files = (const char *const[]){LIBRARY, LIBRARY ".27", LIBRARY ".26", LIBRARY ".25", NULL},
    .root_variable = "PAPI_AMDSMI_ROOT",
    .usual_root = "/opt/rocm",
    .folders = (const char *const[]){"lib", "lib64", NULL},
    .advice = "which ROCm brings from 6.4 on: install it, or name its folder in PAPI_AMDSMI_ROOT",
};

#define FUNCTION(NAME, MEMBER, NEED)                                                                         \
    {                                                                                                        \
        NAME, offsetof(struct amdsmi, MEMBER), NEED                                                          \
    }

static const struct device_function functions[] = {
    FUNCTION("amdsmi_init", init, DEVICE_NEEDED),
    FUNCTION("amdsmi_shut_down", shut_down, DEVICE_NEEDED),
    FUNCTION("amdsmi_get_socket_handles", sockets, DEVICE_NEEDED),
    FUNCTION("amdsmi_get_processor_handles", processors, DEVICE_NEEDED),
    FUNCTION("amdsmi_get_processor_type", type, DEVICE_NEEDED),
    FUNCTION("amdsmi_status_code_to_string", string, DEVICE_OPTIONAL),
};

static int start(struct device_table *table)
{
    return ((struct amdsmi *)table)->init(INIT_GPUS);
}

static void end(struct device_table *table)
{
    ((struct amdsmi *)table)->shut_down();
}

/* ---- devices */

/* Handles of sockets (of == NULL), or of the processors of one. An array that the caller frees; NULL with a
 * result, or where there are none. */
static void **handles_of(const struct amdsmi *amdsmi, void *of, uint32_t *n, int *result)
{
    uint32_t wanted = 0;
    *n = 0;
    *result = of == NULL ? amdsmi->sockets(&wanted, NULL) : amdsmi->processors(of, &wanted, NULL);
    if (*result != AMDSMI_SUCCESS || wanted == 0)
        return NULL;
    *n = wanted = wanted < MOST_DEVICES ? wanted : MOST_DEVICES;
    void **handle = calloc(wanted, sizeof *handle);
    if (handle == NULL)
        *result = AMDSMI_OUT_OF_RESOURCES;
    else
        *result = of == NULL ? amdsmi->sockets(n, handle) : amdsmi->processors(of, n, handle);
    *n = *n < wanted ? *n : wanted;
    return handle;
}

/* Appends the devices of a socket; returns a code. */
static int find_in_socket(struct amdsmi *amdsmi, void *socket, struct reason *why)
{
    uint32_t n;
    int result, type, code = PAPI_OK;
    void **processor = handles_of(amdsmi, socket, &n, &result);
    for (uint32_t i = 0; result == AMDSMI_SUCCESS && i < n && code == PAPI_OK; i++) {
        struct device device = {.handle = processor[i], .index = (unsigned)amdsmi->table.n};
        if (amdsmi->type(processor[i], &type) == AMDSMI_SUCCESS && type == PROCESSOR_IS_GPU)
            code = device_table_add(&amdsmi->table, &device, why);
    }
    free(processor);
    return result == AMDSMI_SUCCESS
               ? code
               : device_table_failed(&amdsmi->table, result, "the processors of a socket", why);
}

static int find(struct device_table *table, struct reason *why)
{
    struct amdsmi *amdsmi = (struct amdsmi *)table;
    uint32_t n;
    int result, code;
    void **socket = handles_of(amdsmi, NULL, &n, &result);
    code = result == AMDSMI_SUCCESS ? PAPI_OK : device_table_failed(table, result, "the sockets", why);
    for (uint32_t i = 0; i < n && code == PAPI_OK; i++)
        code = find_in_socket(amdsmi, socket[i], why);
    free(socket);
    if (code == PAPI_OK && table->n == 0)
        code = reason_set(why, PAPI_ENOSUPP, "AMD SMI finds no device that this container or job may use");
    return code;
}

static void name_event(const struct device *device, const struct device_row *row, int instance, char *text,
                       size_t size)
{
    char part[32] = "";
    if (row->instances > 0)
        snprintf(part, sizeof part, "_sensor=%d", instance);
    snprintf(text, size, "%s%s:device=%u", row->event.name, part, device->index);
}

/* ---- numbers */

/* The one form of its own is that of power: before version 26 of the library the structure was another one,
 * which has not the same power in two places. */
static int call(const struct device_row *row, const int *argument, device_function_pointer *function,
                const struct device *device, void *answer)
{
    struct power power;
    int result = device_call(row, argument, function, device, answer);
    if (row->call != DEVICE_OWN || result != AMDSMI_SUCCESS)
        return result;
    memcpy(&power, answer, sizeof power);
    return power.socket == power.current || power.socket == power.average ? AMDSMI_SUCCESS
                                                                          : AMDSMI_NOT_SUPPORTED;
}

static int set(device_function_pointer *setter, const struct device *device, int instance, uint64_t value)
{
    return ((int (*)(void *, uint32_t, uint64_t))setter)(device->handle, (uint32_t)instance, value);
}

/* ---- component */

static const struct device_vendor vendor = {
    .library = LIBRARY,
    .owner = "AMD SMI",
    .source = &rocm,
    .functions = functions,
    .n_functions = sizeof functions / sizeof *functions,
    .size = sizeof(struct amdsmi),
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

const struct component amd_smi_component = {
    DEVICE_COMPONENT("amd_smi"),
    .description = "Power, temperature, clocks and use of AMD's devices, by AMD SMI",
};
