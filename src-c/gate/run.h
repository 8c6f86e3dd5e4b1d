/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "child.h"
#include "counts.h"
#include "model.h"
#include "tools/common/options.h"

/* A run of a command, whose counts are taken. */
struct gate_run {
    char *const *command;
    bool emulate;
    const struct option_words *events; /* of the emulator; none: the usual ones */
    const struct model *model;         /* by which time is estimated; NULL: it is not */
    char *folder;                      /* of this run's files; gate_run_end removes it */
    struct child child;                /* its files and signals, and how it ended */
    bool uncounted;                    /* it came to its end, and nothing of it counts itself */
};

/* Runs the command with this process's input and output, and adds its counts, settled. NULL, or a sentence to
 * be freed. */
char *gate_run(struct gate_run *run, struct counts *counts);

/* Removes the files of a run. */
void gate_run_end(struct gate_run *run);

/* The path of the library that counted programs preload, at its place relative to this tool's folder. To be
 * freed. */
char *gate_library(void);
