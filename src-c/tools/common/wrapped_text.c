/* SPDX-License-Identifier: BSD-3-Clause */
#include "wrapped_text.h"

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
