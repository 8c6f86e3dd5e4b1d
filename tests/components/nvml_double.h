/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Values that a test sets in nvml_double.c, which stands for the NVIDIA driver's library.
 */
#pragma once

enum { DOUBLE_DEVICES = 2 };

struct nvml_double {
    int init_result, count; /* what nvmlInit answers, and how many devices there are: from the third on, they
                             * are the second one */
    const char *name;       /* of all devices, without an end; NULL: their own */
    int parts;              /* of the first one, which is divided; the second of them is not there */
    int started;            /* nvmlInit less nvmlShutdown */
    int at_work, within;    /* questions that are being answered, and those that came within another */
    struct {
        int result; /* of all questions about the device */
        unsigned power, limit, temperature;
        unsigned long long energy, reasons, throttled, sent;
        unsigned pcie, utilization, temperature_of_memory;
        int type_of_field; /* in which NVLink's number comes: FIELD_* of nvml.c; 0: a double */
    } device[DOUBLE_DEVICES];
};
