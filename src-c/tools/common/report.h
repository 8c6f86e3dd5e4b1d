/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/json.h"
#include "wrapped_text.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

/* What a tool has to say, said once: a tree of labels and values with their units. The tool fills it from top
 * to bottom, and one of two printers, text or JSON, shows each value as it comes: a listing of thousands of
 * events begins at once and needs no memory. With a layout of the separator ": ",
 *
 *   report_object(report, "cache");
 *   report_measure(report, "Line size", "line_size", 64, " B");
 *   report_end(report);
 *
 * are "Line size: 64 B" in the text and "cache": {"line_size": 64} in the JSON.
 *
 * A label of NULL: the text does not show the value, because it has it in a line of its own (report_line).
 * A key of NULL: the value is an element of a list. The root of the JSON is an object, opened by the first
 * call. */

/* How the text shows a label and a value. */
struct report_layout {
    int indent;            /* blanks before the label */
    int width;             /* of the label; shorter ones are padded */
    const char *separator; /* after it */
    int number;            /* the least width of a number */
    int hang;              /* the column of a long text's further lines; 0: it is not wrapped */
    const char *zero;      /* what is shown for a number of 0: "unknown"; NULL: 0 */
};

enum { REPORT_DEPTH = 16 };

struct report {
    FILE *out;   /* of the text */
    FILE *plain; /* of the JSON, whose lines are never broken */
    bool json;
    bool silent;                        /* the text is not shown: the tool prints something else */
    const struct report_layout *layout; /* NULL: "label: value" */

    /* report.c's own */
    struct json writer;
    char bracket[REPORT_DEPTH]; /* of what is open */
};

/* Members of the JSON until report_end; the text does not show them. */
void report_object(struct report *report, const char *key);
void report_list(struct report *report, const char *key);
void report_end(struct report *report);
/* An object of a name and what it means. */
void report_described(struct report *report, const char *name, const char *description);
/* Ends whatever is open. Nothing may follow. */
void report_finish(struct report *report);

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
/* With all its digits. */
void report_exact(struct report *report, const char *label, const char *key, double value);
/* "yes" or "no" */
void report_flag(struct report *report, const char *label, const char *key, bool value);

/* In the text alone: a line with a label, or with NULL for it what printf would make. */
void report_line(struct report *report, const char *label, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void report_blank(struct report *report);
/* In the text alone: sentences in lines of at most 80 columns. */
void report_say(struct report *report, const char *format, ...) __attribute__((format(printf, 2, 3)));
