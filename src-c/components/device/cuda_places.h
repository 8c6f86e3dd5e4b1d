/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "components/device/device_library.h"

/* Libraries of NVIDIA's driver and of its toolkit, for all who count or record by them. */
extern const struct device_library_source cuda_driver_places, cupti_places;
