/* SPDX-License-Identifier: BSD-3-Clause
 *
 * As which processor the emulator shows itself. Libraries choose their code by vendor, family and model: by
 * the emulator's own they would take it for one of 2007, although it has AVX2 and FMA.
 */
#include "emulator/launcher/launcher.h"

#include <string.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

/* All that the emulator has, under the name of a processor with AVX2 and FMA and without AVX-512; and not
 * what such a processor has no longer. A named model of the emulator would print what it lacks of it. */
static const struct {
    const char *vendor, *model;
} models[] = {
    {"GenuineIntel", "max,vendor=GenuineIntel,family=6,model=60,stepping=3,3dnow=off,3dnowext=off,"
                     "model-id=Intel Core Processor (Haswell) in papi_emulate"},
    {"AuthenticAMD", "max,vendor=AuthenticAMD,family=23,model=49,stepping=0,3dnow=off,3dnowext=off,"
                     "model-id=AMD EPYC Processor (Rome) in papi_emulate"},
    {"HygonGenuine", "max,vendor=HygonGenuine,family=24,model=0,stepping=1,3dnow=off,3dnowext=off,"
                     "model-id=Hygon Dhyana Processor in papi_emulate"},
};

/* "": this machine is of another architecture. */
static void read_vendor(char vendor[13])
{
    memset(vendor, 0, 13);
#if defined(__x86_64__)
    unsigned most, part[3];
    if (__get_cpuid(0, &most, &part[0], &part[2], &part[1]) != 0)
        memcpy(vendor, part, sizeof part);
#endif
}

const char *model_x86_64(void)
{
    char vendor[13];
    read_vendor(vendor);
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++)
        if (strcmp(models[i].vendor, vendor) == 0)
            return models[i].model;
    return models[0].model;
}

/* Signatures of pointers by a quick method: the architecture's own costs more than all the counting. SVE and
 * SME: the disassembler does not know them, so programs shall not find them. */
const char *model_arm64(void)
{
    return "max,sve=off,sme=off,pauth-impdef=on";
}
