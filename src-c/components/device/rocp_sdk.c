/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Counters of AMD's devices, "rocp_sdk:::SQ_WAVES:XCC=1:SHADER_ENGINE=2:device=0", by rocprofiler-sdk of
 * ROCm.
 */
#include "components/components.h"
#include "components/device/device_answers.h"
#include "components/device/rocp.h"
#include "papi.h"

#include <stdio.h>

static const struct device_answers answers =
    DEVICE_ANSWERS("AMD's rocprofiler-sdk", DEVICE_ANSWERS_WORDS, ROCP_ANSWERS);

int rocp_failed(const struct rocp *rocp, int status, int code, const char *what, struct reason *why)
{
    const char *text = rocp->call.text != NULL ? rocp->call.text(status) : NULL;
    return device_answered(&answers, status, code, text, what, why);
}

int rocp_result(const struct rocp *rocp, int status, const char *what, struct reason *why)
{
    return status == ROCP_SUCCESS ? PAPI_OK : rocp_failed(rocp, status, PAPI_ENOSUPP, what, why);
}

struct dimensions {
    struct device_axis *axis;
    int n;
};

static int note_dimensions(struct rocp_handle counter, const struct rocp_dimension_info *info, size_t n,
                           void *data)
{
    struct dimensions *found = data;
    (void)counter;
    for (size_t i = 0; i < n; i++)
        device_add_axis(found->axis, &found->n, info[i].name, info[i].instances, info[i].id);
    return ROCP_SUCCESS;
}

static int axes(const struct device_units *units, const struct device_metric *metric,
                struct device_axis axis[DEVICE_AXES])
{
    struct dimensions found = {axis, 0};
    const struct rocp_handle counter = {metric->id};
    int status = ((const struct rocp *)units)->call.dimensions(counter, note_dimensions, &found);
    return status == ROCP_SUCCESS ? found.n : -1;
}

static void describe(const struct device_units *units, const struct device_metric *metric, char *text,
                     size_t size, char *unit, size_t room)
{
    (void)unit, (void)room; /* which the library does not say */
    const struct rocp_handle counter = {metric->id};
    struct rocp_counter_info info = {.name = NULL};
    int status = ((const struct rocp *)units)->call.counter_info(counter, ROCP_COUNTER_INFO_V0, &info);
    if (status == ROCP_SUCCESS && info.description != NULL)
        snprintf(text, size, "%.600s%s%.300s%s", info.description, info.is_derived ? " = " : "",
                 info.is_derived && info.expression != NULL ? info.expression : "",
                 metric->value == DEVICE_MEAN ? ", rounded; since the start, or of the last kernel" : "");
}

static void fill_in(const struct device_units *units, struct component_state *state)
{
    reason_pass(&((const struct rocp *)units)->cannot_count, &state->partially_disabled);
}

static const struct device_maker rocp = {
    .component = &rocp_sdk_component,
    .library = "AMD's rocprofiler-sdk",
    .noun = "counter",
    .qualifiers =
        "qualifiers are :device=N and the counter's dimensions, each once and with a number, such as "
        "\":XCC=0:device=1\"",
    .size = sizeof(struct rocp),
    .counting = &rocp_counting,
    .open = rocp_open,
    .axes = axes,
    .describe = describe,
    .state = fill_in,
};

DEVICE_UNITS_FUNCTIONS(rocp)

const struct component rocp_sdk_component = {
    DEVICE_UNITS_COMPONENT("rocp_sdk"),
    .description = "Counters of AMD's devices, by rocprofiler-sdk of ROCm",
};
