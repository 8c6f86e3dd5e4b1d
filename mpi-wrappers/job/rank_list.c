/* SPDX-License-Identifier: BSD-3-Clause */
#include "job/rank_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Index of the last rank of the run that begins at rank[i]: ranks that follow each other at the same
 * distance. */
static int end_of_run(const int *rank, int n, int i)
{
    int last = i + (i + 1 < n);
    while (last + 1 < n && rank[last + 1] - rank[last] == rank[i + 1] - rank[i])
        last++;
    return last;
}

int ranks_write(char *text, size_t room, const char *comma, const int *rank, int n)
{
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0, last; i < n; i = last + 1) {
        char run[64];
        last = end_of_run(rank, n, i);
        int step = last > i ? rank[last] - rank[last - 1] : 1;
        last = step > 1 && last < i + 3 ? i : last;
        size_t length = (size_t)snprintf(run, sizeof run, last > i ? "%s%d-%d" : "%s%d", i > 0 ? comma : "",
                                         rank[i], rank[last]);
        if (last > i && step > 1)
            length += (size_t)snprintf(run + length, sizeof run - length, "/%d", step);
        if (used + length >= room)
            return i;
        memcpy(text + used, run, length + 1);
        used += length;
    }
    return n;
}

int ranks_next(const char **text, int ranks, int *first, int *last, int *step)
{
    char *end;
    if (**text == '\0')
        return 0;
    long from = strtol(*text, &end, 10), to = *end == '-' ? strtol(end + 1, &end, 10) : from;
    long by = *end == '/' ? strtol(end + 1, &end, 10) : 1;
    if (end == *text || from < 0 || to < from || to >= ranks || by < 1 || by > ranks)
        return -1;
    *first = (int)from;
    *last = (int)to;
    *step = (int)by;
    *text = end + strspn(end, ",");
    return 1;
}

int ranks_read(const char *text, char *is, int ranks)
{
    int n = 0, first, last, step, more;
    while ((more = ranks_next(&text, ranks, &first, &last, &step)) > 0)
        for (long rank = first; rank <= last; rank += step)
            n += !is[rank]++;
    return more == 0 ? n : -1;
}
