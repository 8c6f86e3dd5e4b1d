/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "call_tree.h"
#include "notes.h"

/* The lines of source files, which are read once. Begins as zeroes but for the profile.
 *
 * A profile is a file that anybody may have written, and what it names as source may be anything that its
 * reader can read. So of a profile that another user made, nothing is read unless the reader says where
 * sources are
 * (--sources); of the reader's own, what the debug information of a program names that the profile names and
 * that is the reader's or root's; of a run that this process has sampled, all. Each time what is read has to
 * be source by its name, and text. */

enum source_state {
    SOURCE_UNREAD,
    SOURCE_READ,
    SOURCE_ABSENT,    /* the file does not exist, or cannot be read */
    SOURCE_OF_OTHERS, /* another user made the profile */
    SOURCE_UNNAMED,   /* no program names it */
    SOURCE_NO_SOURCE, /* by its name, or because it is not a text */
    SOURCE_ELSEWHERE, /* not below the folders of --sources */
};

struct source_file {
    enum source_state state;
    char *text, **line; /* text: with '\0' in the place of each end of a line; NULL: it is not read */
    int n;
};

struct sources {
    const struct profile *profile;
    struct source_file *file; /* of each string */
    bool *named;              /* of each string: a program names it; NULL: they were not asked yet */
    int n;
};

/* A file by its string, the path that the debug information has for it; or by its name in the working
 * directory, where the program was built elsewhere. */
const struct source_file *sources_file(struct sources *sources, int string);

/* A line of a file, counted from 1. NULL: it does not exist, or must not be shown. */
const char *sources_line(struct sources *sources, int string, int line);

/* Appends which of the files that were asked for are left out, and what shows them. */
void sources_note(const struct sources *sources, struct notes *notes);

void sources_free(struct sources *sources);
