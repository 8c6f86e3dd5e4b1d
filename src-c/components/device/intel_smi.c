/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Energy, temperature, clocks and use of Intel's devices by the management half of Level Zero (sysman),
 * "intel_smi:::energy:device=0:power=0". PAPI has no such component: its intel_gpu counts metrics.
 */
#include "base/gpus.h"
#include "components/components.h"
#include "components/device/device_places.h"
#include "components/device/device_table.h"
#include "components/device/level_zero_sysman.h"
#include "papi.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define LIBRARY "libze_loader.so.1"

enum { MOST_DRIVERS = 8, MOST_DEVICES = 64, MOST_DOMAINS = 64 };

/* Kinds of what is asked: the device, its domains, and the domain of power that is the whole card. */
enum { THE_DEVICE, POWER, ENGINE, FREQUENCY, TEMPERATURE, MEMORY, KINDS, THE_CARD = KINDS };
static const char *const kind_names[KINDS] = {"", "power", "engine", "clock", "sensor", "memory"};

#define LEVEL DEVICE_LEVEL
#define COUNTER DEVICE_COUNTER
#define ASKED(EVENT, NAME, WORDS, UNIT, KIND, FUNCTION, STRUCTURE, MEMBER, NUMBER, ...)                      \
    {                                                                                                        \
        .event = EVENT(NAME, WORDS, UNIT), .kind = KIND, .function = FUNCTION, .number = NUMBER,             \
        .offset = offsetof(struct STRUCTURE, MEMBER), __VA_ARGS__                                            \
    }
#define CLOCK(NAME, WORDS, MEMBER)                                                                           \
    ASKED(LEVEL, NAME, WORDS, "kHz", FREQUENCY, "zesFrequencyGetState", frequency, MEMBER, DEVICE_DOUBLE,    \
          .call = DEVICE_OWN, .times = 1000, .argument = {TYPE_FREQUENCY_STATE})
#define BYTES(NAME, WORDS, MEMBER)                                                                           \
    ASKED(LEVEL, NAME, WORDS, "bytes", MEMORY, "zesMemoryGetState", memory, MEMBER, DEVICE_U64,              \
          .call = DEVICE_OWN, .argument = {TYPE_MEMORY_STATE})
#define TRAFFIC(NAME, WORDS, UNIT, MEMBER)                                                                   \
    ASKED(COUNTER, NAME, WORDS, UNIT, THE_DEVICE, "zesDevicePciGetStats", traffic, MEMBER, DEVICE_U64,       \
          .call = DEVICE_OUT)

static const struct device_row rows[] = {
    ASKED(COUNTER, "energy", "Energy that the domain used: the device's, or one of a tile or the memory",
          "uJ", POWER, "zesPowerGetEnergyCounter", energy, microjoules, DEVICE_U64, .call = DEVICE_OUT),
    ASKED(COUNTER, "card_energy", "Energy that the whole card used", "uJ", THE_CARD,
          "zesPowerGetEnergyCounter", energy, microjoules, DEVICE_U64, .call = DEVICE_OUT),
    ASKED(COUNTER, "active_time", "Time in which the engines of the group worked", "us", ENGINE,
          "zesEngineGetActivity", activity, microseconds, DEVICE_U64, .call = DEVICE_OUT),
    CLOCK("frequency", "Frequency of the clock now", actual),
    CLOCK("frequency_request", "Frequency that the driver has asked for", request),
    CLOCK("frequency_limit", "Frequency that the power allows now", tdp),
    ASKED(LEVEL, "throttle_reasons",
          "Why the frequency is not higher, the sum of: 1 average power, 2 peaks of power, 4 current, 8 "
          "temperature, 16 the supply, 32 a range that was set, 64 a range of the hardware",
          "", FREQUENCY, "zesFrequencyGetState", frequency, reasons, DEVICE_U32, .call = DEVICE_OWN,
          .argument = {TYPE_FREQUENCY_STATE}),
    ASKED(COUNTER, "throttled_time", "Time in which the frequency was held back", "us", FREQUENCY,
          "zesFrequencyGetThrottleTime", throttled, microseconds, DEVICE_U64, .call = DEVICE_OUT),
    {.event = LEVEL("temperature", "Temperature of the sensor", "1/1000 degree C"),
     .kind = TEMPERATURE,
     .function = "zesTemperatureGetState",
     .call = DEVICE_OUT,
     .number = DEVICE_DOUBLE,
     .times = 1000},
    BYTES("memory_size", "Memory of the module", size),
    BYTES("memory_free", "Memory of the module that is free", free),
    TRAFFIC("pci_sent", "Data that the device sent by PCIe", "bytes", sent),
    TRAFFIC("pci_received", "Data that the device received by PCIe", "bytes", received),
    TRAFFIC("pci_replays", "Packets that PCIe had to send again", "", replays),
    {.event = LEVEL("pci_id", "Address of PCI: domain * 2^16 + bus * 2^8 + device * 2^3 + function", ""),
     .kind = THE_DEVICE,
     .function = "zesDevicePciGetProperties",
     .call = DEVICE_OWN,
     .number = DEVICE_U64,
     .argument = {TYPE_PCI_PROPERTIES}},
};

typedef int enumerate(void *device, uint32_t *n, void **domain);

struct zes {
    struct device_table table;
    int (*init)(uint32_t flags), (*drivers)(uint32_t *n, void **driver);
    int (*devices)(void *driver, uint32_t *n, void **device);
    int (*card)(void *device, void **domain);
    enumerate *domains[KINDS];
};

/* ---- errors */

static int code_of(int result)
{
    switch (result) {
    case ZE_NO_PERMISSION:
        return PAPI_EPERM;
    case ZE_DEVICE_LOST:
    case ZE_UNSUPPORTED_FEATURE:
    case ZE_UNSUPPORTED_VERSION:
        return PAPI_ENOEVNT;
    case ZE_UNINITIALIZED:
    case ZE_DEPENDENCY_UNAVAILABLE:
        return PAPI_ENOSUPP;
    case ZE_OUT_OF_HOST_MEMORY:
        return PAPI_ENOMEM;
    case ZE_NOT_AVAILABLE:
    case ZE_REQUIRES_RESET:
        return PAPI_ESYS;
    default:
        return PAPI_EMISC;
    }
}

static bool is_absent(int result)
{
    return result == ZE_UNSUPPORTED_FEATURE || result == ZE_UNSUPPORTED_VERSION;
}

/* Level Zero has no words of its own for these. */
static const char *words_of(const struct device_table *table, int result)
{
    (void)table;
    switch (result) {
    case ZE_NO_PERMISSION:
        return "no permission: the groups render and video may have it, or root alone";
    case ZE_DEVICE_LOST:
        return "the device is lost";
    case ZE_UNINITIALIZED:
        return "no driver of Level Zero: install intel-level-zero-gpu, and join the groups render and video";
    case ZE_DEPENDENCY_UNAVAILABLE:
        return "a library that it needs is missing";
    case ZE_UNSUPPORTED_FEATURE:
        return "not supported";
    default:
        return NULL;
    }
}

/* ---- library */

#define FUNCTION(NAME, MEMBER, NEED)                                                                         \
    {                                                                                                        \
        NAME, offsetof(struct zes, MEMBER), NEED                                                             \
    }

/* Loaders without zesInit (1.8 has none) take a variable of the environment in its place, which a library
 * must not set in a program that has threads. */
static const struct device_function functions[] = {
    FUNCTION("zesInit", init, DEVICE_NEEDED),
    FUNCTION("zesDriverGet", drivers, DEVICE_NEEDED),
    FUNCTION("zesDeviceGet", devices, DEVICE_NEEDED),
    FUNCTION("zesDeviceGetCardPowerDomain", card, DEVICE_OPTIONAL),
    FUNCTION("zesDeviceEnumPowerDomains", domains[POWER], DEVICE_OPTIONAL),
    FUNCTION("zesDeviceEnumEngineGroups", domains[ENGINE], DEVICE_OPTIONAL),
    FUNCTION("zesDeviceEnumFrequencyDomains", domains[FREQUENCY], DEVICE_OPTIONAL),
    FUNCTION("zesDeviceEnumTemperatureSensors", domains[TEMPERATURE], DEVICE_OPTIONAL),
    FUNCTION("zesDeviceEnumMemoryModules", domains[MEMORY], DEVICE_OPTIONAL),
};

static int start(struct device_table *table)
{
    return ((struct zes *)table)->init(0);
}

/* Level Zero has no end: it stays as long as the process. */
static void end(struct device_table *table)
{
    (void)table;
}

/* ---- devices */

static int add_domains(struct zes *zes, void *device, unsigned index, int kind, struct reason *why)
{
    void *domain[MOST_DOMAINS] = {0};
    uint32_t n = MOST_DOMAINS;
    int code = PAPI_OK;
    if (zes->domains[kind] == NULL || zes->domains[kind](device, &n, domain) != ZE_SUCCESS)
        return PAPI_OK;
    for (uint32_t i = 0; i < n && i < MOST_DOMAINS && code == PAPI_OK; i++) {
        const struct device added = {.handle = domain[i], .index = index, .instance = i, .kind = kind};
        code = device_table_add(&zes->table, &added, why);
    }
    return code;
}

static int add_card(struct zes *zes, void *device, unsigned index, struct reason *why)
{
    struct device added = {.index = index, .kind = THE_CARD};
    if (zes->card == NULL || zes->card(device, &added.handle) != ZE_SUCCESS)
        return PAPI_OK;
    return device_table_add(&zes->table, &added, why);
}

static int add_device(struct zes *zes, void *device, unsigned index, struct reason *why)
{
    int code = device_table_add(&zes->table, &(struct device){.handle = device, .index = index}, why)
                   ?: add_card(zes, device, index, why);
    for (int kind = POWER; kind < KINDS && code == PAPI_OK; kind++)
        code = add_domains(zes, device, index, kind, why);
    return code;
}

static int find(struct device_table *table, struct reason *why)
{
    struct zes *zes = (struct zes *)table;
    void *driver[MOST_DRIVERS] = {0}, *device[MOST_DEVICES] = {0};
    uint32_t n_drivers = MOST_DRIVERS, n;
    unsigned index = 0;
    int code = PAPI_OK, result = zes->drivers(&n_drivers, driver);
    if (result != ZE_SUCCESS)
        return device_table_failed(table, result, "the drivers", why);
    for (uint32_t i = 0; i < n_drivers && i < MOST_DRIVERS; i++) {
        n = MOST_DEVICES;
        if (zes->devices(driver[i], &n, device) != ZE_SUCCESS)
            continue;
        for (uint32_t k = 0; k < n && k < MOST_DEVICES && code == PAPI_OK; k++)
            code = add_device(zes, device[k], index++, why);
    }
    return code != PAPI_OK || index > 0
               ? code
               : reason_set(why, PAPI_ENOSUPP,
                            "Level Zero finds no device that this container or job may use");
}

static void name_event(const struct device *device, const struct device_row *row, int instance, char *text,
                       size_t size)
{
    char part[32] = "";
    (void)instance;
    if (device->kind != THE_DEVICE && device->kind != THE_CARD)
        snprintf(part, sizeof part, ":%s=%u", kind_names[device->kind], device->instance);
    snprintf(text, size, "%s:device=%u%s", row->event.name, device->index, part);
}

/* ---- numbers */

static void combine_address(void *answer)
{
    struct properties properties;
    memcpy(&properties, answer, sizeof properties);
    uint64_t number = (uint64_t)properties.domain << 16 | properties.bus << 8 | properties.device << 3 |
                      properties.function;
    memcpy(answer, &number, sizeof number);
}

/* The form of its own: a structure that says its type. A frequency that is negative is not known. */
static int call(const struct device_row *row, const int *argument, device_function_pointer *function,
                const struct device *device, void *answer)
{
    double real;
    if (row->call != DEVICE_OWN)
        return device_call(row, argument, function, device, answer);
    memcpy(answer, &argument[0], sizeof argument[0]);
    int result = ((int (*)(void *, void *))function)(device->handle, answer);
    if (argument[0] == TYPE_PCI_PROPERTIES)
        combine_address(answer);
    memcpy(&real, (char *)answer + row->offset, sizeof real);
    return result == ZE_SUCCESS && row->number == DEVICE_DOUBLE && real < 0 ? ZE_UNSUPPORTED_FEATURE : result;
}

/* ---- component */

static const struct device_vendor vendor = {
    .library = LIBRARY,
    .owner = "Level Zero",
    .source = &level_zero_places,
    .functions = functions,
    .n_functions = sizeof functions / sizeof *functions,
    .size = sizeof(struct zes),
    .rows = rows,
    .n_rows = sizeof rows / sizeof *rows,
    .gpu = GPU_OF_INTEL,
    .start = start,
    .end = end,
    .find = find,
    .call = call,
    .name = name_event,
    .code = code_of,
    .absent = is_absent,
    .words = words_of,
};

DEVICE_FUNCTIONS(vendor)

const struct component intel_smi_component = {
    DEVICE_COMPONENT("intel_smi"),
    .description = "Energy, temperature, clocks and use of Intel's devices, by Level Zero",
};
