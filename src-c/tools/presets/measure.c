/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the work */

int bench_make(struct bench *bench)
{
    long long available = walks_available();
    *bench = (struct bench){.ones = calloc(1, ONES_SIZE), .caches = walks_caches(PAPI_get_hardware_info())};
    if (bench->ones == NULL)
        return -1;
    kernels_ones(bench->ones);
    for (int i = 0; i < WALKS; i++)
        walk_plan(&bench->walk[i], (enum footprint)i, &bench->caches, available);
    return 0;
}

void bench_free(struct bench *bench)
{
    for (int i = 0; i < WALKS; i++)
        walk_free(&bench->walk[i]);
    free(bench->ones);
}

/* A kernel, or where that is NULL a walk. */
struct piece {
    const struct kernel *kernel;
    struct walk *walk;
};

static void run_piece(const struct bench *bench, const struct piece *piece, long n)
{
    if (piece->kernel != NULL)
        piece->kernel->run(n, bench->ones);
    else
        walk_run(piece->walk, n);
}

static const struct kernel *kernel_by_name(const char *name)
{
    for (const struct kernel *kernel = kernels; kernel->name != NULL; kernel++)
        if (strcmp(kernel->name, name) == 0)
            return kernel;
    return NULL;
}

/* ---- counting */

static int count_once(const struct bench *bench, int set, const struct piece *piece, long n, long long *count)
{
    int code = PAPI_start(set);
    if (code != PAPI_OK)
        return code;
    run_piece(bench, piece, n);
    return PAPI_stop(set, count);
}

/* Counts all rounds, after one that is not looked at: it finds functions and brings code into caches. */
static int count_rounds(const struct bench *bench, int set, const struct piece *piece, long n,
                        struct sample *sample)
{
    long long single = 0, twice = 0;
    int code = count_once(bench, set, piece, 1, &single);
    for (int i = 0; i < SAMPLE_ROUNDS && code == PAPI_OK; i++) {
        code = count_once(bench, set, piece, n, &single);
        if (code == PAPI_OK)
            code = count_once(bench, set, piece, 2 * n, &twice);
        sample->counted[i] = (double)(twice - single) / (double)n;
    }
    return code;
}

static int count_exactly(const struct bench *bench, int set, const struct exact_claim *claim, long n,
                         struct samples *samples)
{
    int code = PAPI_OK;
    for (const struct kernel *kernel = kernels; kernel->name != NULL && code == PAPI_OK; kernel++) {
        double claimed = exact_claim_of(claim, kernel);
        struct sample *sample = &samples->sample[samples->n];
        if (isnan(claimed) || !kernels_feature(kernel->needs) || samples->n == MOST_SAMPLES)
            continue;
        *sample = (struct sample){.unit = "iteration",
                                  .exact = true,
                                  .least = claimed,
                                  .most = claimed,
                                  .instructions = kernels_per_iteration(kernel, INSTRUCTIONS)};
        snprintf(sample->work, sizeof sample->work, "%s", kernel->name);
        code = count_rounds(bench, set, &(struct piece){.kernel = kernel}, n, sample);
        samples->n += code == PAPI_OK;
    }
    return code;
}

/* False if the caches are not those that the claim is about. */
static bool is_claimed_here(const struct bench *bench, const struct range_claim *claim)
{
    return claim->level < 0 || 2 * bench->walk[claim->footprint].bytes <= bench->caches.level[claim->level];
}

static int count_range(struct bench *bench, int set, const struct range_claim *claim, long n,
                       struct samples *samples, const char **why)
{
    struct sample *sample = &samples->sample[samples->n];
    struct piece piece = {claim->kernel != NULL ? kernel_by_name(claim->kernel) : NULL,
                          &bench->walk[claim->footprint]};
    if (samples->n == MOST_SAMPLES ||
        (claim->kernel != NULL ? piece.kernel == NULL : !is_claimed_here(bench, claim)))
        return PAPI_OK;
    if (piece.kernel == NULL && walk_prepare(piece.walk) != 0) {
        *why = piece.walk->why;
        return PAPI_OK;
    }
    *sample = (struct sample){.unit = piece.kernel != NULL    ? "iteration"
                                      : piece.walk->is_code   ? "jump"
                                      : piece.walk->is_stores ? "store"
                                                              : "load",
                              .least = claim->least,
                              .most = claim->most,
                              .instructions = NAN};
    snprintf(sample->work, sizeof sample->work, "%s",
             piece.kernel != NULL ? piece.kernel->name : piece.walk->name);
    int code = count_rounds(bench, set, &piece, piece.kernel != NULL ? n : walk_steps(piece.walk, n), sample);
    samples->n += code == PAPI_OK;
    return code;
}

static int count_claims(struct bench *bench, int set, const char *preset, long n, struct samples *samples,
                        const char **why)
{
    int code = PAPI_OK;
    for (const struct exact_claim *claim = exact_claims; claim->preset != NULL && code == PAPI_OK; claim++)
        if (strcmp(claim->preset, preset) == 0)
            code = count_exactly(bench, set, claim, n, samples);
    for (const struct range_claim *claim = range_claims; claim->preset != NULL && code == PAPI_OK; claim++)
        if (strcmp(claim->preset, preset) == 0)
            code = count_range(bench, set, claim, n, samples, why);
    return code;
}

int bench_count(struct bench *bench, const PAPI_event_info_t *info, long n, struct samples *samples,
                const char **why)
{
    int set = PAPI_NULL, code = PAPI_create_eventset(&set);
    samples->n = 0;
    *why = "";
    if (code == PAPI_OK)
        code = PAPI_add_event(set, (int)info->event_code);
    if (code == PAPI_OK)
        code = count_claims(bench, set, info->symbol, n, samples, why);
    PAPI_cleanup_eventset(set);
    PAPI_destroy_eventset(&set);
    return code;
}

const char *bench_like(const struct samples *samples, const char *preset)
{
    for (const struct exact_claim *claim = exact_claims; claim->preset != NULL; claim++) {
        double claims[MOST_SAMPLES];
        if (strcmp(claim->preset, preset) == 0)
            continue;
        for (int i = 0; i < samples->n; i++) {
            const struct kernel *kernel = kernel_by_name(samples->sample[i].work);
            claims[i] = kernel != NULL ? exact_claim_of(claim, kernel) : NAN;
        }
        if (judge_is_like(samples, claims))
            return claim->preset;
    }
    return NULL;
}
