/* SPDX-License-Identifier: BSD-3-Clause */
#include "hardware/hardware.h"

#include "hardware/parts.h"

#include <errno.h>
#include <string.h>

void hardware_info_fill(const char *root, PAPI_hw_info_t *info)
{
    int saved = errno; /* a file that is not there is no error of the caller's */
    if (root == NULL)
        root = "";
    memset(info, 0, sizeof *info);
    struct cpuinfo cpu;
    cpuinfo_read(root, &cpu);
    processor_identify(root, &cpu, info);
    topology_fill(root, info);
    frequency_fill(root, &cpu, info);
    virtual_fill(root, &cpu, info);
    errno = saved;
}
