/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The driver, CUPTI, the devices, and why they do not count. The order matters: questions about devices crash
 * in CUPTI before cuInit has succeeded, and CUPTI is not loaded where there is no device.
 */
#include "components/device/cuda.h"
#include "components/device/cuda_places.h"
#include "components/device/device_library.h"
#include "papi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHIP_VARIABLE "PAPI_CUDA_CHIP"
#define PERFWORKS_VARIABLE "PAPI_CUDA_PERFWORKS"

/* CUPTI opens it itself, where it is among its own files: the one that is loaded before is taken. */
static const struct device_library_source perfworks_source = {
    .files = (const char *const[]){"libnvperf_host.so", NULL},
    .file_variable = PERFWORKS_VARIABLE,
};

/* ---- errors */

static const struct {
    int result, code;
    const char *advice;
} answers[] = {
    {CUPTI_NO_PRIVILEGE, PAPI_EPERM,
     "the driver lets only administrators count: as root, write \"options nvidia "
     "NVreg_RestrictProfilingToAdminUsers=0\" to /etc/modprobe.d/nvidia-profiling.conf and restart the "
     "machine, or run the program with CAP_SYS_ADMIN (sudo; in a container --cap-add=SYS_ADMIN)"},
    {CUPTI_ANOTHER_SUBSCRIBER, PAPI_ECNFLCT,
     "another profiler has the counters (nsys, ncu, cuda-gdb, or DCGM: dcgmi profile --pause)"},
    {CUPTI_VIRTUAL, PAPI_ENOSUPP,
     "it is a virtual device, which has no counters: run on the host, or on a device "
     "that is passed through"},
    {CUPTI_VIRTUAL_NOT_ALLOWED, PAPI_EPERM,
     "it is a virtual device, whose hypervisor does not allow it: have its administrator set "
     "enable_profiling=1"},
    {CUPTI_CONFIDENTIAL, PAPI_ENOSUPP,
     "confidential computing is on, which hides the counters: nvidia-smi conf-compute -f shows it"},
    {CUPTI_MINING, PAPI_ENOSUPP, "it is a processor for mining, whose counters CUPTI does not show"},
    {CUPTI_MIG, PAPI_ENOSUPP,
     "it is a part of a device (MIG), whose counters CUPTI does not show: as root, nvidia-smi -mig 0"},
    {CUPTI_SLI, PAPI_ENOSUPP, "it is one of linked devices (SLI), whose counters CUPTI does not show"},
    {CUPTI_NOT_SUPPORTED, PAPI_ENOSUPP,
     "this toolkit's CUPTI does not count on it: toolkit 12 counts from Volta (7.0) on, 13 from Turing (7.5) "
     "on; PAPI_CUDA_ROOT names another toolkit"},
    {CUPTI_INVALID_CHIP, PAPI_ENOSUPP,
     "this toolkit's CUPTI does not know the chip: install a newer toolkit, and name it in PAPI_CUDA_ROOT"},
    {CUPTI_OUT_OF_MEMORY, PAPI_ENOMEM, "out of memory"},
};

int cuda_result(const struct cuda *cuda, int result, const char *what, struct reason *why)
{
    const char *text = NULL;
    if (result == CUPTI_OK)
        return PAPI_OK;
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++)
        if (answers[i].result == result)
            return reason_set(why, answers[i].code, "%s: %s", what, answers[i].advice);
    if (cuda->cupti.result_string(result, &text) != CUPTI_OK || text == NULL)
        text = "an error";
    return reason_set(why, PAPI_EMISC, "%s: CUPTI answers %s (%d)", what, text, result);
}

int cuda_driver_result(const struct cuda *cuda, int result, const char *what, struct reason *why)
{
    enum { MEMORY = 2, NO_DEVICE = 100 };
    const char *text = NULL;
    if (result == 0)
        return PAPI_OK;
    if (result == NO_DEVICE)
        return reason_set(
            why, PAPI_ENOSUPP,
            "there is no device here that the NVIDIA driver serves, or none that this container "
            "or job may use (CUDA_VISIBLE_DEVICES): nvidia-smi -L lists them");
    if (cuda->driver.error_name(result, &text) != 0 || text == NULL)
        text = "an error";
    return reason_set(why, result == MEMORY ? PAPI_ENOMEM : PAPI_ENOSUPP,
                      "%s: the NVIDIA driver answers %s (%d)", what, text, result);
}

/* ---- libraries */

#define FUNCTION_ROW(STRUCTURE, member, name) {name, offsetof(struct STRUCTURE, member), DEVICE_NEEDED},
#define DRIVER_ROW(member, name, arguments) FUNCTION_ROW(cuda_driver, member, name)
#define CUPTI_ROW(member, name, arguments) FUNCTION_ROW(cupti, member, name)
static const struct device_function driver_functions[] = {CUDA_DRIVER_FUNCTIONS(DRIVER_ROW)};
static const struct device_function cupti_functions[] = {CUPTI_FUNCTIONS(CUPTI_ROW)};

static int load_cupti(struct cuda *cuda, const char *root, struct reason *why)
{
    void *perfworks, *library = NULL;
    int code = secure_getenv(PERFWORKS_VARIABLE) != NULL
                   ? device_library_load(&perfworks_source, root, &perfworks, why)
                   : PAPI_OK;
    code = code
               ?: device_library_open(&cupti_places, root, &library, cupti_functions,
                                      sizeof cupti_functions / sizeof *cupti_functions, &cuda->cupti, why);
    if (code != PAPI_OK && library != NULL)
        reason_add(why,
                   "; the range profiler came with CUDA 12.6: install that or a newer toolkit, and name its "
                   "folder in PAPI_CUDA_ROOT");
    return code;
}

static int start_driver(struct cuda *cuda, const char *root, struct reason *why)
{
    enum { NO_DEVICE = 100 };
    int *n = &cuda->units.n_devices;
    int code = device_library_open(&cuda_driver_places, root, &cuda->units.library, driver_functions,
                                   sizeof driver_functions / sizeof *driver_functions, &cuda->driver, why);
    if (code != PAPI_OK)
        return code;
    int result = cuda->driver.init(0) ?: cuda->driver.count(n);
    *n = *n < DEVICES_WITH_WORDS ? *n : DEVICES_WITH_WORDS;
    return cuda_driver_result(cuda, result == 0 && *n < 1 ? NO_DEVICE : result, "the driver does not start",
                              why);
}

/* ---- devices */

int cuda_open_host(const struct cuda *cuda, int device, const char *what, void **host, struct reason *why)
{
    struct cupti_host_initialize open = {CUPTI_HEAD(open, host), .chip = cuda->device[device].chip,
                                         .availability = cuda->device[device].availability};
    int code = cuda_result(cuda, cuda->cupti.host_initialize(&open), what, why);
    *host = code == PAPI_OK ? open.host : NULL;
    return code;
}

void cuda_close_host(const struct cuda *cuda, void *host)
{
    struct cupti_host_end end = {CUPTI_HEAD(end, host), .host = host};
    if (host != NULL)
        cuda->cupti.host_end(&end);
}

/* The number of CUPTI's error for what a device does not have. */
static int lacking(const struct cupti_device_supported *supported)
{
    const struct {
        int level, result;
    } parts[] = {{supported->mining, CUPTI_MINING},
                 {supported->confidential, CUPTI_CONFIDENTIAL},
                 {supported->virtual_device, supported->virtual_device == CUPTI_LEVEL_DISABLED
                                                 ? CUPTI_VIRTUAL_NOT_ALLOWED
                                                 : CUPTI_VIRTUAL},
                 {supported->sli, CUPTI_SLI},
                 {supported->all, CUPTI_NOT_SUPPORTED}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].level != CUPTI_LEVEL_SUPPORTED)
            return parts[i].result;
    return CUPTI_OK;
}

static int look_at(struct cuda *cuda, int i, struct reason *why)
{
    char what[128];
    struct cuda_device *device = &cuda->device[i];
    snprintf(what, sizeof what, "device %d", i);
    int result = cuda->driver.get(&device->number, i)
                     ?: cuda->driver.name(device->name, sizeof device->name, device->number);
    if (result != 0)
        return cuda_driver_result(cuda, result, what, why);
    struct cupti_chip_name name = {CUPTI_HEAD(name, chip), .device = (size_t)i};
    struct cupti_device_supported supported = {CUPTI_HEAD(supported, interface), .device = device->number};
    result = cuda->cupti.chip_name(&name);
    snprintf(device->chip, sizeof device->chip, "%s", result == CUPTI_OK ? name.chip : "");
    snprintf(what, sizeof what, "device %d (%s%s%s)", i, device->name, device->chip[0] ? ", " : "",
             device->chip);
    result = result ?: cuda->cupti.supported(&supported) ?: lacking(&supported);
    return cuda_result(cuda, result, what, why) ?: cuda_open_host(cuda, i, what, &device->host, why);
}

static int look_at_all(struct cuda *cuda, struct reason *why)
{
    struct cupti_initialize start = {CUPTI_HEAD(start, reserved)};
    int n = 0, code = cuda_result(cuda, cuda->cupti.initialize(&start), "CUPTI does not start", why);
    for (int i = 0; i < cuda->units.n_devices && code == PAPI_OK; i++)
        n += look_at(cuda, i, &cuda->device[i].cannot) == PAPI_OK;
    return code != PAPI_OK || n > 0 ? code : reason_pass(&cuda->device[0].cannot, why);
}

/* The events of a chip that need not be here; none of them is counted. */
static int look_at_chip(struct cuda *cuda, const char *root, const char *chip, struct reason *why)
{
    char what[64];
    struct cuda_device *device = &cuda->device[0];
    if (start_driver(cuda, root, &cuda->cannot) == PAPI_OK)
        reason_set(&cuda->cannot, PAPI_ENOSUPP,
                   CHIP_VARIABLE
                   " has the events of %.15s listed in place of those of the devices here: unset it "
                   "to count",
                   chip);
    else
        reason_add(&cuda->cannot, "; " CHIP_VARIABLE " has the events of %.15s listed", chip);
    cuda->units.n_devices = 1;
    snprintf(device->chip, sizeof device->chip, "%s", chip);
    snprintf(what, sizeof what, CHIP_VARIABLE " (%s)", device->chip);
    reason_pass(&cuda->cannot, &device->cannot);
    return load_cupti(cuda, root, why) ?: cuda_open_host(cuda, 0, what, &device->host, why);
}

int cuda_open(struct device_units *units, const char *root, struct reason *why)
{
    struct cuda *cuda = (struct cuda *)units;
    const char *chip = device_setting(CHIP_VARIABLE);
    if (chip != NULL)
        return look_at_chip(cuda, root, chip, why);
    int code = start_driver(cuda, root, why);
    if (code == PAPI_OK)
        return load_cupti(cuda, root, why) ?: look_at_all(cuda, why);
    reason_add(why, "; without a device, " CHIP_VARIABLE "=GH100 lists the events of that chip");
    return code;
}

void cuda_close(struct device_units *units)
{
    struct cuda *cuda = (struct cuda *)units;
    for (int i = 0; i < units->n_devices; i++) {
        cuda_close_host(cuda, cuda->device[i].host);
        free(cuda->device[i].availability);
    }
}
