/* SPDX-License-Identifier: BSD-3-Clause */
#include "count_sets.h"

#include "tools/common/terminal.h"

#include <stdio.h>
#include <string.h>

/* The set counts the process and what that starts. */
static int attach(int es, pid_t target)
{
    PAPI_option_t option;
    memset(&option, 0, sizeof option);
    option.inherit.eventset = es;
    option.inherit.inherit = PAPI_INHERIT_ALL;
    int code = PAPI_set_opt(PAPI_INHERIT, &option);
    return code == PAPI_OK ? PAPI_attach(es, (unsigned long)target) : code;
}

static int create(struct count_sets *sets, int component, bool of_threads, int *es)
{
    *es = PAPI_NULL;
    int code = PAPI_create_eventset(es);
    if (code == PAPI_OK)
        code = PAPI_assign_eventset_component(*es, component);
    if (code == PAPI_OK && of_threads && sets->target != 0)
        code = attach(*es, sets->target);
    if (code != PAPI_OK && *es != PAPI_NULL)
        PAPI_destroy_eventset(es);
    return code;
}

/* The index of the component's set, which is made if there is none; -1 with *code. */
static int set_of(struct count_sets *sets, int component, bool of_threads, int *code)
{
    for (int s = 0; s < sets->n; s++)
        if (sets->set[s].component == component)
            return s;
    *code =
        sets->n < MAX_COUNT_SETS ? create(sets, component, of_threads, &sets->set[sets->n].es) : PAPI_ECOUNT;
    if (*code != PAPI_OK)
        return -1;
    sets->set[sets->n].component = component;
    sets->set[sets->n].of_threads = of_threads;
    sets->set[sets->n].multiplexed = false;
    sets->set[sets->n].n = 0;
    return sets->n++;
}

/* Makes a set anew with its events taking turns. */
static int take_turns(struct count_sets *sets, int s)
{
    int es,
        code = create(sets, sets->set[s].component, sets->set[s].of_threads, &es) ?: PAPI_set_multiplex(es);
    for (int i = 0; i < sets->n_events && code == PAPI_OK; i++)
        if (sets->event[i].added && sets->event[i].set == s)
            code = PAPI_add_event(es, sets->event[i].code);
    int unused = code == PAPI_OK ? sets->set[s].es : es;
    if (unused != PAPI_NULL) {
        PAPI_cleanup_eventset(unused);
        PAPI_destroy_eventset(&unused);
    }
    if (code == PAPI_OK)
        sets->set[s].es = es;
    sets->set[s].multiplexed |= code == PAPI_OK;
    return code;
}

static int put(struct count_sets *sets, int s, int event_code)
{
    int code = PAPI_add_event(sets->set[s].es, event_code);
    bool full = (code == PAPI_ECNFLCT || code == PAPI_ECOUNT) && !sets->set[s].multiplexed;
    if (!full || !sets->may_take_turns || take_turns(sets, s) != PAPI_OK)
        return code;
    return PAPI_add_event(sets->set[s].es, event_code);
}

/* PAPI_GRN_*, of the component that has the event; -1: none has it. */
static int granularity_of(int event)
{
    int component = PAPI_get_event_component(event);
    const PAPI_component_info_t *info = component >= 0 ? PAPI_get_component_info(component) : NULL;
    return info != NULL ? info->default_granularity : -1;
}

static int add(struct count_sets *sets, int event_code, struct count_event *event)
{
    PAPI_event_info_t info;
    int code = PAPI_OK, component = PAPI_get_event_component(event_code);
    if (component < 0)
        return component;
    event->set = set_of(sets, component, granularity_of(event_code) == PAPI_GRN_THR, &code);
    if (event->set >= 0)
        code = put(sets, event->set, event_code);
    if (code != PAPI_OK)
        return code;
    event->code = event_code;
    event->index = sets->set[event->set].n++;
    bool known = PAPI_get_event_info(event_code, &info) == PAPI_OK;
    event->level = known && info.timescope == PAPI_TIMESCOPE_POINT;
    event->real = known && info.data_type == PAPI_DATATYPE_FP64;
    return PAPI_OK;
}

const struct count_event *count_sets_add(struct count_sets *sets, const char *name)
{
    struct count_event *event = &sets->event[sets->n_events++];
    int event_code, code = PAPI_event_name_to_code(name, &event_code);
    event->name = name;
    /* A component that counts for the calling process, this tool, cannot count another one. */
    bool own = code == PAPI_OK && sets->target != 0 && granularity_of(event_code) == PAPI_GRN_PROC;
    if (code == PAPI_OK && !own)
        code = add(sets, event_code, event);
    event->added = code == PAPI_OK && !own;
    if (!event->added)
        snprintf(event->why, sizeof event->why, "%s",
                 own ? "it counts what this tool does, and not the command" : PAPI_strerror(code));
    sets->n_added += event->added;
    return event;
}

/* Adds a value to another one. */
static void count_add(const struct count_event *event, long long *to, long long value)
{
    if (!event->real) {
        *to += value;
        return;
    }
    double sum = count_real(*to) + count_real(value);
    memcpy(to, &sum, sizeof sum);
}

int count_sets_start(struct count_sets *sets)
{
    int code = PAPI_OK;
    for (int s = 0; s < sets->n && code == PAPI_OK; s++)
        if (sets->set[s].n > 0)
            code = PAPI_start(sets->set[s].es);
    return code;
}

/* Takes the values of each set, whether or not the others fail. Returns the first error. */
static int take_values(struct count_sets *sets, int (*take)(int, long long *))
{
    int first = PAPI_OK;
    sets->doubt[0] = '\0';
    for (int s = 0; s < sets->n; s++) {
        int code = sets->set[s].n > 0 ? take(sets->set[s].es, sets->set[s].value) : PAPI_OK;
        sets->set[s].code = code;
        if (code == PAPI_ECLOST) /* the values are there */
            text_append(sets->doubt, sizeof sets->doubt, "; ", "%s", PAPI_strerror(code));
        else if (first == PAPI_OK)
            first = code;
    }
    return first;
}

int count_sets_read(struct count_sets *sets)
{
    return take_values(sets, PAPI_read);
}

int count_sets_stop(struct count_sets *sets)
{
    return take_values(sets, PAPI_stop);
}

int count_sets_stop_adding(struct count_sets *sets)
{
    long long before[MAX_COUNT_EVENTS];
    for (int i = 0; i < sets->n_events; i++)
        before[i] = sets->event[i].added ? count_sets_value(sets, &sets->event[i]) : 0;
    int code = count_sets_stop(sets);
    for (int i = 0; i < sets->n_events; i++) {
        const struct count_event *event = &sets->event[i];
        if (event->added && !event->level)
            count_add(event, &sets->set[event->set].value[event->index], before[i]);
    }
    return code;
}

bool count_sets_estimated(const struct count_sets *sets, const struct count_event *event)
{
    return sets->set[event->set].multiplexed;
}

long long count_sets_value(const struct count_sets *sets, const struct count_event *event)
{
    return sets->set[event->set].value[event->index];
}

void count_sets_end(struct count_sets *sets)
{
    for (int s = 0; s < sets->n; s++) {
        PAPI_cleanup_eventset(sets->set[s].es);
        PAPI_destroy_eventset(&sets->set[s].es);
    }
    sets->n = 0;
}

double count_real(long long value)
{
    double real;
    memcpy(&real, &value, sizeof real);
    return real;
}

long long count_growth(const struct count_event *event, long long from, long long to)
{
    if (!event->real)
        return to - from;
    double real = count_real(to) - count_real(from);
    memcpy(&to, &real, sizeof to);
    return to;
}
