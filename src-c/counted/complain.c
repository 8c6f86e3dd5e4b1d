/* SPDX-License-Identifier: BSD-3-Clause */
#include "complain.h"
#include "base/visible.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void complain(const char *format, ...)
{
    va_list arguments;
    fputs("papi_counted: ", stderr);
    va_start(arguments, format);
    visible_print_list(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
}

void say_line(const char *text)
{
    visible_put(stdout, text);
    putchar('\n');
}

_Noreturn void memory_is_out(void)
{
    complain("%s", strerror(ENOMEM));
    exit(EXIT_OWN_ERROR);
}
