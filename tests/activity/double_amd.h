/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "double.h"

/* Settings of a test for the library that stands for AMD's rocprofiler-sdk (double_rocprofiler.c). Its
 * devices are its second agent and those behind it; the first is a processor. Records that have not ended are
 * launched and never come. Kinds of copies: 1 between memories of the host, 2 to a device, 3 to the host, 4
 * on devices.
 */
struct double_amd {
    uint64_t now; /* its clock; 0: that of the machine */
    uint32_t version[3];
    int devices;
    int initialized, configure, context, kinds; /* answers; kinds: those of tracing are not there */
    int wrong_calls;                            /* out of order, or with other arguments than they take */
    int identity;                               /* words of a call's identity: 2, or 3 */
    int more;                                   /* words that a record has more than are known */
    int odd;                                    /* another structure is in a kernel's record */
    int strange_agent, strange_call, wrong_time;
    int room; /* records of a buffer; 0: all */
    int drop; /* records that the next buffer lacks */
    int late; /* records wait for so many flushes */
    int flushes, started, traced;
};
