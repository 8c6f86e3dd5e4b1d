/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/perf_event/implemented.h"

#if defined(__aarch64__)

#include "base/sysroot.h"

#include <dirent.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#define DEVICES "/sys/bus/event_source/devices"

/* Numbers: the architecture's common events are below ARCHITECTURE_EVENTS, recommended and
 * implementation-defined ones above, and from 0x4000 on more of the architecture's. */
enum { L1D_CACHE = 0x04, ARCHITECTURE_EVENTS = 0x40 };

/* A raw event is for any core PMU, another type for the PMU that has it. */
static bool is_for(const char *root, const char *pmu, const struct event_encoding *event)
{
    char path[PATH_MAX];
    long long type;
    snprintf(path, sizeof path, DEVICES "/%s/type", pmu);
    return event->type == PERF_TYPE_RAW ||
           (sysroot_number(root, path, &type) == 0 && type == (long long)event->type);
}

/* Adds the architecture's events of one PMU to the mask. */
static void list_events(const char *root, const char *pmu, uint64_t *listed)
{
    char path[PATH_MAX], full[PATH_MAX], line[128];
    unsigned number;
    snprintf(path, sizeof path, DEVICES "/%s/events", pmu);
    DIR *folder = sysroot_path(root, path, full, sizeof full) == 0 ? opendir(full) : NULL;
    if (folder == NULL)
        return;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        snprintf(path, sizeof path, DEVICES "/%s/events/%s", pmu, entry->d_name);
        if (entry->d_name[0] != '.' && sysroot_line(root, path, line, sizeof line) > 0 &&
            sscanf(line, "event=%x", &number) == 1 && number < ARCHITECTURE_EVENTS)
            *listed |= 1ULL << number;
    }
    closedir(folder);
}

static uint64_t listed_events(const char *root, const struct event_encoding *event)
{
    char full[PATH_MAX];
    uint64_t listed = 0;
    DIR *folder = sysroot_path(root, DEVICES, full, sizeof full) == 0 ? opendir(full) : NULL;
    if (folder == NULL)
        return 0;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;)
        if (strncmp(entry->d_name, "armv8_", 6) == 0 && is_for(root, entry->d_name, event))
            list_events(root, entry->d_name, &listed);
    closedir(folder);
    return listed;
}

bool processor_implements(const char *root, const struct event_encoding *event)
{
    uint64_t number = event->config & 0xffff;
    bool processor = event->type == PERF_TYPE_RAW || event->type > PERF_TYPE_MAX;
    /* Number 0 (SW_INCR) every core has; some kernels do not list it. */
    if (!processor || number == 0)
        return true;
    uint64_t listed = listed_events(root, event);
    if (listed == 0)
        return true; /* a kernel before 4.4, or another PMU */
    /* A PMU without L1D_CACHE, which the architecture requires, is an emulation of the few events that
     * it lists. Otherwise PMCEID says nothing on the numbers above the architecture's, and an old
     * kernel has no names for the upper ones of those, nor for those from 0x4000 on. */
    bool whole = listed >> L1D_CACHE & 1;
    bool names_upper = listed >> 0x31 != 0;
    if (number >= ARCHITECTURE_EVENTS || (number >= 0x31 && !names_upper))
        return whole;
    return listed >> number & 1;
}

#else

bool processor_implements(const char *root, const struct event_encoding *event)
{
    (void)root;
    (void)event;
    return true;
}

#endif
