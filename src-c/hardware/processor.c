/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/sysroot.h"
#include "hardware/parts.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The main ID register of the first processor, for a container that hides /proc/cpuinfo. */
#define MIDR "/sys/devices/system/cpu/cpu0/regs/identification/midr_el1"

/* Text begins with prefix. */
struct vendor_name {
    const char *prefix;
    int vendor;
    const char *name;
};

static const struct vendor_name *find_vendor(const struct vendor_name *table, const char *text)
{
    for (; table->prefix != NULL; table++)
        if (strncmp(text, table->prefix, strlen(table->prefix)) == 0)
            return table;
    return NULL;
}

int processor_x86_vendor(const char *vendor_string)
{
    static const struct vendor_name table[] = {
        {"GenuineIntel", PAPI_VENDOR_INTEL, NULL}, {"AuthenticAMD", PAPI_VENDOR_AMD, NULL},
        {"HygonGenuine", PAPI_VENDOR_AMD, NULL}, /* a Zen, with its events */
        {"IBM/S390", PAPI_VENDOR_IBM, NULL},       {NULL, 0, NULL},
    };
    const struct vendor_name *found = find_vendor(table, vendor_string);
    return found ? found->vendor : PAPI_VENDOR_UNKNOWN;
}

static void identify_x86(const struct cpuinfo *cpu, PAPI_hw_info_t *info)
{
    info->vendor = processor_x86_vendor(cpu->vendor_id);
    snprintf(info->vendor_string, sizeof info->vendor_string, "%s", cpu->vendor_id);
    info->cpuid_family = cpuinfo_int(cpu->cpu_family);
    info->cpuid_model = cpuinfo_int(cpu->model);
    info->cpuid_stepping = cpuinfo_int(cpu->stepping);
    info->revision = (float)info->cpuid_stepping;
}

static void identify_arm(const struct cpuinfo *cpu, PAPI_hw_info_t *info)
{
    const struct arm_id id = {
        .implementer = cpuinfo_int(cpu->cpu_implementer),
        .architecture = cpuinfo_int(cpu->cpu_architecture),
        .variant = cpuinfo_int(cpu->cpu_variant),
        .part = cpuinfo_int(cpu->cpu_part),
        .revision = cpuinfo_int(cpu->cpu_revision),
    };
    arm_identify(&id, info);
}

static int identify_arm_register(struct reading *from, PAPI_hw_info_t *info)
{
    long long midr;
    if (sysroot_number(from->root, MIDR, &midr) != 0) {
        reading_failed(from);
        return -1;
    }
    const struct arm_id id = {
        .implementer = midr >> 24 & 0xff,
        .architecture = 8, /* the file exists on arm64 alone */
        .variant = midr >> 20 & 0xf,
        .part = midr >> 4 & 0xfff,
        .revision = midr & 0xf,
    };
    arm_identify(&id, info);
    return 0;
}

/* "cpu : POWER10 (architected), altivec supported", "revision : 2.0 (pvr 0080 0200)": the model is
 * the upper half of the processor version register, the stepping the lower. */
static void identify_power(const struct cpuinfo *cpu, PAPI_hw_info_t *info)
{
    static const struct vendor_name table[] = {
        {"POWER", PAPI_VENDOR_IBM, "IBM"},
        {"PPC970", PAPI_VENDOR_IBM, "IBM"},
        {"Cell", PAPI_VENDOR_IBM, "IBM"},
        {"e500", PAPI_VENDOR_FREESCALE, "Freescale"},
        {"e5500", PAPI_VENDOR_FREESCALE, "Freescale"},
        {"e6500", PAPI_VENDOR_FREESCALE, "Freescale"},
        {NULL, 0, NULL},
    };
    const struct vendor_name *found = find_vendor(table, cpu->cpu);
    info->vendor = found ? found->vendor : PAPI_VENDOR_UNKNOWN;
    snprintf(info->vendor_string, sizeof info->vendor_string, "%s", found ? found->name : "");
    snprintf(info->model_string, sizeof info->model_string, "%s", cpu->cpu);
    const char *pvr;
    unsigned version, stepping;
    info->revision = cpuinfo_decimal(cpu->revision, &pvr);
    if (sscanf(pvr, " (pvr %4x %4x)", &version, &stepping) != 2)
        return;
    info->cpuid_model = (int)version;
    info->cpuid_stepping = (int)stepping;
}

/* JEDEC numbers of the makers of RISC-V cores. */
static const char *riscv_vendor(int mvendorid)
{
    static const struct {
        int id;
        const char *name;
    } table[] = {
        {0x31e, "Andes"}, {0x489, "SiFive"}, {0x5b7, "T-Head"}, {0x61f, "Ventana"}, {0x710, "SpacemiT"},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (table[i].id == mvendorid)
            return table[i].name;
    return "";
}

/* The top bit of marchid says "commercial"; the rest is the maker's number. */
static int riscv_number(const char *text)
{
    return text[0] ? (int)(strtoull(text, NULL, 0) & INT_MAX) : 0;
}

static void identify_riscv(const struct cpuinfo *cpu, PAPI_hw_info_t *info)
{
    const char *vendor = riscv_vendor(cpuinfo_int(cpu->mvendorid));
    snprintf(info->vendor_string, sizeof info->vendor_string, "%s", vendor);
    const char *model = cpu->uarch[0] ? cpu->uarch : cpu->isa;
    snprintf(info->model_string, sizeof info->model_string, "%s", model);
    info->cpuid_model = riscv_number(cpu->marchid);
    info->cpuid_stepping = riscv_number(cpu->mimpid);
    info->revision = (float)info->cpuid_stepping;
}

void processor_identify(struct reading *from, const struct cpuinfo *cpu, PAPI_hw_info_t *info)
{
    if (cpu->cpu_implementer[0])
        identify_arm(cpu, info);
    else if (cpu->vendor_id[0])
        identify_x86(cpu, info);
    else if (cpu->cpu[0])
        identify_power(cpu, info);
    else if (cpu->isa[0])
        identify_riscv(cpu, info);
    else if (identify_arm_register(from, info) != 0 && from->root[0] == '\0')
        cpuid_identify(info);
    if (cpu->model_name[0])
        snprintf(info->model_string, sizeof info->model_string, "%s", cpu->model_name);
    info->model = info->cpuid_model;
}
