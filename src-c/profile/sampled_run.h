/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "exact_counts.h"
#include "sampler.h"
#include "tools/common/counted_command.h"

/* The run of a program that is sampled. Functions return a tool's status, after a message. */
struct run {
    struct tool *tool;
    struct profile *profile;
    struct command *command;
    const struct option_words *events; /* none: the usual one */
    struct exact *exact;               /* NULL: it is sampled */
    char **program;                    /* and its arguments */

    /* run.c's own */
    enum sampler_stacks stacks;
    struct sampler sampler;
};

/* how: "copied", "frames", "none"; NULL: the best that this machine has. */
int run_stacks(struct run *run, const char *how);
/* All that can go wrong goes wrong here, before the program runs. */
int run_prepare(struct run *run);
/* Runs it to its end, and makes the profile. */
int run_go(struct run *run);
/* The program could not be executed, which it has said. */
bool run_failed_to_start(const struct run *run);
void run_end(struct run *run);
