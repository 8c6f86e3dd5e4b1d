/* SPDX-License-Identifier: BSD-3-Clause */
#include "result.h"

#include "base/seconds.h"
#include "names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double nanosecond = 1e-9;

static double seconds(const _Atomic uint64_t *of)
{
    return (double)figure(of) * nanosecond;
}

double result_useful_of(const struct slot *slot)
{
    double useful = seconds(&slot->work) - seconds(&slot->locks);
    return useful > 0 ? useful : 0;
}

const char *result_time(char text[TIME_TEXT], double seconds)
{
    if (seconds >= 1)
        snprintf(text, TIME_TEXT, "%.3f s", seconds);
    else if (seconds >= 1e-3)
        snprintf(text, TIME_TEXT, "%.2f ms", seconds * 1e3);
    else
        snprintf(text, TIME_TEXT, "%.1f us", seconds * 1e6);
    return text;
}

const char *wait_kind(enum place_kind kind)
{
    return kind == PLACE_BARRIER ? "barrier" : kind == PLACE_TASKS ? "tasks" : "lock";
}

/* ---- a region's threads */

struct sums {
    double work, most;
    int number; /* that has most */
    int n;
    int64_t count[MOST_COUNTS], most_count[MOST_COUNTS];
    bool uncounted;
};

static void add_slot(struct sums *sums, int number, const struct slot *slot)
{
    double useful = result_useful_of(slot);
    sums->n++;
    sums->work += useful;
    sums->uncounted |= figure(&slot->uncounted) > 0;
    if (useful > sums->most) {
        sums->most = useful;
        sums->number = number;
    }
    for (int i = 0; i < openmp.plan.n; i++) {
        int64_t count = atomic_load(&slot->count[i]);
        sums->count[i] += count;
        if (count > sums->most_count[i])
            sums->most_count[i] = count;
    }
}

static void add_slots(struct result_region *region, struct sums *sums)
{
    for (int number = 0; number < MOST_NUMBERS; number++) {
        const struct slot *slot = place_slot_there(region->place, number);
        if (slot == NULL || figure(&slot->calls) == 0)
            continue;
        add_slot(sums, number, slot);
        region->rows = number + 1;
        region->barriers += seconds(&slot->barriers);
        region->locks += seconds(&slot->locks);
        region->measuring += seconds(&slot->prepared);
    }
}

static double ratio(double part, double whole)
{
    return whole > 0 ? part / whole : -1;
}

/* Makes the balance of the executions together and one by one. With locks, the work of each execution has the
 * waiting for them in it, for all threads alike, so that its balance is that of the time until the last
 * barrier. */
static void balance(struct result_region *region, const struct sums *sums)
{
    double work = sums->work + region->locks, mean = sums->n > 0 ? sums->work / sums->n : 0;
    region->balance = ratio(work, seconds(&region->place->longest));
    region->balance_of_sums = ratio(mean, sums->most);
    region->most = sums->number;
    region->most_ratio = mean > 0 ? sums->most / mean : 1;
    for (int i = 0; i < openmp.plan.n; i++)
        region->count_balance[i] =
            sums->n > 0 ? ratio((double)sums->count[i] / sums->n, (double)sums->most_count[i]) : -1;
    if (region->balance > 1) /* what a thread did before its team was known to have ended */
        region->balance = 1;
}

static void make_region(struct result_region *region, const struct place *place,
                        const struct result_name *name)
{
    struct sums sums = {0};
    *region = (struct result_region){.place = place,
                                     .name = *name,
                                     .calls = figure(&place->calls),
                                     .nested = figure(&place->nested),
                                     .alone = figure(&place->alone),
                                     .threads = atomic_load(&place->threads),
                                     .seconds = seconds(&place->elapsed),
                                     .capacity = seconds(&place->capacity)};
    add_slots(region, &sums);
    region->known = atomic_load(&place->tasks) == 0;
    region->useful = sums.work < region->capacity ? sums.work : region->capacity;
    region->end = seconds(&place->uneven);
    region->overhead = region->capacity - region->useful - region->barriers - region->locks -
                       region->measuring - region->end;
    if (region->overhead < 0)
        region->overhead = 0;
    region->counted =
        region->known && openmp.plan.n > 0 && !sums.uncounted && counts_are_whole(&openmp.plan);
    memcpy(region->count, sums.count, sizeof region->count);
    balance(region, &sums);
}

/* ---- all of them */

static int by_loss(const void *a, const void *b)
{
    const struct result_region *x = a, *y = b;
    double more = (y->capacity - y->useful) - (x->capacity - x->useful);
    return (more > 0) - (more < 0);
}

static int by_time(const void *a, const void *b)
{
    const struct result_wait *x = a, *y = b;
    return (y->seconds > x->seconds) - (y->seconds < x->seconds);
}

/* Where threads may run tasks unseen, only the waiting for locks is known. */
static bool is_known_wait(const struct place *place)
{
    return place->kind != PLACE_REGION && figure(&place->waits) > 0 &&
           (place->kind == PLACE_LOCK || atomic_load(&place->region->tasks) == 0);
}

/* A place and its name. */
struct named {
    struct place *place;
    struct result_name name;
    bool merged;
};

static int list(struct named *named, struct names *names)
{
    int n = 0;
    for (size_t i = 0; i < sizeof openmp.places.table / sizeof *openmp.places.table; i++) {
        struct place *place = atomic_load(&openmp.places.table[i]);
        if (place == NULL)
            continue;
        named[n] = (struct named){.place = place};
        names_find(names, place->code, &named[n++].name);
    }
    return n;
}

static bool same_line(const struct result_name *a, const struct result_name *b)
{
    return a->line > 0 && a->line == b->line && strcmp(a->file, b->file) == 0 &&
           strcmp(a->routine, b->routine) == 0;
}

/* One place of the source is one, although a compiler may have made several of it.
 *   regions  of these; else of the places at which threads wait */
static void merge_lines(struct named *named, int n, bool regions)
{
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n && !named[i].merged; j++) {
            struct named *a = &named[i], *b = &named[j];
            if (b->merged || (a->place->kind == PLACE_REGION) != regions ||
                a->place->kind != b->place->kind || a->place->region != b->place->region ||
                !same_line(&a->name, &b->name))
                continue;
            place_merge(a->place, b->place);
            b->merged = true;
            for (int w = 0; w < n; w++)
                if (named[w].place->region == b->place)
                    named[w].place->region = a->place;
        }
}

static void make_wait(struct result *result, const struct named *named, const struct named *all, int n)
{
    const struct place *place = named->place;
    struct result_wait *wait = &result->wait[result->n_waits++];
    *wait = (struct result_wait){.place = place,
                                 .name = named->name,
                                 .seconds = seconds(&place->waited),
                                 .most = seconds(&place->most)};
    for (int i = 0; i < n; i++)
        if (all[i].place == place->region)
            wait->region = all[i].name;
}

static void make_places(struct result *result, struct named *named, int n)
{
    merge_lines(named, n, true);
    merge_lines(named, n, false);
    for (int i = 0; i < n; i++) {
        const struct place *place = named[i].place;
        if (named[i].merged)
            continue;
        if (place->kind == PLACE_REGION && figure(&place->calls) > 0)
            make_region(&result->region[result->n_regions++], place, &named[i].name);
        else if (is_known_wait(place))
            make_wait(result, &named[i], named, n);
    }
    if (result->n_regions > 0)
        qsort(result->region, (size_t)result->n_regions, sizeof *result->region, by_loss);
    if (result->n_waits > 0)
        qsort(result->wait, (size_t)result->n_waits, sizeof *result->wait, by_time);
}

/* In a region inside of others the thread that begins it, number 0, is in the outer one's figures. Where both
 * happens, the executions cannot be told apart. */
static void add_to_sums(struct result_region *region)
{
    const struct slot *first = place_slot_there(region->place, 0);
    bool inside = region->nested > 0;
    if (!region->known || (inside && region->nested < region->calls))
        return;
    region->sum_capacity = region->capacity - region->measuring - (inside ? region->seconds : 0);
    region->sum_useful = region->useful - (inside && first != NULL ? result_useful_of(first) : 0);
    if (region->sum_useful > region->sum_capacity)
        region->sum_useful = region->sum_capacity;
}

static void sum(struct result *result)
{
    for (int i = 0; i < result->n_regions; i++) {
        const struct result_region *region = &result->region[i];
        if (region->threads > result->threads)
            result->threads = region->threads;
        add_to_sums(&result->region[i]);
        result->capacity += region->sum_capacity;
        result->useful += region->sum_useful;
    }
    result->sampling = (double)(figure(&openmp.samples) * figure(&openmp.sample)) * nanosecond;
    result->seconds =
        (double)(nsec_of(CLOCK_MONOTONIC) - openmp.begin) * nanosecond - seconds(&openmp.outside);
    result->parallel = atomic_load(&openmp.other_masters) ? -1 : seconds(&openmp.outermost);
}

int result_event(const char *name)
{
    for (int i = 0; i < openmp.plan.n; i++)
        if (strcmp(openmp.plan.event[i].name, name) == 0)
            return i;
    return -1;
}

bool result_make(struct result *result, struct names *names)
{
    size_t n = (size_t)atomic_load(&openmp.places.n);
    struct named *named = calloc(n, sizeof *named);
    *result =
        (struct result){.region = calloc(n, sizeof *result->region), .wait = calloc(n, sizeof *result->wait)};
    if (result->region == NULL || result->wait == NULL || named == NULL) {
        free(named);
        result_free(result);
        return false;
    }
    make_places(result, named, list(named, names));
    free(named);
    sum(result);
    result->instructions = result_event("PAPI_TOT_INS");
    result->cycles = result_event("PAPI_TOT_CYC");
    return true;
}

void result_free(struct result *result)
{
    free(result->region);
    free(result->wait);
    *result = (struct result){0};
}
