/* SPDX-License-Identifier: BSD-3-Clause */
#include "utils/profile/symbols/memory.h"

#include "utils/profile/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local jmp_buf *ending;

bool memory_enough(void (*work)(void *with), void *with)
{
    jmp_buf own;
    ending = &own;
    bool enough = setjmp(own) == 0;
    if (enough)
        work(with);
    ending = NULL;
    return enough;
}

static void *or_end(void *allocated)
{
    if (allocated == NULL)
        longjmp(*ending, 1);
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
