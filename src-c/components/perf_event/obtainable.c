/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds out whether a group could have its counters now, where the kernel does not tell: one that is attached
 * to another thread is put on the counters, or not, when that thread runs. Others that have the counters of a
 * CPU have them whoever runs there. So the same events are tried, for a moment, by the calling thread, on
 * each CPU on which the other one may run. Where events take turns, one that has not had its turn looks like
 * one that has no counter: each is tried alone.
 */
#include "base/signals.h"
#include "components/perf_event/perf_group.h"
#include "components/perf_event/sum_group.h"
#include "papi.h"

#include <sched.h>

enum { MASK_BITS = 8192 };

/* The CPUs that a thread may run on. */
struct mask {
    unsigned long word[MASK_BITS / (8 * sizeof(unsigned long))];
};

static bool take_mask(int thread, struct mask *mask)
{
    memset(mask, 0, sizeof *mask);
    return sched_getaffinity(thread, sizeof *mask, (cpu_set_t *)mask->word) == 0;
}

/* Tries n of the events together. An error of another kind says nothing about who has the counters. */
static int try_events(const struct kernel_group *group, const struct group_options *options, int first, int n,
                      const char *root)
{
    struct counter_group *trial = group_create(options, group->uncore);
    int code = PAPI_OK;
    for (int i = first; trial != NULL && i < first + n && code == PAPI_OK; i++)
        code = trial->ops->add(trial, root, &group->event[i], 0, NULL);
    if (trial != NULL)
        trial->ops->destroy(trial);
    return code == PAPI_ECNFLCT ? code : PAPI_OK;
}

/* Tries the events as they are counted: each alone where they take turns. */
static int try_here(const struct kernel_group *group, const struct group_options *options, const char *root)
{
    int n = group->base.n_counters, together = group->base.options.multiplex ? 1 : n, code = PAPI_OK;
    for (int i = 0; i < n && code == PAPI_OK; i += together)
        code = try_events(group, options, i, together, root);
    return code;
}

/* On each CPU of the mask that the calling thread may go to, without leaving it there. */
static int try_on_each(const struct kernel_group *group, const struct group_options *options,
                       const struct mask *mask, const char *root)
{
    struct mask own;
    int code = PAPI_OK;
    if (!take_mask(0, &own))
        return try_here(group, options, root);
    for (int cpu = 0; cpu < MASK_BITS && code == PAPI_OK; cpu++) {
        struct mask one = {{0}};
        if (!CPU_ISSET_S(cpu, sizeof *mask, (const cpu_set_t *)mask->word))
            continue;
        CPU_SET_S(cpu, sizeof one, (cpu_set_t *)one.word);
        if (sched_setaffinity(0, sizeof one, (const cpu_set_t *)one.word) == 0)
            code = try_here(group, options, root);
    }
    sched_setaffinity(0, sizeof own, (const cpu_set_t *)own.word);
    return code;
}

/* Takes out of a mask what is in another one, and puts what is left into that. */
static void take_out(struct mask *mask, struct mask *tried)
{
    for (size_t i = 0; i < sizeof mask->word / sizeof *mask->word; i++) {
        mask->word[i] &= ~tried->word[i];
        tried->word[i] |= mask->word[i];
    }
}

/* No handler runs on a CPU that is not its thread's.
 *   tried  the CPUs where other threads' counters were tried */
static int try_group(struct counter_group *base, struct mask *tried, const char *root)
{
    const struct kernel_group *group = kernel_group(base);
    const struct group_options *own = &base->options, options = {.domain = own->domain,
                                                                 .whole_cpu = own->whole_cpu,
                                                                 .cpu = own->cpu};
    struct mask mask;
    sigset_t before;
    if (own->whole_cpu || (own->target == 0 && own->multiplex))
        return try_here(group, &options, root);
    if (own->target == 0 || !take_mask(own->target, &mask))
        return PAPI_OK;
    take_out(&mask, tried);
    signals_block(&before);
    int code = try_on_each(group, &options, &mask, root);
    signals_restore(&before);
    return code;
}

int group_obtainable(struct counter_group *base, const char *root)
{
    struct mask tried = {{0}};
    return try_group(base, &tried, root);
}

int sum_obtainable(struct counter_group *base, const char *root)
{
    const struct members *members = &((struct sum_group *)base)->members;
    struct mask tried = {{0}};
    int code = PAPI_OK;
    for (int m = 0; m < members->n && code == PAPI_OK; m++)
        if (members->member[m]->group != NULL)
            code = try_group(members->member[m]->group, &tried, root);
    return code;
}
