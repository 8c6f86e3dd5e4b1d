/* SPDX-License-Identifier: BSD-3-Clause */
#include "hardware/hardware.h"

#include "hardware/parts.h"

#include <errno.h>
#include <string.h>

/* 0, or the error of a read that failed for a reason that passes. */
static int fill(const char *root, PAPI_hw_info_t *info)
{
    struct reading from = {.root = root != NULL ? root : ""};
    struct cpuinfo cpu;
    memset(info, 0, sizeof *info);
    if (cpuinfo_read(from.root, CPUINFO_FIRST, &cpu) != 0)
        reading_failed(&from);
    processor_identify(&from, &cpu, info);
    topology_fill(&from, info);
    frequency_fill(&from, &cpu, info);
    virtual_fill(&from, &cpu, info);
    return from.error;
}

int hardware_info_fill(const char *root, PAPI_hw_info_t *info)
{
    int saved = errno; /* a file that is not there is no error of the caller's */
    int error = fill(root, info);
    if (error == EIO || error == EINTR)
        error = fill(root, info);
    /* Some drivers answer EIO for ever: such a file says nothing, as one that is not there. */
    errno = error != 0 && error != EIO ? error : saved;
    return error != 0 && error != EIO ? -1 : 0;
}
