/* SPDX-License-Identifier: BSD-3-Clause */
#include "api/api.h"
#include "core/handles.h"
#include "core/overflow.h"

int PAPI_overflow(int es, int event, int threshold, int flags, PAPI_overflow_handler_t handler)
{
    struct eventset *set;
    int code = handle_find(es, &set);
    if (code == PAPI_OK && threshold != 0)
        code = api_given((const void *)(uintptr_t)handler, "the overflow handler");
    if (code == PAPI_OK) {
        api_lock();
        code = api_unlock(overflow_set(set, event, threshold, flags, handler, NULL, api_why()));
    }
    return api_result(code);
}

int PAPI_get_overflow_event_index(int es, long long vector, int *array, int *number)
{
    struct eventset *set;
    int code = handle_find(es, &set) ?: api_given(array, "the array of indexes");
    code = code ?: api_given(number, "the number of indexes");
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

static int profile_on(struct eventset *set, PAPI_sprofil_t *regions, int n, int event, int threshold,
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
        code = api_given(prof, "the array of regions");
    if (code == PAPI_OK && threshold != 0 && (n < 1 || n > 1 << 20))
        code = reason_set(api_why(), PAPI_EINVAL, "an array of %d regions", n);
    return api_result(code ?: api_lock() ?: api_unlock(profile_on(set, prof, n, event, threshold, flags)));
}

int PAPI_profil(void *buf, unsigned bufsiz, vptr_t offset, unsigned scale, int es, int event, int threshold,
                int flags)
{
    PAPI_sprofil_t region = {.pr_base = buf, .pr_size = bufsiz, .pr_off = offset, .pr_scale = scale};
    return PAPI_sprofil(&region, 1, es, event, threshold, flags);
}
