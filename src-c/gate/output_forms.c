/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Forms of a comparison for those who are not at a terminal: a comment of a pull request, the test reports of
 * a service, programs.
 */
#include "base/visible.h"
#include "changed.h"
#include "output.h"
#include "tools/common/allocate.h"
#include "web/markup.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* ---- Markdown */

/* Writes a text in which nothing is Markdown or HTML. */
static void put_plain(FILE *out, const char *text)
{
    size_t size = visible(NULL, 0, text) + 1;
    char *clean = memory_more(NULL, size, 1);
    visible(clean, size, text);
    for (const char *at = clean; *at != '\0'; at++) {
        if (strchr("\\`*_{}[]<>()#+-.!|~&@", *at) != NULL)
            fputc('\\', out);
        fputc(*at, out);
    }
    free(clean);
}

/* Writes a text as code, in which only '`' and '|' mean anything. */
static void put_code(FILE *out, const char *text)
{
    size_t size = visible(NULL, 0, text) + 1;
    char *clean = memory_more(NULL, size, 1);
    visible(clean, size, text);
    fputs("`` ", out);
    for (const char *at = clean; *at != '\0'; at++)
        if (*at == '|')
            fputs("\\|", out);
        else
            fputc(*at == '`' ? '\'' : *at, out);
    fputs(" ``", out);
    free(clean);
}

static void put_markdown_row(FILE *out, const struct change *change)
{
    char *what = words_change(change), *before = words_amount(change->event, change->before),
         *after = words_amount(change->event, change->after),
         *share = words_share(change->before, change->after), *limit = limit_text(change->limit);
    bool failed = change->verdict == VERDICT_ABOVE || change->verdict == VERDICT_BELOW;
    fputs("| ", out);
    put_plain(out, what);
    fprintf(out, " | %s | %s | %s%s%s | %s |\n", before, after, failed ? "**" : "", share, failed ? "**" : "",
            limit);
    free(what), free(before), free(after), free(share), free(limit);
}

/* Begins what is folded; its title is HTML, in which names are those of a file that others may have made. */
static void put_summary(FILE *out, const char *before, const struct change *change, const char *behind)
{
    fprintf(out, "\n<details><summary>%s ", before);
    markup_text(out, change->event);
    fprintf(out, " %s %s</summary>\n\n", change->verdict == VERDICT_BELOW ? "fell" : "rose", behind);
}

static void put_markdown_lines(FILE *out, const struct comparison *comparison, const struct change *change)
{
    size_t number[WORDS_LINES];
    int event = compare_event(comparison, change->event);
    size_t n = compare_top_lines(comparison, event, change->verdict == VERDICT_BELOW, number, WORDS_LINES);
    if (n == 0)
        return;
    put_summary(out, "Where", change, "most");
    fputs("| line | source | before | now |\n|---|---|---:|---:|\n", out);
    for (size_t i = 0; i < n; i++) {
        const struct line_change *line = &comparison->line[number[i]];
        char *before = words_amount(comparison->event[event], line->before[event]),
             *after = words_amount(comparison->event[event], line->after[event]);
        fputs("| ", out);
        put_plain(out, line->file[0] != '\0' ? path_base(line->file) : line->routine);
        fprintf(out, ":%d | ", line->line > 0 ? line->line : line->line_before);
        put_code(out, line->text);
        fprintf(out, " | %s | %s |\n", before, after);
        free(before), free(after);
    }
    fputs("\n</details>\n", out);
}

static void put_markdown_changed(FILE *out, const struct comparison *comparison, const struct change *change)
{
    size_t number[WORDS_CHANGED];
    size_t n = changed_top(comparison, compare_event(comparison, change->event),
                           change->verdict == VERDICT_BELOW, number, WORDS_CHANGED);
    if (n == 0)
        return;
    put_summary(out, "What changed in the source, where", change, "most first");
    fputs("| line | routine | source |\n|---|---|---|\n", out);
    for (size_t i = 0; i < n; i++) {
        const struct changed_line *changed = &comparison->changed[number[i]];
        fputs("| ", out);
        put_plain(out, path_base(changed->file));
        fprintf(out, ":%d%s | ", changed->line > 0 ? changed->line : changed->line_before,
                changed->line > 0 ? "" : " before, gone");
        put_plain(out, changed->routine);
        fputs(" | ", out);
        put_code(out, changed->text);
        fputs(" |\n", out);
    }
    if (comparison->n_changed > n)
        fprintf(out, "\nand %zu more lines\n", comparison->n_changed - n);
    fputs("\n</details>\n", out);
}

void output_markdown(FILE *out, const struct comparison *comparison)
{
    size_t *number = memory_more(NULL, comparison->n_changes + 1, sizeof *number);
    size_t n = words_changes(comparison, false, number);
    char *verdict = words_verdict(comparison);
    fprintf(out, "%s **papi_gate**: ", comparison->n_failed > 0 ? ":x:" : ":white_check_mark:");
    put_plain(out, verdict);
    fputc('\n', out);
    if (n > 0)
        fputs("\n| count | before | now | change | limit |\n|---|---:|---:|---:|---:|\n", out);
    for (size_t i = 0; i < n; i++)
        put_markdown_row(out, &comparison->change[number[i]]);
    for (size_t i = 0; i < n; i++)
        if (comparison->change[number[i]].scope == SCOPE_TOTAL &&
            comparison->change[number[i]].verdict != VERDICT_FELL)
            put_markdown_lines(out, comparison, &comparison->change[number[i]]);
    const struct change *worst = words_worst(comparison);
    if (worst != NULL)
        put_markdown_changed(out, comparison, worst);
    for (size_t i = 0; i < comparison->n_notes; i++) {
        fputs(i == 0 ? "\n- " : "- ", out);
        put_plain(out, comparison->note[i]);
        fputc('\n', out);
    }
    if (comparison->n_varying > 0)
        fprintf(out, "\n%zu counts vary from run to run, or are not known well, and are in no total\n",
                comparison->n_varying);
    free(verdict);
    free(number);
}

/* ---- JUnit: a test for each count */

static void put_case(FILE *out, const struct change *change)
{
    char *what = words_change(change), *before = words_amount(change->event, change->before),
         *after = words_amount(change->event, change->after),
         *share = words_share(change->before, change->after), *limit = limit_text(change->limit);
    fputs("    <testcase classname=\"papi_gate\" name=\"", out);
    markup_text(out, what);
    fputs("\"", out);
    if (change->verdict == VERDICT_UNKNOWN)
        fputs("><skipped message=\"varies from run to run, or is left out\"/></testcase>\n", out);
    else if (change->verdict == VERDICT_ABOVE || change->verdict == VERDICT_BELOW)
        fprintf(out, "><failure message=\"%s to %s (%s), the limit is %s\"/></testcase>\n", before, after,
                share, limit);
    else
        fputs("/>\n", out);
    free(what), free(before), free(after), free(share), free(limit);
}

/* Writes the verdict, and what could not be compared. */
static void put_notes(FILE *out, const struct comparison *comparison)
{
    char *verdict = words_verdict(comparison);
    fputs("    <system-out>", out);
    markup_text(out, verdict);
    for (size_t i = 0; i < comparison->n_notes; i++) {
        fputs("\nNote: ", out);
        markup_text(out, comparison->note[i]);
    }
    fputs("</system-out>\n", out);
    free(verdict);
}

void output_junit(FILE *out, const struct comparison *comparison)
{
    size_t skipped = 0;
    for (size_t i = 0; i < comparison->n_changes; i++)
        skipped += comparison->change[i].verdict == VERDICT_UNKNOWN;
    fprintf(out,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
            "  <testsuite name=\"papi_gate\" tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"%zu\">\n",
            comparison->n_changes, comparison->n_failed, skipped);
    for (size_t i = 0; i < comparison->n_changes; i++)
        put_case(out, &comparison->change[i]);
    put_notes(out, comparison);
    fputs("  </testsuite>\n</testsuites>\n", out);
}

/* ---- JSON */

void output_json_add(json_t *list, json_t *value)
{
    if (json_array_append_new(list, or_end(value)) != 0)
        memory_is_out();
}

json_t *output_json_texts(char *const *text, size_t n)
{
    json_t *list = or_end(json_array());
    for (size_t i = 0; i < n; i++)
        output_json_add(list, output_json_text(text[i]));
    return list;
}

json_t *output_json_text(const char *from)
{
    json_t *value = json_pack("s", from);
    if (value != NULL)
        return value;
    size_t size = visible(NULL, 0, from) + 1;
    char *clean = memory_more(NULL, size, 1);
    visible(clean, size, from);
    value = json_pack("s", clean);
    free(clean);
    return value;
}

static json_t *json_changes(const struct comparison *comparison)
{
    json_t *list = or_end(json_array());
    for (size_t i = 0; i < comparison->n_changes; i++) {
        const struct change *change = &comparison->change[i];
        char *limit = limit_text(change->limit);
        output_json_add(list, json_pack("{s:s,s:o,s:o,s:I,s:I,s:I,s:s,s:s}", "scope",
                                        scope_names[change->scope], "name", output_json_text(change->name),
                                        "event", output_json_text(change->event), "before",
                                        (json_int_t)change->before, "after", (json_int_t)change->after,
                                        "left_out", (json_int_t)change->left_out, "limit", limit, "verdict",
                                        verdict_names[change->verdict]));
        free(limit);
    }
    return list;
}

static json_t *json_lines(const struct comparison *comparison)
{
    json_t *list = or_end(json_array());
    for (size_t i = 0; i < comparison->n_lines; i++) {
        const struct line_change *line = &comparison->line[i];
        json_t *events = or_end(json_object());
        for (int k = 0; k < comparison->n_events; k++)
            if (line->before[k] != line->after[k] &&
                json_object_set_new(
                    events, comparison->event[k],
                    json_pack("[I,I]", (json_int_t)line->before[k], (json_int_t)line->after[k])) != 0)
                memory_is_out();
        if (json_object_size(events) == 0) {
            json_decref(events);
            continue;
        }
        output_json_add(list,
                        json_pack("{s:o,s:o,s:i,s:i,s:o,s:o}", "routine", output_json_text(line->routine),
                                  "file", output_json_text(line->file), "line", line->line, "line_before",
                                  line->line_before, "text", output_json_text(line->text), "counts", events));
    }
    return list;
}

/* Changed lines by file; where a count is outside its limit, as the text has them. */
static json_t *json_changed(const struct comparison *comparison)
{
    json_t *list = or_end(json_array());
    const struct change *worst = words_worst(comparison);
    int event = compare_event(comparison, worst != NULL ? worst->event : "");
    size_t *number = memory_more(NULL, comparison->n_changed + 1, sizeof *number), n = comparison->n_changed;
    for (size_t i = 0; i < n; i++)
        number[i] = i;
    if (event >= 0)
        n = changed_top(comparison, event, worst->verdict == VERDICT_BELOW, number, n);
    for (size_t i = 0; i < n; i++) {
        const struct changed_line *changed = &comparison->changed[number[i]];
        output_json_add(list, json_pack("{s:o,s:b,s:o,s:i,s:i,s:o,s:b}", "routine",
                                        output_json_text(changed->routine), "inside", changed->inside, "file",
                                        output_json_text(changed->file), "line", changed->line, "line_before",
                                        changed->line_before, "text", output_json_text(changed->text),
                                        "renamed", changed->renamed));
    }
    free(number);
    return list;
}

static json_t *json_varying(const struct comparison *comparison)
{
    json_t *list = or_end(json_array());
    for (size_t i = 0; i < comparison->n_varying; i++) {
        const struct varying *varying = &comparison->varying[i];
        const struct gate_line *line = varying->where;
        output_json_add(list,
                        json_pack("{s:o,s:o,s:i,s:o,s:o,s:I,s:I}", "routine", output_json_text(varying->name),
                                  "file", output_json_text(line != NULL ? line->file : ""), "line",
                                  line != NULL ? line->line : 0, "object", output_json_text(varying->object),
                                  "event", output_json_text(varying->event), "least",
                                  (json_int_t)varying->least, "most", (json_int_t)varying->most));
    }
    return list;
}

json_t *output_json_value(const struct comparison *comparison)
{
    char *verdict = words_verdict(comparison);
    json_t *root = json_pack(
        "{s:s,s:i,s:b,s:o,s:o,s:o,s:o,s:o,s:o}", "format", "papi_gate_comparison", "version", 1, "passed",
        comparison->n_failed == 0, "verdict", output_json_text(verdict), "changes", json_changes(comparison),
        "lines", json_lines(comparison), "changed", json_changed(comparison), "varying",
        json_varying(comparison), "notes", output_json_texts(comparison->note, comparison->n_notes));
    free(verdict);
    return or_end(root);
}

bool output_json(FILE *out, const struct comparison *comparison)
{
    json_t *root = output_json_value(comparison);
    bool fine = json_dumpf(root, out, JSON_INDENT(2)) == 0;
    fputc('\n', out);
    json_decref(root);
    return fine;
}
