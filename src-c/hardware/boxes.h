/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hardware/pmus.h"

/* Places where a PMU outside the cores counts. The kernel has a PMU for each instance of a part that a
 * package has several of (memory controllers, links, slices of a cache), named by a number behind their
 * common name, its family: "uncore_imc_0", "uncore_imc_1". Each counts apart in each package, on one CPU
 * there. Those are its boxes. */

struct pmu_box {
    uint32_t type; /* the kernel's, of the instance's PMU */
    int instance;  /* its number; 0 where the PMU has none */
    int package;   /* of the CPU; -1: not known */
    int cpu;
};

/* The kernel's choice of CPUs for some of them. */
struct pmu_mask {
    char *path;       /* of its file */
    const char *text; /* what was in it */
    int n_cpus;
};

/* A list of boxes, which stays as long as the table. The instances mostly have one mask; where each is of one
 * package alone (amd_umc, arm_cmn), there are several. None: the CPUs are not the kernel's choice. */
struct pmu_boxes {
    struct pmu_boxes *next;
    int n_masks;
    struct pmu_mask *mask;
    int n;
    struct pmu_box box[];
};

/* A choice of boxes; -1: all. */
struct pmu_choice {
    int cpu, package, instance;
};

/* The boxes of a PMU or, with its family, of all instances. 1; 0: it is not outside the cores. -1 with
 * errno. */
int pmu_boxes(struct pmu_table *table, struct pmu *pmu, bool family, const struct pmu_boxes **boxes);

void pmu_boxes_free(struct pmu_boxes *boxes);

/* The boxes of a list that are wanted; a CPU is taken whether the kernel has chosen it or not. 1, or 0 where
 * there is none. -1 with errno. */
int pmu_boxes_choose(struct pmu_table *table, const struct pmu_boxes *all, const struct pmu_choice *choice,
                     const struct pmu_boxes **boxes);

/* The length of the family's name, which the number follows; 0: it has none. */
int pmu_family_length(const char *name);

/* The first PMU outside the cores of a family: 1, or 0 where there is none. A family has two or more. */
int pmus_find_family(struct pmu_table *table, const char *family, struct pmu **first);

/* 1: the PMU is of a family; *first is its first member, in the order of the table. */
int pmu_has_family(struct pmu_table *table, struct pmu *pmu, struct pmu **first);
