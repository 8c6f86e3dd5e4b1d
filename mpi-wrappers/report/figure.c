/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/figure.h"

#include "base/visible.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Four digits, and never "1000." because of rounding. */
static void digits(struct figure *figure, double value, const char *unit)
{
    double size = fabs(value);
    int decimals = size < 9.9995 ? 3 : size < 99.995 ? 2 : size < 999.95 ? 1 : 0;
    snprintf(figure->text, sizeof figure->text, "%.*f%s%s", decimals, value, unit[0] ? " " : "", unit);
}

static void prefixed(struct figure *figure, double value, const char *unit)
{
    static const char prefix[][2] = {"", "k", "M", "G", "T", "P", "E", "Z"};
    size_t p = 0;
    while (fabs(value) >= 999.95 && p + 1 < sizeof prefix / sizeof *prefix) {
        value /= 1000;
        p++;
    }
    char both[16];
    snprintf(both, sizeof both, "%s%.10s", prefix[p], unit);
    digits(figure, value, both);
}

static void duration(struct figure *figure, double ns)
{
    static const char names[][3] = {"ns", "us", "ms", "s"};
    size_t u = 0;
    while (ns >= 999.95 && u + 1 < sizeof names / sizeof *names) {
        ns /= 1000;
        u++;
    }
    if (u == 0)
        snprintf(figure->text, sizeof figure->text, "%.0f ns", ns);
    else if (ns < 9999.5)
        digits(figure, ns, names[u]);
    else
        prefixed(figure, ns / 3600, "h");
}

struct figure figure_plain(double value)
{
    struct figure figure = {"0"};
    if (value >= 9999999.5)
        prefixed(&figure, value, "");
    else if (value >= 9999.5)
        snprintf(figure.text, sizeof figure.text, "%.0f", value);
    else if (value >= 1)
        snprintf(figure.text, sizeof figure.text, "%.4g", value);
    else if (value >= 0.001)
        snprintf(figure.text, sizeof figure.text, "%.3f", value);
    else if (value > 0)
        strcpy(figure.text, "<0.001");
    return figure;
}

struct figure figure(double value, const char *unit)
{
    struct figure figure;
    if (isnan(value))
        strcpy(figure.text, "n/a");
    else if (value == 0)
        strcpy(figure.text, "0");
    else if (strcmp(unit, "ns") == 0)
        duration(&figure, value);
    else if (strcmp(unit, "B") == 0 && value < 1000 && value == floor(value))
        snprintf(figure.text, sizeof figure.text, "%.0f B", value);
    else if (unit[0] != '\0')
        prefixed(&figure, value, unit);
    else if (value < 1e6)
        snprintf(figure.text, sizeof figure.text, "%.*f", value == floor(value) ? 0 : 1, value);
    else
        prefixed(&figure, value, "");
    return figure;
}

struct figure figure_at(double value, const char *unit, uint64_t rank)
{
    struct figure number = figure(value, unit), with;
    snprintf(with.text, sizeof with.text, "%.12s @%llu", number.text,
             (unsigned long long)rank % 1000000000000);
    return with;
}

struct figure figure_percent(double fraction)
{
    struct figure figure;
    double percent = fraction * 100;
    if (isnan(percent))
        strcpy(figure.text, "n/a");
    else if (percent > 0 && percent < 0.05)
        strcpy(figure.text, "<0.1 %");
    else if (percent >= 99.95 && percent < 100)
        strcpy(figure.text, ">99.9 %");
    else
        snprintf(figure.text, sizeof figure.text, "%.*f %%",
                 percent == 0 || percent == 100 || percent >= 999 ? 0 : 1, percent);
    return figure;
}

/* How many bytes the character has that begins here; 0: none that can be printed. */
static int character(const char *text)
{
    int length = utf8_length(text);
    return utf8_is_hidden(utf8_code(text, length)) ? 0 : length;
}

int figure_name(char *out, size_t room, const char *text, int columns)
{
    size_t at = 0;
    int n = 0;
    const char *from = text;
    for (; *from != '\0' && n < columns && at + 5 < room; n++) {
        int length = character(from);
        if (length == 0)
            out[at++] = '?';
        else
            memcpy(out + at, from, (size_t)length);
        at += (size_t)length;
        from += length > 0 ? length : 1;
    }
    /* What was cut off says so. */
    if (*from != '\0' && n == columns && columns > 2) {
        while (at > 0 && ((unsigned char)out[at - 1] & 0xc0) == 0x80)
            at--;
        out[at - 1] = '~';
    }
    out[at] = '\0';
    return n;
}

void figure_append(char *text, size_t room, const char *format, ...)
{
    size_t length = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + length, room - length, format, arguments);
    va_end(arguments);
}

const char *figure_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}

double figure_ratio(double part, double whole)
{
    return whole > 0 ? part / whole : NAN;
}

/* ----------------------------------------------------------------------------------------- percentiles */

static int by_value(const void *a, const void *b)
{
    uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;
    return one < other ? -1 : one > other;
}

/* Between its neighbours, as metric_quantile does it. */
static double at(const uint64_t *sorted, uint64_t n, double part)
{
    double place = part * (double)(n - 1);
    uint64_t low = (uint64_t)place;
    double value = (double)sorted[low];
    return low + 1 < n ? value + (place - (double)low) * ((double)sorted[low + 1] - value) : value;
}

/* All values, from the rows; NULL where the rows are not what the metric was made of. */
static uint64_t *values(const struct job *job, int metric)
{
    uint64_t wanted = job->metric[metric].count, n = 0;
    if (job->row == NULL || job->n_rows < wanted || !job_in_rows(job, metric))
        return NULL;
    uint64_t *value = malloc(job->n_rows * sizeof *value);
    for (uint64_t i = 0; value != NULL && i < job->n_rows; i++)
        if (job->row[i].value[metric] != ROW_NONE)
            value[n++] = job->row[i].value[metric];
    if (n == 0 || n != wanted) {
        free(value);
        return NULL;
    }
    qsort(value, n, sizeof *value, by_value);
    return value;
}

struct percentiles percentiles_of(const struct job *job, int metric)
{
    const struct metric *from = &job->metric[metric];
    uint64_t *sorted = from->count > 2 * METRIC_EXTREMES ? values(job, metric) : NULL;
    const double part[] = {0.05, 0.25, 0.5, 0.75, 0.95};
    double found[5];
    for (int i = 0; i < 5; i++)
        found[i] = sorted != NULL ? at(sorted, from->count, part[i]) : metric_quantile(from, part[i]);
    struct percentiles percentiles = {found[0], found[1],
                                      found[2], found[3],
                                      found[4], sorted != NULL || from->count <= 2 * METRIC_EXTREMES};
    free(sorted);
    return percentiles;
}

double percentiles_fence(const struct percentiles *percentiles)
{
    /* The middle half of a normal distribution is 1.349 deviations wide. The floor: values that are all
     * but equal have no outliers for a difference that nobody would look at, and a quantile that is known
     * to a bucket says no more. */
    double deviation = (percentiles->p75 - percentiles->p25) / 1.349;
    double floor = percentiles->p50 * (percentiles->exact ? 0.02 : 0.07);
    return 5 * (deviation > floor ? deviation : floor);
}
