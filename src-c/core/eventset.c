/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Event sets: their events, their counters, and what changes both. A set's group has a counter for each
 * native event, which several of its events may share; an event notes by position which counters its formula
 * takes. Values are differences: the group counts from when it was made, and the set has a base for each
 * counter, which is subtracted. Whatever is done to the group, eventset_put_values chooses the bases such
 * that the values of before go on, so that adding or taking out an event, or changing an option, loses no
 * count of the others.
 * The kernel cannot take a counter out of a group or change its attributes, so make_group opens a fresh group
 * beside the old one, which is destroyed only if all of it succeeded: on an error the set is as it was. A new
 * counter alone is added to the group that is there. A signal handler may read the set, or fork, between any
 * two instructions: therefore the pointer to the group is moved before the old group is destroyed, and the
 * bases are written aside and put in place by one store.
 * A change may need each counter of the processor for a moment, since what is asked for is tried. Parked
 * sets, which hold counters that nobody needs, give theirs back first (begin_change).
 */
#include "core/eventset.h"
#include "base/list.h"
#include "base/signals.h"
#include "base/syscall.h"
#include "base/task_stat.h"
#include "core/handles.h"
#include "core/overflow.h"
#include "core/resolve.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- create and destroy */

int eventset_create(int *handle, struct reason *why)
{
    if (!thread_self()->registered)
        return reason_set(why, PAPI_ENOINIT, "another thread has shut the library down meanwhile");
    struct eventset *set = aligned_alloc(_Alignof(struct eventset), sizeof *set);
    if (set == NULL)
        return reason_set(why, PAPI_ENOMEM, "out of memory");
    memset(set, 0, sizeof *set);
    set->state = PAPI_STOPPED;
    set->owner = thread_self();
    set->component = -1;
    set->options.domain = papi_library.default_domain;
    set->options.inherit = papi_library.default_inherit;
    set->options.wait_ns = papi_library.default_wait_ns;
    int code = handle_give(set, &set->handle, why);
    if (code != PAPI_OK) {
        free(set);
        return code;
    }
    LIST_PUT_FIRST(&set->owner->sets, set);
    *handle = set->handle;
    return PAPI_OK;
}

/* Closes the set's group. A handler may fork here: the child must not find a group that is gone. */
static void close_group(struct eventset *set)
{
    struct counter_group *group = set->group;
    set->parked = 0;
    set->group = NULL;
    atomic_signal_fence(memory_order_seq_cst);
    if (group != NULL)
        group->ops->destroy(group);
}

static void forget_events(struct eventset *set)
{
    for (int i = 0; i < set->n_events; i++)
        free(set->event[i].formula);
    set->n_events = 0;
}

/* Closes the folder of the control group that the set is attached to, unless other options have it, too. */
static void forget_cgroup(const struct eventset *set, const struct group_options *options)
{
    if (set->options.cgroup != 0 && set->options.cgroup != options->cgroup)
        close(set->options.cgroup);
}

void eventset_destroy(struct eventset *set)
{
    overflow_forget_all(set);
    close_group(set);
    forget_cgroup(set, &(struct group_options){0});
    forget_events(set);
    LIST_TAKE_OUT(set);
    handle_take(set->handle);
    free(set);
}

/* ---- close */

void eventset_silence(const struct eventset *set)
{
    if (set->lost)
        return;
    if (set->group != NULL && set->group->ops->silence != NULL)
        set->group->ops->silence(set->group);
    if (set->overflow != NULL && set->overflow->has_timer)
        software_overflow_disarm(set);
}

/* Closes a set. It is marked before it is silenced, so that a start that comes later finds the mark. */
void eventset_close(struct eventset *set)
{
    handle_close(set->handle);
    atomic_store(&set->closed, 1);
    atomic_store(&set->owner->has_closed, 1);
    eventset_silence(set);
}

void eventset_give_up(struct eventset *set)
{
    if (thread_in_handler(set->owner))
        eventset_close(set);
    else
        eventset_destroy(set);
}

int eventset_is_closed(const struct eventset *set, struct reason *why)
{
    if (!library_ready())
        return reason_set(why, PAPI_ENOINIT, "another thread has shut the library down meanwhile");
    return reason_set(why, PAPI_ENOEVST, "event set %d no longer exists: the library was shut down meanwhile",
                      set->handle);
}

void eventset_lose(struct eventset *set)
{
    if (set->group != NULL)
        set->group->ops->abandon(set->group);
    set->lost = 1;
    set->parked = 0;
    set->state = PAPI_STOPPED;
}

/* ---- change */

int eventset_is_running(const struct eventset *set, struct reason *why)
{
    return reason_set(why, PAPI_EISRUN, "event set %d is running; stop it first", set->handle);
}

/* True if the set can be emptied. */
static int emptiable(const struct eventset *set, struct reason *why)
{
    if (set->closed)
        return eventset_is_closed(set, why);
    if (set->busy != 0)
        return reason_set(why, PAPI_ECNFLCT,
                          "event set %d is in a call that a signal handler has interrupted; where that was "
                          "left by siglongjmp, PAPI_cleanup_eventset makes the set usable while no signal is "
                          "blocked",
                          set->handle);
    return set->state == PAPI_RUNNING ? eventset_is_running(set, why) : PAPI_OK;
}

int eventset_changeable(const struct eventset *set, struct reason *why)
{
    int code = emptiable(set, why);
    if (code == PAPI_OK && set->lost)
        return reason_set(why, PAPI_ECLOST,
                          "event set %d was made before a fork; destroy it and make a new one here",
                          set->handle);
    return code;
}

/* Prepares a change of the group, which is made to count for a moment and may need any counter: parked sets
 * give theirs back. */
static void begin_change(struct eventset *set)
{
    parking_end(set->owner);
    set->displaced = 0;
}

static void note_plain(struct eventset *set)
{
    const struct counter_group *group = set->group;
    bool plain = group == NULL || (group->n_counters == set->n_events &&
                                   (group->levels | group->reals) == 0 && !set->options.share);
    for (int i = 0; i < set->n_events; i++)
        plain &= event_is_single(&set->event[i]) && set->event[i].counter[0] == i;
    set->plain = plain;
}

int eventset_position(const struct eventset *set, int event)
{
    for (int i = 0; i < set->n_events; i++)
        if (set->event[i].code == event)
            return i;
    return -1;
}

void eventset_take_values(const struct eventset *set, uint64_t *value)
{
    for (int i = 0; i < set->group->n_counters; i++)
        value[i] = eventset_stopped_value(set, i);
}

void eventset_put_values(struct eventset *set, int n, const uint64_t *value)
{
    uint64_t *base = eventset_spare_base(set);
    for (int i = 0; i < n; i++)
        base[i] = count_difference(set->group, i, set->group->stopped[i], value[i]);
    set->base = base;
}

/* The options as components see them: a set that is attached to its own thread is like one without
 * attachment. The set's own options are what the program is told. */
static struct group_options own_options(const struct group_options *options)
{
    struct group_options own = *options;
    if (own.target != 0 && !own.process && own.target == system_call(SYS_gettid, 0, 0, 0))
        own.target = 0;
    return own;
}

static void keep_levels(struct counter_group *group, const uint64_t *value, int n)
{
    for (int i = 0; i < n && i < group->n_counters; i++)
        if ((group->levels >> i & 1) != 0)
            group->ops->keep(group, i, value[i]);
}

/* Opens counters with samples that are not precise: those that are may be had of some counters alone, and the
 * set not fit. NULL with the code and the reason of before: that is not why, or no help. */
static struct counter_group *open_less_precise(int component, const struct group_options *options,
                                               const struct opened_counter *counter, int n, int *code,
                                               struct reason *why)
{
    struct group_options less = *options;
    bool overflows = false;
    int ignored;
    less.precise = PRECISE_EXACTLY;
    for (int i = 0; i < n; i++)
        overflows |= counter[i].period != 0;
    if (!overflows || options->precise != PRECISE_MOST)
        return NULL;
    struct counter_group *fresh = counters_open(component, &less, counter, n, &ignored, NULL);
    if (fresh != NULL) {
        *code = PAPI_OK;
        reason_begin(why);
    }
    return fresh;
}

/* True if a counter that overflows is more precise than it must be. */
static bool is_precise(const struct eventset *set)
{
    const struct group_ops *ops = set->group->ops;
    return set->options.precise == PRECISE_MOST && ops->precision != NULL && ops->precision(set->group) > 0;
}

/* Refuses a target that has ended and whose number another one has. */
static int check_target(const struct group_options *options, struct reason *why)
{
    unsigned long long begin = options->target != 0 ? task_begin(options->target) : 0;
    if (begin == 0 || options->begin == 0 || begin == options->begin)
        return PAPI_OK;
    return reason_set(why, PAPI_EINVAL,
                      "%s %d, to which the event set is attached, has ended, and another one has its number; "
                      "PAPI_detach, or attach the set to another",
                      options->process ? "process" : "thread", options->target);
}

/* Refuses a change of a set while something lives that has its counters and would not be counted after it. */
static int check_heirs(const struct eventset *set, struct reason *why)
{
    const struct group_ops *ops = set->group->ops;
    return ops->heirs != NULL ? ops->heirs(set->group, papi_library.root, why) : PAPI_OK;
}

/* Opens counters for these natives with options that were checked, and closes those of before: the set then
 * has these, each with its value. On an error all is as it was. A handler may fork or read at any time. */
static int make_group(struct eventset *set, const struct group_options *options,
                      const struct opened_counter *counter, const uint64_t *value, int n, struct reason *why)
{
    int code;
    const struct group_options own = own_options(options);
    if (check_target(&own, why) != PAPI_OK)
        return PAPI_EINVAL;
    struct counter_group *before = set->group,
                         *fresh = counters_open(set->component, &own, counter, n, &code, why);
    if (fresh == NULL && code == PAPI_ECNFLCT)
        fresh = open_less_precise(set->component, &own, counter, n, &code, why);
    if (fresh == NULL)
        return code;
    keep_levels(fresh, value, n);
    set->group = fresh;
    eventset_put_values(set, n, value);
    atomic_signal_fence(memory_order_seq_cst);
    before->ops->destroy(before);
    memmove(set->counter, counter, (size_t)n * sizeof *counter);
    return PAPI_OK;
}

/* The kernel lets a process and its child exchange the counters that the child has inherited, and then takes
 * no more beside those: they are opened together with the new one. */
static int add_anew(struct eventset *set, struct native_event *native, const uint64_t *value,
                    struct reason *why)
{
    struct opened_counter counter[MAX_COUNTERS];
    int n = set->group->n_counters;
    memcpy(counter, set->counter, (size_t)n * sizeof *counter);
    counter[n] = (struct opened_counter){native, 0};
    return make_group(set, &set->options, counter, value, n + 1, why);
}

/* The counter of a native event: one that the set has, or a new one. */
static int counter_for(struct eventset *set, struct native_event *native, unsigned char *counter,
                       struct reason *why)
{
    uint64_t value[MAX_COUNTERS];
    int i = 0, n = set->group->n_counters;
    while (i < n && set->counter[i].native != native)
        i++;
    *counter = (unsigned char)i;
    if (i < n)
        return PAPI_OK;
    if (n == MAX_COUNTERS)
        return reason_set(why, PAPI_ECNFLCT, "an event set holds at most %d counters", (int)MAX_COUNTERS);
    int code = check_heirs(set, why);
    if (code != PAPI_OK)
        return code;
    eventset_take_values(set, value);
    value[n] = 0;
    code = set->group->ops->add(set->group, papi_library.root, &native->encoding, 0, why);
    /* The others counted while the group was tried, also where it was refused. */
    eventset_put_values(set, set->group->n_counters, value);
    if (code == PAPI_ECNFLCT && (set->options.inherit || is_precise(set)))
        code = add_anew(set, native, value, why);
    if (code == PAPI_OK)
        set->counter[n] = (struct opened_counter){native, 0};
    return code;
}

/* True if an event uses the counter, other than the one at a position (-1: any). */
static bool in_use(const struct eventset *set, int counter, int without)
{
    for (int i = 0; i < set->n_events; i++)
        for (int j = 0; j < set->event[i].n_counters; j++)
            if (i != without && set->event[i].counter[j] == counter)
                return true;
    return false;
}

/* Closes the counters that no event uses, other than the one at a position (-1: none). On an error
 * all are as they were. */
static int close_unused(struct eventset *set, int without, struct reason *why)
{
    struct opened_counter counter[MAX_COUNTERS];
    uint64_t value[MAX_COUNTERS];
    unsigned char place[MAX_COUNTERS] = {0};
    int left = 0;
    eventset_take_values(set, value);
    for (int c = 0; c < set->group->n_counters; c++)
        if (in_use(set, c, without)) {
            value[left] = value[c];
            counter[left] = set->counter[c];
            place[c] = (unsigned char)left++;
        }
    if (left == set->group->n_counters)
        return PAPI_OK;
    int code = without >= 0 && left > 0 ? check_heirs(set, why) : PAPI_OK;
    code = code ?: make_group(set, &set->options, counter, value, left, why);
    for (int i = 0; i < set->n_events && code == PAPI_OK; i++)
        for (int j = 0; j < set->event[i].n_counters; j++)
            set->event[i].counter[j] = place[set->event[i].counter[j]];
    return code;
}

static int open_group(struct eventset *set, int component, struct reason *why)
{
    if (set->group != NULL)
        return PAPI_OK;
    const struct group_options options = own_options(&set->options);
    int code = check_target(&options, why)
                   ?: components[component]->check_options(papi_library.root, &set->options, why);
    if (code != PAPI_OK)
        return code;
    set->group = components[component]->create(&options);
    if (set->group == NULL)
        return reason_set(why, PAPI_ENOMEM, "out of memory");
    set->component = component;
    set->base = set->own_base[0];
    return PAPI_OK;
}

static int open_counters(struct eventset *set, const struct resolved_event *resolved, struct set_event *event,
                         struct reason *why)
{
    int code = PAPI_OK;
    for (int i = 0; i < resolved->n_natives && code == PAPI_OK; i++)
        code = counter_for(set, resolved->native[i], &event->counter[i], why);
    event->n_counters = resolved->n_natives;
    if (code == PAPI_OK)
        set->event[set->n_events++] = *event;
    else
        close_unused(set, -1, NULL);
    return code;
}

static int copy_formula(const struct resolved_event *resolved, struct set_event *event, struct reason *why)
{
    if (resolved->derivation != DERIVED_POSTFIX)
        return PAPI_OK;
    event->formula = malloc(sizeof *event->formula);
    if (event->formula == NULL)
        return reason_set(why, PAPI_ENOMEM, "out of memory");
    *event->formula = *resolved->formula;
    return PAPI_OK;
}

static int append_event(struct eventset *set, const struct resolved_event *resolved, struct reason *why)
{
    struct set_event event = {.code = resolved->code, .derivation = resolved->derivation};
    int code = copy_formula(resolved, &event, why);
    code = code ?: open_group(set, resolved_component(resolved, 0), why);
    code = code ?: open_counters(set, resolved, &event, why);
    if (code != PAPI_OK)
        free(event.formula);
    note_plain(set);
    return code;
}

/* Component 0 stands for the processor's counters. Where another component has taken their place, a set that
 * was assigned to 0 and has no counters yet takes its events, too. */
static bool takes_component(const struct eventset *set, int component)
{
    bool stands_in = set->component == COMPONENT_PERF_EVENT && set->group == NULL;
    return set->component < 0 || set->component == component ||
           (stands_in && component == processor_component());
}

/* Checks that each native event counts on this machine and by the set's component. */
static int addable(struct eventset *set, const struct resolved_event *resolved, struct reason *why)
{
    int code = PAPI_OK;
    for (int i = 0; i < resolved->n_natives && code == PAPI_OK; i++) {
        const struct native_event *native = resolved->native[i];
        int component = resolved_component(resolved, i);
        code = component_usable(component, why);
        if (code == PAPI_OK && !takes_component(set, component))
            code = reason_set(why, PAPI_ECNFLCT, "%.100s is counted by component %s, the event set by %s",
                              native->name, components[component]->name, components[set->component]->name);
        /* Some are counted for a whole CPU and for no thread. */
        if (code == PAPI_OK && !set->options.whole_cpu)
            code = native_counts(resolved->native[i], why);
    }
    return code == PAPI_OK ? PAPI_OK : resolved_advise(resolved, code, why);
}

/* Begins to add an event, if the set can take one more and has not got it. */
static int begin_adding(struct eventset *set, int event, struct reason *why)
{
    int code = eventset_changeable(set, why);
    if (code != PAPI_OK)
        return code;
    if (eventset_position(set, event) >= 0)
        return reason_set(why, PAPI_EINVAL, "the event is in event set %d already", set->handle);
    if (set->n_events == MAX_EVENTS)
        return reason_set(why, PAPI_ECNFLCT, "an event set holds at most %d events", (int)MAX_EVENTS);
    begin_change(set);
    return PAPI_OK;
}

/* The refusal of an event for whole CPUs, which are tried on the counters alone: where the machine shows no
 * counters at all, that is the better reason. */
static int explain_whole_cpu(const struct resolved_event *event, int code, struct reason *why)
{
    struct reason blind;
    for (int i = 0; i < event->n_natives && code == PAPI_ENOEVNT; i++) {
        const struct component_state *state = component_state_of(resolved_component(event, i));
        reason_begin(&blind);
        if (state->partially_disabled.code == PAPI_ENOEVNT &&
            native_counts(event->native[i], &blind) == PAPI_ENOEVNT)
            return resolved_advise(event, reason_pass(&blind, why), why);
    }
    return code;
}

static int add_resolved(struct eventset *set, const struct resolved_event *event, struct reason *why)
{
    int code = addable(set, event, why) ?: append_event(set, event, why);
    return set->options.whole_cpu ? explain_whole_cpu(event, code, why) : code;
}

int eventset_add(struct eventset *set, int event, struct reason *why)
{
    struct resolved_event resolved;
    int code = begin_adding(set, event, why) ?: resolve_event(event, &resolved, why);
    return code ?: add_resolved(set, &resolved, why);
}

int eventset_add_named(struct eventset *set, const char *name, struct reason *why)
{
    struct named_event event;
    struct resolved_event resolved;
    int code = event_by_name(name, &event, why) ?: begin_adding(set, event.code, why);
    return code ?: resolve_named(&event, &resolved, why) ?: add_resolved(set, &resolved, why);
}

static int not_in_set(const struct eventset *set, int event, struct reason *why)
{
    const char *name;
    int code = (event & PAPI_UE_MASK) == PAPI_PRESET_MASK ? event_name(event, &name, why) : PAPI_OK;
    return code ?: reason_set(why, PAPI_EINVAL, "the event is not in event set %d", set->handle);
}

int eventset_remove(struct eventset *set, int event, struct reason *why)
{
    int i = eventset_position(set, event), code = eventset_changeable(set, why);
    if (code != PAPI_OK || i < 0)
        return code ?: not_in_set(set, event, why);
    begin_change(set);
    code = overflow_forget(set, i, why) ?: close_unused(set, i, why);
    if (code != PAPI_OK)
        return code;
    free(set->event[i].formula);
    memmove(&set->event[i], &set->event[i + 1], (size_t)(--set->n_events - i) * sizeof *set->event);
    note_plain(set);
    return PAPI_OK;
}

int eventset_remove_named(struct eventset *set, const char *name, struct reason *why)
{
    struct named_event event;
    return event_by_name(name, &event, why) ?: eventset_remove(set, event.code, why);
}

/* Ends a call that a handler has left by siglongjmp, and that does not come back to the set. */
static void end_left_call(struct eventset *set)
{
    if (set->busy == 0 || set->closed || !library_blocks_no_signal())
        return;
    if (set->group != NULL)
        set->group->ops->stop(set->group, NULL);
    set->state = PAPI_STOPPED;
    set->busy = 0;
}

int eventset_cleanup(struct eventset *set, struct reason *why)
{
    end_left_call(set);
    int code = emptiable(set, why);
    if (code != PAPI_OK)
        return code;
    overflow_forget_all(set);
    close_group(set);
    forget_events(set);
    set->displaced = 0;
    set->component = -1;
    set->lost = 0; /* without counters it is as good as new */
    note_plain(set);
    return PAPI_OK;
}

int eventset_bind(struct eventset *set, int component, struct reason *why)
{
    int code = eventset_changeable(set, why) ?: component_usable(component, why);
    if (code != PAPI_OK)
        return code;
    if (set->component >= 0 && set->component != component)
        return reason_set(why, PAPI_EINVAL, "event set %d is bound to component %s", set->handle,
                          components[set->component]->name);
    code = components[component]->check_options(papi_library.root, &set->options, why);
    if (code == PAPI_OK)
        set->component = component;
    return code;
}

/* Refuses options with overflows by hardware: the kernel delivers them to the thread that counts, from
 * counters that are on all the time. */
static int check_overflowing(const struct group_options *options, struct reason *why)
{
    const struct group_options own = own_options(options);
    if (own.target == 0 && !own.whole_cpu && !own.inherit && !own.multiplex && !own.share)
        return PAPI_OK;
    return reason_set(
        why, PAPI_EINVAL,
        "an event set whose events overflow by hardware cannot be %s: PAPI_OVERFLOW_FORCE_SW has a "
        "timer of the calling thread look at it",
        own.multiplex   ? "multiplexed"
        : own.share     ? "sharing its counters (PAPI_SHARE)"
        : own.inherit   ? "inherited (PAPI_INHERIT)"
        : own.cgroup    ? "attached to a control group"
        : own.whole_cpu ? "attached to a CPU"
                        : "attached to another thread");
}

int eventset_check_options(const struct group_options *options, bool overflows, struct reason *why)
{
    if (options->whole_cpu && options->target != 0)
        return reason_set(why, PAPI_EINVAL,
                          "an event set is attached to a thread, to a CPU or to a control group; PAPI_detach "
                          "first");
    if (options->whole_cpu && options->inherit)
        return reason_set(
            why, PAPI_EINVAL,
            "an event set that is attached to a %s counts all that runs there: nothing to inherit",
            options->cgroup != 0 ? "control group" : "CPU");
    if (options->share && options->threads)
        return reason_set(
            why, PAPI_EINVAL,
            "an event set that counts each thread of a process by itself (PAPI_PROCESS_THREADS) "
            "counts exactly, and shares no counters (PAPI_SHARE)");
    return overflows ? check_overflowing(options, why) : PAPI_OK;
}

/* Checks options. A set that is not bound yet is checked as the first component would count it. */
static int check_options(const struct eventset *set, const struct group_options *options, struct reason *why)
{
    int component = set->component >= 0 ? set->component : 0;
    bool overflows = set->overflow != NULL && !set->overflow->software;
    return eventset_check_options(options, overflows, why)
               ?: components[component]->check_options(papi_library.root, options, why);
}

/* Opens the same counters again with other options, or with other periods. */
static int reopen(struct eventset *set, const struct group_options *options,
                  const struct opened_counter *counter, struct reason *why)
{
    uint64_t value[MAX_COUNTERS];
    const struct group_options *own = &set->options;
    bool same = options->inherit && options->target == own->target && options->process == own->process;
    int code = same ? check_heirs(set, why) : PAPI_OK;
    if (code != PAPI_OK)
        return code;
    begin_change(set);
    eventset_take_values(set, value);
    return make_group(set, options, counter, value, set->group->n_counters, why);
}

int eventset_set_options(struct eventset *set, const struct group_options *options, struct reason *why)
{
    int code = eventset_changeable(set, why) ?: check_options(set, options, why);
    if (code == PAPI_OK && set->group != NULL)
        code = reopen(set, options, set->counter, why);
    if (code == PAPI_OK) {
        forget_cgroup(set, options);
        set->options = *options;
        note_plain(set);
    }
    return code;
}

/* True if the thread to which the set is attached exists. The kernel is asked each time: nobody says when a
 * thread ends. */
static bool target_lives(const struct eventset *set)
{
    if (set->group == NULL || set->group->ops->target_ended == NULL)
        return check_target(&set->options, NULL) == PAPI_OK &&
               components[set->component >= 0 ? set->component : 0]->check_options(
                   papi_library.root, &set->options, NULL) != PAPI_EINVAL;
    return !set->group->ops->target_ended(set->group, papi_library.root);
}

int eventset_set_period(struct eventset *set, int counter, uint64_t period, struct reason *why)
{
    struct opened_counter counters[MAX_COUNTERS];
    memcpy(counters, set->counter, sizeof counters);
    counters[counter].period = period;
    return reopen(set, &set->options, counters, why);
}

int eventset_state(const struct eventset *set)
{
    int state = set->state == PAPI_RUNNING ? PAPI_RUNNING : PAPI_STOPPED;
    state |= overflow_state(set);
    state |= set->options.multiplex ? PAPI_MULTIPLEXING : 0;
    state |= set->options.share ? PAPI_SHARING : 0;
    state |= set->options.whole_cpu && set->options.cgroup == 0 ? PAPI_CPU_ATTACHED : 0;
    if ((set->options.target != 0 || set->options.cgroup != 0) && target_lives(set))
        state |= PAPI_ATTACHED;
    return state;
}

/* ---- parking */

/* True for a parked set whose counters can be switched off: one that runs needs them, and so does one that is
 * in a call, which a signal's handler has interrupted. */
static bool is_parked(const struct eventset *set)
{
    return set->parked && set->state != PAPI_RUNNING && !set->busy && !set->closed;
}

static void turn_off(struct eventset *set)
{
    uint64_t value[MAX_COUNTERS];
    eventset_take_values(set, value);
    set->parked = 0;
    set->group->ops->stop(set->group, NULL);
    eventset_put_values(set, set->group->n_counters, value);
}

/* Turns off the counters of all parked sets. Signals are blocked meanwhile: a handler may read these sets,
 * whose counts move, or start one. */
static void turn_all_off(struct papi_thread *self, int displaced)
{
    sigset_t before;
    int left = 0;
    signals_block(&before);
    for (struct eventset *set = self->sets; set != NULL; set = set->next)
        if (is_parked(set)) {
            set->displaced += displaced;
            turn_off(set);
        } else {
            left |= set->parked;
        }
    self->has_parked = left;
    signals_restore(&before);
}

void parking_end(struct papi_thread *self)
{
    if (self->has_parked)
        turn_all_off(self, 0);
}

void parking_displace(struct papi_thread *self)
{
    turn_all_off(self, 1);
}
