/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The driver, CUPTI, the devices, and why they do not count. The order matters: questions about devices crash
 * in CUPTI before cuInit has succeeded, and CUPTI is not loaded where there is no device.
 */
#include "components/device/cuda.h"
#include "components/device/device_answers.h"
#include "components/device/device_library.h"
#include "components/device/device_places.h"
#include "papi.h"

#include <stdio.h>
#include <stdlib.h>

#define CHIP_VARIABLE "PAPI_CUDA_CHIP"

/* CUPTI opens it itself, where it is among its own files: the one that is loaded before is taken. */
static const struct device_library_source perfworks_source = {
    .files = (const char *const[]){"libnvperf_host.so", NULL},
    .file_variable = "PAPI_CUDA_PERFWORKS",
};

/* ---- errors */

static const struct device_answers cupti_answers =
                                       DEVICE_ANSWERS("CUPTI", DEVICE_ANSWERS_NAME, CUPTI_ANSWERS),
                                   driver_answers = DEVICE_ANSWERS("the NVIDIA driver", DEVICE_ANSWERS_NAME,
                                                                   CUDA_DRIVER_ANSWERS);

/* The sentence of an error, with the words of the library's own function. */
static int answered(const struct device_answers *answers, int (*ask)(int result, const char **words),
                    int result, int code, const char *what, struct reason *why)
{
    const char *words = NULL;
    if (result == 0)
        return PAPI_OK;
    return device_answered(answers, result, code, ask(result, &words) == 0 ? words : NULL, what, why);
}

int cuda_result(const struct cuda *cuda, int result, const char *what, struct reason *why)
{
    return answered(&cupti_answers, cuda->cupti.result_string, result, PAPI_EMISC, what, why);
}

int cuda_driver_result(const struct cuda *cuda, int result, const char *what, struct reason *why)
{
    return answered(&driver_answers, cuda->driver.error_name, result, PAPI_ENOSUPP, what, why);
}

/* ---- libraries */

#define DRIVER_ROW(member, name, arguments) DEVICE_FUNCTION(cuda_driver, member, name, DEVICE_NEEDED),
#define CUPTI_ROW(member, name, arguments) DEVICE_FUNCTION(cupti, member, name, DEVICE_NEEDED),
static const struct device_function driver_functions[] = {CUDA_DRIVER_FUNCTIONS(DRIVER_ROW)};
static const struct device_function cupti_functions[] = {CUPTI_FUNCTIONS(CUPTI_ROW)};

static int load_cupti(struct cuda *cuda, const char *root, struct reason *why)
{
    void *perfworks, *library = NULL;
    int code = secure_getenv(perfworks_source.file_variable) != NULL
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
    int *n = &cuda->units.n_devices;
    int code = device_library_open(&cuda_driver_places, root, &cuda->units.library, driver_functions,
                                   sizeof driver_functions / sizeof *driver_functions, &cuda->driver, why);
    if (code != PAPI_OK)
        return code;
    int result = cuda->driver.init(0) ?: cuda->driver.count(n);
    *n = *n < DEVICES_WITH_WORDS ? *n : DEVICES_WITH_WORDS;
    if (result == CUDA_NO_DEVICE || (result == 0 && *n < 1))
        return reason_set(
            why, PAPI_ENOSUPP,
            "there is no device here that the NVIDIA driver serves, or none that this container "
            "or job may use (CUDA_VISIBLE_DEVICES): nvidia-smi -L lists them");
    return cuda_driver_result(cuda, result, "the driver does not start", why);
}

/* ---- devices */

int cuda_open_host(const struct cuda *cuda, int device, const char *what, void **host, struct reason *why)
{
    struct cupti_host_initialize open = {CUPTI_HEAD(open, host), .chip = cuda->units.unit[device].chip,
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
    enum { YES = CUPTI_LEVEL_SUPPORTED, NOT_ALLOWED = CUPTI_LEVEL_DISABLED };
    return supported->mining != YES                   ? CUPTI_MINING
           : supported->confidential != YES           ? CUPTI_CONFIDENTIAL
           : supported->virtual_device == NOT_ALLOWED ? CUPTI_VIRTUAL_NOT_ALLOWED
           : supported->virtual_device != YES         ? CUPTI_VIRTUAL
           : supported->sli != YES                    ? CUPTI_SLI
           : supported->all != YES                    ? CUPTI_NOT_SUPPORTED
                                                      : CUPTI_OK;
}

/* Asks for a device's name and chip, which what gets, and for what it lacks. */
static int ask_device(struct cuda *cuda, int i, char what[PAPI_MAX_STR_LEN], struct reason *why)
{
    struct device_unit *unit = &cuda->units.unit[i];
    int *number = &cuda->device[i].number;
    snprintf(what, PAPI_MAX_STR_LEN, "device %d", i);
    int result = cuda->driver.get(number, i) ?: cuda->driver.name(unit->name, sizeof unit->name, *number);
    if (result != 0)
        return cuda_driver_result(cuda, result, what, why);
    struct cupti_chip_name name = {CUPTI_HEAD(name, chip), .device = (size_t)i};
    struct cupti_device_supported supported = {CUPTI_HEAD(supported, interface), .device = *number};
    result = cuda->cupti.chip_name(&name);
    snprintf(unit->chip, sizeof unit->chip, "%s", result == CUPTI_OK ? name.chip : "");
    snprintf(what, PAPI_MAX_STR_LEN, "device %d (%s%s%s)", i, unit->name, unit->chip[0] ? ", " : "",
             unit->chip);
    result = result ?: cuda->cupti.supported(&supported) ?: lacking(&supported);
    return cuda_result(cuda, result, what, why);
}

int cuda_look(struct device_units *units, int i, struct reason *why)
{
    struct cuda *cuda = (struct cuda *)units;
    char what[PAPI_MAX_STR_LEN];
    snprintf(what, sizeof what, CHIP_VARIABLE " (%s)", units->unit[i].chip);
    int code = units->cannot.code == PAPI_OK ? ask_device(cuda, i, what, why) : PAPI_OK;
    return code ?: cuda_open_host(cuda, i, what, &cuda->device[i].host, why);
}

int cuda_open(struct device_units *units, const char *root, struct reason *why)
{
    struct cuda *cuda = (struct cuda *)units;
    struct cupti_initialize start = {CUPTI_HEAD(start, reserved)};
    const char *chip = device_setting(CHIP_VARIABLE);
    int code = start_driver(cuda, root, chip == NULL ? why : &units->cannot);
    if (chip != NULL)
        device_only_listed(units, CHIP_VARIABLE, chip);
    else if (code != PAPI_OK) {
        reason_add(why, "; without a device, " CHIP_VARIABLE "=GH100 lists the events of that chip");
        return code;
    }
    for (int i = 0; i < units->n_devices && chip == NULL; i++)
        device_add_unit(units, i, -1);
    code = load_cupti(cuda, root, why);
    return code != PAPI_OK || chip != NULL
               ? code
               : cuda_result(cuda, cuda->cupti.initialize(&start), "CUPTI does not start", why);
}

void cuda_close(struct device_units *units)
{
    struct cuda *cuda = (struct cuda *)units;
    for (int i = 0; i < units->n_devices; i++) {
        cuda_close_host(cuda, cuda->device[i].host);
        free(cuda->device[i].availability);
    }
}
