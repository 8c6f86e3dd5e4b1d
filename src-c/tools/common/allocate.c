/* SPDX-License-Identifier: BSD-3-Clause */
#include "allocate.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *memory_more(void *old, size_t count, size_t size)
{
    return or_end(reallocarray(old, count > 0 ? count : 1, size));
}

char *memory_text(const char *text)
{
    return or_end(strdup(text));
}

char *memory_print_list(const char *format, va_list arguments)
{
    char *text = NULL;
    return or_end(vasprintf(&text, format, arguments) < 0 ? NULL : text);
}

char *memory_print(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = memory_print_list(format, arguments);
    va_end(arguments);
    return text;
}
