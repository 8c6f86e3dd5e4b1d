/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "call_tree.h"
#include "tools/common/tool.h"

/* Exact profiles: papi_emulate runs the program and writes how often each block of instructions ran. */

struct exact {
    char *folder;              /* of what it writes; NULL: none yet */
    char **word;               /* papi_emulate, and the program with its arguments */
    int event[PROFILE_EVENTS]; /* enum emulated_event, of each of the profile's */
    bool caches;               /* some of them are of the simulated caches */
    bool data;                 /* which data was accessed is asked, too */
};

/* True if these events are the emulator's. */
bool exact_wanted(const struct option_words *events);

/* Chooses the events (none: the usual ones) and the command. A tool's status, after a message. */
int exact_prepare(struct exact *exact, struct tool *tool, const struct option_words *events, char **program,
                  struct profile *profile);

/* Makes the profile, after the program has ended. A tool's status, after a message. */
int exact_read(struct exact *exact, struct tool *tool, struct profile *profile);

/* Removes the files. */
void exact_end(struct exact *exact);
