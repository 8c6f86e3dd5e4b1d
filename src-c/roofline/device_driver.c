/* SPDX-License-Identifier: BSD-3-Clause */
#include "device_driver.h"
#include "tools/common/allocate.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool cuda_driver_find(void *library, const char *name, void *place)
{
    void *function = dlsym(library, name);
    memcpy(place, &function, sizeof function);
    return function != NULL;
}

char *cuda_driver_else(const struct cuda_driver *driver)
{
    return memory_print("; where the device is, \"papi_roofline --device-roofs=%s -o device.json\" keeps "
                        "them, and --device-roofs=device.json takes them here; roofs of AMD's and Intel's "
                        "devices are to be given: --device-roofs=FILE",
                        driver->wanted);
}

__attribute__((format(printf, 2, 3))) static char *refuse(const struct cuda_driver *driver,
                                                          const char *format, ...)
{
    char text[512];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    char *rest = cuda_driver_else(driver), *why = memory_print("%s%s", text, rest);
    free(rest);
    return why;
}

static char *find_all(struct cuda_driver *driver)
{
    void *library = driver->library;
    bool all = cuda_driver_find(library, "cuInit", &driver->init) &&
               cuda_driver_find(library, "cuDeviceGetCount", &driver->count) &&
               cuda_driver_find(library, "cuDeviceGet", &driver->get) &&
               cuda_driver_find(library, "cuDeviceGetName", &driver->name) &&
               cuda_driver_find(library, "cuDeviceGetAttribute", &driver->attribute);
    return all ? NULL : refuse(driver, "libcuda.so.1 lacks functions of NVIDIA's driver");
}

char *cuda_driver_open(struct cuda_driver *driver, int number, char *name, size_t size)
{
    int n = 0;
    driver->library = dlopen("libcuda.so.1", RTLD_NOW); /* it stays: it has threads of its own */
    if (driver->library == NULL)
        return refuse(driver, "there is no NVIDIA driver to ask for the properties (%s)", dlerror());
    char *why = find_all(driver);
    if (why != NULL)
        return why;
    int code = driver->init(0);
    if (code == 0)
        code = driver->count(&n);
    if (code != 0)
        return refuse(driver, "NVIDIA's driver does not start, with error %d: nvidia-smi says more", code);
    if (number >= n)
        return refuse(driver, "there is no device %d: NVIDIA's driver has %d, from 0", number, n);
    code = driver->get(&driver->device, number);
    if (code == 0)
        code = driver->name(name, (int)size, driver->device);
    return code == 0 ? NULL
                     : refuse(driver,
                              "NVIDIA's driver does not describe device %d, with error %d: nvidia-smi says "
                              "more",
                              number, code);
}
