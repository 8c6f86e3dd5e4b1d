/* SPDX-License-Identifier: BSD-3-Clause */
#include "made_slots.h"

#include "made_machine.h"

#include <errno.h>
#include <stdio.h>

#define EVENTS "sys/bus/event_source/devices/%s/events/%s"

uint64_t made_slots_opened[16];
int made_slots_n, made_slots_refused;

static int faults(struct perf_event_attr *attr, int thread, int cpu)
{
    (void)thread, (void)cpu;
    if (attr->type != CORES && attr->type != ATOM && attr->type != OTHER)
        return 0;
    if (attr->config == NOT_KNOWN)
        return ENOENT;
    made_slots_opened[made_slots_n++ % 16] = attr->config;
    attr->type = PERF_TYPE_SOFTWARE;
    if (attr->config != IN_USER_MODE)
        attr->exclude_kernel = 0;
    attr->config = attr->config == NONE ? PERF_COUNT_SW_DUMMY : PERF_COUNT_SW_PAGE_FAULTS;
    return made_slots_refused;
}

void made_slots_put(const char *pmu, const char *event, int number)
{
    char path[128], text[32];
    snprintf(path, sizeof path, EVENTS, pmu, event);
    snprintf(text, sizeof text, "event=%d\n", number);
    made_machine_put(path, text);
}

void made_slots_put_scale(const char *pmu, const char *event, const char *scale)
{
    char path[128];
    snprintf(path, sizeof path, EVENTS ".scale", pmu, event);
    made_machine_put(path, scale);
}

void made_slots_put_skylake(const char *pmu)
{
    made_slots_put(pmu, "topdown-total-slots", IN_ALL);
    made_slots_put_scale(pmu, "topdown-total-slots", "4\n");
    made_slots_put(pmu, "topdown-slots-issued", IN_ALL);
    made_slots_put(pmu, "topdown-slots-retired", IN_USER_MODE);
    made_slots_put(pmu, "topdown-fetch-bubbles", NONE);
    made_slots_put(pmu, "topdown-recovery-bubbles", IN_ALL);
    made_slots_put_scale(pmu, "topdown-recovery-bubbles", "2\n");
}

int made_slots_begin(void)
{
    made_machine_answer = faults;
    made_slots_refused = made_slots_n = 0;
    if (made_machine_create() != 0)
        return -1;
    made_machine_put("sys/devices/system/cpu/online", "0-1\n");
    return 0;
}

int made_slots_skylake(void)
{
    if (made_slots_begin() != 0)
        return -1;
    made_machine_put_pmu("core", CORES, "0-1\n");
    made_slots_put_skylake("core");
    return 0;
}

int made_slots_end(void)
{
    made_machine_answer = NULL;
    return made_machine_remove();
}
