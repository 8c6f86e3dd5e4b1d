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

void *or_end(void *allocated)
{
    if (allocated == NULL) {
        complain("%s", strerror(ENOMEM));
        exit(EXIT_OWN_ERROR);
    }
    return allocated;
}

static char *text_of_list(const char *format, va_list arguments)
{
    char *text;
    return or_end(vasprintf(&text, format, arguments) < 0 ? NULL : text);
}

char *text_of(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = text_of_list(format, arguments);
    va_end(arguments);
    return text;
}

void words_add(struct words *words, const char *format, ...)
{
    va_list arguments;
    words->word = or_end(reallocarray(words->word, (size_t)words->n + 2, sizeof *words->word));
    va_start(arguments, format);
    words->word[words->n++] = text_of_list(format, arguments);
    va_end(arguments);
    words->word[words->n] = NULL;
}

void words_free(struct words *words)
{
    for (int i = 0; i < words->n; i++)
        free(words->word[i]);
    free(words->word);
    *words = (struct words){0};
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
