/* SPDX-License-Identifier: BSD-3-Clause */
#include "api/client.h"
#include "highlevel/highlevel.h"

#include <string.h>

/* Limits a number of counters to that of a processor: an emulator and a counted program count all their
 * events at once, and old programs have arrays for as many counters as processors had. */
static int as_of_a_processor(int n)
{
    enum { USUAL = 8 };
    const PAPI_component_info_t *info = PAPI_get_component_info(PAPI_get_event_component(PAPI_TOT_INS));
    return n > USUAL && info != NULL && strcmp(info->name, "perf_event") != 0 ? USUAL : n;
}

int PAPI_num_counters(void)
{
    struct highlevel *hl; /* so that PAPI_is_initialized says PAPI_HIGH_LEVEL_INITED */
    return highlevel_get(&hl) ?: as_of_a_processor(PAPI_num_hwctrs());
}

/* An overflow vector has one bit for each event, so no event set holds more. Beyond that codes[] is
 * not looked at: a size that is garbage is refused, not followed. */
enum { MOST_EVENTS = 64 };

int PAPI_start_counters(int *codes, int n)
{
    struct highlevel *hl;
    if (codes == NULL || n < 1 || n > MOST_EVENTS)
        return PAPI_EINVAL;
    int code = highlevel_get(&hl);
    code = code ?: highlevel_enter(hl);
    if (code != PAPI_OK)
        return code;
    code = hl->n > 0 ? PAPI_EISRUN : highlevel_start(hl, HIGHLEVEL_CLASSIC, codes, n, n);
    highlevel_leave(hl);
    return code;
}

/* Finds the classic calls' event set. The counters of PAPI_flips and its sisters are refused too: reading
 * zeroes, and their totals would be wrong from then on. */
static int find(const long long *values, int n, int *es)
{
    if (values == NULL || n < 1)
        return PAPI_EINVAL;
    const struct highlevel *hl = highlevel_counting();
    if (hl == NULL)
        return PAPI_ENOTRUN;
    if (hl->busy)
        return highlevel_interrupted();
    *es = hl->part[0].es;
    return hl->part[0].use == HIGHLEVEL_CLASSIC && hl->part[0].events == n ? PAPI_OK : PAPI_EINVAL;
}

int PAPI_accum_counters(long long *values, int n)
{
    int es = PAPI_NULL;
    return find(values, n, &es) ?: PAPI_accum(es, values);
}

/* True if the counts were written: those of a set that runs are, too, where they may be too little. */
static bool counts_written(int es, int code)
{
    int state = 0;
    return code == PAPI_OK ||
           (code == PAPI_ECLOST && PAPI_state(es, &state) == PAPI_OK && (state & PAPI_RUNNING) != 0);
}

int PAPI_read_counters(long long *values, int n)
{
    long long counts[MOST_EVENTS] = {0};
    int es = PAPI_NULL, code = find(values, n, &es);
    if (code != PAPI_OK)
        return code;
    /* Not PAPI_read and PAPI_reset: what is counted between the two would be lost. */
    code = PAPI_accum(es, counts);
    if (counts_written(es, code))
        memcpy(values, counts, (size_t)n * sizeof *values);
    return code;
}

/* Callers of PAPI_flips and its sisters do not know how many events these count, so any room is
 * right for them and is filled as far as it goes: with those of the one that was called first. */
static int stop_rates(struct highlevel *hl, long long *values, int n)
{
    long long counts[MOST_RATE_EVENTS] = {0};
    int events = hl->part[0].events;
    int code = highlevel_stop(hl, counts);
    for (int i = 0; code == PAPI_OK && values != NULL && i < n && i < events; i++)
        values[i] = counts[i];
    return code;
}

int PAPI_stop_counters(long long *values, int n)
{
    struct highlevel *hl = highlevel_counting();
    if (hl == NULL)
        return PAPI_ENOTRUN;
    if (hl->part[0].use != HIGHLEVEL_CLASSIC)
        return stop_rates(hl, values, n);
    if (!hl->busy && (values == NULL || n != hl->part[0].events))
        return PAPI_EINVAL;
    return highlevel_stop(hl, values);
}

int PAPI_rate_stop(void)
{
    struct highlevel *hl = highlevel_counting();
    if (hl == NULL || hl->part[0].use < HIGHLEVEL_FLIPS)
        return client_failed(PAPI_ENOTRUN, "no rate is being counted in this thread: the first call of "
                                           "PAPI_flops_rate and its sisters starts that");
    return highlevel_stop(hl, NULL);
}
