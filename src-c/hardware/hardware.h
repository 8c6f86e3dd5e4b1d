/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "papi.h"

/* Fills *info from hwloc (opened with dlopen here, not before), /proc/cpuinfo, cpufreq in sysfs
 * and, on x86, cpuid. root: see base/sysroot.h; with a root other than "" nothing is asked of the
 * processor that runs this. What cannot be found out is 0 or "". 0, or -1 with errno: something that may be
 * there cannot be read now, for lack of memory or of descriptors. */
int hardware_info_fill(const char *root, PAPI_hw_info_t *info);

/* The identity of a CPU's processor: "x86" with cpuid's vendor, family and model; "arm64" with the
 * implementer as family and the part as model, of the main ID register; "riscv64" with mvendorid and the
 * lower 16 bits of marchid; "ppc64" with the upper and the lower half of the processor version register; ""
 * otherwise. -1: that cannot be read now, with errno. */
struct processor_id {
    const char *architecture;
    char vendor[16];
    int family, model;
};
int processor_id(const char *root, int cpu, struct processor_id *id);

/* NUMA nodes by their place in the kernel's list, from 0: their memory (of the whole machine for node 0
 * where the kernel lists none), their CPUs, and the node of a CPU. -1: not known. */
long long node_megabytes(const char *root, int index);
int node_cpus(const char *root, int index);
int node_of_cpu(const char *root, int cpu);

/* Facts about the calling process, from /proc and the loader. root: see base/sysroot.h. */

/* Fills in its memory; PAPI_EINVAL in the fields that the kernel does not state. 0, or -1 with errno: no such
 * file (ENODATA: it says nothing about memory). */
int memory_fill(const char *root, PAPI_dmem_info_t *info);

/* Fills in the program: its file from root, its addresses from the loader. 0, or -1: it has no code that the
 * loader knows. */
int executable_fill(const char *root, PAPI_exe_info_t *info);

/* Lists the shared libraries that are loaded now, in the loader's order; *maps is for free(), NULL for none.
 * 0, or -1: out of memory. No lock of the library's may be held: a program that looks through the loader's
 * list itself calls the library from there. */
int libraries_list(PAPI_address_map_t **maps, int *count);
