/* SPDX-License-Identifier: BSD-3-Clause */
#include "hardware/hardware.h"
#include "hardware/parts.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    snprintf(info->vendor_string, sizeof info->vendor_string, "%s", cpuinfo_text(cpu, "vendor_id"));
    info->vendor = processor_x86_vendor(info->vendor_string);
    info->cpuid_family = cpuinfo_number(cpu, "cpu family");
    info->cpuid_model = cpuinfo_number(cpu, "model");
    info->cpuid_stepping = cpuinfo_number(cpu, "stepping");
    info->revision = (float)info->cpuid_stepping;
}

static bool arm_of_cpuinfo(const struct cpuinfo *cpu, struct arm_id *id)
{
    *id = (struct arm_id){
        .implementer = cpuinfo_number(cpu, "CPU implementer"),
        .architecture = cpuinfo_number(cpu, "CPU architecture"),
        .variant = cpuinfo_number(cpu, "CPU variant"),
        .part = cpuinfo_number(cpu, "CPU part"),
        .revision = cpuinfo_number(cpu, "CPU revision"),
    };
    return cpuinfo_text(cpu, "CPU implementer")[0] != '\0';
}

/* The main ID register, also for a container that hides /proc/cpuinfo. */
static bool arm_of_register(struct reading *from, int cpu, struct arm_id *id)
{
    long long midr = reading_number(from, "/sys/devices/system/cpu/cpu%d/regs/identification/midr_el1", cpu);
    *id = (struct arm_id){
        .implementer = midr >> 24 & 0xff,
        .architecture = 8, /* the file exists on arm64 alone */
        .variant = midr >> 20 & 0xf,
        .part = midr >> 4 & 0xfff,
        .revision = midr & 0xf,
    };
    return midr >= 0;
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
    const char *model = cpuinfo_text(cpu, "cpu"), *pvr;
    const struct vendor_name *found = find_vendor(table, model);
    info->vendor = found ? found->vendor : PAPI_VENDOR_UNKNOWN;
    snprintf(info->vendor_string, sizeof info->vendor_string, "%s", found ? found->name : "");
    snprintf(info->model_string, sizeof info->model_string, "%s", model);
    unsigned version, stepping;
    info->revision = cpuinfo_decimal(cpuinfo_text(cpu, "revision"), &pvr);
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
    const char *vendor = riscv_vendor(cpuinfo_number(cpu, "mvendorid")), *model = cpuinfo_text(cpu, "uarch");
    snprintf(info->vendor_string, sizeof info->vendor_string, "%s", vendor);
    snprintf(info->model_string, sizeof info->model_string, "%s",
             model[0] != '\0' ? model : cpuinfo_text(cpu, "isa"));
    info->cpuid_model = riscv_number(cpuinfo_text(cpu, "marchid"));
    info->cpuid_stepping = riscv_number(cpuinfo_text(cpu, "mimpid"));
    info->revision = (float)info->cpuid_stepping;
}

void processor_identify(struct reading *from, const struct cpuinfo *cpu, PAPI_hw_info_t *info)
{
    struct arm_id arm;
    if (arm_of_cpuinfo(cpu, &arm))
        arm_identify(&arm, info);
    else if (cpuinfo_text(cpu, "vendor_id")[0])
        identify_x86(cpu, info);
    else if (cpuinfo_text(cpu, "cpu")[0])
        identify_power(cpu, info);
    else if (cpuinfo_text(cpu, "isa")[0])
        identify_riscv(cpu, info);
    else if (arm_of_register(from, 0, &arm))
        arm_identify(&arm, info);
    else if (from->root[0] == '\0')
        cpuid_identify(info);
    if (cpuinfo_text(cpu, "model name")[0])
        snprintf(info->model_string, sizeof info->model_string, "%s", cpuinfo_text(cpu, "model name"));
    info->model = info->cpuid_model;
}

int processor_id(const char *root, int cpu, struct processor_id *id)
{
    struct reading from = {.root = root};
    struct cpuinfo info = {0};
    struct arm_id arm;
    *id = (struct processor_id){.architecture = ""};
    bool is_arm = arm_of_register(&from, cpu, &arm);
    if (!is_arm && from.error == 0 && cpuinfo_read(root, cpu, &info) != 0)
        reading_failed(&from);
    if (is_arm || arm_of_cpuinfo(&info, &arm)) {
        *id = (struct processor_id){.architecture = "arm64", .family = arm.implementer, .model = arm.part};
    } else if (info.has_flags && cpuinfo_text(&info, "cpu family")[0]) {
        id->architecture = "x86";
        /* cpuid's has 12 letters */
        snprintf(id->vendor, sizeof id->vendor, "%.12s", cpuinfo_text(&info, "vendor_id"));
        id->family = cpuinfo_number(&info, "cpu family");
        id->model = cpuinfo_number(&info, "model");
    } else if (cpuinfo_text(&info, "mvendorid")[0]) {
        *id = (struct processor_id){.architecture = "riscv64",
                                    .family = cpuinfo_number(&info, "mvendorid"),
                                    .model = riscv_number(cpuinfo_text(&info, "marchid")) & 0xffff};
    }
    errno = from.error;
    return from.error == 0 ? 0 : -1;
}
