/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/json.h"
#include "tools/common/terminal.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

/* Report of a tool, said once: a tree of labels and values with their units. The tool fills it from top
 * to bottom, and one of two printers, text or JSON, shows each value as it comes: a listing of thousands of
 * events begins at once and needs no memory. With a layout of the separator ": ",
 *
 *   report_object(report, "cache");
 *   report_measure(report, "Line size", "line_size", 64, " B");
 *   report_end(report);
 *
 * are "Line size: 64 B" in the text and "cache": {"line_size": 64} in the JSON. Where the text has several
 * values in one line, or a line of a table, they are passed with a sentence that says where each stands:
 *
 *   report_sentence(report, "Vendor", "{vendor|unknown} ({code:%d}, {code:0x%x})",
 *                   AS_TEXT("vendor", "GenuineIntel"), AS_NUMBER("code", 1));
 *
 * is "Vendor: GenuineIntel (1, 0x1)" and "vendor": "GenuineIntel", "code": 1.
 *
 * A label of NULL: the text does not show the value.
 * A key of NULL: the value is an element of a list. The root of the JSON is an object, opened by the first
 * call. */

/* Layout of a label and a value in the text. */
struct report_layout {
    int indent;            /* blanks before the label */
    int width;             /* of the label; shorter ones are padded */
    const char *separator; /* after it */
    int number;            /* the least width of a number */
    int hang;              /* the column of a long text's further lines; 0: it is not wrapped */
    const char *zero;      /* text for a number of 0: "unknown"; NULL: 0 */
};

enum { REPORT_DEPTH = 16 };

/* The printers that see a value. */
enum report_printer { REPORT_BOTH, REPORT_TEXT_ONLY, REPORT_JSON_ONLY };

struct report {
    FILE *out;   /* of the text */
    FILE *plain; /* of the JSON, whose lines are never broken */
    bool json;
    bool silent;                        /* the text is not shown: the tool prints something else */
    enum report_printer only;           /* report_only */
    const struct report_layout *layout; /* NULL: "label: value" */

    /* report.c's own */
    struct json writer;
    char bracket[REPORT_DEPTH]; /* of what is open */
};

/* Members of the JSON until report_end; the text does not show them. */
void report_object(struct report *report, const char *key);
void report_list(struct report *report, const char *key);
void report_end(struct report *report);
/* Reports an object of a name and its description. */
void report_described(struct report *report, const char *name, const char *description);
/* Ends whatever is open. Nothing may follow. */
void report_finish(struct report *report);
/* Shows what follows to one printer alone, for a part that the text has at another place than the JSON: the
 * same function fills it at both. REPORT_BOTH ends that. Objects and lists that it opens, it must close. */
void report_only(struct report *report, enum report_printer only);

/* NULL is null in JSON; the text shows neither that nor "". */
void report_string(struct report *report, const char *label, const char *key, const char *value);
/* REPORT_UNKNOWN is null in JSON, and "unknown" in the text. A measure has a unit, with the blank before it,
 * which the text shows and the key of the JSON implies. */
#define REPORT_UNKNOWN LLONG_MIN
void report_number(struct report *report, const char *label, const char *key, long long value);
void report_measure(struct report *report, const char *label, const char *key, long long value,
                    const char *unit);
void report_real(struct report *report, const char *label, const char *key, double value, int decimals,
                 const char *unit);
/* Prints a real number with all its digits. */
void report_exact(struct report *report, const char *label, const char *key, double value);
/* Reports a truth value, "yes" or "no" in the text. */
void report_flag(struct report *report, const char *label, const char *key, bool value);

/* ---- sentences */

enum report_kind { REPORT_NONE, REPORT_TEXT, REPORT_NUMBER, REPORT_REAL, REPORT_EXACT, REPORT_FLAG };

/* A value of a sentence. The JSON leaves out one whose key begins with a period. */
struct report_value {
    enum report_kind kind; /* REPORT_NONE: the end of an array */
    const char *key;
    const char *text;
    long long number;
    double real;
};
#define AS_TEXT(name, value) ((struct report_value){.kind = REPORT_TEXT, .key = (name), .text = (value)})
#define AS_NUMBER(name, value)                                                                               \
    ((struct report_value){.kind = REPORT_NUMBER, .key = (name), .number = (value)})
#define AS_REAL(name, value) ((struct report_value){.kind = REPORT_REAL, .key = (name), .real = (value)})
#define AS_EXACT(name, value) ((struct report_value){.kind = REPORT_EXACT, .key = (name), .real = (value)})
#define AS_FLAG(name, value) ((struct report_value){.kind = REPORT_FLAG, .key = (name), .number = (value)})
#define REPORT_VALUES(...) ((const struct report_value[]){__VA_ARGS__, {.kind = REPORT_NONE}})

/* The values, of which the JSON has all in their order, and the text those that the sentence names:
 *   {key}              the value
 *   {key:0x%08x}       the value by a conversion of printf: d, x, X or u of a number, f, g or a of a real
 *                      one, s of a text or a flag ("yes", "no"); without a modifier of its length. Also %Y: a
 *                      flag as "Yes" or "No"; %v: a text that others gave, in which control characters are
 *                      made visible
 *   {key? (%s)}        the same, and nothing where the value is NULL, "", unknown or false
 *   {key:%4d|unknown}  where the value is NULL, "" or unknown, the word behind the bar in the same width
 *   {}                 the value with the key NULL
 * Prints one line of text, or as report_string does where the layout has a hang; sentence NULL: none. */
#define report_sentence(report, label, sentence, ...)                                                        \
    report_print_values(report, label, sentence, REPORT_VALUES(__VA_ARGS__))
void report_print_values(struct report *report, const char *label, const char *sentence,
                         const struct report_value *values);

/* The same without a label and an end of the line, for lines of which each part is an object of the JSON;
 * report_blank ends the line. */
#define report_cell(report, sentence, ...) report_print_cell(report, sentence, REPORT_VALUES(__VA_ARGS__))
void report_print_cell(struct report *report, const char *sentence, const struct report_value *values);

/* The same in an object of its own: the row of a table. key NULL: it is an element of a list. */
#define report_row(report, key, sentence, ...)                                                               \
    report_print_row(report, key, sentence, REPORT_VALUES(__VA_ARGS__))
void report_print_row(struct report *report, const char *key, const char *sentence,
                      const struct report_value *values);

/* The same as report_sentence without a label, in lines of at most 80 columns. */
#define report_paragraph(report, sentence, ...)                                                              \
    report_print_paragraph(report, sentence, REPORT_VALUES(__VA_ARGS__))
void report_print_paragraph(struct report *report, const char *sentence, const struct report_value *values);

/* A list of texts, which the text has in one line, separated by ", "; with none in it, it has no line. */
void report_words(struct report *report, const char *label, const char *key, const char *const *word, int n);

/* ---- text alone */

/* Prints a line with a label, or without one where label is NULL; JSON leaves it out. */
void report_line(struct report *report, const char *label, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* As report_string; JSON leaves it out. */
void report_text(struct report *report, const char *label, const char *value);
/* A part of a line, in which names from elsewhere are made visible; report_blank ends the line. */
void report_part(struct report *report, const char *format, ...) __attribute__((format(printf, 2, 3)));
void report_blank(struct report *report);
/* Prints sentences in lines of at most 80 columns; JSON leaves them out. */
void report_say(struct report *report, const char *format, ...) __attribute__((format(printf, 2, 3)));
