/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Counters of AMD's devices, "rocp_sdk:::SQ_WAVES:XCC=0:device=1", by rocprofiler-sdk of ROCm.
 */
#include "components/components.h"
#include "components/device/device_library.h"
#include "components/device/rocp.h"
#include "papi.h"

#include <stdio.h>

/* True if an earlier device has the counter. */
static bool is_listed(const struct rocp *rocp, int device, int i)
{
    const struct rocp_counter *counter = &rocp->device[device].counter[i];
    for (int d = 0; d < device; d++) {
        const struct rocp_device *earlier = &rocp->device[d];
        if ((i < earlier->n_counters && strcmp(earlier->counter[i].name, counter->name) == 0) ||
            rocp_counter(earlier, counter->name) != NULL)
            return true;
    }
    return false;
}

static int list_all(struct rocp *rocp, struct event_list *list, struct reason *why)
{
    int code = PAPI_OK;
    for (int d = 0; d < rocp->n_devices; d++)
        for (int i = 0; i < rocp->device[d].n_counters && code == PAPI_OK; i++) {
            const struct rocp_counter *counter = &rocp->device[d].counter[i];
            const struct component_event event = {
                .name = counter->name,
                .description = "",
                .level = counter->ratio || counter->constant,
                .opened = rocp,
            };
            if (!is_listed(rocp, d, i))
                code = event_list_add(list, &event, why);
        }
    return code;
}

static int list_events(const char *root, struct event_list *list, struct reason *why)
{
    struct rocp *rocp;
    sigset_t before = device_hold_signals();
    int code = rocp_open(root, &rocp, why);
    code = code == PAPI_OK ? list_all(rocp, list, why) : code_passes(code) ? code : PAPI_OK;
    device_release_signals(before);
    return code;
}

/* The library's sentence, and for which devices and dimensions it is. */
static int describe(const struct component_event *event, char *text, size_t size, char *unit, size_t room,
                    struct reason *why)
{
    (void)unit, (void)room; /* which the library does not say */
    const struct rocp *rocp = event->opened;
    struct rocp_counter_info info = {.name = NULL};
    struct rocp_event asked;
    int code = rocp_event(rocp, event->name, &asked, why);
    text[0] = '\0';
    if (code != PAPI_OK && code_passes(code))
        return code;
    const struct rocp_counter *counter = asked.counter;
    for (int i = 0; i < rocp->n_devices && counter == NULL; i++)
        counter = rocp_counter(&rocp->device[i], event->name);
    sigset_t before = device_hold_signals();
    int status = counter != NULL && rocp->owners.process == getpid()
                     ? rocp->call.counter_info(counter->id, ROCP_COUNTER_INFO_V0, &info)
                     : ROCP_SUCCESS;
    if (status == ROCP_SUCCESS && info.description != NULL)
        snprintf(text, size, "%.600s%s%.300s%s", info.description, info.is_derived ? " = " : "",
                 info.is_derived && info.expression != NULL ? info.expression : "",
                 counter->ratio ? ", rounded; since the start, or of the last kernel" : "");
    device_release_signals(before);
    return PAPI_OK;
}

static void discover(struct pmu_table *pmus, struct component_state *state)
{
    struct rocp *rocp;
    sigset_t before = device_hold_signals();
    if (rocp_open(pmus->root, &rocp, &state->disabled) == PAPI_OK) {
        state->n_hardware_counters = MAX_COUNTERS;
        reason_pass(&rocp->cannot_count, &state->partially_disabled);
    }
    device_release_signals(before);
}

static int try_event(struct pmu_table *pmus, const struct event_encoding *event, int domain,
                     struct reason *why)
{
    (void)pmus, (void)domain;
    return device_session_try(&rocp_counting, event->event, why);
}

static int check_options(const char *root, const struct group_options *options, struct reason *why)
{
    (void)root;
    return device_session_options("rocp_sdk", options, why);
}

static struct counter_group *create(const struct group_options *options)
{
    return device_session_create(options, &rocp_counting);
}

const struct component rocp_sdk_component = {
    LISTING_MEMBERS("rocp_sdk"),
    .granularity = PAPI_GRN_SYS,
    .description = "Counters of AMD's devices, by rocprofiler-sdk of ROCm",
    .list = list_events,
    .variants = &rocp_variants,
    .describe = describe,
    .discover = discover,
    .try_event = try_event,
    .check_options = check_options,
    .create = create,
};
