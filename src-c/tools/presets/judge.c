/* SPDX-License-Identifier: BSD-3-Clause */
#include "judge.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Limits of an exact claim, and what is beyond those of a range: none at all is sometimes a little less than
 * none. Interrupts, and the reads before and after, differ by a few operations in thousands. */
#define RIGHT_WITHIN 0.01
#define WRONG_BEYOND 0.05
/* Counts of the rounds that are the same. */
#define SAME_WITHIN 0.02
/* A range is missed by this factor, or not at all. */
#define RANGE_FACTOR 4

/* ---- one piece of work */

static double in_the_middle(double a, double b, double c)
{
    return fmax(fmin(a, b), fmin(fmax(a, b), c));
}

double sample_counted(const struct sample *sample)
{
    return in_the_middle(sample->counted[0], sample->counted[1], sample->counted[2]);
}

static double nearest_claim(const struct sample *sample, double counted)
{
    return fmin(fmax(counted, sample->least), sample->most);
}

/* Parts of an operation are measured against one operation, where fewer are claimed. */
static double unit_of(double claimed)
{
    return fmax(fabs(claimed), 1);
}

static bool is_near(double counted, double claimed, double part)
{
    return fabs(counted - claimed) <= part * unit_of(claimed);
}

bool sample_is_right(const struct sample *sample)
{
    int right = 0;
    for (int i = 0; i < SAMPLE_ROUNDS; i++)
        right += is_near(sample->counted[i], nearest_claim(sample, sample->counted[i]), RIGHT_WITHIN);
    return right >= 2;
}

static bool rounds_agree(const struct sample *sample)
{
    double middle = sample_counted(sample);
    for (int i = 0; i < SAMPLE_ROUNDS; i++)
        if (!is_near(sample->counted[i], middle, SAME_WITHIN))
            return false;
    return true;
}

static bool is_far(const struct sample *sample, double counted)
{
    if (sample->exact)
        return !is_near(counted, sample->least, WRONG_BEYOND);
    return counted < sample->least / RANGE_FACTOR - RIGHT_WITHIN || counted > sample->most * RANGE_FACTOR;
}

bool sample_is_wrong(const struct sample *sample)
{
    for (int i = 0; i < SAMPLE_ROUNDS; i++)
        if (!is_far(sample, sample->counted[i]))
            return false;
    return !sample->exact || rounds_agree(sample);
}

/* ---- all pieces of work together */

/* The factor by which all counts differ from exact claims, of at least two that are not 0. 0: there is none.
 */
static double common_factor(const struct samples *samples)
{
    double factor = 0;
    int n = 0;
    for (int i = 0; i < samples->n; i++) {
        const struct sample *sample = &samples->sample[i];
        double counted = sample_counted(sample);
        if (!sample->exact)
            return 0;
        if (sample->least == 0 ? !is_near(counted, 0, SAME_WITHIN)
                               : n > 0 && !is_near(counted, factor * sample->least, SAME_WITHIN))
            return 0;
        if (sample->least != 0 && n++ == 0)
            factor = counted / sample->least;
    }
    return n >= 2 && !is_near(factor, 0, SAME_WITHIN) && !is_near(factor, 1, SAME_WITHIN) ? factor : 0;
}

bool judge_is_like(const struct samples *samples, const double *claims)
{
    int n = 0;
    for (int i = 0; i < samples->n; i++) {
        if (!samples->sample[i].exact || isnan(claims[i]))
            continue;
        if (!is_near(sample_counted(&samples->sample[i]), claims[i], SAME_WITHIN))
            return false;
        n += claims[i] != 0;
    }
    return n >= 1;
}

static bool same_part(const struct samples *samples, bool claimed)
{
    double part = NAN;
    int n = 0;
    for (int i = 0; i < samples->n; i++) {
        const struct sample *sample = &samples->sample[i];
        double of = claimed ? sample->least : sample_counted(sample);
        if (!sample->exact || isnan(sample->instructions))
            continue;
        if (n++ == 0)
            part = of / sample->instructions;
        if (!is_near(of, part * sample->instructions, SAME_WITHIN))
            return false;
    }
    return n >= 3 && fabs(part) > SAME_WITHIN;
}

bool judge_claims_any(const struct samples *samples)
{
    return same_part(samples, true);
}

bool judge_counts_any(const struct samples *samples)
{
    return same_part(samples, false) && !judge_claims_any(samples);
}

static bool is_silent(const struct samples *samples)
{
    for (int i = 0; i < samples->n; i++)
        for (int round = 0; round < SAMPLE_ROUNDS; round++)
            if (samples->sample[i].counted[round] != 0)
                return false;
    return true;
}

/* ---- words */

void sample_word_claim(char *text, size_t size, const struct sample *sample)
{
    if (sample->exact)
        snprintf(text, size, "%.2f", sample->least);
    else
        snprintf(text, size, "%g to %g", sample->least, sample->most);
}

static void word_deviation(char *text, size_t size, const struct sample *sample)
{
    char claim[CLAIM_WORDS];
    sample_word_claim(claim, sizeof claim, sample);
    snprintf(text, size, "%s: counted %.2f for each %s, not %s", sample->work, sample_counted(sample),
             sample->unit, claim);
}

static void word_variation(char *text, size_t size, const struct sample *sample)
{
    char claim[CLAIM_WORDS];
    sample_word_claim(claim, sizeof claim, sample);
    snprintf(text, size,
             "%s: counted %.2f, %.2f and %.2f for each %s, where %s is claimed: not a clear answer",
             sample->work, sample->counted[0], sample->counted[1], sample->counted[2], sample->unit, claim);
}

/* ---- the verdict */

static const struct sample *first_wrong(const struct samples *samples)
{
    for (int i = 0; i < samples->n; i++)
        if (sample_is_wrong(&samples->sample[i]))
            return &samples->sample[i];
    return NULL;
}

static const struct sample *first_unclear(const struct samples *samples)
{
    for (int i = 0; i < samples->n; i++)
        if (!sample_is_right(&samples->sample[i]))
            return &samples->sample[i];
    return NULL;
}

/* The sample that claims most: it shows that the preset counts something. */
static const struct sample *largest_claim(const struct samples *samples)
{
    const struct sample *largest = NULL;
    for (int i = 0; i < samples->n; i++)
        if (samples->sample[i].least > (largest != NULL ? largest->least : 0))
            largest = &samples->sample[i];
    return largest;
}

static void give(struct judgement *judgement, enum verdict verdict, const struct sample *shown)
{
    judgement->verdict = verdict;
    judgement->shown = shown;
}

/* Words for what the counts look like. */
static void explain(char *text, size_t size, double factor, const struct circumstances *known)
{
    if (factor != 0)
        snprintf(text, size, "; in all kernels %.4g x what it claims", factor);
    else if (known->like != NULL)
        snprintf(text, size, "; in all kernels what %s claims", known->like);
    else
        text[0] = '\0';
}

/* A note explains counts that are sometimes others, not ones that are always a multiple. */
static void judge_wrong(struct judgement *judgement, const struct samples *samples,
                        const struct sample *wrong, const struct circumstances *known)
{
    char deviation[256], looks_like[128];
    double factor = common_factor(samples);
    bool excused = known->note[0] != '\0' && factor == 0, uncertain = !wrong->exact && known->ranges_may_err;
    word_deviation(deviation, sizeof deviation, wrong);
    explain(looks_like, sizeof looks_like, factor, known);
    give(judgement, excused || uncertain ? VERDICT_UNSURE : VERDICT_WRONG, wrong);
    if (uncertain)
        snprintf(judgement->reason, sizeof judgement->reason, "%s; the sizes of caches need not be true here",
                 deviation);
    else if (excused)
        snprintf(judgement->reason, sizeof judgement->reason, "%s%s. Its note says: %.256s", deviation,
                 looks_like, known->note);
    else
        snprintf(judgement->reason, sizeof judgement->reason, "%s%s", deviation, looks_like);
}

void judge(struct judgement *judgement, const struct samples *samples, const struct circumstances *known)
{
    const struct sample *wrong = first_wrong(samples), *unclear = first_unclear(samples),
                        *largest = largest_claim(samples);
    *judgement = (struct judgement){.verdict = VERDICT_NOT_TESTED};
    if (known->counts_any && !judge_claims_any(samples)) {
        give(judgement, VERDICT_UNSURE, largest);
        snprintf(
            judgement->reason, sizeof judgement->reason,
            "the counters here count instructions of whatever kind, as those of some emulated processors");
    } else if (wrong != NULL && known->may_be_silent && is_silent(samples)) {
        give(judgement, VERDICT_UNSURE, wrong);
        snprintf(judgement->reason, sizeof judgement->reason,
                 "it counts nothing at all: a virtual machine need not pass its events through");
    } else if (wrong != NULL)
        judge_wrong(judgement, samples, wrong, known);
    else if (unclear != NULL) {
        give(judgement, VERDICT_UNSURE, unclear);
        word_variation(judgement->reason, sizeof judgement->reason, unclear);
    } else if (largest == NULL)
        snprintf(
            judgement->reason, sizeof judgement->reason,
            "no work that this processor can do has any of them, and it counts none where there are none");
    else
        give(judgement, VERDICT_COUNTS, largest);
}
