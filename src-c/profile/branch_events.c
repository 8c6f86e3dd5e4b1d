/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Samples are taken each so many branches, not by time: then all branches have the same chance to be in a
 * record, those of slow code as those of quick code.
 */
#include "branch_events.h"
#include "components/perf_event/sys.h"
#include "formats/perf_memory.h"
#include "papi.h"

static bool opens(const char *root, const struct perf_event_attr *attr, struct reason *why)
{
    struct perf_event_attr tried = *attr;
    int fd;
    if (sys_open(root, NULL, &tried, -1, &fd, why) != PAPI_OK)
        return false;
    sys_close(fd);
    return true;
}

/* Asks for the kinds of branches, too, which kernels before 4.14 do not tell. */
bool branch_event_find(const char *root, struct perf_event_attr *attr, struct reason *why)
{
    const uint64_t usual = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY,
                   ways[] = {usual | BRANCH_TYPE_SAVE, usual};
    *attr = (struct perf_event_attr){.type = PERF_TYPE_HARDWARE,
                                     .size = sizeof *attr,
                                     .config = PERF_COUNT_HW_BRANCH_INSTRUCTIONS,
                                     .disabled = 1,
                                     .freq = 1,
                                     .sample_freq = 1000,
                                     .exclude_kernel = 1,
                                     .exclude_hv = 1};
    if (!opens(root, attr, why))
        return false;
    attr->sample_type = PERF_SAMPLE_BRANCH_STACK;
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++)
        for (int precise = 2; precise >= 0; precise--) {
            struct reason unused = {.code = PAPI_OK};
            attr->branch_sample_type = ways[i];
            attr->precise_ip = (unsigned)precise & 3U;
            if (opens(root, attr, &unused))
                return true;
        }
    reason_set(why, PAPI_ENOSUPP,
               "the kernel gives no records of this processor's last branches (LBR, LbrExtV2, BRBE)");
    return false;
}
