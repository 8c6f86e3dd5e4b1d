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

/* ---- lists of CPUs */

/* Reads as much as can be read as a list. Members beyond the limit are dropped, whatever a file claims. */
static void read_ranges(FILE *in, struct cpulist *out)
{
    long first, last;
    for (int n = 0, c = ','; n < CPULIST_MAX && c == ','; n++) {
        if (fscanf(in, "%7ld", &first) != 1 || first < 0)
            return;
        last = first;
        c = getc(in);
        if (c == '-' && fscanf(in, "%7ld", &last) != 1)
            return;
        if (c == '-')
            c = getc(in);
        for (long i = first; i <= last && i < CPULIST_MAX; i++)
            CPU_SET_S((size_t)i, sizeof *out, out->set);
    }
}

int cpulist_read(const char *root, const char *path, struct cpulist *out)
{
    memset(out, 0, sizeof *out);
    FILE *in = sysroot_open(root, path);
    if (in == NULL)
        return -1;
    read_ranges(in, out);
    int error = ferror(in) ? errno : cpulist_count(out) > 0 ? 0 : feof(in) ? ENODATA : EINVAL;
    fclose(in);
    errno = error;
    return error == 0 ? 0 : -1;
}

bool cpulist_has(const struct cpulist *list, int cpu)
{
    return cpu >= 0 && CPU_ISSET_S((size_t)cpu, sizeof *list, list->set);
}

int cpulist_count(const struct cpulist *list)
{
    return CPU_COUNT_S(sizeof *list, list->set);
}

int cpulist_next(const struct cpulist *list, int from)
{
    while (from < CPULIST_MAX && !cpulist_has(list, from))
        from++;
    return from < CPULIST_MAX ? from : -1;
}
