/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The kernels that papi_roofline measures a machine with do what they say: so many operations of their
 * precision, and nothing in memory; so many bytes, from the level that the sizes are made for and no other.
 */
#include "measure.h"
#include "roofline/peak.h"
#include "roofline/stream.h"
#include "roofline/team.h"

#include <stdlib.h>
#include <string.h>

/* The machine that emulated_test.py (roofline) emulates. */
static const struct cpus machine = {
    .n = 1,
    .cache = {{1, 16 << 10, 64, 1, 1}, {2, 64 << 10, 64, 1, 1}, {3, 512 << 10, 64, 1, 1}},
    .n_caches = 3,
};

enum event {
    DP,
    SP,
    OTHER,
    FMA,
    READS,
    WRITES,
    READ_MISSES,
    WRITE_MISSES = READ_MISSES + 3,
    EVENTS = WRITE_MISSES + 3
};
static const char *const names[] = {
    "emu::DP_OPS",
    "emu::SP_OPS",
    "emu::FP_OPS",
    "emu::FMA_INSTRUCTIONS",
    "emu::LOADS",
    "emu::STORES",
    "emu::L1D_READ_MISSES",
    "emu::L2_READ_MISSES",
    "emu::L3_READ_MISSES",
    "emu::L1D_WRITE_MISSES",
    "emu::L2_WRITE_MISSES",
    "emu::L3_WRITE_MISSES",
    NULL,
};

struct call {
    const struct peak_kernel *peak;
    stream_function *stream;
    double *array[3];
    long n;
};

static __attribute__((noinline)) void run(int es, const struct call *call, long amount, long long *values)
{
    PAPI_start(es);
    if (call->peak != NULL)
        call->peak->run(amount, call->array[0]);
    else
        call->stream(call->array[0], call->array[1], call->array[2], call->n, amount);
    PAPI_stop(es, values);
}

/* Computes what a round or pass adds, when it comes after others. The lines of the measurement itself come
 * once. How many those are differs from run to run by up to 20 or so, depending on where the stack is (on the
 * environment, therefore) and which sets of the small cache it shares with the arrays: less than half a line
 * a pass.
 *   times  passes more than one */
static void each(int es, const struct call *call, int times, long long *values)
{
    long long before[MAX_MEASURED];
    run(es, call, 1, before);
    run(es, call, 1, before);
    run(es, call, 1 + times, values);
    for (int i = 0; i < EVENTS; i++) {
        long long all = values[i] - before[i], rest = i < READ_MISSES ? 0 : times / 2;
        values[i] = (all + rest - (all + rest < 0 ? times - 1 : 0)) / times;
        if (i < READ_MISSES)
            EQUAL(values[i] * times, all);
    }
}

static void check_peak(int es, const struct peak_kernel *kernel, void *memory)
{
    const struct call call = {.peak = kernel, .array = {memory}};
    long long found[MAX_MEASURED];
    each(es, &call, 16, found);
    EQUAL(found[kernel->is_double ? DP : SP], kernel->operations);
    EQUAL(found[OTHER], kernel->operations);
    EQUAL(found[READS], 0);
    EQUAL(found[WRITES], 0);
    /* A kernel of fused operations has two operations a lane for each such instruction. */
    int lanes = strncmp(kernel->name, "scalar", 6) == 0 ? 1 : kernel->bits / (kernel->is_double ? 64 : 32);
    if (found[FMA] != 0 || strstr(kernel->name, "FMA") != NULL)
        EQUAL(found[FMA] * 2 * lanes, kernel->operations);
    printf("%s, %d bits, %s: %d operations\n", kernel->name, kernel->bits, kernel->is_double ? "DP" : "SP",
           kernel->operations);
}

/* A pair of registers may be loaded or stored by one instruction. */
static void check_width(long long instructions, long long bytes, int bits)
{
    int width = bits / 8;
    if (instructions * 2 * width != bytes)
        EQUAL(instructions * width, bytes);
}

static void check_loop(int es, const struct stream_kernels *kernels, int loop, int level, char *memory)
{
    const struct stream_shape *shape = &stream_shapes[loop];
    long n = sizes_elements(loop, sizes_level(&machine, level, 1));
    size_t stride = (size_t)n * sizeof(double) + 320;
    struct call call = {.stream = kernels->run[loop], .n = n};
    long long found[MAX_MEASURED], line = machine.cache[0].line;
    for (int i = 0; i < 3; i++)
        call.array[i] = (double *)(void *)(memory + (i < sizes_arrays(loop) ? (size_t)i : 0) * stride);
    each(es, &call, level < 2 ? 100 : 16,
         found); /* larger arrays leave nothing of the measurement in the caches */
    EQUAL(found[DP], (long long)shape->operations * n);
    EQUAL(found[OTHER], (long long)shape->operations * n);
    check_width(found[READS], 8LL * shape->read * n, kernels->bits);
    check_width(found[WRITES], 8LL * shape->written * n, kernels->bits);
    for (int below = 0; below < machine.n_caches; below++) {
        EQUAL(found[READ_MISSES + below] * line, below < level ? 8LL * shape->read * n : 0);
        EQUAL(found[WRITE_MISSES + below] * line, below < level ? 8LL * shape->written * n : 0);
    }
}

static void check_loops(int es, const struct stream_kernels *kernels)
{
    size_t room = (size_t)sizes_level(&machine, machine.n_caches, 1) + 3 * 320;
    char *memory = aligned_alloc(64, (room + 63) / 64 * 64);
    CHECK(memory != NULL);
    memset(memory, 0, room);
    for (int level = 0; level <= machine.n_caches; level++)
        for (int loop = 0; loop < STREAM_LOOPS; loop++)
            check_loop(es, kernels, loop, level, memory);
    printf("loops of %d bits: at every level\n", kernels->bits);
    free(memory);
}

int main(void)
{
    int es = measure_set(names), n = 0;
    void *memory = aligned_alloc(64, PEAK_MEMORY);
    CHECK(memory != NULL);
    memset(memory, 0, PEAK_MEMORY);
    for (const struct peak_kernel *kernel = peak_kernels; kernel->run != NULL; kernel++)
        if (kernel->usable == NULL || kernel->usable()) {
            check_peak(es, kernel, memory);
            n++;
        }
    CHECK(n >= 4);
    for (const struct stream_kernels *kernels = stream_kernels;; kernels++) {
        if (kernels->usable == NULL || kernels->usable())
            check_loops(es, kernels);
        if (kernels->usable == NULL)
            break;
    }
    free(memory);
    return 0;
}
