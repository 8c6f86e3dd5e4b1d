/* SPDX-License-Identifier: BSD-3-Clause */
#include "hardware/parts.h"

#include <stdio.h>

/* Facts of the makers' reference manuals: the kernel gives the numbers without names. */
static const struct {
    int code;
    const char *name;
} implementers[] = {
    {0x41, "ARM"},       {0x42, "Broadcom"}, {0x43, "Cavium"},   {0x46, "Fujitsu"}, {0x48, "HiSilicon"},
    {0x4e, "NVIDIA"},    {0x50, "APM"},      {0x51, "Qualcomm"}, {0x53, "Samsung"}, {0x61, "Apple"},
    {0x6d, "Microsoft"}, {0x70, "Phytium"},  {0xc0, "Ampere"},
};

static const struct {
    int implementer, part;
    const char *name;
} parts[] = {
    {0x41, 0xc07, "Cortex-A7"},
    {0x41, 0xc09, "Cortex-A9"},
    {0x41, 0xc0f, "Cortex-A15"},
    {0x41, 0xd03, "Cortex-A53"},
    {0x41, 0xd04, "Cortex-A35"},
    {0x41, 0xd05, "Cortex-A55"},
    {0x41, 0xd07, "Cortex-A57"},
    {0x41, 0xd08, "Cortex-A72"},
    {0x41, 0xd09, "Cortex-A73"},
    {0x41, 0xd0a, "Cortex-A75"},
    {0x41, 0xd0b, "Cortex-A76"},
    {0x41, 0xd0c, "Neoverse N1"},
    {0x41, 0xd0d, "Cortex-A77"},
    {0x41, 0xd40, "Neoverse V1"},
    {0x41, 0xd41, "Cortex-A78"},
    {0x41, 0xd44, "Cortex-X1"},
    {0x41, 0xd46, "Cortex-A510"},
    {0x41, 0xd47, "Cortex-A710"},
    {0x41, 0xd48, "Cortex-X2"},
    {0x41, 0xd49, "Neoverse N2"},
    {0x41, 0xd4a, "Neoverse E1"},
    {0x41, 0xd4f, "Neoverse V2"},
    {0x41, 0xd83, "Neoverse V3AE"},
    {0x41, 0xd84, "Neoverse V3"},
    {0x41, 0xd8e, "Neoverse N3"},
    {0x42, 0x516, "ThunderX2"},
    {0x43, 0x0a1, "ThunderX"},
    {0x43, 0x0af, "ThunderX2"},
    {0x43, 0x0b8, "ThunderX3"},
    {0x46, 0x001, "A64FX"},
    {0x48, 0xd01, "Kunpeng 920"},
    {0x4e, 0x003, "Denver 2"},
    {0x4e, 0x004, "Carmel"},
    {0x50, 0x000, "X-Gene"},
    {0x51, 0x001, "Oryon"},
    {0x51, 0xc00, "Falkor"},
    {0x61, 0x022, "M1 Icestorm"},
    {0x61, 0x023, "M1 Firestorm"},
    {0x61, 0x032, "M2 Blizzard"},
    {0x61, 0x033, "M2 Avalanche"},
    {0x6d, 0xd49, "Azure Cobalt 100"},
    {0xc0, 0xac3, "Ampere-1"},
    {0xc0, 0xac4, "Ampere-1A"},
};

static const char *implementer_name(int code)
{
    for (size_t i = 0; i < sizeof implementers / sizeof implementers[0]; i++)
        if (implementers[i].code == code)
            return implementers[i].name;
    return NULL;
}

static const char *part_name(int implementer, int part)
{
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (parts[i].implementer == implementer && parts[i].part == part)
            return parts[i].name;
    return NULL;
}

static void name_model(const struct arm_id *id, const char *maker, PAPI_hw_info_t *info)
{
    char unknown[32];
    const char *part = part_name(id->implementer, id->part);
    if (part == NULL) {
        snprintf(unknown, sizeof unknown, "part 0x%03x", (unsigned)id->part);
        part = unknown;
    }
    if (maker != NULL)
        snprintf(info->model_string, sizeof info->model_string, "%s %s", maker, part);
    else
        snprintf(info->model_string, sizeof info->model_string, "ARM implementer 0x%02x %s",
                 (unsigned)id->implementer, part);
}

void arm_identify(const struct arm_id *id, PAPI_hw_info_t *info)
{
    const char *maker = implementer_name(id->implementer);
    info->vendor = id->implementer;
    snprintf(info->vendor_string, sizeof info->vendor_string, "%s", maker ? maker : "ARM");
    name_model(id, maker, info);
    info->cpuid_family = id->architecture;
    info->cpuid_model = id->part;
    info->cpuid_stepping = id->revision;
    /* r3p1, as ARM writes a stepping, is 3.1. */
    info->revision = (float)(id->variant + id->revision / (id->revision < 10 ? 10.0 : 100.0));
}
