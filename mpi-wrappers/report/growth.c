/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/growth.h"

#include <math.h>

/* Weighted least squares, by hand for its two parameters. The cost y = 1 / efficiency has an error that is
 * proportional to it (times differ by per cent), so that each point weighs 1 / y^2, and the residuals are
 * parts of y. With the sums S, Sx, Sxx of w, w x, w x^2 and D = S Sxx - Sx^2, the variance of the line at x
 * is s^2 (Sxx - 2 x Sx + x^2 S) / D where s is the error of a point. The residuals of so few points may be 0
 * by chance: the spread of repeated runs counts as much as four more points, or two per cent, as far as runs
 * often are apart, where none was repeated. A law fits about as well as the best one if the sum of its
 * squared residuals is larger by at most 4 s^2, which two standard deviations are. */

enum { LEAST_ERROR_PER_MILLE = 5, UNKNOWN_ERROR_PER_MILLE = 20, STANDARD_ERRORS = 2, ERROR_WEIGHS = 4 };

static double one(double ranks)
{
    (void)ranks;
    return 0;
}

static double same(double ranks)
{
    return ranks;
}

static const struct law {
    const char *name;
    double (*g)(double ranks);
} laws[] = {{"constant", one}, {"log(ranks)", log2}, {"sqrt(ranks)", sqrt}, {"ranks", same}};
enum { LAWS = sizeof laws / sizeof *laws };

/* The line y = a + b x of a law. */
struct line {
    double a, b;
    double squares; /* sum of the residuals, as parts of y */
    double s, sx, sxx, sy, sxy;
    bool fits; /* it was found */
};

static double cost(const struct growth_point *point)
{
    return 1 / point->efficiency;
}

static void add_sums(struct line *line, const struct law *law, const struct growth_point *point, int n)
{
    for (int i = 0; i < n; i++) {
        double y = cost(&point[i]), x = law->g(point[i].ranks), w = 1 / (y * y);
        line->s += w;
        line->sx += w * x;
        line->sxx += w * x * x;
        line->sy += w * y;
        line->sxy += w * x * y;
    }
}

static double residuals(const struct line *line, const struct law *law, const struct growth_point *point,
                        int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) {
        double y = cost(&point[i]), part = (line->a + line->b * law->g(point[i].ranks) - y) / y;
        sum += part * part;
    }
    return sum;
}

static struct line fit(const struct law *law, const struct growth_point *point, int n)
{
    struct line line = {0};
    add_sums(&line, law, point, n);
    double d = line.s * line.sxx - line.sx * line.sx;
    bool constant = law->g == one;
    if (constant) {
        line.a = line.sy / line.s;
    } else {
        line.b = (line.s * line.sxy - line.sx * line.sy) / d;
        line.a = (line.sy - line.b * line.sx) / line.s;
    }
    line.squares = residuals(&line, law, point, n);
    line.fits =
        constant || line.b > 0; /* a cost that falls has no law here: superlinear runs end somewhere */
    return line;
}

/* The standard error of the line at x, in units of y. */
static double error_at(const struct line *line, double x, double error)
{
    double d = line->s * line->sxx - line->sx * line->sx;
    if (!(d > 0)) /* a constant */
        return error / sqrt(line->s);
    return error * sqrt((line->sxx - 2 * x * line->sx + x * x * line->s) / d);
}

static int different_ranks(const struct growth_point *point, int n)
{
    int different = 0;
    for (int i = 0; i < n; i++) {
        bool seen = false;
        for (int k = 0; k < i; k++)
            seen |= point[k].ranks == point[i].ranks;
        different += !seen;
    }
    return different;
}

static double expected_error(const struct growth_point *point, int n, bool *measured)
{
    double spread = 0;
    for (int i = 0; i < n; i++)
        spread = fmax(spread, point[i].spread);
    *measured = spread > 0;
    return spread > 0 ? fmax(spread, LEAST_ERROR_PER_MILLE / 1000.0) : UNKNOWN_ERROR_PER_MILLE / 1000.0;
}

/* The error of a point: of the residuals of the best law, and of what is known beforehand. */
static double error_of(const struct line *best, const struct growth_point *point, int n)
{
    bool measured;
    double expected = expected_error(point, n, &measured);
    double error = sqrt((best->squares + ERROR_WEIGHS * expected * expected) / (n - 2 + ERROR_WEIGHS));
    return measured ? fmax(error, expected) : error;
}

/* Fits all laws; returns the one that fits best. */
static int fit_all(struct line line[LAWS], const struct growth_point *point, int n)
{
    int best = 0;
    for (int i = 0; i < LAWS; i++) {
        line[i] = fit(&laws[i], point, n);
        if (line[i].fits && line[i].squares < line[best].squares)
            best = i;
    }
    return best;
}

bool growth_estimate(struct growth_range *range, const struct growth_point *point, int n, double ranks)
{
    struct line line[LAWS];
    double most = 1, cheapest = INFINITY, dearest = 0;
    if (different_ranks(point, n) < GROWTH_LEAST_POINTS)
        return false;
    int best = fit_all(line, point, n);
    double error = error_of(&line[best], point, n);
    for (int i = 0; i < LAWS; i++) {
        double x = laws[i].g(ranks), y = line[i].a + line[i].b * x;
        double margin = STANDARD_ERRORS * error_at(&line[i], x, error);
        if (!line[i].fits ||
            line[i].squares > line[best].squares + STANDARD_ERRORS * STANDARD_ERRORS * error * error)
            continue;
        cheapest = fmin(cheapest, y - margin);
        dearest = fmax(dearest, y + margin);
    }
    for (int i = 0; i < n; i++)
        most = fmax(most, point[i].efficiency); /* no estimate is better than what was seen */
    *range = (struct growth_range){1 / dearest, cheapest > 1 / most ? 1 / cheapest : most, laws[best].name};
    return true;
}
