/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "compare.h"
#include "tools/common/options.h"

struct tool;
struct model;

/* Verbs of papi_gate, and what they share. */

struct options {
    const char *baseline, *limit, *limits, *output, *markdown, *junit, *history, *html, *notes, *record_by,
        *model;
    bool emulate, first_parent;
    long long runs;
    struct option_words events, inputs;
};

enum { EXIT_ABOVE = 1, EXIT_WRONG = 2, EXIT_NOT_DONE = 3, EXIT_SAME = 4, EXIT_RANGE = 5 };

/* Events that -e named, NULL behind the last. */
struct judged {
    const char *event[OPTION_MOST_WORDS + 1];
};
struct judged verbs_judged(const struct options *options);

/* Reads --limit and the file of limits, which limits_free ends in any case. Returns the tool's status. */
int verbs_limits(struct tool *tool, const struct options *options, struct limits *limits);

/* Refuses a comparison that would pass without having been judged. Returns the tool's status. */
int verbs_refuse(struct tool *tool, const struct comparison *comparison, const struct judged *judged);

/* Reads the model of that name, by which time is estimated; NULL or "none", or in the emulator: it is left
 * without a name. model_free ends it in any case. Returns the tool's status. */
int verbs_model(struct tool *tool, const struct options *options, const char *name, struct model *model);

/* Says what to do where a command did not give counts. */
void verbs_advise(struct tool *tool, const char *why, bool uncounted, const char *command);

/* Finds the commit that changed a count. Returns the exit status where the tool's is TOOL_FINE.
 *   rest  GOOD BAD -- BUILD... -- RUN..., NULL behind the last */
int bisect(struct tool *tool, const struct options *options, char **rest);

extern const char bisect_usage[];
