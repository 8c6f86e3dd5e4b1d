/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A library with the functions of libcuda.so.1 that tell a device's properties; those that
 * measure are in double_cuda_device.c. DOUBLE_CUDA is "DEVICES MAJOR MINOR", or "broken".
 */
#include <stdio.h>
#include <stdlib.h>

#define VISIBLE __attribute__((visibility("default")))
enum { NO_DEVICE = 100, WRONG = 1, FIRST = 7 };

static int number(int which)
{
    int value[3] = {0};
    const char *text = getenv("DOUBLE_CUDA");
    return text != NULL && sscanf(text, "%d %d %d", &value[0], &value[1], &value[2]) == 3 ? value[which] : -1;
}

VISIBLE int cuInit(unsigned flags);
VISIBLE int cuInit(unsigned flags)
{
    return flags == 0 && number(0) >= 0 ? 0 : NO_DEVICE;
}

VISIBLE int cuDeviceGetCount(int *n);
VISIBLE int cuDeviceGetCount(int *n)
{
    *n = number(0);
    return 0;
}

VISIBLE int cuDeviceGet(int *device, int n);
VISIBLE int cuDeviceGet(int *device, int n)
{
    *device = FIRST + n;
    return n >= 0 && n < number(0) ? 0 : WRONG;
}

VISIBLE int cuDeviceGetName(char *name, int size, int device);
VISIBLE int cuDeviceGetName(char *name, int size, int device)
{
    snprintf(name, (size_t)size, "Made %d", device - FIRST);
    return 0;
}

VISIBLE int cuDeviceGetAttribute(int *value, int attribute, int device);
VISIBLE int cuDeviceGetAttribute(int *value, int attribute, int device)
{
    switch (attribute) {
    case 13: /* kHz */
        *value = 1500000;
        return 0;
    case 16:
        *value = 100 + device - FIRST;
        return 0;
    case 32: /* ECC */
        *value = 1;
        return 0;
    case 38:
        *value = 30000000;
        return 0;
    case 39:
        *value = 512;
        return 0;
    case 36: /* kHz */
        *value = 2000000;
        return 0;
    case 37:
        *value = 5120;
        return 0;
    case 75:
        *value = number(1);
        return 0;
    case 76:
        *value = number(2);
        return 0;
    default:
        return WRONG;
    }
}
