/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "gather.h"
#include "reasons.h"

#include <stdio.h>

struct json_t; /* of Jansson */

/* The result of papi_why, which the report, the page and --json show: docs/why.md, "JSON". Its texts are
 * visible, whatever the program's names are. */
struct json_t *result_make(const struct gather *gather, const struct reasons *reasons, const char *command,
                           int most);

/* Reads a result that was kept. NULL: why has the sentence, to be freed. */
struct json_t *result_read(const char *path, char **why);

/* Writes it as --json does. */
void result_write(FILE *out, const struct json_t *result);
void result_free(struct json_t *result);

/* The reason, or sentence of what is not known, with that number from 0; NULL: there are no more. */
const struct json_t *result_reason(const struct json_t *result, int number);
const char *result_unknown(const struct json_t *result, int number);

/* A member's value; "" or 0: there is none. */
const char *result_text(const struct json_t *from, const char *key);
double result_real(const struct json_t *from, const char *key);

/* The run as a whole; shares of its time, computing to waiting, sum up to 1. */
struct result_run {
    double seconds, computing, kernel, waiting;
    double delayed; /* share of the time in which others had the processors */
    int threads, processors, ranks;
};
struct result_run result_run(const struct json_t *result);

/* A share of delays that a reader has to know of, and the sentence with it. */
#define RESULT_BUSY                                                                                          \
    "The machine is busy: for %.0f %% of the time other programs had the processors. Shares are of the "     \
    "rest."
static const double result_busy = 0.3;

/* A sentence for a result without reasons. To be freed. */
char *result_without_reasons(const struct json_t *result);

/* The figures of a reason: its key in the result, and how people read it. */
extern const struct result_figure {
    const char *key, *words, *format;
    double scale; /* of what is printed */
} result_figures[];
extern const int n_result_figures;
