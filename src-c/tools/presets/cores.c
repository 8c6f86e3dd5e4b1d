/* SPDX-License-Identifier: BSD-3-Clause */
#include "cores.h"

#include "base/sysroot.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

/* The first CPU of a list ("0-7,16") that is allowed; -1: none. */
static int first_allowed(const char *list, const cpu_set_t *allowed)
{
    while (*list != '\0') {
        char *end;
        long first = strtol(list, &end, 10), last = *end == '-' ? strtol(end + 1, &end, 10) : first;
        for (long cpu = first; cpu <= last && cpu >= 0 && cpu < CPU_SETSIZE; cpu++)
            if (CPU_ISSET((size_t)cpu, allowed))
                return (int)cpu;
        if (end == list || *end != ',')
            break;
        list = end + 1;
    }
    return -1;
}

/* The PMU is of some of the cores alone if it lists them. */
static void add_kind(struct cores *cores, const char *pmu)
{
    char path[PATH_MAX], list[4096];
    snprintf(path, sizeof path, SYSROOT_PMUS "/%s/cpus", pmu);
    if (cores->n == MOST_CORES || sysroot_line("", path, list, sizeof list) <= 0)
        return;
    snprintf(cores->kind[cores->n].pmu, sizeof cores->kind[0].pmu, "%s", pmu);
    cores->kind[cores->n++].cpu = first_allowed(list, &cores->allowed);
}

void cores_find(struct cores *cores)
{
    char pmu[MOST_CORES][MACHINE_PMU_NAME];
    int n = machine_core_pmus(pmu, MOST_CORES);
    *cores = (struct cores){.n = 0};
    if (sched_getaffinity(0, sizeof cores->allowed, &cores->allowed) == 0 && !machine_is_emulated())
        for (int i = 0; i < n; i++)
            add_kind(cores, pmu[i]);
    if (cores->n <= 1) {
        cores->n = 1;
        cores->kind[0].pmu[0] = '\0';
    }
}

int cores_bind(const struct cores *cores, int kind)
{
    cpu_set_t one;
    if (cores->n == 1)
        return 0;
    if (cores->kind[kind].cpu < 0) {
        errno = ENODEV;
        return -1;
    }
    CPU_ZERO(&one);
    CPU_SET((size_t)cores->kind[kind].cpu, &one);
    return sched_setaffinity(0, sizeof one, &one);
}

void cores_release(const struct cores *cores)
{
    if (cores->n > 1)
        sched_setaffinity(0, sizeof cores->allowed, &cores->allowed);
}
