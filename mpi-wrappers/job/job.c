/* SPDX-License-Identifier: BSD-3-Clause */
#include "job/job.h"

#include <stdlib.h>

#define FOR_EACH_COUNTER(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11)
#define ONE(i) +1
_Static_assert(FOR_EACH_COUNTER(ONE) == MAX_COUNTERS, "every counter has its keys");
#undef ONE

#define NAME(id, key, name, unit) name,
static const char *const names[METRIC_FIXED] = {JOB_METRICS(NAME)};
#undef NAME
#define UNIT(id, key, name, unit) unit,
static const char *const units[METRIC_FIXED] = {JOB_METRICS(UNIT)};
#undef UNIT
#define KEY(id, key, name, unit) key,
#define WHOLE(i) "counter." #i,
#define OUTSIDE(i) "outside_mpi." #i,
static const char *const keys[METRIC_COUNT] = {JOB_METRICS(KEY) FOR_EACH_COUNTER(WHOLE)
                                                   FOR_EACH_COUNTER(OUTSIDE)};

static int counter_of(int metric)
{
    return (metric - METRIC_FIXED) % MAX_COUNTERS;
}

const char *job_metric_name(const struct job *job, int metric)
{
    return metric < METRIC_FIXED ? names[metric] : job->counter_name[counter_of(metric)];
}

const char *job_metric_unit(const struct job *job, int metric)
{
    return metric < METRIC_FIXED ? units[metric] : job->counter_units[counter_of(metric)];
}

int job_has_metric(const struct job *job, int metric)
{
    if (metric < METRIC_FIXED)
        return 1;
    int outside = metric >= METRIC_FIXED + MAX_COUNTERS;
    return counter_of(metric) < job->n_counters && (!outside || job->counters_inside);
}

const char *job_metric_key(int metric)
{
    return metric >= 0 && metric < METRIC_COUNT ? keys[metric] : NULL;
}

const char *job_state_key(int state)
{
    switch (state) {
    case RANK_RUNS:
        return "runs";
    case RANK_FINALIZED:
    case RANK_IN_REPORT:
        return "finalized";
    case RANK_ABORTS:
        return "aborts";
    case RANK_EXITS:
        return "exits";
    default:
        return "unknown";
    }
}

void job_free(struct job *job)
{
    if (job != NULL)
        free(job->row);
    free(job);
}
