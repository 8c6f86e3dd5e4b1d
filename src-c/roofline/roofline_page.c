/* SPDX-License-Identifier: BSD-3-Clause */
#include "roofline_output.h"
#include "tools/common/allocate.h"
#include "web/markup.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- cells */

static void put_cell(FILE *out, const char *format, double number)
{
    fputs("<td>", out);
    if (number > 0)
        fprintf(out, format, number);
    else
        fputs("-", out);
    fputs("</td>", out);
}

static void put_name(FILE *out, const char *text)
{
    fputs("<td class=\"name\">", out);
    markup_text(out, text);
    fputs("</td>", out);
}

static void open_table(FILE *out, const char *id, const char *caption, const char *const *heads)
{
    fprintf(
        out,
        "<div class=\"frame\" tabindex=\"0\" role=\"region\" aria-label=\"%s\"><table id=\"%s\"><caption>%s"
        "</caption>\n<thead><tr>",
        caption, id, caption);
    for (; *heads != NULL; heads++) /* a name's head begins with a blank */
        fprintf(out, "<th scope=\"col\"%s>%s</th>", **heads == ' ' ? " class=\"name\"" : "",
                *heads + (**heads == ' '));
    fputs("</tr></thead>\n<tbody>\n", out);
}

static void close_table(FILE *out)
{
    fputs("</tbody></table></div>\n", out);
}

/* ---- tables */

static void put_share(FILE *out, const struct point *point)
{
    fputs("<td>", out);
    draw_percent(out, point);
    fputs("</td>", out);
}

/* The name, and of a kernel its device and the lines that launch it. */
static void put_point_name(FILE *out, const struct point *point)
{
    if (point->device == NULL) {
        put_name(out, point->name);
        return;
    }
    fputs("<td class=\"name\">", out);
    markup_text(out, point->name);
    fputs("<br>", out);
    markup_text(out, point->device);
    for (int i = 0; i < point->n_launches; i++) {
        char *line = launch_text(&point->launch[i]);
        fputs("<br>", out);
        markup_text(out, line);
        free(line);
    }
    fputs("</td>", out);
}

static void put_points(FILE *out, const struct roofs *roofs, const struct points *points)
{
    static const char *const heads[] = {"number",   " region or routine",
                                        "GFLOP/s",  "GB/s",
                                        "ops/byte", "lowest roof",
                                        "GFLOP/s",  "of it",
                                        "seconds",  "threads",
                                        NULL};
    static const char *const kernel_heads[] = {"number",   " kernel, device, and the lines that launch it",
                                               "GFLOP/s",  "GB/s",
                                               "ops/byte", "lowest roof",
                                               "GFLOP/s",  "of it",
                                               "seconds",  "launches",
                                               NULL};
    bool device = roofs->device[0] != '\0';
    open_table(
        out, "regions",
        "The longest first; GB/s and ops/byte are of the level of the lowest roof, of memory where that is "
        "the peak",
        device ? kernel_heads : heads);
    for (int i = 0; i < points->n; i++) {
        const struct point *point = &points->point[i];
        int level = point_level(point, roofs);
        double bytes = point_bytes(point, roofs, level);
        fprintf(out, "<tr><td>%d</td>", i + 1);
        put_point_name(out, point);
        put_cell(out, "%.3g", point->rate * 1e-9);
        put_cell(out, "%.3g", point->seconds > 0 ? bytes / point->seconds * 1e-9 : 0);
        put_cell(out, "%.3g", point_intensity(point, roofs, level));
        fputs("<td>", out);
        markup_text(out, point_limit_name(point, roofs));
        fprintf(out, "%s</td>", point->reads ? ", reads only" : "");
        put_cell(out, "%.3g", point->roof * 1e-9);
        put_share(out, point);
        put_cell(out, "%.3g", point->seconds);
        put_cell(out, "%.0f", device ? (double)point->entries : point->threads);
        fputs("</tr>\n", out);
    }
    close_table(out);
}

static void put_peaks(FILE *out, const struct roofs *roofs)
{
    static const char *const heads[] = {" instructions", " precision", "bits", "one core", "all cores", NULL};
    static const char *const device_heads[] = {" instructions", " precision", "bits", "whole device", NULL};
    bool device = roofs->device[0] != '\0';
    open_table(out, "peaks", "Peak operations, GFLOP/s", device ? device_heads : heads);
    for (int i = 0; i < roofs->n_peaks; i++) {
        const struct roof_peak *peak = &roofs->peak[i];
        fputs("<tr>", out);
        put_name(out, peak->name);
        put_name(out, roof_precisions[peak->precision]);
        put_cell(out, "%.0f", peak->bits);
        if (!device)
            put_cell(out, "%.1f", peak->rate[ROOFS_ONE] * 1e-9);
        put_cell(out, "%.1f", peak->rate[ROOFS_ALL] * 1e-9);
        fputs("</tr>\n", out);
    }
    close_table(out);
}

static void put_levels(FILE *out, const struct roofs *roofs)
{
    static const char *const heads[] = {
        " level", "KiB", "one core", "one core, reads only", "all cores", "all cores, reads only", NULL};
    static const char *const device_heads[] = {" level", "KiB", "whole device", "reads only", NULL};
    bool device = roofs->device[0] != '\0';
    open_table(out, "levels", "Bandwidth, GB/s", device ? device_heads : heads);
    for (int i = 0; i < roofs->n_levels; i++) {
        fputs("<tr>", out);
        put_name(out, roofs->level[i].name);
        put_cell(out, roofs_doubtful(roofs, i) ? "%.0f, doubtful" : "%.0f",
                 (double)roofs->level[i].size / 1024);
        for (int all = device; all < 2; all++)
            for (int reads = 0; reads < 2; reads++)
                put_cell(out, "%.1f",
                         1e-9 * roofs_bandwidth(roofs, i, reads != 0, all != 0 ? roofs->cores : 1));
        fputs("</tr>\n", out);
    }
    close_table(out);
}

/* ---- all */

static void put_title(FILE *out, const struct roofs *roofs, const struct points *points)
{
    fputs("Roofline of ", out);
    markup_text(out, points->command != NULL ? points->command : roofs_name(roofs));
}

static void put_verdict(FILE *out, const struct roofs *roofs, const struct points *points)
{
    const struct point *first = points->n > 0 ? &points->point[0] : NULL;
    fputs("<p id=\"verdict\">", out);
    if (first != NULL) {
        markup_text(out, first->name);
        fprintf(out, " takes longest: %.3g s at %.3g GFLOP/s, ", first->seconds, first->rate * 1e-9);
        draw_share(out, roofs, first);
        fputs(".", out);
    }
    fputs("</p>\n", out);
}

static void put_machine(FILE *out, const struct roofs *roofs, const struct points *points)
{
    char when[32] = "";
    struct tm local;
    time_t measured = (time_t)roofs->measured;
    if (localtime_r(&measured, &local) != NULL)
        strftime(when, sizeof when, "%Y-%m-%d %H:%M", &local);
    fputs("<p class=\"note\">", out);
    markup_text(out, roofs_name(roofs));
    if (roofs->device[0] != '\0') {
        fprintf(out, ": roofs %s", roofs_source(roofs));
    } else {
        fputs(": ", out);
        markup_text(out, roofs->processor);
        fprintf(out, ", %d core%s, roofs measured %s", roofs->cores, roofs->cores == 1 ? "" : "s", when);
    }
    if (points->counted_by != NULL && points->counted_by[0] != '\0') {
        fputs(roofs->device[0] != '\0' ? "; operations and bytes: " : "; counted by ", out);
        markup_text(out, points->counted_by);
    }
    fputs(".</p>\n", out);
}

static void put_note(void *data, const char *sentence)
{
    FILE *out = data;
    fputs("<p class=\"doubt\">", out);
    markup_text(out, sentence);
    fputs("</p>\n", out);
}

void draw_page(FILE *out, const struct roofs *roofs, const struct points *points)
{
    fprintf(out, "%s<title>", markup_head);
    put_title(out, roofs, points);
    fprintf(out, "</title>\n<style>\n%s</style>\n</head>\n<body>\n<h1>", page_style);
    put_title(out, roofs, points);
    fputs("</h1>\n", out);
    put_verdict(out, roofs, points);
    put_machine(out, roofs, points);
    points_notes(points, roofs, put_note, out);
    fputs("<div class=\"frame\" tabindex=\"0\" role=\"region\" aria-label=\"Drawing\">\n", out);
    draw_inside(out, roofs, points);
    fputs("</div>\n<p class=\"note\">Each point stands at the operations for each byte of the level that "
          "limits it, and "
          "the dashes above it lead to that roof.</p>\n",
          out);
    if (points->n > 0)
        put_points(out, roofs, points);
    fputs("<h2>Roofs</h2>\n", out);
    put_levels(out, roofs);
    put_peaks(out, roofs);
    fputs("</body>\n</html>\n", out);
}
