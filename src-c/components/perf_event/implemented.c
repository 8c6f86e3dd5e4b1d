/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/perf_event/perf_event.h"

#if defined(__aarch64__)

#include <linux/perf_event.h>
#include <string.h>

/* Numbers: the architecture's common events are below ARCHITECTURE_EVENTS, recommended and
 * implementation-defined ones above, and from 0x4000 on more of the architecture's. */
enum { L1D_CACHE = 0x04, ARCHITECTURE_EVENTS = 0x40 };

/* True if a PMU has an event: a raw event is for any core PMU, another type for the PMU that has it. -1: that
 * cannot be read now. */
static int is_for(const struct pmu_table *pmus, struct pmu *pmu, const struct event_encoding *event)
{
    uint32_t type;
    if (strncmp(pmu->name, "armv8_", 6) != 0)
        return 0;
    if (event->type == PERF_TYPE_RAW)
        return 1;
    int found = pmu_type(pmus, pmu, &type);
    return found > 0 ? type == event->type : found;
}

/* The architecture's events that the PMUs name. -1: they cannot be read now. */
static int listed_events(struct pmu_table *pmus, const struct event_encoding *event, uint64_t *listed)
{
    int code = pmus_read(pmus);
    *listed = 0;
    for (int i = 0; i < pmus->n && code >= 0; i++) {
        uint64_t numbers = 0;
        code = is_for(pmus, &pmus->pmu[i], event);
        if (code > 0)
            code = pmu_event_numbers(pmus, &pmus->pmu[i], &numbers);
        *listed |= numbers;
    }
    return code < 0 ? -1 : 0;
}

int processor_implements(struct pmu_table *pmus, const struct event_encoding *event)
{
    uint64_t number = event->config & 0xffff;
    bool processor = event->type == PERF_TYPE_RAW || event->type > PERF_TYPE_MAX;
    /* Every core has number 0 (SW_INCR), which some kernels do not list. */
    if (!processor || number == 0)
        return true;
    uint64_t listed;
    if (listed_events(pmus, event, &listed) != 0)
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

int processor_implements(struct pmu_table *pmus, const struct event_encoding *event)
{
    (void)pmus;
    (void)event;
    return 1;
}

#endif
