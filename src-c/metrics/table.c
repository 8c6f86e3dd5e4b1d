/* SPDX-License-Identifier: BSD-3-Clause */
#include "events/csv.h"
#include "events/text_file.h"
#include "metrics/metrics.h"
#include "papi.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Made by the build from presets/metrics. */
extern const char metric_table_csv[];

void metrics_free(struct metrics *metrics)
{
    for (int i = 0; metrics != NULL && i < metrics->n; i++)
        free(metrics->row[i]);
    if (metrics != NULL)
        free(metrics->row);
    free(metrics);
}

/* ---- rows */

static bool is_word(const char *text)
{
    size_t n = 0;
    while (isalnum((unsigned char)text[n]) || text[n] == '_')
        n++;
    return n > 0 && text[n] == '\0';
}

/* The user's metric takes the place of all built-in ones of its name. */
static bool replaces(const struct metrics_row *row, const struct metrics_row *old)
{
    return old->file < row->file && old->formula != NULL && row->formula != NULL &&
           strcmp(old->name, row->name) == 0;
}

static int add_row(struct metrics *metrics, struct metrics_row *row, struct reason *why)
{
    struct metrics_row **rows = realloc(metrics->row, (size_t)(metrics->n + 1) * sizeof(row));
    int n = 0;
    if (rows == NULL)
        return reason_set(why, PAPI_ENOMEM, "out of memory");
    for (int i = 0; i < metrics->n; i++)
        if (replaces(row, rows[i]))
            free(rows[i]);
        else
            rows[n++] = rows[i];
    rows[n++] = row;
    metrics->row = rows;
    metrics->n = n;
    return PAPI_OK;
}

/* A metric is in the group of the last row of its file. */
static int read_fields(const struct metrics *metrics, struct metrics_row *row, char **field, int n,
                       struct reason *why)
{
    const struct metrics_row *last = metrics->n > 0 ? metrics->row[metrics->n - 1] : NULL;
    bool metric = strcmp(field[0], "METRIC") == 0;
    if (!metric && strcmp(field[0], "GROUP") != 0)
        return reason_set(why, PAPI_EINVAL, "\"%.40s\" is neither GROUP nor METRIC, which a line begins with",
                          field[0]);
    if (n != (metric ? 5 : 3) || !is_word(field[1]) || (metric && field[3][0] == '\0'))
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
        code = read_fields(metrics, row, field, n, why) ?: add_row(metrics, row, why);
    if (n == 0 || code != PAPI_OK)
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
        if (code != PAPI_OK && fault->code == PAPI_OK)
            reason_set(fault, code, "%.150s:%d: %s", name, lines.number, why.text);
    }
    errno = text_lines_end(&lines);
    if (errno != 0)
        reason_unreadable(name, fault);
    fclose(stream);
}

static void read_user(struct metrics *metrics, const char *name)
{
    const char *error;
    FILE *stream = text_file_open(name, &error);
    if (stream == NULL)
        reason_set(&metrics->fault, PAPI_ESYS, "%.200s, which PAPI_METRICS_FILE names: %s", name, error);
    else
        read_lines(metrics, stream, 1, name);
}

struct metrics *metrics_load(void)
{
    const char *user = secure_getenv("PAPI_METRICS_FILE");
    FILE *stream = fmemopen((void *)metric_table_csv, strlen(metric_table_csv), "r");
    struct metrics *metrics = stream != NULL ? calloc(1, sizeof *metrics) : NULL;
    if (metrics != NULL)
        read_lines(metrics, stream, 0, "the built-in table");
    else if (stream != NULL)
        fclose(stream);
    if (metrics == NULL || metrics->fault.code != PAPI_OK) {
        metrics_free(metrics);
        return NULL;
    }
    if (user != NULL && user[0] != '\0')
        read_user(metrics, user);
    return metrics;
}
