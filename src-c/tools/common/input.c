/* SPDX-License-Identifier: BSD-3-Clause */
#include "input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_descriptor(const char *path)
{
    return strcmp(path, "/dev/stdin") == 0 || strcmp(path, "/dev/null") == 0 ||
           strncmp(path, "/dev/fd/", 8) == 0 || strncmp(path, "/proc/self/fd/", 14) == 0;
}

static const char *unfit(int fd, bool descriptor)
{
    struct stat status;
    if (fstat(fd, &status) != 0)
        return strerror(errno);
    errno = S_ISDIR(status.st_mode) ? EISDIR : EINVAL;
    return S_ISDIR(status.st_mode)                 ? strerror(EISDIR)
           : descriptor || S_ISREG(status.st_mode) ? NULL
                                                   : "not a regular file";
}

int input_open_file(const char *path, const char **why)
{
    /* O_NONBLOCK, because a pipe would be waited for before it is seen to be one. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    *why = fd < 0 ? strerror(errno) : unfit(fd, is_descriptor(path));
    if (*why == NULL) {
        fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
        return fd;
    }
    int saved = errno;
    if (fd >= 0)
        close(fd);
    errno = saved;
    return -1;
}

FILE *input_open(const char *path, const char **why)
{
    int fd = input_open_file(path, why);
    FILE *file = fd >= 0 ? fdopen(fd, "r") : NULL;
    if (fd >= 0 && file == NULL) {
        close(fd);
        errno = ENOMEM;
        *why = strerror(ENOMEM);
    }
    return file;
}
