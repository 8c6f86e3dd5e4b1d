/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/sheet.h"

#include "report/figure.h"

#include <stdarg.h>
#include <stdbool.h>
#include <string.h>
#include <sys/ioctl.h>

struct sheet sheet_on(FILE *out)
{
    struct winsize size = {.ws_col = 0};
    struct sheet sheet = {out, SHEET_COLUMNS, 0};
    /* Launchers of MPI run their ranks in pseudo-terminals without a width. */
    if (ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_col < SHEET_COLUMNS)
        sheet.columns = SHEET_NARROW;
    return sheet;
}

int sheet_most(const struct sheet *sheet, int lines)
{
    return (lines * SHEET_COLUMNS + sheet->columns - 1) / sheet->columns;
}

/* ------------------------------------------------------------------------ lines */

static void put(struct sheet *sheet, int indent, const char *text)
{
    char clean[4 * SHEET_COLUMNS + 8];
    if (sheet->lines >= sheet_most(sheet, SHEET_LINES))
        return;
    figure_name(clean, sizeof clean, text, sheet->columns - indent);
    size_t length = strlen(clean);
    while (length > 0 && clean[length - 1] == ' ')
        clean[--length] = '\0';
    fprintf(sheet->out, "%*s%s\n", length > 0 ? indent : 0, "", clean);
    sheet->lines++;
}

void sheet_line(struct sheet *sheet, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    put(sheet, 0, text);
}

/* ------------------------------------------------------------------------- rows */

/* The least number of those that have no room. */
static int left_out(const struct sheet *sheet, const struct sheet_column *column)
{
    for (int least = SHEET_COLUMNS;;) {
        int columns = -1, greatest = 0;
        for (int i = 0; column[i].width > 0; i++)
            if (column[i].spare < least) {
                columns += column[i].width + 1;
                greatest = column[i].spare > greatest ? column[i].spare : greatest;
            }
        if (columns <= sheet->columns || greatest == 0)
            return least;
        least = greatest;
    }
}

static int columns_of(const char *text)
{
    int n = 0;
    for (; *text != '\0'; text++)
        n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

void sheet_row(struct sheet *sheet, const struct sheet_column *column, const char *const *cell)
{
    char text[1024] = "";
    int without = left_out(sheet, column), at = 0, end = -1;
    for (int i = 0; column[i].width > 0; i++) {
        int columns = columns_of(cell[i]), blanks;
        if (column[i].spare >= without)
            continue;
        end += column[i].width + 1;
        blanks = i == 0 ? 0 : end - at - columns > 1 ? end - at - columns : 1;
        if (at + blanks + columns > sheet->columns)
            continue;
        figure_append(text, sizeof text, "%*s%s", blanks, "", cell[i]);
        at += blanks + columns;
    }
    put(sheet, 0, text);
}

void sheet_head(struct sheet *sheet, const struct sheet_column *column, const char *title)
{
    enum { MOST = 16, ROOM = 4 * SHEET_COLUMNS + 1 };
    char shown[MOST][ROOM];
    const char *cell[MOST] = {title};
    for (int i = 1; i < MOST && column[i].width > 0; i++) {
        figure_name(shown[i], ROOM, column[i].head, column[i].width);
        cell[i] = shown[i];
    }
    sheet_row(sheet, column, cell);
}

/* -------------------------------------------------------------------- sentences */

/* Where a line may end: not before the % of a number. */
static bool may_end(const char *at)
{
    return *at == ' ' && at[1] != '%';
}

/* Bytes of the first line of text when it has so many columns; *rest: where the next one begins. A text whose
 * parts have two blanks between them is broken there alone, if one fits. */
static size_t first_line(const char *text, int columns, const char **rest)
{
    size_t blank = 0, part = 0, at = 0;
    for (int column = 0; text[at] != '\0'; at++) {
        column += ((unsigned char)text[at] & 0xc0) != 0x80;
        if (may_end(&text[at]) && text[at + 1] == ' ')
            part = at;
        if (column > columns)
            break;
        if (may_end(&text[at]))
            blank = at;
    }
    size_t length = text[at] == '\0' ? at : part > 0 ? part : blank == 0 || may_end(&text[at]) ? at : blank;
    *rest = text + length;
    *rest += strspn(*rest, " ");
    return length;
}

int sheet_lines_for(const struct sheet *sheet, int indent, int lines, const char *text)
{
    int n = 0, most = sheet_most(sheet, lines);
    for (int at = 0; *text != '\0' && n < most; at = indent, n++)
        first_line(text, sheet->columns - at, &text);
    return n;
}

void sheet_wrapped(struct sheet *sheet, int indent, int lines, const char *text)
{
    int at = 0;
    for (lines = sheet_most(sheet, lines); lines > 1 && *text != '\0'; lines--, at = indent) {
        char part[4 * SHEET_COLUMNS + 8];
        const char *rest;
        size_t length = first_line(text, sheet->columns - at, &rest);
        snprintf(part, sizeof part, "%.*s", (int)length, text);
        put(sheet, at, part);
        text = rest;
    }
    if (*text != '\0')
        put(sheet, at, text);
}
