/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/sheet.h"

#include "report/figure.h"

#include <stdarg.h>
#include <string.h>

static void put(struct sheet *sheet, int indent, const char *text)
{
    char clean[4 * SHEET_COLUMNS + 8];
    if (sheet->lines >= SHEET_LINES)
        return;
    figure_name(clean, sizeof clean, text, SHEET_COLUMNS - indent);
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

/* Bytes of the first line of text when it has so many columns; *rest: where the next one begins. */
static size_t first_line(const char *text, int columns, const char **rest)
{
    size_t blank = 0, at = 0;
    for (int column = 0; text[at] != '\0'; at++) {
        column += ((unsigned char)text[at] & 0xc0) != 0x80;
        if (column > columns)
            break;
        if (text[at] == ' ')
            blank = at;
    }
    size_t length = text[at] == '\0' || text[at] == ' ' || blank == 0 ? at : blank;
    *rest = text + length + (text[length] == ' ');
    return length;
}

int sheet_lines_for(int indent, const char *text)
{
    int n = 0;
    for (int at = 0; *text != '\0'; at = indent, n++)
        first_line(text, SHEET_COLUMNS - at, &text);
    return n;
}

void sheet_wrapped(struct sheet *sheet, int indent, int lines, const char *text)
{
    int at = 0;
    for (; lines > 1 && *text != '\0'; lines--, at = indent) {
        char part[4 * SHEET_COLUMNS + 8];
        const char *rest;
        size_t length = first_line(text, SHEET_COLUMNS - at, &rest);
        snprintf(part, sizeof part, "%.*s", (int)length, text);
        put(sheet, at, part);
        text = rest;
    }
    if (*text != '\0')
        put(sheet, at, text);
}
