/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Metrics of Intel's devices, "intel_gpu:::ComputeBasic.GpuTime:device=0:tile=1", by Level Zero.
 */
#include "components/components.h"
#include "components/device/device_answers.h"
#include "components/device/intel.h"
#include "papi.h"

#include <stdio.h>

static const struct device_answers answers = DEVICE_ANSWERS("Level Zero", DEVICE_ANSWERS_NUMBER, LZ_ANSWERS);

int intel_failed(int status, const char *what, struct reason *why)
{
    return device_answered(&answers, status, PAPI_ENOSUPP, NULL, what, why);
}

static void describe(const struct device_units *units, const struct device_metric *metric, char *text,
                     size_t size, char *unit, size_t room)
{
    static const char *const values[] = {"", "; the mean of the reports since the start",
                                         "; as the last report has it"};
    struct lz_metric_properties found = {.structure = LZ_METRIC_PROPERTIES};
    if (((const struct intel *)units)->call.metric_properties((void *)(uintptr_t)metric->id, &found) !=
        LZ_SUCCESS)
        return;
    snprintf(text, size, "%.255s%s", found.description, values[metric->value]);
    snprintf(unit, room, "%.255s", found.unit);
}

static const struct device_maker intel = {
    .component = &intel_gpu_component,
    .library = "Level Zero",
    .noun = "metric",
    .qualifiers = "qualifiers are :device=N and :tile=N, each once and with a number",
    .size = sizeof(struct intel),
    .counting = &intel_counting,
    .open = intel_open,
    .describe = describe,
};

DEVICE_UNITS_FUNCTIONS(intel)

const struct component intel_gpu_component = {
    DEVICE_UNITS_COMPONENT("intel_gpu"),
    .description = "Metrics of Intel's devices, by Level Zero",
};
