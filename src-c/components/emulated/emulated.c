/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/emulated/emulated.h"
#include "components/emulated/group.h"
#include "components/emulated/question.h"
#include "papi.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

static const struct component_event events[] = {
#define EVENT(name, description) {#name, description},
#define CACHE_EVENT(name, description) {#name, description},
#include "components/emulated/events.def"
#undef EVENT
#undef CACHE_EVENT
};

static void discover(struct pmu_table *pmus, struct component_state *state)
{
    struct emulated_answer answer;
    struct reason why = {0};
    (void)pmus;
    memset(state, 0, sizeof *state);
    state->disabled = emulated_ask(&answer, &why);
    if (state->disabled != PAPI_OK) {
        snprintf(state->disabled_reason, sizeof state->disabled_reason, "%s", why.text);
        return;
    }
    emulated_release(&answer);
    state->n_hardware_counters = answer.caches ? (int)EMULATED_EVENTS : (int)EMULATED_FIRST_CACHE_EVENT;
    state->fast_read = true;
    state->hardware_interrupt = state->precise_interrupt = true;
}

/* The emulator tells nobody apart but the program: all that there is of domains. */
static int check_domain(int domain, struct reason *why)
{
    if (domain == PAPI_DOM_USER || domain == PAPI_DOM_ALL)
        return PAPI_OK;
    return reason_set(why, PAPI_EINVAL_DOM, "the emulator counts the program alone: PAPI_DOM_USER");
}

static int try_event(struct pmu_table *pmus, const struct event_encoding *event, int domain,
                     struct reason *why)
{
    struct emulated_answer answer;
    (void)pmus;
    int code = emulated_ask(&answer, why);
    if (code != PAPI_OK)
        return code;
    emulated_release(&answer);
    if (event->config >= EMULATED_FIRST_CACHE_EVENT && !answer.caches)
        return reason_set(why, PAPI_ENOEVNT, "the caches are simulated only with papi_emulate --caches");
    return check_domain(domain, why);
}

static int add(struct counter_group *group, const char *root, const struct event_encoding *event,
               struct reason *why)
{
    int code = check_domain(group->form.domain, why);
    return code == PAPI_OK ? emulated_group_add(group, root, event, why) : code;
}

/* Multiplexing cannot fail here: all events are counted all the time. */
static int check_form(const char *root, const struct group_form *form, struct reason *why)
{
    (void)root;
    if (form->target != 0)
        return reason_set(
            why, PAPI_ECMP,
            "the emulator counts each thread for itself: event sets cannot be attached to another");
    if (form->whole_cpu)
        return reason_set(why, PAPI_ECMP, "the emulator counts threads of one program, not a CPU");
    return PAPI_OK;
}

static int set_form(struct counter_group **group, const char *root, const struct group_form *form,
                    struct reason *why)
{
    (void)root;
    int code = check_domain(form->domain, why);
    return code == PAPI_OK ? emulated_group_set_form(*group, form, why) : code;
}

/* No kernel and no program uses this signal, and the emulator passes its number on unchanged. */
#ifndef SIGSTKFLT
#define SIGSTKFLT SIGIO
#endif

const struct component emulated_component = {
    .name = "emulated",
    .short_name = "emu",
    .description = "papi_emulate: what the program's instructions do, counted exactly by an emulator",
    .version = "1.0",
    .processor = "emulated",
    .prefix = "emu",
    .events = events,
    .n_events = EMULATED_EVENTS,
    .default_domain = PAPI_DOM_USER,
    .available_domains = PAPI_DOM_USER,
    .max_multiplexed = MAX_COUNTERS,
    .inherit = true,
    .discover = discover,
    .try_event = try_event,
    .check_form = check_form,
    .create = emulated_group_create,
    .add = add,
    .remove = emulated_group_remove,
    .set_form = set_form,
    .start = emulated_group_start,
    .stop = emulated_group_stop,
    .overflow_signal = SIGSTKFLT,
    .set_overflow = emulated_group_set_overflow,
    .take_overflow = emulated_group_take_overflow,
    .overflows_written = emulated_group_overflows_written,
    .pause = emulated_group_pause,
    .may_not_end = emulated_group_may_not_end,
    .check_overflows = emulated_group_check_overflows,
    .silence = emulated_group_silence,
    .destroy = emulated_group_destroy,
    .abandon = emulated_group_abandon,
};
