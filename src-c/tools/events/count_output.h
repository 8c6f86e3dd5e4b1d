/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "tools/common/tool.h"
#include "tools/common/tool_files.h"

/* File that a tool's report goes to in the place of standard output, which is a command's then. A report that
 * is printed at the end replaces the file as a whole; lines are there as soon as they are printed. */
struct count_output {
    const char *path; /* NULL or "-": standard output */

    /* count_output.c's own */
    struct output whole;
    FILE *lines;
    FILE *out, *plain; /* the report's, of before */
};

/* Opens the file, before anything is counted that could not be shown.
 *   by_lines  the report is printed line by line
 * TOOL_FINE, or TOOL_ERROR after a message. */
int count_output_open(struct count_output *output, struct tool *tool, bool by_lines);

/* Ends the report and closes the file. If nothing was printed, a file that had the name before stays as it
 * was. Returns the status, or TOOL_ERROR after a message. */
int count_output_close(struct count_output *output, struct tool *tool, int status);
