/* SPDX-License-Identifier: BSD-3-Clause */
#include "report.h"

#include "base/visible.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- the tree */

static bool in_text(const struct report *report)
{
    return !report->json && !report->silent && report->only != REPORT_JSON_ONLY;
}

/* True if the JSON has what follows; its root is then open. */
static bool in_json(struct report *report)
{
    if (!report->json || report->only == REPORT_TEXT_ONLY)
        return false;
    if (report->writer.depth == 0) {
        report->writer.out = report->plain;
        json_open(&report->writer, NULL, '{');
        report->bracket[0] = '}';
    }
    return true;
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
    if (report->json && report->only != REPORT_TEXT_ONLY)
        json_close(&report->writer, report->bracket[report->writer.depth - 1]);
}

void report_only(struct report *report, enum report_printer only)
{
    report->only = only;
}

void report_finish(struct report *report)
{
    while (report->writer.depth > 0)
        report_end(report);
}

/* ---- the values */

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
    if (in_json(report))
        json_string(&report->writer, key, value);
    else
        report_text(report, label, value);
}

void report_measure(struct report *report, const char *label, const char *key, long long value,
                    const char *unit)
{
    const char *zero = layout_of(report)->zero;
    bool json = in_json(report);
    if (json && value == REPORT_UNKNOWN)
        json_string(&report->writer, key, NULL);
    else if (json)
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

/* ---- sentences */

/* A place of a sentence: {key:format|otherwise}. */
struct place {
    const char *key;
    size_t length;    /* of the key */
    bool optional;    /* "?" in place of ":" */
    char format[64];  /* "" for the plain value */
    char missing[32]; /* text in place of a missing value */
};

/* Reads a place behind its opening brace. Returns the text behind the closing one. */
static const char *read_place(const char *text, struct place *place)
{
    size_t format, missing;
    *place = (struct place){.key = text, .length = strcspn(text, ":?|}")};
    text += place->length;
    place->optional = *text == '?';
    text += *text == '?' || *text == ':';
    format = strcspn(text, "|}");
    snprintf(place->format, sizeof place->format, "%.*s", (int)format, text);
    text += format;
    text += *text == '|';
    missing = strcspn(text, "}");
    snprintf(place->missing, sizeof place->missing, "%.*s", (int)missing, text);
    text += missing;
    return text + (*text == '}');
}

static const struct report_value *find_value(const struct report_value *value, const struct place *place)
{
    for (; value->kind != REPORT_NONE; value++) {
        const char *key = value->key != NULL ? value->key : "";
        if (strlen(key) == place->length && memcmp(key, place->key, place->length) == 0)
            break;
    }
    return value;
}

static bool is_known(const struct report_value *value)
{
    return value->kind == REPORT_TEXT   ? value->text != NULL && value->text[0] != '\0'
           : value->kind == REPORT_NONE ? false
                                        : value->kind != REPORT_NUMBER || value->number != REPORT_UNKNOWN;
}

/* Prints what is before the conversion, the value by it, and what is after it. */
static void print_formatted(FILE *out, const struct report_value *value, const char *format)
{
    char conversion[64];
    const char *percent = strchr(format, '%');
    int options = (int)strspn(percent + 1, "-+ #0123456789.");
    bool capital = percent[options + 1] == 'Y';
    snprintf(conversion, sizeof conversion, "%.*s%s%c", options + 1, percent,
             value->kind == REPORT_NUMBER ? "ll" : "", capital ? 's' : percent[options + 1]);
    fprintf(out, "%.*s", (int)(percent - format), format);
    if (percent[options + 1] == 'v')
        visible_put(out, value->text);
    else if (value->kind == REPORT_NUMBER)
        fprintf(out, conversion, value->number);
    else if (value->kind == REPORT_REAL || value->kind == REPORT_EXACT)
        fprintf(out, conversion, value->real);
    else if (value->kind == REPORT_FLAG)
        fprintf(out, conversion, value->number != 0 ? (capital ? "Yes" : "yes") : (capital ? "No" : "no"));
    else
        fprintf(out, conversion, value->text != NULL ? value->text : "");
    fputs(percent + options + 2, out);
}

/* Prints the word for a value that is not there, as wide as the value would be. */
static void print_missing(FILE *out, const struct place *place)
{
    const char *percent = strchr(place->format, '%');
    const char *flags = percent != NULL ? percent + 1 : "";
    int width = atoi(flags + strspn(flags, "-+ #0"));
    fprintf(out, "%*s", flags[0] == '-' ? -width : width,
            place->missing[0] != '\0' ? place->missing : "unknown");
}

static void print_place(FILE *out, const struct report_value *value, const struct place *place)
{
    static const char *const plain[] = {
        [REPORT_TEXT] = "%s",     [REPORT_NUMBER] = "%d", [REPORT_REAL] = "%f",
        [REPORT_EXACT] = "%.15g", [REPORT_FLAG] = "%s",
    };
    bool known = is_known(value), is_false = value->kind == REPORT_FLAG && value->number == 0;
    if (place->optional && (!known || is_false))
        return;
    if (!known && (place->missing[0] != '\0' || value->kind != REPORT_TEXT))
        print_missing(out, place);
    else
        print_formatted(out, value, place->format[0] != '\0' ? place->format : plain[value->kind]);
}

static void print_sentence(FILE *out, const char *sentence, const struct report_value *values)
{
    struct place place;
    while (*sentence != '\0') {
        int length = (int)strcspn(sentence, "{");
        fprintf(out, "%.*s", length, sentence);
        sentence += length;
        if (*sentence != '{')
            break;
        sentence = read_place(sentence + 1, &place);
        print_place(out, find_value(values, &place), &place);
    }
}

static void print_wrapped_sentence(FILE *out, const char *sentence, const struct report_value *values,
                                   int column, int hang)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    print_sentence(stream != NULL ? stream : out, sentence, values);
    if (stream == NULL)
        fputc('\n', out);
    else if (fclose(stream) == 0)
        print_wrapped(out, text, column, hang);
    free(text);
}

static void show_value(struct report *report, const struct report_value *value)
{
    if (value->kind == REPORT_TEXT)
        report_string(report, NULL, value->key, value->text);
    else if (value->kind == REPORT_NUMBER)
        report_number(report, NULL, value->key, value->number);
    else if (value->kind == REPORT_REAL)
        report_real(report, NULL, value->key, value->real, 0, "");
    else if (value->kind == REPORT_EXACT)
        report_exact(report, NULL, value->key, value->real);
    else
        report_flag(report, NULL, value->key, value->number != 0);
}

/* Shows the values where that is JSON. Returns true if their text is to be printed. */
static bool is_text(struct report *report, const char *sentence, const struct report_value *values)
{
    bool json = in_json(report);
    for (; json && values->kind != REPORT_NONE; values++)
        if (values->key == NULL || values->key[0] != '.')
            show_value(report, values);
    return in_text(report) && sentence != NULL;
}

void report_print_values(struct report *report, const char *label, const char *sentence,
                         const struct report_value *values)
{
    if (!is_text(report, sentence, values))
        return;
    int column = label != NULL ? print_label(report, label) : 0, hang = layout_of(report)->hang;
    if (label != NULL && hang > 0) {
        print_wrapped_sentence(report->out, sentence, values, column, hang);
    } else {
        print_sentence(report->out, sentence, values);
        fputc('\n', report->out);
    }
}

void report_print_cell(struct report *report, const char *sentence, const struct report_value *values)
{
    if (is_text(report, sentence, values))
        print_sentence(report->out, sentence, values);
}

void report_print_row(struct report *report, const char *key, const char *sentence,
                      const struct report_value *values)
{
    report_object(report, key);
    report_print_values(report, NULL, sentence, values);
    report_end(report);
}

void report_print_paragraph(struct report *report, const char *sentence, const struct report_value *values)
{
    if (is_text(report, sentence, values))
        print_wrapped_sentence(report->out, sentence, values, 0, 0);
}

void report_words(struct report *report, const char *label, const char *key, const char *const *word, int n)
{
    char *text = NULL;
    size_t size = 0;
    report_list(report, key);
    for (int i = 0; i < n; i++)
        report_string(report, NULL, NULL, word[i]);
    report_end(report);
    FILE *stream = in_text(report) && label != NULL ? open_memstream(&text, &size) : NULL;
    for (int i = 0; i < n && stream != NULL; i++)
        fprintf(stream, "%s%s", i > 0 ? ", " : "", word[i]);
    if (stream != NULL && fclose(stream) == 0)
        report_text(report, label, text);
    free(text);
}

/* ---- the text */

void report_text(struct report *report, const char *label, const char *value)
{
    if (!in_text(report) || label == NULL || value == NULL || value[0] == '\0')
        return;
    int column = print_label(report, label);
    if (layout_of(report)->hang > 0)
        print_wrapped(report->out, value, column, layout_of(report)->hang);
    else
        fprintf(report->out, "%s\n", value);
}

void report_line(struct report *report, const char *label, const char *format, ...)
{
    va_list arguments;
    if (!in_text(report))
        return;
    if (label != NULL)
        print_label(report, label);
    va_start(arguments, format);
    vfprintf(report->out, format, arguments);
    va_end(arguments);
    fputc('\n', report->out);
}

void report_part(struct report *report, const char *format, ...)
{
    va_list arguments;
    if (!in_text(report))
        return;
    va_start(arguments, format);
    visible_print_list(report->out, format, arguments);
    va_end(arguments);
}

void report_blank(struct report *report)
{
    report_line(report, NULL, "%s", "");
}

void report_say(struct report *report, const char *format, ...)
{
    char text[2048];
    va_list arguments;
    if (!in_text(report))
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    print_wrapped(report->out, text, 0, 0);
}
