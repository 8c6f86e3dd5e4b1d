/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/perf_event/implemented.h"

#if defined(__aarch64__)

#include "base/sysroot.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#define DEVICES "/sys/bus/event_source/devices"

/* Numbers: the architecture's common events are below ARCHITECTURE_EVENTS, recommended and
 * implementation-defined ones above, and from 0x4000 on more of the architecture's. */
enum { L1D_CACHE = 0x04, ARCHITECTURE_EVENTS = 0x40 };

/* A raw event is for any core PMU, another type for the PMU that has it. -1: that cannot be read now. */
static int is_for(const char *root, const char *pmu, const struct event_encoding *event)
{
    char path[PATH_MAX];
    long long type;
    if (strncmp(pmu, "armv8_", 6) != 0)
        return 0;
    if (event->type == PERF_TYPE_RAW)
        return 1;
    snprintf(path, sizeof path, DEVICES "/%s/type", pmu);
    if (sysroot_number(root, path, &type) != 0)
        return error_passes(errno) ? -1 : 0;
    return type == (long long)event->type;
}

static DIR *open_folder(const char *root, const char *path)
{
    char full[PATH_MAX];
    errno = 0;
    return sysroot_path(root, path, full, sizeof full) == 0 ? opendir(full) : NULL;
}

/* Adds an event, if it is one of the architecture's. -1: that cannot be read now. */
static int list_event(const char *root, const char *pmu, const char *name, uint64_t *listed)
{
    char path[PATH_MAX], line[128];
    unsigned number;
    snprintf(path, sizeof path, DEVICES "/%s/events/%s", pmu, name);
    int length = name[0] != '.' ? sysroot_line(root, path, line, sizeof line) : 0;
    if (length < 0 && error_passes(errno))
        return -1;
    if (length > 0 && sscanf(line, "event=%x", &number) == 1 && number < ARCHITECTURE_EVENTS)
        *listed |= 1ULL << number;
    return 0;
}

/* Adds the architecture's events of one PMU to the mask. -1: they cannot be read now. */
static int list_events(const char *root, const char *pmu, uint64_t *listed)
{
    char path[PATH_MAX];
    int code = 0;
    snprintf(path, sizeof path, DEVICES "/%s/events", pmu);
    DIR *folder = open_folder(root, path);
    if (folder == NULL)
        return error_passes(errno) ? -1 : 0;
    for (struct dirent *entry; code == 0 && (entry = readdir(folder)) != NULL;)
        code = list_event(root, pmu, entry->d_name, listed);
    int saved = errno;
    closedir(folder);
    errno = saved;
    return code;
}

static int listed_events(const char *root, const struct event_encoding *event, uint64_t *listed)
{
    DIR *folder = open_folder(root, DEVICES);
    int code = 0;
    *listed = 0;
    if (folder == NULL)
        return error_passes(errno) ? -1 : 0;
    for (struct dirent *entry; code >= 0 && (entry = readdir(folder)) != NULL;) {
        code = is_for(root, entry->d_name, event);
        if (code > 0)
            code = list_events(root, entry->d_name, listed);
    }
    int saved = errno;
    closedir(folder);
    errno = saved;
    return code < 0 ? -1 : 0;
}

int processor_implements(const char *root, const struct event_encoding *event)
{
    uint64_t number = event->config & 0xffff;
    bool processor = event->type == PERF_TYPE_RAW || event->type > PERF_TYPE_MAX;
    /* Number 0 (SW_INCR) every core has; some kernels do not list it. */
    if (!processor || number == 0)
        return true;
    uint64_t listed;
    if (listed_events(root, event, &listed) != 0)
        return -1;
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

int processor_implements(const char *root, const struct event_encoding *event)
{
    (void)root;
    (void)event;
    return 1;
}

#endif
