/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Metrics of NVIDIA's devices, "cuda:::dram__bytes.per_second:stat=sum:device=0", by CUPTI. CUPTI's name is
 * BASE.STATISTIC[.SUBMETRIC], that of the event BASE[.SUBMETRIC] with the statistic as a word.
 */
#include "components/device/cuda.h"
#include "components/components.h"
#include "papi.h"

/* ---- names */

const struct device_words cuda_words = {
    .qualifier = "stat",
    .noun = "statistic",
    .n = 7,
    .word = {{"avg", "average over the device's units", DEVICE_ADDED, false},
             {"max", "maximum over the device's units", DEVICE_GREATEST, false},
             {"max_rate", "greatest value of the ratio", DEVICE_OVER_TIME, false},
             {"min", "minimum over the device's units", DEVICE_LEAST, false},
             {"pct", "ratio in percent", DEVICE_OVER_TIME, false},
             {"ratio", "ratio", DEVICE_OVER_TIME, false},
             {"sum", "sum over the device's units", DEVICE_ADDED, true}},
    .implied = ".pct_of_peak_sustained_elapsed",
    .names = cuda_names,
    .forms = cuda_forms,
    .properties = cuda_properties,
    .passes = cuda_passes,
    .counter = "the range profiler",
    .other = "use ncu",
};

/* ---- component */

static const struct device_maker cuda = {
    .component = &cuda_component,
    .library = "CUPTI",
    .noun = "metric",
    .qualifiers = "qualifiers :stat=STATISTIC, :device=NUMBER and :real",
    .size = sizeof(struct cuda),
    .counting = &cuda_counting,
    .words = &cuda_words,
    .open = cuda_open,
    .look = cuda_look,
    .close = cuda_close,
    .list = device_words_list,
    .try_plan = cuda_try,
};

DEVICE_UNITS_FUNCTIONS(cuda)

const struct component cuda_component = {
    DEVICE_WORDS_COMPONENT("cuda"),
    .description = "What NVIDIA's devices count while they run kernels",
    .always_listed = true,
};
