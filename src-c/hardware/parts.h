/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PAPI_HARDWARE_PARTS_H
#define PAPI_HARDWARE_PARTS_H

#include "base/reason.h"
#include "papi.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

/* The parts behind hardware_info_fill; nothing outside hardware/ and its tests includes this.
 * root is that of base/sysroot.h everywhere. */

/* Where the parts read, and the error of a read that failed for a reason that passes; 0: none did. */
struct reading {
    const char *root;
    int error;
};

/* A read has just failed, with errno. */
static inline void reading_failed(struct reading *from)
{
    if (error_passes(errno))
        from->error = errno;
}

/* ------------------------------------------------------------- cpuinfo.c */

/* The first processor that /proc/cpuinfo describes: the text after the colon, "" where a line is
 * missing. The names follow the keys of the kernel's architectures. */
struct cpuinfo {
    /* x86, s390 */
    char vendor_id[128];
    char cpu_family[32];
    char model[128]; /* on POWER the name of the whole machine */
    char model_name[128];
    char stepping[32];
    char cpu_mhz[32], bogomips[32];
    char siblings[32];
    char cpu_cores[32];
    int has_flags;  /* there is an x86 flags line, */
    int hypervisor; /* and it holds "hypervisor" */
    /* arm, arm64 */
    char cpu_implementer[32];
    char cpu_architecture[32];
    char cpu_variant[32];
    char cpu_part[32];
    char cpu_revision[32];
    /* POWER */
    char cpu[128];
    char clock[32];
    char revision[64];
    /* RISC-V */
    char isa[128];
    char uarch[128];
    char mvendorid[32];
    char marchid[32];
    char mimpid[32];
};

/* 0, or -1 with errno: the file cannot be read, and *out is all "" where there is none. Stops after the first
 * processor, since the file of a large machine takes the kernel milliseconds. */
int cpuinfo_read(const char *root, struct cpuinfo *out);

/* The same for the processor of a number, or the first where the file has not that one. */
int cpuinfo_read_cpu(const char *root, int cpu, struct cpuinfo *out);

/* How many processors the whole file lists; 0 with errno: it cannot be read, or lists none. */
int cpuinfo_count(const char *root);

/* A number of the file, decimal or 0x, limited to the range of an int; 0 if it is none. */
int cpuinfo_int(const char *text);

/* Digits with a point, whatever the program's locale; 0 if there are none. end: where they end, may
 * be NULL. */
float cpuinfo_decimal(const char *text, const char **end);

/* ----------------------------------------------------------- processor.c */

/* Who made the processor and which it is: vendor to cpuid_stepping of *info. */
void processor_identify(struct reading *from, const struct cpuinfo *cpu, PAPI_hw_info_t *info);

/* PAPI_VENDOR_* of a vendor string of cpuid. */
int processor_x86_vendor(const char *vendor_string);

/* ----------------------------------------------------------- arm_parts.c */

/* The fields of the main ID register, as /proc/cpuinfo shows them. */
struct arm_id {
    int implementer, architecture, variant, part, revision;
};

void arm_identify(const struct arm_id *id, PAPI_hw_info_t *info);

/* --------------------------------------------------------------- cpuid.c */

/* These ask the processor that runs them; on other architectures than x86 they know nothing. */

struct cpuid_leaf {
    unsigned eax, ebx, ecx, edx;
};

/* 0, or -1: the processor has no such leaf, and *out is all 0. */
int cpuid_leaf(unsigned number, unsigned subleaf, struct cpuid_leaf *out);

/* Fills what identifies the processor. 0, or -1: no cpuid here. */
int cpuid_identify(PAPI_hw_info_t *info);

/* 1: a hypervisor announces itself, with its signature; 0: none. size: 13 at least. */
int cpuid_hypervisor(char *signature, size_t size);

/* The nominal rate; 0 where the processor does not tell. */
int cpuid_base_mhz(void);

/* ----------------------------------------------------------- frequency.c */

/* cpu_max_mhz, cpu_min_mhz, mhz and clock_mhz. Uses info->model_string. */
void frequency_fill(struct reading *from, const struct cpuinfo *cpu, PAPI_hw_info_t *info);

/* ------------------------------------------------------------- virtual.c */

void virtual_fill(struct reading *from, const struct cpuinfo *cpu, PAPI_hw_info_t *info);

/* ------------------------------------------------------------ topology.c */

/* What a source counted; 0 for what it does not know. */
struct counts {
    int cpus;      /* hardware threads of the machine that are online */
    int cores;     /* of the machine */
    int threads;   /* the most that one core has */
    int sockets;   /* packages */
    int nodes;     /* NUMA nodes */
    int node_cpus; /* hardware threads of the NUMA node of the first one */
    int elsewhere; /* the source describes another machine than this one */
};

/* ncpu to totalcpus and mem_hierarchy, from the best source. */
void topology_fill(struct reading *from, PAPI_hw_info_t *info);

/* The sources: 0, or -1 if it knows nothing, with *n and *mh unchanged or partly filled. */
int topology_hwloc(struct reading *from, struct counts *n, PAPI_mh_info_t *mh);
int topology_sysfs(struct reading *from, struct counts *n, PAPI_mh_info_t *mh);
int topology_cpuinfo(struct reading *from, struct counts *n);

/* The caches that libc finds with cpuid, for this machine without /sys. */
void caches_libc(PAPI_mh_info_t *mh);

/* Adds a cache of the first core. level from 1; those that do not fit are left out. ways: -1 for
 * fully associative, 0 for unknown. */
void cache_add(PAPI_mh_info_t *mh, int level, int type, long long size, long long line, long long ways);

/* ----------------------------------------------------------------- tlb.c */

/* The translation buffers of the processor that runs this, in mem_hierarchy. Uses info->vendor. */
void tlb_fill(PAPI_hw_info_t *info);

/* Adds a buffer; those that do not fit are left out. ways: INT_MAX for fully associative, 0 for unknown. */
void tlb_add(PAPI_mh_info_t *mh, int level, int type, int page_size, int entries, int ways);

/* From what cpuid gives: AMD's leaves 80000005, 80000006 and 80000019; one subleaf of Intel's leaf 18;
 * Intel's leaf 2. */
void tlb_from_amd(PAPI_mh_info_t *mh, const struct cpuid_leaf *leaf5, const struct cpuid_leaf *leaf6,
                  const struct cpuid_leaf *leaf19);
void tlb_from_intel(PAPI_mh_info_t *mh, const struct cpuid_leaf *leaf18);
void tlb_from_descriptors(PAPI_mh_info_t *mh, const struct cpuid_leaf *leaf2);

/* ------------------------------------------------------------- cpulist.c */

#define CPULIST_MAX 8192 /* the largest NR_CPUS that Linux can be built with */

/* A set of CPUs or nodes. */
struct cpulist {
    unsigned char bits[CPULIST_MAX / 8];
};

/* Reads a file such as "0-3,8,10-11". 0, or -1 with errno: it cannot be read, or nothing is in it. */
int cpulist_read(const char *root, const char *path, struct cpulist *out);
int cpulist_has(const struct cpulist *list, int cpu);
int cpulist_count(const struct cpulist *list);
/* The smallest member that is at least from; -1: none. */
int cpulist_next(const struct cpulist *list, int from);

#endif
