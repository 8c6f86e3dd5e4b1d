/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A library with the interface of libnvidia-ml.so.1, as nvml.h declares it. Its devices are what a test sets.
 * With OLD_DRIVER it has no counter of energy, and the limit of the power cannot be set.
 */
#include "nvml_double.h"

#include <string.h>

#define VISIBLE __attribute__((visibility("default")))

enum { OK = 0, INVALID = 2, NOT_SUPPORTED = 3, NO_PERMISSION = 4 };

VISIBLE struct nvml_double nvml_double = {
    .count = DOUBLE_DEVICES,
    .device = {{.power = 50000,
                .limit = 250000,
                .temperature = 40,
                .energy = 1000,
                .utilization = 80,
                .type_of_field = 3},
               {.power = 60000, .limit = 250000, .temperature = 50, .energy = 7000, .utilization = 80}},
};

VISIBLE int nvmlInit_v2(void);
VISIBLE int nvmlInit_v2(void)
{
    nvml_double.started += nvml_double.init_result == OK;
    return nvml_double.init_result;
}

VISIBLE int nvmlShutdown(void);
VISIBLE int nvmlShutdown(void)
{
    nvml_double.started--;
    return OK;
}

VISIBLE const char *nvmlErrorString(int result);
VISIBLE const char *nvmlErrorString(int result)
{
    return result == 9 ? "Driver Not Loaded" : result == 15 ? "GPU is lost" : "Some Error";
}

VISIBLE int nvmlDeviceGetCount_v2(unsigned *count);
VISIBLE int nvmlDeviceGetCount_v2(unsigned *count)
{
    *count = (unsigned)nvml_double.count;
    return nvml_double.started > 0 ? OK : 1;
}

VISIBLE int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **device);
VISIBLE int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **device)
{
    unsigned i = index < DOUBLE_DEVICES ? index : 1;
    *device = &nvml_double.device[i];
    return index < (unsigned)nvml_double.count ? nvml_double.device[i].result : INVALID;
}

VISIBLE int nvmlDeviceGetName(void *device, char *name, unsigned size);
VISIBLE int nvmlDeviceGetName(void *device, char *name, unsigned size)
{
    size_t length = nvml_double.name != NULL ? strlen(nvml_double.name) : 1;
    if (nvml_double.name == NULL)
        strncpy(name, device == &nvml_double.device[0] ? "Tesla V100 SXM2" : "A100", size);
    for (unsigned i = 0; nvml_double.name != NULL && i < size; i++)
        name[i] = nvml_double.name[i % length];
    return OK;
}

static int index_of(const void *device)
{
    return device == &nvml_double.device[1];
}

/* Stands for a call that no other one of the same thread could pass: the driver's library has locks. */
static void work(void)
{
    volatile int turns = 0;
    nvml_double.within += __atomic_fetch_add(&nvml_double.at_work, 1, __ATOMIC_RELAXED) > 0;
    while (turns < 200)
        turns = turns + 1;
    __atomic_fetch_sub(&nvml_double.at_work, 1, __ATOMIC_RELAXED);
}

/* Each function answers with what the device does now, or with its error. */
#define QUESTION(function, type, value)                                                                      \
    VISIBLE int function(void *device, type *out);                                                           \
    VISIBLE int function(void *device, type *out)                                                            \
    {                                                                                                        \
        int i = index_of(device);                                                                            \
        work();                                                                                              \
        *out = (value);                                                                                      \
        return nvml_double.started > 0 ? nvml_double.device[i].result : 1;                                   \
    }

QUESTION(nvmlDeviceGetPowerUsage, unsigned, nvml_double.device[i].power)
QUESTION(nvmlDeviceGetPowerManagementLimit, unsigned, nvml_double.device[i].limit)
QUESTION(nvmlDeviceGetPerformanceState, int, 2 + i)
QUESTION(nvmlDeviceGetCurrentClocksThrottleReasons, unsigned long long, nvml_double.device[i].reasons)
#ifndef OLD_DRIVER
QUESTION(nvmlDeviceGetTotalEnergyConsumption, unsigned long long, nvml_double.device[i].energy)

VISIBLE int nvmlDeviceSetPowerManagementLimit(void *device, unsigned limit);
VISIBLE int nvmlDeviceSetPowerManagementLimit(void *device, unsigned limit)
{
    if (limit < 100000 || limit > 300000 + (unsigned)index_of(device))
        return limit == 1 ? NO_PERMISSION : INVALID;
    nvml_double.device[index_of(device)].limit = limit;
    return OK;
}
#endif

/* Passively cooled. */
VISIBLE int nvmlDeviceGetFanSpeed(void *device, unsigned *speed);
VISIBLE int nvmlDeviceGetFanSpeed(void *device, unsigned *speed)
{
    (void)device;
    *speed = 0;
    return NOT_SUPPORTED;
}

VISIBLE int nvmlDeviceGetPowerManagementLimitConstraints(void *device, unsigned *low, unsigned *high);
VISIBLE int nvmlDeviceGetPowerManagementLimitConstraints(void *device, unsigned *low, unsigned *high)
{
    *low = 100000;
    *high = 300000 + (unsigned)index_of(device);
    return OK;
}

VISIBLE int nvmlDeviceGetTemperature(void *device, int sensor, unsigned *celsius);
VISIBLE int nvmlDeviceGetTemperature(void *device, int sensor, unsigned *celsius)
{
    int i = index_of(device);
    *celsius = nvml_double.device[i].temperature;
    return sensor == 0 ? nvml_double.device[i].result : INVALID;
}

VISIBLE int nvmlDeviceGetClockInfo(void *device, int clock, unsigned *mhz);
VISIBLE int nvmlDeviceGetClockInfo(void *device, int clock, unsigned *mhz)
{
    (void)device;
    *mhz = 1000 + (unsigned)clock;
    return clock >= 0 && clock <= 3 ? OK : INVALID;
}

struct utilization {
    unsigned gpu, memory;
};
VISIBLE int nvmlDeviceGetUtilizationRates(void *device, struct utilization *rates);
VISIBLE int nvmlDeviceGetUtilizationRates(void *device, struct utilization *rates)
{
    *rates = (struct utilization){.gpu = nvml_double.device[index_of(device)].utilization, .memory = 30};
    return OK;
}

struct memory {
    unsigned long long total, free, used;
};
VISIBLE int nvmlDeviceGetMemoryInfo(void *device, struct memory *memory);
VISIBLE int nvmlDeviceGetMemoryInfo(void *device, struct memory *memory)
{
    if (device == &nvml_double.parts)
        *memory = (struct memory){.total = 1000, .free = 900, .used = 100};
    else
        *memory = (struct memory){.total = 17179869184, .free = 17179869000, .used = 184};
    return OK;
}

VISIBLE int nvmlDeviceGetTotalEccErrors(void *device, int type, int counter, unsigned long long *errors);
VISIBLE int nvmlDeviceGetTotalEccErrors(void *device, int type, int counter, unsigned long long *errors)
{
    (void)device;
    *errors = 5;
    return type == 1 && counter == 0 ? OK : INVALID;
}

/* KB in a second, by the device in the one direction and by the other one in the other. */
VISIBLE int nvmlDeviceGetPcieThroughput(void *device, int direction, unsigned *kilobytes);
VISIBLE int nvmlDeviceGetPcieThroughput(void *device, int direction, unsigned *kilobytes)
{
    *kilobytes = nvml_double.device[index_of(device)].pcie + (unsigned)direction;
    return direction == 0 || direction == 1 ? OK : INVALID;
}

VISIBLE int nvmlDeviceGetMaxClockInfo(void *device, int clock, unsigned *mhz);
VISIBLE int nvmlDeviceGetMaxClockInfo(void *device, int clock, unsigned *mhz)
{
    (void)device;
    *mhz = 2000 + (unsigned)clock;
    return clock >= 0 && clock <= 3 ? OK : INVALID;
}

VISIBLE int nvmlDeviceGetTemperatureThreshold(void *device, int which, unsigned *celsius);
VISIBLE int nvmlDeviceGetTemperatureThreshold(void *device, int which, unsigned *celsius)
{
    (void)device;
    *celsius = 97 - (unsigned)which;
    return which == 0 || which == 1 ? OK : NOT_SUPPORTED;
}

struct violation {
    unsigned long long microseconds, nanoseconds;
};
VISIBLE int nvmlDeviceGetViolationStatus(void *device, int policy, struct violation *time);
VISIBLE int nvmlDeviceGetViolationStatus(void *device, int policy, struct violation *time)
{
    time->microseconds = 12345;
    time->nanoseconds = nvml_double.device[index_of(device)].throttled;
    return policy == 0 ? OK : NOT_SUPPORTED;
}

/* Fields: KiB sent by all links, and the memory's temperature; the others are not supported, each in its own
 * result. */
struct field {
    unsigned id, scope;
    long long time, latency;
    int type, result;
    union {
        double real;
        unsigned small;
        unsigned long long large;
    } value;
};
VISIBLE int nvmlDeviceGetFieldValues(void *device, int n, struct field *field);
VISIBLE int nvmlDeviceGetFieldValues(void *device, int n, struct field *field)
{
    int i = index_of(device);
    field->type = field->id == 138 ? nvml_double.device[i].type_of_field : 1;
    field->result =
        (field->id == 138 && field->scope == 0xffffffff) || (field->id == 82 && i == 0) ? OK : NOT_SUPPORTED;
    memset(&field->value, 0xff, sizeof field->value);
    if (field->type == 0)
        field->value.real = 5.5;
    else if (field->type == 1)
        field->value.small = field->id == 138 ? (unsigned)nvml_double.device[i].sent
                                              : nvml_double.device[i].temperature_of_memory;
    else
        field->value.large = nvml_double.device[i].sent;
    return n == 1 ? OK : INVALID;
}

struct address {
    char legacy[16];
    unsigned domain, bus, device, id, subsystem;
    char text[32];
};
VISIBLE int nvmlDeviceGetPciInfo_v3(void *device, struct address *address);
VISIBLE int nvmlDeviceGetPciInfo_v3(void *device, struct address *address)
{
    memset(address, 0xff, sizeof *address);
    address->domain = index_of(device) == 0 ? 0 : 0x10002;
    address->bus = 0x3b + (unsigned)index_of(device);
    address->device = 3;
    return nvml_double.device[index_of(device)].result;
}

VISIBLE int nvmlDeviceGetMaxMigDeviceCount(void *device, unsigned *n);
VISIBLE int nvmlDeviceGetMaxMigDeviceCount(void *device, unsigned *n)
{
    *n = index_of(device) == 0 ? (unsigned)nvml_double.parts : 0;
    return OK;
}

/* The parts are alike. */
VISIBLE int nvmlDeviceGetMigDeviceHandleByIndex(void *device, unsigned index, void **part);
VISIBLE int nvmlDeviceGetMigDeviceHandleByIndex(void *device, unsigned index, void **part)
{
    (void)device;
    *part = &nvml_double.parts;
    return index == 1 ? 6 : OK;
}
