/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "counts.h"
#include "model.h"
#include "tools/common/options.h"

#include <signal.h>

/* Way to count a command, and what came of it. */
struct counting {
    bool emulate;
    long long runs;
    const struct model *model; /* by which time is estimated; NULL: it is not */
    const struct option_words *events, *inputs;
    int file[3]; /* as those of a child */
    const sigset_t *mask;

    int signal;     /* that came to this process meanwhile; 0: none */
    bool uncounted; /* the command came to its end, and nothing of it counts itself */
};

/* Runs a command as often as is asked, and takes its counts with texts of the sources and what they were made
 * with. NULL, or a sentence to be freed. */
char *counting_take(struct counting *counting, char *const *command, struct counts *counts);
