/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A library with the interface of Level Zero's loader, as zes_api.h declares the part for management: two
 * devices, whose second one has nothing but a sensor.
 */
#include "level_zero_double.h"

#include <stdint.h>
#include <string.h>

#define VISIBLE __attribute__((visibility("default")))
#define FUNCTION(name, ...)                                                                                  \
    VISIBLE int name(__VA_ARGS__);                                                                           \
    VISIBLE int name(__VA_ARGS__)

enum { OK = 0, UNINITIALIZED = 0x78000001, UNSUPPORTED = 0x78000003 };

VISIBLE struct level_zero_double level_zero_double = {.energy = {1000, 50}, .frequency = 1550.25, .free = 7};

static int driver, device[2], power[2], card, engine, clock_domain, sensor[2], module;

FUNCTION(zesInit, uint32_t flags)
{
    level_zero_double.started = flags == 0 && level_zero_double.init_result == OK;
    return level_zero_double.init_result;
}

/* As many handles as there are, and as there is room for. */
static int give(uint32_t *n, void **handle, int *first, uint32_t there)
{
    for (uint32_t i = 0; handle != NULL && i < there && i < *n; i++)
        handle[i] = &first[i];
    *n = there;
    return level_zero_double.started ? OK : UNINITIALIZED;
}

FUNCTION(zesDriverGet, uint32_t *n, void **handle)
{
    return give(n, handle, &driver, 1);
}

FUNCTION(zesDeviceGet, void *of, uint32_t *n, void **handle)
{
    return of == &driver ? give(n, handle, device, level_zero_double.no_device ? 0 : 2) : UNINITIALIZED;
}

#define DOMAINS(name, first, there)                                                                          \
    FUNCTION(name, void *of, uint32_t *n, void **handle)                                                     \
    {                                                                                                        \
        return of == &device[0] ? give(n, handle, first, there) : UNSUPPORTED;                               \
    }
DOMAINS(zesDeviceEnumPowerDomains, power, 2)
DOMAINS(zesDeviceEnumEngineGroups, &engine, 1)
DOMAINS(zesDeviceEnumFrequencyDomains, &clock_domain, 1)
DOMAINS(zesDeviceEnumMemoryModules, &module, 1)

FUNCTION(zesDeviceEnumTemperatureSensors, void *of, uint32_t *n, void **handle)
{
    return give(n, handle, &sensor[of == &device[1]], 1);
}

struct counter {
    uint64_t count, time;
};
FUNCTION(zesPowerGetEnergyCounter, void *of, struct counter *counter)
{
    unsigned long long all = level_zero_double.card;
    *counter = (struct counter){of == &card ? all : level_zero_double.energy[of == &power[1]], 1};
    return level_zero_double.result;
}

FUNCTION(zesDeviceGetCardPowerDomain, void *of, void **domain)
{
    *domain = &card;
    return of == &device[0] ? OK : UNSUPPORTED;
}

struct properties {
    int type;
    const void *next;
    uint32_t domain, bus, device, function;
};
FUNCTION(zesDevicePciGetProperties, void *of, struct properties *properties)
{
    if (properties->type != 0x2 || properties->next != NULL)
        return UNSUPPORTED;
    properties->domain = of == &device[1];
    properties->bus = 0x4d;
    properties->device = 2;
    properties->function = 1;
    return OK;
}

FUNCTION(zesEngineGetActivity, void *of, struct counter *counter)
{
    *counter = (struct counter){level_zero_double.active, 99};
    return of == &engine ? OK : UNSUPPORTED;
}

struct frequency {
    int type;
    const void *next;
    double voltage, request, tdp, efficient, actual;
    uint32_t reasons;
};
FUNCTION(zesFrequencyGetState, void *of, struct frequency *state)
{
    if (of != &clock_domain || state->type != 0x1b || state->next != NULL)
        return UNSUPPORTED;
    state->voltage = state->tdp = -1;
    state->request = 1600;
    state->actual = level_zero_double.frequency;
    state->reasons = 8;
    return OK;
}

FUNCTION(zesTemperatureGetState, void *of, double *temperature)
{
    *temperature = of == &sensor[1] ? -12.5 : 45.125;
    return OK;
}

struct memory {
    int type;
    const void *next;
    int health;
    uint64_t free, size;
};
FUNCTION(zesMemoryGetState, void *of, struct memory *memory)
{
    if (of != &module || memory->type != 0x1e)
        return UNSUPPORTED;
    memory->free = level_zero_double.free;
    memory->size = 68719476736;
    return OK;
}

struct traffic {
    uint64_t time, replays, packets, received, sent;
    int64_t speed[4];
};
FUNCTION(zesDevicePciGetStats, void *of, struct traffic *traffic)
{
    *traffic = (struct traffic){.replays = 2, .received = level_zero_double.received, .sent = 3};
    return of == &device[0] ? OK : UNSUPPORTED;
}
