/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Names of the events that the nodes count exactly: instructions and cycles have several names each, and each
 * name is an event of its own. So there are events enough to fill any node's counters.
 */
#pragma once

#include "papi.h"

#include <stdio.h>
#include <stdlib.h>

#if defined(__aarch64__)
#define NODE_INSTRUCTIONS "arm_n1::INST_RETIRED"
#define NODE_CYCLES "arm_n1::CPU_CYCLES"
#elif defined(__riscv) || defined(__powerpc64__)
#define NODE_INSTRUCTIONS "perf::INSTRUCTIONS"
#define NODE_CYCLES "perf::CYCLES"
#else
#define NODE_INSTRUCTIONS "cpu/instructions/"
#define NODE_CYCLES "cpu/cpu-cycles/"
#endif

/* The first is of cycles, the second of instructions. Any that the counters have room for count together. */
__attribute__((unused)) static const char *const node_names[] = {
    NODE_CYCLES,
    NODE_INSTRUCTIONS,
#if !defined(__riscv) && !defined(__powerpc64__)
    "perf::CYCLES",
    "perf::INSTRUCTIONS",
#endif
#if defined(__aarch64__)
    "armv8_pmuv3/cpu_cycles/",
    "armv8_pmuv3/inst_retired/",
    "armv8_pmuv3/event=0x11/",
    "armv8_pmuv3/event=0x08/",
    "armv8_pmuv3/config=0x11/",
    "armv8_pmuv3/config=0x08/",
    "arm_n1::CPU_CYCLES:u",
    "arm_n1::INST_RETIRED:u",
    "armv8_pmuv3/cpu_cycles/u",
    "armv8_pmuv3/inst_retired/u",
#elif defined(__riscv) || defined(__powerpc64__)
    "perf::CPU-CYCLES",
    "perf::PERF_COUNT_HW_INSTRUCTIONS",
    "perf::PERF_COUNT_HW_CPU_CYCLES",
    "perf::CYCLES:u",
    "perf::INSTRUCTIONS:u",
    "perf::CPU-CYCLES:u",
    "perf::PERF_COUNT_HW_INSTRUCTIONS:u",
    "perf::PERF_COUNT_HW_CPU_CYCLES:u",
    "perf::CYCLES:u=1",
    "perf::INSTRUCTIONS:u=1",
    "perf::CPU-CYCLES:u=1",
    "perf::PERF_COUNT_HW_INSTRUCTIONS:u=1",
    "perf::PERF_COUNT_HW_CPU_CYCLES:u=1",
    "perf::INSTRUCTIONS:k=0",
    "perf::CYCLES:k=0",
    "perf::PERF_COUNT_HW_INSTRUCTIONS:k=0",
    "perf::CPU-CYCLES:k=0",
    "perf::INSTRUCTIONS:u:k=0",
#else
    "perf::CYCLES:u",
    "perf::INSTRUCTIONS:u",
    "cpu/event=0xc0/",
    "cpu/config=0xc0/",
    "cpu/cpu-cycles/u",
    "cpu/instructions/u",
    "cpu/event=0xc0/u",
    "cpu/config=0xc0/u",
    "cpu/event=0xc0,umask=0/",
    "cpu/event=0xc0,umask=0/u",
#endif
};

enum { NODE_NAMES = sizeof node_names / sizeof *node_names };

/* The kernel's watchdog has a counter of cycles for itself. */
__attribute__((unused)) static int node_watchdog(void)
{
    FILE *file = fopen("/proc/sys/kernel/nmi_watchdog", "re");
    int on = file != NULL && getc(file) == '1';
    if (file != NULL)
        fclose(file);
    return on;
}

/* The number of these events that the processor counts together; with one more they would not. Intel's
 * counter of reference cycles takes none of them. */
__attribute__((unused)) static int node_counters(void)
{
    int n = PAPI_num_hwctrs() - (PAPI_query_named_event("perf::REF-CYCLES") == PAPI_OK) - node_watchdog();
    if (n >= NODE_NAMES) {
        printf("  WRONG %d counters, which the %d events of node_names.h do not fill\n", n, NODE_NAMES);
        exit(1);
    }
    return n;
}
