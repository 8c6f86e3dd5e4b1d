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
