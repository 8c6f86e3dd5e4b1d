/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/figure.h"
#include "base/visible.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
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

/* Number of bytes of the character that begins here; 0: none that can be printed. */
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
    /* Marks a text that was cut off. */
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

struct figure figure_whole_percent(double fraction)
{
    struct figure figure;
    double rounded = round(fraction * 100);
    if (fraction > 0 && rounded < 1)
        strcpy(figure.text, "less than 1 %");
    else
        snprintf(figure.text, sizeof figure.text, "%.0f %%", rounded);
    return figure;
}

const char *figure_command(const struct job *job)
{
    enum { MOST = 100 };
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./=:,+@%- ";
    const char *command = job->command;
    bool fits = command[0] != '\0' && command[strspn(command, plain)] == '\0' && strlen(command) < MOST;
    return fits ? command : "./a.out";
}

double figure_ratio(double part, double whole)
{
    return whole > 0 ? part / whole : NAN;
}

/* ---- percentiles */

static int by_value(const void *a, const void *b)
{
    uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;
    return one < other ? -1 : one > other;
}

/* The quantile of sorted values, between its neighbours, as metric_quantile does it. */
static double at(const uint64_t *sorted, uint64_t n, double part)
{
    double place = part * (double)(n - 1);
    uint64_t low = (uint64_t)place;
    double value = (double)sorted[low];
    return low + 1 < n ? value + (place - (double)low) * ((double)sorted[low + 1] - value) : value;
}

/* The values of all ranks, from the rows. NULL if the rows lack some of those that the metric has. */
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

/* ---- rates */

/* The counter that has the first of the names that any has; -1: none. The lists have presets first, then
 * events of the kernel and the emulator that count the same. */
static int find(const struct job *job, const char *const *names, int n)
{
    for (int wanted = 0; wanted < n; wanted++)
        for (int i = 0; i < job->n_counters; i++)
            if (strcmp(job->counter_name[i], names[wanted]) == 0)
                return i;
    return -1;
}

struct rate_counters rate_counters(const struct job *job)
{
    static const char *const instructions[] = {"PAPI_TOT_INS", "perf::INSTRUCTIONS",
                                               "perf::PERF_COUNT_HW_INSTRUCTIONS", "emu::INSTRUCTIONS"};
    static const char *const cycles[] = {"PAPI_TOT_CYC", "perf::CYCLES", "perf::PERF_COUNT_HW_CPU_CYCLES"};
    static const char *const operations[] = {"PAPI_FP_OPS", "PAPI_DP_OPS", "PAPI_SP_OPS", "emu::FP_OPS",
                                             "emu::DP_OPS"};
    /* The emulator's are an estimate: instructions per cycle and cycles per second follow from nothing else.
     */
    return (struct rate_counters){find(job, instructions, 4), job->emulated ? -1 : find(job, cycles, 3),
                                  find(job, operations, 5)};
}

double rate_sum(const struct job *job, int counter, int outside_mpi)
{
    if (counter < 0)
        return NAN;
    const struct metric *metric = &job->metric[METRIC_FIXED + counter + (outside_mpi ? MAX_COUNTERS : 0)];
    /* Counts of a part of the ranks do not go with the times of all. */
    return metric->count == 0 || metric->count < job->metric[METRIC_ELAPSED].count ? NAN : metric_sum(metric);
}

/* Counters go on while MPI_Pcontrol(0) holds: then, too, MPI is in them. */
int rates_outside(const struct job *job)
{
    return job->counters_inside && job->paused_ns == 0;
}

double rate_time(const struct job *job, int outside_mpi)
{
    if (outside_mpi)
        return metric_sum(&job->metric[METRIC_USEFUL]);
    return metric_sum(&job->metric[METRIC_ELAPSED]) + (double)job->paused_ns;
}

struct rates rates_of(const struct job *job, int outside_mpi)
{
    struct rate_counters counter = rate_counters(job);
    double instructions = rate_sum(job, counter.instructions, outside_mpi);
    double cycles = rate_sum(job, counter.cycles, outside_mpi);
    double operations = rate_sum(job, counter.operations, outside_mpi);
    double time = rate_time(job, outside_mpi);
    return (struct rates){figure_ratio(instructions, cycles), figure_ratio(cycles, time),
                          figure_ratio(operations, time) * 1e9};
}

/* True if a counter is one of energy, of the whole system or of the packages; *times is what makes joules of
 * its counts. */
static bool is_energy(const struct job *job, int counter, bool of_system, double *times)
{
    static const struct {
        const char *name;
        bool of_system;
        double times;
    } known[] = {{"powercap:::ENERGY_UJ:ZONE", false, 1e-6},
                 {"rapl:::PACKAGE_ENERGY:", false, 1e-9},
                 {"powercap:::ENERGY_UJ:PSYS", true, 1e-6},
                 {"rapl:::PSYS_ENERGY:", true, 1e-9}};
    const char *name = job->counter_name[counter];
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].of_system == of_system && strncmp(name, known[i].name, strlen(known[i].name)) == 0 &&
            strstr(name, "SUBZONE") == NULL) {
            *times = known[i].times;
            return true;
        }
    return false;
}

/* The energy of a region, or, where region is NULL, of the whole job, in joules. NAN: there is no such
 * counter, or a node has none. */
static double joules_in(const struct job *job, const struct job_region *region, bool of_system)
{
    double joules = NAN, times;
    for (int i = 0; i < job->n_counters; i++) {
        const struct metric *metric = &job->metric[METRIC_FIXED + i];
        if (!is_energy(job, i, of_system, &times))
            continue;
        if (metric->count < job->nodes)
            return NAN;
        double sum = region != NULL ? job_region_count(region, i) : metric_sum(metric);
        joules = (isnan(joules) ? 0 : joules) + times * sum;
    }
    return joules;
}

/* The energy of the packages, or, where that is not known, of the whole system. */
static double joules_of(const struct job *job, const struct job_region *region, bool *of_system)
{
    double joules = joules_in(job, region, false);
    *of_system = isnan(joules);
    return *of_system ? joules_in(job, region, true) : joules;
}

double region_joules(const struct job *job, const struct job_region *region)
{
    bool of_system;
    return joules_of(job, region, &of_system);
}

struct energy energy_of(const struct job *job)
{
    bool of_system;
    double joules = joules_of(job, NULL, &of_system);
    double seconds = 1e-9 * (double)job->metric[METRIC_ELAPSED].largest[0].value;
    double operations = rate_sum(job, rate_counters(job).operations, 0);
    return (struct energy){.what = of_system ? "the whole system" : "the packages",
                           .joules = joules,
                           .watts = figure_ratio(figure_ratio(joules, seconds), (double)job->nodes),
                           .delay = joules * seconds,
                           .operations = figure_ratio(operations, joules)};
}
