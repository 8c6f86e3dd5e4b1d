/* SPDX-License-Identifier: BSD-3-Clause */
#include "job/job.h"
#include "metrics/metrics.h"
#include "papi.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct source {
    const struct job *job;
    const struct job_region *region; /* NULL: all */
};

/* The text after the one at *text, of which the array has fewer than its size; NULL: there are no more. */
static const char *after(const struct job *job, const char *text)
{
    const char *next = text + strnlen(text, sizeof job->formulas - (size_t)(text - job->formulas)) + 1;
    return next < job->formulas + sizeof job->formulas ? next : NULL;
}

bool job_formula(const struct job *job, int i, struct job_formula *out)
{
    const char *next = job->formulas;
    for (; i >= 0; i--) {
        const char **const part[] = {&out->name, &out->unit, &out->formula, &out->description, &out->reason};
        for (int p = 0; p < 5; p++) {
            if (next == NULL || (p == 0 && *next == '\0'))
                return false;
            *part[p] = next;
            next = after(job, next);
        }
    }
    return true;
}

bool job_formula_add(struct job *job, const struct job_formula *formula)
{
    const char *part[] = {formula->name, formula->unit, formula->formula, formula->description,
                          formula->reason};
    struct job_formula last;
    int n = 0;
    while (job_formula(job, n, &last))
        n++;
    const char *end = n > 0 && job_formula(job, n - 1, &last) ? after(job, last.reason) : job->formulas;
    size_t used = end != NULL ? (size_t)(end - job->formulas) : sizeof job->formulas;
    for (int p = 0; p < 5; p++) {
        size_t length = strlen(part[p]) + 1;
        if (used + length >= sizeof job->formulas)
            return false;
        memcpy(job->formulas + used, part[p], length);
        used += length;
    }
    return true;
}

static double seconds(const struct source *from)
{
    const struct metric *elapsed = &from->job->metric[METRIC_ELAPSED];
    if (from->region == NULL)
        return elapsed->count > 0 ? 1e-9 * metric_mean(elapsed) : 0;
    return from->region->ranks > 0 ? 1e-9 * (double)from->region->ns / (double)from->region->ranks : 0;
}

/* Counts of a part of the ranks do not go with those of all. */
static int counter(const struct source *from, int i, double *value, struct reason *why)
{
    const struct job *job = from->job;
    const struct metric *metric = &job->metric[METRIC_FIXED + i];
    uint64_t all = job->node_counters & 1u << i ? job->nodes : job->metric[METRIC_ELAPSED].count;
    if (metric->count < all || metric->count == 0)
        return reason_set(why, PAPI_ECNFLCT, "%s was not counted by all ranks", job->counter_name[i]);
    *value = from->region != NULL ? (double)from->region->counter[i] : metric_sum(metric);
    return PAPI_OK;
}

static int look_up(const void *context, const char *name, double *value, struct reason *why)
{
    const struct source *from = context;
    *value = seconds(from);
    if (strcmp(name, METRICS_TIME) == 0)
        return PAPI_OK;
    for (int i = 0; i < from->job->n_counters; i++)
        if (strcmp(from->job->counter_name[i], name) == 0)
            return counter(from, i, value, why);
    return PAPI_ENOEVNT;
}

double job_formula_value(const struct job *job, const struct job_region *region,
                         const struct job_formula *formula, char reason[FORMULA_REASON])
{
    const struct source from = {job, region};
    struct reason why = {0};
    double value = NAN;
    snprintf(reason, FORMULA_REASON, "%s", formula->reason);
    if (reason[0] != '\0')
        return NAN;
    if (metrics_value(formula->formula, look_up, &from, &value, &why) != PAPI_OK)
        value = NAN;
    snprintf(reason, FORMULA_REASON, "%s", why.text);
    return value;
}
