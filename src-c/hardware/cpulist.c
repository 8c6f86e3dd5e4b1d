/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/sysroot.h"
#include "hardware/parts.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Members beyond the limit are dropped, whatever a file claims. */
static void add_range(struct cpulist *list, long first, long last)
{
    for (long i = first; i <= last && i < CPULIST_MAX; i++)
        list->bits[i / 8] |= (unsigned char)(1u << (i % 8));
}

/* "7" or "3-7"; -1 at the end of what can be read as a list. */
static int read_range(FILE *in, struct cpulist *list)
{
    long first, last;
    if (fscanf(in, "%7ld", &first) != 1 || first < 0)
        return -1;
    last = first;
    int c = getc(in);
    if (c == '-') {
        if (fscanf(in, "%7ld", &last) != 1)
            return -1;
        c = getc(in);
    }
    add_range(list, first, last);
    return c == ',' ? 0 : -1;
}

int cpulist_read(const char *root, const char *path, struct cpulist *out)
{
    memset(out, 0, sizeof *out);
    FILE *in = sysroot_open(root, path);
    if (in == NULL)
        return -1;
    for (int n = 0; n < CPULIST_MAX && read_range(in, out) == 0; n++)
        ;
    int error = ferror(in) ? errno : 0;
    fclose(in);
    if (error == 0 && cpulist_next(out, 0) >= 0)
        return 0;
    errno = error != 0 ? error : ENODATA;
    return -1;
}

int cpulist_has(const struct cpulist *list, int cpu)
{
    return cpu >= 0 && cpu < CPULIST_MAX && (list->bits[cpu / 8] >> (cpu % 8) & 1);
}

int cpulist_count(const struct cpulist *list)
{
    int count = 0;
    for (size_t i = 0; i < sizeof list->bits; i++)
        count += __builtin_popcount(list->bits[i]);
    return count;
}

int cpulist_next(const struct cpulist *list, int from)
{
    for (int i = from; i < CPULIST_MAX; i++)
        if (cpulist_has(list, i))
            return i;
    return -1;
}
