/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "watch.h"

#include <stdbool.h>

/* Runs of the other tools. */

struct run {
    char **word;     /* of the command; NULL behind the last */
    const char *log; /* a file that its standard error goes to; standard output, too, if it is quiet */
    bool quiet;      /* input and output are not this process's */
    bool one_processor;
    bool itself;         /* the command is the program; else a tool that waits for it */
    double limit;        /* seconds after which it is ended; 0: none */
    struct watch *watch; /* of its descendants; NULL: nobody watches */

    /* Results: */
    int status; /* as of waitpid */
    bool out_of_time;
    double seconds, user, system, faults; /* user to faults: of the program and its descendants */
};

/* Runs it to its end. NULL, or what failed. */
const char *run_wait(struct run *run);

/* Seconds of a clock that nobody sets. */
double run_now(void);

/* The other tool beside this one, or else its name, for PATH. To be freed. */
char *other_tool(const char *name);

/* Joins words and lists of words. The result is to be freed, not the words. */
char **words_join(const char *const *first, const char *const *second, char *const *third);
