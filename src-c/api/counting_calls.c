/* SPDX-License-Identifier: BSD-3-Clause */
#include "api/api.h"
#include "base/likely.h"
#include "core/descriptions.h"
#include "core/eventset.h"
#include "core/handles.h"
#include "core/times.h"

/* The calls in a program's loops: no lock, no allocation, at most the system calls of the group. */

/* The event set was not found: the thread's reason says why. */
static __attribute__((cold, noinline)) int not_found(void)
{
    return api_failed(handle_refusal());
}

/* Ends a call that returns PAPI_OK or an error. The code is in its register: to make it anew is an
 * instruction more.
 */
static inline int outcome(int code)
{
    if (unlikely(code != PAPI_OK))
        return api_failed(code);
    __asm__("" : "+r"(code));
    return code;
}

static __attribute__((cold, noinline)) int no_array(int es)
{
    return handle_set(es) != NULL ? api_failed(api_null("the array of counts")) : not_found();
}

int PAPI_start(int es)
{
    struct eventset *set = handle_set(es);
    return set != NULL ? outcome(eventset_start(set)) : not_found();
}

int PAPI_stop(int es, long long *values)
{
    struct eventset *set = handle_set(es);
    return set != NULL ? outcome(eventset_stop(set, values)) : not_found();
}

int PAPI_read(int es, long long *values)
{
    if (unlikely(values == NULL))
        return no_array(es);
    struct eventset *set = handle_set(es);
    return set != NULL ? outcome(eventset_read(set, values)) : not_found();
}

static int read_threads(int es, long long *tids, long long *ended, long long *values, int *n)
{
    struct eventset *set;
    int code = handle_find(es, &set) ?: api_not_null(n, "n");
    if (code == PAPI_OK && *n > 0 && (tids == NULL || ended == NULL || values == NULL))
        code = api_null("an array");
    return code ?: eventset_read_threads(set, tids, ended, values, n);
}

int PAPI_read_threads(int es, long long *tids, long long *ended, long long *values, int *n)
{
    return api_result(read_threads(es, tids, ended, values, n));
}

static int read_shares(int es, double *shares)
{
    struct eventset *set;
    int code = handle_find(es, &set) ?: api_not_null(shares, "the array of shares");
    return code ?: eventset_read_shares(set, shares);
}

int PAPI_read_shares(int es, double *shares)
{
    return api_result(read_shares(es, shares));
}

int PAPI_read_ts(int es, long long *values, long long *cycles)
{
    if (cycles == NULL && handle_set(es) != NULL)
        return api_failed(api_null("cycles"));
    int code = PAPI_read(es, values);
    if (code == PAPI_OK || code == PAPI_ECLOST) /* the counts may be there all the same, and have a time */
        *cycles = times_ticks();
    return code;
}

int PAPI_accum(int es, long long *values)
{
    if (unlikely(values == NULL))
        return no_array(es);
    struct eventset *set = handle_set(es);
    return set != NULL ? outcome(eventset_accum(set, values)) : not_found();
}

int PAPI_reset(int es)
{
    struct eventset *set = handle_set(es);
    return set != NULL ? outcome(eventset_reset(set)) : not_found();
}

int PAPI_write(int es, long long *values)
{
    if (values == NULL)
        return no_array(es);
    struct eventset *set = handle_set(es);
    return set != NULL ? outcome(eventset_write(set, values)) : not_found();
}

/* ---- clocks */

long long PAPI_get_real_cyc(void)
{
    return times_ticks();
}

long long PAPI_get_real_usec(void)
{
    return times_real_usec();
}

long long PAPI_get_real_nsec(void)
{
    return times_real();
}

long long PAPI_get_virt_cyc(void)
{
    /* Multiplied in pieces: nanoseconds times kHz leaves 64 bits after some days. */
    long long nsec = times_virtual(), khz = hardware_tick_khz();
    return nsec / 1000000 * khz + nsec % 1000000 * khz / 1000000;
}

long long PAPI_get_virt_usec(void)
{
    return times_virtual() / 1000;
}

long long PAPI_get_virt_nsec(void)
{
    return times_virtual();
}
