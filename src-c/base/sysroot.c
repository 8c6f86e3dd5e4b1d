/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/sysroot.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int sysroot_path(const char *root, const char *path, char *out, size_t size)
{
    int n = snprintf(out, size, "%s%s", root ? root : "", path);
    if (n < 0 || (size_t)n >= size) {
        errno = ENAMETOOLONG;
        return -1;
    }
    return 0;
}

/* Opens a file below a folder that replaces the machine, without waiting for a pipe (ESPIPE). Files of the
 * kernel itself are no pipes, and are opened without this check, since there are many of them. */
static int open_in_folder(const char *full, int flags)
{
    struct stat status;
    int fd = open(full, flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0 || (fstat(fd, &status) == 0 && (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode))))
        return fd;
    close(fd);
    errno = ESPIPE;
    return -1;
}

int sysroot_file(const char *root, const char *path, int flags)
{
    char full[4096];
    if (sysroot_path(root, path, full, sizeof full) != 0)
        return -1;
    return root != NULL && root[0] != '\0' ? open_in_folder(full, flags) : open(full, flags | O_CLOEXEC);
}

FILE *sysroot_open(const char *root, const char *path)
{
    int fd = sysroot_file(root, path, O_RDONLY);
    FILE *file = fd >= 0 ? fdopen(fd, "r") : NULL;
    if (fd >= 0 && file == NULL) { /* not that there is none */
        close(fd);
        errno = ENOMEM;
    }
    return file;
}

/* Reads the first line of an open file. A stream would first ask for the file's size, in a call more for each
 * of many files. */
static int read_line(int file, char *out, size_t size)
{
    size_t n = 0;
    ssize_t got;
    do {
        got = read(file, out + n, size - 1 - n);
        n += got > 0 ? (size_t)got : 0;
        out[got < 0 ? 0 : n] = '\0';
    } while (got > 0 && n < size - 1 && memchr(out, '\n', n) == NULL);
    out[strcspn(out, "\n")] = '\0';
    return got < 0 ? -1 : (int)strlen(out);
}

int sysroot_line(const char *root, const char *path, char *out, size_t size)
{
    if (size == 0) {
        errno = EINVAL;
        return -1;
    }
    out[0] = '\0';
    int file = sysroot_file(root, path, O_RDONLY);
    if (file < 0)
        return -1;
    int length = read_line(file, out, size), error = errno;
    close(file);
    errno = error;
    return length;
}

int sysroot_number(const char *root, const char *path, long long *out)
{
    char line[64];
    if (sysroot_line(root, path, line, sizeof line) < 0)
        return -1;
    char *end;
    errno = 0;
    long long value = strtoll(line, &end, 0);
    if (end == line || end[strspn(end, " \t\r")] != '\0' || errno != 0) {
        errno = EINVAL;
        return -1;
    }
    *out = value;
    return 0;
}
