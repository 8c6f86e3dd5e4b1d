/* SPDX-License-Identifier: BSD-3-Clause */
#include "highlevel.h"

/* One of the three functions: the events, and how many of them its result needs. */
struct rate {
    enum highlevel_use use;
    int codes[2];
    int needed;
};

/* The reference has the cycles counted beside the floating-point event, but no result of
 * PAPI_flips and PAPI_flops is made of them: a machine (or a table of presets) without cycles, or
 * without a counter to spare for them, does not fail for that. */
static const struct rate rate_flips = {HIGHLEVEL_FLIPS, {PAPI_FP_INS, PAPI_TOT_CYC}, 1};
static const struct rate rate_flops = {HIGHLEVEL_FLOPS, {PAPI_FP_OPS, PAPI_TOT_CYC}, 1};
static const struct rate rate_ipc = {HIGHLEVEL_IPC, {PAPI_TOT_INS, PAPI_TOT_CYC}, 2};

static int take(const struct highlevel *hl, struct highlevel_sample *sample)
{
    int error = PAPI_read(hl->es, sample->count);

    sample->virt_nsec = PAPI_get_virt_nsec();
    sample->real_nsec = PAPI_get_real_nsec();
    return error;
}

static struct highlevel_sample between(const struct highlevel_sample *a, const struct highlevel_sample *b)
{
    struct highlevel_sample d = {{b->count[0] - a->count[0], b->count[1] - a->count[1]},
                                 b->real_nsec - a->real_nsec,
                                 b->virt_nsec - a->virt_nsec};
    return d;
}

static int start(struct highlevel *hl, const struct rate *rate)
{
    int error = highlevel_start(hl, rate->use, rate->codes, 2, rate->needed);

    if (error != PAPI_OK)
        return error;
    hl->first = (struct highlevel_sample){{0, 0}, PAPI_get_real_nsec(), PAPI_get_virt_nsec()};
    hl->last = hl->first;
    return PAPI_OK;
}

/* What happened since the first call and since the previous one; zeroes from the first call. */
static int step(const struct rate *rate, struct highlevel_sample *total, struct highlevel_sample *latest)
{
    struct highlevel_sample now = {{0, 0}, 0, 0};
    struct highlevel *hl;
    int error = highlevel_get(&hl);

    if (error != PAPI_OK)
        return error;
    if (hl->use == HIGHLEVEL_IDLE) {
        error = start(hl, rate);
        now = hl->last;
    } else if (hl->use == rate->use) {
        error = take(hl, &now);
    } else {
        error = PAPI_EINVAL;
    }
    if (error != PAPI_OK)
        return error;
    *total = between(&hl->first, &now);
    *latest = between(&hl->last, &now);
    hl->last = now;
    return PAPI_OK;
}

static double quotient(long long a, long long b)
{
    return b > 0 ? (double)a / (double)b : 0.0;
}

static void report(const struct highlevel_sample *total, float *rtime, float *ptime, long long *count)
{
    *rtime = (float)((double)total->real_nsec * 1e-9);
    *ptime = (float)((double)total->virt_nsec * 1e-9);
    *count = total->count[0];
}

/* The reference gives the rate in operations a second without saying which second. It is one of CPU
 * time here, as papi.h states: time in which the thread did not run says nothing about its code. */
static int floating(const struct rate *rate, float *rtime, float *ptime, long long *count, float *millions)
{
    struct highlevel_sample total, latest;
    int error;

    if (rtime == NULL || ptime == NULL || count == NULL || millions == NULL)
        return PAPI_EINVAL;
    error = step(rate, &total, &latest);
    if (error != PAPI_OK)
        return error;
    report(&total, rtime, ptime, count);
    *millions = (float)(1e3 * quotient(latest.count[0], latest.virt_nsec));
    return PAPI_OK;
}

int PAPI_flips(float *rtime, float *ptime, long long *flpins, float *mflips)
{
    return floating(&rate_flips, rtime, ptime, flpins, mflips);
}

int PAPI_flops(float *rtime, float *ptime, long long *flpops, float *mflops)
{
    return floating(&rate_flops, rtime, ptime, flpops, mflops);
}

int PAPI_ipc(float *rtime, float *ptime, long long *ins, float *ipc)
{
    struct highlevel_sample total, latest;
    int error;

    if (rtime == NULL || ptime == NULL || ins == NULL || ipc == NULL)
        return PAPI_EINVAL;
    error = step(&rate_ipc, &total, &latest);
    if (error != PAPI_OK)
        return error;
    report(&total, rtime, ptime, ins);
    *ipc = (float)quotient(latest.count[0], latest.count[1]);
    return PAPI_OK;
}
