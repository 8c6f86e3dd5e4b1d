/* SPDX-License-Identifier: BSD-3-Clause */
#include "rank/machine.h"

#include "base/sysroot.h"
#include "record/record.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>

#define GROUPS "/sys/fs/cgroup"

static uint64_t memory_of_node(const char *root)
{
    unsigned long long kilobytes = 0;
    char line[256];
    FILE *file = sysroot_open(root, "/proc/meminfo");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (sscanf(line, "MemTotal: %llu", &kilobytes) == 1)
            break;
    if (file != NULL)
        fclose(file);
    return kilobytes * 1024u;
}

/* "max", which is no limit, is not a number. */
static void lower(uint64_t *least, const char *root, const char *tree, const char *group, const char *name)
{
    char path[PATH_MAX];
    long long limit;
    snprintf(path, sizeof path, "%s%s/%s", tree, group, name);
    if (sysroot_number(root, path, &limit) == 0 && limit > 0 && (*least == 0 || (uint64_t)limit < *least))
        *least = (uint64_t)limit;
}

/* A group and all that it is in. A container's processes see the tree from their own group on, which is its
 * root there, and the path as the machine has it. */
static void lower_up(uint64_t *least, const char *root, const char *tree, char *group, const char *name)
{
    char *end = group + strlen(group);
    for (; end != NULL; end = strrchr(group, '/')) {
        *end = '\0';
        lower(least, root, tree, group, name);
    }
}

/* "4:memory:/job1" of version 1, which has a tree for each controller; "0::/job1" of version 2. */
static void lower_by_line(uint64_t *least, const char *root, char *line)
{
    char *first = strchr(line, ':'), *second = first != NULL ? strchr(first + 1, ':') : NULL;
    if (second == NULL)
        return;
    line[strcspn(line, "\n")] = '\0';
    *second = '\0';
    if (strcmp(first + 1, "memory") == 0)
        lower_up(least, root, GROUPS "/memory", second + 1, "memory.limit_in_bytes");
    else if (first[1] == '\0')
        lower_up(least, root, GROUPS, second + 1, "memory.max");
}

uint64_t machine_memory(const char *root)
{
    uint64_t least = memory_of_node(root);
    char line[PATH_MAX];
    FILE *file = sysroot_open(root, "/proc/self/cgroup");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        lower_by_line(&least, root, line);
    if (file != NULL)
        fclose(file);
    return least;
}

uint64_t machine_frequency(const char *root, int cpu)
{
    char path[128];
    long long kilohertz;
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cpufreq/scaling_cur_freq", cpu);
    return sysroot_number(root, path, &kilohertz) == 0 && kilohertz > 0 ? (uint64_t)kilohertz * 1000u : 0;
}

/* ---------------------------------------------------------------------------------------- this process */

static uint64_t nsec(const struct timeval *time)
{
    return (uint64_t)time->tv_sec * 1000000000u + (uint64_t)time->tv_usec * 1000u;
}

/* Of this program. The figure of getrusage may be that of the launcher from before its exec. */
static uint64_t peak_memory(const struct rusage *otherwise)
{
    unsigned long long kilobytes = 0;
    char line[256];
    FILE *file = fopen("/proc/self/status", "re");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (sscanf(line, "VmHWM: %llu", &kilobytes) == 1)
            break;
    if (file != NULL)
        fclose(file);
    return (kilobytes != 0 ? kilobytes : (uint64_t)otherwise->ru_maxrss) * 1024u;
}

void usage_read(uint64_t *usage)
{
    struct rusage now;
    if (getrusage(RUSAGE_SELF, &now) != 0)
        return;
    usage[USAGE_CPU_USER] = nsec(&now.ru_utime);
    usage[USAGE_CPU_SYSTEM] = nsec(&now.ru_stime);
    usage[USAGE_MINOR_FAULTS] = (uint64_t)now.ru_minflt;
    usage[USAGE_MAJOR_FAULTS] = (uint64_t)now.ru_majflt;
    usage[USAGE_VOLUNTARY_SWITCHES] = (uint64_t)now.ru_nvcsw;
    usage[USAGE_INVOLUNTARY_SWITCHES] = (uint64_t)now.ru_nivcsw;
    usage[USAGE_PEAK_MEMORY] = peak_memory(&now);
}

void usage_since(const uint64_t *begin, uint64_t *used)
{
    uint64_t now[USAGE_COUNT] = {0};
    usage_read(now);
    for (int i = 0; i < USAGE_COUNT; i++)
        used[i] = now[i] > begin[i] ? now[i] - begin[i] : 0;
    used[USAGE_PEAK_MEMORY] = now[USAGE_PEAK_MEMORY];
}
