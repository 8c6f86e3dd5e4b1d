/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/core_pmus.h"
#include "base/sysroot.h"

#include <dirent.h>
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

/* The first CPU that the PMU counts: the file is missing where that are all. */
static int first_cpu(const char *root, const char *pmu)
{
    char path[PATH_MAX], line[32];
    snprintf(path, sizeof path, DEVICES "/%s/cpus", pmu);
    return sysroot_line(root, path, line, sizeof line) > 0 ? atoi(line) : 0;
}

int core_pmus_find(const char *root, struct core_pmu core[MAX_CORE_PMUS])
{
    char path[PATH_MAX];
    struct dirent **entries = NULL;
    int n = 0, found = 0;
    if (sysroot_path(root, DEVICES, path, sizeof path) == 0)
        n = scandir(path, &entries, is_pmu_entry, by_name);
    for (int i = 0; i < n; i++) {
        const char *name = entries[i]->d_name;
        if (found < MAX_CORE_PMUS && sysroot_is_core_pmu(root, name)) {
            strcpy(core[found].name, name);
            processor_id(root, first_cpu(root, name), &core[found].id);
            found++;
        }
        free(entries[i]);
    }
    free(entries);
    return found;
}
