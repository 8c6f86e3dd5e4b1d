/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/visible.h"
#include "roofline_output.h"
#include "tools/common/report.h"

#include <stdio.h>
#include <time.h>

static const char *const team_keys[ROOFS_TEAMS] = {[ROOFS_ONE] = "one_core", [ROOFS_ALL] = "all_cores"};

/* ------------------------------------------------------------------------- values */

static void put_rates(struct report *report, const double *rate)
{
    for (int team = 0; team < ROOFS_TEAMS; team++)
        report_exact(report, NULL, team_keys[team], rate[team]);
}

static void put_level(struct report *report, const struct roof_level *level)
{
    report_object(report, NULL);
    report_string(report, NULL, "name", level->name);
    report_number(report, NULL, "size", level->size);
    report_number(report, NULL, "line", level->line);
    for (int loop = 0; loop < STREAM_LOOPS; loop++) {
        report_object(report, stream_shapes[loop].name);
        put_rates(report, level->rate[loop]);
        report_end(report);
    }
    report_end(report);
}

/* -------------------------------------------------------------------------- roofs */

static void show_machine(struct report *report, const struct roofs *roofs)
{
    char text[2 * ROOFS_NAME + 128], clean[VISIBLE_GROWTH * sizeof text], clock[32] = "", when[32] = "";
    struct tm local;
    time_t measured = (time_t)roofs->measured;
    report_string(report, NULL, "host", roofs->host);
    report_string(report, NULL, "processor", roofs->processor);
    report_number(report, NULL, "cores", roofs->cores);
    report_number(report, NULL, "measured", roofs->measured);
    report_exact(report, NULL, "clock", roofs->clock);
    report_flag(report, NULL, "bound", roofs->bound);
    report_flag(report, NULL, "busy", roofs->busy);
    if (localtime_r(&measured, &local) != NULL)
        strftime(when, sizeof when, "%Y-%m-%d %H:%M", &local);
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

static void show_peak(struct report *report, const struct roof_peak *peak, double clock)
{
    char one[16], all[16], per_cycle[16];
    const char *precision = peak->is_double ? "double" : "single";
    report_object(report, NULL);
    report_string(report, NULL, "name", peak->name);
    report_number(report, NULL, "bits", peak->bits);
    report_string(report, NULL, "precision", precision);
    put_rates(report, peak->rate);
    report_end(report);
    snprintf(per_cycle, sizeof per_cycle, clock > 0 ? "%.1f" : "-", peak->rate[ROOFS_ONE] / clock);
    report_line(report, NULL, "%-6s  %-11.11s  %3d bits  %10s  %10s  %13s", precision, peak->name, peak->bits,
                cell(one, peak->rate[ROOFS_ONE]), cell(all, peak->rate[ROOFS_ALL]), per_cycle);
}

static void show_peaks(struct report *report, const struct roofs *roofs)
{
    report_list(report, "peaks");
    report_line(report, NULL, "%-31s  %10s  %10s  %13s", "GFLOP/s", "one core", "all cores", "ops per cycle");
    for (int i = 0; i < roofs->n_peaks; i++)
        show_peak(report, &roofs->peak[i], roofs->clock);
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
    put_level(report, level);
    if (level->size > 0)
        size_text(size, level->size);
    for (int team = 0; team < ROOFS_TEAMS; team++)
        for (int reads = 0; reads < 2; reads++)
            cell(cells[2 * team + reads],
                 roofs_bandwidth(roofs, i, reads != 0, team == ROOFS_ONE ? 1 : roofs->cores));
    report_line(report, NULL, "%-6s  %10s  %10s  %10s  %10s  %10s", level->name, size, cells[0], cells[1],
                cells[2], cells[3]);
}

static void show_levels(struct report *report, const struct roofs *roofs)
{
    report_list(report, "levels");
    report_line(report, NULL, "%-18s  %10s  %10s  %10s  %10s", "", "one core", "", "all cores", "");
    report_line(report, NULL, "%-18s  %10s  %10s  %10s  %10s", "GB/s", "mixed", "reads only", "mixed",
                "reads only");
    for (int i = 0; i < roofs->n_levels; i++)
        show_level(report, roofs, i);
    report_end(report);
}

void show_roofs(struct report *report, const struct roofs *roofs)
{
    report_object(report, "roofs");
    show_machine(report, roofs);
    report_blank(report);
    show_peaks(report, roofs);
    report_blank(report);
    show_levels(report, roofs);
    report_end(report);
    if (!roofs->bound)
        report_say(report, "The threads could not be bound to their cores: the rates may be too low.");
    if (roofs->busy)
        report_say(report, "The machine was busy: some rates are too low. --measure measures them again.");
}

/* -------------------------------------------------------------------------- points */

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

static void put_point(struct report *report, const struct roofs *roofs, const struct point *point)
{
    report_object(report, NULL);
    report_string(report, NULL, "name", point->name);
    report_number(report, NULL, "threads", point->threads);
    report_number(report, NULL, "entries", point->entries);
    report_exact(report, NULL, "seconds", point->seconds);
    report_exact(report, NULL, "single", point->operations[0]);
    report_exact(report, NULL, "double", point->operations[1]);
    put_bytes(report, roofs, point);
    report_exact(report, NULL, "operations_per_second", point->rate);
    report_string(report, NULL, "limit", point->limit == POINT_NONE ? NULL : point_limit_name(point, roofs));
    report_flag(report, NULL, "limit_of_reads", point->reads);
    report_exact(report, NULL, "roof", point->roof);
    report_exact(report, NULL, "share", point->share);
    report_end(report);
}

static const char *value(char out[24], double number, const char *format)
{
    snprintf(out, 24, number > 0 ? format : "-", number);
    return out;
}

static void show_point(struct report *report, const struct roofs *roofs, const struct point *point)
{
    const int memory = roofs->n_levels - 1;
    char rate[24], bytes[24], intensity[24], roof[24], share[24], limit[24], name[512];
    snprintf(limit, sizeof limit, "%s%s", point_limit_name(point, roofs), point->reads ? " reads" : "");
    put_point(report, roofs, point);
    visible(name, sizeof name, point->name);
    report_line(
        report, NULL, "%8s  %8s  %8s  %-12s  %8s  %7s  %7d  %s", value(rate, point->rate * 1e-9, "%.3g"),
        value(bytes, point->seconds > 0 ? point_bytes(point, memory) / point->seconds * 1e-9 : 0, "%.3g"),
        value(intensity, point_intensity(point, memory), "%.3g"), limit,
        value(roof, point->roof * 1e-9, "%.3g"), value(share, 100 * point->share, "%.1f %%"), point->threads,
        name);
}

void show_points(struct report *report, const struct roofs *roofs, const struct points *points)
{
    char command[1024];
    report_string(report, NULL, "command", points->command);
    report_string(report, NULL, "counted_by", points->counted_by);
    visible(command, sizeof command, points->command != NULL ? points->command : "");
    report_say(report, "%s, counted by %s:", command, points->counted_by);
    report_blank(report);
    report_line(report, NULL, "%8s  %8s  %8s  %-12s  %8s  %7s  %7s  %s", "GFLOP/s", "GB/s", "ops/byte",
                "lowest roof", "GFLOP/s", "of it", "threads", "region or routine");
    report_list(report, "points");
    for (int i = 0; i < points->n; i++)
        show_point(report, roofs, &points->point[i]);
    report_end(report);
}
