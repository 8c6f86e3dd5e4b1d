/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/task_stat.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EXITING = 0x4 }; /* the kernel's flag PF_EXITING */

int task_stat_read(int folder, const char *path, struct task_stat *stat)
{
    char text[1024];
    unsigned flags = 0;
    *stat = (struct task_stat){0};
    int fd = openat(folder, path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;
    int error = errno;
    if (fd >= 0)
        close(fd);
    errno = error;
    if (n < 0)
        return -1;
    text[n] = '\0';
    /* The second word is a name in brackets, of any characters; the state is the third. */
    const char *end = strrchr(text, ')');
    if (end != NULL)
        sscanf(end + 1, " %c %d %*d %*d %*d %*d %u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %ld %*d %llu",
               &stat->state, &stat->parent, &flags, &stat->threads, &stat->begin);
    stat->exits = (flags & EXITING) != 0;
    return 0;
}

/* The link has the number that the reader has where the files were mounted; nowhere, if none. */
bool task_files_are_ours(void)
{
    char number[24];
    ssize_t n = readlink("/proc/self", number, sizeof number - 1);
    number[n > 0 ? n : 0] = '\0';
    return strtol(number, NULL, 10) == getpid();
}

int task_stat_of(int tid, struct task_stat *stat)
{
    char path[64];
    *stat = (struct task_stat){0};
    if (!task_files_are_ours())
        return -1;
    snprintf(path, sizeof path, "/proc/%d/stat", tid);
    return task_stat_read(AT_FDCWD, path, stat);
}

unsigned long long task_begin(int tid)
{
    struct task_stat stat;
    task_stat_of(tid, &stat);
    return stat.begin;
}
