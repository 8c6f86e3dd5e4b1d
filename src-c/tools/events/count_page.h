/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "count_sets.h"
#include "tools/common/openmetrics.h"
#include "tools/common/tool.h"

/* All counts so far, as a page in OpenMetrics. */
struct count_page {
    const char *path; /* of a file that each page replaces; "": standard output; NULL: there are no pages */

    /* count_page.c's own */
    bool open;
    long long lost; /* reads in which counts were lost */
    struct series series[MAX_COUNT_EVENTS];
};

/* Writes the values that were read last. TOOL_FINE, or TOOL_ERROR after a message. */
int count_page_write(struct count_page *page, struct tool *tool, const struct count_sets *sets);

void count_page_end(struct count_page *page);
