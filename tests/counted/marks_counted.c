/* SPDX-License-Identifier: BSD-3-Clause */
#include "counts.h"
#include "marks.h"
#include "marks_print.h"

#include <stdlib.h>

_Static_assert((int)MARK_EVENTS == (int)COUNTS, "all events");

static uint64_t begin[COUNTS];

void mark_begin(void)
{
    counts_read(begin);
}

void mark_end(const char *name)
{
    uint64_t end[COUNTS];
    if (counts_read(end) == 0) {
        fprintf(stderr, "no module is counted\n");
        exit(1);
    }
    for (int i = 0; i < COUNTS; i++)
        end[i] -= begin[i];
    marks_print(name, end);
}
