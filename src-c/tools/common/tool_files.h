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

/* Opens an output for writing. The file gets its name when it is closed; a device, or a pipe that somebody
 * reads, is written to as it is. Returns NULL, or the reason of a failure. */
const char *output_open(struct output *output, const char *path);

/* Closes the output, whose file now has its name. Returns NULL, or the reason of a failure: then a file that
 * had the name before is as it was. */
const char *output_close(struct output *output);

/* Closes the output and removes what was written. Does nothing if it is not open. */
void output_drop(struct output *output);

/* Drops all outputs of this program that are open, before an exit while they are written. */
void output_drop_all(void);

/* Explains an errno of a file that is written. */
const char *output_reason(int error);

/* ---- a file to read */

/* Opens a file to read, without waiting: a regular one, or what the process was given (/dev/stdin,
 * /dev/fd/3) and /dev/null, of whatever kind. Anything else, as a pipe in the place of a file, is not read.
 * NULL with errno; why: what to say of it. */
FILE *input_open(const char *path, const char **why);

/* Opens a file as input_open does, but as a descriptor; -1 with errno. */
int input_open_file(const char *path, const char **why);
