/* SPDX-License-Identifier: BSD-3-Clause */
#include "open_regions.h"

#include "papi.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct open_region {
    struct open_region *outer; /* that began before */
    enum open_region_kind kind;
    char name[];
};

/* A thread that ends with regions open leaves them: nobody else knows of them. */
static _Thread_local struct open_region *last;

/* The child of a fork has none of its parent's regions open: libpapi begins anew there. */
static void leave_all(void)
{
    last = NULL;
}

static __attribute__((constructor)) void see_forks(void)
{
    pthread_atfork(NULL, NULL, leave_all);
}

struct open_region *open_region_begin(const char *name, enum open_region_kind kind)
{
    size_t size = strlen(name) + 1;
    struct open_region *region = malloc(sizeof *region + size);
    if (region == NULL)
        return NULL;
    memcpy(region->name, name, size);
    /* A region whose counters fail is open in libpapi all the same: only one without a name is not. */
    PAPI_hl_region_begin(region->name);
    region->kind = kind;
    region->outer = last;
    last = region;
    return region;
}

/* Ends the open regions down to this one. */
static bool end_down_to(const struct open_region *region)
{
    bool ended = true;
    for (const struct open_region *inner = last; inner != region; inner = inner->outer)
        ended &= PAPI_hl_region_end(inner->name) == PAPI_OK;
    return (PAPI_hl_region_end(region->name) == PAPI_OK) & ended;
}

/* Begins the regions inside of this one again, the outer ones first. */
static bool begin_again(const struct open_region *inner, const struct open_region *region)
{
    if (inner == region)
        return true;
    bool begun = begin_again(inner->outer, region);
    return (PAPI_hl_region_begin(inner->name) == PAPI_OK) & begun;
}

bool open_region_is_here(const struct open_region *region)
{
    const struct open_region *one = last;
    while (one != NULL && one != region)
        one = one->outer;
    return one != NULL;
}

bool open_region_end(struct open_region *region)
{
    if (!open_region_is_here(region))
        return false;
    bool done = end_down_to(region);
    done &= begin_again(last, region);
    struct open_region **place = &last;
    while (*place != region)
        place = &(*place)->outer;
    *place = region->outer;
    free(region);
    return done;
}

struct open_region *open_region_last(enum open_region_kind kind)
{
    struct open_region *region = last;
    while (region != NULL && region->kind != kind)
        region = region->outer;
    return region;
}
