/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Events that are counted at several places: a control group's, on every CPU. The kernel counts each place by
 * itself: each has a group of its own here, and the counts are their sums.
 *
 * A sum that lacks a place is wrong and does not look it. A CPU that is switched off takes its counters with
 * it, which its group tells (perf_group.h, the witness of a CPU); one that is switched on later has none,
 * which the kernel's list of CPUs tells, read with each reading. Both are PAPI_ECLOST, with what was counted.
 */
#include "components/perf_event/places.h"
#include "base/likely.h"
#include "components/perf_event/perf_group.h"
#include "hardware/cgroups.h"
#include "hardware/cpus.h"
#include "papi.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct place {
    struct counter_group *group;
    /* The number of the counter in this place's group, from 1, that is a part of each counter; 0: cores of
     * another kind count that one. */
    unsigned char part[MAX_COUNTERS];
};

struct places {
    struct counter_group base;
    int n;
    struct place *place;
    int cpus_file;                   /* the kernel's list of CPUs; -1 until the first event is added */
    char cpus[CPUS_TEXT];            /* what was in it then */
    uint64_t count[2][MAX_COUNTERS]; /* of the last stop, and of the one before */
};

static struct places *places_of(const struct counter_group *group)
{
    return (struct places *)group;
}

/* ---- places */

static void close_places(struct places *places)
{
    int n = places->n;
    places->n = 0; /* a handler may read meanwhile */
    atomic_signal_fence(memory_order_seq_cst);
    for (int i = 0; i < n; i++)
        places->place[i].group->ops->destroy(places->place[i].group);
    free(places->place);
    places->place = NULL;
    if (places->cpus_file >= 0)
        close(places->cpus_file);
    places->cpus_file = -1;
}

static int make_place(struct places *places, int cpu, struct reason *why)
{
    struct group_options options = places->base.options;
    options.cpu = cpu;
    struct counter_group *group = group_create(&options, false);
    if (group == NULL)
        return reason_set(why, PAPI_ENOMEM, "out of memory");
    places->place[places->n].group = group;
    atomic_signal_fence(memory_order_seq_cst);
    places->n++;
    return PAPI_OK;
}

/* Makes a place of each CPU that is on. */
static int make_places(struct places *places, const char *root, struct reason *why)
{
    places->cpus_file = cpus_open(root);
    if (places->cpus_file < 0 || !cpus_read(places->cpus_file, places->cpus))
        return reason_unreadable("the list of CPUs", why);
    places->place = calloc((size_t)cpus_count(places->cpus), sizeof *places->place);
    int code = places->place != NULL ? PAPI_OK : reason_set(why, PAPI_ENOMEM, "out of memory");
    for (int cpu = -1; code == PAPI_OK && (cpu = cpus_next(places->cpus, cpu + 1)) >= 0;)
        code = make_place(places, cpu, why);
    return code;
}

/* ---- missing places */

/* Looks for a CPU that was switched on since the places were made. PAPI_ECLOST. */
static int check_new_cpus(const struct places *places, struct reason *why)
{
    char now[CPUS_TEXT];
    if (!cpus_read(places->cpus_file, now))
        return reason_unreadable("the list of CPUs", why);
    if (likely(strcmp(now, places->cpus) == 0))
        return PAPI_OK;
    for (int cpu = -1; (cpu = cpus_next(now, cpu + 1)) >= 0;)
        if (cpus_next(places->cpus, cpu) != cpu)
            return reason_set(why, PAPI_ECLOST,
                              "CPU %d was switched on after the event set was made, and is not counted: what "
                              "is shown is of the others; PAPI_attach_cgroup once more counts it, too",
                              cpu);
    return PAPI_OK;
}

/* ---- counts */

static void add_parts(const struct places *places, int p, const uint64_t *count, uint64_t *sum)
{
    for (int i = 0; i < places->base.n_counters; i++)
        if (places->place[p].part[i] != 0)
            sum[i] += count[places->place[p].part[i] - 1];
}

/* Adds up what all places show. Of a place that was lost that is what it had counted: PAPI_ECLOST. */
static int sum_readings(const struct places *places, uint64_t *sum, struct reason *why)
{
    static const uint64_t zero[MAX_COUNTERS];
    uint64_t count[MAX_COUNTERS];
    int lost = PAPI_OK;
    memset(sum, 0, (size_t)places->base.n_counters * sizeof *sum);
    for (int p = 0; p < places->n; p++) {
        struct counter_group *group = places->place[p].group;
        int code =
            group->n_counters > 0 ? group->read(group, zero, count, lost == PAPI_OK ? why : NULL) : PAPI_OK;
        if (code != PAPI_OK && code != PAPI_ECLOST)
            return code;
        lost = lost ?: code;
        if (group->n_counters > 0)
            add_parts(places, p, count, sum);
    }
    return lost ?: check_new_cpus(places, why);
}

/* A signal's handler may move the base while the counters are read: it is taken before, and twice alike. */
static int read_places(struct counter_group *base, const uint64_t *from, uint64_t *value, struct reason *why)
{
    uint64_t sum[MAX_COUNTERS], origin[MAX_COUNTERS];
    size_t size = (size_t)base->n_counters * sizeof *origin;
    do {
        memcpy(origin, from, size);
        atomic_signal_fence(memory_order_seq_cst);
    } while (unlikely(memcmp(origin, from, size) != 0));
    atomic_signal_fence(memory_order_seq_cst);
    int code = sum_readings(places_of(base), sum, why);
    for (int i = 0; i < base->n_counters && (code == PAPI_OK || code == PAPI_ECLOST); i++)
        value[i] = sum[i] - origin[i];
    return code;
}

static void note_stopped(struct places *places)
{
    uint64_t *spare = places->base.stopped == places->count[0] ? places->count[1] : places->count[0];
    memset(spare, 0, sizeof places->count[0]);
    for (int p = 0; p < places->n; p++)
        add_parts(places, p, places->place[p].group->stopped, spare);
    places->base.stopped = spare;
}

/* ---- the group's functions */

static int stop(struct counter_group *base, struct reason *why)
{
    struct places *places = places_of(base);
    int first = PAPI_OK;
    for (int p = 0; p < places->n; p++) {
        struct counter_group *group = places->place[p].group;
        int code = group->n_counters > 0 ? group->ops->stop(group, first == PAPI_OK ? why : NULL) : PAPI_OK;
        if (code != PAPI_OK && (first == PAPI_OK || first == PAPI_ECLOST))
            first = code;
    }
    note_stopped(places);
    return first ?: check_new_cpus(places, why);
}

static bool target_ended(const struct counter_group *base, const char *root)
{
    (void)root;
    return base->options.cgroup != 0 && !cgroup_exists(base->options.cgroup);
}

static int start(struct counter_group *base, struct reason *why)
{
    struct places *places = places_of(base);
    if (target_ended(base, ""))
        return reason_set(why, PAPI_ECLOST,
                          "the control group to which the event set is attached was removed; PAPI_detach, or "
                          "attach the set to another");
    int code = check_new_cpus(places, why);
    for (int p = 0; p < places->n && code == PAPI_OK; p++)
        if (places->place[p].group->n_counters > 0)
            code = places->place[p].group->ops->start(places->place[p].group, why);
    if (code != PAPI_OK)
        stop(base, NULL);
    return code;
}

/* Adds an event to the group of a place. That the cores there are of another kind than the event's is no
 * error. */
static int add_at(struct place *place, const char *root, const struct event_encoding *event, int counter,
                  struct reason *why)
{
    struct counter_group *group = place->group;
    int code = group->ops->add(group, root, event, 0, why);
    place->part[counter] = (unsigned char)(code == PAPI_OK ? group->n_counters : 0);
    return code == PAPI_ENOEVNT && event->some_cores ? PAPI_OK : code;
}

static bool counted_somewhere(const struct places *places, int counter)
{
    for (int p = 0; p < places->n; p++)
        if (places->place[p].part[counter] != 0)
            return true;
    return false;
}

static void take_back(struct places *places, int counter)
{
    for (int p = 0; p < places->n; p++)
        if (places->place[p].part[counter] != 0)
            group_drop_last(places->place[p].group);
}

static int add(struct counter_group *base, const char *root, const struct event_encoding *event,
               uint64_t period, struct reason *why)
{
    struct places *places = places_of(base);
    int n = base->n_counters, code = PAPI_OK;
    if (period != 0)
        return reason_set(why, PAPI_ENOSUPP,
                          "overflows are delivered to the thread that counts: not from an event set that is "
                          "attached to a control group");
    if (places->cpus_file < 0)
        code = make_places(places, root, why);
    for (int p = 0; p < places->n; p++)
        places->place[p].part[n] = 0;
    for (int p = 0; p < places->n && code == PAPI_OK; p++)
        code = add_at(&places->place[p], root, event, n, why);
    if (code == PAPI_OK && !counted_somewhere(places, n))
        code = PAPI_ENOEVNT; /* with the reason of the last place */
    if (code == PAPI_OK) {
        places->count[0][n] = places->count[1][n] = 0;
        base->n_counters = n + 1;
    } else {
        take_back(places, n);
    }
    note_stopped(places); /* all counted while the groups were tried */
    if (code != PAPI_OK && n == 0)
        close_places(places);
    return code;
}

static void silence(const struct counter_group *base)
{
    const struct places *places = places_of(base);
    for (int p = 0; p < places->n; p++)
        places->place[p].group->ops->silence(places->place[p].group);
}

static void abandon(struct counter_group *base)
{
    struct places *places = places_of(base);
    for (int p = 0; p < places->n; p++)
        places->place[p].group->ops->abandon(places->place[p].group);
    if (places->cpus_file >= 0)
        close(places->cpus_file);
    places->cpus_file = -1;
}

static void destroy(struct counter_group *base)
{
    if (base == NULL)
        return;
    close_places(places_of(base));
    free(base);
}

static const struct group_ops operations = {.add = add,
                                            .start = start,
                                            .stop = stop,
                                            .silence = silence,
                                            .destroy = destroy,
                                            .abandon = abandon,
                                            .target_ended = target_ended};

struct counter_group *places_create(const struct group_options *options)
{
    struct places *places = calloc(1, sizeof *places);
    if (places == NULL)
        return NULL;
    places->base.ops = &operations;
    places->base.options = *options;
    places->base.read = read_places;
    places->base.accum = accum_takes_a_read;
    places->base.stopped = places->count[0];
    places->cpus_file = -1;
    return &places->base;
}
