/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "metrics/metrics.h"
#include "tools/common/tool.h"

/* Metrics by name in a tool: words such as "@flops" among its arguments, a group or a metric. */
struct by_name {
    struct metrics *metrics; /* NULL: no word asked for any */
    struct metrics_picks picks;
};

/* True if a word asks for metrics. */
static inline bool by_name_word(const char *word)
{
    return word[0] == '@';
}

/* Reads the table, and the user's. TOOL_FINE; TOOL_ERROR: a fault of the user's, which was printed. */
int by_name_open(struct by_name *by_name, struct tool *tool);

/* Takes the words that ask for metrics by name out of the arguments. TOOL_FINE; TOOL_ERROR: one asks for a
 * metric that does not exist, which was printed. */
int by_name_take(struct by_name *by_name, struct tool *tool, int n, char **word);

/* The value of each metric that was taken. show_formulas: the text has them too. */
void by_name_show(const struct by_name *by_name, struct report *report, metrics_lookup *lookup,
                  const void *context, bool show_formulas);

void by_name_close(struct by_name *by_name);
