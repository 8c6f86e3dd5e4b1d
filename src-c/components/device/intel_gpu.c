/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Metrics of Intel's devices, "intel_gpu:::ComputeBasic.GpuTime:device=0:tile=1", by Level Zero.
 */
#include "components/components.h"
#include "components/device/intel.h"
#include "papi.h"

#include <stdio.h>

int intel_failed(int status, const char *what, struct reason *why)
{
    const char *text =
        status == LZ_UNINITIALIZED   ? ": no driver of Intel's devices is installed, or none finds a "
                                       "device that this user may use (groups render and video)"
        : status == LZ_NO_PERMISSION ? ": the administrator does not allow it; as root: sysctl "
                                       "dev.i915.perf_stream_paranoid=0"
        : status == LZ_NO_DEPENDENCY || status == LZ_UNSUPPORTED ? ": it takes " INTEL_METRICS_ADVICE
        : status == LZ_IN_USE || status == LZ_NOT_AVAILABLE      ? ": another program counts on the "
                                                                   "device"
                                                                 : "";
    int code = status == LZ_NO_PERMISSION                          ? PAPI_EPERM
               : status == LZ_IN_USE || status == LZ_NOT_AVAILABLE ? PAPI_ECNFLCT
                                                                   : PAPI_ENOSUPP;
    return reason_set(why, code, "%s: Level Zero answers 0x%x%s", what, (unsigned)status, text);
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
