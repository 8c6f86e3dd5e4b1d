/* SPDX-License-Identifier: BSD-3-Clause */
#include "formats/text_file.h"
#include "base/visible.h"
#include "papi.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LARGEST = 16 << 20 };

/* Lines of these alone are most, and are as they are. */
#define PLAIN                                                                                                \
    "\t !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~"

/* Some editors put it before UTF-8. */
#define BYTE_ORDER_MARK "\xef\xbb\xbf"

static const char *unfit(int fd)
{
    struct stat status;
    if (fstat(fd, &status) != 0)
        return strerror(errno);
    if (!S_ISREG(status.st_mode))
        return "not a regular file";
    return status.st_size > LARGEST ? "larger than any table of events (16 MiB)" : NULL;
}

FILE *text_file_open(const char *name, const char **error)
{
    errno = 0;
    /* O_NONBLOCK, because a pipe would be waited for before it is seen to be one. */
    int fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    *error = fd < 0 ? strerror(errno) : unfit(fd);
    FILE *file = *error == NULL ? fdopen(fd, "r") : NULL;
    if (*error == NULL && file == NULL)
        *error = strerror(errno);
    int saved = errno;
    if (file == NULL && fd >= 0)
        close(fd);
    errno = saved;
    return file;
}

/* Null bytes are left to the caller. */
static char *show(struct text_lines *lines, char *text, size_t *length)
{
    if (memchr(text, '\0', *length) != NULL || strspn(text, PLAIN) == *length)
        return text;
    free(lines->shown);
    lines->shown = malloc(VISIBLE_GROWTH * *length + 1);
    if (lines->shown == NULL) {
        lines->error = ENOMEM;
        return NULL;
    }
    *length = visible(lines->shown, VISIBLE_GROWTH * *length + 1, text);
    return lines->shown;
}

char *text_lines_next(struct text_lines *lines, size_t *length)
{
    char *end = lines->line ? lines->line + lines->length : NULL, *start = lines->next;
    if (lines->error != 0)
        return NULL;
    if (start == NULL || start >= end) {
        errno = 0;
        ssize_t n = getline(&lines->line, &lines->size, lines->file);
        if (n < 0) {
            lines->error = feof(lines->file) && !ferror(lines->file) ? 0 : errno;
            return NULL;
        }
        lines->length = (size_t)n;
        start = lines->line;
        end = start + n;
        if (lines->number == 0 && n >= 3 && memcmp(start, BYTE_ORDER_MARK, 3) == 0)
            start += 3;
    }
    /* CR alone ends a line too, in files from old spreadsheets; getline knows only LF. */
    char *stop = start;
    while (stop < end && *stop != '\r' && *stop != '\n')
        stop++;
    lines->next = stop < end && *stop == '\r' ? stop + 1 + (stop[1] == '\n') : NULL;
    *stop = '\0';
    *length = (size_t)(stop - start);
    lines->number++;
    return show(lines, start, length);
}

int text_lines_end(struct text_lines *lines)
{
    free(lines->line);
    free(lines->shown);
    lines->line = lines->shown = NULL;
    return lines->error;
}

/* ---- rows of CSV */

static char *skip_blanks(char *p)
{
    return p + strspn(p, " \t");
}

/* Unquotes in place; the character after the closing quote, or NULL. */
static char *quoted(char *p)
{
    char *to = p;
    while (*p != '\0') {
        if (*p == '"' && p[1] != '"') {
            *to = '\0';
            return skip_blanks(p + 1);
        }
        p += *p == '"';
        *to++ = *p++;
    }
    return NULL;
}

static void trim_end(char *field)
{
    size_t n = strlen(field);
    while (n > 0 && isspace((unsigned char)field[n - 1]))
        field[--n] = '\0';
}

int csv_split(char *line, char *field[MAX_FIELDS])
{
    char *p = line, last = ',';
    int n = 0;
    while (last == ',') {
        if (n == MAX_FIELDS)
            return -2;
        p = skip_blanks(p);
        bool in_quotes = *p == '"';
        field[n++] = p + in_quotes;
        char *end = in_quotes ? quoted(p + 1) : p;
        if (end == NULL)
            return -1;
        end += strcspn(end, ",");
        last = *end;
        *end = '\0';
        if (!in_quotes)
            trim_end(p);
        p = end + 1;
    }
    return n;
}

int csv_row(char *line, size_t length, char *field[MAX_FIELDS], struct reason *why)
{
    if (memchr(line, '\0', length) != NULL)
        return reason_set(why, PAPI_EINVAL, "a null byte: this is not a text file");
    if (line[0] == '#' || line[strspn(line, " \t,")] == '\0')
        return 0;
    int n = csv_split(line, field);
    return n > 0 ? n : reason_set(why, PAPI_EINVAL, n == -1 ? "a quote without its end" : "too many fields");
}
