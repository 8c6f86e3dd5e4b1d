/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <linux/perf_event.h>

/* Constants of samples of memory that linux/perf_event.h of older kernels lacks; programs meet newer kernels.
 */

#ifndef PERF_SAMPLE_WEIGHT_TYPE /* Linux 5.12 */
#define PERF_SAMPLE_WEIGHT_STRUCT (1U << 24)
#define PERF_SAMPLE_WEIGHT_TYPE (PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT)
#endif

#ifndef PERF_MEM_HOPS_SHIFT /* 5.16 */
#define PERF_MEM_HOPS_0 0x01
#define PERF_MEM_HOPS_SHIFT 43
#endif

#ifndef PERF_MEM_SNOOPX_PEER /* 6.0 */
#define PERF_MEM_SNOOPX_PEER 0x02
#endif

#ifndef PERF_MEM_LVLNUM_IO /* 6.1 */
#define PERF_MEM_LVLNUM_IO 0x0a
#endif

#ifndef PERF_MEM_BLK_SHIFT /* 5.12 */
#define PERF_MEM_BLK_DATA 0x02
#define PERF_MEM_BLK_ADDR 0x04
#define PERF_MEM_BLK_SHIFT 40
#endif

/* Members of enumerations, which the preprocessor does not see. */
enum {
    SAMPLE_AUX = 1U << 20,            /* 5.5 */
    SAMPLE_CGROUP = 1U << 21,         /* 5.7 */
    SAMPLE_DATA_PAGE_SIZE = 1U << 22, /* 5.11 */
    SAMPLE_CODE_PAGE_SIZE = 1U << 23, /* 5.11 */
    SAMPLE_PHYS_ADDR = 1U << 19,      /* 4.14 */
    BRANCH_TYPE_SAVE = 1U << 16,      /* 4.14 */
    BRANCH_HW_INDEX = 1U << 17,       /* 5.7 */
    BRANCH_COUNTERS = 1U << 19,       /* 6.8 */
    FORMAT_LOST = 1U << 4,            /* 6.0 */
};
