/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/perf_event/sampling_pmu.h"
#include "base/sysroot.h"
#include "base/text_rows.h"
#include "components/perf_event/perf_group.h"

#include <stdio.h>

/* True if a PMU of this name is there and the event is one of its. */
static bool is_of(const char *root, const char *pmu, const struct event_encoding *event)
{
    char path[128];
    long long type;
    snprintf(path, sizeof path, SYSROOT_PMUS "/%s/type", pmu);
    return sysroot_number(root, path, &type) == 0 && type == (long long)event->type;
}

enum sampling_pmu sampling_pmu_of(const char *root, const struct event_encoding *event)
{
    TEXT_ROWS_BEGIN
    static const struct {
        char name[12];
        enum sampling_pmu pmu;
    } rows[] = {{"ibs_op", SAMPLED_BY_IBS_OP},
                {"ibs_fetch", SAMPLED_BY_IBS_FETCH},
                {"arm_spe_0", SAMPLED_BY_SPE},
                {"arm_spe_1", SAMPLED_BY_SPE}};
    TEXT_ROWS_END
    if (event->type < PERF_TYPE_MAX)
        return SAMPLED_AS_COUNTED;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (is_of(root, rows[i].name, event))
            return rows[i].pmu;
    return SAMPLED_AS_COUNTED;
}

/* On POWER the kernel drops, with PERF_SAMPLE_DATA_SRC, each sample of an instruction that is neither a load
 * nor a store, and counts it as lost. The processor says what an instruction was of marked events alone
 * (arch/powerpc/perf/isa207-common.h: EVENT_MARKED_SHIFT). */
bool sampling_may_have_source(const struct event_encoding *event)
{
#if defined(__powerpc__)
    enum { MARKED = 1 << 8 };
    return event->type == PERF_TYPE_RAW && (event->config & MARKED) != 0;
#else
    return is_hardware_event(event);
#endif
}

/* Since Sapphire Rapids, and on Alder Lake's P-cores, the kernel refuses a sampled event of the code 0xcd and
 * umask 0x01 (mem-loads) without mem-loads-aux before it in its group (arch/x86/events/intel/core.c:
 * PMU_FL_MEM_LOADS_AUX). Where that is so it lists mem-loads-aux in sysfs, as "event=0x03,umask=0x82". */
bool sampling_needs_leader(const char *root, const struct event_encoding *event,
                           struct event_encoding *leader)
{
    enum { CODE = 0xffff, LOADS = 0x01cd };
    static const char pmus[][12] = {"cpu", "cpu_core"};
    bool of_core = event->type == PERF_TYPE_RAW || event->type >= PERF_TYPE_MAX;
    for (size_t i = 0; i < 2 && of_core && (event->config & CODE) == LOADS; i++) {
        char path[128], terms[128];
        unsigned code, umask;
        snprintf(path, sizeof path, SYSROOT_PMUS "/%s/events/mem-loads-aux", pmus[i]);
        if (is_of(root, pmus[i], event) && sysroot_line(root, path, terms, sizeof terms) > 0 &&
            sscanf(terms, "event=%x,umask=%x", &code, &umask) == 2) {
            *leader = *event;
            leader->config = code | (uint64_t)umask << 8;
            leader->config1 = leader->config2 = 0;
            return true;
        }
    }
    return false;
}
