/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Values that a test sets in nvml_double.c, which stands for the NVIDIA driver's library.
 */
#pragma once

enum { DOUBLE_DEVICES = 2 };

struct nvml_double {
    int init_result, count; /* what nvmlInit answers, and how many devices there are */
    int started;            /* nvmlInit less nvmlShutdown */
    int at_work, within;    /* questions that are being answered, and those that came within another */
    struct {
        int result; /* of all questions about the device */
        unsigned power, limit, temperature;
        unsigned long long energy;
    } device[DOUBLE_DEVICES];
};
