/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Distribution of the times of an MPI call. They are counted in classes, so that a quantile is known to be in
 * one, and nothing is said of where in it.
 *
 * Some calls may be in no class: those of a rank or thread that has no times of that call, because it was not
 * asked for them or has no room, and the last ones of a rank that was read while it ran. They may have taken
 * any time. The quantile is then between the one that there is if all of these were the shortest, and the one
 * if all were the longest.
 */
#include "job/job.h"

#include <math.h>

const struct job_quantile job_quantiles[QUANTILES] = {
    {"p50", "50 %", 0.50}, {"p95", "95 %", 0.95}, {"p99", "99 %", 0.99}};

static double known_calls(const struct job_times *times)
{
    double sum = 0;
    for (int k = 0; k < TIME_CLASSES; k++)
        sum += (double)times->calls[k];
    return sum;
}

const struct job_times *job_times_of(const struct job *job, int call)
{
    for (int i = 0; i < MAX_TIMED && job->tick_hertz > 0 && job->tick_fs > 0; i++)
        if (job->times[i].call == (uint64_t)call + 1)
            return known_calls(&job->times[i]) > 0 ? &job->times[i] : NULL;
    return NULL;
}

struct job_range job_time_class(const struct job *job, int call, int class)
{
    double longest = (double)job->call[call].longest_ns, from, to;
    from = (double)time_class_begin(class) * 1e9 / (double)job->tick_hertz;
    to = class == TIME_CLASSES - 1 ? INFINITY
                                   : (double)time_class_begin(class + 1) * (double)job->tick_fs / 1e6;
    return (struct job_range){from, fmax(from, fmin(to, longest))};
}

/* The class of the n-th call, from 1 on. */
static int class_of(const struct job_times *times, double n)
{
    double sum = 0;
    int class = 0;
    while (class < TIME_CLASSES - 1 && (sum += (double)times->calls[class]) < n)
        class ++;
    return class;
}

bool job_time_quantile(const struct job *job, int call, double part, struct job_range *range)
{
    const struct job_times *times = job_times_of(job, call);
    if (times == NULL)
        return false;
    double known = known_calls(times), all = fmax(known, (double)job->call[call].calls),
           unknown = all - known;
    double n = fmax(1, ceil(part * all));
    range->from = n > unknown ? job_time_class(job, call, class_of(times, n - unknown)).from : 0;
    range->to =
        n <= known ? job_time_class(job, call, class_of(times, n)).to : (double)job->call[call].longest_ns;
    return true;
}
