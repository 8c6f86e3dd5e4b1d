/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The component topdown: to which share of the places in the processor's pipeline, its slots, what happened,
 * by Intel's top-down method. Each share is computed of events that the kernel names for the cores' PMU,
 * which are counted in one group of perf_event's.
 */
#include "base/sysroot.h"
#include "base/text_rows.h"
#include "components/components.h"
#include "components/perf_event/perf_group.h"
#include "papi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PREFIX "topdown:::"
#define NO_EVENTS                                                                                            \
    "no PMU of the processor's cores in " SYSROOT_PMUS " has the events for it (topdown-retiring with "      \
    "slots, or topdown-slots-retired with topdown-total-slots)"

/* N0 are the slots in all. */
struct share {
    char name[32], description[80], events[96], formula[40];
};

#define RETIRING "Percent of the slots whose operations were of use: they were retired"
#define BAD_SPEC "Percent of the slots lost to bad speculation, such as mispredicted branches"
#define FE_BOUND "Percent of the slots for which the front end had no operation"
#define BE_BOUND "Percent of the slots for which the back end could not take an operation"
#define SHARE "N1|100|*|N0|/"

/* Shares and their events. First are those that the processor counts itself, from Ice Lake on: the kernel
 * gives them in slots, and counts them only in a group that slots leads. The others are level 1 of the method
 * (A. Yasin, ISPASS 2014) as Linux' perf has it, from Sandy Bridge to Cascade Lake and for Atom. */
TEXT_ROWS_BEGIN
static const struct share shares[] = {
    {"TOPDOWN_RETIRING_PERC", RETIRING, "slots topdown-retiring", SHARE},
    {"TOPDOWN_BAD_SPEC_PERC", BAD_SPEC, "slots topdown-bad-spec", SHARE},
    {"TOPDOWN_FE_BOUND_PERC", FE_BOUND, "slots topdown-fe-bound", SHARE},
    {"TOPDOWN_BE_BOUND_PERC", BE_BOUND, "slots topdown-be-bound", SHARE},
    {"TOPDOWN_HEAVY_OPS_PERC", "Percent of the slots that retired operations of long instructions",
     "slots topdown-heavy-ops", SHARE},
    {"TOPDOWN_BR_MISPREDICT_PERC", "Percent of the slots lost to mispredicted branches",
     "slots topdown-br-mispredict", SHARE},
    {"TOPDOWN_FETCH_LAT_PERC", "Percent of the slots for which fetching instructions took too long",
     "slots topdown-fetch-lat", SHARE},
    {"TOPDOWN_MEM_BOUND_PERC", "Percent of the slots that waited for loads and stores",
     "slots topdown-mem-bound", SHARE},
    {"TOPDOWN_RETIRING_PERC", RETIRING, "topdown-total-slots topdown-slots-retired", SHARE},
    {"TOPDOWN_BAD_SPEC_PERC", BAD_SPEC,
     "topdown-total-slots topdown-slots-issued topdown-slots-retired topdown-recovery-bubbles",
     "N1|N2|-|N3|+|100|*|N0|/"},
    {"TOPDOWN_FE_BOUND_PERC", FE_BOUND, "topdown-total-slots topdown-fetch-bubbles", SHARE},
    {"TOPDOWN_BE_BOUND_PERC", BE_BOUND,
     "topdown-total-slots topdown-fetch-bubbles topdown-slots-issued topdown-recovery-bubbles",
     "N0|N1|-|N2|-|N3|-|100|*|N0|/"},
};
TEXT_ROWS_END

/* ---- events */

/* An event on one PMU, which is being put together. */
struct made {
    char names[512], formula[256], scale[8][24]; /* the kernel's factors for the counts, as text */
};

/* The name of the kernel's event of a PMU, and its factor: 1; 0: there is no such event, or its factor is not
 * a whole number; -1. */
static int take_event(struct pmu_table *pmus, const struct pmu *pmu, const char *event, struct made *made,
                      int i)
{
    char file[PMU_LONGEST_NAME], text[128], *end;
    size_t used = strlen(made->names);
    int found = pmu_terms(pmus, pmu, event, text, sizeof text);
    snprintf(made->names + used, sizeof made->names - used, "%s%.100s/%s/", i > 0 ? " " : "", pmu->name,
             event);
    snprintf(file, sizeof file, "%s.scale", event);
    int scaled = found > 0 ? pmu_terms(pmus, pmu, file, text, sizeof text) : found;
    snprintf(made->scale[i], sizeof made->scale[i], "%s", scaled > 0 ? text : "1");
    if (scaled < 0)
        return -1;
    return found > 0 && strtol(made->scale[i], &end, 10) > 0 && *end == '\0';
}

/* Each operand times its factor: "N1|N0|/" as "N1|1|*|N0|4|*|/". */
static void scale_operands(const char *formula, struct made *made)
{
    size_t used = 0;
    for (const char *p = formula; *p != '\0' && used < sizeof made->formula; p++) {
        char *to = made->formula + used;
        size_t room = sizeof made->formula - used;
        if (*p == 'N') {
            used += (size_t)snprintf(to, room, "N%c|%s|*", p[1], made->scale[p[1] - '0']);
            p++;
        } else {
            used += (size_t)snprintf(to, room, "%c", *p);
        }
    }
}

static int unreadable(struct reason *why)
{
    return reason_unreadable("the events of the PMUs", why);
}

/* Appends the event if the PMU has all that it is made of, and no PMU before had. */
static int add_share(struct pmu_table *pmus, const struct pmu *pmu, const struct share *share,
                     struct event_list *list, struct reason *why)
{
    char events[256], *rest = NULL;
    struct made made = {.names = ""};
    int i = 0, found = event_list_find(list, share->name) < 0;
    snprintf(events, sizeof events, "%s", share->events);
    for (char *event = strtok_r(events, " ", &rest); event != NULL && found > 0;
         event = strtok_r(NULL, " ", &rest))
        found = take_event(pmus, pmu, event, &made, i++);
    if (found <= 0)
        return found < 0 ? unreadable(why) : PAPI_OK;
    scale_operands(share->formula, &made);
    const struct component_event event = {.name = share->name,
                                          .description = share->description,
                                          .unit = "percent",
                                          .real = true,
                                          .made_of = made.names,
                                          .formula = made.formula};
    return event_list_add(list, &event, why);
}

static int list_shares(struct pmu_table *pmus, struct event_list *list, struct reason *why)
{
    int code = pmus_cores(pmus) < 0 ? unreadable(why) : PAPI_OK;
    for (int i = 0; i < pmus->n && code == PAPI_OK; i++)
        for (size_t s = 0; s < sizeof shares / sizeof *shares && pmus->pmu[i].core && code == PAPI_OK; s++)
            code = add_share(pmus, &pmus->pmu[i], &shares[s], list, why);
    return code;
}

static int list(const char *root, struct event_list *list, struct reason *why)
{
    struct pmu_table pmus = {.root = root};
    int code = list_shares(&pmus, list, why);
    pmus_free(&pmus);
    return code;
}

/* ---- component */

/* Explains that a core type of a hybrid processor has the events. */
static void of_some_cores(const struct pmu_table *pmus, const struct event_list *found, struct reason *why)
{
    const char *made_of = found->event[0]->made_of;
    int length = (int)strcspn(made_of, "/");
    for (int i = 0; i < pmus->n; i++)
        if (pmus->pmu[i].one_core_type && strncmp(pmus->pmu[i].name, made_of, (size_t)length) == 0)
            reason_set(why, PAPI_ENOSUPP,
                       "the processor has cores without such events: the shares are those of the time on "
                       "the cores of PMU %.*s, and are not a number where a thread is never on them",
                       length, made_of);
}

/* Finds out what perf_event does, which holds here, too, except for overflows, which shares do not have. */
static void discover(struct pmu_table *pmus, struct component_state *state)
{
    struct event_list found = {0};
    int code = list_shares(pmus, &found, &state->disabled);
    if (code == PAPI_OK && found.n == 0)
        code = reason_set(&state->disabled, PAPI_ENOSUPP, NO_EVENTS);
    if (code == PAPI_OK) {
        perf_event_component.discover(pmus, state);
        state->hardware_interrupt = false;
        if (state->partially_disabled.code == PAPI_OK)
            of_some_cores(pmus, &found, &state->partially_disabled);
    }
    event_list_free(&found);
}

/* Required of a component, and never called: the events that a share is made of are perf_event's. */
static int try_event(struct pmu_table *pmus, const struct event_encoding *event, int domain,
                     struct reason *why)
{
    (void)pmus, (void)domain;
    return reason_set(why, PAPI_EBUG, PREFIX "%s is not a counter", event->event->name);
}

/* Refuses inheritance where the processor counts the shares itself. */
static int check_inherit(const char *root, struct reason *why)
{
    struct event_list found = {0};
    int code = list(root, &found, why);
    if (code == PAPI_OK && found.n > 0 && strstr(found.event[0]->made_of, "/slots/") != NULL)
        code = reason_set(
            why, PAPI_ECMP,
            "the kernel counts the parts of the processor's slots in one group alone, and inherited "
            "counters (PAPI_INHERIT) are each their own");
    event_list_free(&found);
    return code;
}

static int check_options(const char *root, const struct group_options *options, struct reason *why)
{
    if (options->multiplex)
        return reason_set(why, PAPI_ECMP,
                          "a share is of counts of the same time, and multiplexed events take turns");
    int code = options->inherit ? check_inherit(root, why) : PAPI_OK;
    return code != PAPI_OK ? code : perf_event_component.check_options(root, options, why);
}

static struct counter_group *create(const struct group_options *options)
{
    return perf_event_component.create(options);
}

const struct component topdown_component = {
    .name = "topdown",
    .short_name = "topdown",
    .description = "Shares of the processor's slots by Intel's top-down method",
    THREADS_MEMBERS,
    .prefix = PREFIX,
    .list = list,
    .discover = discover,
    .try_event = try_event,
    .check_options = check_options,
    .create = create,
};
