/* SPDX-License-Identifier: BSD-3-Clause */
#include "job/block.h"

#include <stdlib.h>
#include <string.h>

enum { PLACES = MAX_REGIONS - 1 };

static int compare(const void *a, const void *b)
{
    return strncmp(a, b, REGION_NAME);
}

static int regions_in(const struct rank_record *record)
{
    int n = record->n_regions;
    return n < 0 ? 0 : n > MAX_REGIONS ? MAX_REGIONS : n;
}

/* Bytes behind the end of the text are zero: equal names are equal bytes. */
static void copy_name(char to[REGION_NAME], const char from[REGION_NAME])
{
    memset(to, 0, REGION_NAME);
    memcpy(to, from, strnlen(from, REGION_NAME - 1));
}

void region_names_of(struct region_names *names, const struct rank_record *record)
{
    memset(names, 0, sizeof *names);
    for (int i = 0; i < regions_in(record); i++) {
        if (strncmp(record->region_name[i], OTHER_REGIONS, REGION_NAME) == 0 || names->n == PLACES)
            names->others = 1;
        else
            copy_name(names->name[names->n++], record->region_name[i]);
    }
    qsort(names->name, (size_t)names->n, REGION_NAME, compare);
}

/* The first names of the union of two sorted lists. */
void region_names_merge(struct region_names *into, const struct region_names *from)
{
    struct region_names merged = {.others = into->others | from->others};
    int i = 0, j = 0;
    while ((i < into->n || j < from->n) && merged.n < PLACES) {
        int order = i == into->n ? 1 : j == from->n ? -1 : compare(into->name[i], from->name[j]);
        memcpy(merged.name[merged.n++], order <= 0 ? into->name[i] : from->name[j], REGION_NAME);
        i += order <= 0;
        j += order >= 0;
    }
    if (i < into->n || j < from->n)
        merged.others = 1;
    *into = merged;
}

static void take_counters(struct block_names *names, const struct rank_record *first)
{
    int n = first->n_counters;
    names->n_counters = n < 0 ? 0 : n > MAX_COUNTERS ? MAX_COUNTERS : n;
    names->counters_inside = first->counters_inside != 0;
    for (int i = 0; i < names->n_counters; i++) {
        memcpy(names->counter_name[i], first->counter_name[i], COUNTER_NAME - 1);
        memcpy(names->counter_units[i], first->counter_units[i], sizeof names->counter_units[i] - 1);
    }
}

void block_names_make(struct block_names *names, const struct rank_record *first,
                      const struct region_names *regions)
{
    memset(names, 0, sizeof *names);
    if (first != NULL)
        take_counters(names, first);
    names->n_regions = regions->n;
    memcpy(names->region_name, regions->name, sizeof regions->name);
    if (regions->others)
        memcpy(names->region_name[names->n_regions++], OTHER_REGIONS, sizeof OTHER_REGIONS);
}
