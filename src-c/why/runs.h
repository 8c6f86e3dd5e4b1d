/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "watch.h"

#include <signal.h>
#include <stdbool.h>

/* Runs of the other tools. */

/* The signals that end this process, held from before its first file until the files are removed. Those that
 * it ignores stay ignored. */
struct stops {
    sigset_t set, before;
    int signal; /* that came; 0: none */
};

void stops_hold(struct stops *stops);

/* Lets them go: one that came ends this process. */
void stops_release(const struct stops *stops);

struct run {
    char **word;     /* of the command; NULL behind the last */
    const char *log; /* a file that its standard error goes to; standard output, too, if it is quiet */
    bool quiet;      /* input and output are not this process's */
    bool one_processor;
    bool counting;       /* in the emulator: threads that wait are not to spin */
    bool itself;         /* the command is the program; else a tool that waits for it */
    double limit;        /* seconds after which it is ended; 0: none */
    struct watch *watch; /* of its descendants; NULL: nobody watches */
    const char *doing;   /* shown on a terminal while a quiet one takes long */

    /* Results: */
    int status; /* as of waitpid */
    bool out_of_time;
    double seconds, user, system, faults; /* user to faults: of the program and its descendants */
};

/* Runs it to its end. NULL, or what failed. After a signal nothing is run any more. Ctrl-C ends the run that
 * has this process's input, and what it means is up to the program; later it is a signal like the others. */
const char *run_wait(struct run *run, struct stops *stops);

/* Seconds of a clock that nobody sets. */
double run_now(void);

/* Joins words and lists of words. The result is to be freed, not the words. */
char **words_join(const char *const *first, const char *const *second, char *const *third);
