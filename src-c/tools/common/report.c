/* SPDX-License-Identifier: BSD-3-Clause */
#include "report.h"

#include "base/visible.h"

#include <stdarg.h>
#include <string.h>

/* ---------------------------------------------------------------------- the tree */

/* Whether it is shown as JSON, whose root is open then. */
static bool in_json(struct report *report)
{
    if (report->json && report->writer.depth == 0) {
        report->writer.out = report->plain;
        json_open(&report->writer, NULL, '{');
        report->bracket[0] = '}';
    }
    return report->json;
}

static void begin(struct report *report, const char *key, char bracket, char closing)
{
    if (!in_json(report))
        return;
    report->bracket[report->writer.depth] = closing;
    json_open(&report->writer, key, bracket);
}

void report_object(struct report *report, const char *key)
{
    begin(report, key, '{', '}');
}

void report_list(struct report *report, const char *key)
{
    begin(report, key, '[', ']');
}

void report_end(struct report *report)
{
    if (report->json)
        json_close(&report->writer, report->bracket[report->writer.depth - 1]);
}

void report_finish(struct report *report)
{
    while (report->writer.depth > 0)
        report_end(report);
}

/* -------------------------------------------------------------------- the values */

static const struct report_layout *layout_of(const struct report *report)
{
    static const struct report_layout plain = {.separator = ": "};
    return report->layout != NULL ? report->layout : &plain;
}

/* A label may be a name that others gave. Returns the column after it. */
static int print_label(struct report *report, const char *label)
{
    const struct report_layout *layout = layout_of(report);
    int columns = (int)visible(NULL, 0, label),
        blanks = layout->width > columns ? layout->width - columns : 0;
    fprintf(report->out, "%*s", layout->indent, "");
    visible_put(report->out, label);
    fprintf(report->out, "%*s%s", blanks, "", layout->separator);
    return layout->indent + columns + blanks + (int)strlen(layout->separator);
}

void report_string(struct report *report, const char *label, const char *key, const char *value)
{
    if (in_json(report)) {
        json_string(&report->writer, key, value);
    } else if (label != NULL && value != NULL && value[0] != '\0' && !report->silent) {
        int column = print_label(report, label);
        if (layout_of(report)->hang > 0)
            print_wrapped(report->out, value, column, layout_of(report)->hang);
        else
            fprintf(report->out, "%s\n", value);
    }
}

void report_measure(struct report *report, const char *label, const char *key, long long value,
                    const char *unit)
{
    const char *zero = layout_of(report)->zero;
    if (in_json(report) && value == REPORT_UNKNOWN)
        json_string(&report->writer, key, NULL);
    else if (report->json)
        json_integer(&report->writer, key, value);
    else if (label != NULL && (value == REPORT_UNKNOWN || (value == 0 && zero != NULL)))
        report_line(report, label, "%*s", layout_of(report)->number, zero != NULL ? zero : "unknown");
    else if (label != NULL)
        report_line(report, label, "%*lld%s", layout_of(report)->number, value, unit);
}

void report_number(struct report *report, const char *label, const char *key, long long value)
{
    report_measure(report, label, key, value, "");
}

void report_real(struct report *report, const char *label, const char *key, double value, int decimals,
                 const char *unit)
{
    if (in_json(report))
        json_number(&report->writer, key, value);
    else if (label != NULL)
        report_line(report, label, "%.*f%s", decimals, value, unit);
}

void report_exact(struct report *report, const char *label, const char *key, double value)
{
    if (in_json(report))
        json_real(&report->writer, key, value);
    else if (label != NULL)
        report_line(report, label, "%.15g", value);
}

void report_flag(struct report *report, const char *label, const char *key, bool value)
{
    if (in_json(report))
        json_boolean(&report->writer, key, value);
    else
        report_string(report, label, key, value ? "yes" : "no");
}

void report_described(struct report *report, const char *name, const char *description)
{
    report_object(report, NULL);
    report_string(report, NULL, "name", name);
    report_string(report, NULL, "description", description);
    report_end(report);
}

/* ---------------------------------------------------------------------- the text */

void report_line(struct report *report, const char *label, const char *format, ...)
{
    va_list arguments;
    if (report->json || report->silent)
        return;
    if (label != NULL)
        print_label(report, label);
    va_start(arguments, format);
    vfprintf(report->out, format, arguments);
    va_end(arguments);
    fputc('\n', report->out);
}

void report_blank(struct report *report)
{
    report_line(report, NULL, "%s", "");
}

void report_say(struct report *report, const char *format, ...)
{
    char text[2048];
    va_list arguments;
    if (report->json || report->silent)
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    print_wrapped(report->out, text, 0, 0);
}
