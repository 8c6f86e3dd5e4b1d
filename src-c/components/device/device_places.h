/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "components/device/device_library.h"

/* Places of vendors' libraries, for all who count, measure or record by them. */

/* NVIDIA's driver, and CUPTI of its toolkit. */
extern const struct device_library_source cuda_driver_places, cupti_places;

/* Intel's: the loader of Level Zero. */
extern const struct device_library_source level_zero_places;

/* AMD's rocprofiler-sdk. Of two variables with the folder of ROCm, the one that is set. */
struct device_library_source rocprofiler_places(void);
