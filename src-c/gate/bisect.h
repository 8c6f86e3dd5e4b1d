/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "counting.h"
#include "git.h"
#include "kept.h"
#include "tools/common/words.h"
#include "verbs.h"

#include <stdio.h>

/* A search for the commit that changed a count, and its results. */

enum step_state { STEP_GOOD, STEP_BAD, STEP_SKIPPED };

/* A commit that was looked at. */
struct step {
    char *commit;
    enum step_state state;
    char *skipped; /* why it has no count; NULL: it has */
    bool built;    /* in this search */
    bool excludes; /* it is known to be as GOOD, and so are those before it */
    struct counts counts;
    amount count; /* the one that is followed */
};

struct bisect {
    struct tool *tool;
    const struct options *options;
    FILE *out;           /* for lines of text */
    FILE *plain_json;    /* for JSON; NULL: text is asked for */
    char **build, **run; /* NULL behind the last word */
    struct limits limits;
    struct judged judged;

    struct git git;
    struct kept kept;
    struct counting counting;
    sigset_t before, stops; /* signals: as they were; those that end the search */
    int signal;             /* that came; 0: none */

    char *folder, *tree, *place; /* of this search, the working tree in it, and where in that commands run */
    int nothing, log;            /* standard input and output of commands */

    struct step **step;
    size_t n_steps, room_steps;
    struct step *good, *bad; /* the first ones */
    struct step *at;         /* the earliest commit that is as BAD */
    struct step *parent;     /* before it, or the nearest that has counts */
    struct words range;      /* commits among which the answer is; the last is at */
    struct change followed;  /* from GOOD to BAD */
    int builds;
};

/* Compares two steps; compare_free ends it. */
void bisect_compare(const struct bisect *bisect, struct comparison *comparison, const struct step *before,
                    const struct step *after);

/* The change that is followed, in a comparison of other commits; NULL. */
const struct change *bisect_find(const struct bisect *bisect, const struct comparison *comparison);

/* Shows the answer: the commits in the range, and how at differs from parent. NULL, or a sentence to be
 * freed. */
char *bisect_show(struct bisect *bisect);

/* Shows that GOOD and BAD, which were compared, do not differ. */
void bisect_show_same(const struct bisect *bisect, const struct comparison *comparison);
