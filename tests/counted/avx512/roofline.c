/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The AVX-512 kernels of papi_roofline: what they claim, and what they do between marks. STEP_MANY rounds or
 * passes less one are between the two kernels of a name.
 */
#include "marks.h"
#include "roofline/peak.h"
#include "roofline/stream.h"

#include <stdio.h>
#include <string.h>

enum { FEW = 1, MANY = 11, ELEMENTS = 2 * STREAM_MULTIPLE };

static double memory[3][ELEMENTS] __attribute__((aligned(64)));

static void measure_peak(const struct peak_kernel *kernel, long rounds)
{
    static char room[PEAK_MEMORY] __attribute__((aligned(64)));
    char name[32];
    snprintf(name, sizeof name, "peak%d-%ld", kernel->is_double ? 64 : 32, rounds);
    mark_begin();
    kernel->run(rounds, room);
    mark_end(name);
}

static void measure_stream(const struct stream_kernels *kernels, int loop, long passes)
{
    char name[32];
    snprintf(name, sizeof name, "%s-%ld", stream_shapes[loop].name, passes);
    mark_begin();
    kernels->run[loop](memory[0], memory[1], memory[2], ELEMENTS, passes);
    mark_end(name);
}

int main(void)
{
    const struct stream_kernels *widest = stream_widest();
    for (const struct peak_kernel *kernel = peak_kernels; kernel->run != NULL; kernel++) {
        if (strcmp(kernel->name, "AVX-512") != 0 || !kernel->usable())
            continue;
        printf("#%%claim peak%d bits %d operations %d\n", kernel->is_double ? 64 : 32, kernel->bits,
               kernel->operations);
        measure_peak(kernel, FEW);
        measure_peak(kernel, MANY);
    }
    for (int loop = 0; loop < STREAM_LOOPS; loop++) {
        const struct stream_shape *shape = &stream_shapes[loop];
        printf("#%%claim %s bits %d operations %d read %d written %d\n", shape->name, widest->bits,
               shape->operations * ELEMENTS, shape->read * ELEMENTS, shape->written * ELEMENTS);
        measure_stream(widest, loop, FEW);
        measure_stream(widest, loop, MANY);
    }
    return 0;
}
