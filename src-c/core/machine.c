/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/machine.h"
#include "base/sysroot.h"
#include "core/resolve.h"
#include "hardware/clock.h"
#include "hardware/hardware.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

static long long tick_khz_since(struct clock_moment start)
{
    long long khz = atomic_load_explicit(&papi_library.tick_khz, memory_order_relaxed);
    if (khz == 0) {
        khz = clock_tick_khz(start);
        atomic_store_explicit(&papi_library.tick_khz, khz, memory_order_relaxed);
    }
    return khz;
}

long long machine_tick_khz(void)
{
    long long khz = atomic_load_explicit(&papi_library.tick_khz, memory_order_relaxed);
    return khz != 0 ? khz : tick_khz_since(clock_both());
}

PAPI_hw_info_t *machine_hardware(void)
{
    if (papi_library.hardware == NULL) {
        papi_library.hardware = calloc(1, sizeof *papi_library.hardware);
        if (papi_library.hardware == NULL)
            return NULL;
        struct clock_moment start = clock_both(); /* the time that this takes is not waited for again */
        hardware_info_fill(papi_library.root, papi_library.hardware);
        papi_library.hardware->clock_mhz = (int)((tick_khz_since(start) + 500) / 1000);
        if (papi_library.hardware->mhz <= 0)
            papi_library.hardware->mhz = (float)papi_library.hardware->clock_mhz;
    }
    return papi_library.hardware;
}

int machine_component_index(const char *name)
{
    for (int i = 0; i < component_count(); i++)
        if (strcmp(components[i]->name, name) == 0)
            return i;
    return -1;
}

static void text(char *to, size_t size, const char *from)
{
    snprintf(to, size, "%s", from);
}

static int count_presets(void)
{
    int n = 0;
    /* Where the tables could not be read to their end, each preset would try it again. */
    for (int i = 0; i < PRESET_COUNT && !library_presets()->try_again; i++)
        n += event_counts(PAPI_PRESET_MASK | i, NULL) == PAPI_OK;
    return n;
}

static void list_pmus(PAPI_component_info_t *info)
{
    int pmu = -1;
    const char *name;
    for (int i = 0; i < PAPI_PMU_MAX - 1 && (pmu = pfm_next_pmu(papi_library.root, pmu, &name)) >= 0; i++)
        info->pmu_names[i] = (char *)name;
}

/* Faults of preset files are told here: the library prints nothing unasked. */
static void note_reasons(PAPI_component_info_t *info, const struct component_state *state, int disabled)
{
    const char *faults = library_presets()->faults;
    info->disabled = disabled ? PAPI_ECMP_DISABLED : state->disabled;
    text(info->disabled_reason, sizeof info->disabled_reason,
         disabled ? "switched off by the program or by PAPI_DISABLE_COMPONENTS" : state->disabled_reason);
    info->partially_disabled = state->partially_disabled;
    snprintf(info->partially_disabled_reason, sizeof info->partially_disabled_reason, "%s%s%s",
             state->partially_disabled_reason, state->partially_disabled_reason[0] && faults[0] ? "; " : "",
             faults);
    if (faults[0] && !info->partially_disabled)
        info->partially_disabled = PAPI_PARTIAL;
}

static unsigned has_format(const char *name)
{
    char path[128], line[64];
    snprintf(path, sizeof path, "/sys/bus/event_source/devices/cpu/format/%s", name);
    return sysroot_line(papi_library.root, path, line, sizeof line) > 0;
}

/* What the kernel lets an event of the processor be qualified with. */
static void note_formats(PAPI_component_info_t *info, int index)
{
    if (index != COMPONENT_PERF_EVENT)
        return;
    info->edge_detect = has_format("edge");
    info->invert = has_format("inv");
}

static void fill(PAPI_component_info_t *info, int index, const struct component_state *state)
{
    const struct component *component = components[index];
    struct utsname system;
    text(info->name, sizeof info->name, component->name);
    text(info->short_name, sizeof info->short_name, component->short_name);
    text(info->description, sizeof info->description, component->description);
    text(info->version, sizeof info->version, component->version);
    pfm_version_text(info->support_version, sizeof info->support_version);
    if (uname(&system) == 0)
        text(info->kernel_version, sizeof info->kernel_version, system.release);
    info->CmpIdx = index;
    info->initialized = 1;
    info->num_cntrs = state->n_hardware_counters;
    info->num_mpx_cntrs = component->max_multiplexed;
    info->default_domain = component->default_domain;
    info->available_domains = component->available_domains;
    info->default_granularity = PAPI_GRN_THR;
    info->available_granularities = PAPI_GRN_THR | (component->cpu ? PAPI_GRN_SYS_CPU : 0);
    info->hardware_intr = state->hardware_interrupt;
    info->hardware_intr_sig = state->hardware_interrupt ? component->overflow_signal : 0;
    info->precise_intr = state->precise_interrupt;
    info->posix1b_timers = 1; /* of overflows by software */
    info->fast_counter_read = state->fast_read;
    info->fast_real_timer = 1;
    info->kernel_multiplex = component->kernel_multiplex;
    info->attach = component->attach;
    info->cpu = component->cpu;
    info->inherit = component->inherit;
    info->cntr_umasks = 1;
    note_formats(info, index);
    note_reasons(info, state, papi_library.disabled[index]);
}

void machine_note_disabled(int index)
{
    const struct component_state *state = component_state_of(index);
    if (state != NULL)
        note_reasons(papi_library.component_info[index], state, papi_library.disabled[index]);
}

PAPI_component_info_t *machine_component(int index)
{
    if (index < 0 || index >= component_count())
        return NULL;
    PAPI_component_info_t *info = papi_library.component_info[index];
    if (info != NULL && papi_library.component_info_lasts[index])
        return info;
    const struct component_state *state = component_state_of(index);
    if (state != NULL && info == NULL)
        info = calloc(1, sizeof *info);
    if (state == NULL || info == NULL)
        return NULL;
    fill(info, index, state);
    if (!info->disabled) {
        if (index == processor_component())
            info->num_preset_events = count_presets();
        info->num_native_events = native_count(papi_library.root, index);
        if (index == COMPONENT_PERF_EVENT)
            list_pmus(info);
    }
    papi_library.component_info[index] = info;
    papi_library.component_info_lasts[index] = state->known;
    return info;
}
