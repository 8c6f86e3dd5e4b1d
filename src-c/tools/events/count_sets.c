/* SPDX-License-Identifier: BSD-3-Clause */
#include "count_sets.h"

#include "tools/common/terminal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The set counts the process and what that starts. */
static int attach(const struct count_sets *sets, int es, pid_t target)
{
    PAPI_option_t option;
    memset(&option, 0, sizeof option);
    if (sets->running)
        return PAPI_attach_process(es, target, sets->flags);
    option.inherit.eventset = es;
    option.inherit.inherit = PAPI_INHERIT_ALL;
    int code = PAPI_set_opt(PAPI_INHERIT, &option);
    return code == PAPI_OK ? PAPI_attach(es, (unsigned long)target) : code;
}

static void drop(int *es, int n)
{
    for (int i = 0; i < n; i++)
        if (es[i] != PAPI_NULL) {
            PAPI_cleanup_eventset(es[i]);
            PAPI_destroy_eventset(&es[i]);
        }
    free(es);
}

/* Has the set's counters be had beside others', or waited for. */
static int get_on(const struct count_sets *sets, int es)
{
    PAPI_option_t share, wait;
    memset(&share, 0, sizeof share);
    memset(&wait, 0, sizeof wait);
    share.share.eventset = wait.wait.eventset = es;
    share.share.on = sets->share;
    wait.wait.seconds = sets->wait;
    int code = sets->share ? PAPI_set_opt(PAPI_SHARE, &share) : PAPI_OK;
    return code == PAPI_OK && sets->wait > 0 ? PAPI_set_opt(PAPI_WAIT, &wait) : code;
}

static int create(const struct count_sets *sets, int component, bool of_threads, int target, int *es)
{
    *es = PAPI_NULL;
    int code = PAPI_create_eventset(es) ?: PAPI_assign_eventset_component(*es, component);
    code = code ?: get_on(sets, *es);
    if (code == PAPI_OK && of_threads && sets->cgroup != NULL)
        code = PAPI_attach_cgroup(*es, sets->cgroup);
    else if (code == PAPI_OK && of_threads && sets->n_targets > 0)
        code = attach(sets, *es, sets->target[target]);
    return code;
}

/* The number of a component's event sets. */
static int sets_of(const struct count_sets *sets, bool of_threads)
{
    return of_threads && sets->n_targets > 0 ? sets->n_targets : 1;
}

/* Makes the event sets of a component. NULL with *code. */
static int *create_all(const struct count_sets *sets, int component, bool of_threads, int *code)
{
    int n = sets_of(sets, of_threads), made = 0;
    int *es = calloc((size_t)n, sizeof *es);
    *code = es != NULL ? PAPI_OK : PAPI_ENOMEM;
    while (made < n && *code == PAPI_OK) {
        *code = create(sets, component, of_threads, made, &es[made]);
        made++;
    }
    if (*code == PAPI_OK)
        return es;
    drop(es, made);
    return NULL;
}

/* The index of the component's set, which is made if there is none; -1 with *code. */
static int set_of(struct count_sets *sets, int component, bool of_threads, int *code)
{
    for (int s = 0; s < sets->n; s++)
        if (sets->set[s].component == component)
            return s;
    int n = sets_of(sets, of_threads), s = sets->n;
    *code = s < MAX_COUNT_SETS ? PAPI_OK : PAPI_ECOUNT;
    int *es = *code == PAPI_OK ? create_all(sets, component, of_threads, code) : NULL;
    if (es == NULL)
        return -1;
    sets->set[s].each = calloc((size_t)n, sizeof *sets->set[s].each);
    if (sets->set[s].each == NULL) {
        drop(es, n);
        *code = PAPI_ENOMEM;
        return -1;
    }
    sets->set[s].component = component;
    sets->set[s].es = es;
    sets->set[s].n_es = n;
    sets->set[s].of_threads = of_threads;
    sets->set[s].multiplexed = false;
    sets->set[s].n = 0;
    return sets->n++;
}

/* Adds an event to all event sets of a component, or to none. */
static int add_to_all(int *es, int n, int event_code)
{
    int code = PAPI_OK, done = 0;
    while (done < n && code == PAPI_OK)
        code = PAPI_add_event(es[done++], event_code);
    for (int i = 0; code != PAPI_OK && i < done - 1; i++)
        PAPI_remove_event(es[i], event_code);
    return code;
}

/* Makes a set anew with its events taking turns. */
static int take_turns(struct count_sets *sets, int s)
{
    int code, n = sets->set[s].n_es;
    int *es = create_all(sets, sets->set[s].component, sets->set[s].of_threads, &code);
    for (int i = 0; i < n && code == PAPI_OK; i++)
        code = PAPI_set_multiplex(es[i]);
    for (int i = 0; i < sets->n_events && code == PAPI_OK; i++)
        if (sets->event[i].added && sets->event[i].set == s)
            code = add_to_all(es, n, sets->event[i].code);
    int *unused = code == PAPI_OK ? sets->set[s].es : es;
    if (unused != NULL)
        drop(unused, n);
    if (code == PAPI_OK)
        sets->set[s].es = es;
    sets->set[s].multiplexed |= code == PAPI_OK;
    return code;
}

static int put(struct count_sets *sets, int s, int event_code)
{
    int code = add_to_all(sets->set[s].es, sets->set[s].n_es, event_code);
    bool full = (code == PAPI_ECNFLCT || code == PAPI_ECOUNT) && !sets->set[s].multiplexed;
    if (!full || !sets->may_take_turns || take_turns(sets, s) != PAPI_OK)
        return code;
    return add_to_all(sets->set[s].es, sets->set[s].n_es, event_code);
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
    /* A component that counts for the calling process, this tool, or for its group cannot count another one.
     */
    int granularity = code == PAPI_OK ? granularity_of(event_code) : 0;
    bool own = (granularity == PAPI_GRN_PROC && (sets->n_targets > 0 || sets->cgroup != NULL)) ||
               (granularity == PAPI_GRN_PROCG && sets->cgroup != NULL);
    if (code == PAPI_OK && !own)
        code = add(sets, event_code, event);
    event->added = code == PAPI_OK && !own;
    if (!event->added)
        snprintf(event->why, sizeof event->why, "%s",
                 own && sets->cgroup != NULL ? "it counts what this tool or its own control group does"
                 : own ? sets->running ? "it counts what this tool does, and not the processes"
                                       : "it counts what this tool does, and not the command"
                       : PAPI_strerror(code));
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

/* Stops the first of all event sets again: so many that have events. */
static void take_back(struct count_sets *sets, int started)
{
    for (int s = 0; s < sets->n; s++)
        for (int i = 0; i < sets->set[s].n_es && sets->set[s].n > 0 && started > 0; i++, started--)
            PAPI_stop(sets->set[s].es[i], NULL);
}

int count_sets_start(struct count_sets *sets)
{
    int code = PAPI_OK, started = 0;
    for (int s = 0; s < sets->n && code == PAPI_OK; s++)
        for (int i = 0; i < sets->set[s].n_es && sets->set[s].n > 0 && code == PAPI_OK; i++) {
            code = PAPI_start(sets->set[s].es[i]);
            started += code == PAPI_OK;
        }
    if (code != PAPI_OK)
        take_back(sets, started);
    return code;
}

/* Takes the values of the event sets of a component, and adds them up. Those that may be too little are
 * there, too (PAPI_ECLOST). */
static int take_sum(struct count_sets *sets, int s, int (*take)(int, long long *))
{
    int first = PAPI_OK, n = sets->set[s].n;
    memset(sets->set[s].value, 0, sizeof sets->set[s].value);
    for (int i = 0; i < sets->set[s].n_es; i++) {
        long long *value = sets->set[s].each[i];
        int code = take(sets->set[s].es[i], value);
        if (first == PAPI_OK || first == PAPI_ECLOST)
            first = code ?: first;
        for (int k = 0; k < n; k++)
            sets->set[s].value[k] = sets->set[s].n_es == 1 ? value[k] : sets->set[s].value[k] + value[k];
    }
    return first;
}

/* Takes the values of each set, whether or not the others fail. Returns the first error. */
static int take_values(struct count_sets *sets, int (*take)(int, long long *))
{
    int first = PAPI_OK;
    sets->doubt[0] = '\0';
    for (int s = 0; s < sets->n; s++) {
        int code = sets->set[s].n > 0 ? take_sum(sets, s, take) : PAPI_OK;
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

static int take_shares(struct count_sets *sets, int s)
{
    double share[MAX_COUNT_EVENTS];
    int n = sets->set[s].n, code = PAPI_OK;
    for (int k = 0; k < n; k++)
        sets->set[s].share[k] = 1;
    for (int i = 0; i < sets->set[s].n_es && n > 0 && code == PAPI_OK; i++) {
        code = PAPI_read_shares(sets->set[s].es[i], share);
        for (int k = 0; k < n && code == PAPI_OK; k++)
            if (share[k] < sets->set[s].share[k])
                sets->set[s].share[k] = share[k];
    }
    return code;
}

int count_sets_stop(struct count_sets *sets)
{
    int code = take_values(sets, PAPI_stop);
    for (int s = 0; s < sets->n && code == PAPI_OK && sets->share; s++)
        code = take_shares(sets, s);
    return code;
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

int count_sets_try(const struct count_sets *sets)
{
    int es = PAPI_NULL, code = PAPI_create_eventset(&es);
    for (int i = 0; i < sets->n_events && code == PAPI_OK; i++)
        if (sets->event[i].added && sets->set[sets->event[i].set].of_threads)
            code = PAPI_add_event(es, sets->event[i].code);
    if (es != PAPI_NULL) {
        PAPI_cleanup_eventset(es);
        PAPI_destroy_eventset(&es);
    }
    return code;
}

bool count_sets_are_gone(const struct count_sets *sets)
{
    for (int s = 0; s < sets->n && sets->cgroup != NULL; s++) {
        int state;
        if (sets->set[s].of_threads && sets->set[s].n > 0 &&
            PAPI_state(sets->set[s].es[0], &state) == PAPI_OK)
            return (state & PAPI_ATTACHED) == 0;
    }
    return false;
}

bool count_sets_estimated(const struct count_sets *sets, const struct count_event *event)
{
    return sets->set[event->set].multiplexed || (sets->share && count_sets_share(sets, event) < 1);
}

double count_sets_share(const struct count_sets *sets, const struct count_event *event)
{
    return sets->set[event->set].share[event->index];
}

long long count_sets_value(const struct count_sets *sets, const struct count_event *event)
{
    return sets->set[event->set].value[event->index];
}

bool count_sets_of_each(const struct count_sets *sets, const struct count_event *event)
{
    return event->added && sets->set[event->set].of_threads && sets->n_targets > 0;
}

long long count_sets_value_of(const struct count_sets *sets, const struct count_event *event, int target)
{
    return sets->set[event->set].each[target][event->index];
}

void count_threads_free(struct count_threads *threads)
{
    free(threads->tid);
    free(threads->ended);
    free(threads->value);
    *threads = (struct count_threads){0};
}

/* Reads the threads of an event set. There may be more of them than when their number was asked for. */
static int read_threads(int es, struct count_threads *threads)
{
    int code, room = 0, n = 0;
    code = PAPI_read_threads(es, NULL, NULL, NULL, &n);
    while (n > room && (code == PAPI_OK || code == PAPI_ECLOST)) {
        int n_values = threads->n_values;
        count_threads_free(threads);
        room = n + 16;
        *threads =
            (struct count_threads){.n_values = n_values,
                                   .tid = calloc((size_t)room, sizeof(long long)),
                                   .ended = calloc((size_t)room, sizeof(long long)),
                                   .value = calloc((size_t)room * (size_t)n_values, sizeof(long long))};
        if (threads->tid == NULL || threads->ended == NULL || threads->value == NULL)
            return PAPI_ENOMEM;
        n = room;
        code = PAPI_read_threads(es, threads->tid, threads->ended, threads->value, &n);
    }
    threads->n = n;
    return code;
}

int count_sets_threads(const struct count_sets *sets, int target, struct count_threads *threads)
{
    *threads = (struct count_threads){0};
    for (int s = 0; s < sets->n; s++)
        if (sets->set[s].of_threads && sets->set[s].n > 0) {
            threads->n_values = sets->set[s].n;
            return read_threads(sets->set[s].es[target], threads);
        }
    return PAPI_OK;
}

void count_sets_end(struct count_sets *sets)
{
    for (int s = 0; s < sets->n; s++) {
        drop(sets->set[s].es, sets->set[s].n_es);
        free(sets->set[s].each);
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
