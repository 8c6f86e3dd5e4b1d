/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool.h"
#include "base/visible.h"
#include "papi.h"
#include "terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- messages */

static int point_to_help(struct tool *tool)
{
    fprintf(stderr, "%s --help lists the options\n", tool->name);
    return tool->status = TOOL_USAGE;
}

bool tool_flush(struct tool *tool, FILE *out)
{
    if (fflush(out) != 0 && tool->output_error == 0)
        tool->output_error = errno;
    return ferror(out) == 0;
}

int tool_fail(struct tool *tool, enum tool_status status, const char *format, ...)
{
    va_list arguments;
    /* Output comes before the message, where both go to one terminal. */
    tool_flush(tool, stdout);
    FILE *out = terminal_open(stderr);
    fprintf(out, "%s: ", tool->name);
    va_start(arguments, format);
    visible_print_list(out, format, arguments);
    va_end(arguments);
    fputc('\n', out);
    terminal_close(out, stderr);
    return status == TOOL_USAGE ? point_to_help(tool) : (tool->status = status);
}

/* ---- options */

/* Opens closed standard files, or the library's first file, a counter for one, would get the number of a
 * closed standard output and what is printed would go there. They are opened in the wrong direction: the
 * first use fails, as it should. */
static void keep_standard_files(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF &&
            open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) != fd)
            _exit(TOOL_ERROR); /* without even that there is nobody to tell */
}

static void start(struct tool *tool, char **argv)
{
    keep_standard_files();
    signal(SIGPIPE, SIG_IGN); /* a reader that has gone is an error that tool_end tells */
    signal(SIGXFSZ, SIG_IGN); /* a limit of the size of files (ulimit -f) is one, too */
    tool->report.plain = stdout;
    tool->report.out = terminal_open(stdout);
    argv[0] = (char *)tool->name; /* messages about options begin like all the others */
}

/* Joins the tool's options and, behind them, those that every tool has. Returns how many are the tool's. */
static int join_rows(struct option_row *joined, const struct option_row *rows)
{
    static const struct option_row common[] = {
        {0, "json", OPTION_RETURNED, 0, 0, 0},
        {0, "version", OPTION_RETURNED, 0, 0, 0},
        {'h', "help", OPTION_RETURNED, 0, 0, 0},
        {0},
    };
    int n = 0;
    for (; rows != NULL && rows[n].name != NULL; n++)
        joined[n] = rows[n];
    memcpy(joined + n, common, sizeof common);
    return n;
}

int tool_read(struct tool *tool, int argc, char **argv, const struct option_row *rows, void *values)
{
    struct option_row joined[OPTION_MOST_ROWS];
    int json = OPTION_NO_LETTER + join_rows(joined, rows), version = json + 1, c;
    if (tool->report.out == NULL)
        start(tool, argv);
    while ((c = options_read(argc, argv, joined, values)) == json)
        tool->report.json = true;
    if (c == version)
        printf("%s (fpapi) %d.%d.%d\n", tool->name, PAPI_VERSION_MAJOR(PAPI_VERSION),
               PAPI_VERSION_MINOR(PAPI_VERSION), PAPI_VERSION_REVISION(PAPI_VERSION));
    else if (c == 'h')
        fputs(tool->usage, stdout);
    else if (c == OPTION_WRONG)
        point_to_help(tool);
    else
        return c;
    return TOOL_STOP;
}

int tool_no_arguments(struct tool *tool, int argc, char **argv)
{
    return optind < argc ? tool_usage_error(tool, "what is \"%s\"?", argv[optind]) : TOOL_FINE;
}

/* ---- the library, the end */

/* Memory or a descriptor was short in some call: what the tool printed may be incomplete. The library reports
 * its errors here; the first of this kind is kept. */
static _Atomic int lack;

static int note_lack(int code)
{
    int none = 0;
    bool is_lack = errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == EIO || errno == EINTR;
    /* An allocation that failed within the library need not have left its errno. */
    if (code == PAPI_ENOMEM || (code == PAPI_ESYS && is_lack))
        atomic_compare_exchange_strong(&lack, &none, is_lack ? errno : ENOMEM);
    return PAPI_OK;
}

static void watch_for_lacks(void)
{
    PAPI_option_t option;
    if (PAPI_get_opt(PAPI_DEBUG, &option) != PAPI_OK || option.debug.level != PAPI_QUIET)
        return; /* the user asked for all errors */
    option.debug.level = PAPI_VERB_ECONT;
    option.debug.handler = note_lack;
    PAPI_set_opt(PAPI_DEBUG, &option);
}

int tool_open(struct tool *tool)
{
    /* hwloc's plugins look for graphics processors and network cards, through X11 and OpenCL: that takes
     * longer than all the rest, and no tool shows them. */
    setenv("HWLOC_PLUGINS_PATH", "/dev/null", 0);
    int version = PAPI_library_init(PAPI_VER_CURRENT);
    tool->open = version == PAPI_VER_CURRENT;
    if (tool->open) {
        watch_for_lacks();
        return TOOL_FINE;
    }
    return tool_error(tool, "the library does not start: %s",
                      version < 0 ? PAPI_strerror(version) : "libpapi has another version");
}

bool tool_ready(struct tool *tool, int argc, char **argv, const struct option_row *rows, void *values)
{
    return tool_read(tool, argc, argv, rows, values) == 0 &&
           tool_no_arguments(tool, argc, argv) == TOOL_FINE && tool_open(tool) == TOOL_FINE;
}

bool tool_output_failed(void)
{
    return ferror(stdout) != 0;
}

int tool_end(struct tool *tool)
{
    if (tool->open)
        PAPI_shutdown();
    tool->open = false;
    report_finish(&tool->report);
    terminal_close(tool->report.out, stdout);
    tool->report.out = stdout;
    if (lack != 0 && tool->status == TOOL_FINE)
        tool_error(tool, "the output is incomplete, because something failed meanwhile: %s", strerror(lack));
    /* A full disk shows only here, and some file systems tell it only when the file is closed. What stdio has
     * kept of an earlier failure is that there was one. */
    errno = 0;
    bool failed = fflush(stdout) != 0 || ferror(stdout);
    int error = tool->output_error != 0 ? tool->output_error : errno;
    if (fclose(stdout) != 0 && !failed) {
        failed = true;
        error = errno;
    }
    /* No message for a reader that has stopped reading, as head does. */
    if (failed && error != EPIPE)
        fprintf(stderr, "%s: standard output: %s\n", tool->name,
                error != 0 ? strerror(error) : "what was printed could not all be written");
    return failed ? TOOL_ERROR : tool->status;
}
