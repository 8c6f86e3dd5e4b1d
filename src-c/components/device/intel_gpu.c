/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Metrics of Intel's devices, "intel_gpu:::ComputeBasic.GpuTime:device=0:tile=1", by Level Zero.
 */
#include "components/components.h"
#include "components/device/device_library.h"
#include "components/device/device_names.h"
#include "components/device/intel.h"
#include "papi.h"

#include <stdio.h>
#include <strings.h>
#include <unistd.h>

/* ---- names */

const struct intel_metric *intel_metric(const struct intel_unit *unit, const char *name)
{
    for (int i = 0; i < unit->n_metrics; i++)
        if (strcasecmp(unit->metric[i].name, name) == 0)
            return &unit->metric[i];
    return NULL;
}

static int find_unit(const struct intel *intel, int device, long tile)
{
    for (int i = 0; i < intel->n_units; i++)
        if (intel->unit[i].device == device && intel->unit[i].tile == (int)tile)
            return i;
    return -1;
}

static const struct intel_group *group_of(const struct intel_unit *unit, const struct intel_metric *metric)
{
    int i = 0;
    while (metric - unit->metric >= unit->group[i].first + unit->group[i].n)
        i++;
    return &unit->group[i];
}

static int find_event(const struct intel *intel, const char *base, int device, long tile,
                      struct intel_event *event, struct reason *why)
{
    if (device >= intel->n_devices)
        return reason_set(why, PAPI_ENOEVNT, "there is no device %d: the devices are 0 to %d", device,
                          intel->n_devices - 1);
    event->unit = find_unit(intel, device, tile);
    if (event->unit < 0)
        return reason_set(why, PAPI_ENOEVNT, "device %d has no tile %ld", device, tile);
    const struct intel_unit *unit = &intel->unit[event->unit];
    event->metric = intel_metric(unit, base);
    if (event->metric == NULL)
        return reason_set(why, PAPI_ENOEVNT, "device %d has no metric %.200s there", device, base);
    event->group = group_of(unit, event->metric);
    return PAPI_OK;
}

int intel_event(const struct intel *intel, const char *name, struct intel_event *event, struct reason *why)
{
    struct device_qualifier qualifier[DEVICE_QUALIFIERS];
    char base[PAPI_MIN_STR_LEN];
    int n = device_name_split(name, base, sizeof base, qualifier);
    long device = n > 0 ? device_qualifier_of(qualifier, n, "device") : -1;
    long tile = n > 0 ? device_qualifier_of(qualifier, n, "tile") : -1;
    *event = (struct intel_event){0};
    if (n < 0 || n != (device >= 0) + (tile >= 0))
        return reason_set(why, PAPI_ENOEVNT,
                          "\"%.200s\": qualifiers are :device=N and :tile=N, each once and with a number",
                          name);
    return find_event(intel, base, device > 0 ? (int)device : 0, tile, event, why);
}

static int take(const struct component_event *listed, const char *qualifiers, struct component_event *variant,
                char *text, size_t size, struct reason *why)
{
    struct intel_event event;
    if (snprintf(text, size, "%s%s", listed->name, qualifiers) >= (int)size)
        return reason_set(why, PAPI_ENOEVNT, "\"%.200s...\": the name is too long", text);
    variant->name = text;
    return intel_event(listed->opened, text, &event, why);
}

/* Writes a form for each device, or tile, that has the metric. */
static bool next(const struct component_event *listed, int number, char *qualifiers, size_t size,
                 char *description, size_t room)
{
    const struct intel *intel = listed->opened;
    for (int i = 0; i < intel->n_units; i++) {
        const struct intel_unit *unit = &intel->unit[i];
        if (intel_metric(unit, listed->name) == NULL || number-- > 0)
            continue;
        int n = snprintf(qualifiers, size, ":device=%d", unit->device);
        if (unit->tile >= 0)
            snprintf(qualifiers + n, size - (size_t)n, ":tile=%d", unit->tile);
        snprintf(description, room, unit->tile < 0 ? "Of device %d" : "Of tile %2$d of device %1$d",
                 unit->device, unit->tile);
        return true;
    }
    return false;
}

/* ---- list */

static bool is_listed(const struct intel *intel, int unit, int i)
{
    const char *name = intel->unit[unit].metric[i].name;
    for (int u = 0; u < unit; u++) {
        const struct intel_unit *earlier = &intel->unit[u];
        if ((i < earlier->n_metrics && strcmp(earlier->metric[i].name, name) == 0) ||
            intel_metric(earlier, name) != NULL)
            return true;
    }
    return false;
}

static int list_all(struct intel *intel, struct event_list *list, struct reason *why)
{
    int code = PAPI_OK;
    for (int u = 0; u < intel->n_units; u++)
        for (int i = 0; i < intel->unit[u].n_metrics && code == PAPI_OK; i++) {
            const struct intel_metric *metric = &intel->unit[u].metric[i];
            const struct component_event event = {.name = metric->name,
                                                  .description = "",
                                                  .level = metric->value != INTEL_SUM,
                                                  .opened = intel};
            if (!is_listed(intel, u, i))
                code = event_list_add(list, &event, why);
        }
    return code;
}

static int list_events(const char *root, struct event_list *list, struct reason *why)
{
    struct intel *intel;
    sigset_t before = device_hold_signals();
    int code = intel_open(root, &intel, why);
    code = code == PAPI_OK ? list_all(intel, list, why) : code_passes(code) ? code : PAPI_OK;
    device_release_signals(before);
    return code;
}

static int describe(const struct component_event *event, char *text, size_t size, char *unit, size_t room,
                    struct reason *why)
{
    static const char *const values[] = {"", "; the mean of the reports since the start",
                                         "; as the last report has it"};
    const struct intel *intel = event->opened;
    struct lz_metric_properties metric = {.structure = LZ_METRIC_PROPERTIES};
    struct intel_event asked;
    (void)why;
    text[0] = '\0';
    if (intel->owners.process != getpid() || intel_event(intel, event->name, &asked, NULL) != PAPI_OK)
        return PAPI_OK;
    sigset_t before = device_hold_signals();
    int status = intel->call.metric_properties(asked.metric->handle, &metric);
    device_release_signals(before);
    if (status == LZ_SUCCESS) {
        snprintf(text, size, "%.255s%s", metric.description, values[asked.metric->value]);
        snprintf(unit, room, "%.255s", metric.unit);
    }
    return PAPI_OK;
}

/* ---- component */

static void discover(struct pmu_table *pmus, struct component_state *state)
{
    struct intel *intel;
    sigset_t before = device_hold_signals();
    if (intel_open(pmus->root, &intel, &state->disabled) == PAPI_OK)
        state->n_hardware_counters = MAX_COUNTERS;
    device_release_signals(before);
}

static int try_event(struct pmu_table *pmus, const struct event_encoding *event, int domain,
                     struct reason *why)
{
    (void)pmus, (void)domain;
    return device_session_try(&intel_counting, event->event, why);
}

static int check_options(const char *root, const struct group_options *options, struct reason *why)
{
    (void)root;
    return device_session_options("intel_gpu", options, why);
}

static struct counter_group *create(const struct group_options *options)
{
    return device_session_create(options, &intel_counting);
}

static const struct component_variants variants = {.take = take, .next = next};

const struct component intel_gpu_component = {
    LISTING_MEMBERS("intel_gpu"),
    .granularity = PAPI_GRN_SYS,
    .description = "Metrics of Intel's devices, by Level Zero",
    .list = list_events,
    .variants = &variants,
    .describe = describe,
    .discover = discover,
    .try_event = try_event,
    .check_options = check_options,
    .create = create,
};
