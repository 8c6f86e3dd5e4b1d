/* SPDX-License-Identifier: BSD-3-Clause */
#include "api/api.h"
#include "core/eventset.h"
#include "core/handles.h"
#include "core/times.h"

/* The calls in a program's loops: no lock, no allocation, at most the system calls of the group. */

/* The event set was not found: the thread's reason says why. */
static __attribute__((cold, noinline)) int not_found(void)
{
    return api_failed(handle_refusal());
}

/* The set is missing, or the array of counts. */
static __attribute__((cold, noinline)) int not_readable(const struct eventset *set)
{
    return set == NULL ? not_found() : api_failed(api_null("the array of counts"));
}

int PAPI_start(int es)
{
    struct eventset *set = handle_set(es);
    return set != NULL ? api_result(eventset_start(set)) : not_found();
}

int PAPI_stop(int es, long long *values)
{
    struct eventset *set = handle_set(es);
    return set != NULL ? api_result(eventset_stop(set, values)) : not_found();
}

int PAPI_read(int es, long long *values)
{
    struct eventset *set = handle_set(es);
    if (__builtin_expect(set == NULL || values == NULL, 0))
        return not_readable(set);
    return api_result(eventset_read(set, values));
}

int PAPI_read_ts(int es, long long *values, long long *cycles)
{
    if (cycles == NULL && handle_set(es) != NULL)
        return api_failed(api_null("cycles"));
    int code = PAPI_read(es, values);
    if (code == PAPI_OK)
        *cycles = times_ticks();
    return code;
}

int PAPI_accum(int es, long long *values)
{
    struct eventset *set = handle_set(es);
    if (__builtin_expect(set == NULL || values == NULL, 0))
        return not_readable(set);
    return api_result(eventset_accum(set, values));
}

int PAPI_reset(int es)
{
    struct eventset *set = handle_set(es);
    return set != NULL ? api_result(eventset_reset(set)) : not_found();
}

int PAPI_write(int es, long long *values)
{
    struct eventset *set = handle_set(es);
    if (set == NULL || values == NULL)
        return not_readable(set);
    return api_result(eventset_write(set, values));
}
