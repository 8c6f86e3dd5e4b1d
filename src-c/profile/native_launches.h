/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "call_tree.h"
#include "tools/common/tool.h"

struct sampler;

/* A variable of this process that is another one for the program. */
struct changed_variable {
    const char *name;
    char *before; /* NULL: it was not there */
};

/* Work that devices do for a program: the files in which a library that their runtime loads notes it. */
struct native_launches {
    char *folder; /* NULL: it is not asked for */
    struct changed_variable changed[8];
    int n_changed;
};

/* Has the program that is made next note what devices do for it. A tool's status, after a message. */
int native_launches_prepare(struct native_launches *launches, struct tool *tool, char **words, int n_words,
                            char **program);

/* Restores this process's environment, once the program's process is made. */
void native_launches_made(struct native_launches *launches);

/* Describes the time of devices as one more event of a profile. A tool's status, after a message. */
int native_launches_describe(struct tool *tool, struct profile *profile);

/* Appends what was noted to the samples, and tells the profile of how many processes it is. */
void native_launches_take(const struct native_launches *launches, struct sampler *sampler,
                          struct profile *profile);

/* Removes the files. */
void native_launches_end(struct native_launches *launches);
