/* SPDX-License-Identifier: BSD-3-Clause */
#include "hardware/clock.h"
#include "base/loaded.h"
#include "base/text_rows.h"
#include "hardware/parts.h"

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>

#if defined(__x86_64__)
#define KERNELS_CLOCK "__vdso_clock_gettime"
#elif defined(__aarch64__)
#define KERNELS_CLOCK "__kernel_clock_gettime"
#endif

clock_reader *clock_fastest(void)
{
    clock_reader *reader = clock_gettime;
#if defined(KERNELS_CLOCK)
    void *function = vdso_function(KERNELS_CLOCK);
    if (function != NULL)
        memcpy(&reader, &function, sizeof reader);
#endif
    return reader;
}

#if defined(__x86_64__) || defined(__i386__)

/* Reads both clocks at one moment. The thread may lose the processor between the two: the closest of several
 * tries counts. */
struct clock_moment clock_both(void)
{
    long long least = -1;
    struct clock_moment best = {0, 0};
    for (int i = 0; i < 10; i++) {
        long long before = clock_real_nsec();
        long long ticks = clock_ticks();
        long long gap = clock_real_nsec() - before;
        if (least < 0 || gap < least) {
            best = (struct clock_moment){before + gap / 2, ticks};
            least = gap;
        }
    }
    return best;
}

long long clock_tick_khz(struct clock_moment start)
{
    const long long span = 2000000; /* ns: an error of 100 ns at the ends is 1 in 20,000 */
    struct clock_moment end;
    do
        end = clock_both();
    while (end.nsec - start.nsec < span);
    return (long long)((double)(end.ticks - start.ticks) * 1e6 / (double)(end.nsec - start.nsec));
}

#else

struct clock_moment clock_both(void)
{
    return (struct clock_moment){0, 0};
}

long long clock_tick_khz(struct clock_moment start)
{
    (void)start;
    return 1000000;
}

#endif

/* ---- the processor's frequency */

/* Rates of the first processor, as its caches. */
#define CPU0 "/sys/devices/system/cpu/cpu0/"

/* The limit beyond which a number is not a clock rate but garbage. */
#define MAX_MHZ 100000

/* A sysfs file that counts in units of which there are per_mhz in a megahertz; 0 if there is none. */
static int read_mhz(struct reading *from, const char *path, long long per_mhz)
{
    long long value = reading_number(from, "%s", path);
    return value <= 0 || value / per_mhz > MAX_MHZ ? 0 : (int)(value / per_mhz);
}

/* Reads "2445.426", or POWER's "3450.000000MHz". */
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
    TEXT_ROWS_BEGIN
    static const char keys[][12] = {"cpu MHz", "clock", "bogomips"};
    TEXT_ROWS_END
    float rate[3];
    for (int i = 0; i < 3; i++)
        rate[i] = parse_mhz(cpuinfo_text(cpu, keys[i]));
    /* The clock's rate at this moment, which is the last resort. */
    float now = rate[0] > 0 ? rate[0] : rate[1];
    info->cpu_max_mhz = read_mhz(from, CPU0 "cpufreq/cpuinfo_max_freq", 1000);
    info->cpu_min_mhz = read_mhz(from, CPU0 "cpufreq/cpuinfo_min_freq", 1000);
    info->mhz = nominal_mhz(from, info);
    if (info->mhz <= 0)
        info->mhz = info->cpu_max_mhz > 0 ? (float)info->cpu_max_mhz : now;
    info->clock_mhz = (int)info->mhz;
    /* Never 0, as programs divide by these: without cpufreq, as in most virtual machines, BogoMIPS are the
     * last resort. */
    if (info->cpu_max_mhz <= 0)
        info->cpu_max_mhz = (int)((now > 0 ? now : rate[2]) + 0.5F);
    if (info->cpu_min_mhz <= 0)
        info->cpu_min_mhz = info->cpu_max_mhz;
}

/* ---- the vDSO */

/* The tables of the vDSO for linking with it, at the addresses where it lies. */
struct vdso {
    uintptr_t shift; /* added to its own addresses */
    const ElfW(Sym) * symbol;
    const char *names;
    const uint32_t *hash, *gnu_hash; /* one of the two or both */
};

static const void *at(const struct vdso *vdso, ElfW(Addr) address)
{
    return (const void *)(vdso->shift + address);
}

static void read_dynamic(struct vdso *vdso, const ElfW(Dyn) * entry)
{
    for (; entry->d_tag != DT_NULL; entry++) {
        const void *there = at(vdso, entry->d_un.d_ptr);
        if (entry->d_tag == DT_SYMTAB)
            vdso->symbol = there;
        else if (entry->d_tag == DT_STRTAB)
            vdso->names = there;
        else if (entry->d_tag == DT_HASH)
            vdso->hash = there;
        else if (entry->d_tag == DT_GNU_HASH)
            vdso->gnu_hash = there;
    }
}

/* Counts the symbols: the older table states their number. */
static uint32_t count_symbols(const struct vdso *vdso)
{
    if (vdso->hash != NULL)
        return vdso->hash[1];
    return loaded_hash_end(vdso->gnu_hash);
}

static bool read_image(struct vdso *vdso, const ElfW(Ehdr) * image)
{
    const ElfW(Phdr) *part = (const void *)((const char *)image + image->e_phoff);
    const ElfW(Phdr) *load = NULL, *dynamic = NULL;
    for (int i = 0; i < image->e_phnum; i++)
        if (part[i].p_type == PT_LOAD && load == NULL)
            load = &part[i];
        else if (part[i].p_type == PT_DYNAMIC)
            dynamic = &part[i];
    if (load == NULL || dynamic == NULL)
        return false;
    vdso->shift = (uintptr_t)image + load->p_offset - load->p_vaddr;
    read_dynamic(vdso, at(vdso, dynamic->p_vaddr));
    return vdso->symbol != NULL && vdso->names != NULL && (vdso->hash != NULL || vdso->gnu_hash != NULL);
}

void *vdso_function(const char *name)
{
    struct vdso vdso = {0};
    const ElfW(Ehdr) *image = (const void *)getauxval(AT_SYSINFO_EHDR);
    if (image == NULL || !read_image(&vdso, image))
        return NULL;
    uint32_t n = count_symbols(&vdso);
    for (uint32_t i = 1; i < n; i++)
        if (vdso.symbol[i].st_shndx != SHN_UNDEF && strcmp(vdso.names + vdso.symbol[i].st_name, name) == 0)
            return (void *)(uintptr_t)at(&vdso, vdso.symbol[i].st_value);
    return NULL;
}
