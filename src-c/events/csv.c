/* SPDX-License-Identifier: BSD-3-Clause */
#include "events/csv.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

static char *skip_blanks(char *p)
{
    while (*p == ' ' || *p == '\t')
        p++;
    return p;
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
    int n = 0;
    char *p = line;
    for (;;) {
        if (n == MAX_FIELDS)
            return -2;
        p = skip_blanks(p);
        char *end;
        if (*p == '"') {
            field[n++] = p + 1;
            end = quoted(p + 1);
            if (end == NULL)
                return -1;
            end += strcspn(end, ",");
        } else {
            field[n++] = p;
            end = p + strcspn(p, ",");
        }
        char last = *end;
        *end = '\0';
        if (field[n - 1] == p)
            trim_end(p);
        if (last == '\0')
            return n;
        p = end + 1;
    }
}
