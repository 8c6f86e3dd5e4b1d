/* SPDX-License-Identifier: BSD-3-Clause */
#include "api/api.h"
#include "core/eventset.h"
#include "core/handles.h"
#include "hardware/clock.h"

/* The calls in a program's loops: no lock, no allocation, at most the system calls of the group. */

int PAPI_start(int es)
{
    struct eventset *set;
    int code = handle_find(es, &set);
    return api_result(code == PAPI_OK ? eventset_start(set) : code);
}

int PAPI_stop(int es, long long *values)
{
    struct eventset *set;
    int code = handle_find(es, &set);
    return api_result(code == PAPI_OK ? eventset_stop(set, values) : code);
}

/* Finds the set of a call that needs an array of counts. */
static inline int find_with_values(int es, const long long *values, struct eventset **set)
{
    int code = handle_find(es, set);
    if (__builtin_expect(code == PAPI_OK && values == NULL, 0))
        code = api_null("the array of counts");
    return code;
}

int PAPI_read(int es, long long *values)
{
    struct eventset *set;
    int code = find_with_values(es, values, &set);
    return api_result(code == PAPI_OK ? eventset_read(set, values) : code);
}

int PAPI_read_ts(int es, long long *values, long long *cycles)
{
    struct eventset *set;
    int code = find_with_values(es, values, &set);
    if (code == PAPI_OK && cycles == NULL)
        code = api_null("cycles");
    if (code != PAPI_OK)
        return api_result(code);
    code = PAPI_read(es, values);
    *cycles = clock_ticks();
    return code;
}

int PAPI_accum(int es, long long *values)
{
    struct eventset *set;
    int code = find_with_values(es, values, &set);
    return api_result(code == PAPI_OK ? eventset_accum(set, values) : code);
}

int PAPI_reset(int es)
{
    struct eventset *set;
    int code = handle_find(es, &set);
    return api_result(code == PAPI_OK ? eventset_reset(set) : code);
}

int PAPI_write(int es, long long *values)
{
    struct eventset *set;
    int code = find_with_values(es, values, &set);
    return api_result(code == PAPI_OK ? eventset_write(set, values) : code);
}
