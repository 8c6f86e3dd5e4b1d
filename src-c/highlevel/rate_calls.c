/* SPDX-License-Identifier: BSD-3-Clause */
#include "api/client.h"
#include "highlevel/highlevel.h"

#include <stdbool.h>

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

static struct highlevel_part *find(struct highlevel *hl, const struct rate *rate)
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
    struct highlevel_part *part = find(hl, rate);
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
