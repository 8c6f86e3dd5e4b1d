/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A library with the interface of ROCm SMI, as rocm_smi.h declares it. Its devices are what a test sets.
 */
#include "amd_double.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define VISIBLE __attribute__((visibility("default")))
#define FUNCTION(name, ...)                                                                                  \
    VISIBLE int name(__VA_ARGS__);                                                                           \
    VISIBLE int name(__VA_ARGS__)

enum { OK = 0, INVALID = 1, NOT_SUPPORTED = 2, PERMISSION = 4, INIT_ERROR = 8 };

VISIBLE struct amd_double amd_double = {
    .count = AMD_DEVICES,
    .device = {{.cap = 300000000, .energy = 1000, .resolution = 15.3f, .busy = 40, .temperature = 35000},
               {.cap = 500000000,
                .energy = 7000,
                .resolution = 15.259f,
                .busy = 60,
                .temperature = -5000,
                .form = 1}},
};

static int index_of(uint32_t device)
{
    return device > 0;
}

static int result_of(uint32_t device)
{
    return device < amd_double.count && amd_double.started > 0 ? amd_double.device[index_of(device)].result
                                                               : INVALID;
}

/* Writes to standard error where it does not start, as the real one does. */
FUNCTION(rsmi_init, uint64_t flags)
{
    if (amd_double.init_result != OK)
        fprintf(stderr, "rsmi_init() failed\n");
    amd_double.started += amd_double.init_result == OK && flags == 0;
    return amd_double.init_result;
}

FUNCTION(rsmi_shut_down, void)
{
    amd_double.started--;
    return OK;
}

FUNCTION(rsmi_num_monitor_devices, uint32_t *n)
{
    *n = amd_double.count;
    return OK;
}

FUNCTION(rsmi_status_string, int result, const char **string)
{
    *string = result == INIT_ERROR ? "no init" : "some error";
    return OK;
}

struct version {
    uint32_t major, minor, patch;
    const char *build;
};
FUNCTION(rsmi_version_get, struct version *version)
{
    *version = (struct version){5, 2, 3, "x"};
    return OK;
}

/* Questions about a sensor, of which there is the first alone. */
#define OF_SENSOR(name, type, value)                                                                         \
    FUNCTION(name, uint32_t device, uint32_t sensor, type *out)                                              \
    {                                                                                                        \
        int i = index_of(device);                                                                            \
        (void)i;                                                                                             \
        *out = (value);                                                                                      \
        return sensor == 0 ? result_of(device) : NOT_SUPPORTED;                                              \
    }
#define OF_DEVICE(name, type, value)                                                                         \
    FUNCTION(name, uint32_t device, type *out)                                                               \
    {                                                                                                        \
        int i = index_of(device);                                                                            \
        (void)i;                                                                                             \
        *out = (value);                                                                                      \
        return result_of(device);                                                                            \
    }

OF_SENSOR(rsmi_dev_power_ave_get, uint64_t, 90000000u + (unsigned)i)
OF_SENSOR(rsmi_dev_power_cap_get, uint64_t, amd_double.device[i].cap)
OF_SENSOR(rsmi_dev_fan_rpms_get, int64_t, 1500 + i)
OF_DEVICE(rsmi_dev_busy_percent_get, uint32_t, amd_double.device[i].busy)
OF_DEVICE(rsmi_dev_pci_id_get, uint64_t, 0x300 + (uint64_t)i)
OF_DEVICE(rsmi_topo_numa_affinity_get, uint32_t, i == 0 ? 1 : UINT32_MAX)

FUNCTION(rsmi_dev_power_cap_range_get, uint32_t device, uint32_t sensor, uint64_t *max, uint64_t *min)
{
    *max = 560000000;
    *min = 100000000;
    return sensor == 0 ? result_of(device) : INVALID;
}

FUNCTION(rsmi_dev_power_cap_set, uint32_t device, uint32_t sensor, uint64_t cap)
{
    if (cap < 100000000 || sensor != 0)
        return cap == 1 ? PERMISSION : INVALID;
    amd_double.device[index_of(device)].cap = cap;
    return OK;
}

FUNCTION(rsmi_dev_energy_count_get, uint32_t device, uint64_t *count, float *resolution, uint64_t *time)
{
    *count = amd_double.device[index_of(device)].energy;
    *resolution = amd_double.device[index_of(device)].resolution;
    *time = 1;
    return result_of(device);
}

/* The edge's now, and the critical one of the junction. */
FUNCTION(rsmi_dev_temp_metric_get, uint32_t device, uint32_t sensor, uint32_t metric, int64_t *temperature)
{
    *temperature = amd_double.device[index_of(device)].temperature + sensor;
    return (sensor == 0 && metric == 0) || (sensor == 1 && metric == 5) ? result_of(device) : NOT_SUPPORTED;
}

FUNCTION(rsmi_dev_memory_total_get, uint32_t device, int type, uint64_t *total)
{
    *total = 68702699520u + (uint64_t)type;
    return result_of(device);
}

/* Frequencies in the two forms that the structure has had. */
struct clocks {
    bool sleeps;
    uint32_t n, current;
    uint64_t frequency[33];
};
struct old_clocks {
    uint32_t n, current;
    uint64_t frequency[32];
};
FUNCTION(rsmi_dev_gpu_clk_freq_get, uint32_t device, int type, void *out)
{
    int i = index_of(device), now = amd_double.device[i].clock;
    const struct clocks new = {true, 2, (uint32_t)now, {500000000, 1700000000}};
    const struct old_clocks old = {2, (uint32_t)now, {500000000, 1502000000}};
    if (amd_double.device[i].form != 0)
        memcpy(out, &new, sizeof new);
    else
        memcpy(out, &old, sizeof old);
    return type == 0 ? result_of(device) : NOT_SUPPORTED;
}

/* Takes a second on a real device. */
FUNCTION(rsmi_dev_pci_throughput_get, uint32_t device, uint64_t *sent, uint64_t *received, uint64_t *packet)
{
    amd_double.questions_of_a_second++;
    *sent = amd_double.device[index_of(device)].throughput;
    *received = *sent + 1;
    *packet = 256;
    return result_of(device);
}

struct errors {
    uint64_t corrected, uncorrected;
};
FUNCTION(rsmi_dev_ecc_count_get, uint32_t device, uint64_t block, struct errors *errors)
{
    errors->corrected = amd_double.device[index_of(device)].corrected + block;
    errors->uncorrected = 0;
    return block == 1 || block == 0x80 ? result_of(device) : NOT_SUPPORTED;
}
