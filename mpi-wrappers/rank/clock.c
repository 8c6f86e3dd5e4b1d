/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The clock of MPI calls, and how its ticks become nanoseconds.
 *
 * A reading of the processor's counter takes a few nanoseconds, of the kernel's clock several times as much,
 * twice for each MPI call. The counter is used only where it is a clock: it must run at one rate in all
 * states of the processor (the CPUID bit, or the kernel's word for it in guests, which hide the bit), and in
 * step on all cores, which is known from the kernel: one that has seen them drift apart uses another clock
 * source itself.
 *
 * The counter's rate is not asked for but measured, over the whole job: both clocks are read together at the
 * beginning and at the end, and ticks are divided by the time between. An interruption between the two
 * readings would make a pair wrong; of ten pairs the one with the smallest gap counts, and its error is at
 * most half of that gap, which a job's length makes negligible. Clocks of different nodes are never compared:
 * all figures are durations on one node.
 */
#include "rank/clock.h"

#include "rank/rank.h"

#include <stdio.h>
#include <string.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#if defined(__x86_64__)

/* True if the counter has one rate in all states of the processor. */
static int rate_is_constant(void)
{
    unsigned a = 0, b = 0, c = 0, d = 0;
    char line[8192];
    int constant = 0;
    FILE *file;
    if (__get_cpuid(0x80000007u, &a, &b, &c, &d) && (d & 1u << 8) != 0)
        return 1;
    file = fopen("/proc/cpuinfo", "re"); /* guests hide the bit that their kernel knows of */
    while (file != NULL && !constant && fgets(line, sizeof line, file) != NULL)
        constant = strncmp(line, "flags", 5) == 0 && strstr(line, " constant_tsc") != NULL &&
                   strstr(line, " nonstop_tsc") != NULL;
    if (file != NULL)
        fclose(file);
    return constant;
}

/* A kernel that has seen the counters of two cores drift apart goes by one of these. */
static int kernel_distrusts(void)
{
    static const char *const slow[] = {"hpet", "acpi_pm", "jiffies", "refined-jiffies", "pit"};
    char name[64] = "";
    FILE *file = fopen("/sys/devices/system/clocksource/clocksource0/current_clocksource", "re");

    if (file == NULL)
        return 0;
    if (fgets(name, sizeof name, file) == NULL)
        name[0] = '\0';
    fclose(file);
    name[strcspn(name, "\n")] = '\0';
    for (size_t i = 0; i < sizeof slow / sizeof *slow; i++)
        if (strcmp(name, slow[i]) == 0)
            return 1;
    return 0;
}

enum clock_source clock_choose(void)
{
    return rate_is_constant() && !kernel_distrusts() ? CLOCK_PROCESSOR : CLOCK_KERNEL;
}

#else

enum clock_source clock_choose(void)
{
#if defined(__aarch64__) /* the architecture promises one rate and one count for all cores */
    return CLOCK_PROCESSOR;
#else
    return CLOCK_KERNEL;
#endif
}

#endif

__extension__ typedef unsigned __int128 wide;

/* The thread may lose the processor between the two clocks: the closest of several tries counts. */
struct clock_moment clock_moment(void)
{
    struct clock_moment best = {0, 0};
    uint64_t closest = UINT64_MAX;
    for (int i = 0; i < 10; i++) {
        uint64_t before = clock_nsec(), ticks = clock_ticks(), gap = clock_nsec() - before;

        if (gap < closest)
            best = (struct clock_moment){ticks, before + gap / 2};
        closest = gap < closest ? gap : closest;
    }
    if (papi_mpi.clock == CLOCK_KERNEL)
        best.nsec = best.ticks;
    return best;
}

uint64_t clock_hertz(const struct clock_moment *from, const struct clock_moment *to)
{
    uint64_t nsec = to->nsec - from->nsec;
    if (nsec == 0 || papi_mpi.clock == CLOCK_KERNEL)
        return 1000000000u;
    /* No floating point: it would be in the program's counts. */
    return (uint64_t)((wide)(to->ticks - from->ticks) * 1000000000u / nsec);
}

uint64_t clock_in_ticks(uint64_t nsec)
{
    return (uint64_t)((wide)nsec * papi_mpi.record->tick_hertz / 1000000000u);
}
