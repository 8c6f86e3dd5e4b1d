/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The part of the stand-in for libcuda.so.1 that is measured: memory, and a device whose work takes a time
 * that is known. DOUBLE_RATES is "DOUBLE SINGLE COPY READ", operations or bytes a second. DOUBLE_FAULT is
 * what is wrong with it: cold (half of that at first), busy (every other turn), wrong_double, wrong_single,
 * wrong_copy, wrong_read (results), short (no time), full (memory), text (it takes no kernels).
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define VISIBLE __attribute__((visibility("default")))
#define CALL(name, ...)                                                                                      \
    VISIBLE int name(__VA_ARGS__);                                                                           \
    VISIBLE int name(__VA_ARGS__)

enum { OK = 0, WRONG = 1, FULL = 2, BAD_TEXT = 218, NOT_FOUND = 500 };
enum { MEMORIES = 8, EVENTS = 8, THREADS = 256, CHAINS = 8, STEPS = 32 };
enum rate { RATE_DOUBLE, RATE_SINGLE, RATE_COPY, RATE_READ, RATES };

static struct {
    struct memory {
        char *data; /* NULL: none */
        size_t size;
        long content; /* a number that each change of it has anew */
    } memory[MEMORIES];
    long changes;
    double now; /* seconds of the device's clock */
    double at[EVENTS];
    int n_events, turns;
    bool context, current;
} device;

static bool fault(const char *name)
{
    const char *text = getenv("DOUBLE_FAULT");
    return text != NULL && strcmp(text, name) == 0;
}

static void take(enum rate which, double units)
{
    const double cold = 0.1;
    double rate[RATES] = {0};
    const char *text = getenv("DOUBLE_RATES");
    if (text == NULL || sscanf(text, "%lf %lf %lf %lf", &rate[0], &rate[1], &rate[2], &rate[3]) != RATES)
        return;
    double slow = fault("cold") && device.now < cold ? 2 : fault("busy") && device.turns % 2 != 0 ? 1.5 : 1;
    device.now += fault("short") ? 0 : slow * units / rate[which];
}

static struct memory *memory_at(uint64_t address)
{
    for (int i = 0; i < MEMORIES; i++) {
        struct memory *memory = &device.memory[i];
        uint64_t begin = (uint64_t)(uintptr_t)memory->data;
        if (memory->data != NULL && address >= begin && address < begin + memory->size)
            return memory;
    }
    return NULL;
}

static char *changed(uint64_t address)
{
    struct memory *memory = memory_at(address);
    if (memory == NULL)
        abort();
    memory->content = ++device.changes;
    return (char *)(uintptr_t)address;
}

/* ---- context, memory */

CALL(cuDriverGetVersion, int *version)
{
    *version = 13020;
    return OK;
}

CALL(cuDevicePrimaryCtxRetain, void **context, int number)
{
    (void)number;
    *context = &device;
    device.context = true;
    return OK;
}

CALL(cuDevicePrimaryCtxRelease_v2, int number)
{
    (void)number;
    for (int i = 0; i < MEMORIES; i++)
        if (device.memory[i].data != NULL)
            abort(); /* the tool leaves nothing there */
    return device.context ? OK : WRONG;
}

CALL(cuCtxSetCurrent, void *context)
{
    device.current = context == &device;
    return device.current ? OK : WRONG;
}

CALL(cuMemGetInfo_v2, size_t *free_bytes, size_t *total)
{
    *free_bytes = fault("full") ? 100000000 : 8000000000;
    *total = 16000000000;
    return device.current ? OK : WRONG;
}

CALL(cuMemAlloc_v2, uint64_t *address, size_t size)
{
    for (int i = 0; i < MEMORIES; i++)
        if (device.memory[i].data == NULL) {
            void *data = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            if (data == MAP_FAILED)
                return FULL;
            device.memory[i] = (struct memory){data, size, ++device.changes};
            *address = (uint64_t)(uintptr_t)data;
            return OK;
        }
    return FULL;
}

CALL(cuMemFree_v2, uint64_t address)
{
    struct memory *memory = memory_at(address);
    if (memory == NULL)
        return WRONG;
    munmap(memory->data, memory->size);
    memory->data = NULL;
    return OK;
}

CALL(cuMemsetD32_v2, uint64_t address, unsigned value, size_t n)
{
    uint32_t *word = (uint32_t *)(void *)changed(address);
    for (size_t i = 0; i < n; i++)
        word[i] = value;
    return OK;
}

CALL(cuMemcpyDtoH_v2, void *to, uint64_t from, size_t size)
{
    memcpy(to, (const void *)(uintptr_t)from, size);
    return OK;
}

/* Copies what is not the same already. */
CALL(cuMemcpyDtoDAsync_v2, uint64_t to, uint64_t from, size_t size, void *stream)
{
    struct memory *target = memory_at(to);
    const struct memory *source = memory_at(from);
    (void)stream;
    if (target == NULL || source == NULL || size != target->size || size != source->size)
        return WRONG;
    if (target->content != source->content)
        memcpy(target->data, source->data, size);
    target->content = source->content;
    if (fault("wrong_copy"))
        target->data[size - 1] = 0;
    take(RATE_COPY, 2.0 * (double)size);
    return OK;
}

/* ---- events */

CALL(cuEventCreate, void **event, unsigned flags)
{
    *event = &device.at[device.n_events++];
    return flags == 0 ? OK : WRONG;
}

CALL(cuEventDestroy_v2, void *event)
{
    return event != NULL ? OK : WRONG;
}

CALL(cuEventRecord, double *event, void *stream)
{
    device.turns += event == device.at; /* the first that was made begins a turn */
    *event = device.now;
    return stream == NULL ? OK : WRONG;
}

CALL(cuEventSynchronize, double *event)
{
    return *event <= device.now ? OK : WRONG;
}

CALL(cuEventElapsedTime, float *ms, const double *from, const double *to)
{
    *ms = (float)((*to - *from) * 1e3);
    return OK;
}

/* ---- kernels */

static const char *const names[] = {"papi_fma_double", "papi_fma_single", "papi_read"};

CALL(cuModuleLoadData, void **module, const char *text)
{
    bool all = strncmp(text, ".version 6.0\n.target sm_60\n", 27) == 0 && !fault("text");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        all = all && strstr(text, names[i]) != NULL;
    *module = &device;
    return all ? OK : BAD_TEXT;
}

CALL(cuModuleUnload, void *module)
{
    return module == &device ? OK : WRONG;
}

CALL(cuModuleGetFunction, const void **function, void *module, const char *name)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (module == &device && strcmp(names[i], name) == 0) {
            *function = &names[i];
            return OK;
        }
    return NOT_FOUND;
}

static void run_double(void **parameters, size_t threads)
{
    double *out = (double *)(void *)changed(*(uint64_t *)parameters[0]), x = *(double *)parameters[1],
           y = *(double *)parameters[2];
    unsigned rounds = *(unsigned *)parameters[3];
    for (size_t i = 0; i < threads * CHAINS; i++)
        out[i] = (double)(i / CHAINS % THREADS + i % CHAINS) * x + (double)rounds * STEPS * y;
    out[threads * CHAINS - 1] += fault("wrong_double");
    take(RATE_DOUBLE, 2.0 * (double)threads * CHAINS * STEPS * rounds);
}

static void run_single(void **parameters, size_t threads)
{
    float *out = (float *)(void *)changed(*(uint64_t *)parameters[0]), x = *(float *)parameters[1],
          y = *(float *)parameters[2];
    unsigned rounds = *(unsigned *)parameters[3];
    for (size_t i = 0; i < threads * CHAINS; i++)
        out[i] = (float)(i / CHAINS % THREADS + i % CHAINS) * x + (float)rounds * STEPS * y;
    out[0] -= (float)fault("wrong_single");
    take(RATE_SINGLE, 2.0 * (double)threads * CHAINS * STEPS * rounds);
}

static void run_read(void **parameters, size_t threads)
{
    uint32_t *out = (uint32_t *)(void *)changed(*(uint64_t *)parameters[0]),
             *from = (uint32_t *)(uintptr_t) * (uint64_t *)parameters[1];
    unsigned vectors = *(unsigned *)parameters[2];
    double bytes = (double)threads * vectors * 16;
    if (bytes > (double)memory_at(*(uint64_t *)parameters[1])->size)
        abort();
    for (size_t i = 0; i < threads; i++)
        out[i] = vectors * 4 * from[i];
    out[threads / 2] ^= fault("wrong_read");
    take(RATE_READ, bytes);
}

CALL(cuLaunchKernel, void *function, unsigned blocks, unsigned y, unsigned z, unsigned threads,
     unsigned threads_y, unsigned threads_z, unsigned shared, void *stream, void **parameters, void **more)
{
    static void (*const run[])(void **parameters, size_t threads) = {run_double, run_single, run_read};
    if (blocks == 0 || y != 1 || z != 1 || threads != THREADS || threads_y != 1 || threads_z != 1 ||
        shared != 0 || stream != NULL || more != NULL || !device.current)
        return WRONG;
    run[(const char *const *)function - names](parameters, (size_t)blocks * threads);
    return OK;
}
