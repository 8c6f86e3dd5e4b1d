/* SPDX-License-Identifier: BSD-3-Clause */
#include "terminal.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

enum { WIDTH = 80, TAB = 8, FURTHER = 4, LAST_HANG = 44 };

struct terminal {
    FILE *file;
    char *line; /* that has not ended yet */
    size_t length, room;
};

/* The column behind a character. What continues one of UTF-8 takes no room. */
static int next_column(int column, char c)
{
    if (c == '\t')
        return column + TAB - column % TAB;
    return column + (((unsigned char)c & 0xC0) != 0x80);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Finds the column at which the further lines begin: at the last column of a table or behind a label, which
 * two blanks or a tab set apart; else a little further in. */
static int find_hang(const char *line, size_t length)
{
    size_t first = 0;
    int column = 0, hang;
    while (first < length && is_blank(line[first]))
        column = next_column(column, line[first++]);
    hang = column + FURTHER;
    for (size_t i = first; i < length && column <= LAST_HANG; column = next_column(column, line[i++]))
        if (i > first + 1 && !is_blank(line[i]) &&
            (line[i - 1] == '\t' || (is_blank(line[i - 1]) && is_blank(line[i - 2]))))
            hang = column < LAST_HANG ? column : hang;
    return hang < LAST_HANG ? hang : FURTHER;
}

/* Returns how many bytes go into a line that begins at a column: up to the last blank that leaves no word
 * beyond the width, or at least one word. */
static size_t part_of(const char *line, size_t length, int column)
{
    size_t blank = 0, i = 0;
    while (i < length && is_blank(line[i]))
        column = next_column(column, line[i++]);
    for (; i < length; i++) {
        if (is_blank(line[i]))
            blank = i;
        column = next_column(column, line[i]);
        if (column > WIDTH && blank > 0)
            return blank;
    }
    return length;
}

static void write_line(FILE *file, const char *line, size_t length)
{
    int hang = find_hang(line, length), column = 0;
    for (;;) {
        size_t part = part_of(line, length, column);
        fwrite(line, 1, part, file);
        for (; part < length && is_blank(line[part]); part++)
            ;
        line += part;
        length -= part;
        if (length == 0)
            break;
        fprintf(file, "\n%*s", hang, "");
        column = hang;
    }
}

static bool keep(struct terminal *terminal, const char *text, size_t size)
{
    if (terminal->length + size > terminal->room) {
        size_t room = 2 * (terminal->length + size);
        char *line = realloc(terminal->line, room);
        if (line == NULL)
            return false;
        terminal->line = line;
        terminal->room = room;
    }
    memcpy(terminal->line + terminal->length, text, size);
    terminal->length += size;
    return true;
}

static void end_line(struct terminal *terminal)
{
    write_line(terminal->file, terminal->line, terminal->length);
    terminal->length = 0;
}

static ssize_t write_text(void *cookie, const char *text, size_t size)
{
    struct terminal *terminal = cookie;
    const char *end = text + size, *line = text;
    while (line < end) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        const char *stop = newline != NULL ? newline : end;
        if (!keep(terminal, line, (size_t)(stop - line)))
            return 0;
        if (newline == NULL)
            break;
        end_line(terminal);
        fputc('\n', terminal->file);
        line = newline + 1;
    }
    return ferror(terminal->file) ? 0 : (ssize_t)size;
}

static int end_text(void *cookie)
{
    struct terminal *terminal = cookie;
    if (terminal->length > 0)
        end_line(terminal);
    free(terminal->line);
    free(terminal);
    return 0;
}

/* True for a terminal that has a width: MPI launchers run their ranks in pseudo-terminals without one, and
 * pass on what they read. */
static bool is_terminal(FILE *file)
{
    struct winsize size = {.ws_col = 0};
    return ioctl(fileno(file), TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
}

FILE *terminal_open(FILE *file)
{
    if (!is_terminal(file))
        return file;
    struct terminal *terminal = calloc(1, sizeof *terminal);
    if (terminal == NULL)
        return file;
    terminal->file = file;
    cookie_io_functions_t functions = {.write = write_text, .close = end_text};
    FILE *stream = fopencookie(terminal, "w", functions);
    if (stream == NULL) {
        free(terminal);
        return file;
    }
    setvbuf(stream, NULL, _IOLBF, 0); /* in the order in which it is written, also beside the file */
    return stream;
}

void terminal_close(FILE *stream, FILE *file)
{
    if (stream != file)
        fclose(stream);
}

/* ---- texts of 80 columns */

void print_wrapped(FILE *out, const char *text, int column, int indent)
{
    bool first = true; /* of its line: no blank before it */
    while (*text != '\0') {
        int length = (int)strcspn(text, " \n");
        if (!first && column + 1 + length > WIDTH) {
            fprintf(out, "\n%*s", indent, "");
            column = indent;
            first = true;
        }
        column += fprintf(out, "%s%.*s", first ? "" : " ", length, text);
        first = false;
        text += length;
        text += strspn(text, " \n");
    }
    fputc('\n', out);
}

void text_append_list(char *text, size_t size, const char *separator, const char *format, va_list arguments)
{
    size_t used = strlen(text);
    if (used > 0)
        used += (size_t)snprintf(text + used, size - used, "%s", separator);
    if (used < size)
        vsnprintf(text + used, size - used, format, arguments);
}

void text_append(char *text, size_t size, const char *separator, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    text_append_list(text, size, separator, format, arguments);
    va_end(arguments);
}
