/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/visible.h"
#include "emulator/launcher/launcher.h"
#include "tools/common/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

_Noreturn void memory_is_out(void)
{
    complain("%s", strerror(ENOMEM));
    exit(EXIT_OWN_ERROR);
}

void complain(const char *format, ...)
{
    char line[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    FILE *out = terminal_open(stderr);
    fputs("papi_emulate: ", out);
    visible_put(out, line);
    fputc('\n', out);
    terminal_close(out, stderr);
}

int above_standard(int fd)
{
    if (fd < 0 || fd > STDERR_FILENO)
        return fd;
    int above = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    close(fd);
    return above;
}
