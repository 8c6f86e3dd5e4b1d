/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Points of the roofline, and the roof that limits each.
 *
 * A program that did so many operations and moved so many bytes through each level of memory needs at least
 * operations / peak seconds, and at least bytes / bandwidth of each level. If these can overlap completely,
 * the least time is the longest of them, and the resource that it belongs to is the limit; this is the same
 * as taking the lowest roof at the point's intensity, but needs no intensity and treats single and double
 * precision, whose times add up, together. The share of the measured time that this least time makes says how
 * near to its limit the program is: a share near 1 leaves nothing to gain without changing the operations or
 * bytes, a small one means that latency, dependences or something else than these resources takes the time.
 *
 * Bandwidths were measured with loops of different mixtures of reads and writes; a point that writes little
 * is compared with the loop that only reads. Bytes are cache lines: prefetched lines that are never used, and
 * stores past the caches, may be missing from what the processor's counters say. A cache that delivers no
 * more than memory is taken for memory: as a roof of its own it would hide how many bytes come from there.
 */
#include "points.h"
#include "papi.h"
#include "roofs.h"
#include "tools/common/allocate.h"
#include "tools/common/terminal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- roofs */

const char *const roof_precisions[ROOF_PRECISIONS] = {
    [ROOF_SINGLE] = "single", [ROOF_DOUBLE] = "double", [ROOF_HALF] = "half"};

const char *roofs_name(const struct roofs *roofs)
{
    return roofs->device[0] != '\0' ? roofs->device : roofs->host;
}

const char *roofs_source(const struct roofs *roofs)
{
    return strcmp(roofs->source, "computed") == 0   ? "computed from its properties, not measured"
           : strcmp(roofs->source, "measured") == 0 ? "measured"
                                                    : "given, not measured here";
}

static double larger(double one, double other)
{
    return one > other ? one : other;
}

/* Rate of a number of threads between one and all: a multiple of what one core does, at most what all do
 * together. */
static struct roof_rate with_threads(const struct roofs *roofs, const double *rate, const double *spread,
                                     int threads)
{
    bool all = threads >= roofs->cores || roofs->cores <= 1;
    double each = rate[ROOFS_ONE] * (threads > 1 ? threads : 1),
           most = larger(rate[ROOFS_ALL], rate[ROOFS_ONE]);
    if (!all && (threads <= 1 || each < most))
        return (struct roof_rate){each, spread[ROOFS_ONE]};
    if (!all && rate[ROOFS_ONE] > rate[ROOFS_ALL])
        return (struct roof_rate){rate[ROOFS_ONE], spread[ROOFS_ONE]};
    return (struct roof_rate){rate[ROOFS_ALL], spread[ROOFS_ALL]};
}

static void take_larger(struct roof_rate *most, struct roof_rate other)
{
    if (other.rate > most->rate)
        *most = other;
}

struct roof_rate roofs_peak_rate(const struct roofs *roofs, enum roof_precision precision, int threads)
{
    struct roof_rate most = {0, -1};
    for (const struct roof_peak *peak = roofs->peak; peak < roofs->peak + roofs->n_peaks; peak++)
        if (peak->precision == precision)
            take_larger(&most, with_threads(roofs, peak->rate, peak->spread, threads));
    return most;
}

double roofs_peak(const struct roofs *roofs, enum roof_precision precision, int threads)
{
    return roofs_peak_rate(roofs, precision, threads).rate;
}

struct roof_rate roofs_bandwidth_rate(const struct roofs *roofs, int level, bool reads_only, int threads)
{
    const struct roof_level *of = &roofs->level[level];
    struct roof_rate most = {0, -1};
    int first = reads_only ? STREAM_READ : STREAM_COPY, last = reads_only ? STREAM_READ : STREAM_TRIAD;
    for (int loop = first; loop <= last; loop++)
        take_larger(&most, with_threads(roofs, of->rate[loop], of->spread[loop], threads));
    return most;
}

double roofs_bandwidth(const struct roofs *roofs, int level, bool reads_only, int threads)
{
    return roofs_bandwidth_rate(roofs, level, reads_only, threads).rate;
}

/* Caches between cores are slower than one core's, but even they are twice as fast as memory for one core, or
 * for all together. A quarter is more than two measurements of one thing differ by. */
static bool measures_like_memory(const struct roofs *roofs, int level)
{
    const double faster = 1.25;
    const int memory = roofs->n_levels - 1;
    for (int team = ROOFS_ONE; team < ROOFS_TEAMS; team++)
        for (int reads = 0; reads < 2; reads++) {
            int threads = team == ROOFS_ONE ? 1 : roofs->cores;
            double cache = roofs_bandwidth(roofs, level, reads != 0, threads);
            if (cache <= 0 || cache >= faster * roofs_bandwidth(roofs, memory, reads != 0, threads))
                return false;
        }
    return true;
}

bool roofs_doubtful(const struct roofs *roofs, int level)
{
    const int memory = roofs->n_levels - 1;
    if (level <= 0 || level >= memory)
        return false;
    for (; level < memory; level++)
        if (!measures_like_memory(roofs, level))
            return false;
    return true;
}

int roofs_bytes_level(const struct roofs *roofs, int level)
{
    while (level == roofs->n_levels - 1 && level > 0 && roofs_doubtful(roofs, level - 1))
        level--;
    return level;
}

/* ---- points */

struct point *points_find(struct points *points, const char *name)
{
    for (int i = 0; i < points->n; i++)
        if (strcmp(points->point[i].name, name) == 0)
            return &points->point[i];
    return points_add(points, name);
}

struct point *points_add(struct points *points, const char *name)
{
    points->point = memory_more(points->point, (size_t)points->n + 1, sizeof *points->point);
    struct point *point = &points->point[points->n++];
    *point = (struct point){.name = memory_text(name), .limit = POINT_NONE};
    for (int level = 0; level < ROOFS_LEVELS; level++)
        point->read[level] = point->written[level] = -1;
    return point;
}

static char *text_or_none(const char *text)
{
    return text != NULL ? memory_text(text) : NULL;
}

void point_add_launch(struct point *point, const struct launch *launch)
{
    point->launch = memory_more(point->launch, (size_t)point->n_launches + 1, sizeof *point->launch);
    struct launch *own = &point->launch[point->n_launches++];
    *own = *launch;
    own->routine = text_or_none(launch->routine);
    own->file = text_or_none(launch->file);
}

char *launch_text(const struct launch *launch)
{
    char line[16] = "";
    if (launch->line > 0)
        snprintf(line, sizeof line, ":%d", launch->line);
    return memory_print(
        "%lld time%s, %.4g ms, from %s%s%s%s", launch->times, launch->times == 1 ? "" : "s",
        launch->seconds * 1e3, launch->routine != NULL ? launch->routine : "a call that was not seen",
        launch->file != NULL ? ", " : "", launch->file != NULL ? path_base(launch->file) : "", line);
}

void points_add_note(struct points *points, char *note)
{
    points->note = memory_more(points->note, (size_t)points->n_notes + 1, sizeof *points->note);
    points->note[points->n_notes++] = note;
}

static void free_point(struct point *point)
{
    for (int i = 0; i < point->n_launches; i++) {
        free(point->launch[i].routine);
        free(point->launch[i].file);
    }
    free(point->launch);
    free(point->device);
    free(point->name);
}

void points_free(struct points *points)
{
    for (int i = 0; i < points->n; i++)
        free_point(&points->point[i]);
    for (int i = 0; i < points->n_notes; i++)
        free(points->note[i]);
    free(points->note);
    free(points->point);
    free(points->command);
    free(points->counted_by);
    *points = (struct points){.n = 0};
}

double point_operations(const struct point *point)
{
    double sum = 0;
    for (int i = 0; i < ROOF_PRECISIONS; i++)
        sum += point->operations[i];
    return sum;
}

/* The level itself where the caches that count as memory were not counted. */
static int counted_level(const struct point *point, const struct roofs *roofs, int level)
{
    int from = roofs_bytes_level(roofs, level);
    return point->read[from] >= 0 ? from : level;
}

double point_bytes(const struct point *point, const struct roofs *roofs, int level)
{
    int from = counted_level(point, roofs, level);
    double read = point->read[from], written = point->written[from];
    return read < 0 ? -1 : read + (written > 0 ? written : 0);
}

double point_intensity(const struct point *point, const struct roofs *roofs, int level)
{
    double bytes = point_bytes(point, roofs, level);
    return bytes > 0 ? point_operations(point) / bytes : 0;
}

int point_level(const struct point *point, const struct roofs *roofs)
{
    return point->limit >= 0 ? point->limit : roofs->n_levels - 1;
}

const char *point_limit_name(const struct point *point, const struct roofs *roofs)
{
    return point->limit == POINT_NONE   ? "-"
           : point->limit == POINT_PEAK ? "peak"
                                        : roofs->level[point->limit].name;
}

/* ---- limits */

/* The lowest roof so far: the one at which the point's work would take the most seconds. */
struct limit {
    struct point *point;
    double longest;
};

static void consider(struct limit *limit, int level, bool reads, double seconds, double spread)
{
    if (seconds <= limit->longest)
        return;
    limit->longest = seconds;
    limit->point->limit = level;
    limit->point->reads = reads;
    limit->point->spread = spread;
}

/* A device has units of their own for the precisions, which work at the same time; those of a core share its
 * issue. */
static void consider_peak(struct limit *limit, const struct roofs *roofs)
{
    const struct point *point = limit->point;
    double seconds = 0, spread = -1;
    for (int i = 0; i < ROOF_PRECISIONS; i++) {
        struct roof_rate peak = roofs_peak_rate(roofs, i, point->threads);
        if (point->operations[i] <= 0 || peak.rate <= 0)
            continue;
        double more = point->operations[i] / peak.rate;
        seconds = roofs->device[0] != '\0' ? larger(seconds, more) : seconds + more;
        spread = larger(spread, peak.spread);
    }
    consider(limit, POINT_PEAK, false, seconds, spread);
}

/* True if so few of the bytes are written that reading alone is the fair comparison. Of the loops that
 * bandwidth is measured with, the triad writes a third of its bytes and the sum none; the border is half way,
 * a sixth. */
static bool only_reads(const struct point *point, const struct roofs *roofs, int level)
{
    const double part = 1.0 / 6;
    double written = point->written[counted_level(point, roofs, level)];
    return written >= 0 && written < part * point_bytes(point, roofs, level);
}

static void consider_level(struct limit *limit, const struct roofs *roofs, int level)
{
    const struct point *point = limit->point;
    bool reads = only_reads(point, roofs, level);
    double bytes = point_bytes(point, roofs, level);
    struct roof_rate bandwidth = roofs_bandwidth_rate(roofs, level, reads, point->threads);
    if (bytes > 0 && bandwidth.rate > 0 && !roofs_doubtful(roofs, level))
        consider(limit, level, reads, bytes / bandwidth.rate, bandwidth.spread);
}

static void find_limit(struct point *point, const struct roofs *roofs)
{
    struct limit limit = {.point = point};
    double operations = point_operations(point);
    point->limit = POINT_NONE;
    point->spread = -1;
    consider_peak(&limit, roofs);
    for (int level = 0; level < roofs->n_levels; level++)
        consider_level(&limit, roofs, level);
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

/* ---- notes */

static void name_doubtful(const struct roofs *roofs, char *text, size_t size)
{
    int n = 0;
    text[0] = '\0';
    for (int level = 0; level < roofs->n_levels; level++)
        if (roofs_doubtful(roofs, level))
            text_append(text, size, n++ > 0 ? ", " : "", "%s", roofs->level[level].name);
    if (n > 0)
        text_append(text, size, "",
                    " measure%s like memory, as caches do that a virtual machine names and does not have: "
                    "%s counts as memory.",
                    n > 1 ? "" : "s", n > 1 ? "what comes from them" : "what comes from it");
}

static void say_of_host(const struct points *points, const struct roofs *roofs, points_say *say, void *data)
{
    char doubtful[256];
    name_doubtful(roofs, doubtful, sizeof doubtful);
    if (doubtful[0] != '\0')
        say(data, doubtful);
    if (roofs->busy && roofs->device[0] != '\0')
        say(data, "Turns of a test differed by more than a tenth while the roofs were measured: another "
                  "process used "
                  "the device (nvidia-smi lists them), or its clock changed. Some may be too low: measure "
                  "them again.");
    else if (roofs->busy)
        say(data,
            "The machine was busy while the roofs were measured: some are too low, and shares of them too "
            "high. papi_roofline --measure measures them again.");
    if (points->busy)
        say(data,
            "Threads waited for processors while the program ran: times may be too long, and shares too "
            "low. Run it again on an idle machine, with a thread for each core at most.");
}

bool point_is_above(const struct point *point)
{
    const double rounding = 1e-9;
    return point->share > 1 + rounding;
}

/* Says where roofs are from that nobody measured, where these are not shown themselves. */
static void say_source(const struct points *points, const struct roofs *roofs, points_say *say, void *data)
{
    if (points->n == 0 || strcmp(roofs->source, "measured") == 0)
        return;
    char *text = memory_print("The roofs of %s are %s.", roofs->device, roofs_source(roofs));
    say(data, text);
    free(text);
}

static void say_above(const struct points *points, const struct roofs *roofs, points_say *say, void *data)
{
    for (int i = 0; i < points->n; i++) {
        const struct point *point = &points->point[i];
        if (!point_is_above(point))
            continue;
        char *text = memory_print("%s is above its roof (%s), which no kernel can be: its operations or "
                                  "bytes, its time or the roof "
                                  "are wrong.",
                                  point->name, point_limit_name(point, roofs));
        say(data, text);
        free(text);
    }
}

/* Says of which precision there are operations and no peak: these limit nothing. */
static void say_without_peak(const struct points *points, const struct roofs *roofs, points_say *say,
                             void *data)
{
    for (int precision = 0; precision < ROOF_PRECISIONS; precision++) {
        double operations = 0;
        for (int i = 0; i < points->n; i++)
            operations += points->point[i].operations[precision];
        if (operations <= 0 || roofs->n_peaks == 0 || roofs_peak(roofs, precision, 1) > 0)
            continue;
        char *text =
            memory_print("There is no peak of %s precision: shares are those of the other roofs alone.",
                         roof_precisions[precision]);
        say(data, text);
        free(text);
    }
}

void points_notes(const struct points *points, const struct roofs *roofs, points_say *say, void *data)
{
    say_of_host(points, roofs, say, data);
    if (roofs->device[0] != '\0') {
        say_source(points, roofs, say, data);
        if (roofs->n_peaks == 0)
            say(data, "Of this device no peak of operations is known: shares are those of its memory alone.");
        say_above(points, roofs, say, data);
        say_without_peak(points, roofs, say, data);
    }
    for (int i = 0; i < points->n_notes; i++)
        say(data, points->note[i]);
}

/* ---- events */

const struct source source_emulator = {
    .name = "the emulator",
    .operations = {"emu::SP_OPS", "emu::DP_OPS"},
    .read = {"emu::L1D_READ_MISSES", "emu::L2_READ_MISSES", "emu::L3_READ_MISSES"},
    .written = {"emu::L1D_WRITE_MISSES", "emu::L2_WRITE_MISSES", "emu::L3_WRITE_MISSES"},
};

const struct source source_presets = {
    .name = "the processor's counters",
    .operations = {"PAPI_SP_OPS", "PAPI_DP_OPS"},
    .read = {"PAPI_L1_DCM", "PAPI_L2_DCM", "PAPI_L3_TCM"},
};

static bool counts(const char *name)
{
    int code;
    return PAPI_event_name_to_code(name, &code) == PAPI_OK && PAPI_query_event(code) == PAPI_OK;
}

/* The first of two events that counts here; NULL: neither does. */
static const char *one_of(const char *name, const char *other)
{
    return counts(name) ? name : counts(other) ? other : NULL;
}

bool source_counters(struct source *source, int levels, const char **why)
{
    static const char *const misses[][2] = {
        {"PAPI_L1_DCM", "PAPI_L1_TCM"}, {"PAPI_L2_DCM", "PAPI_L2_TCM"}, {"PAPI_L3_TCM", "PAPI_L3_DCM"}};
    *source = (struct source){.name = "the processor's counters"};
    source->operations[0] = one_of("PAPI_SP_OPS", "PAPI_SP_OPS");
    /* Programs without a count for each precision are taken as double precision, which most of them use. */
    source->operations[1] = source->operations[0] != NULL ? one_of("PAPI_DP_OPS", "PAPI_DP_OPS") : NULL;
    if (source->operations[1] == NULL) {
        source->operations[0] = NULL;
        source->operations[1] = one_of("PAPI_FP_OPS", "PAPI_DP_OPS");
    }
    for (int i = 0; i < levels && i < 3; i++)
        source->read[i] = one_of(misses[i][0], misses[i][1]);
    bool lines = levels > 0 && levels <= 3 && source->read[levels - 1] != NULL;
    *why = source->operations[1] == NULL ? "floating-point operations are not counted"
           : !lines                      ? "misses of the last cache are not counted"
                                         : NULL;
    return *why == NULL;
}

static void append(char **text, const char *name)
{
    if (name == NULL)
        return;
    char *more = *text == NULL ? memory_text(name) : memory_print("%s,%s", *text, name);
    free(*text);
    *text = more;
}

char *source_events(const struct source *source, int levels)
{
    char *text = NULL;
    for (int i = 0; i < 2; i++)
        append(&text, source->operations[i]);
    for (int i = 0; i < levels && i < ROOFS_LEVELS; i++) {
        append(&text, source->read[i]);
        append(&text, source->written[i]);
    }
    return text;
}

static bool is(const char *name, const char *event)
{
    return name != NULL && strcmp(name, event) == 0;
}

static void add_to(double *sum, double amount)
{
    *sum = (*sum > 0 ? *sum : 0) + amount;
}

void source_add(const struct source *source, struct point *point, const char *event, double amount,
                const struct roofs *roofs)
{
    for (int i = 0; i < 2; i++)
        if (is(source->operations[i], event))
            point->operations[i] += amount;
    /* Bytes of misses came from the level after the cache. */
    for (int i = 0; i + 1 < roofs->n_levels; i++) {
        double bytes = amount * roofs->level[i].line;
        if (is(source->read[i], event))
            add_to(&point->read[i + 1], bytes);
        if (is(source->written[i], event))
            add_to(&point->written[i + 1], bytes);
    }
}
