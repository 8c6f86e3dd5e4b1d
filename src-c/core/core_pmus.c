/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/core_pmus.h"
#include "base/sysroot.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define DEVICES "/sys/bus/event_source/devices"

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_pmu_entry(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && strlen(entry->d_name) < sizeof((struct core_pmu *)0)->name;
}

/* The first CPU that the PMU counts: the file is missing where that are all. -1: it cannot be read now. */
static int first_cpu(const char *root, const char *pmu)
{
    char path[PATH_MAX], line[32];
    snprintf(path, sizeof path, DEVICES "/%s/cpus", pmu);
    int length = sysroot_line(root, path, line, sizeof line);
    if (length < 0 && error_passes(errno))
        return -1;
    return length > 0 ? atoi(line) : 0;
}

static int list_pmus(const char *root, struct dirent ***entries)
{
    char path[PATH_MAX];
    *entries = NULL;
    if (sysroot_path(root, DEVICES, path, sizeof path) != 0)
        return 0;
    int n = scandir(path, entries, is_pmu_entry, by_name);
    return n < 0 && !error_passes(errno) ? 0 : n;
}

/* 1: a PMU of cores, into *core; 0: another; -1: errno says why that is not known. */
static int look_at(const char *root, const char *name, struct core_pmu *core)
{
    int is_core = sysroot_is_core_pmu(root, name);
    if (is_core <= 0)
        return is_core;
    int cpu = first_cpu(root, name);
    if (cpu < 0)
        return -1;
    strcpy(core->name, name);
    return processor_id(root, cpu, &core->id) == 0 ? 1 : -1;
}

int core_pmus_find(const char *root, struct core_pmu core[MAX_CORE_PMUS])
{
    struct dirent **entries;
    int found = 0, n = list_pmus(root, &entries);
    if (n < 0)
        return -1;
    for (int i = 0; i < n; i++) {
        int is_core =
            found >= 0 && found < MAX_CORE_PMUS ? look_at(root, entries[i]->d_name, &core[found]) : 0;
        found = is_core < 0 ? -1 : found + is_core;
        free(entries[i]);
    }
    free(entries);
    return found;
}
