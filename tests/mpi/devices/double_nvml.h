/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "../../activity/double.h"

/* Energy that a test sets in double_nvml.c. */
enum { DOUBLE_METERS = 8 };

struct double_meter {
    int number; /* of the device, as double_cuda.c has it */
    int result, readings;
    unsigned long long millijoules;
};

struct double_nvml {
    int started;
    struct double_meter meter[DOUBLE_METERS];
};
