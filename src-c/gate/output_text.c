/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/visible.h"
#include "changed.h"
#include "output.h"
#include "tools/common/allocate.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Prints a line, in which names are made visible. */
static __attribute__((format(printf, 2, 3))) void put_text_line(FILE *out, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    visible_print_list(out, format, arguments);
    va_end(arguments);
    fputc('\n', out);
}

static void put_row(FILE *out, const struct change *change)
{
    char *what = words_change(change), *before = words_amount(change->event, change->before),
         *after = words_amount(change->event, change->after),
         *share = words_share(change->before, change->after), *limit = limit_text(change->limit);
    visible_print(out, "  %-32s %18s %18s %10s", what, before, after, share);
    if (change->verdict == VERDICT_ABOVE || change->verdict == VERDICT_BELOW)
        visible_print(out, "  limit %s", limit);
    if (change->verdict == VERDICT_UNKNOWN)
        visible_print(out, "  varies");
    fputc('\n', out);
    free(what), free(before), free(after), free(share), free(limit);
}

static void put_line(FILE *out, const struct comparison *comparison, const struct line_change *line,
                     int event)
{
    char *before = words_amount(comparison->event[event], line->before[event]),
         *after = words_amount(comparison->event[event], line->after[event]);
    if (line->line > 0)
        visible_print(out, "  %s:%d", line->file, line->line);
    else if (line->line_before > 0)
        visible_print(out, "  %s:%d before, gone", line->file, line->line_before);
    else
        visible_print(out, "  no line is known");
    put_text_line(out, " in %s: %s to %s", line->routine, before, after);
    if (line->text_before[0] != '\0' && strcmp(line->text_before, line->text) != 0)
        put_text_line(out, "    - %s", line->text_before);
    if (line->text[0] != '\0')
        put_text_line(out, "    %s %s", strcmp(line->text_before, line->text) != 0 ? "+" : " ", line->text);
    free(before), free(after);
}

void output_lines(FILE *out, const struct comparison *comparison, const char *name, bool falls)
{
    size_t number[WORDS_LINES];
    int event = compare_event(comparison, name);
    size_t n = compare_top_lines(comparison, event, falls, number, WORDS_LINES);
    if (n == 0)
        return;
    fputc('\n', out);
    put_text_line(out, "Where %s %s most:", name, falls ? "fell" : "rose");
    for (size_t i = 0; i < n; i++)
        put_line(out, comparison, &comparison->line[number[i]], event);
}

static bool has_changed(const struct comparison *comparison, const struct line_change *line)
{
    for (size_t i = 0; i < comparison->n_changed; i++)
        if (line->line > 0 && comparison->changed[i].line == line->line &&
            strcmp(path_base(line->file), path_base(comparison->changed[i].file)) == 0)
            return true;
    return false;
}

/* True if the line where the event rose most changed, and nothing that is not among those that were shown. */
static bool has_shown(const struct comparison *comparison, int event, bool falls)
{
    size_t number[WORDS_LINES], found = 0;
    size_t n = compare_top_lines(comparison, event, falls, number, WORDS_LINES);
    for (size_t i = 0; i < n; i++)
        found += has_changed(comparison, &comparison->line[number[i]]);
    return n > 0 && has_changed(comparison, &comparison->line[number[0]]) && found >= comparison->n_changed;
}

void output_changed(FILE *out, const struct comparison *comparison, const char *name, bool falls)
{
    size_t number[WORDS_CHANGED];
    size_t n = changed_top(comparison, compare_event(comparison, name), falls, number, WORDS_CHANGED);
    if (n == 0 || has_shown(comparison, compare_event(comparison, name), falls))
        return;
    fputc('\n', out);
    put_text_line(out, "What changed in the source, where %s %s most first:", name, falls ? "fell" : "rose");
    for (size_t i = 0; i < n; i++) {
        const struct changed_line *changed = &comparison->changed[number[i]];
        bool gone = changed->line == 0;
        const char *where = changed->inside ? " in " : " next to ";
        put_text_line(out, "  %s:%d%s%s%s", changed->file, gone ? changed->line_before : changed->line,
                      gone ? " before, gone" : "", changed->routine[0] != '\0' ? where : "",
                      changed->routine);
        if (changed->text[0] != '\0')
            put_text_line(out, "    %c %s", gone ? '-' : '+', changed->text);
    }
    if (comparison->n_changed > n)
        put_text_line(out, "  and %zu more lines", comparison->n_changed - n);
}

static void put_varying(FILE *out, const struct comparison *comparison, bool estimated, const char *title)
{
    bool any = false;
    for (size_t i = 0; i < comparison->n_varying; i++) {
        const struct varying *varying = &comparison->varying[i];
        if ((strcmp(varying->event, GATE_TIME) == 0) != estimated)
            continue;
        if (!any)
            fprintf(out, "\n%s\n", title);
        any = true;
        char *least = words_amount(varying->event, varying->least),
             *most = words_amount(varying->event, varying->most);
        const struct gate_line *line = varying->where;
        char *where =
            line != NULL ? memory_print(", most at %s:%d", line->file, line->line) : memory_text("");
        put_text_line(out, "  %s in %s (%s): %s to %s%s", varying->event, varying->name, varying->object,
                      least, most, where);
        free(least), free(most), free(where);
    }
}

void output_rest(FILE *out, const struct comparison *comparison)
{
    put_varying(out, comparison, false, "In no total, as it varies from run to run:");
    put_varying(out, comparison, true,
                "Not judged, as the bounds of the time are more than a factor of 2.5 apart (mispredicted "
                "branches, computed jumps, pointers):");
    if (comparison->n_notes > 0)
        fputc('\n', out);
    for (size_t i = 0; i < comparison->n_notes; i++)
        put_text_line(out, "Note: %s.", comparison->note[i]);
}

void output_changes(FILE *out, const struct comparison *comparison, bool all)
{
    size_t *number = memory_more(NULL, comparison->n_changes + 1, sizeof *number);
    size_t n = words_changes(comparison, all, number);
    if (n > 0)
        fprintf(out, "\n  %-32s %18s %18s %10s\n", "", "before", "now", "");
    for (size_t i = 0; i < n; i++)
        put_row(out, &comparison->change[number[i]]);
    free(number);
}

void output_text(FILE *out, const struct comparison *comparison)
{
    size_t *number = memory_more(NULL, comparison->n_changes + 1, sizeof *number);
    size_t n = words_changes(comparison, comparison->n_failed > 0, number), shown = 0;
    char *verdict = words_verdict(comparison);
    put_text_line(out, "papi_gate: %s.", verdict);
    output_changes(out, comparison, comparison->n_failed > 0);
    for (size_t i = 0; i < n && shown < 3; i++) {
        const struct change *change = &comparison->change[number[i]];
        if (change->scope == SCOPE_TOTAL &&
            (change->verdict == VERDICT_ABOVE || change->verdict == VERDICT_BELOW)) {
            output_lines(out, comparison, change->event, change->verdict == VERDICT_BELOW);
            if (shown++ == 0)
                output_changed(out, comparison, change->event, change->verdict == VERDICT_BELOW);
        }
    }
    output_rest(out, comparison);
    free(verdict);
    free(number);
}
