/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Roofs of a device that follow from its properties: what it could do if each of its units were busy in each
 * cycle. Nothing is measured.
 */
#include "device_driver.h"
#include "roofs.h"
#include "tools/common/allocate.h"

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

/* ---- properties */

struct properties {
    int clock, processors, memory_clock, memory_bits, major, minor;
};

static char *ask(const struct cuda_driver *driver, int number, struct properties *properties)
{
    const struct {
        enum cuda_property property;
        int *value;
    } asked[] = {
        {CUDA_CLOCK, &properties->clock},
        {CUDA_PROCESSORS, &properties->processors},
        {CUDA_MEMORY_CLOCK, &properties->memory_clock},
        {CUDA_MEMORY_BITS, &properties->memory_bits},
        {CUDA_MAJOR, &properties->major},
        {CUDA_MINOR, &properties->minor},
    };
    int code = 0;
    for (size_t i = 0; i < sizeof asked / sizeof *asked && code == 0; i++)
        code = driver->attribute(asked[i].value, (int)asked[i].property, driver->device);
    return code == 0 ? NULL
                     : memory_print("NVIDIA's driver does not describe device %d, with error %d: nvidia-smi "
                                    "says more",
                                    number, code);
}

/* ---- roofs */

static void add_peaks(struct roofs *roofs, const struct properties *properties)
{
    const enum roof_precision order[] = {ROOF_DOUBLE, ROOF_SINGLE, ROOF_HALF};
    const struct units *units = known_units, *end = units + sizeof known_units / sizeof *known_units;
    while (units < end && (units->major != properties->major || units->minor != properties->minor))
        units++;
    for (int i = 0; i < ROOF_PRECISIONS && units < end; i++) {
        double rate = 2.0 * units->each[order[i]] * properties->processors * (properties->clock * 1e3);
        struct roof_peak *peak = &roofs->peak[roofs->n_peaks];
        if (rate <= 0)
            continue;
        *peak =
            (struct roof_peak){.name = "FMA", .precision = order[i], .rate = {0, rate}, .spread = {-1, -1}};
        roofs->n_peaks++;
    }
}

/* Data comes twice in a cycle of the memory's clock. */
static char *add_memory(struct roofs *roofs, const struct properties *properties)
{
    struct roof_level *memory = &roofs->level[roofs->n_levels++];
    double rate = 2.0 * (properties->memory_clock * 1e3) * properties->memory_bits / 8;
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
    struct cuda_driver driver = {.wanted = "computed"};
    struct properties properties = {0};
    *roofs = (struct roofs){.source = "computed", .cores = 1, .bound = true};
    char *why = cuda_driver_open(&driver, number, roofs->device, sizeof roofs->device);
    if (why == NULL)
        why = ask(&driver, number, &properties);
    if (why == NULL)
        why = add_memory(roofs, &properties);
    if (why == NULL)
        add_peaks(roofs, &properties);
    return why;
}
