/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/reason.h"
#include "base/sysroot.h"
#include "hardware/hardware.h"
#include "hardware/parts.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static bool from_register(const char *root, int cpu, struct processor_id *id)
{
    char path[96];
    long long midr;
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/regs/identification/midr_el1", cpu);
    if (sysroot_number(root, path, &midr) != 0)
        return false;
    *id = (struct processor_id){
        .architecture = "arm64", .family = (int)(midr >> 24 & 0xff), .model = (int)(midr >> 4 & 0xfff)};
    return true;
}

int processor_id(const char *root, int cpu, struct processor_id *id)
{
    struct cpuinfo info;
    memset(id, 0, sizeof *id);
    errno = 0;
    id->architecture = "";
    if (from_register(root, cpu, id))
        return 0;
    if (error_passes(errno) || cpuinfo_read_cpu(root, cpu, &info) != 0)
        return error_passes(errno) ? -1 : 0;
    if (info.cpu_implementer[0] != '\0') {
        id->architecture = "arm64";
        id->family = cpuinfo_int(info.cpu_implementer);
        id->model = cpuinfo_int(info.cpu_part);
    } else if (info.has_flags && info.cpu_family[0] != '\0') {
        id->architecture = "x86";
        snprintf(id->vendor, sizeof id->vendor, "%.12s", info.vendor_id); /* cpuid's has 12 letters */
        id->family = cpuinfo_int(info.cpu_family);
        id->model = cpuinfo_int(info.model);
    }
    return 0;
}
