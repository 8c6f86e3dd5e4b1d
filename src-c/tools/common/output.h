/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

/* A file that a tool makes: a result, a page, a drawing. It is written under a name of its own and gets its
 * name when it is whole, so that what was there stays until then. In a folder that others may write to, a
 * link of another user is not followed, and his file is not written to. Whoever uses it has SIGXFSZ caught or
 * blocked: a limit of the size of files (ulimit -f) is an error like a full disk. */
struct output {
    FILE *file; /* to write to; NULL: it is not open */
    int folder;
    char name[NAME_MAX + 1],
        part[NAME_MAX + 1]; /* in the folder; part "": what has the name is written itself */
    bool in_place;          /* a file, in a folder in which none can be made */
    struct output *next;    /* that is open, too */
};

/* Opens it. A device is written to as it is, and so is a pipe that somebody reads. NULL, or why not. */
const char *output_open(struct output *output, const char *path);

/* Ends it: it has its name. NULL, or why not, and what was there is as it was. */
const char *output_close(struct output *output);

/* Ends it where there is nothing to keep, and if it is not open does nothing. */
void output_drop(struct output *output);

/* Ends all of this program that are open in the same way, before an exit that comes while they are written.
 */
void output_drop_all(void);

/* Explains an errno of a file that is written. */
const char *output_reason(int error);
