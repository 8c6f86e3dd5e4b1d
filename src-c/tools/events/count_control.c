/* SPDX-License-Identifier: BSD-3-Clause */
#include "count_control.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the pipes */

/* A named pipe is opened for both ways, as perf does: so it needs nobody at its other end, and has no end of
 * file when the command closes it. Returns -1 with errno. */
static int open_fifo(const char *path)
{
    struct stat status;
    int fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (fd >= 0 && (fstat(fd, &status) != 0 || !S_ISFIFO(status.st_mode))) {
        close(fd);
        errno = EINVAL;
        return -1;
    }
    return fd;
}

static int take_descriptor(const char *text)
{
    char *end;
    long fd = strtol(text, &end, 10);
    bool fine = end != text && *end == '\0' && fd >= 0 && fd <= INT_MAX;
    if (!fine)
        errno = EINVAL;
    return fine && fcntl((int)fd, F_GETFD) >= 0 ? (int)fd : -1;
}

static int open_one(struct tool *tool, bool fifo, const char *text, int *fd)
{
    *fd = (fifo ? open_fifo : take_descriptor)(text);
    if (*fd >= 0)
        return TOOL_FINE;
    return tool_error(tool, "--control: %s %s: %s", fifo ? "the pipe" : "descriptor", text,
                      errno != EINVAL ? strerror(errno)
                      : fifo          ? "it is no named pipe: mkfifo makes one"
                                      : "it is not a number");
}

int count_control_open(struct count_control *control, struct tool *tool)
{
    bool fifo = strncmp(control->where, "fifo:", 5) == 0;
    char *names = strdup(control->where + (fifo ? 5 : 3));
    if (names == NULL)
        return tool_error(tool, "no memory");
    char *ack = strchr(names, ',');
    if (ack != NULL)
        *ack++ = '\0';
    control->ours = fifo;
    int status = open_one(tool, fifo, names, &control->ctl);
    if (status == TOOL_FINE && ack != NULL)
        status = open_one(tool, fifo, ack, &control->ack);
    free(names);
    return status;
}

void count_control_close(struct count_control *control)
{
    if (control->ours && control->ctl >= 0)
        close(control->ctl);
    if (control->ours && control->ack >= 0)
        close(control->ack);
    control->ctl = control->ack = -1;
}

/* ---- on and off */

/* A code of PAPI's. */
static int turn(struct count_control *control, struct count_sets *sets, bool on)
{
    if (on == control->counts)
        return PAPI_OK;
    if (on)
        control->since = PAPI_get_real_nsec();
    int code = (on ? count_sets_start : count_sets_stop_adding)(sets);
    if (!on)
        control->elapsed += PAPI_get_real_nsec() - control->since;
    control->counts = on;
    return code;
}

/* The answer has the zero at its end that perf sends, too: programs wait for five bytes. One that nobody
 * reads is none of ours. */
static void answer(const struct count_control *control)
{
    static const char ack[] = "ack\n";
    if (control->ack >= 0 && write(control->ack, ack, sizeof ack) < 0)
        return;
}

/* Does what a line says. A code of PAPI's. The answer comes after an error, too: the command waits for it. */
static int obey(struct count_control *control, struct tool *tool, struct count_sets *sets, const char *line)
{
    bool on = strcmp(line, "enable") == 0, off = strcmp(line, "disable") == 0;
    int code = (on || off) && control->code == PAPI_OK ? turn(control, sets, on) : PAPI_OK;
    if (on || off || strcmp(line, "ping") == 0)
        answer(control);
    else
        tool_error(tool, "--control: there is no \"%s\": it takes enable, disable and ping", line);
    return code;
}

/* Takes a character. A zero ends a line, too: programs send their text's whole array. */
static void take(struct count_control *control, struct tool *tool, struct count_sets *sets, char c)
{
    bool ends = c == '\n' || c == '\0';
    if (!ends && control->length < sizeof control->line - 1)
        control->line[control->length++] = c;
    if (!ends || control->length == 0)
        return;
    control->line[control->length] = '\0';
    control->length = 0;
    int code = obey(control, tool, sets, control->line);
    control->code = control->code == PAPI_OK ? code : control->code;
}

/* Takes what was written so far. */
static void take_input(struct count_control *control, struct tool *tool, struct count_sets *sets)
{
    char text[256];
    ssize_t n = read(control->ctl, text, sizeof text);
    for (ssize_t i = 0; i < n; i++)
        take(control, tool, sets, text[i]);
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
        control->ctl = -1; /* a descriptor whose other end is closed says nothing more */
}

int count_control_run(struct count_control *control, struct tool *tool, struct count_sets *sets,
                      struct command *command)
{
    control->code = control->off ? PAPI_OK : turn(control, sets, true);
    bool goes = control->code == PAPI_OK;
    if (goes && (command_go(command, tool) != TOOL_FINE || command->not_run))
        return TOOL_ERROR;
    while (goes && command_wait_input(command, INFINITY, control->ctl))
        take_input(control, tool, sets);
    command_end(command);
    int last = turn(control, sets, false), code = control->code == PAPI_OK ? last : control->code;
    return code == PAPI_OK ? TOOL_FINE : tool_error(tool, "nothing was counted: %s", PAPI_strerror(code));
}
