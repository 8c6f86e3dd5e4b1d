/* SPDX-License-Identifier: BSD-3-Clause */
#include "roofs.h"

static double larger(double one, double other)
{
    return one > other ? one : other;
}

/* Of a number of threads between one and all: what one core does so many times, as far as all do it together.
 */
static double with_threads(const struct roofs *roofs, const double *rate, int threads)
{
    if (threads >= roofs->cores || roofs->cores <= 1)
        return rate[ROOFS_ALL];
    double most = larger(rate[ROOFS_ALL], rate[ROOFS_ONE]), each = rate[ROOFS_ONE];
    return threads <= 1 ? each : threads * each < most ? threads * each : most;
}

double roofs_peak(const struct roofs *roofs, bool is_double, int threads)
{
    double most = 0;
    for (int i = 0; i < roofs->n_peaks; i++)
        if (roofs->peak[i].is_double == is_double)
            most = larger(most, with_threads(roofs, roofs->peak[i].rate, threads));
    return most;
}

double roofs_bandwidth(const struct roofs *roofs, int level, bool reads_only, int threads)
{
    const struct roof_level *of = &roofs->level[level];
    double most = 0;
    if (reads_only)
        return with_threads(roofs, of->rate[STREAM_READ], threads);
    for (int loop = STREAM_COPY; loop < STREAM_LOOPS; loop++)
        most = larger(most, with_threads(roofs, of->rate[loop], threads));
    return most;
}
