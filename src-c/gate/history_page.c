/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The history as a page without scripts: a drawing for each count that changed, jumps marked, and a table of
 * them.
 */
#include "history.h"
#include "output.h"
#include "tools/common/allocate.h"
#include "web/markup.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Made of the style sheets by web/generate.py. */
extern const char gate_style[];

enum { MOST_ROUTINES = 20 };

/* ---- a drawing */

enum { WIDTH = 360, HEIGHT = 132, LEFT = 8, RIGHT = 352, TOP = 24, BOTTOM = 108, MOST_LABELS = 3 };

/* A series on paper. */
struct plot {
    FILE *out;
    const struct history *history;
    const struct series *series;
    double least, most;
};

static double across(const struct plot *plot, size_t result)
{
    size_t n = plot->history->n;
    return n > 1 ? LEFT + (RIGHT - LEFT) * (double)result / (double)(n - 1) : (LEFT + RIGHT) / 2.0;
}

static double up(const struct plot *plot, double value)
{
    double range = plot->most - plot->least;
    return range > 0 ? BOTTOM - (BOTTOM - TOP) * (value - plot->least) / range : (TOP + BOTTOM) / 2.0;
}

static const struct jump *jump_at(const struct plot *plot, size_t result)
{
    for (size_t i = 0; i < plot->history->n_jumps; i++)
        if (plot->history->jump[i].series == plot->series && plot->history->jump[i].at == result)
            return &plot->history->jump[i];
    return NULL;
}

static void put_path(const struct plot *plot)
{
    bool down = false;
    fputs("<path d=\"", plot->out);
    for (size_t i = 0; i < plot->history->n; i++) {
        double value = (double)plot->series->value[i];
        if (!isnan(value))
            fprintf(plot->out, "%c%.1f %.1f", down ? 'L' : 'M', across(plot, i), up(plot, value));
        down = !isnan(value);
    }
    fputs("\"/>\n", plot->out);
}

/* Writes a point, whose title is what a pointer on it shows. */
static void put_point(const struct plot *plot, size_t i, const struct jump *jump)
{
    char *name = history_name(plot->history, i),
         *count = words_amount(plot->series->event, plot->series->value[i]);
    fprintf(plot->out, "<circle%s cx=\"%.1f\" cy=\"%.1f\" r=\"%s\"><title>",
            jump != NULL ? " class=\"jump\"" : "", across(plot, i), up(plot, plot->series->value[i]),
            jump != NULL ? "4" : "2");
    markup_text(plot->out, name);
    fprintf(plot->out, " %s", count);
    if (jump != NULL) {
        char *share = words_share(jump->before, jump->after);
        fprintf(plot->out, " (%s)", share);
        free(share);
    }
    if (plot->history->result[i].subject[0] != '\0')
        fputs(": ", plot->out);
    markup_text(plot->out, plot->history->result[i].subject);
    fputs("</title></circle>\n", plot->out);
    free(name), free(count);
}

/* True if this jump is among the largest of its series, which have room for a label. */
static bool has_label(const struct plot *plot, const struct jump *jump)
{
    int larger = 0;
    for (size_t i = 0; i < plot->history->n_jumps; i++) {
        const struct jump *other = &plot->history->jump[i];
        if (other->series != plot->series || other == jump)
            continue;
        double size = (double)fabsl(jump->after - jump->before),
               its = (double)fabsl(other->after - other->before);
        larger += its > size || (its == size && other < jump);
    }
    return larger < MOST_LABELS;
}

static void put_label(const struct plot *plot, const struct jump *jump)
{
    char *name = history_name(plot->history, jump->at), *share = words_share(jump->before, jump->after);
    double x = across(plot, jump->at), y = up(plot, (double)jump->after) - 7;
    const char *anchor = x < WIDTH / 3.0 ? "start" : x > WIDTH * 2 / 3.0 ? "end" : "middle";
    fprintf(plot->out, "<text class=\"jump\" text-anchor=\"%s\" x=\"%.1f\" y=\"%.1f\">", anchor, x, y);
    markup_text(plot->out, name);
    fprintf(plot->out, " %s</text>\n", share);
    free(name), free(share);
}

static void put_scale(const struct plot *plot)
{
    char *least = words_amount(plot->series->event, plot->least),
         *most = words_amount(plot->series->event, plot->most), *first = history_name(plot->history, 0),
         *last = history_name(plot->history, plot->history->n - 1);
    fprintf(
        plot->out,
        "<path class=\"grid\" d=\"M%d %dH%dM%d %dH%d\"/>\n"
        "<text class=\"most\" x=\"%d\" y=\"%d\">%s</text><text class=\"least\" x=\"%d\" y=\"%d\">%s</text>\n",
        LEFT, TOP, RIGHT, LEFT, BOTTOM, RIGHT, LEFT, TOP - 13, most, LEFT, BOTTOM + 20, least);
    fprintf(plot->out, "<text text-anchor=\"end\" x=\"%d\" y=\"%d\">", RIGHT, BOTTOM + 20);
    markup_text(plot->out, first);
    fputs(" to ", plot->out);
    markup_text(plot->out, last);
    fputs("</text>\n", plot->out);
    free(least), free(most), free(first), free(last);
}

static void put_caption(const struct plot *plot)
{
    double first = NAN, last = NAN;
    for (size_t i = 0; i < plot->history->n; i++)
        if (!isnan(plot->series->value[i])) {
            first = isnan(first) ? (double)plot->series->value[i] : first;
            last = plot->series->value[i];
        }
    char *count = words_count(last), *share = words_share(first, last);
    fputs("<figcaption><b>", plot->out);
    markup_text(plot->out, plot->series->event);
    fprintf(plot->out, "</b> <span>%s (%s)</span></figcaption>\n", count, share);
    free(count), free(share);
}

static void put_plot(FILE *out, const struct history *history, const struct series *series)
{
    struct plot plot = {out, history, series, INFINITY, -INFINITY};
    for (size_t i = 0; i < history->n; i++)
        if (!isnan(series->value[i])) {
            plot.least = fmin(plot.least, (double)series->value[i]);
            plot.most = fmax(plot.most, (double)series->value[i]);
        }
    fputs("<figure>\n", out);
    put_caption(&plot);
    fprintf(out, "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"", WIDTH, HEIGHT);
    markup_text(out, series->event);
    fputs(" by result\">\n", out);
    put_scale(&plot);
    put_path(&plot);
    for (size_t i = 0; i < history->n; i++)
        if (!isnan(series->value[i]))
            put_point(&plot, i, jump_at(&plot, i));
    for (size_t i = 0; i < history->n_jumps; i++)
        if (history->jump[i].series == series && has_label(&plot, &history->jump[i]))
            put_label(&plot, &history->jump[i]);
    fputs("</svg>\n</figure>\n", out);
}

/* ---- a place: the program, a region, a routine */

/* By how much a series changed at most, as a share of what it was at most. */
static double extent(const struct history *history, const struct series *series)
{
    double least = INFINITY, most = -INFINITY;
    for (size_t i = 0; i < history->n; i++)
        if (!isnan(series->value[i])) {
            least = fmin(least, (double)series->value[i]);
            most = fmax(most, (double)series->value[i]);
        }
    return most - least;
}

static bool is_of(const struct series *series, enum gate_scope scope, const char *name)
{
    return series->scope == scope && strcmp(series->name, name) == 0;
}

/* Names counts that never changed: a drawing would show nothing. */
static void put_same(FILE *out, const struct history *history, enum gate_scope scope, const char *name)
{
    const char *before = "<p class=\"note same\">The same in all results: ";
    for (size_t i = 0; i < history->n_series; i++) {
        const struct series *series = &history->series[i];
        if (!is_of(series, scope, name) || series->varies || extent(history, series) != 0)
            continue;
        char *count = words_amount(series->event, series->value[history->n - 1]);
        fputs(before, out);
        markup_text(out, series->event);
        fprintf(out, " %s", isnan(series->value[history->n - 1]) ? "" : count);
        before = ", ";
        free(count);
    }
    if (before[0] == ',')
        fputs(".</p>\n", out);
}

static void put_place(FILE *out, const struct history *history, const char *kind, enum gate_scope scope,
                      const char *name)
{
    fprintf(out, "<section class=\"place\">\n<h2>%s", kind);
    markup_text(out, name);
    fputs("</h2>\n<div class=\"charts\">\n", out);
    for (size_t i = 0; i < history->n_series; i++) {
        const struct series *series = &history->series[i];
        if (is_of(series, scope, name) && !series->varies && extent(history, series) > 0)
            put_plot(out, history, series);
    }
    fputs("</div>\n", out);
    put_same(out, history, scope, name);
    fputs("</section>\n", out);
}

/* True if this is the first series of its place. */
static bool is_first(const struct history *history, size_t i)
{
    for (size_t j = 0; j < i; j++)
        if (is_of(&history->series[j], history->series[i].scope, history->series[i].name))
            return false;
    return true;
}

static void put_regions(FILE *out, const struct history *history)
{
    for (size_t i = 0; i < history->n_series; i++)
        if (history->series[i].scope == SCOPE_REGION && is_first(history, i))
            put_place(out, history, "Region ", SCOPE_REGION, history->series[i].name);
}

/* Routines in which a count changed by more than the limit, in the order in which they did. */
static void put_routines(FILE *out, const struct history *history)
{
    size_t n = 0;
    for (size_t i = 0; i < history->n_jumps; i++) {
        const struct series *series = history->jump[i].series;
        bool shown = series->scope != SCOPE_ROUTINE;
        for (size_t j = 0; j < i && !shown; j++)
            shown = is_of(history->jump[j].series, SCOPE_ROUTINE, series->name);
        if (!shown && ++n <= MOST_ROUTINES)
            put_place(out, history, "Routine ", SCOPE_ROUTINE, series->name);
    }
    if (n > MOST_ROUTINES)
        fprintf(out, "<p class=\"note\">%zu more routines changed by more than their limits.</p>\n",
                n - MOST_ROUTINES);
}

/* ---- the rest */

static void put_row(FILE *out, const struct history *history, const struct jump *jump)
{
    struct change change = {
        .scope = jump->series->scope, .name = jump->series->name, .event = jump->series->event};
    char *name = history_name(history, jump->at), *what = words_change(&change),
         *before = words_amount(change.event, jump->before), *after = words_amount(change.event, jump->after),
         *share = words_share(jump->before, jump->after);
    fputs("<tr><td class=\"text\">", out);
    markup_text(out, name);
    if (history->log != NULL) {
        fputs("</td><td class=\"text wide\">", out);
        markup_text(out, history->result[jump->at].subject);
    }
    fputs("</td><td class=\"text wide\">", out);
    markup_text(out, what);
    fprintf(out, "</td><td>%s</td><td>%s</td><td class=\"%s\">%s</td></tr>\n", before, after,
            jump->after > jump->before ? "rose" : "fell", share);
    free(name), free(what), free(before), free(after), free(share);
}

static void put_jumps(FILE *out, const struct history *history)
{
    if (history->n_jumps == 0)
        return;
    fprintf(
        out,
        "<h2>Jumps</h2>\n<div class=\"frame\" tabindex=\"0\">\n<table id=\"jumps\"><thead><tr><th "
        "class=\"text\">%s</th>"
        "<th class=\"text\">count</th><th>before</th><th>after</th><th>change</th></tr></thead>\n<tbody>\n",
        history->log != NULL ? "commit</th><th class=\"text\">subject" : "result");
    for (size_t i = 0; i < history->n_jumps; i++)
        put_row(out, history, &history->jump[i]);
    fputs("</tbody></table>\n</div>\n", out);
}

static void put_list(FILE *out, const char *head, char *const *sentence, size_t n)
{
    if (n == 0)
        return;
    fprintf(out, "<h2>%s</h2>\n<ul class=\"notes\">\n", head);
    for (size_t i = 0; i < n; i++) {
        fputs("<li>", out);
        markup_text(out, sentence[i]);
        fputs(".</li>\n", out);
    }
    fputs("</ul>\n", out);
}

static void put_varying(FILE *out, const struct history *history)
{
    const char *before = "<p class=\"note varying\">Left out, as it varies from run to run: ";
    for (size_t i = 0; i < history->n_series; i++)
        if (history->series[i].varies) {
            struct change change = {.scope = history->series[i].scope,
                                    .name = history->series[i].name,
                                    .event = history->series[i].event};
            char *what = words_change(&change);
            fputs(before, out);
            markup_text(out, what);
            free(what);
            before = ", ";
        }
    if (before[0] == ',')
        fputs(".</p>\n", out);
}

static void put_date(FILE *out, long long made)
{
    char text[32] = "";
    time_t when = (time_t)made;
    struct tm parts;
    if (gmtime_r(&when, &parts) != NULL)
        strftime(text, sizeof text, "%Y-%m-%d", &parts);
    fputs(text, out);
}

static void put_facts(FILE *out, const struct history *history)
{
    const struct counts *last = &history->result[history->n - 1].counts;
    fprintf(
        out,
        "<dl id=\"facts\">\n<div><dt>results</dt><dd>%zu</dd></div>\n<div><dt>order</dt><dd>%s</dd></div>\n"
        "<div><dt>newest of</dt><dd>",
        history->n, history->log != NULL ? "that of the commits" : "that of the dates");
    put_date(out, last->made);
    fputs("</dd></div>\n<div><dt>counted by</dt><dd>", out);
    fputs(strcmp(last->mode, GATE_EMULATED) == 0 ? "the emulator" : "a counted build", out);
    fputs("</dd></div>\n</dl>\n", out);
}

static void put_title(FILE *out, const struct history *history)
{
    char *const *word = history->result[history->n - 1].counts.command;
    fputs("History of", out);
    for (; word != NULL && *word != NULL; word++) {
        fputc(' ', out);
        markup_text(out, *word);
    }
}

void history_page(FILE *out, const struct history *history)
{
    char *verdict = history_verdict(history);
    fprintf(out, "%s<title>", markup_head);
    put_title(out, history);
    fprintf(out, "</title>\n<style>\n%s</style>\n</head>\n<body>\n<h1>", gate_style);
    put_title(out, history);
    fputs("</h1>\n<p id=\"verdict\">", out);
    markup_text(out, verdict);
    fputs(".</p>\n", out);
    put_facts(out, history);
    put_jumps(out, history);
    put_place(out, history, "Program", SCOPE_TOTAL, "");
    put_varying(out, history);
    put_regions(out, history);
    put_routines(out, history);
    put_list(out, "What else changed", history->note, history->n_notes);
    fputs("</body>\n</html>\n", out);
    free(verdict);
}
