/* SPDX-License-Identifier: BSD-3-Clause */
#include "events/old_csv.h"
#include "formats/csv.h"
#include "formats/text_file.h"
#include "papi.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_ROW = 1 << 16, FIRST_NATIVE = 6 };

/* A row: several lines where a text in quotes goes on. */
struct row {
    char text[LONGEST_ROW];
    size_t length;
    int line;       /* where it begins */
    bool in_quotes; /* at its end */
};

static int append(struct row *row, const char *line, size_t length, struct reason *why)
{
    if (memchr(line, '\0', length) != NULL)
        return reason_set(why, PAPI_EINVAL, "a null byte: this is not a text file");
    if (row->length + length + 2 > sizeof row->text)
        return reason_set(why, PAPI_EINVAL, "a row of more than %d characters", LONGEST_ROW - 2);
    if (row->length > 0)
        row->text[row->length++] = ' ';
    memcpy(row->text + row->length, line, length);
    for (size_t i = 0; i < length; i++)
        row->in_quotes ^= line[i] == '"';
    row->length += length;
    row->text[row->length] = '\0';
    return PAPI_OK;
}

/* 1: there is one, 0: the end of the file, or an error. */
static int next_row(struct text_lines *lines, struct row *row, struct reason *why)
{
    char *line;
    size_t length;
    row->length = 0;
    row->in_quotes = false;
    while ((line = text_lines_next(lines, &length)) != NULL) {
        if (row->length == 0)
            row->line = lines->number;
        int code = append(row, line, length, why);
        if (code != PAPI_OK)
            return code;
        if (row->length > 0 && (!row->in_quotes || row->text[0] == '#'))
            return 1;
    }
    return row->length > 0 && lines->error == 0 ? reason_set(why, PAPI_EINVAL, "a quote without its end") : 0;
}

static int take_row(struct row *row, old_csv_row *take, void *context, struct reason *why)
{
    char *field[MAX_FIELDS];
    int n = csv_row(row->text, row->length, field, why);
    if (n <= 0)
        return n;
    if (n > 1 && strcmp(field[0], "name") == 0 && strcmp(field[1], "derived") == 0)
        return PAPI_OK;
    if (n < FIRST_NATIVE)
        return reason_set(why, PAPI_EINVAL,
                          "%d fields where name,derived,postfix,short_descr,long_descr,note,native,... are "
                          "expected",
                          n);
    struct event_parts parts = {field[0], field[1], field[2], field[3], field[4], field[5], {NULL}, 0};
    int code = PAPI_OK;
    for (int i = FIRST_NATIVE; i < n; i++)
        code = code ?: event_parts_add(&parts, field[i], why);
    /* A list of all presets names those too that the machine cannot count. */
    bool empty = parts.n_natives == 0 && parts.derived[0] == '\0';
    return code != PAPI_OK || empty ? code : take(&parts, row->line, context, why);
}

int old_csv_read(FILE *file, const char *name, old_csv_row *take, void *context, struct reason *why)
{
    struct text_lines lines = {.file = file};
    struct row *row = calloc(1, sizeof *row);
    struct reason local = {0};
    int code = row ? PAPI_OK : reason_set(&local, PAPI_ENOMEM, "out of memory");
    while (code == PAPI_OK && (code = next_row(&lines, row, &local)) > 0)
        code = take_row(row, take, context, &local);
    int line = row ? row->line : 0;
    free(row);
    errno = text_lines_end(&lines);
    if (code == PAPI_OK && errno != 0)
        return reason_unreadable(name, why);
    return code == PAPI_OK ? PAPI_OK : reason_set(why, code, "%.200s:%d: %s", name, line, local.text);
}
