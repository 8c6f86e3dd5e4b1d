/* SPDX-License-Identifier: BSD-3-Clause */
#include "api/api.h"
#include "core/handles.h"
#include "core/overflow.h"

int PAPI_overflow(int es, int code, int threshold, int flags, PAPI_overflow_handler_t handler)
{
    struct eventset *set;
    int result = handle_find(es, &set);
    if (result == PAPI_OK && handler == NULL && threshold != 0)
        result = api_null("the overflow handler");
    if (result == PAPI_OK) {
        api_lock();
        result = overflow_set(set, code, threshold, flags, handler, NULL, api_why());
        api_unlock();
    }
    return api_result(result);
}

int PAPI_get_overflow_event_index(int es, long long vector, int *array, int *number)
{
    struct eventset *set;
    int result = handle_find(es, &set);
    if (result == PAPI_OK && (array == NULL || number == NULL))
        result = api_null(array == NULL ? "the array of indexes" : "the number of indexes");
    if (result == PAPI_OK && *number <= 0)
        result = reason_set(api_why(), PAPI_EINVAL, "an array of %d indexes", *number);
    if (result == PAPI_OK && vector == 0)
        result = reason_set(api_why(), PAPI_EINVAL, "the overflow vector has no bit set");
    if (result == PAPI_OK && (set->n_events == 0 || overflow_state(set) == 0))
        result = reason_set(api_why(), PAPI_EINVAL, "no event of event set %d overflows", set->handle);
    if (result == PAPI_OK) {
        int found = overflow_positions(set, vector, array, *number);
        *number = found < *number ? found : *number;
    }
    return api_result(result);
}

static int profile_on(struct eventset *set, PAPI_sprofil_t *regions, int n, int code, int threshold,
                      int flags)
{
    int result = PAPI_OK;
    struct profile *profile = NULL;
    int force = (flags & PAPI_PROFIL_FORCE_SW) != 0 ? PAPI_OVERFLOW_FORCE_SW : 0;
    api_lock();
    result = overflow_check(set, code, threshold, force, api_why());
    if (result == PAPI_OK && threshold != 0)
        profile = profile_create(regions, n, flags & ~PAPI_PROFIL_FORCE_SW, &result, api_why());
    if (result == PAPI_OK)
        result = overflow_set(set, code, threshold, force, NULL, profile, api_why());
    api_unlock();
    if (result != PAPI_OK)
        profile_free(profile);
    return result;
}

int PAPI_sprofil(PAPI_sprofil_t *prof, int n, int es, int code, int threshold, int flags)
{
    struct eventset *set;
    int result = handle_find(es, &set);
    if (result == PAPI_OK && prof == NULL && threshold != 0)
        result = api_null("the array of regions");
    if (result == PAPI_OK && threshold != 0 && (n < 1 || n > 1 << 20))
        result = reason_set(api_why(), PAPI_EINVAL, "an array of %d regions", n);
    return api_result(result == PAPI_OK ? profile_on(set, prof, n, code, threshold, flags) : result);
}

int PAPI_profil(void *buf, unsigned bufsiz, vptr_t offset, unsigned scale, int es, int code, int threshold,
                int flags)
{
    PAPI_sprofil_t region = {.pr_base = buf, .pr_size = bufsiz, .pr_off = offset, .pr_scale = scale};
    return PAPI_sprofil(&region, 1, es, code, threshold, flags);
}
