/* SPDX-License-Identifier: BSD-3-Clause */
#include "api/api.h"
#include "core/eventset.h"
#include "core/handles.h"
#include "core/overflow.h"
#include "core/resolve.h"

/* Event sets: create, fill, list, empty, destroy. */

static int check_new(int es)
{
    if (es == PAPI_NULL)
        return PAPI_OK;
    return reason_set(api_why(), PAPI_EINVAL, "the event set must be PAPI_NULL before it is created, not %d",
                      es);
}

int PAPI_create_eventset(int *es)
{
    int code = api_ready() ?: api_not_null(es, "the event set's address") ?: check_new(*es);
    code = code ?: thread_register();
    if (code == PAPI_OK) {
        library_lock();
        code = eventset_create(es, api_why());
        library_unlock();
    }
    return api_result(code);
}

/* Does the same with one event or with several. Returns how many went well before the first that did not. */
typedef int change_by_code(struct eventset *set, int event, struct reason *why);

static int change(int es, const int *events, int n, change_by_code *one)
{
    struct eventset *set;
    int i = 0, code = handle_find(es, &set) ?: api_not_null(events, "the array of events");
    if (code == PAPI_OK && n < 1)
        code = reason_set(api_why(), PAPI_EINVAL, "an array of %d events", n);
    if (code != PAPI_OK)
        return api_failed(code);
    library_lock();
    for (; i < n && code == PAPI_OK; i++)
        code = one(set, events[i], api_why());
    library_unlock();
    api_result(code); /* the reason is there for who asks */
    return code != PAPI_OK && i > 1 ? i - 1 : code;
}

typedef int change_by_name(struct eventset *set, const char *name, struct reason *why);

static int change_named(int es, const char *name, change_by_name *one)
{
    struct eventset *set;
    int code = handle_find(es, &set) ?: api_not_null(name, "the event's name");
    if (code == PAPI_OK) {
        library_lock();
        code = one(set, name, api_why());
        library_unlock();
    }
    return api_result(code);
}

int PAPI_add_event(int es, int event)
{
    return change(es, &event, 1, eventset_add);
}

int PAPI_remove_event(int es, int event)
{
    return change(es, &event, 1, eventset_remove);
}

int PAPI_add_events(int es, int *events, int n)
{
    return change(es, events, n, eventset_add);
}

int PAPI_remove_events(int es, int *events, int n)
{
    return change(es, events, n, eventset_remove);
}

int PAPI_add_named_event(int es, const char *name)
{
    return change_named(es, name, eventset_add_named);
}

int PAPI_remove_named_event(int es, const char *name)
{
    return change_named(es, name, eventset_remove_named);
}

int PAPI_list_events(int es, int *events, int *n)
{
    struct eventset *set;
    int code = handle_find(es, &set) ?: api_not_null(n, "the number of events");
    if (code == PAPI_OK && (*n < 0 || (events == NULL && *n > 0)))
        code = reason_set(api_why(), PAPI_EINVAL, "no array for %d events", *n);
    if (code != PAPI_OK)
        return api_failed(code);
    for (int i = 0; i < set->n_events && i < *n; i++)
        events[i] = set->event[i].code;
    *n = set->n_events;
    return PAPI_OK;
}

int PAPI_num_events(int es)
{
    struct eventset *set;
    return api_result(handle_find(es, &set) ?: set->n_events);
}

int PAPI_cleanup_eventset(int es)
{
    struct eventset *set;
    int code = handle_find(es, &set);
    if (code == PAPI_OK) {
        library_lock();
        code = eventset_cleanup(set, api_why());
        library_unlock();
    }
    return api_result(code);
}

static int check_destroy(const struct eventset *set)
{
    if (set->state == PAPI_RUNNING)
        return eventset_is_running(set, api_why());
    if (set->n_events > 0 && !set->lost)
        return reason_set(api_why(), PAPI_EINVAL,
                          "event set %d has %d events; PAPI_cleanup_eventset takes them out", set->handle,
                          set->n_events);
    return PAPI_OK;
}

int PAPI_destroy_eventset(int *es)
{
    struct eventset *set;
    int code = api_not_null(es, "the event set's address") ?: handle_find(*es, &set) ?: check_destroy(set);
    if (code != PAPI_OK)
        return api_failed(code);
    library_lock();
    eventset_give_up(set);
    library_unlock();
    *es = PAPI_NULL;
    return PAPI_OK;
}

int PAPI_state(int es, int *status)
{
    struct eventset *set;
    int code = handle_find(es, &set) ?: api_not_null(status, "status");
    if (code == PAPI_OK)
        *status = eventset_state(set);
    return api_result(code);
}

int PAPI_assign_eventset_component(int es, int cidx)
{
    struct eventset *set;
    int code = handle_find(es, &set);
    if (code == PAPI_OK) {
        library_lock();
        code = eventset_bind(set, cidx, api_why());
        library_unlock();
    }
    return api_result(code);
}

int PAPI_get_eventset_component(int es)
{
    struct eventset *set;
    int code = handle_find(es, &set);
    if (code == PAPI_OK && set->component < 0)
        code = reason_set(api_why(), PAPI_ENOCMP, "event set %d has no component yet", es);
    return api_result(code ?: set->component);
}

/* ---- overflows and profiles */

int PAPI_overflow(int es, int event, int threshold, int flags, PAPI_overflow_handler_t handler)
{
    struct eventset *set;
    int code = handle_find(es, &set);
    if (code == PAPI_OK && threshold != 0)
        code = api_not_null((const void *)(uintptr_t)handler, "the overflow handler");
    if (code == PAPI_OK) {
        library_lock();
        code = overflow_set(set, event, threshold, flags, handler, NULL, api_why());
        library_unlock();
    }
    return api_result(code);
}

int PAPI_get_overflow_event_index(int es, long long vector, int *array, int *number)
{
    struct eventset *set;
    int code = handle_find(es, &set) ?: api_not_null(array, "the array of indexes");
    code = code ?: api_not_null(number, "the number of indexes");
    if (code == PAPI_OK && *number <= 0)
        code = reason_set(api_why(), PAPI_EINVAL, "an array of %d indexes", *number);
    if (code == PAPI_OK && vector == 0)
        code = reason_set(api_why(), PAPI_EINVAL, "the overflow vector has no bit set");
    if (code == PAPI_OK && (set->n_events == 0 || overflow_state(set) == 0))
        code = reason_set(api_why(), PAPI_EINVAL, "no event of event set %d overflows", set->handle);
    int found = 0, room = code == PAPI_OK ? *number : 0;
    for (int i = 0; found < room && i < set->n_events; i++)
        if ((unsigned long long)vector >> i & 1)
            array[found++] = i;
    if (code == PAPI_OK)
        *number = found;
    return api_result(code);
}

static int set_profile_locked(struct eventset *set, PAPI_sprofil_t *regions, int n, int event, int threshold,
                              int flags)
{
    struct profile *profile = NULL;
    int force = (flags & PAPI_PROFIL_FORCE_SW) != 0 ? PAPI_OVERFLOW_FORCE_SW : 0;
    int code = overflow_check(set, event, threshold, force, api_why());
    if (code == PAPI_OK && threshold != 0)
        profile = profile_create(regions, n, flags & ~PAPI_PROFIL_FORCE_SW, &code, api_why());
    code = code ?: overflow_set(set, event, threshold, force, NULL, profile, api_why());
    if (code != PAPI_OK)
        profile_free(profile);
    return code;
}

int PAPI_sprofil(PAPI_sprofil_t *prof, int n, int es, int event, int threshold, int flags)
{
    struct eventset *set;
    int code = handle_find(es, &set);
    if (code == PAPI_OK && threshold != 0)
        code = api_not_null(prof, "the array of regions");
    if (code == PAPI_OK && threshold != 0 && (n < 1 || n > 1 << 20))
        code = reason_set(api_why(), PAPI_EINVAL, "an array of %d regions", n);
    if (code == PAPI_OK) {
        library_lock();
        code = set_profile_locked(set, prof, n, event, threshold, flags);
        library_unlock();
    }
    return api_result(code);
}

int PAPI_profil(void *buf, unsigned bufsiz, vptr_t offset, unsigned scale, int es, int event, int threshold,
                int flags)
{
    PAPI_sprofil_t region = {.pr_base = buf, .pr_size = bufsiz, .pr_off = offset, .pr_scale = scale};
    return PAPI_sprofil(&region, 1, es, event, threshold, flags);
}
