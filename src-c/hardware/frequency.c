/* SPDX-License-Identifier: BSD-3-Clause */
#include "hardware/parts.h"

#include <string.h>

/* Rates of the first processor, as its caches. */
#define CPU0 "/sys/devices/system/cpu/cpu0/"

/* Beyond it a number is not a clock rate but garbage. */
#define MAX_MHZ 100000

/* A sysfs file that counts in units of which there are per_mhz in a megahertz; 0 if there is none. */
static int read_mhz(struct reading *from, const char *path, long long per_mhz)
{
    long long value = reading_number(from, "%s", path);
    return value <= 0 || value / per_mhz > MAX_MHZ ? 0 : (int)(value / per_mhz);
}

/* 2445.426, or POWER's 3450.000000MHz. */
static float parse_mhz(const char *text)
{
    float mhz = cpuinfo_decimal(text, NULL);
    return mhz <= MAX_MHZ ? mhz : 0;
}

/* "... CPU @ 2.40GHz": Intel writes the nominal rate into the name. */
static float rate_in_name(const char *name)
{
    const char *at = strrchr(name, '@');
    if (at == NULL || strstr(at, "GHz") == NULL)
        return 0;
    float ghz = parse_mhz(at + 1 + strspn(at + 1, " "));
    return ghz < 100 ? ghz * 1000 : 0;
}

static float nominal_mhz(struct reading *from, const PAPI_hw_info_t *info)
{
    int stated = read_mhz(from, CPU0 "cpufreq/base_frequency", 1000)
                     ?: read_mhz(from, CPU0 "acpi_cppc/nominal_freq", 1);
    float named = stated > 0 ? (float)stated : rate_in_name(info->model_string);
    return named <= 0 && from->root[0] == '\0' ? (float)cpuid_base_mhz() : named;
}

void frequency_fill(struct reading *from, const struct cpuinfo *cpu, PAPI_hw_info_t *info)
{
    static const char *const keys[] = {"cpu MHz", "clock", "bogomips"};
    float rate[3];
    for (int i = 0; i < 3; i++)
        rate[i] = parse_mhz(cpuinfo_text(cpu, keys[i]));
    /* What the clock happens to be now, so the last resort. */
    float now = rate[0] > 0 ? rate[0] : rate[1];
    info->cpu_max_mhz = read_mhz(from, CPU0 "cpufreq/cpuinfo_max_freq", 1000);
    info->cpu_min_mhz = read_mhz(from, CPU0 "cpufreq/cpuinfo_min_freq", 1000);
    info->mhz = nominal_mhz(from, info);
    if (info->mhz <= 0)
        info->mhz = info->cpu_max_mhz > 0 ? (float)info->cpu_max_mhz : now;
    info->clock_mhz = (int)info->mhz;
    /* Without cpufreq, as in most virtual machines: programs divide by these. BogoMIPS are next to nothing,
     * but not 0. */
    if (info->cpu_max_mhz <= 0)
        info->cpu_max_mhz = (int)((now > 0 ? now : rate[2]) + 0.5F);
    if (info->cpu_min_mhz <= 0)
        info->cpu_min_mhz = info->cpu_max_mhz;
}
