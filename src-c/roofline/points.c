/* SPDX-License-Identifier: BSD-3-Clause */
#include "points.h"
#include "tools/common/allocate.h"

#include <stdlib.h>
#include <string.h>

struct point *points_find(struct points *points, const char *name)
{
    for (int i = 0; i < points->n; i++)
        if (strcmp(points->point[i].name, name) == 0)
            return &points->point[i];
    points->point = memory_more(points->point, (size_t)points->n + 1, sizeof *points->point);
    struct point *point = &points->point[points->n++];
    *point = (struct point){.name = memory_text(name), .limit = POINT_NONE};
    for (int level = 0; level < ROOFS_LEVELS; level++)
        point->read[level] = point->written[level] = -1;
    return point;
}

void points_free(struct points *points)
{
    for (int i = 0; i < points->n; i++)
        free(points->point[i].name);
    free(points->point);
    free(points->command);
    free(points->counted_by);
    *points = (struct points){.n = 0};
}

double point_operations(const struct point *point)
{
    return point->operations[0] + point->operations[1];
}

double point_bytes(const struct point *point, int level)
{
    double read = point->read[level], written = point->written[level];
    return read < 0 ? -1 : read + (written > 0 ? written : 0);
}

double point_intensity(const struct point *point, int level)
{
    double bytes = point_bytes(point, level);
    return bytes > 0 ? point_operations(point) / bytes : 0;
}

const char *point_limit_name(const struct point *point, const struct roofs *roofs)
{
    return point->limit == POINT_NONE   ? "-"
           : point->limit == POINT_PEAK ? "peak"
                                        : roofs->level[point->limit].name;
}

/* ------------------------------------------------------------------------ limits */

/* The seconds that it would take at the roof: the longest belongs to the lowest roof. */
struct limit {
    struct point *point;
    double longest;
};

static void consider(struct limit *limit, int level, bool reads, double seconds)
{
    if (seconds <= limit->longest)
        return;
    limit->longest = seconds;
    limit->point->limit = level;
    limit->point->reads = reads;
}

static double time_at_peak(const struct point *point, const struct roofs *roofs)
{
    double seconds = 0;
    for (int is_double = 0; is_double < 2; is_double++) {
        double peak = roofs_peak(roofs, is_double != 0, point->threads);
        if (point->operations[is_double] > 0 && peak > 0)
            seconds += point->operations[is_double] / peak;
    }
    return seconds;
}

/* Of the loops that bandwidth is measured with, the triad writes a third of its bytes, the sum none: what
 * writes less than half as much is compared with the sum. */
static bool only_reads(const struct point *point, int level)
{
    const double part = 1.0 / 6;
    return point->written[level] >= 0 && point->written[level] < part * point_bytes(point, level);
}

static void find_limit(struct point *point, const struct roofs *roofs)
{
    struct limit limit = {.point = point};
    double operations = point_operations(point);
    point->limit = POINT_NONE;
    consider(&limit, POINT_PEAK, false, time_at_peak(point, roofs));
    for (int level = 0; level < roofs->n_levels; level++) {
        bool reads = only_reads(point, level);
        double bytes = point_bytes(point, level),
               bandwidth = roofs_bandwidth(roofs, level, reads, point->threads);
        if (bytes > 0 && bandwidth > 0)
            consider(&limit, level, reads, bytes / bandwidth);
    }
    point->rate = point->seconds > 0 ? operations / point->seconds : 0;
    point->roof = limit.longest > 0 ? operations / limit.longest : 0;
    point->share = point->seconds > 0 ? limit.longest / point->seconds : 0;
}

static int by_time(const void *one, const void *other)
{
    double a = ((const struct point *)one)->seconds, b = ((const struct point *)other)->seconds;
    return (a < b) - (a > b);
}

void points_limit(struct points *points, const struct roofs *roofs)
{
    if (points->n > 0)
        qsort(points->point, (size_t)points->n, sizeof *points->point, by_time);
    for (int i = 0; i < points->n; i++)
        find_limit(&points->point[i], roofs);
}
