/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The kernel's PMUs, as sysfs shows them. Each fact is read when it is first asked for, and not again. One
 * that cannot be read now, for want of memory or of descriptors, is not taken as read: the functions return
 * -1 with errno, and the next question reads it. */

struct dirent;

struct pmu {
    const char *name;
    bool core;          /* a PMU of the processor's cores, */
    bool one_core_type; /* and of one core type of a hybrid processor: it leaves out CPUs that are online */
    int first_cpu;      /* of a core PMU, the first that it counts on; these three after pmus_cores */
    struct pmu_file *files; /* those that were asked for, but not of named events */
    struct dirent **event;  /* its named events in the order of their names, after pmu_events */
    int n_events;
    bool events_read, numbers_read;
    uint64_t numbers;
};

/* The table of PMUs. Begins as zeroes but for the root. */
struct pmu_table {
    const char *root;        /* see base/sysroot.h */
    struct pmu_boxes *boxes; /* that were asked for (boxes.h) */
    struct pmu *pmu;         /* in the order of their names, after pmus_read */
    struct dirent **entry;
    int n;
    bool read, cores_read;
};

/* Reads the list of PMUs. Returns their number; 0 where sysfs is hidden, too. */
int pmus_read(struct pmu_table *table);

/* The PMU of a name: 1, or 0 where there is none. */
int pmus_find(struct pmu_table *table, const char *name, struct pmu **out);

/* The number of PMUs of the processor's cores. A core PMU has the kernel's type for raw events, or says on
 * which CPUs it counts. */
int pmus_cores(struct pmu_table *table);

/* Finds out whether the processor is hybrid (1): it has a PMU for each core type then. */
int pmus_hybrid(struct pmu_table *table);

/* Finds out whether events of the kernel's type (attr.type) count on one core type only (1). */
int pmus_one_core_type(struct pmu_table *table, uint32_t type);

/* 1: the PMU counts what cores have in common, a package's energy or memory, and no thread's or mode's. Such
 * a one is counted on the CPUs of its file cpumask, of which cpu is the first. */
int pmu_uncore(const struct pmu_table *table, struct pmu *pmu, int *cpu);

/* The CPUs in that file, and its path, to be freed: 1, or 0 where there is none; NULL with errno. */
int pmu_cpumask(const struct pmu_table *table, struct pmu *pmu, const char **cpus);
char *pmu_cpumask_path(const struct pmu *pmu);

/* The PMU of the kernel's type: 1, or 0 where there is none. */
int pmus_find_type(struct pmu_table *table, uint32_t type, struct pmu **out);

/* The time, in milliseconds, for which the kernel leaves the processor's events on the counters before others
 * get their turn; 0 where it does not say. */
int pmus_mux_interval_ms(struct pmu_table *table, long long *msec);

/* The kernel's type of the PMU's events: 1, or 0 where it has none. */
int pmu_type(const struct pmu_table *table, struct pmu *pmu, uint32_t *type);

/* The bits that a field has in an event's description ("config:0-7,21"), and the terms that a named event
 * stands for ("event=0x3c,umask=0x1"): 1, or 0 where the PMU has no such field or event. */
int pmu_format(const struct pmu_table *table, struct pmu *pmu, const char *field, const char **bits);
int pmu_terms(const struct pmu_table *table, const struct pmu *pmu, const char *event, char *out, int size);

/* The unit of a named event's counts: "2.3283064365386962890625e-10 Joules", or "" where the PMU does not
 * say. -1. */
int pmu_unit(const struct pmu_table *table, const struct pmu *pmu, const char *event, char *out, int size);

/* The number of named events of the PMU. Those with names of more than PMU_LONGEST_NAME characters are left
 * out. */
enum { PMU_LONGEST_NAME = 100 };
int pmu_events(const struct pmu_table *table, struct pmu *pmu);

/* The numbers below 64 that the named events have ("event=0x11"), one bit each. */
int pmu_event_numbers(const struct pmu_table *table, struct pmu *pmu, uint64_t *numbers);

/* Forgets all but the root. */
void pmus_free(struct pmu_table *table);
