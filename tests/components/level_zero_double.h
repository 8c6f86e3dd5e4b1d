/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Values that a test sets in level_zero_double.c.
 */
#pragma once

#include <stdbool.h>

struct level_zero_double {
    int init_result, result; /* of zesInit, and of questions about energy */
    bool started, no_device;
    unsigned long long energy[2], card, active, free, received;
    double frequency;
};
