/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "counts.h"
#include "git.h"

#include <stddef.h>

/* Results that are kept as git's notes of commits: refs/notes/papi_gate/NAME. A note goes where its
 * repository goes, and changes no commit. */
struct notes {
    struct git git;
    const char *name;
    char *ref, *head; /* head: the commit of the working tree */
    bool changed;     /* the working tree differs from that commit */
};

enum { NOTES_SHORT = 10 }; /* characters of a commit, where it is named */

/* A commit that has a note. */
struct noted {
    char *commit, *blob;
    size_t distance; /* commits that are newer than it */
};

struct noted_list {
    struct noted *row;
    size_t n, room;
};

/* Finds the repository that this process is in, and its commit. NULL, or a sentence to be freed; notes_close
 * follows in any case. */
char *notes_open(struct notes *notes, const char *name);
void notes_close(struct notes *notes);

/* Makes counts the note of the commit, in place of an older one. NULL, or a sentence to be freed: that the
 * tree is not the commit's, too. */
char *notes_add(struct notes *notes, const struct counts *counts);

/* Refuses a tree that no commit has: its counts would be kept for another. The same. */
char *notes_refuse(const struct notes *notes);

/* Lists the commits that have a note and lead to that of the working tree, the newest first: that one is
 * among them where itself is set. None: a sentence says how to get some. */
char *notes_list(struct notes *notes, bool itself, struct noted_list *list);
void noted_free(struct noted_list *list);

/* Reads a note; its revision is the commit that has it. NULL, or a sentence to be freed. */
char *notes_read(struct notes *notes, const struct noted *noted, struct counts *counts);
