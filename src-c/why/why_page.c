/* SPDX-License-Identifier: BSD-3-Clause */
#include "why_page.h"
#include "result.h"
#include "tools/common/allocate.h"
#include "web/markup.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- a reason */

static void put_source(FILE *out, const json_t *reason)
{
    const json_t *around = json_object_get(reason, "around"), *lines = json_object_get(around, "lines"),
                 *line;
    int first = (int)result_real(around, "first"), here = (int)result_real(reason, "line");
    size_t i;
    if (json_array_size(lines) == 0)
        return;
    fputs("<div class=\"frame\" tabindex=\"0\" role=\"region\" aria-label=\"Source\"><table "
          "class=\"source\">\n",
          out);
    json_array_foreach(lines, i, line)
    {
        int number = first + (int)i;
        const char *text = json_string_value(line);
        fprintf(out, "<tr%s><td class=\"number\">%d</td><td>", number == here ? " class=\"here\"" : "",
                number);
        markup_text(out, text != NULL ? text : "");
        fputs("</td></tr>\n", out);
    }
    fputs("</table></div>\n", out);
}

static void put_figures(FILE *out, const json_t *figures)
{
    if (json_object_size(figures) == 0)
        return;
    fputs("<details open><summary>Figures</summary><dl class=\"figures\">\n", out);
    for (int i = 0; i < n_result_figures; i++) {
        const struct result_figure *figure = &result_figures[i];
        const json_t *value = json_object_get(figures, figure->key);
        if (!json_is_number(value))
            continue;
        fprintf(out, "<div><dt>%s</dt><dd>", figure->words);
        fprintf(out, figure->format, json_number_value(value) * figure->scale);
        fputs("</dd></div>\n", out);
    }
    fputs("</dl></details>\n", out);
}

static void put_place(FILE *out, const json_t *reason)
{
    int line = (int)result_real(reason, "line");
    const char *routine = result_text(reason, "routine");
    if (line == 0 && routine[0] == '\0')
        return;
    fputs("<p class=\"place\">", out);
    if (line > 0) {
        fputs("<code>", out);
        markup_text(out, result_text(reason, "file"));
        fprintf(out, ":%d</code>", line);
    }
    if (routine[0] != '\0') {
        fputs(line > 0 ? ", in <code>" : "In <code>", out);
        markup_text(out, routine);
        fputs("</code>", out);
    }
    fputs("</p>\n", out);
}

static double percent(double share)
{
    return 100 * fmin(fmax(share, 0), 1);
}

static void put_reason(FILE *out, int number, const json_t *reason)
{
    double share = percent(result_real(reason, "share"));
    const char *helps = result_text(reason, "helps"), *ask = result_text(reason, "ask");
    fprintf(out,
            "<section class=\"reason\">\n<h2>%d. <span class=\"share\">%.0f %%</span> of the time: ", number,
            share);
    markup_text(out, result_text(reason, "reason"));
    fputs(" <span class=\"confidence\">", out);
    markup_text(out, result_text(reason, "confidence"));
    fprintf(out,
            "</span></h2>\n<div class=\"bar\"><i style=\"width:%.1f%%\"></i></div>\n<p class=\"sentence\">",
            share);
    markup_text(out, result_text(reason, "sentence"));
    fputs(".</p>\n", out);
    put_place(out, reason);
    put_source(out, reason);
    if (helps[0] != '\0') {
        fputs("<p class=\"helps\"><strong>What helps:</strong> ", out);
        markup_text(out, helps);
        fputs(".</p>\n", out);
    }
    put_figures(out, json_object_get(reason, "figures"));
    if (ask[0] != '\0') {
        fputs("<p class=\"ask\">More of it: <code>", out);
        markup_text(out, ask);
        fputs("</code></p>\n", out);
    }
    fputs("</section>\n", out);
}

/* ---- timeline */

static const struct part {
    const char *key, *words, *fill; /* fill: where it is not the style's */
} parts[] = {
    {"computing", "computing", "none"},
    {"kernel", "in the kernel", "url(#kernel)"},
    {"processor", "wants a processor that others have", "url(#processor)"},
    {"waiting", "waiting", "none"},
};
enum { PARTS = sizeof parts / sizeof *parts, DRAWN = PARTS - 1, HIGH = 100, WIDE = 10 };

/* From below, where the parts before it end. */
static double below(const json_t *piece, int part)
{
    double sum = 0;
    for (int i = 0; i < part; i++)
        sum += result_real(piece, parts[i].key);
    return HIGH * (1 - fmin(fmax(sum, 0), 1));
}

static void put_thread(FILE *out, int number, const json_t *thread)
{
    const json_t *pieces = json_object_get(thread, "pieces"), *piece;
    size_t i;
    fprintf(out,
            "<div class=\"thread\"><span>thread %d</span><svg viewBox=\"0 0 %zu %d\" "
            "preserveAspectRatio=\"none\" "
            "role=\"img\" aria-label=\"thread %d\">",
            number, WIDE * json_array_size(pieces), HIGH, number);
    for (int part = 0; part < DRAWN; part++) {
        fprintf(out, "<path class=\"%s\" fill=\"%s\" d=\"", parts[part].key, parts[part].fill);
        json_array_foreach(pieces, i, piece)
        {
            double low = below(piece, part), high = below(piece, part + 1);
            if (json_is_object(piece) && low - high > 0.05)
                fprintf(out, "M%zu %.1fV%.1fh%dV%.1fz", WIDE * i, low, high, WIDE, low);
        }
        fputs("\"/>", out);
    }
    fputs("</svg></div>\n", out);
}

static void put_key(FILE *out)
{
    fputs(
        "<svg class=\"defs\" aria-hidden=\"true\"><defs>"
        "<pattern id=\"kernel\" width=\"6\" height=\"20\" patternUnits=\"userSpaceOnUse\"><rect width=\"6\" "
        "height=\"20\"/><path d=\"M0 0V20\"/></pattern>"
        "<pattern id=\"processor\" width=\"6\" height=\"12\" patternUnits=\"userSpaceOnUse\"><path d=\"M0 "
        "3H6\"/>"
        "</pattern></defs></svg>\n<ul class=\"key\">\n",
        out);
    for (int i = 0; i < PARTS; i++)
        fprintf(out,
                "<li><svg viewBox=\"0 0 24 24\" preserveAspectRatio=\"none\" aria-hidden=\"true\"><rect "
                "class=\"%s\" fill=\"%s\" width=\"24\" height=\"24\"/></svg> %s</li>\n",
                parts[i].key, parts[i].fill, parts[i].words);
    fputs("</ul>\n", out);
}

static void put_threads_table(FILE *out, const json_t *threads)
{
    const json_t *thread;
    size_t i;
    fputs("<div class=\"frame\" tabindex=\"0\" role=\"region\" aria-label=\"Shares\"><table "
          "id=\"threads\"><caption>Of the time "
          "of each thread, %</caption>\n<thead><tr><th scope=\"col\" class=\"name\">thread</th>",
          out);
    for (int part = 0; part < PARTS; part++)
        fprintf(out, "<th scope=\"col\">%s</th>", parts[part].words);
    fputs("</tr></thead>\n<tbody>\n", out);
    json_array_foreach(threads, i, thread)
    {
        fprintf(out, "<tr><td class=\"name\">%zu</td>", i + 1);
        for (int part = 0; part < PARTS; part++)
            fprintf(out, "<td>%.1f</td>", percent(result_real(thread, parts[part].key)));
        fputs("</tr>\n", out);
    }
    fputs("</tbody></table></div>\n", out);
}

static void put_timeline(FILE *out, const json_t *timeline)
{
    const json_t *threads = json_object_get(timeline, "threads"), *thread;
    double piece = result_real(timeline, "piece_seconds");
    int left_out = (int)result_real(timeline, "left_out");
    size_t i, pieces = json_array_size(json_object_get(json_array_get(threads, 0), "pieces"));
    if (json_array_size(threads) == 0)
        return;
    fputs("<h2>What the threads did</h2>\n", out);
    put_key(out);
    json_array_foreach(threads, i, thread)
    {
        put_thread(out, (int)i + 1, thread);
    }
    fprintf(out, "<div class=\"scale\"><span>0 s</span><span>%.3g s</span></div>\n", piece * (double)pieces);
    if (left_out > 0)
        fprintf(out, "<p class=\"note\">%d more thread%s not shown.</p>\n", left_out,
                left_out > 1 ? "s are" : " is");
    put_threads_table(out, threads);
}

/* ---- all */

static void put_fact(FILE *out, const char *name, const char *format, double value)
{
    fprintf(out, "<div><dt>%s</dt><dd>", name);
    fprintf(out, format, value);
    fputs("</dd></div>\n", out);
}

static void put_run(FILE *out, const json_t *result)
{
    struct result_run run = result_run(result);
    fputs("<dl id=\"facts\">\n", out);
    put_fact(out, "time", "%.2f s", run.seconds);
    if (run.ranks > 0)
        put_fact(out, "ranks", "%.0f", run.ranks);
    put_fact(out, "threads", "%.0f", run.threads);
    put_fact(out, "processors", "%.0f", run.processors);
    put_fact(out, "computing", "%.0f %%", percent(run.computing));
    put_fact(out, "the kernel", "%.0f %%", percent(run.kernel));
    put_fact(out, "waiting", "%.0f %%", percent(run.waiting));
    fputs("</dl>\n", out);
    if (run.delayed > result_busy)
        fprintf(out, "<p class=\"problem\">" RESULT_BUSY "</p>\n", run.delayed * 100);
}

static void put_title(FILE *out, const json_t *result)
{
    fputs("Why is it slow? ", out);
    markup_text(out, result_text(result, "command"));
}

static void put_verdict(FILE *out, const json_t *result)
{
    const json_t *first = json_array_get(json_object_get(result, "reasons"), 0);
    fputs("<p id=\"verdict\">", out);
    if (first != NULL) {
        markup_text(out, result_text(first, "sentence"));
        fputs(".", out);
    } else {
        char *none = result_without_reasons(result);
        markup_text(out, none);
        free(none);
    }
    fputs("</p>\n", out);
}

static void put_unknown(FILE *out, const json_t *unknown)
{
    const json_t *sentence;
    size_t i;
    if (json_array_size(unknown) == 0)
        return;
    fputs("<h2>Not known</h2>\n<ul id=\"unknown\">\n", out);
    json_array_foreach(unknown, i, sentence)
    {
        const char *text = json_string_value(sentence);
        fputs("<li>", out);
        markup_text(out, text != NULL ? text : "");
        fputs(".</li>\n", out);
    }
    fputs("</ul>\n", out);
}

void why_page(FILE *out, const json_t *result)
{
    const json_t *reason;
    size_t i;
    fprintf(out, "%s<title>", markup_head);
    put_title(out, result);
    fprintf(out, "</title>\n<style>\n%s</style>\n</head>\n<body>\n<h1>", why_style);
    put_title(out, result);
    fputs("</h1>\n", out);
    put_verdict(out, result);
    put_run(out, result);
    json_array_foreach(json_object_get(result, "reasons"), i, reason)
    {
        put_reason(out, (int)i + 1, reason);
    }
    put_timeline(out, json_object_get(result, "timeline"));
    put_unknown(out, json_object_get(result, "unknown"));
    fputs("</body>\n</html>\n", out);
}
