/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "components/device/device_kernels.h"
#include "components/device/device_units.h"
#include "components/device/rocprofiler.h"

/* rocprofiler-sdk in this process. */

struct rocp_device {
    struct rocp_handle agent, context;
    struct rocp_plan *running;
    int config_status; /* of the answer to the library's question for a configuration */
    bool config_asked;
};

struct rocp {
    struct device_units units;
    struct rocp_functions call;
    bool dispatch; /* counts kernels, and not the device as such */
    struct reason cannot_count;
    bool configured;
    struct rocp_device device[MOST_DEVICES];
    struct rocp_tool tool;
    struct device_kernels kernels;
    struct rocp_handle context; /* in which kernels are counted */
};

/* The sentence of a call that failed, with the library's words; and PAPI_OK or PAPI_ENOSUPP for one that may
 * have. */
int rocp_failed(const struct rocp *rocp, int status, int code, const char *what, struct reason *why);
int rocp_result(const struct rocp *rocp, int status, const char *what, struct reason *why);

/* Finds the library and its devices, for struct device_maker. */
int rocp_open(struct device_units *units, const char *root, struct reason *why);

/* Makes the process a client of the library, before the program uses a device: once. PAPI_ENOSUPP. */
int rocp_configure(struct rocp *rocp, struct reason *why);

extern const struct device_counting rocp_counting;

/* Functions that the library calls: on a start of a device, on a kernel's launch, and when it has ended. */
rocp_device_function rocp_choose_config;
rocp_dispatch_function rocp_kernel_launched;
rocp_record_function rocp_kernel_recorded;
