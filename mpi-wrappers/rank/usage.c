/* SPDX-License-Identifier: BSD-3-Clause */
#include "rank/usage.h"

#include "record/record.h"

#include <stdio.h>
#include <sys/resource.h>
#include <sys/time.h>

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
