/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/sysroot.h"
#include "hardware/parts.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

void reading_failed(struct reading *from)
{
    if (error_passes(errno))
        from->error = errno;
}

#define PRINT_PATH(path, format)                                                                             \
    char path[256];                                                                                          \
    va_list arguments;                                                                                       \
    va_start(arguments, format);                                                                             \
    vsnprintf(path, sizeof path, format, arguments);                                                         \
    va_end(arguments)

long long reading_number(struct reading *from, const char *format, ...)
{
    long long value;
    PRINT_PATH(path, format);
    if (sysroot_number(from->root, path, &value) == 0)
        return value >= 0 ? value : -1;
    reading_failed(from);
    return -1;
}

bool reading_text(struct reading *from, char *out, size_t size, const char *format, ...)
{
    PRINT_PATH(path, format);
    int length = sysroot_line(from->root, path, out, size);
    if (length < 0)
        reading_failed(from);
    while (length > 0 && out[length - 1] == ' ')
        out[--length] = '\0';
    return length > 0;
}

bool reading_list(struct reading *from, struct cpulist *out, const char *format, ...)
{
    PRINT_PATH(path, format);
    if (cpulist_read(from->root, path, out) == 0)
        return true;
    reading_failed(from);
    return false;
}
