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

/* Where in a table the reader is. */
struct reader {
    struct metrics *metrics;
    const char *group; /* of the rows that come; NULL: none yet */
    int file;
};

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
static int add_row(struct metrics *metrics, struct metrics_row *row)
{
    struct metrics_row **rows = realloc(metrics->row, (size_t)(metrics->n + 1) * sizeof(row));
    if (rows == NULL)
        return PAPI_ENOMEM;
    for (int i = 0; i < metrics->n; i++)
        rows[i]->ended |=
            rows[i]->file < row->file && !row->is_group && strcmp(rows[i]->name, row->name) == 0;
    metrics->row = rows;
    rows[metrics->n++] = row;
    return PAPI_OK;
}

/* A formula is right if it can be computed of any names. */
static int any_name(const void *context, const char *name, double *value, struct reason *why)
{
    (void)context, (void)name, (void)why;
    *value = NAN;
    return PAPI_OK;
}

static int read_metric(struct metrics_row *row, const char *group, char **field, int n, struct reason *why)
{
    double none;
    if (n != 5 || !is_word(field[1]) || field[3][0] == '\0')
        return reason_set(why, PAPI_EINVAL, "a metric is written: METRIC,name,unit,formula,description");
    if (group == NULL)
        return reason_set(why, PAPI_EINVAL, "%.60s is in no group: write GROUP,name,description above it",
                          field[1]);
    row->group = group;
    row->unit = field[2];
    row->formula = field[3];
    return metrics_compute(row->formula, any_name, NULL, &none, why);
}

static int read_fields(struct reader *reader, struct metrics_row *row, struct reason *why)
{
    char *field[MAX_FIELDS] = {NULL};
    int n = csv_split(row->line, field);
    if (n < 0)
        return reason_set(why, PAPI_EINVAL, "%s", csv_fault(n));
    row->name = field[1];
    row->description = field[n - 1];
    if (strcmp(field[0], "METRIC") == 0)
        return read_metric(row, reader->group, field, n, why);
    if (strcmp(field[0], "GROUP") != 0)
        return reason_set(why, PAPI_EINVAL, "\"%.40s\" is neither GROUP nor METRIC, which a line begins with",
                          field[0]);
    if (n != 3 || !is_word(field[1]))
        return reason_set(why, PAPI_EINVAL, "a group is written: GROUP,name,description");
    row->is_group = 1;
    row->group = reader->group = row->name;
    return PAPI_OK;
}

static int read_line(struct reader *reader, const char *text, size_t length, struct reason *why)
{
    if (memchr(text, '\0', length) != NULL)
        return reason_set(why, PAPI_EINVAL, "a null byte: this is not a text file");
    if (length == 0 || text[0] == '#' || text[strspn(text, " \t,\n")] == '\0')
        return PAPI_OK;
    struct metrics_row *row = calloc(1, sizeof *row + length + 1);
    int code = PAPI_ENOMEM;
    if (row != NULL) {
        memcpy(row->line, text, length);
        row->file = reader->file;
        code = read_fields(reader, row, why) ?: add_row(reader->metrics, row);
    }
    if (code == PAPI_ENOMEM)
        reason_set(why, code, "out of memory");
    if (code != PAPI_OK)
        free(row);
    return code;
}

/* ---- tables */

static int read_builtin(struct metrics *metrics)
{
    struct reader reader = {.metrics = metrics};
    int code = PAPI_OK;
    for (const char *line = metric_table_csv; *line != '\0' && code == PAPI_OK;) {
        size_t n = strcspn(line, "\n");
        code = read_line(&reader, line, n, NULL);
        line += n + 1;
    }
    return code;
}

/* A line with a fault is passed over; the first one is noted. */
static void read_lines(struct reader *reader, FILE *file, const char *name, struct reason *fault)
{
    struct text_lines lines = {.file = file};
    struct reason why;
    size_t length;
    char *line;
    while ((line = text_lines_next(&lines, &length)) != NULL) {
        int code = read_line(reader, line, length, &why);
        if (code != PAPI_OK && fault->code == PAPI_OK)
            reason_set(fault, code, "%.150s:%d: %s", name, lines.number, why.text);
    }
    errno = text_lines_end(&lines);
    if (errno != 0)
        reason_unreadable(name, fault);
}

static void read_file(struct metrics *metrics, const char *name, struct reason *fault)
{
    struct reader reader = {.metrics = metrics, .file = 1};
    const char *error;
    bool passing;
    FILE *file = text_file_open(name, &error, &passing);
    if (file == NULL) {
        reason_set(fault, PAPI_ESYS, "%.200s, which PAPI_METRICS_FILE names: %s", name, error);
        return;
    }
    read_lines(&reader, file, name, fault);
    fclose(file);
}

struct metrics *metrics_load(void)
{
    struct metrics *metrics = calloc(1, sizeof *metrics);
    const char *file = secure_getenv("PAPI_METRICS_FILE");
    if (metrics == NULL || read_builtin(metrics) != PAPI_OK) {
        metrics_free(metrics);
        return NULL;
    }
    if (file != NULL && file[0] != '\0')
        read_file(metrics, file, &metrics->fault);
    return metrics;
}

const struct metrics_row *metrics_find(const struct metrics *metrics, const char *name,
                                       const struct metrics_row *after)
{
    for (int i = 0; i < metrics->n; i++) {
        const struct metrics_row *row = metrics->row[i];
        if (after == NULL && !row->ended && !row->is_group && strcmp(row->name, name) == 0)
            return row;
        after = row == after ? NULL : after;
    }
    return NULL;
}
