/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/eventset.h"
#include "api/api.h"
#include "core/handles.h"
#include "core/resolve.h"

/* Event sets: create, fill, list, empty, destroy. */

int PAPI_create_eventset(int *es)
{
    int code = api_ready();
    if (code == PAPI_OK && es == NULL)
        code = api_null("the event set's address");
    if (code == PAPI_OK && *es != PAPI_NULL)
        code = reason_set(api_why(), PAPI_EINVAL,
                          "the event set must be PAPI_NULL before it is created, not %d", *es);
    if (code == PAPI_OK)
        code = thread_register();
    if (code == PAPI_OK) {
        api_lock();
        code = eventset_create(es, api_why());
        api_unlock();
    }
    return api_result(code);
}

static int add(struct eventset *set, int code)
{
    api_lock();
    int result = eventset_add(set, code, api_why());
    api_unlock();
    return result;
}

static int take_out(struct eventset *set, int code)
{
    api_lock();
    int result = eventset_remove(set, code, api_why());
    api_unlock();
    return result;
}

int PAPI_add_event(int es, int code)
{
    struct eventset *set;
    int result = handle_find(es, &set);
    return api_result(result == PAPI_OK ? add(set, code) : result);
}

int PAPI_remove_event(int es, int code)
{
    struct eventset *set;
    int result = handle_find(es, &set);
    return api_result(result == PAPI_OK ? take_out(set, code) : result);
}

/* Both array forms: how many went well before the first that did not. */
static int for_each(int es, const int *codes, int n, int (*one)(struct eventset *set, int code))
{
    struct eventset *set;
    int result = handle_find(es, &set);
    if (result == PAPI_OK && codes == NULL)
        result = api_null("the array of events");
    if (result == PAPI_OK && n < 1)
        result = reason_set(api_why(), PAPI_EINVAL, "an array of %d events", n);
    for (int i = 0; i < n && result == PAPI_OK; i++) {
        result = one(set, codes[i]);
        if (result != PAPI_OK && i > 0) {
            api_failed(result); /* the reason is there for who asks */
            return i;
        }
    }
    return api_result(result);
}

int PAPI_add_events(int es, int *codes, int n)
{
    return for_each(es, codes, n, add);
}

int PAPI_remove_events(int es, int *codes, int n)
{
    return for_each(es, codes, n, take_out);
}

static int for_name(int es, const char *name, int (*one)(struct eventset *set, int code))
{
    struct eventset *set;
    int code, result = handle_find(es, &set);
    if (result == PAPI_OK && name == NULL)
        result = api_null("the event's name");
    if (result == PAPI_OK)
        result = api_event_code(name, &code);
    return api_result(result == PAPI_OK ? one(set, code) : result);
}

int PAPI_add_named_event(int es, const char *name)
{
    return for_name(es, name, add);
}

int PAPI_remove_named_event(int es, const char *name)
{
    return for_name(es, name, take_out);
}

int PAPI_list_events(int es, int *codes, int *n)
{
    struct eventset *set;
    int code = handle_find(es, &set);
    if (code == PAPI_OK && n == NULL)
        code = api_null("the number of events");
    if (code == PAPI_OK && (*n < 0 || (codes == NULL && *n > 0)))
        code = reason_set(api_why(), PAPI_EINVAL, "no array for %d events", *n);
    if (code != PAPI_OK)
        return api_result(code);
    for (int i = 0; i < set->n_events && i < *n; i++)
        codes[i] = set->event[i].code;
    *n = set->n_events;
    return PAPI_OK;
}

int PAPI_num_events(int es)
{
    struct eventset *set;
    int code = handle_find(es, &set);
    return api_result(code == PAPI_OK ? set->n_events : code);
}

int PAPI_cleanup_eventset(int es)
{
    struct eventset *set;
    int code = handle_find(es, &set);
    if (code == PAPI_OK) {
        api_lock();
        code = eventset_cleanup(set, api_why());
        api_unlock();
    }
    return api_result(code);
}

static int check_destroy(const struct eventset *set)
{
    if (set->state == PAPI_RUNNING)
        return reason_set(api_why(), PAPI_EISRUN, "event set %d is running; stop it first", set->handle);
    if (set->n_events > 0 && !set->lost)
        return reason_set(api_why(), PAPI_EINVAL,
                          "event set %d has %d events; PAPI_cleanup_eventset takes them out", set->handle,
                          set->n_events);
    return PAPI_OK;
}

int PAPI_destroy_eventset(int *es)
{
    struct eventset *set = NULL;
    int code = es == NULL ? api_null("the event set's address") : handle_find(*es, &set);
    if (code == PAPI_OK)
        code = check_destroy(set);
    if (code != PAPI_OK)
        return api_result(code);
    api_lock();
    eventset_give_up(set);
    api_unlock();
    *es = PAPI_NULL;
    return PAPI_OK;
}

int PAPI_state(int es, int *status)
{
    struct eventset *set;
    int code = handle_find(es, &set);
    if (code == PAPI_OK && status == NULL)
        code = api_null("status");
    if (code == PAPI_OK)
        *status = eventset_state(set);
    return api_result(code);
}

int PAPI_assign_eventset_component(int es, int cidx)
{
    struct eventset *set;
    int code = handle_find(es, &set);
    if (code == PAPI_OK) {
        api_lock();
        code = eventset_bind(set, cidx, api_why());
        api_unlock();
    }
    return api_result(code);
}

int PAPI_get_eventset_component(int es)
{
    struct eventset *set;
    int code = handle_find(es, &set);
    if (code == PAPI_OK && set->component < 0)
        code = reason_set(api_why(), PAPI_ENOCMP, "event set %d has no component yet", es);
    return api_result(code == PAPI_OK ? set->component : code);
}
