/* SPDX-License-Identifier: BSD-3-Clause */
#include "allocate.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *or_end(void *allocated)
{
    if (allocated == NULL)
        memory_is_out();
    return allocated;
}

void *memory_more(void *old, size_t count, size_t size)
{
    return or_end(reallocarray(old, count > 0 ? count : 1, size));
}

char *memory_text(const char *text)
{
    return or_end(strdup(text));
}

char *memory_print(const char *format, ...)
{
    va_list arguments;
    char *text = NULL;
    va_start(arguments, format);
    int n = vasprintf(&text, format, arguments);
    va_end(arguments);
    return or_end(n < 0 ? NULL : text);
}
