/* SPDX-License-Identifier: BSD-3-Clause */
#include "hardware/cpus.h"
#include "base/sysroot.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <unistd.h>

int cpus_open(const char *root)
{
    return sysroot_file(root, "/sys/devices/system/cpu/online", O_RDONLY);
}

bool cpus_read(int file, char text[CPUS_TEXT])
{
    ssize_t n = pread(file, text, CPUS_TEXT - 1, 0);
    text[n > 0 ? n : 0] = '\0';
    if (n == CPUS_TEXT - 1)
        errno = EFBIG;
    else if (n == 0)
        errno = ENODATA;
    return n > 0 && n < CPUS_TEXT - 1;
}

/* Takes a number off the text; -1: there is none. */
static int take_number(const char **text)
{
    int number = -1;
    for (; **text >= '0' && **text <= '9'; ++*text)
        number = (number < 0 ? 0 : number) * 10 + (**text - '0');
    return number;
}

/* Takes a range off the text, "0-3" or "8". False: there is none. */
static bool take_range(const char **text, int *first, int *last)
{
    if (**text == ',')
        ++*text;
    *first = *last = take_number(text);
    if (**text == '-') {
        ++*text;
        *last = take_number(text);
    }
    return *first >= 0 && *last >= *first;
}

int cpus_next(const char *text, int from)
{
    int first, last;
    while (take_range(&text, &first, &last))
        if (last >= from)
            return first > from ? first : from;
    return -1;
}

int cpus_count(const char *text)
{
    int first, last, n = 0;
    while (take_range(&text, &first, &last))
        n += last - first + 1;
    return n;
}
