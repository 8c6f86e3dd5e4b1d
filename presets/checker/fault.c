/* SPDX-License-Identifier: BSD-3-Clause */
#include "checker.h"

#include <stdarg.h>
#include <stdio.h>

void fault_at(struct checker *c, const char *file, int line, const char *format, ...)
{
    va_list args;
    fprintf(stderr, "%s:%d: ", file, line);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    c->n_faults++;
}
