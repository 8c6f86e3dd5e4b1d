/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The component perf_event_uncore: counters of a package's memory, caches, links and energy. The kernel
 * counts them for whoever may count a whole CPU, and gives the name of one CPU of each package (the file
 * cpumask).
 */
#include "base/sysroot.h"
#include "components/components.h"
#include "components/perf_event/perf_group.h"
#include "components/perf_event/places.h"
#include "papi.h"

#include <string.h>

struct group_options uncore_options(const struct event_encoding *event, const struct group_options *options)
{
    return (struct group_options){
        .domain = PAPI_DOM_ALL, .whole_cpu = true, .cpu = options->whole_cpu ? options->cpu : event->cpu};
}

static int try_event(struct pmu_table *pmus, const struct event_encoding *event, int domain,
                     struct reason *why)
{
    const struct group_options options = uncore_options(event, &(struct group_options){0});
    struct perf_event_attr attr;
    int fd;
    (void)domain;
    describe_event(event, options.domain, &attr);
    attr.disabled = 1;
    int code = sys_open(pmus->root, &options, &attr, -1, &fd, why);
    sys_close(fd);
    return code;
}

static int check_options(const char *root, const struct group_options *options, struct reason *why)
{
    if (options->cgroup != 0)
        return reason_set(why, PAPI_ECMP,
                          "perf_event_uncore counts what the cores of a package do together, for whatever "
                          "task: not for a control group");
    if (options->target != 0 || options->inherit)
        return reason_set(why, PAPI_ECMP,
                          "perf_event_uncore counts what the cores of a package do together: it cannot be "
                          "attached to a thread, nor inherited");
    return options->whole_cpu ? sys_try(root, options, -1, why) : PAPI_OK;
}

/* Number of PMUs outside the cores, and the first CPU of one of them; -1 with errno. */
static int count_pmus(struct pmu_table *pmus, int *cpu)
{
    int n = pmus_read(pmus), found = 0;
    for (int i = 0; i < n; i++) {
        int first, uncore = pmu_uncore(pmus, &pmus->pmu[i], &first);
        if (uncore < 0)
            return -1;
        *cpu = uncore ? first : *cpu;
        found += uncore;
    }
    return n < 0 ? -1 : found;
}

static void discover(struct pmu_table *pmus, struct component_state *state)
{
    struct reason why = {0};
    struct group_options options = {.whole_cpu = true};
    int n = count_pmus(pmus, &options.cpu);
    if (n < 0)
        reason_unreadable("the kernel's list of PMUs", &state->disabled);
    else if (n == 0)
        reason_set(&state->disabled, PAPI_ENOSUPP,
                   "there is no PMU outside the cores: none in " SYSROOT_PMUS
                   " has a file cpumask (virtual machines mostly have none)");
    else if (sys_try(pmus->root, &options, -1, &why) == PAPI_ECMP_DISABLED)
        state->disabled = why;
    else
        state->partially_disabled = why; /* who may not count can still ask for names */
    state->n_hardware_counters = state->disabled.code ? 0 : MAX_COUNTERS;
}

static struct counter_group *create(const struct group_options *options)
{
    return places_create(options, true);
}

const struct component uncore_component = {
    .name = "perf_event_uncore",
    .short_name = "peu",
    .description = "Linux perf_event: what the cores of a package have in common, energy included",
    .default_domain = PAPI_DOM_ALL,
    .available_domains = PAPI_DOM_ALL,
    .cpu = true,
    .kernel_multiplex = true,
    .granularity = PAPI_GRN_SYS,
    .discover = discover,
    .try_event = try_event,
    .check_options = check_options,
    .create = create,
};
