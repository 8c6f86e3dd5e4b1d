/* SPDX-License-Identifier: BSD-3-Clause */
#include "formats/csv.h"
#include "papi.h"

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

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
