/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/* The lines of source files, which are read once. Begins as zeroes. */

struct source_file {
    char *path, *text; /* text: with '\0' in the place of each end of a line; NULL: it cannot be read */
    char **line;
    int n;
};

struct sources {
    int n, room;
    struct source_file *file;
};

/* A file by the path that the debug information has for it; or by its name in the working directory, where
 * the program was built elsewhere. */
const struct source_file *sources_file(struct sources *sources, const char *path);

/* A line from 1 on; NULL: it is not there. */
const char *sources_line(struct sources *sources, const char *path, int line);

void sources_free(struct sources *sources);
