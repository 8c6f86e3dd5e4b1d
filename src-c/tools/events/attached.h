/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "tools/common/options.h"
#include "tools/common/tool.h"

#include <stdbool.h>
#include <sys/types.h>

/* Running processes that a tool attaches to. Begins as zeroes. */
struct attached {
    int n;
    pid_t *pid;
    unsigned long long *start; /* when each began, which tells it from another one of its number */
    char (*name)[16];          /* of its program */
};

/* Finds the processes that words name: by their numbers, or all of this user (root: of all users) that run a
 * program of that name. A tool's status, after a message. */
int attached_find(struct attached *attached, struct tool *tool, const struct option_words *words);

/* Leaves out those that another one has started: of a process with what it has started before, they are a
 * part.
 */
void attached_keep_roots(struct attached *attached);

/* True as long as one of them has not ended. */
bool attached_run(const struct attached *attached);
bool attached_runs(const struct attached *attached, int i);

void attached_free(struct attached *attached);
