/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Events that are counted at several places: a control group's, on every CPU; those of PMUs outside the
 * cores, of every instance in every package. The kernel counts each place by itself: each has a group of its
 * own here, and the counts are their sums.
 *
 * A sum that lacks a place is wrong and does not look it. A CPU that is switched off takes its counters with
 * it, which its group tells (perf_group.h, the witness of a CPU); one that is switched on later has none,
 * which the kernel's list of CPUs tells, read with each reading (and cpus_off, of one that is off again). Of
 * PMUs outside the cores the kernel moves the counts to another CPU, while there is one. What is missing is
 * PAPI_ECLOST, with what was counted.
 */
#include "components/perf_event/places.h"
#include "base/likely.h"
#include "components/perf_event/holders.h"
#include "components/perf_event/perf_group.h"
#include "hardware/boxes.h"
#include "hardware/cgroups.h"
#include "hardware/cpus.h"
#include "hardware/cpus_off.h"
#include "papi.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct place {
    int cpu, instance; /* of a PMU outside the cores; instances need groups of their own for their number */
    struct counter_group *group;
    /* The number of the counter in this place's group, from 1, that is a part of each counter; 0: it is
     * counted elsewhere. */
    unsigned char part[MAX_COUNTERS];
};

struct places {
    struct counter_group base;
    bool uncore;
    int n;
    struct place *place;
    int cpus_file;        /* the kernel's list of CPUs; -1 until the first event is added */
    char cpus[CPUS_TEXT]; /* what was in it then */
    struct cpus_off off;  /* those that were not in it; of a control group */
    const struct pmu_boxes
        *boxes[MAX_COUNTERS];        /* of PMUs outside the cores; NULL: not the kernel's choice */
    uint64_t count[2][MAX_COUNTERS]; /* of the last stop, and of the one before */
};

static struct places *places_of(const struct counter_group *group)
{
    return (struct places *)group;
}

/* ---- sites */

/* Places where an event is to be counted: the boxes of its PMU or, for a control group, the CPUs that are on.
 */
struct sites {
    int n;
    struct pmu_box *site;
};

static int cpu_sites(const struct places *places, uint32_t type, struct sites *sites)
{
    sites->site = calloc((size_t)cpus_count(places->cpus), sizeof *sites->site);
    for (int cpu = -1; sites->site != NULL && (cpu = cpus_next(places->cpus, cpu + 1)) >= 0;)
        sites->site[sites->n++] = (struct pmu_box){.type = type, .cpu = cpu};
    return sites->site != NULL ? 0 : -1;
}

static bool has_type(const struct sites *sites, uint32_t type)
{
    for (int i = 0; i < sites->n; i++)
        if (sites->site[i].type == type)
            return true;
    return false;
}

/* An event set that is attached to a CPU has one of each instance, there. */
static int box_sites(const struct group_options *options, const struct event_encoding *event,
                     struct sites *sites)
{
    const struct pmu_box one = {.type = event->type, .cpu = event->cpu};
    int n = event->boxes != NULL ? event->boxes->n : 1;
    sites->site = calloc((size_t)n, sizeof *sites->site);
    for (int i = 0; i < n && sites->site != NULL; i++) {
        struct pmu_box box = event->boxes != NULL ? event->boxes->box[i] : one;
        if (options->whole_cpu && has_type(sites, box.type))
            continue;
        box.cpu = options->whole_cpu ? options->cpu : box.cpu;
        sites->site[sites->n++] = box;
    }
    return sites->site != NULL ? 0 : -1;
}

static int find_sites(const struct places *places, const struct event_encoding *event, struct sites *sites,
                      struct reason *why)
{
    *sites = (struct sites){0};
    int found = places->uncore ? box_sites(&places->base.options, event, sites)
                               : cpu_sites(places, event->type, sites);
    return found == 0 ? PAPI_OK : reason_set(why, PAPI_ENOMEM, "out of memory");
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
    cpus_off_forget(&places->off);
}

static int list_cpus(struct places *places, const char *root, struct reason *why)
{
    if (places->cpus_file < 0)
        places->cpus_file = cpus_open(root);
    if (places->cpus_file < 0 || !cpus_read(places->cpus_file, places->cpus))
        return reason_unreadable("the list of CPUs", why);
    if (!places->uncore)
        cpus_off_note(root, places->cpus, &places->off);
    return PAPI_OK;
}

static struct place *find_place(const struct places *places, const struct pmu_box *site)
{
    for (int p = 0; p < places->n; p++)
        if (places->place[p].cpu == site->cpu && places->place[p].instance == site->instance)
            return &places->place[p];
    return NULL;
}

/* Makes room for more places. The array of before is left alone until the new one is in its place, since a
 * handler may read. */
static int make_room(struct places *places, int more, struct reason *why)
{
    struct place *before = places->place, *room = calloc((size_t)(places->n + more), sizeof *room);
    if (room == NULL)
        return reason_set(why, PAPI_ENOMEM, "out of memory");
    if (places->n > 0)
        memcpy(room, before, (size_t)places->n * sizeof *room);
    places->place = room;
    atomic_signal_fence(memory_order_seq_cst);
    free(before);
    return PAPI_OK;
}

static int make_place(struct places *places, const struct pmu_box *site, struct reason *why)
{
    struct group_options options = places->base.options;
    options.whole_cpu = true;
    options.cpu = site->cpu;
    struct counter_group *group = group_create(&options, places->uncore);
    if (group == NULL)
        return reason_set(why, PAPI_ENOMEM, "out of memory");
    places->place[places->n] = (struct place){.cpu = site->cpu, .instance = site->instance, .group = group};
    atomic_signal_fence(memory_order_seq_cst);
    places->n++;
    return PAPI_OK;
}

/* Makes the places that are missing. */
static int make_places(struct places *places, const struct sites *sites, struct reason *why)
{
    int more = 0, code = PAPI_OK;
    for (int i = 0; i < sites->n; i++)
        more += find_place(places, &sites->site[i]) == NULL;
    if (more > 0)
        code = make_room(places, more, why);
    for (int i = 0; i < sites->n && code == PAPI_OK; i++)
        if (find_place(places, &sites->site[i]) == NULL)
            code = make_place(places, &sites->site[i], why);
    return code;
}

/* ---- missing places */

/* Looks for a CPU that was switched on since the places were made. */
static int check_new_cpus(struct places *places, const char *now, struct reason *why)
{
    for (int cpu = -1; (cpu = cpus_next(now, cpu + 1)) >= 0;)
        if (cpus_next(places->cpus, cpu) != cpu)
            return reason_set(why, PAPI_ECLOST,
                              "CPU %d was switched on after the event set was made, and is not counted: what "
                              "is shown is of the others; PAPI_attach_cgroup once more counts it, too",
                              cpu);
    if (cpus_off_were_on(&places->off, places->cpus))
        return reason_set(
            why, PAPI_ECLOST,
            "a CPU that was off when the event set was made was switched on for a while, and was "
            "not counted: what is shown is of the others; PAPI_attach_cgroup once more begins "
            "anew");
    return PAPI_OK;
}

/* Looks if the kernel counts a PMU on as many CPUs as before, which are on: it moves the counts of one that
 * is switched off to another one that has the same counters, while there is one. */
static int check_mask(const struct pmu_mask *chosen, const char *now, struct reason *why)
{
    char mask[CPUS_TEXT];
    int file = open(chosen->path, O_RDONLY | O_CLOEXEC);
    bool known = file >= 0 && cpus_read(file, mask), whole = known && cpus_count(mask) == chosen->n_cpus;
    if (file >= 0)
        close(file);
    for (int cpu = -1; whole && (cpu = cpus_next(mask, cpu + 1)) >= 0;)
        whole = cpus_next(now, cpu) == cpu;
    if (whole)
        return PAPI_OK;
    return reason_set(
        why, PAPI_ECLOST,
        "the kernel counted on %d CPUs when the event set was made (%s), and now on %s: all CPUs of a "
        "package were switched off, or one of another was switched on; what is shown may lack "
        "them; PAPI_shutdown, and begin anew",
        chosen->n_cpus, chosen->path, known ? mask : "none");
}

/* Looks if the places are still those where the events are counted. PAPI_ECLOST. Async-signal-safe. */
static int check_places(struct places *places, struct reason *why)
{
    char now[CPUS_TEXT];
    int code = PAPI_OK;
    if (!cpus_read(places->cpus_file, now))
        return reason_unreadable("the list of CPUs", why);
    if (!places->uncore)
        return check_new_cpus(places, now, why);
    if (likely(strcmp(now, places->cpus) == 0))
        return PAPI_OK;
    for (int i = 0; i < places->base.n_counters && code == PAPI_OK; i++)
        for (int k = 0; places->boxes[i] != NULL && k < places->boxes[i]->n_masks && code == PAPI_OK; k++)
            code = check_mask(&places->boxes[i]->mask[k], now, why);
    return code;
}

/* ---- counts */

static void add_parts(const struct places *places, int p, const uint64_t *count, uint64_t *sum)
{
    for (int i = 0; i < places->base.n_counters; i++)
        if (places->place[p].part[i] != 0)
            sum[i] += count[places->place[p].part[i] - 1];
}

/* Adds up what all places show. Of a place that was lost that is what it had counted: PAPI_ECLOST. */
static int sum_readings(struct places *places, uint64_t *sum, struct reason *why)
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
    return lost ?: check_places(places, why);
}

static int read_places(struct counter_group *base, const uint64_t *from, uint64_t *value, struct reason *why)
{
    uint64_t sum[MAX_COUNTERS], origin[MAX_COUNTERS];
    group_take_base(from, base->n_counters, origin);
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
    return first ?: check_places(places, why);
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
    int code = check_places(places, why);
    for (int p = 0; p < places->n && code == PAPI_OK; p++)
        if (places->place[p].group->n_counters > 0)
            code = places->place[p].group->ops->start(places->place[p].group, why);
    if (code != PAPI_OK)
        stop(base, NULL);
    return code;
}

/* Adds an event to the group of a place. That the cores there are of another kind than the event's is no
 * error. */
static int add_at(struct places *places, const char *root, const struct pmu_box *site,
                  const struct event_encoding *event, int counter, struct reason *why)
{
    struct place *place = find_place(places, site);
    struct event_encoding here = *event;
    here.type = site->type;
    here.cpu = site->cpu;
    int code = place->group->ops->add(place->group, root, &here, 0, why);
    place->part[counter] = (unsigned char)(code == PAPI_OK ? place->group->n_counters : 0);
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

/* Adds an event at all its sites, or at none. */
static int add_everywhere(struct places *places, const char *root, const struct event_encoding *event,
                          int counter, struct reason *why)
{
    struct sites sites;
    int code = find_sites(places, event, &sites, why) ?: make_places(places, &sites, why);
    for (int p = 0; p < places->n; p++)
        places->place[p].part[counter] = 0;
    for (int i = 0; i < sites.n && code == PAPI_OK; i++)
        code = add_at(places, root, &sites.site[i], event, counter, why);
    free(sites.site);
    if (code == PAPI_OK && !counted_somewhere(places, counter))
        code = PAPI_ENOEVNT; /* with the reason of the last place */
    if (code != PAPI_OK)
        take_back(places, counter);
    return code;
}

static int add(struct counter_group *base, const char *root, const struct event_encoding *event,
               uint64_t period, struct reason *why)
{
    struct places *places = places_of(base);
    int n = base->n_counters, code = PAPI_OK;
    if (period != 0)
        return reason_set(
            why, PAPI_ENOSUPP,
            "overflows are delivered to the thread that counts: not from an event set of whole CPUs");
    if (n == 0)
        code = list_cpus(places, root, why);
    code = code ?: add_everywhere(places, root, event, n, why);
    if (code == PAPI_OK) {
        places->boxes[n] = event->boxes != NULL && !base->options.whole_cpu ? event->boxes : NULL;
        places->count[0][n] = places->count[1][n] = 0;
        base->n_counters = n + 1;
    }
    note_stopped(places); /* all counted while the groups were tried */
    if (code != PAPI_OK && n == 0)
        close_places(places);
    return code;
}

static int obtainable(struct counter_group *base, const char *root)
{
    struct places *places = places_of(base);
    int code = PAPI_OK;
    for (int p = 0; p < places->n && code == PAPI_OK; p++)
        code = group_obtainable(places->place[p].group, root);
    return code;
}

static void renew(struct counter_group *base, const uint64_t *least)
{
    struct places *places = places_of(base);
    (void)least; /* of the sum */
    for (int p = 0; p < places->n; p++)
        places->place[p].group->ops->renew(places->place[p].group, NULL);
}

/* The times of each place's own counters, to those that they are a part of. */
static int times(struct counter_group *base, bool stopped, struct counted_time *time, struct reason *why)
{
    struct places *places = places_of(base);
    int code = PAPI_OK;
    for (int p = 0; p < places->n && code == PAPI_OK; p++) {
        struct counted_time own[MAX_COUNTERS] = {{0, 0}};
        code = places->place[p].group->ops->times(places->place[p].group, stopped, own, why);
        for (int i = 0; i < base->n_counters && code == PAPI_OK; i++) {
            int part = places->place[p].part[i];
            time[i].wanted += part != 0 ? own[part - 1].wanted : 0;
            time[i].counted += part != 0 ? own[part - 1].counted : 0;
        }
    }
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
    cpus_off_forget(&places->off);
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
                                            .target_ended = target_ended,
                                            .renew = renew,
                                            .times = times,
                                            .obtainable = obtainable,
                                            .held = holders_reason};

struct counter_group *places_create(const struct group_options *options, bool uncore)
{
    struct places *places = calloc(1, sizeof *places);
    if (places == NULL)
        return NULL;
    places->uncore = uncore;
    places->base.ops = &operations;
    places->base.options = *options;
    places->base.read = read_places;
    places->base.accum = accum_takes_a_read;
    places->base.stopped = places->count[0];
    places->cpus_file = places->off.events = places->off.work = -1;
    return &places->base;
}
