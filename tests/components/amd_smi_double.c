/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A library with the interface of AMD SMI, as amdsmi.h declares it: two sockets, of which each also has a
 * processor that is no device. Its devices are what a test sets.
 */
#include "amd_double.h"

#include <stdint.h>
#include <string.h>

#define VISIBLE __attribute__((visibility("default")))
#define FUNCTION(name, ...)                                                                                  \
    VISIBLE int name(__VA_ARGS__);                                                                           \
    VISIBLE int name(__VA_ARGS__)

enum { OK = 0, INVALID = 1, NOT_SUPPORTED = 2, NO_PERMISSION = 10 };

VISIBLE struct amd_double amd_double = {
    .count = 1,
    .device = {{.cap = 300000000,
                .energy = 1000,
                .resolution = 15.3f,
                .busy = 40,
                .temperature = 35,
                .power = 95,
                .average = 0xffffffff},
               {.cap = 500000000,
                .energy = 7000,
                .resolution = 15.259f,
                .busy = 60,
                .temperature = -5,
                .power = 97,
                .average = 120}},
};

static int socket_handle[2], other_processor;

static int index_of(const void *device)
{
    return device == &amd_double.device[1];
}

static int result_of(const void *device)
{
    int i = index_of(device);
    return device == &amd_double.device[i] && amd_double.started > 0 ? amd_double.device[i].result : INVALID;
}

FUNCTION(amdsmi_init, uint64_t flags)
{
    amd_double.started += amd_double.init_result == OK && flags == 2;
    return amd_double.init_result;
}

FUNCTION(amdsmi_shut_down, void)
{
    amd_double.started--;
    return OK;
}

FUNCTION(amdsmi_status_code_to_string, int result, const char **string)
{
    *string = result == 34 ? "driver not loaded" : "some error";
    return OK;
}

FUNCTION(amdsmi_get_socket_handles, uint32_t *n, void **socket)
{
    for (uint32_t i = 0; socket != NULL && i < *n && i < 2; i++)
        socket[i] = &socket_handle[i];
    *n = 2;
    return OK;
}

/* The first processor is none of a device; count: devices of each socket. */
FUNCTION(amdsmi_get_processor_handles, void *socket, uint32_t *n, void **processor)
{
    for (uint32_t i = 0; processor != NULL && i < *n && i < amd_double.count + 1; i++)
        processor[i] = i == 0 ? (void *)&other_processor : &amd_double.device[socket == &socket_handle[1]];
    *n = amd_double.count + 1;
    return OK;
}

FUNCTION(amdsmi_get_processor_type, void *processor, int *type)
{
    *type = processor == &other_processor ? 2 : 1;
    return OK;
}

#define OF_DEVICE(name, type, value)                                                                         \
    FUNCTION(name, void *device, type *out)                                                                  \
    {                                                                                                        \
        int i = index_of(device);                                                                            \
        (void)i;                                                                                             \
        *out = (value);                                                                                      \
        return result_of(device);                                                                            \
    }

struct power {
    uint64_t socket;
    uint32_t current, average;
    uint64_t millivolt[3];
    uint32_t limit, board;
    uint64_t reserved[18];
};
struct old_power {
    uint32_t current, average, millivolt[3], limit, reserved[11];
};

/* The structure of two versions. */
FUNCTION(amdsmi_get_power_info, void *device, void *out)
{
    int i = index_of(device);
    unsigned now = amd_double.device[i].power, average = amd_double.device[i].average;
    const struct power new = {now, now, average, {800, 800, 800}, 300000000, 0xffffffff, {0}};
    const struct old_power old = {now, average, {800, 750, 850}, 300, {0}};
    if (amd_double.device[i].form != 0)
        memcpy(out, &old, sizeof old);
    else
        memcpy(out, &new, sizeof new);
    return result_of(device);
}

struct power_cap {
    uint64_t now, by_default, dpm, min, max, reserved[3];
};
FUNCTION(amdsmi_get_power_cap_info, void *device, uint32_t sensor, struct power_cap *cap)
{
    *cap =
        (struct power_cap){amd_double.device[index_of(device)].cap, 550000000, 1, 100000000, 560000000, {0}};
    return sensor == 0 ? result_of(device) : INVALID;
}

FUNCTION(amdsmi_set_power_cap, void *device, uint32_t sensor, uint64_t cap)
{
    if (cap < 100000000 || sensor != 0)
        return cap == 1 ? NO_PERMISSION : INVALID;
    amd_double.device[index_of(device)].cap = cap;
    return OK;
}

FUNCTION(amdsmi_get_energy_count, void *device, uint64_t *count, float *resolution, uint64_t *time)
{
    *count = amd_double.device[index_of(device)].energy;
    *resolution = amd_double.device[index_of(device)].resolution;
    *time = 1;
    return result_of(device);
}

FUNCTION(amdsmi_get_temp_metric, void *device, uint32_t sensor, uint32_t metric, int64_t *temperature)
{
    *temperature = amd_double.device[index_of(device)].temperature + sensor;
    return (sensor == 0 && metric == 0) || (sensor == 1 && metric == 5) ? result_of(device) : NOT_SUPPORTED;
}

struct activity {
    uint32_t gfx, umc, mm, reserved[13];
};
OF_DEVICE(amdsmi_get_gpu_activity, struct activity,
          ((struct activity){.gfx = amd_double.device[i].busy, .umc = 7, .mm = 0xffff}))

struct clock {
    uint32_t now, min, max;
    uint8_t locked, sleeps;
    uint32_t reserved[4];
};
FUNCTION(amdsmi_get_clock_info, void *device, int type, struct clock *clock)
{
    *clock = (struct clock){.now = 1700, .min = 500, .max = 0xffff};
    return type == 0 ? result_of(device) : NOT_SUPPORTED;
}

FUNCTION(amdsmi_get_gpu_memory_usage, void *device, int type, uint64_t *used)
{
    *used = 1000 + (uint64_t)type;
    return result_of(device);
}

struct errors {
    uint64_t corrected, uncorrected, deferred, reserved[5];
};
OF_DEVICE(amdsmi_get_gpu_total_ecc_count, struct errors,
          ((struct errors){.corrected = amd_double.device[i].corrected, .uncorrected = 2, .deferred = 3}))
OF_DEVICE(amdsmi_get_gpu_device_bdf, uint64_t, 0x10300 + (uint64_t)i)
