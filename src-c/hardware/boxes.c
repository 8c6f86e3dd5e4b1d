/* SPDX-License-Identifier: BSD-3-Clause */
#include "hardware/boxes.h"
#include "base/array.h"
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

static int add_mask(struct pmu_boxes *boxes, char *path, const char *text)
{
    if (path == NULL || !ARRAY_GROW(boxes->mask, boxes->n_masks)) {
        free(path);
        return -1;
    }
    boxes->mask[boxes->n_masks++] = (struct pmu_mask){path, text, cpus_count(text)};
    return 0;
}

static bool has_mask(const struct pmu_boxes *boxes, const char *text)
{
    for (int i = 0; i < boxes->n_masks; i++)
        if (strcmp(boxes->mask[i].text, text) == 0)
            return true;
    return false;
}

/* Adds the boxes of one instance. 0, or -1 with errno. */
static int add_instance(const struct pmu_table *table, struct pmu *pmu, struct pmu_boxes *boxes)
{
    uint32_t type;
    const char *mask;
    int length = pmu_family_length(pmu->name), found = pmu_type(table, pmu, &type);
    int instance = length > 0 ? atoi(pmu->name + length + 1) : 0;
    int stated = found > 0 ? pmu_cpumask(table, pmu, &mask) : found;
    if (stated <= 0)
        return stated;
    for (int cpu = -1; (cpu = cpus_next(mask, cpu + 1)) >= 0;)
        boxes->box[boxes->n++] = (struct pmu_box){type, instance, package_of(table, cpu), cpu};
    return has_mask(boxes, mask) ? 0 : add_mask(boxes, pmu_cpumask_path(pmu), mask);
}

/* The instances of a family outside the cores, or a PMU alone: 0, or -1 with errno.
 *   see  is called with each, until it answers -1 */
static int see_instances(struct pmu_table *table, struct pmu *pmu, bool family,
                         int (*see)(const struct pmu_table *, struct pmu *, struct pmu_boxes *),
                         struct pmu_boxes *boxes)
{
    int length = pmu_family_length(pmu->name), code = 0;
    if (!family)
        return see(table, pmu, boxes);
    for (int i = 0; i < table->n && code == 0; i++) {
        int cpu, uncore = is_member(table->pmu[i].name, pmu->name, length)
                              ? pmu_uncore(table, &table->pmu[i], &cpu)
                              : 0;
        code = uncore > 0 ? see(table, &table->pmu[i], boxes) : uncore;
    }
    return code;
}

static int count_boxes(const struct pmu_table *table, struct pmu *pmu, struct pmu_boxes *boxes)
{
    const char *mask;
    int stated = pmu_cpumask(table, pmu, &mask);
    boxes->n += stated > 0 ? cpus_count(mask) : 0;
    return stated < 0 ? -1 : 0;
}

int pmu_boxes(struct pmu_table *table, struct pmu *pmu, bool family, const struct pmu_boxes **boxes)
{
    struct pmu_boxes number = {.n = 0};
    int cpu, uncore = pmu_uncore(table, pmu, &cpu);
    if (uncore <= 0)
        return uncore;
    if (see_instances(table, pmu, family, count_boxes, &number) != 0)
        return -1;
    struct pmu_boxes *fresh = list_of(number.n);
    if (fresh == NULL)
        return -1;
    if (see_instances(table, pmu, family, add_instance, fresh) != 0) {
        pmu_boxes_free(fresh);
        return -1;
    }
    *boxes = keep(table, fresh);
    return fresh->n > 0;
}

void pmu_boxes_free(struct pmu_boxes *boxes)
{
    for (int i = 0; i < boxes->n_masks; i++)
        free(boxes->mask[i].path);
    free(boxes->mask);
    free(boxes);
}

static bool has_instance(const struct pmu_boxes *boxes, uint32_t type)
{
    for (int i = 0; i < boxes->n; i++)
        if (boxes->box[i].type == type)
            return true;
    return false;
}

/* True if one of the boxes is in a package: an instance is counted by a CPU of its own package. */
static bool has_package(const struct pmu_boxes *boxes, int package)
{
    for (int i = 0; i < boxes->n; i++)
        if (boxes->box[i].package == package)
            return true;
    return false;
}

static bool is_wanted(const struct pmu_box *box, const struct pmu_choice *choice)
{
    return (choice->package < 0 || choice->package == box->package) &&
           (choice->instance < 0 || choice->instance == box->instance);
}

static int copy_masks(struct pmu_boxes *to, const struct pmu_boxes *from)
{
    int code = 0;
    for (int i = 0; i < from->n_masks && code == 0; i++)
        code = add_mask(to, strdup(from->mask[i].path), from->mask[i].text);
    return code;
}

int pmu_boxes_choose(struct pmu_table *table, const struct pmu_boxes *all, const struct pmu_choice *choice,
                     const struct pmu_boxes **boxes)
{
    struct pmu_boxes *fresh = list_of(all->n);
    int package = choice->cpu >= 0 ? package_of(table, choice->cpu) : -1;
    bool there = package >= 0 && has_package(all, package);
    if (fresh == NULL)
        return -1;
    for (int i = 0; i < all->n; i++) {
        struct pmu_box box = all->box[i];
        bool elsewhere = there && box.package != package;
        if (choice->cpu >= 0)
            box.cpu = choice->cpu;
        if (is_wanted(&box, choice) && !elsewhere && (choice->cpu < 0 || !has_instance(fresh, box.type)))
            fresh->box[fresh->n++] = box;
    }
    if (choice->cpu < 0 && copy_masks(fresh, all) != 0) {
        pmu_boxes_free(fresh);
        return -1;
    }
    *boxes = keep(table, fresh);
    return fresh->n > 0;
}
