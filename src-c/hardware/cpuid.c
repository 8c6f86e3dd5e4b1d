/* SPDX-License-Identifier: BSD-3-Clause */
#include "hardware/parts.h"

#include <stdio.h>
#include <string.h>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#else /* no processor that tells of itself */
#define __get_cpuid_count(number, subleaf, a, b, c, d) ((void)(number), (void)(subleaf), 0)
#define __cpuid(number, a, b, c, d) ((a) = (b) = (c) = (d) = 0)
#endif

bool cpuid_leaf(unsigned number, unsigned subleaf, struct cpuid_leaf *out)
{
    memset(out, 0, sizeof *out);
    return __get_cpuid_count(number, subleaf, &out->eax, &out->ebx, &out->ecx, &out->edx) != 0;
}

void cpuid_name(const struct cpuid_leaf leaf[3], char *out, size_t size)
{
    char text[49] = "";
    memcpy(text, leaf, sizeof text - 1);
    char *end = text + strlen(text);
    while (end > text && end[-1] == ' ')
        *--end = '\0';
    snprintf(out, size, "%s", text + strspn(text, " "));
}

void cpuid_signature(unsigned signature, PAPI_hw_info_t *info)
{
    unsigned family = signature >> 8 & 0xf;
    unsigned model = signature >> 4 & 0xf;
    if (family == 6 || family == 15) /* before the family takes its extension */
        model |= signature >> 12 & 0xf0;
    if (family == 15)
        family += signature >> 20 & 0xff;
    info->cpuid_family = (int)family;
    info->cpuid_model = (int)model;
    info->cpuid_stepping = (int)(signature & 0xf);
    info->revision = (float)info->cpuid_stepping;
}

int cpuid_identify(PAPI_hw_info_t *info)
{
    struct cpuid_leaf leaf, brand[3];
    if (!cpuid_leaf(0, 0, &leaf))
        return -1;
    const unsigned name[3] = {leaf.ebx, leaf.edx, leaf.ecx};
    snprintf(info->vendor_string, sizeof info->vendor_string, "%.12s", (const char *)name);
    info->vendor = processor_x86_vendor(info->vendor_string);
    if (cpuid_leaf(0x80000002, 0, &brand[0]) && cpuid_leaf(0x80000003, 0, &brand[1]) &&
        cpuid_leaf(0x80000004, 0, &brand[2]))
        cpuid_name(brand, info->model_string, sizeof info->model_string);
    if (cpuid_leaf(1, 0, &leaf))
        cpuid_signature(leaf.eax, info);
    return 0;
}

int cpuid_hypervisor(char *signature, size_t size)
{
    struct cpuid_leaf leaf;
    signature[0] = '\0';
    if (!cpuid_leaf(1, 0, &leaf) || !(leaf.ecx & 1u << 31))
        return 0;
    /* Not __get_cpuid: the range of the hypervisor has a limit of its own. */
    __cpuid(0x40000000, leaf.eax, leaf.ebx, leaf.ecx, leaf.edx);
    const unsigned name[3] = {leaf.ebx, leaf.ecx, leaf.edx};
    snprintf(signature, size, "%.12s", (const char *)name);
    return 1;
}

int cpuid_base_mhz(void)
{
    struct cpuid_leaf leaf;
    if (cpuid_leaf(0x16, 0, &leaf) && (leaf.eax & 0xffff) != 0)
        return (int)(leaf.eax & 0xffff);
    /* The time stamp counter runs at the nominal rate: crystal * numerator / denominator. */
    if (cpuid_leaf(0x15, 0, &leaf) && leaf.eax != 0 && leaf.ebx != 0 && leaf.ecx != 0)
        return (int)((unsigned long long)leaf.ecx * leaf.ebx / leaf.eax / 1000000);
    return 0;
}
