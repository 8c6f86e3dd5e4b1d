/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "report/figure.h"
#include "report/sheet.h"

enum { TAIL_LINES = 19, TAIL_ROOM = 1024 };

/* The remarks below the tables of the report. They are made first: the tables get the lines that are left. */
struct tail {
    const struct sheet *sheet; /* that it is for */
    int n;
    struct {
        int most, lines; /* of all columns; of the sheet's */
        char text[TAIL_ROOM];
    } part[TAIL_LINES];
};

/* Appends to the text of a part, or to another of TAIL_ROOM bytes. */
#define append(text, ...) figure_append(text, TAIL_ROOM, __VA_ARGS__)

/* Fills a tail that has its sheet and no parts. result_file: see report_text. */
void tail_make(struct tail *tail, const struct job *job, const char *result_file);

/* The unit that a metric is shown in, and the factor to get there. A counter's unit may be any word: "" for
 * one that figure() cannot scale. */
const char *report_unit_of(const struct job *job, int metric, double *times);

/* The name of a metric for so many columns: of a component's event that is longer, the event alone. */
const char *report_name_of(const struct job *job, int metric, size_t columns);
