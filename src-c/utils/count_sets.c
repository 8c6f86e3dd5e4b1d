/* SPDX-License-Identifier: BSD-3-Clause */
#include "count_sets.h"

#include <stdio.h>
#include <string.h>

/* The set counts the process and what that starts. */
static int attach(int es, pid_t target)
{
    PAPI_option_t option;
    memset(&option, 0, sizeof option);
    option.inherit.eventset = es;
    option.inherit.inherit = PAPI_INHERIT_ALL;
    int error = PAPI_set_opt(PAPI_INHERIT, &option);
    return error == PAPI_OK ? PAPI_attach(es, (unsigned long)target) : error;
}

static int create(struct count_sets *sets, int component, bool of_threads, int *es)
{
    *es = PAPI_NULL;
    int error = PAPI_create_eventset(es);
    if (error == PAPI_OK)
        error = PAPI_assign_eventset_component(*es, component);
    if (error == PAPI_OK && of_threads && sets->target != 0)
        error = attach(*es, sets->target);
    if (error != PAPI_OK && *es != PAPI_NULL)
        PAPI_destroy_eventset(es);
    return error;
}

/* The component's set; -1 with *error. */
static int set_of(struct count_sets *sets, int component, bool of_threads, int *error)
{
    for (int s = 0; s < sets->n; s++)
        if (sets->set[s].component == component)
            return s;
    *error =
        sets->n < MAX_COUNT_SETS ? create(sets, component, of_threads, &sets->set[sets->n].es) : PAPI_ECOUNT;
    if (*error != PAPI_OK)
        return -1;
    sets->set[sets->n].component = component;
    sets->set[sets->n].n = 0;
    return sets->n++;
}

static int add(struct count_sets *sets, int code, struct count_place *place)
{
    PAPI_event_info_t event;
    int error, component = PAPI_get_event_component(code);
    const PAPI_component_info_t *info = component >= 0 ? PAPI_get_component_info(component) : NULL;
    bool of_threads = info != NULL && info->default_granularity == PAPI_GRN_THR;
    if (component < 0)
        return component;
    place->set = set_of(sets, component, of_threads, &error);
    if (place->set < 0)
        return error;
    error = PAPI_add_event(sets->set[place->set].es, code);
    if (error != PAPI_OK)
        return error;
    place->index = sets->set[place->set].n++;
    place->level = PAPI_get_event_info(code, &event) == PAPI_OK && event.timescope == PAPI_TIMESCOPE_POINT;
    return PAPI_OK;
}

/* What a component counts for the process that asks, this tool, says nothing of another one. */
static bool is_of_this_process(int code)
{
    int component = PAPI_get_event_component(code);
    const PAPI_component_info_t *info = component >= 0 ? PAPI_get_component_info(component) : NULL;
    return info != NULL && info->default_granularity == PAPI_GRN_PROC;
}

int count_sets_add(struct count_sets *sets, const char *name, struct count_place *place, char *why,
                   size_t size)
{
    int code, error = PAPI_event_name_to_code((char *)name, &code);
    if (error == PAPI_OK && sets->target != 0 && is_of_this_process(code)) {
        snprintf(why, size, "it counts what this tool does, and not the command");
        return PAPI_ECMP;
    }
    if (error == PAPI_OK)
        error = add(sets, code, place);
    if (error != PAPI_OK)
        snprintf(why, size, "%s", PAPI_strerror(error));
    return error;
}

int count_sets_start(struct count_sets *sets)
{
    int error = PAPI_OK;
    for (int s = 0; s < sets->n && error == PAPI_OK; s++)
        if (sets->set[s].n > 0)
            error = PAPI_start(sets->set[s].es);
    return error;
}

int count_sets_read(struct count_sets *sets)
{
    int error = PAPI_OK;
    for (int s = 0; s < sets->n && error == PAPI_OK; s++)
        if (sets->set[s].n > 0)
            error = PAPI_read(sets->set[s].es, sets->set[s].value);
    return error;
}

int count_sets_stop(struct count_sets *sets)
{
    int error = PAPI_OK;
    for (int s = 0; s < sets->n; s++) {
        int code = sets->set[s].n > 0 ? PAPI_stop(sets->set[s].es, sets->set[s].value) : PAPI_OK;
        error = error == PAPI_OK ? code : error;
    }
    return error;
}

long long count_sets_value(const struct count_sets *sets, const struct count_place *place)
{
    return sets->set[place->set].value[place->index];
}

void count_sets_end(struct count_sets *sets)
{
    for (int s = 0; s < sets->n; s++) {
        PAPI_cleanup_eventset(sets->set[s].es);
        PAPI_destroy_eventset(&sets->set[s].es);
    }
    sets->n = 0;
}
