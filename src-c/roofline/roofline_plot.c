/* SPDX-License-Identifier: BSD-3-Clause */
#include "roofline_output.h"
#include "tools/common/allocate.h"
#include "web/markup.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Measures of the plot. No difference is shown by colour alone. */
enum {
    WIDTH = 900,
    HEIGHT = 560,
    LEFT = 70,
    RIGHT = 880,
    TOP = 20,
    BOTTOM = 500,
    ROW = 18,
    MOST_ROWS = 40,
    MOST_DECADES = 12
};

/* Place of a label along a line of slope 1 that it stands above: lines are parallel, and labels turned as
 * they are. */
struct along {
    double from, to; /* pixels along the line */
    double off;      /* the line's distance from the corner at the left and bottom */
};

enum { MOST_LABELS = 2 * ROOFS_LEVELS };

struct paper {
    FILE *out;
    const struct roofs *roofs;
    const struct points *points;
    double least_x, most_x, least_y, most_y; /* logarithms of 10 */
    int threads;                             /* of the roofs that are drawn as lines */
    struct along label[MOST_LABELS];         /* that are drawn */
    int n_labels;
};

void draw_percent(FILE *out, const struct point *point)
{
    if (point->share > 0)
        fprintf(out, "%.1f %%", 100 * point->share);
    else
        fputs("-", out);
    if (point->share > 0 && point->spread >= 0)
        fprintf(out, " ±%.1f", 100 * point->share * point->spread);
}

void draw_share(FILE *out, const struct roofs *roofs, const struct point *point)
{
    if (point->limit == POINT_NONE) {
        fputs("nothing that was counted", out);
        return;
    }
    draw_percent(out, point);
    fputs(" of its roof (", out);
    markup_text(out, point_limit_name(point, roofs));
    fputs(point->reads ? ", reads only)" : ")", out);
}

/* ---- scales */

static double across(const struct paper *paper, double intensity)
{
    double part = (log10(intensity) - paper->least_x) / (paper->most_x - paper->least_x);
    return LEFT + fmin(fmax(part, 0), 1) * (RIGHT - LEFT);
}

static double down(const struct paper *paper, double rate)
{
    double part = (log10(rate) - paper->least_y) / (paper->most_y - paper->least_y);
    return BOTTOM - fmin(fmax(part, 0), 1) * (BOTTOM - TOP);
}

/* Intensity at which a point is drawn: of the level that limits it, of memory if the peak does; at the right
 * end if no bytes were counted. */
static double place_of(const struct paper *paper, const struct point *point)
{
    double intensity = point_intensity(point, paper->roofs, point_level(point, paper->roofs));
    return intensity > 0 ? intensity : pow(10, paper->most_x);
}

static bool is_drawn(const struct point *point)
{
    return point->rate > 0 && isfinite(point->rate);
}

static double top_peak(const struct roofs *roofs, int threads)
{
    double top = 0;
    for (int i = 0; i < ROOF_PRECISIONS; i++)
        top = fmax(top, roofs_peak(roofs, i, threads));
    return top;
}

/* Chooses the axes such that all roofs and points are on the paper, with some room around them. */
static void fit(struct paper *paper)
{
    const struct roofs *roofs = paper->roofs;
    double top = top_peak(roofs, paper->threads),
           least = roofs_bandwidth(roofs, roofs->n_levels - 1, false, 1) / 64;
    paper->least_x = log10(1.0 / 64);
    paper->most_x = log10(256.0);
    for (int i = 0; i < paper->points->n; i++) {
        const struct point *point = &paper->points->point[i];
        if (!is_drawn(point))
            continue;
        double x = log10(place_of(paper, point));
        paper->least_x = fmin(paper->least_x, x - 0.1);
        paper->most_x = fmin(fmax(paper->most_x, x + 0.1), 6);
        least = fmin(least, point->rate / 2);
        top = fmax(top, point->rate);
    }
    paper->least_x = fmax(paper->least_x, -MOST_DECADES / 2.0);
    paper->most_y = log10(top > 0 ? 1.6 * top : 1e9);
    paper->least_y = fmax(log10(least > 0 ? least : 1), paper->most_y - MOST_DECADES);
    if (paper->most_y < paper->least_y + 1)
        paper->least_y = paper->most_y - 1;
}

/* ---- parts */

static __attribute__((format(printf, 6, 7))) void label(const struct paper *paper, double x, double y,
                                                        const char *anchor, const char *class,
                                                        const char *format, ...)
{
    char text[128];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(paper->out, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", class, x, y, anchor);
    markup_text(paper->out, text);
    fputs("</text>\n", paper->out);
}

static void draw_axes(const struct paper *paper)
{
    for (int i = (int)ceil(paper->least_x / log10(2.0)); i <= paper->most_x / log10(2.0); i += 2) {
        double x = across(paper, pow(2, i));
        fprintf(paper->out, "<path class=\"grid\" d=\"M%.1f %d V%d\"/>\n", x, TOP, BOTTOM);
        label(paper, x, BOTTOM + 18, "middle", "tick", i < 0 ? "1/%.0f" : "%.0f", pow(2, abs(i)));
    }
    for (int i = (int)ceil(paper->least_y); i <= paper->most_y; i++) {
        double y = down(paper, pow(10, i));
        fprintf(paper->out, "<path class=\"grid\" d=\"M%d %.1f H%d\"/>\n", LEFT, y, RIGHT);
        label(paper, LEFT - 8, y + 4, "end", "tick", "%g", pow(10, i - 9));
    }
    label(paper, (LEFT + RIGHT) / 2.0, BOTTOM + 40, "middle", "axis",
          "floating-point operations for each byte");
    label(paper, LEFT - 55, TOP - 6, "start", "axis", "GFLOP/s");
}

/* Operations a second up to which the slope of a level is drawn: the peak, or the end of the paper. */
static double slope_top(const struct paper *paper, double bandwidth, int threads)
{
    double top = top_peak(paper->roofs, threads);
    return top > 0 ? top : fmin(bandwidth * pow(10, paper->most_x), pow(10, paper->most_y));
}

/* Draws the roof of a level as a slope that ends at the highest peak. */
static void draw_slope(const struct paper *paper, int level, int threads, bool reads, const char *class)
{
    double bandwidth = roofs_bandwidth(paper->roofs, level, reads, threads),
           top = slope_top(paper, bandwidth, threads);
    double from = pow(10, paper->least_x), bottom = pow(10, paper->least_y);
    if (bandwidth <= 0 || top <= 0)
        return;
    if (bandwidth * from < bottom)
        from = bottom / bandwidth;
    double to = fmax(top / bandwidth, from);
    fprintf(paper->out, "<path class=\"level %s\" d=\"M%.1f %.1f L%.1f %.1f\"/>\n", class,
            across(paper, from), down(paper, bandwidth * from), across(paper, to),
            down(paper, bandwidth * to));
}

static bool is_free(const struct paper *paper, const struct along *place)
{
    enum { TALL = 15 };
    for (int i = 0; i < paper->n_labels; i++) {
        const struct along *other = &paper->label[i];
        if (fabs(other->off - place->off) < TALL && other->from < place->to && place->from < other->to)
            return false;
    }
    return true;
}

/* Finds room for a label of so many characters on the line from (x, y) that rises by the angle and has this
 * length. */
static bool find_place(struct paper *paper, struct along *place, double angle, double x, double y,
                       double length, size_t characters)
{
    const double wide = 7 * (double)characters, begin = 20;
    double start = (x - LEFT) * cos(angle) + (BOTTOM - y) * sin(angle);
    place->off = (BOTTOM - y) * cos(angle) - (x - LEFT) * sin(angle);
    for (double at = begin; at == begin || at + wide < length; at += begin) {
        place->from = start + at;
        place->to = place->from + wide;
        if (!is_free(paper, place))
            continue;
        if (paper->n_labels < MOST_LABELS)
            paper->label[paper->n_labels++] = *place;
        place->from = at;
        return true;
    }
    return false;
}

/* Draws a label above its line, and along it, behind those of lines that are too near; none where there is no
 * room, as the list of roofs has it. */
static void label_slope(struct paper *paper, int level, bool reads)
{
    char text[64];
    struct along place;
    double bandwidth = roofs_bandwidth(paper->roofs, level, reads, paper->threads),
           top = slope_top(paper, bandwidth, paper->threads);
    double least = fmax(pow(10, paper->least_x), pow(10, paper->least_y) / bandwidth);
    if (bandwidth <= 0 || top <= 0)
        return;
    double most = fmax(top / bandwidth, 2 * least);
    double x = across(paper, least), y = down(paper, bandwidth * least);
    double dx = across(paper, most) - x, dy = y - down(paper, bandwidth * most), angle = atan2(dy, dx);
    snprintf(text, sizeof text, "%s%s %.3g GB/s", paper->roofs->level[level].name,
             reads ? ", reads only," : "", bandwidth * 1e-9);
    if (!find_place(paper, &place, angle, x, y, hypot(dx, dy), strlen(text)))
        return;
    fprintf(paper->out, "<g transform=\"translate(%.1f %.1f) rotate(%.1f)\">", x + place.from * cos(angle),
            y - place.from * sin(angle) - 5, -angle * 180 / M_PI);
    label(paper, 0, 0, "start", "level", "%s", text);
    fputs("</g>\n", paper->out);
}

static bool has_reads(const struct paper *paper, int level)
{
    for (int i = 0; i < paper->points->n; i++)
        if (paper->points->point[i].reads && paper->points->point[i].limit == level)
            return true;
    return false;
}

static void draw_levels(struct paper *paper)
{
    for (int level = 0; level < paper->roofs->n_levels; level++) {
        if (roofs_doubtful(paper->roofs, level))
            continue;
        draw_slope(paper, level, paper->threads, false, "all");
        label_slope(paper, level, false);
        if (has_reads(paper, level)) {
            draw_slope(paper, level, paper->threads, true, "reads");
            label_slope(paper, level, true);
        }
    }
}

static double rate_of(const struct paper *paper, const struct roof_peak *peak)
{
    struct roofs one = {.cores = paper->roofs->cores, .peak = {*peak}, .n_peaks = 1};
    return roofs_peak(&one, peak->precision, paper->threads);
}

/* Draws the peaks, each from the slope of the fastest level on. Peaks that are too near to others are left
 * out, the highest last. */
static void draw_peaks(const struct paper *paper)
{
    const struct roofs *roofs = paper->roofs;
    double fastest = 0, drawn[ROOFS_PEAKS];
    int n = 0;
    for (int level = 0; level < roofs->n_levels; level++)
        fastest = fmax(fastest, roofs_bandwidth(roofs, level, false, paper->threads));
    for (int i = 2 * roofs->n_peaks - 1; i >= 0 && fastest > 0; i--) { /* of double precision first */
        const struct roof_peak *peak = &roofs->peak[i % roofs->n_peaks];
        double rate = rate_of(paper, peak), y = rate > 0 ? down(paper, rate) : BOTTOM;
        bool near = y > BOTTOM - ROW || (peak->precision == ROOF_DOUBLE) != (i >= roofs->n_peaks);
        for (int k = 0; k < n; k++)
            near = near || fabs(drawn[k] - y) < ROW;
        if (near)
            continue;
        drawn[n++] = y;
        fprintf(paper->out, "<path class=\"peak all\" d=\"M%.1f %.1f H%d\"/>\n",
                across(paper, rate / fastest), y, RIGHT);
        label(paper, RIGHT - 4, y - 4, "end", "peak", "%s, %s precision: %.3g GFLOP/s", peak->name,
              roof_precisions[peak->precision], rate * 1e-9);
    }
}

/* Draws the roofs of one core, if those of more are drawn as well. */
static void draw_one_core(const struct paper *paper)
{
    double top = top_peak(paper->roofs, 1), fastest = 0;
    if (paper->threads <= 1)
        return;
    for (int level = 0; level < paper->roofs->n_levels; level++) {
        if (!roofs_doubtful(paper->roofs, level))
            draw_slope(paper, level, 1, false, "one");
        fastest = fmax(fastest, roofs_bandwidth(paper->roofs, level, false, 1));
    }
    if (top > 0 && fastest > 0)
        fprintf(paper->out, "<path class=\"peak one\" d=\"M%.1f %.1f H%d\"/>\n", across(paper, top / fastest),
                down(paper, top), RIGHT);
    label(paper, LEFT + 4, TOP + 12, "start", "tick", "lines: %d threads; dashes: one core", paper->threads);
}

static void draw_point(const struct paper *paper, int i)
{
    const struct point *point = &paper->points->point[i];
    double x = across(paper, place_of(paper, point)), y = down(paper, point->rate);
    fputs("<g class=\"region\"><title>", paper->out);
    markup_text(paper->out, point->name);
    fprintf(paper->out, ": %.3g GFLOP/s, ", point->rate * 1e-9);
    draw_share(paper->out, paper->roofs, point);
    fputs("</title>\n", paper->out);
    if (point->roof > 0)
        fprintf(paper->out, "<path class=\"below\" d=\"M%.1f %.1f V%.1f\"/>\n", x, y,
                down(paper, point->roof));
    fprintf(paper->out, "<circle class=\"point\" cx=\"%.1f\" cy=\"%.1f\" r=\"6\"/>\n", x, y);
    label(paper, x + 9, y + 5, "start", "point", "%d", i + 1);
    fputs("</g>\n", paper->out);
}

/* ---- all */

static void draw(FILE *out, const struct roofs *roofs, const struct points *points)
{
    struct paper paper = {
        .out = out, .roofs = roofs, .points = points, .threads = points->n > 0 ? 1 : roofs->cores};
    for (int i = 0; i < points->n; i++)
        if (points->point[i].threads > paper.threads)
            paper.threads = points->point[i].threads;
    fit(&paper);
    draw_axes(&paper);
    draw_one_core(&paper);
    draw_levels(&paper);
    draw_peaks(&paper);
    for (int i = 0; i < points->n; i++)
        if (is_drawn(&points->point[i]))
            draw_point(&paper, i);
}

static void open_drawing(FILE *out, int height)
{
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" role=\"img\" "
            "aria-label=\"Roofs, and what lies below them\">\n",
            WIDTH, height);
}

void draw_inside(FILE *out, const struct roofs *roofs, const struct points *points)
{
    open_drawing(out, HEIGHT);
    draw(out, roofs, points);
    fputs("</svg>\n", out);
}

static void draw_list(FILE *out, const struct roofs *roofs, const struct points *points)
{
    struct paper paper = {.out = out};
    for (int i = 0; i < points->n && i < MOST_ROWS; i++) {
        const struct point *point = &points->point[i];
        fprintf(out, "<text x=\"%d\" y=\"%d\">%d: %.3g GFLOP/s, ", LEFT, HEIGHT + i * ROW, i + 1,
                point->rate * 1e-9);
        draw_share(out, roofs, point);
        fputs(": ", out);
        markup_text(out, point->name);
        fputs("</text>\n", out);
    }
    if (points->n > MOST_ROWS)
        label(&paper, LEFT, HEIGHT + MOST_ROWS * ROW, "start", "tick", "and %d more", points->n - MOST_ROWS);
}

/* Draws a text in rows that are not wider than the drawing. Returns how many there are. out NULL: counts
 * them. */
static int draw_rows(FILE *out, char *text, int row)
{
    enum { CHARACTERS = 120 };
    int n = 0;
    while (*text != '\0') {
        size_t length = strlen(text), end = length;
        while (end > CHARACTERS || (end < length && text[end] != ' '))
            end--;
        char *next = text + end + (end < length);
        text[end] = '\0';
        if (out != NULL) {
            fprintf(out, "<text class=\"note\" x=\"%d\" y=\"%d\">", LEFT, HEIGHT + (row + n) * ROW);
            markup_text(out, text);
            fputs("</text>\n", out);
        }
        text = next;
        n++;
    }
    return n;
}

struct note_rows {
    FILE *out;
    int row, n;
};

static void draw_note(void *data, const char *sentence)
{
    struct note_rows *rows = data;
    char *text = memory_text(sentence);
    rows->n += draw_rows(rows->out, text, rows->row + rows->n);
    free(text);
}

/* Draws the notes below the list. */
static int draw_notes(FILE *out, const struct roofs *roofs, const struct points *points, int row)
{
    struct note_rows rows = {.out = out, .row = row};
    points_notes(points, roofs, draw_note, &rows);
    return rows.n;
}

void draw_svg(FILE *out, const struct roofs *roofs, const struct points *points)
{
    int rows = points->n > MOST_ROWS ? MOST_ROWS + 1 : points->n;
    open_drawing(out, HEIGHT + (rows + draw_notes(NULL, roofs, points, rows)) * ROW);
    fputs("<title>Roofline of ", out);
    markup_text(out, points->command != NULL ? points->command : roofs_name(roofs));
    fprintf(out, "</title>\n<style>\n%s</style>\n", draw_style);
    draw(out, roofs, points);
    draw_list(out, roofs, points);
    draw_notes(out, roofs, points, rows);
    fputs("</svg>\n", out);
}
