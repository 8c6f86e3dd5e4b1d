/* SPDX-License-Identifier: BSD-3-Clause */
#include "text.h"

#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

void print_wrapped(FILE *out, const char *text, int column, int indent)
{
    enum { WIDTH = 80 };
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

void text_append(char *text, size_t size, const char *separator, const char *format, ...)
{
    size_t used = strlen(text);
    va_list arguments;
    if (used > 0)
        used += (size_t)snprintf(text + used, size - used, "%s", separator);
    if (used >= size)
        return;
    va_start(arguments, format);
    vsnprintf(text + used, size - used, format, arguments);
    va_end(arguments);
}
