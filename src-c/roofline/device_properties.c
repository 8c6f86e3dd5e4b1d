/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Roofs of a device that follow from its properties: what it could do if each of its units were busy in each
 * cycle. Nothing is measured.
 */
#include "roofs.h"
#include "tools/common/allocate.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#define WHAT_ELSE                                                                                            \
    "; where the device is, \"papi_roofline --device-roofs=computed -o device.json\" keeps them, and "       \
    "--device-roofs=device.json takes them here"

/* Fused multiply-adds that a multiprocessor begins in a cycle, without the units for matrices; 0: not known.
 */
struct units {
    int major, minor;
    int each[ROOF_PRECISIONS];
};

static const struct units known_units[] = {
    {6, 0, {[ROOF_SINGLE] = 64, [ROOF_DOUBLE] = 32, [ROOF_HALF] = 128}},
    {6, 1, {[ROOF_SINGLE] = 128, [ROOF_DOUBLE] = 4}},
    {7, 0, {[ROOF_SINGLE] = 64, [ROOF_DOUBLE] = 32, [ROOF_HALF] = 128}},
    {7, 5, {[ROOF_SINGLE] = 64, [ROOF_DOUBLE] = 2, [ROOF_HALF] = 128}},
    {8, 0, {[ROOF_SINGLE] = 64, [ROOF_DOUBLE] = 32, [ROOF_HALF] = 256}},
    {8, 6, {[ROOF_SINGLE] = 128, [ROOF_DOUBLE] = 2, [ROOF_HALF] = 128}},
    {8, 9, {[ROOF_SINGLE] = 128, [ROOF_DOUBLE] = 2, [ROOF_HALF] = 128}},
    {9, 0, {[ROOF_SINGLE] = 128, [ROOF_DOUBLE] = 64, [ROOF_HALF] = 256}},
};

/* ---- the driver */

enum property { CLOCK, PROCESSORS, MEMORY_CLOCK, MEMORY_BITS, MAJOR, MINOR, PROPERTIES };

/* The driver's numbers of these; clocks are in kHz. */
static const int attributes[PROPERTIES] = {
    [CLOCK] = 13, [PROCESSORS] = 16, [MEMORY_CLOCK] = 36, [MEMORY_BITS] = 37, [MAJOR] = 75, [MINOR] = 76};

struct driver {
    int (*init)(unsigned flags);
    int (*count)(int *n);
    int (*get)(int *device, int number);
    int (*name)(char *name, int size, int device);
    int (*attribute)(int *value, int attribute, int device);
};

static bool find(void *library, const char *name, void *place)
{
    void *function = dlsym(library, name);
    memcpy(place, &function, sizeof function);
    return function != NULL;
}

static char *find_all(void *library, struct driver *driver)
{
    bool all = find(library, "cuInit", &driver->init) && find(library, "cuDeviceGetCount", &driver->count) &&
               find(library, "cuDeviceGet", &driver->get) &&
               find(library, "cuDeviceGetName", &driver->name) &&
               find(library, "cuDeviceGetAttribute", &driver->attribute);
    return all ? NULL : memory_print("libcuda.so.1 lacks functions of NVIDIA's driver" WHAT_ELSE);
}

static char *ask(const struct driver *driver, int number, struct roofs *roofs, int *value)
{
    int n = 0, device = 0, code = driver->init(0);
    if (code == 0)
        code = driver->count(&n);
    if (code != 0)
        return memory_print("NVIDIA's driver does not start, with error %d: nvidia-smi says more" WHAT_ELSE,
                            code);
    if (number >= n)
        return memory_print("there is no device %d: NVIDIA's driver has %d, from 0" WHAT_ELSE, number, n);
    code = driver->get(&device, number);
    if (code == 0)
        code = driver->name(roofs->device, (int)sizeof roofs->device, device);
    for (int i = 0; i < PROPERTIES && code == 0; i++)
        code = driver->attribute(&value[i], attributes[i], device);
    if (code != 0)
        return memory_print("NVIDIA's driver does not describe device %d, with error %d: nvidia-smi says "
                            "more" WHAT_ELSE,
                            number, code);
    return NULL;
}

/* ---- roofs */

static void add_peaks(struct roofs *roofs, const int *value)
{
    const enum roof_precision order[] = {ROOF_DOUBLE, ROOF_SINGLE, ROOF_HALF};
    const struct units *units = known_units, *end = units + sizeof known_units / sizeof *known_units;
    while (units < end && (units->major != value[MAJOR] || units->minor != value[MINOR]))
        units++;
    for (int i = 0; i < ROOF_PRECISIONS && units < end; i++) {
        double rate = 2.0 * units->each[order[i]] * value[PROCESSORS] * (value[CLOCK] * 1e3);
        struct roof_peak *peak = &roofs->peak[roofs->n_peaks];
        if (rate <= 0)
            continue;
        *peak =
            (struct roof_peak){.name = "FMA", .precision = order[i], .rate = {0, rate}, .spread = {-1, -1}};
        roofs->n_peaks++;
    }
}

/* Data comes twice in a cycle of the memory's clock. */
static char *add_memory(struct roofs *roofs, const int *value)
{
    struct roof_level *memory = &roofs->level[roofs->n_levels++];
    double rate = 2.0 * (value[MEMORY_CLOCK] * 1e3) * value[MEMORY_BITS] / 8;
    if (rate <= 0)
        return memory_print(
            "NVIDIA's driver does not say how fast the memory of %s is: give its roofs in a file, "
            "--device-roofs=FILE",
            roofs->device);
    *memory = (struct roof_level){.name = "memory"};
    for (int loop = 0; loop < STREAM_LOOPS; loop++) {
        memory->rate[loop][ROOFS_ALL] = rate;
        memory->spread[loop][ROOFS_ONE] = memory->spread[loop][ROOFS_ALL] = -1;
    }
    return NULL;
}

char *roofs_of_device(int number, struct roofs *roofs)
{
    struct driver driver = {.init = NULL};
    int value[PROPERTIES] = {0};
    *roofs = (struct roofs){.source = "computed", .cores = 1, .bound = true};
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    if (library == NULL)
        return memory_print("there is no NVIDIA driver to ask for the properties (%s)" WHAT_ELSE, dlerror());
    char *why = find_all(library, &driver);
    if (why == NULL)
        why = ask(&driver, number, roofs, value);
    if (why == NULL)
        why = add_memory(roofs, value);
    if (why == NULL)
        add_peaks(roofs, value);
    return why; /* the driver stays: it has threads of its own */
}
