/* SPDX-License-Identifier: BSD-3-Clause */
#include "api/client.h"
#include "highlevel/highlevel.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* ---- the thread's counters */

static int initialise(void)
{
    if (PAPI_is_initialized() != PAPI_NOT_INITED)
        return PAPI_OK;
    int version = PAPI_library_init(PAPI_VER_CURRENT);
    return version == PAPI_VER_CURRENT ? PAPI_OK : version;
}

static int find_state(struct highlevel **out)
{
    void *slot = NULL;
    int code = PAPI_get_thr_specific(PAPI_TLS_HIGH_LEVEL, &slot);
    *out = slot;
    return code;
}

static int create(struct highlevel **out)
{
    struct highlevel *hl = calloc(1, sizeof *hl);
    int code = hl != NULL ? PAPI_set_thr_specific(PAPI_TLS_HIGH_LEVEL, hl) : PAPI_ENOMEM;
    if (code == PAPI_OK)
        *out = hl;
    else
        free(hl);
    return code;
}

int highlevel_get(struct highlevel **out)
{
    int code = initialise() ?: find_state(out);
    return code == PAPI_OK && *out == NULL ? create(out) : code;
}

struct highlevel *highlevel_counting(void)
{
    struct highlevel *hl = NULL;
    if (PAPI_is_initialized() == PAPI_NOT_INITED || find_state(&hl) != PAPI_OK)
        return NULL;
    return hl != NULL && hl->n > 0 ? hl : NULL;
}

int highlevel_interrupted(void)
{
    return client_failed(PAPI_ECNFLCT,
                         "this signal handler has interrupted a call that starts, reads or ends the thread's "
                         "counters of PAPI_flops and its like: they can be read in the next signal, or in "
                         "the program; after a handler was left by siglongjmp, PAPI_rate_stop or "
                         "PAPI_stop_counters makes them usable");
}

int highlevel_enter(struct highlevel *hl)
{
    if (hl->busy)
        return highlevel_interrupted();
    hl->busy = 1;
    atomic_signal_fence(memory_order_seq_cst);
    return PAPI_OK;
}

void highlevel_leave(struct highlevel *hl)
{
    atomic_signal_fence(memory_order_seq_cst);
    hl->busy = 0;
}

/* The caller may be about to report an earlier error: errno stays that error's, and so does the reason
 * behind PAPI_strerror, since only calls that fail replace it: a set that does not run is not stopped. */
void highlevel_drop(int *es)
{
    int saved = errno, state = 0;
    if (*es == PAPI_NULL)
        return;
    if (PAPI_state(*es, &state) == PAPI_OK && (state & PAPI_RUNNING) != 0)
        PAPI_stop(*es, NULL);
    PAPI_cleanup_eventset(*es);
    PAPI_destroy_eventset(es);
    *es = PAPI_NULL; /* one from before PAPI_shutdown, too */
    errno = saved;
}

/* Adds events to a part. Counts are distinguished by position: no event may take the place of one that is
 * refused. */
static int add(struct highlevel_part *part, const int *codes, int n, int needed)
{
    int code = PAPI_OK;
    while (part->events < n && (code = PAPI_add_event(part->es, codes[part->events])) == PAPI_OK)
        part->events++;
    return part->events >= needed ? PAPI_OK : code;
}

int highlevel_start(struct highlevel *hl, enum highlevel_use use, const int *codes, int n, int needed)
{
    struct highlevel_part *part = &hl->part[hl->n];
    *part = (struct highlevel_part){.use = use, .es = PAPI_NULL};
    hl->n++; /* before it has counters: what a handler's siglongjmp leaves of it can be ended */
    int code = PAPI_create_eventset(&part->es) ?: add(part, codes, n, needed) ?: PAPI_start(part->es);
    if (code == PAPI_OK)
        return PAPI_OK;
    highlevel_drop(&part->es);
    hl->n--;
    return code;
}

static void drop_all(struct highlevel *hl)
{
    while (hl->n > 0) {
        highlevel_drop(&hl->part[hl->n - 1].es);
        hl->n--;
    }
}

static __attribute__((cold)) int end_left_call(struct highlevel *hl)
{
    if (!client_blocks_no_signal())
        return highlevel_interrupted();
    drop_all(hl);
    highlevel_leave(hl);
    return client_failed(PAPI_ECNFLCT,
                         "a signal handler has left a call by siglongjmp: its counters are given "
                         "up, and the next call starts them anew");
}

int highlevel_stop(struct highlevel *hl, long long *values)
{
    /* Whatever PAPI_stop says (after a fork: that the counters are the parent's), the thread must be
     * able to start anew. */
    int code = PAPI_OK;
    if (hl->busy)
        return end_left_call(hl);
    highlevel_enter(hl);
    for (int i = 0; i < hl->n; i++) {
        int other = PAPI_stop(hl->part[i].es, i == 0 ? values : NULL);
        code = code ?: other;
    }
    drop_all(hl);
    highlevel_leave(hl);
    return code;
}

/* ---- counters by their number */

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
                                           "PAPI_flops_rate, PAPI_flips_rate or PAPI_epc starts that");
    return highlevel_stop(hl, NULL);
}

/* ---- rates */

/* The events of one of the functions, first that of its rate, and how many of them its result needs. */
struct rate {
    enum highlevel_use use;
    int codes[MOST_RATE_EVENTS];
    int n, needed;
};

/* Names of the calls that start counting, by enum highlevel_use. */
static const char *const starters[] = {NULL,       "PAPI_start_counters", "PAPI_flips",      "PAPI_flops",
                                       "PAPI_ipc", "PAPI_flips_rate",     "PAPI_flops_rate", "PAPI_epc"};

/* The reference has the cycles counted beside the floating-point event, but no result of
 * PAPI_flips and PAPI_flops is made of them: a machine (or a table of presets) without cycles, or
 * without a counter to spare for them, does not fail for that. */
static const struct rate rate_flips = {HIGHLEVEL_FLIPS, {PAPI_FP_INS, PAPI_TOT_CYC}, 2, 1};
static const struct rate rate_flops = {HIGHLEVEL_FLOPS, {PAPI_FP_OPS, PAPI_TOT_CYC}, 2, 1};
static const struct rate rate_ipc = {HIGHLEVEL_IPC, {PAPI_TOT_INS, PAPI_TOT_CYC}, 2, 2};

static int take(const struct highlevel_part *part, struct highlevel_sample *sample)
{
    int code = PAPI_read(part->es, sample->count);
    sample->virt_nsec = PAPI_get_virt_nsec();
    sample->real_nsec = PAPI_get_real_nsec();
    return code;
}

static struct highlevel_sample between(const struct highlevel_sample *a, const struct highlevel_sample *b)
{
    struct highlevel_sample d = {{0}, b->real_nsec - a->real_nsec, b->virt_nsec - a->virt_nsec};
    for (int i = 0; i < MOST_RATE_EVENTS; i++)
        d.count[i] = b->count[i] - a->count[i];
    return d;
}

static int start(struct highlevel *hl, const struct rate *rate)
{
    int code = highlevel_start(hl, rate->use, rate->codes, rate->n, rate->needed);
    if (code != PAPI_OK)
        return code;
    struct highlevel_part *part = &hl->part[hl->n - 1];
    part->event = rate->codes[0];
    part->first = (struct highlevel_sample){{0}, PAPI_get_real_nsec(), PAPI_get_virt_nsec()};
    part->last = part->first;
    return PAPI_OK;
}

static struct highlevel_part *find_part(struct highlevel *hl, const struct rate *rate)
{
    for (int i = 0; i < hl->n; i++)
        if (hl->part[i].use == rate->use && hl->part[i].event == rate->codes[0])
            return &hl->part[i];
    return NULL;
}

static bool is_old(enum highlevel_use use)
{
    return use == HIGHLEVEL_FLIPS || use == HIGHLEVEL_FLOPS || use == HIGHLEVEL_IPC;
}

/* True if this rate may begin beside what counts already. */
static bool may_begin(const struct highlevel *hl, const struct rate *rate)
{
    return hl->n == 0 || (is_old(hl->part[0].use) && is_old(rate->use) && hl->n < MOST_PARTS);
}

static __attribute__((cold)) int in_use(const struct highlevel *hl, const struct rate *rate)
{
    enum highlevel_use use = hl->part[0].use;
    const char *starter = starters[use];
    if (use == rate->use)
        return client_failed(PAPI_EINVAL, "%s counts another event in this thread: call PAPI_rate_stop first",
                             starter);
    return client_failed(PAPI_EINVAL, "%s counts in this thread: call %s first", starter,
                         use == HIGHLEVEL_CLASSIC ? "PAPI_stop_counters" : "PAPI_rate_stop");
}

static double quotient(long long a, long long b, double scale)
{
    return b > 0 ? scale * (double)a / (double)b : 0.0;
}

/* Starts a rate's counters. Its figures are zeroes: nothing is calculated, which the counters would count. */
static __attribute__((cold)) int first_step(struct highlevel *hl, const struct rate *rate, float *rtime,
                                            float *ptime, struct highlevel_sample *total,
                                            struct highlevel_sample *latest)
{
    int code = may_begin(hl, rate) ? start(hl, rate) : in_use(hl, rate);
    if (code != PAPI_OK)
        return code;
    *total = *latest = (struct highlevel_sample){{0}, 0, 0};
    *rtime = *ptime = 0;
    return PAPI_OK;
}

/* Computes the counts since the first call and since the previous one; zeroes from the first call. */
static inline int step_within(struct highlevel *hl, const struct rate *rate, float *rtime, float *ptime,
                              struct highlevel_sample *total, struct highlevel_sample *latest)
{
    struct highlevel_sample now = {{0}, 0, 0};
    struct highlevel_part *part = find_part(hl, rate);
    if (part == NULL)
        return first_step(hl, rate, rtime, ptime, total, latest);
    int code = take(part, &now);
    if (code != PAPI_OK)
        return code;
    *total = between(&part->first, &now);
    *latest = between(&part->last, &now);
    part->last = now;
    *rtime = (float)((double)total->real_nsec * 1e-9);
    *ptime = (float)((double)total->virt_nsec * 1e-9);
    return PAPI_OK;
}

static int step(const struct rate *rate, float *rtime, float *ptime, struct highlevel_sample *total,
                struct highlevel_sample *latest)
{
    struct highlevel *hl;
    int code = highlevel_get(&hl) ?: highlevel_enter(hl);
    if (code != PAPI_OK)
        return code;
    code = step_within(hl, rate, rtime, ptime, total, latest);
    highlevel_leave(hl);
    return code;
}

/* The reference gives the rate in operations a second without saying which second. It is one of CPU
 * time here, as papi.h states: time in which the thread did not run says nothing about its code. */
static inline __attribute__((always_inline)) int count_and_rate(const struct rate *rate, float *rtime,
                                                                float *ptime, long long *count, float *result)
{
    struct highlevel_sample total, latest;
    if (rtime == NULL || ptime == NULL || count == NULL || result == NULL)
        return client_null();
    int code = step(rate, rtime, ptime, &total, &latest);
    if (code != PAPI_OK)
        return code;
    *count = total.count[0];
    *result = rate->use == HIGHLEVEL_IPC ? (float)quotient(latest.count[0], latest.count[1], 1)
                                         : (float)quotient(latest.count[0], latest.virt_nsec, 1e3);
    return PAPI_OK;
}

int PAPI_flips(float *rtime, float *ptime, long long *flpins, float *mflips)
{
    return count_and_rate(&rate_flips, rtime, ptime, flpins, mflips);
}

int PAPI_flops(float *rtime, float *ptime, long long *flpops, float *mflops)
{
    return count_and_rate(&rate_flops, rtime, ptime, flpops, mflops);
}

int PAPI_flips_rate(int event, float *rtime, float *ptime, long long *flpins, float *mflips)
{
    struct rate rate = {HIGHLEVEL_FLIPS_RATE, {event}, 1, 1};
    return count_and_rate(&rate, rtime, ptime, flpins, mflips);
}

int PAPI_flops_rate(int event, float *rtime, float *ptime, long long *flpops, float *mflops)
{
    struct rate rate = {HIGHLEVEL_FLOPS_RATE, {event}, 1, 1};
    return count_and_rate(&rate, rtime, ptime, flpops, mflops);
}

int PAPI_ipc(float *rtime, float *ptime, long long *ins, float *ipc)
{
    return count_and_rate(&rate_ipc, rtime, ptime, ins, ipc);
}

/* The position of a code; it is added where it is not there yet, since an event set has an event once. */
static int position(struct rate *rate, int code)
{
    for (int i = 0; i < rate->n; i++)
        if (rate->codes[i] == code)
            return i;
    rate->codes[rate->n] = code;
    return rate->n++;
}

int PAPI_epc(int event, float *rtime, float *ptime, long long *ref, long long *core, long long *evt,
             float *epc)
{
    struct rate rate = {.use = HIGHLEVEL_EPC};
    struct highlevel_sample total, latest;
    if (rtime == NULL || ptime == NULL || ref == NULL || core == NULL || evt == NULL || epc == NULL)
        return client_null();
    position(&rate, event == 0 ? PAPI_TOT_INS : event);
    int i_core = position(&rate, PAPI_TOT_CYC);
    rate.needed = rate.n;
    int i_ref = position(&rate, PAPI_REF_CYC);
    int code = step(&rate, rtime, ptime, &total, &latest);
    if (code != PAPI_OK)
        return code;
    *ref = total.count[i_ref]; /* stays 0 where it is not counted */
    *core = total.count[i_core];
    *evt = total.count[0];
    *epc = (float)quotient(latest.count[0], latest.count[i_core], 1);
    return PAPI_OK;
}
