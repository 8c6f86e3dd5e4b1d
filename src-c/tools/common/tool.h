/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "options.h"
#include "report.h"

/* Skeleton of every tool: its options, its messages, the library, its end. A tool's main:
 *
 *   struct tool tool = {.name = "papi_x", .usage = usage_text};
 *   struct options options = {...};
 *   if (tool_ready(&tool, argc, argv, rows, &options))
 *       tool.status = run(&tool, &options);
 *   return tool_end(&tool);
 */

/* Exit statuses. */
enum tool_status {
    TOOL_FINE,
    TOOL_ERROR, /* the request could not be done; a sentence on standard error says why */
    TOOL_USAGE, /* wrong options or arguments */
    TOOL_HELD,  /* others had the counters for as long as was to be waited */
};

enum { TOOL_STOP = -1 };

struct tool {
    const char *name;     /* papi_x */
    const char *usage;    /* text of --help: 80 columns, at most 24 lines with the prompt after it */
    int status;           /* the exit status so far */
    struct report report; /* on standard output, with --json as JSON */

    /* tool.c's own */
    bool open;
    int output_error; /* the errno of what standard output refused before the end */
};

/* Reads the options, first of all (see tools/common/options.h). Every tool has -h, --help, --version and
 * --json without naming them; rows NULL: none but those. 0: those were all, the words from argv[optind] on
 * are not options. TOOL_STOP: all is done (--help) or wrong; tool_end has the status. Otherwise an
 * OPTION_RETURNED: call again for the others. */
int tool_read(struct tool *tool, int argc, char **argv, const struct option_row *rows, void *values);

/* Initialises the library. TOOL_FINE; TOOL_ERROR: the reason was printed. */
int tool_open(struct tool *tool);

/* Reads the options and opens the library, for tools without arguments. True if that went well and nothing
 * follows the options. */
bool tool_ready(struct tool *tool, int argc, char **argv, const struct option_row *rows, void *values);

/* Closes the library and standard output. The exit status: that of the tool, or TOOL_ERROR where what was
 * printed did not arrive (a full disk, a reader that has gone). */
int tool_end(struct tool *tool);

/* Writes what was printed so far. False once that does not arrive: a reader has gone, or a disk is full. */
bool tool_flush(struct tool *tool, FILE *out);

/* True if nobody reads the output any more: a tool that prints for long stops then. */
bool tool_output_failed(void);

/* "papi_x: sentence" on standard error, for wrong options and arguments followed by how to get help. Returns
 * the status, which is tool->status too. */
int tool_fail(struct tool *tool, enum tool_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
#define tool_error(tool, ...) tool_fail(tool, TOOL_ERROR, __VA_ARGS__)
#define tool_usage_error(tool, ...) tool_fail(tool, TOOL_USAGE, __VA_ARGS__)

/* Checks that no argument follows the options, for tools that take none. TOOL_FINE or TOOL_USAGE. */
int tool_no_arguments(struct tool *tool, int argc, char **argv);
