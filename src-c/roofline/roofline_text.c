/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/visible.h"
#include "roofline_output.h"
#include "tools/common/allocate.h"
#include "tools/common/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char *const team_keys[ROOFS_TEAMS] = {[ROOFS_ONE] = "one_core", [ROOFS_ALL] = "all_cores"},
                         *const spread_keys[ROOFS_TEAMS] = {
                             [ROOFS_ONE] = "one_core_spread", [ROOFS_ALL] = "all_cores_spread"};

/* ---- values */

static void put_rates(struct report *report, const double *rate, const double *spread)
{
    for (int team = 0; team < ROOFS_TEAMS; team++)
        report_exact(report, NULL, team_keys[team], rate[team]);
    for (int team = 0; team < ROOFS_TEAMS; team++)
        if (spread[team] >= 0)
            report_exact(report, NULL, spread_keys[team], spread[team]);
}

static void put_level(struct report *report, const struct roofs *roofs, int i)
{
    const struct roof_level *level = &roofs->level[i];
    report_object(report, NULL);
    report_string(report, NULL, "name", level->name);
    report_number(report, NULL, "size", level->size);
    report_number(report, NULL, "line", level->line);
    report_flag(report, NULL, "doubtful", roofs_doubtful(roofs, i));
    for (int loop = 0; loop < STREAM_LOOPS; loop++) {
        report_object(report, stream_shapes[loop].name);
        put_rates(report, level->rate[loop], level->spread[loop]);
        report_end(report);
    }
    report_end(report);
}

/* ---- roofs */

static bool is_device(const struct roofs *roofs)
{
    return roofs->device[0] != '\0';
}

static void write_day(char when[32], long long seconds)
{
    struct tm local;
    time_t measured = (time_t)seconds;
    if (localtime_r(&measured, &local) != NULL)
        strftime(when, 32, "%Y-%m-%d %H:%M", &local);
}

/* The device, and where its roofs are from. */
static void show_device(struct report *report, const struct roofs *roofs)
{
    char text[2 * ROOFS_NAME], clean[VISIBLE_GROWTH * sizeof text], when[32] = "";
    bool is_dated = roofs->measured > 0, has_driver = roofs->driver[0] != '\0';
    report_string(report, NULL, "device", roofs->device);
    report_string(report, NULL, "source", roofs->source);
    if (is_dated)
        report_number(report, NULL, "measured", roofs->measured);
    if (has_driver)
        report_string(report, NULL, "driver", roofs->driver);
    if (roofs->busy)
        report_flag(report, NULL, "busy", roofs->busy);
    write_day(when, roofs->measured);
    snprintf(text, sizeof text, "%s: roofs %s%s%s%s%s%s", roofs->device, roofs_source(roofs),
             is_dated ? " " : "", is_dated ? when : "", has_driver ? " (" : "", roofs->driver,
             has_driver ? ")" : "");
    visible(clean, sizeof clean, text);
    report_say(report, "%s", clean);
}

static void show_machine(struct report *report, const struct roofs *roofs)
{
    char text[2 * ROOFS_NAME + 128], clean[VISIBLE_GROWTH * sizeof text], clock[32] = "", when[32] = "";
    report_string(report, NULL, "host", roofs->host);
    report_string(report, NULL, "processor", roofs->processor);
    report_number(report, NULL, "cores", roofs->cores);
    report_number(report, NULL, "measured", roofs->measured);
    report_exact(report, NULL, "clock", roofs->clock);
    report_flag(report, NULL, "bound", roofs->bound);
    report_flag(report, NULL, "busy", roofs->busy);
    write_day(when, roofs->measured);
    if (roofs->clock > 0)
        snprintf(clock, sizeof clock, " at %.2f GHz", roofs->clock * 1e-9);
    snprintf(text, sizeof text, "%s: %s, %d core%s%s, measured %s", roofs->host, roofs->processor,
             roofs->cores, roofs->cores == 1 ? "" : "s", clock, when);
    visible(clean, sizeof clean, text);
    report_say(report, "%s", clean);
}

/* The cells are right-aligned; what is not known is "-". */
static const char *cell(char out[16], double rate)
{
    snprintf(out, 16, rate > 0 ? "%.1f" : "-", rate * 1e-9);
    return out;
}

static void show_peak(struct report *report, const struct roof_peak *peak, const struct roofs *roofs)
{
    char one[16], all[16], per_cycle[16];
    const char *precision = roof_precisions[peak->precision];
    report_object(report, NULL);
    report_string(report, NULL, "name", peak->name);
    report_number(report, NULL, "bits", peak->bits);
    report_string(report, NULL, "precision", precision);
    put_rates(report, peak->rate, peak->spread);
    report_end(report);
    if (is_device(roofs)) {
        char clean[VISIBLE_GROWTH * sizeof peak->name];
        visible(clean, sizeof clean, peak->name);
        report_line(report, NULL, "%-6s  %10s  %s", precision, cell(all, peak->rate[ROOFS_ALL]), clean);
        return;
    }
    snprintf(per_cycle, sizeof per_cycle, roofs->clock > 0 ? "%.1f" : "-",
             peak->rate[ROOFS_ONE] / roofs->clock);
    report_line(report, NULL, "%-6s  %-11.11s  %3d bits  %10s  %10s  %13s", precision, peak->name, peak->bits,
                cell(one, peak->rate[ROOFS_ONE]), cell(all, peak->rate[ROOFS_ALL]), per_cycle);
}

static void show_peaks(struct report *report, const struct roofs *roofs)
{
    report_list(report, "peaks");
    if (is_device(roofs))
        report_line(report, NULL, "GFLOP/s");
    else
        report_line(report, NULL, "%-31s  %10s  %10s  %13s", "GFLOP/s", "one core", "all cores",
                    "ops per cycle");
    for (int i = 0; i < roofs->n_peaks; i++)
        show_peak(report, &roofs->peak[i], roofs);
    report_end(report);
}

static void size_text(char out[16], long long size)
{
    if (size >= 1 << 20 && size % (1 << 20) == 0)
        snprintf(out, 16, "%lld MiB", size >> 20);
    else
        snprintf(out, 16, "%lld KiB", size >> 10);
}

static void show_level(struct report *report, const struct roofs *roofs, int i)
{
    const struct roof_level *level = &roofs->level[i];
    char cells[4][16], size[16] = "";
    put_level(report, roofs, i);
    if (level->size > 0)
        size_text(size, level->size);
    if (is_device(roofs)) {
        visible(size, sizeof size, level->name);
        report_line(report, NULL, "%-6s  %10s%s", size, cell(cells[0], roofs_bandwidth(roofs, i, false, 1)),
                    roofs_doubtful(roofs, i) ? "  doubtful" : "");
        return;
    }
    for (int team = 0; team < ROOFS_TEAMS; team++)
        for (int reads = 0; reads < 2; reads++)
            cell(cells[2 * team + reads],
                 roofs_bandwidth(roofs, i, reads != 0, team == ROOFS_ONE ? 1 : roofs->cores));
    report_line(report, NULL, "%-6s  %10s  %10s  %10s  %10s  %10s%s", level->name, size, cells[0], cells[1],
                cells[2], cells[3], roofs_doubtful(roofs, i) ? "  doubtful" : "");
}

static void show_levels(struct report *report, const struct roofs *roofs)
{
    report_list(report, "levels");
    if (is_device(roofs)) {
        report_line(report, NULL, "GB/s");
    } else {
        report_line(report, NULL, "%-18s  %10s  %10s  %10s  %10s", "", "one core", "", "all cores", "");
        report_line(report, NULL, "%-18s  %10s  %10s  %10s  %10s", "GB/s", "mixed", "reads only", "mixed",
                    "reads only");
    }
    for (int i = 0; i < roofs->n_levels; i++)
        show_level(report, roofs, i);
    report_end(report);
}

static void say_note(void *data, const char *sentence)
{
    char *clean = memory_more(NULL, VISIBLE_GROWTH, strlen(sentence) + 1);
    visible(clean, VISIBLE_GROWTH * (strlen(sentence) + 1), sentence);
    report_say(data, "%s", clean);
    free(clean);
}

void show_roofs(struct report *report, const struct roofs *roofs)
{
    report_object(report, "roofs");
    (is_device(roofs) ? show_device : show_machine)(report, roofs);
    report_blank(report);
    show_peaks(report, roofs);
    report_blank(report);
    show_levels(report, roofs);
    report_end(report);
    if (!roofs->bound)
        report_say(report, "The threads could not be bound to their cores: the rates may be too low.");
    points_notes(&(struct points){.n = 0}, roofs, say_note, report);
}

/* ---- points */

static void put_bytes(struct report *report, const struct roofs *roofs, const struct point *point)
{
    report_list(report, "bytes");
    for (int i = 0; i < roofs->n_levels; i++) {
        if (point->read[i] < 0)
            continue;
        report_object(report, NULL);
        report_string(report, NULL, "from", roofs->level[i].name);
        report_exact(report, NULL, "read", point->read[i]);
        if (point->written[i] >= 0)
            report_exact(report, NULL, "written", point->written[i]);
        report_end(report);
    }
    report_end(report);
}

/* null where it is not known. */
static void put_known(struct report *report, const char *key, double value, bool known)
{
    if (known)
        report_exact(report, NULL, key, value);
    else
        report_string(report, NULL, key, NULL);
}

/* Puts what is given of a point at the level of its lowest roof. */
static void put_at_level(struct report *report, const struct roofs *roofs, const struct point *point)
{
    int level = point_level(point, roofs);
    double bytes = point_bytes(point, roofs, level), intensity = point_intensity(point, roofs, level);
    report_string(report, NULL, "level", roofs->level[level].name);
    put_known(report, "bytes_per_second", bytes / point->seconds, bytes >= 0 && point->seconds > 0);
    put_known(report, "operations_per_byte", intensity, bytes > 0);
}

/* Puts what a kernel has beside what a region has. */
static void put_kernel(struct report *report, const struct point *point)
{
    report_string(report, NULL, "device", point->device);
    report_flag(report, NULL, "above_roof", point_is_above(point));
    report_list(report, "launches");
    for (int i = 0; i < point->n_launches; i++) {
        const struct launch *launch = &point->launch[i];
        report_object(report, NULL);
        report_string(report, NULL, "routine", launch->routine);
        report_string(report, NULL, "file", launch->file);
        report_number(report, NULL, "line", launch->line > 0 ? launch->line : REPORT_UNKNOWN);
        report_number(report, NULL, "times", launch->times);
        report_exact(report, NULL, "seconds", launch->seconds);
        report_end(report);
    }
    report_end(report);
}

static void put_point(struct report *report, const struct roofs *roofs, const struct point *point)
{
    bool known = point->counted || !is_device(roofs);
    report_object(report, NULL);
    report_string(report, NULL, "name", point->name);
    report_number(report, NULL, "threads", point->threads);
    report_number(report, NULL, "entries", point->entries);
    report_exact(report, NULL, "seconds", point->seconds);
    for (int i = 0; i < (is_device(roofs) ? ROOF_PRECISIONS : ROOF_HALF); i++)
        put_known(report, roof_precisions[i], point->operations[i], known);
    put_bytes(report, roofs, point);
    put_known(report, "operations_per_second", point->rate, known);
    report_string(report, NULL, "limit", point->limit == POINT_NONE ? NULL : point_limit_name(point, roofs));
    report_flag(report, NULL, "limit_of_reads", point->reads);
    put_known(report, "roof", point->roof, known);
    put_known(report, "share", point->share, known);
    put_known(report, "share_spread", point->share * point->spread, point->spread >= 0);
    put_at_level(report, roofs, point);
    if (is_device(roofs))
        put_kernel(report, point);
    report_end(report);
}

static const char *value(char out[24], double number, const char *format)
{
    snprintf(out, 24, number > 0 ? format : "-", number);
    return out;
}

/* "75.0 % +-1.5": the second number is as much of the share as the roof's repetitions differ. */
static const char *share_text(char out[32], const struct point *point)
{
    char share[24];
    value(share, 100 * point->share, "%.1f %%");
    snprintf(out, 32, point->share > 0 && point->spread >= 0 ? "%s +-%.1f" : "%s", share,
             100 * point->share * point->spread);
    return out;
}

/* Shows a kernel by its time, and the lines that launch it below it. */
static void show_kernel(struct report *report, const struct roofs *roofs, const struct point *point)
{
    const int level = point_level(point, roofs);
    char rate[24], bytes[24], intensity[24], roof[24], share[32];
    put_point(report, roofs, point);
    report_part(
        report, "%8s  %8s  %8s  %-12s  %8s  %-13s  %9.4g  %s  %s", value(rate, point->rate * 1e-9, "%.3g"),
        value(bytes, point->seconds > 0 ? point_bytes(point, roofs, level) / point->seconds * 1e-9 : 0,
              "%.3g"),
        value(intensity, point_intensity(point, roofs, level), "%.3g"), point_limit_name(point, roofs),
        value(roof, point->roof * 1e-9, "%.3g"), share_text(share, point), point->seconds * 1e3, point->name,
        point->device);
    report_blank(report);
    for (int i = 0; i < point->n_launches; i++) {
        char *line = launch_text(&point->launch[i]);
        report_part(report, "%81s%s", "", line);
        report_blank(report);
        free(line);
    }
}

static void show_point(struct report *report, const struct roofs *roofs, const struct point *point)
{
    const int level = point_level(point, roofs);
    char rate[24], bytes[24], intensity[24], roof[24], share[32], limit[24], name[512];
    snprintf(limit, sizeof limit, "%s%s", point_limit_name(point, roofs), point->reads ? " reads" : "");
    put_point(report, roofs, point);
    visible(name, sizeof name, point->name);
    report_line(
        report, NULL, "%8s  %8s  %8s  %-12s  %8s  %-13s  %7d  %s", value(rate, point->rate * 1e-9, "%.3g"),
        value(bytes, point->seconds > 0 ? point_bytes(point, roofs, level) / point->seconds * 1e-9 : 0,
              "%.3g"),
        value(intensity, point_intensity(point, roofs, level), "%.3g"), limit,
        value(roof, point->roof * 1e-9, "%.3g"), share_text(share, point), point->threads, name);
}

/* Says what the columns are of. */
static void show_legend(struct report *report, const struct points *points)
{
    bool at_peak = false, spread = false;
    for (int i = 0; i < points->n; i++) {
        at_peak = at_peak || points->point[i].limit < 0;
        spread = spread || points->point[i].spread >= 0;
    }
    report_blank(report);
    report_say(report, "GB/s and ops/byte are of the level of the lowest roof%s%s.",
               at_peak ? ", of memory where that is the peak" : "",
               spread ? "; +- is how far the roof's repetitions differ" : "");
}

static void put_notes(struct report *report, const struct points *points)
{
    report_list(report, "notes");
    for (int i = 0; i < points->n_notes; i++)
        report_string(report, NULL, NULL, points->note[i]);
    report_end(report);
}

void show_points(struct report *report, const struct roofs *roofs, const struct points *points)
{
    char command[1024];
    report_string(report, NULL, "command", points->command);
    report_string(report, NULL, "counted_by", points->counted_by);
    report_flag(report, NULL, "busy", points->busy);
    visible(command, sizeof command, points->command != NULL ? points->command : "");
    if (is_device(roofs))
        report_say(report, "%s, kernels; operations and bytes: %s", command, points->counted_by);
    else
        report_say(report, "%s, counted by %s:", command, points->counted_by);
    report_blank(report);
    report_line(report, NULL, "%8s  %8s  %8s  %-12s  %8s  %-13s  %*s  %s", "GFLOP/s", "GB/s", "ops/byte",
                "lowest roof", "GFLOP/s", "of it", is_device(roofs) ? 9 : 7,
                is_device(roofs) ? "ms" : "threads",
                is_device(roofs) ? "kernel, device, and the lines that launch it" : "region or routine");
    report_list(report, "points");
    for (int i = 0; i < points->n; i++)
        (is_device(roofs) ? show_kernel : show_point)(report, roofs, &points->point[i]);
    report_end(report);
    if (points->n_notes > 0)
        put_notes(report, points);
    show_legend(report, points);
    points_notes(points, roofs, say_note, report);
}
