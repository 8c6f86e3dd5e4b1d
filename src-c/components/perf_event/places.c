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
#include "components/perf_event/sum_group.h"
#include "hardware/boxes.h"
#include "hardware/cgroups.h"
#include "hardware/cpus.h"
#include "hardware/cpus_off.h"
#include "papi.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct place {
    struct member member;
    int cpu, instance; /* of a PMU outside the cores; instances need groups of their own for their number */
    unsigned char part[MAX_COUNTERS]; /* the member's */
};

struct places {
    struct sum_group sum; /* its members are places */
    bool uncore;
    int cpus_file;        /* the kernel's list of CPUs; -1 until the first event is added */
    char cpus[CPUS_TEXT]; /* what was in it then */
    struct cpus_off off;  /* those that were not in it; of a control group */
    const struct pmu_boxes
        *boxes[MAX_COUNTERS]; /* of PMUs outside the cores; NULL: not the kernel's choice */
};

static struct places *places_of(const struct counter_group *group)
{
    return (struct places *)group;
}

static struct place *place_of(const struct places *places, int p)
{
    return (struct place *)places->sum.members.member[p];
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
    int found = places->uncore ? box_sites(&places->sum.base.options, event, sites)
                               : cpu_sites(places, event->type, sites);
    return found == 0 ? PAPI_OK : reason_set(why, PAPI_ENOMEM, "out of memory");
}

/* ---- places */

/* Async-signal-safe. */
static void forget_cpus(struct places *places)
{
    if (places->cpus_file >= 0)
        close(places->cpus_file);
    places->cpus_file = -1;
    cpus_off_forget(&places->off);
}

static void close_places(struct places *places)
{
    members_close(&places->sum.members);
    forget_cpus(places);
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
    for (int p = 0; p < places->sum.members.n; p++)
        if (place_of(places, p)->cpu == site->cpu && place_of(places, p)->instance == site->instance)
            return place_of(places, p);
    return NULL;
}

static int make_place(struct places *places, const struct pmu_box *site, struct reason *why)
{
    struct group_options options = places->sum.base.options;
    options.summed = sum_estimates(&options);
    options.whole_cpu = true;
    options.cpu = site->cpu;
    struct counter_group *group = group_create(&options, places->uncore);
    struct place *place =
        group != NULL ? (struct place *)members_append(&places->sum.members, sizeof *place, group) : NULL;
    if (place == NULL)
        return reason_set(why, PAPI_ENOMEM, "out of memory");
    place->member.part = place->part;
    place->cpu = site->cpu;
    place->instance = site->instance;
    return PAPI_OK;
}

/* Makes the places that are missing. */
static int make_places(struct places *places, const struct sites *sites, struct reason *why)
{
    int code = PAPI_OK;
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
static int check_places(struct sum_group *sum, struct reason *why)
{
    struct places *places = (struct places *)sum;
    char now[CPUS_TEXT];
    int code = PAPI_OK;
    if (!cpus_read(places->cpus_file, now))
        return reason_unreadable("the list of CPUs", why);
    if (!places->uncore)
        return check_new_cpus(places, now, why);
    if (likely(strcmp(now, places->cpus) == 0))
        return PAPI_OK;
    for (int i = 0; i < sum->base.n_counters && code == PAPI_OK; i++)
        for (int k = 0; places->boxes[i] != NULL && k < places->boxes[i]->n_masks && code == PAPI_OK; k++)
            code = check_mask(&places->boxes[i]->mask[k], now, why);
    return code;
}

/* ---- the group's functions */

static bool target_ended(const struct counter_group *base, const char *root)
{
    (void)root;
    return base->options.cgroup != 0 && !cgroup_exists(base->options.cgroup);
}

static int start(struct counter_group *base, struct reason *why)
{
    if (target_ended(base, ""))
        return reason_set(why, PAPI_ECLOST,
                          "the control group to which the event set is attached was removed; PAPI_detach, or "
                          "attach the set to another");
    return check_places(&places_of(base)->sum, why) ?: sum_start(base, why);
}

/* Adds an event to the group of a place. That the cores there are of another kind than the event's is no
 * error. */
static int add_at(struct places *places, const char *root, const struct pmu_box *site,
                  const struct event_encoding *event, int counter, struct reason *why)
{
    struct place *place = find_place(places, site);
    struct counter_group *group = place->member.group;
    struct event_encoding here = *event;
    here.type = site->type;
    here.cpu = site->cpu;
    int code = group->ops->add(group, root, &here, 0, why);
    place->part[counter] = (unsigned char)(code == PAPI_OK ? group->n_counters : 0);
    return code == PAPI_ENOEVNT && event->some_cores ? PAPI_OK : code;
}

static bool counted_somewhere(const struct places *places, int counter)
{
    for (int p = 0; p < places->sum.members.n; p++)
        if (place_of(places, p)->part[counter] != 0)
            return true;
    return false;
}

static void take_back(struct places *places, int counter)
{
    for (int p = 0; p < places->sum.members.n; p++)
        if (place_of(places, p)->part[counter] != 0)
            group_drop_last(place_of(places, p)->member.group);
}

/* Adds an event at all its sites, or at none. */
static int add_everywhere(struct places *places, const char *root, const struct event_encoding *event,
                          int counter, struct reason *why)
{
    struct sites sites;
    int code = find_sites(places, event, &sites, why) ?: make_places(places, &sites, why);
    for (int p = 0; p < places->sum.members.n; p++)
        place_of(places, p)->part[counter] = 0;
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
    if (code != PAPI_OK) {
        sum_settle(&places->sum); /* all counted while the groups were tried */
        if (n == 0)
            close_places(places);
        return code;
    }
    places->boxes[n] = event->boxes != NULL && !base->options.whole_cpu ? event->boxes : NULL;
    sum_begin_counter(&places->sum);
    return PAPI_OK;
}

static void abandon(struct counter_group *base)
{
    sum_abandon(base);
    forget_cpus(places_of(base));
}

static void destroy(struct counter_group *base)
{
    close_places(places_of(base));
    free(base);
}

static const struct group_ops operations = {.add = add,
                                            .start = start,
                                            .stop = sum_stop,
                                            .silence = sum_silence,
                                            .destroy = destroy,
                                            .abandon = abandon,
                                            .target_ended = target_ended,
                                            .renew = sum_renew,
                                            .times = sum_times,
                                            .obtainable = sum_obtainable,
                                            .held = holders_reason};

struct counter_group *places_create(const struct group_options *options, bool uncore)
{
    struct places *places = sum_create(sizeof *places, options, &operations, check_places);
    if (places == NULL)
        return NULL;
    places->uncore = uncore;
    places->cpus_file = places->off.events = places->off.work = -1;
    return &places->sum.base;
}
