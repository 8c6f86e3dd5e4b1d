/* SPDX-License-Identifier: BSD-3-Clause
 *
 * list_pfm: every event and every mask that libpfm4 has for the PMUs that it finds here, or that
 * LIBPFM_FORCE_PMU names, from its own interface: PMU::EVENT and PMU::EVENT:MASK, one a line. It finds PMUs
 * outside the cores by the processor's model: those that this machine's kernel does not have are left out.
 * list_pfm pmus: the names of all its PMUs of processors' cores, one a line.
 */
#include <perfmon/pfmlib.h>
#include <perfmon/pfmlib_perf_event.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static int list_event(const char *pmu, int index)
{
    pfm_event_info_t event = {.size = sizeof event};
    if (pfm_get_event_info(index, PFM_OS_PERF_EVENT, &event) != PFM_SUCCESS)
        return 1;
    printf("%s::%s\n", pmu, event.name);
    for (int i = 0; i < event.nattrs; i++) {
        pfm_event_attr_info_t mask = {.size = sizeof mask};
        if (pfm_get_event_attr_info(index, i, PFM_OS_PERF_EVENT, &mask) != PFM_SUCCESS)
            return 1;
        if (mask.type == PFM_ATTR_UMASK)
            printf("%s::%s:%s\n", pmu, event.name, mask.name);
    }
    return 0;
}

static bool kernel_lacks(const pfm_pmu_info_t *pmu)
{
    struct perf_event_attr attr;
    pfm_perf_encode_arg_t answer = {.attr = &attr, .size = sizeof answer};
    pfm_event_info_t event = {.size = sizeof event};
    char name[512];
    int code = PFM_ERR_UMASK;
    for (int i = pmu->first_event; i >= 0 && code == PFM_ERR_UMASK; i = pfm_get_event_next(i)) {
        if (pfm_get_event_info(i, PFM_OS_PERF_EVENT, &event) != PFM_SUCCESS)
            return false;
        snprintf(name, sizeof name, "%s::%s", pmu->name, event.name);
        memset(&attr, 0, sizeof attr);
        code = pfm_get_os_event_encoding(name, PFM_PLM3, PFM_OS_PERF_EVENT, &answer);
    }
    return code == PFM_ERR_NOTSUPP;
}

static int list_pmu(const pfm_pmu_info_t *pmu)
{
    int failed = 0;
    if (!pmu->is_present || (pmu->type == PFM_PMU_TYPE_UNCORE && kernel_lacks(pmu)))
        return 0;
    for (int i = pmu->first_event; i >= 0; i = pfm_get_event_next(i))
        failed |= list_event(pmu->name, i);
    return failed;
}

int main(int argc, char **argv)
{
    bool pmus = argc > 1 && strcmp(argv[1], "pmus") == 0;
    int failed = 0;
    if (pfm_initialize() != PFM_SUCCESS)
        return 1;
    for (int i = 0; i < PFM_PMU_MAX; i++) {
        pfm_pmu_info_t pmu = {.size = sizeof pmu};
        if (pfm_get_pmu_info((pfm_pmu_t)i, &pmu) != PFM_SUCCESS)
            continue;
        if (!pmus)
            failed |= list_pmu(&pmu);
        else if (pmu.type == PFM_PMU_TYPE_CORE)
            puts(pmu.name);
    }
    return failed;
}
