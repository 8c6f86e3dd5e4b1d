/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/reason.h"
#include "papi.h"

#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

/* The parts behind hardware_info_fill; nothing outside hardware/ and its tests includes this.
 * root is that of base/sysroot.h everywhere. */

/* ---- sysfs_reading.c */

/* The root from which the parts read, and the error of a read that failed for a reason that passes; 0: none
 * did. */
struct reading {
    const char *root;
    int error;
};

/* Notes that a read has just failed, with errno. */
void reading_failed(struct reading *from);

/* Read a file whose path is as printf makes it. reading_number: its number; -1: the file is missing, or the
 * number is negative. reading_text: its text without blanks at the end; false: it is missing or empty.
 * reading_list: its list of CPUs; false: it is missing or empty. */
struct cpulist;
long long reading_number(struct reading *from, const char *path, ...) __attribute__((format(printf, 2, 3)));
bool reading_text(struct reading *from, char *out, size_t size, const char *path, ...)
    __attribute__((format(printf, 4, 5)));
bool reading_list(struct reading *from, struct cpulist *out, const char *path, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- processor.c: /proc/cpuinfo */

/* A processor that /proc/cpuinfo describes. */
struct cpuinfo {
    int n_lines;
    struct {
        char key[32], value[PAPI_MAX_STR_LEN];
    } line[40];
    bool has_flags;  /* there is an x86 flags line, */
    bool hypervisor; /* and it holds "hypervisor" */
    int n_read;      /* processors that the file lists up to where it was read */
};

/* The processor of a number, or the first where the file has not that one: *out has no lines where there is
 * none. 0, or -1 with errno: the file cannot be read. Stops after that processor, since the file of a large
 * machine takes the kernel milliseconds. */
enum { CPUINFO_FIRST = -1, CPUINFO_ALL = INT_MAX };
int cpuinfo_read(const char *root, int cpu, struct cpuinfo *out);

/* The text after the colon, "" where the line is missing; and as a number, decimal or 0x, limited to the
 * range of an int; 0 if it is none. */
const char *cpuinfo_text(const struct cpuinfo *cpu, const char *key);
int cpuinfo_number(const struct cpuinfo *cpu, const char *key);

/* Reads digits with a point, whatever the program's locale; 0 if there are none. end: where they end, may be
 * NULL. */
float cpuinfo_decimal(const char *text, const char **end);

/* ---- processor.c */

/* Identifies the processor: fills in vendor to cpuid_stepping of *info. /proc/cpuinfo is believed before
 * cpuid: a guest's kernel has read it where it started, and drives the counters of that processor; cpuid may
 * call it by another name since, after the guest has moved. */
void processor_identify(struct reading *from, const struct cpuinfo *cpu, PAPI_hw_info_t *info);

/* PAPI_VENDOR_* of a vendor string of cpuid. */
int processor_x86_vendor(const char *vendor_string);

/* ---- processor.c: Arm's parts */

/* The fields of the main ID register, as /proc/cpuinfo shows them. */
struct arm_id {
    int implementer, architecture, variant, part, revision;
};

void arm_identify(const struct arm_id *id, PAPI_hw_info_t *info);

/* ---- processor.c: cpuid */

/* These ask the processor that runs them; on other architectures than x86 they know nothing. */

struct cpuid_leaf {
    unsigned eax, ebx, ecx, edx;
};

/* Reads a leaf of cpuid. false: the processor does not have it, and *out is all 0. */
bool cpuid_leaf(unsigned number, unsigned subleaf, struct cpuid_leaf *out);

/* Fills what identifies the processor. 0, or -1: no cpuid here. */
int cpuid_identify(PAPI_hw_info_t *info);

/* Fill in parts of the identity: family, model, stepping and revision of the signature that leaf 1 has in
 * eax, and the name of 48 characters in the leaves 0x80000002 to 0x80000004, without the blanks on either
 * side. */
void cpuid_signature(unsigned signature, PAPI_hw_info_t *info);
void cpuid_name(const struct cpuid_leaf leaf[3], char *out, size_t size);

/* Finds a hypervisor that announces itself: 1, with its signature; 0: none. size: 13 at least. */
int cpuid_hypervisor(char *signature, size_t size);

/* The nominal rate; 0 where the processor does not tell. */
int cpuid_base_mhz(void);

/* ---- clock.c */

/* Fills in cpu_max_mhz, cpu_min_mhz, mhz and clock_mhz. Uses info->model_string. */
void frequency_fill(struct reading *from, const struct cpuinfo *cpu, PAPI_hw_info_t *info);

/* ---- hardware.c */

void virtual_fill(struct reading *from, const struct cpuinfo *cpu, PAPI_hw_info_t *info);

/* ---- topology.c */

/* The counts of a source; 0 for those that it does not know. */
struct counts {
    int cpus;      /* hardware threads of the machine that are online */
    int cores;     /* of the machine */
    int threads;   /* the most that one core has */
    int sockets;   /* packages */
    int nodes;     /* NUMA nodes */
    int node_cpus; /* hardware threads of the NUMA node of the first one */
    int elsewhere; /* the source describes another machine than this one */
};

/* Fills in ncpu to totalcpus and mem_hierarchy, from the best source. */
void topology_fill(struct reading *from, PAPI_hw_info_t *info);

/* The sources of the topology. 0, or -1 if a source knows nothing, with *n and *mh unchanged or partly
 * filled. */
int topology_hwloc(struct reading *from, struct counts *n, PAPI_mh_info_t *mh);
int topology_sysfs(struct reading *from, struct counts *n, PAPI_mh_info_t *mh);
int topology_cpuinfo(struct reading *from, struct counts *n);

/* Adds the caches that libc finds with cpuid, for this machine without /sys. */
void caches_libc(PAPI_mh_info_t *mh);

/* Adds a cache of the first core. level from 1; those that do not fit are left out. ways: -1 for
 * fully associative, 0 for unknown. */
void cache_add(PAPI_mh_info_t *mh, int level, int type, long long size, long long line, long long ways);

/* ---- tlb.c */

/* Fills in the translation buffers of the processor that runs this, in mem_hierarchy. Uses info->vendor. */
void tlb_fill(PAPI_hw_info_t *info);

/* Adds a buffer; those that do not fit are left out. ways: INT_MAX for fully associative, 0 for unknown. */
void tlb_add(PAPI_mh_info_t *mh, int level, int type, int page_size, int entries, int ways);

/* Add the buffers that cpuid states: AMD's leaves 80000005, 80000006 and 80000019; one subleaf of Intel's
 * leaf 18; Intel's leaf 2. */
void tlb_from_amd(PAPI_mh_info_t *mh, const struct cpuid_leaf *leaf5, const struct cpuid_leaf *leaf6,
                  const struct cpuid_leaf *leaf19);
void tlb_from_intel(PAPI_mh_info_t *mh, const struct cpuid_leaf *leaf18);
void tlb_from_descriptors(PAPI_mh_info_t *mh, const struct cpuid_leaf *leaf2);

/* ---- topology.c: NUMA nodes */

/* The CPUs of the node that the kernel gives a number; false: it has none. */
bool node_list(struct reading *from, int node, struct cpulist *cpus);

/* ---- sysfs_reading.c: lists of CPUs */

#define CPULIST_MAX 8192 /* the largest NR_CPUS that Linux can be built with */

/* A set of CPUs or nodes, for sched.h's CPU_ISSET_S and CPU_COUNT_S. */
struct cpulist {
    cpu_set_t set[CPULIST_MAX / CPU_SETSIZE];
};

/* Reads a file such as "0-3,8,10-11". 0, or -1 with errno: it cannot be read, nothing is in it (ENODATA), or
 * not a list (EINVAL). */
int cpulist_read(const char *root, const char *path, struct cpulist *out);
bool cpulist_has(const struct cpulist *list, int cpu);
int cpulist_count(const struct cpulist *list);
/* The smallest member that is at least from; -1: none. */
int cpulist_next(const struct cpulist *list, int from);
