/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A library with the interface of libcuda.so.1, as far as the component cuda needs it. Its kernel has the
 * first unit of a device execute n instructions and the second 3 n.
 */
#include "cuda_double.h"

#include <string.h>

#define VISIBLE __attribute__((visibility("default")))
#define FUNCTION(name, ...)                                                                                  \
    VISIBLE int name(__VA_ARGS__);                                                                           \
    VISIBLE int name(__VA_ARGS__)

enum { SUCCESS, INVALID = 1, NOT_INITIALIZED = 3, NO_DEVICE = 100, INVALID_CONTEXT = 201 };

VISIBLE struct cuda_double cuda_double = {
    .count = DOUBLE_DEVICES,
    .level = {3, 3, 3, 3, 3, 3},
    .n_contexts = DOUBLE_DEVICES,
    .context = {{.device = 0}, {.device = 1}},
};

static _Thread_local struct double_context *current;

/* ---- what tests call */

static void run(struct double_context *context, uint64_t n)
{
    static const uint64_t per_instruction[DOUBLE_COUNTERS] = {10, 1, 8, 64, 2, 3, 4};
    for (int i = 0; i < DOUBLE_COUNTERS; i++)
        for (int unit = 0; unit < DOUBLE_UNITS; unit++)
            context->count[i][unit] += per_instruction[i] * n * (unit == 0 ? 1 : 3);
}

VISIBLE double_kernel cuda_double_kernel;
VISIBLE void cuda_double_kernel(uint64_t n)
{
    run(current, n);
}

VISIBLE double_primary_kernel cuda_double_primary_kernel;
VISIBLE void cuda_double_primary_kernel(int device, uint64_t n)
{
    run(&cuda_double.context[device], n);
}

VISIBLE double_new_context cuda_double_new_context;
VISIBLE void *cuda_double_new_context(int device)
{
    current = &cuda_double.context[__atomic_fetch_add(&cuda_double.n_contexts, 1, __ATOMIC_RELAXED)];
    current->device = device;
    return current;
}

/* ---- the driver's interface */

/* Notes a call before cuInit. */
static int ready(void)
{
    cuda_double.misused += cuda_double.started == 0;
    return cuda_double.started > 0 ? SUCCESS : NOT_INITIALIZED;
}

FUNCTION(cuInit, unsigned flags)
{
    cuda_double.started += cuda_double.init_result == SUCCESS;
    return flags == 0 ? cuda_double.init_result : INVALID;
}

FUNCTION(cuDeviceGetCount, int *count)
{
    *count = cuda_double.count;
    return ready();
}

FUNCTION(cuDeviceGet, int *device, int index)
{
    *device = 40 + index; /* a handle is no index */
    return index < cuda_double.count ? ready() : INVALID;
}

FUNCTION(cuDeviceGetName, char *name, int size, int device)
{
    strncpy(name, device == 40 ? "First GPU" : "Second GPU", (size_t)size);
    return ready();
}

FUNCTION(cuGetErrorName, int result, const char **text)
{
    *text = result == 999 ? "CUDA_ERROR_UNKNOWN" : "CUDA_ERROR_OF_SOME_KIND";
    return SUCCESS;
}

FUNCTION(cuCtxGetCurrent, void **context)
{
    *context = current;
    return ready();
}

FUNCTION(cuCtxSetCurrent, void *context)
{
    current = context;
    return ready();
}

FUNCTION(cuCtxGetDevice, int *device)
{
    if (current == NULL)
        return INVALID_CONTEXT;
    *device = 40 + current->device;
    return ready();
}

FUNCTION(cuDevicePrimaryCtxRetain, void **context, int device)
{
    *context = &cuda_double.context[device - 40];
    cuda_double.retained++;
    return ready();
}

FUNCTION(cuDevicePrimaryCtxRelease_v2, int device)
{
    cuda_double.misused += device < 40 || cuda_double.retained <= 0;
    cuda_double.retained--;
    return ready();
}

FUNCTION(cuCtxSynchronize, void)
{
    cuda_double.misused += current == NULL;
    cuda_double.synchronized++;
    return ready();
}
