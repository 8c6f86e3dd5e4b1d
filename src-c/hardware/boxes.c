/* SPDX-License-Identifier: BSD-3-Clause */
#include "hardware/boxes.h"
#include "base/sysroot.h"
#include "hardware/cpus.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- families */

int pmu_family_length(const char *name)
{
    size_t end = strlen(name), first = end;
    while (first > 0 && name[first - 1] >= '0' && name[first - 1] <= '9')
        first--;
    return first > 1 && first < end && name[first - 1] == '_' ? (int)first - 1 : 0;
}

static bool is_member(const char *name, const char *family, int length)
{
    return pmu_family_length(name) == length && strncmp(name, family, (size_t)length) == 0;
}

/* The members of a family outside the cores: their number, and the first one. -1 with errno. */
static int members(struct pmu_table *table, const char *family, int length, struct pmu **first)
{
    int found = 0, n = pmus_read(table);
    for (int i = n - 1; i >= 0; i--) {
        int cpu, uncore = is_member(table->pmu[i].name, family, length)
                              ? pmu_uncore(table, &table->pmu[i], &cpu)
                              : 0;
        if (uncore < 0)
            return -1;
        if (uncore)
            *first = &table->pmu[i];
        found += uncore;
    }
    return n < 0 ? -1 : found;
}

int pmus_find_family(struct pmu_table *table, const char *family, struct pmu **first)
{
    int n = members(table, family, (int)strlen(family), first);
    return n < 0 ? -1 : n > 1;
}

int pmu_has_family(struct pmu_table *table, struct pmu *pmu, struct pmu **first)
{
    int length = pmu_family_length(pmu->name);
    int n = length > 0 ? members(table, pmu->name, length, first) : 0;
    return n < 0 ? -1 : n > 1;
}

/* ---- boxes */

static struct pmu_boxes *list_of(int n)
{
    return calloc(1, sizeof(struct pmu_boxes) + (size_t)n * sizeof(struct pmu_box));
}

static const struct pmu_boxes *keep(struct pmu_table *table, struct pmu_boxes *boxes)
{
    boxes->next = table->boxes;
    return table->boxes = boxes;
}

/* -1: the kernel does not say. */
static int package_of(const struct pmu_table *table, int cpu)
{
    char path[96];
    long long package;
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/physical_package_id", cpu);
    return sysroot_number(table->root, path, &package) == 0 && package >= 0 ? (int)package : -1;
}

/* Adds the boxes of one instance. 0, or -1 with errno. */
static int add_instance(const struct pmu_table *table, struct pmu *pmu, const char *mask,
                        struct pmu_boxes *boxes)
{
    uint32_t type;
    int length = pmu_family_length(pmu->name), found = pmu_type(table, pmu, &type);
    int instance = length > 0 ? atoi(pmu->name + length + 1) : 0;
    for (int cpu = -1; found > 0 && (cpu = cpus_next(mask, cpu + 1)) >= 0;)
        boxes->box[boxes->n++] = (struct pmu_box){type, instance, package_of(table, cpu), cpu};
    return found < 0 ? -1 : 0;
}

static int add_instances(struct pmu_table *table, struct pmu *pmu, bool family, const char *mask,
                         struct pmu_boxes *boxes)
{
    int length = pmu_family_length(pmu->name), code = 0;
    if (!family)
        return add_instance(table, pmu, mask, boxes);
    for (int i = 0; i < table->n && code == 0; i++) {
        int cpu, uncore = is_member(table->pmu[i].name, pmu->name, length)
                              ? pmu_uncore(table, &table->pmu[i], &cpu)
                              : 0;
        code = uncore > 0 ? add_instance(table, &table->pmu[i], mask, boxes) : uncore;
    }
    return code;
}

int pmu_boxes(struct pmu_table *table, struct pmu *pmu, bool family, const struct pmu_boxes **boxes)
{
    const char *mask;
    struct pmu *first;
    int cpu, uncore = pmu_uncore(table, pmu, &cpu);
    int n = uncore > 0 && family ? members(table, pmu->name, pmu_family_length(pmu->name), &first) : 1;
    int stated = uncore > 0 && n > 0 ? pmu_cpumask(table, pmu, &mask) : 0;
    if (uncore <= 0 || n < 0 || stated < 0)
        return uncore == 0 ? 0 : -1;
    int cpus = cpus_count(mask);
    struct pmu_boxes *fresh = list_of(n * cpus);
    if (fresh == NULL)
        return -1;
    fresh->n_cpus = cpus;
    fresh->mask = pmu_cpumask_path(pmu);
    if (fresh->mask == NULL || add_instances(table, pmu, family, mask, fresh) != 0) {
        free((char *)fresh->mask);
        free(fresh);
        return -1;
    }
    *boxes = keep(table, fresh);
    return fresh->n > 0;
}

static bool has_instance(const struct pmu_boxes *boxes, uint32_t type)
{
    for (int i = 0; i < boxes->n; i++)
        if (boxes->box[i].type == type)
            return true;
    return false;
}

static bool is_wanted(const struct pmu_box *box, const struct pmu_choice *choice)
{
    return (choice->package < 0 || choice->package == box->package) &&
           (choice->instance < 0 || choice->instance == box->instance);
}

int pmu_boxes_choose(struct pmu_table *table, const struct pmu_boxes *all, const struct pmu_choice *choice,
                     const struct pmu_boxes **boxes)
{
    struct pmu_boxes *fresh = list_of(all->n);
    if (fresh == NULL)
        return -1;
    for (int i = 0; i < all->n; i++) {
        struct pmu_box box = all->box[i];
        if (choice->cpu >= 0)
            box.cpu = choice->cpu;
        if (is_wanted(&box, choice) && (choice->cpu < 0 || !has_instance(fresh, box.type)))
            fresh->box[fresh->n++] = box;
    }
    if (choice->cpu < 0 && all->mask != NULL) {
        fresh->mask = strdup(all->mask);
        fresh->n_cpus = all->n_cpus;
    }
    *boxes = keep(table, fresh);
    return fresh->n > 0;
}
