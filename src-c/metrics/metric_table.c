/* SPDX-License-Identifier: BSD-3-Clause */
#include "formats/text_file.h"
#include "metrics/metrics.h"
#include "papi.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Made by the build from presets/metrics. */
extern const char metric_table_csv[];

void metrics_free(struct metrics *metrics)
{
    for (struct metrics_row *row = metrics != NULL ? metrics->first : NULL, *next; row != NULL; row = next) {
        next = row->next;
        free(row);
    }
    free(metrics);
}

/* ---- rows */

/* The user's metric takes the place of all built-in ones of its name. */
static bool replaces(const struct metrics_row *row, const struct metrics_row *old)
{
    return old->file < row->file && old->formula != NULL && row->formula != NULL &&
           strcmp(old->name, row->name) == 0;
}

static void add_row(struct metrics *metrics, struct metrics_row *row)
{
    struct metrics_row **place = &metrics->first, *old;
    while ((old = *place) != NULL)
        if (replaces(row, old)) {
            *place = old->next;
            free(old);
        } else
            place = &old->next;
    metrics->last = *place = row;
}

/* A metric is in the group of the last row of its file. */
static int read_fields(const struct metrics *metrics, struct metrics_row *row, char **field, int n,
                       struct reason *why)
{
    const struct metrics_row *last = metrics->last;
    bool metric = strcmp(field[0], "METRIC") == 0;
    if (!metric && strcmp(field[0], "GROUP") != 0)
        return reason_set(why, PAPI_EINVAL, "\"%.40s\" is neither GROUP nor METRIC, which a line begins with",
                          field[0]);
    if (n != (metric ? 5 : 3) || field[1][0] == '\0' || field[1][strspn(field[1], METRICS_WORD)] != '\0' ||
        (metric && field[3][0] == '\0'))
        return reason_set(why, PAPI_EINVAL, "a %s",
                          metric ? "metric is written: METRIC,name,unit,formula,description"
                                 : "group is written: GROUP,name,description");
    if (metric && (last == NULL || last->file != row->file))
        return reason_set(why, PAPI_EINVAL, "%.60s is in no group: write GROUP,name,description above it",
                          field[1]);
    row->name = field[1];
    row->group = metric ? last->group : row->name;
    row->unit = metric ? field[2] : NULL;
    row->formula = metric ? field[3] : NULL;
    row->description = field[n - 1];
    return metric ? metrics_value(row->formula, NULL, NULL, NULL, why) : PAPI_OK;
}

static int read_line(struct metrics *metrics, int file, const char *text, size_t length, struct reason *why)
{
    char *field[MAX_FIELDS] = {NULL};
    struct metrics_row *row = calloc(1, sizeof *row + length + 1);
    if (row == NULL)
        return reason_set(why, PAPI_ENOMEM, "out of memory");
    memcpy(row->line, text, length);
    row->file = file;
    int n = csv_row(row->line, length, field, why), code = n;
    if (n > 0)
        code = read_fields(metrics, row, field, n, why);
    if (n > 0 && code == PAPI_OK)
        add_row(metrics, row);
    else
        free(row);
    return code;
}

/* ---- tables */

/* A line with a fault is passed over; the first one is noted. */
static void read_lines(struct metrics *metrics, FILE *stream, int file, const char *name)
{
    struct text_lines lines = {.file = stream};
    struct reason why, *fault = &metrics->fault;
    size_t length;
    char *line;
    while ((line = text_lines_next(&lines, &length)) != NULL) {
        int code = read_line(metrics, file, line, length, &why);
        metrics->passes |= code == PAPI_ENOMEM;
        if (code != PAPI_OK && fault->code == PAPI_OK)
            reason_set(fault, code, "%.150s:%d: %s", name, lines.number, why.text);
    }
    errno = text_lines_end(&lines);
    metrics->passes |= error_passes(errno);
    if (errno != 0)
        reason_unreadable(name, fault);
    fclose(stream);
}

struct metrics *metrics_load(void)
{
    const char *user = secure_getenv("PAPI_METRICS_FILE"), *error;
    struct metrics *metrics = calloc(1, sizeof *metrics);
    FILE *stream = metrics != NULL ? fmemopen((void *)metric_table_csv, strlen(metric_table_csv), "r") : NULL;
    if (stream != NULL)
        read_lines(metrics, stream, 0, "the built-in table");
    if (stream == NULL || metrics->fault.code != PAPI_OK) {
        metrics_free(metrics);
        return NULL;
    }
    if (user == NULL || user[0] == '\0')
        return metrics;
    stream = text_file_open(user, &error);
    metrics->passes = stream == NULL && error_passes(errno);
    if (stream != NULL)
        read_lines(metrics, stream, 1, user);
    else
        reason_set(&metrics->fault, PAPI_ESYS, "%.200s, which PAPI_METRICS_FILE names: %s", user, error);
    return metrics;
}
