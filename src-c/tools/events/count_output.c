/* SPDX-License-Identifier: BSD-3-Clause */
#include "count_output.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

/* Opens a file whose lines somebody may read as they come. Returns NULL, or the reason of a failure. */
static const char *open_lines(struct count_output *output)
{
    int fd = open(output->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    output->lines = fd >= 0 ? fdopen(fd, "w") : NULL;
    return output->lines != NULL ? NULL : output_reason(errno);
}

int count_output_open(struct count_output *output, struct tool *tool, bool by_lines)
{
    if (output->path != NULL && strcmp(output->path, "-") == 0)
        output->path = NULL;
    if (output->path == NULL)
        return TOOL_FINE;
    const char *why = by_lines ? open_lines(output) : output_open(&output->whole, output->path);
    if (why != NULL) {
        tool_error(tool, "%s: %s", output->path, why);
        output->path = NULL;
        return TOOL_ERROR;
    }
    output->out = tool->report.out;
    output->plain = tool->report.plain;
    tool->report.out = tool->report.plain = by_lines ? output->lines : output->whole.file;
    return TOOL_FINE;
}

/* Closes the file of lines. Returns NULL, or the reason of a failure; earlier: that of a line before, or 0.
 */
static const char *close_lines(FILE *file, int earlier)
{
    errno = 0;
    bool failed = fflush(file) != 0 || ferror(file) != 0;
    int error = earlier != 0 ? earlier : errno;
    if (fclose(file) != 0 && !failed) {
        failed = true;
        error = errno;
    }
    return failed ? output_reason(error != 0 ? error : EIO) : NULL;
}

int count_output_close(struct count_output *output, struct tool *tool, int status)
{
    const char *why = NULL;
    if (output->path == NULL)
        return status;
    report_finish(&tool->report);
    tool->report.out = output->out;
    tool->report.plain = output->plain;
    if (output->lines != NULL)
        why = close_lines(output->lines, tool->output_error);
    else if (status != TOOL_FINE && ftell(output->whole.file) == 0)
        output_drop(&output->whole);
    else
        why = output_close(&output->whole);
    return why != NULL ? tool_error(tool, "%s: %s", output->path, why) : status;
}
