/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/descriptions.h"
#include "base/gpus.h"
#include "core/resolve.h"
#include "hardware/clock.h"
#include "hardware/hardware.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

/* ---- the components */

int component_by_name(const char *name)
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

/* PAPI_ENOMEM, PAPI_ESYS: it cannot be found out now. */
static int count_presets(struct reason *why)
{
    int n = 0, counts = 0;
    for (int i = 0; i < PRESET_COUNT && counts >= 0; i++) {
        counts = event_available(PAPI_PRESET_MASK | i, why);
        n += counts;
    }
    return counts < 0 ? counts : n;
}

static void list_pmus(PAPI_component_info_t *info)
{
    int pmu = -1;
    const char *name;
    for (int i = 0; i < PAPI_PMU_MAX - 1 && (pmu = pfm_next_pmu(&papi_library.tables, pmu, &name)) >= 0; i++)
        info->pmu_names[i] = (char *)name;
}

/* Faults of preset files are reported here: the library prints nothing unasked. */
static void note_reasons(PAPI_component_info_t *info, const struct component_state *state, int disabled)
{
    const char *faults = papi_library.presets.faults;
    info->disabled = disabled ? PAPI_ECMP_DISABLED : state->disabled.code;
    text(info->disabled_reason, sizeof info->disabled_reason,
         disabled ? "switched off by the program or by PAPI_DISABLE_COMPONENTS" : state->disabled.text);
    info->partially_disabled = state->partially_disabled.code;
    snprintf(info->partially_disabled_reason, sizeof info->partially_disabled_reason, "%s%s%s",
             state->partially_disabled.text, state->partially_disabled.text[0] && faults[0] ? "; " : "",
             faults);
    if (faults[0] && !info->partially_disabled)
        info->partially_disabled = PAPI_PARTIAL;
}

static unsigned has_format(const char *name)
{
    struct pmu *cpu;
    const char *bits;
    struct pmu_table *pmus = &papi_library.tables.pmus;
    return pmus_find(pmus, "cpu", &cpu) > 0 && pmu_format(pmus, cpu, name, &bits) > 0;
}

/* Fills in what is known of every component without a look at the machine. */
static void fill_known(PAPI_component_info_t *info, int index)
{
    const struct component *component = components[index];
    struct utsname system;
    text(info->name, sizeof info->name, component->name);
    text(info->short_name, sizeof info->short_name, component->short_name);
    text(info->description, sizeof info->description, component->description);
    text(info->version, sizeof info->version, "1.0");
    if (uname(&system) == 0)
        text(info->kernel_version, sizeof info->kernel_version, system.release);
    info->CmpIdx = index;
    info->num_mpx_cntrs = MAX_COUNTERS;
    info->default_domain = component->default_domain;
    info->available_domains = component->available_domains;
    info->default_granularity = component->granularity ? component->granularity : PAPI_GRN_THR;
    info->available_granularities = info->default_granularity | (component->cpu ? PAPI_GRN_SYS_CPU : 0);
    info->posix1b_timers = 1; /* of overflows by software */
    info->fast_real_timer = 1;
    info->kernel_multiplex = component->kernel_multiplex;
    info->attach = info->attach_must_ptrace = component->attach;
    info->cpu = component->cpu;
    info->inherit = component->inherit;
    info->cntr_umasks = 1;
}

static void fill_found(PAPI_component_info_t *info, int index, const struct component_state *state)
{
    pfm_version_text(&papi_library.tables, info->support_version, sizeof info->support_version);
    info->initialized = 1;
    info->num_cntrs = state->n_hardware_counters;
    info->hardware_intr = state->hardware_interrupt;
    info->hardware_intr_sig = state->hardware_interrupt ? OVERFLOW_SIGNAL : 0;
    info->precise_intr = state->precise_interrupt;
    info->fast_counter_read = state->fast_read;
    if (index ==
        COMPONENT_PERF_EVENT) { /* what the kernel lets an event of the processor be qualified with */
        info->edge_detect = has_format("edge");
        info->invert = has_format("inv");
    }
    note_reasons(info, state, papi_library.disabled[index]);
}

void component_info_note_disabled(int index)
{
    static const struct component_state not_looked;
    note_reasons(papi_library.component_info[index],
                 library_ready() ? component_state_of(index) : &not_looked, papi_library.disabled[index]);
}

static int count_events(PAPI_component_info_t *info, int index, struct reason *why)
{
    int presets = index == processor_component() ? count_presets(why) : 0;
    int natives = presets >= 0 ? native_count(&papi_library.tables, index, why) : 0;
    if (presets < 0 || natives < 0)
        return presets < 0 ? presets : natives;
    info->num_preset_events = presets;
    info->num_native_events = natives;
    if (index == COMPONENT_PERF_EVENT)
        list_pmus(info);
    return PAPI_OK;
}

static int describe(PAPI_component_info_t *info, int index, struct reason *why)
{
    struct preset_table *table;
    const struct component_state *state = component_state_of(index);
    int code = library_presets(&table, why);
    if (code != PAPI_OK && !code_passes(state->disabled.code))
        return code;
    fill_known(info, index);
    fill_found(info, index, state);
    bool lists = !info->disabled || components[index]->always_listed;
    return lists ? count_events(info, index, why) : PAPI_OK;
}

int component_info(int index, const PAPI_component_info_t **out, struct reason *why)
{
    PAPI_component_info_t *info = papi_library.component_info[index];
    int code = PAPI_OK;
    if (info == NULL)
        info = papi_library.component_info[index] = calloc(1, sizeof *info);
    if (info == NULL)
        return reason_set(why, PAPI_ENOMEM, "out of memory");
    if (!library_ready()) {
        fill_known(info, index);
        component_info_note_disabled(index);
    } else if (!papi_library.component_info_lasts[index]) {
        code = describe(info, index, why);
        papi_library.component_info_lasts[index] =
            code == PAPI_OK && component_state_of(index)->known && !components[index]->list_grows;
    }
    if (code == PAPI_OK)
        *out = info;
    return code;
}

/* ---- the machine */

static long long tick_khz_since(struct clock_moment start)
{
    long long khz = atomic_load_explicit(&papi_library.tick_khz, memory_order_relaxed);
    if (khz == 0) {
        khz = clock_tick_khz(start);
        atomic_store_explicit(&papi_library.tick_khz, khz, memory_order_relaxed);
    }
    return khz;
}

long long hardware_tick_khz(void)
{
    long long khz = atomic_load_explicit(&papi_library.tick_khz, memory_order_relaxed);
    return khz != 0 ? khz : tick_khz_since(clock_both());
}

static int describe_hardware(PAPI_hw_info_t *info, struct reason *why)
{
    struct clock_moment start = clock_both(); /* the time that this takes is not waited for again */
    if (hardware_info_fill(papi_library.root, info) != 0)
        return reason_unreadable("the description of the machine", why);
    info->clock_mhz = (int)((tick_khz_since(start) + 500) / 1000);
    if (info->mhz <= 0)
        info->mhz = (float)info->clock_mhz;
    if (info->cpu_max_mhz <= 0)
        info->cpu_max_mhz = info->cpu_min_mhz = info->clock_mhz > 0 ? info->clock_mhz : 1;
    return PAPI_OK;
}

int hardware_info(const PAPI_hw_info_t **info, struct reason *why)
{
    PAPI_hw_info_t *made = papi_library.hardware;
    int code = PAPI_OK;
    if (made == NULL && (made = calloc(1, sizeof *made)) == NULL)
        return reason_set(why, PAPI_ENOMEM, "out of memory");
    if (papi_library.hardware == NULL)
        code = describe_hardware(made, why);
    if (code == PAPI_OK)
        *info = papi_library.hardware = made;
    else
        free(made);
    return code;
}

int gpus_info(const struct gpu **gpus, int *n, struct reason *why)
{
    int found = papi_library.n_gpus;
    if (found == 0)
        found = gpus_find(papi_library.root, &papi_library.gpus);
    if (found < 0)
        return reason_unreadable("the list of devices", why);
    papi_library.n_gpus = *n = found;
    *gpus = papi_library.gpus;
    return PAPI_OK;
}

/* ---- the process */

/* A list of libraries that a caller got, which stays as it is until the shutdown. A program that loads and
 * unloads the same libraries over and over gets the same lists again. */
struct library_list {
    struct library_list *next;
    PAPI_shlib_info_t info;
};

int process_executable(const PAPI_exe_info_t **info, struct reason *why)
{
    PAPI_exe_info_t *made = papi_library.executable;
    if (made == NULL && (made = malloc(sizeof *made)) == NULL)
        return reason_set(why, PAPI_ENOMEM, "out of memory");
    if (papi_library.executable == NULL && executable_fill(papi_library.root, made) != 0) {
        free(made);
        return reason_set(why, PAPI_ENOSUPP, "the loader does not tell where the program's code is");
    }
    *info = papi_library.executable = made;
    return PAPI_OK;
}

static struct library_list *find_list(const PAPI_address_map_t *maps, int count)
{
    struct library_list *list = papi_library.libraries;
    while (list != NULL && (list->info.count != count ||
                            (count > 0 && memcmp(list->info.map, maps, (size_t)count * sizeof *maps) != 0)))
        list = list->next;
    return list;
}

/* Takes the maps over. */
static struct library_list *keep_list(PAPI_address_map_t *maps, int count)
{
    struct library_list *list = find_list(maps, count);
    if (list == NULL && (list = malloc(sizeof *list)) != NULL) {
        *list = (struct library_list){papi_library.libraries, {.map = maps, .count = count}};
        papi_library.libraries = list;
        return list;
    }
    free(maps);
    return list;
}

int process_libraries(const PAPI_shlib_info_t **info, struct reason *why)
{
    PAPI_address_map_t *maps;
    int count;
    struct library_list *list = NULL;
    if (libraries_list(&maps, &count) == 0) {
        library_lock();
        if (library_ready())
            list = keep_list(maps, count);
        else
            free(maps);
        library_unlock();
    }
    if (list == NULL)
        return reason_set(why, PAPI_ENOMEM, "out of memory");
    *info = &list->info;
    return PAPI_OK;
}

void process_free(void)
{
    struct library_list *next;
    free(papi_library.executable);
    papi_library.executable = NULL;
    for (struct library_list *list = papi_library.libraries; list != NULL; list = next) {
        next = list->next;
        free(list->info.map);
        free(list);
    }
    papi_library.libraries = NULL;
}
