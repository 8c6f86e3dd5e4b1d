/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool_files.h"
#include "base/trust.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- a file to read */

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

/* ---- a file that is made */

enum { MOST_LINKS = 40, MOST_TRIES = 100 };

/* List of the open outputs, for code that runs out of memory and has none of them at hand. */
static struct output *opened;

const char *output_reason(int error)
{
    return error == EPERM
               ? "another user made it, or the link to it, where others may write, too: name another file"
           : error == EFBIG ? "it would be larger than files may be here (ulimit -f raises the limit)"
           : error == ENXIO ? "nobody reads this pipe"
                            : strerror(error != 0 ? error : EIO);
}

/* True for a file that the process has open, or a device. Links in /proc are the kernel's, and may lead to
 * files without a name. */
static bool is_special(const char *path)
{
    return strncmp(path, "/proc/", 6) == 0 ||
           (strncmp(path, "/dev/", 5) == 0 && strncmp(path, "/dev/shm/", 9) != 0);
}

/* The number of a closed standard output would have it take what is printed. */
static const char *make_stream(struct output *output, int fd)
{
    int above = fd > STDERR_FILENO ? fd : fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1), error = errno;
    if (above != fd)
        close(fd);
    if (above < 0)
        return output_reason(error);
    output->file = fdopen(above, "w");
    if (output->file != NULL)
        return NULL;
    close(above);
    return output_reason(ENOMEM);
}

/* Opens a file for writing without waiting for a reader; writing waits for everything. */
static const char *open_itself(struct output *output, int folder, const char *name, int flags)
{
    int fd = openat(folder, name, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | flags);
    if (fd < 0)
        return output_reason(errno);
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
    return make_stream(output, fd);
}

/* The name that the file has until it is whole, which nobody can have made before. Returns a descriptor, or
 * -1 with errno. */
static int make_part(struct output *output)
{
    int fd = -1;
    errno = EEXIST;
    for (int n = 0; n < MOST_TRIES && fd < 0 && errno == EEXIST; n++) {
        snprintf(output->part, sizeof output->part, "%.200s.%ld-%d.part", output->name, (long)getpid(), n);
        fd = openat(output->folder, output->part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    }
    if (fd < 0)
        output->part[0] = '\0';
    return fd;
}

/* True in a shared folder (sticky bit), where the name of another user's file cannot be taken away. */
static bool is_in_the_way(const struct stat *folder, const struct stat *found)
{
    return (folder->st_mode & S_ISVTX) != 0 && trust_shared(folder) && geteuid() != 0 &&
           found->st_uid != geteuid() && folder->st_uid != geteuid();
}

/* Opens a new file beside the final name, or, where the folder allows none, the file itself. found is what
 * has the name so far; NULL: nothing. Returns NULL, or the reason of a failure. */
static const char *open_part(struct output *output, const struct stat *folder, const struct stat *found)
{
    if (found != NULL && is_in_the_way(folder, found))
        return output_reason(EPERM);
    int fd = make_part(output), error = errno;
    output->in_place = fd < 0 && found != NULL && !trust_shared(folder) &&
                       (error == EACCES || error == EPERM || error == EROFS);
    if (output->in_place)
        return open_itself(output, output->folder, output->name, O_NOFOLLOW);
    if (fd < 0)
        return output_reason(error);
    if (found != NULL && found->st_uid == geteuid())
        fchmod(fd, found->st_mode & 0777);
    return make_stream(output, fd);
}

/* Opens the file of this name in the folder, without following a link. Returns NULL, or the reason of a
 * failure. */
static const char *open_name(struct output *output, const struct stat *folder, const char *name)
{
    struct stat found;
    if (strlen(name) >= sizeof output->name)
        return output_reason(ENAMETOOLONG);
    strcpy(output->name, name);
    if (fstatat(output->folder, name, &found, AT_SYMLINK_NOFOLLOW) != 0)
        return errno == ENOENT ? open_part(output, folder, NULL) : output_reason(errno);
    if (S_ISREG(found.st_mode))
        return open_part(output, folder, &found);
    if (trust_shared(folder) && !trust_owner(&found, folder))
        return output_reason(EPERM);
    return open_itself(output, output->folder, name, O_NOFOLLOW);
}

/* A path as seen from the folder. next: where a link leads to, which is to be followed; "" where there is
 * none. */
static const char *follow(struct output *output, const char *path, char next[PATH_MAX])
{
    struct stat folder;
    const char *name;
    int from = output->folder;
    next[0] = '\0';
    if (is_special(path))
        return open_itself(output, AT_FDCWD, path, O_TRUNC);
    output->folder = trust_folder_at(from, path, &name);
    if (from >= 0)
        close(from);
    if (output->folder < 0 || fstat(output->folder, &folder) != 0)
        return output_reason(errno);
    if (name[0] == '\0')
        return output_reason(EISDIR);
    if (trust_read_link(output->folder, trust_shared(&folder) ? &folder : NULL, name, next))
        return NULL;
    next[0] = '\0';
    return errno == EPERM ? output_reason(EPERM) : open_name(output, &folder, name);
}

static void let_go(struct output *output)
{
    struct output **link = &opened;
    while (*link != NULL && *link != output)
        link = &(*link)->next;
    if (*link != NULL)
        *link = output->next;
    if (output->part[0] != '\0')
        unlinkat(output->folder, output->part, 0);
    if (output->folder >= 0)
        close(output->folder);
    *output = (struct output){.folder = -1};
}

const char *output_open(struct output *output, const char *path)
{
    char here[PATH_MAX], next[PATH_MAX] = "";
    const char *why = NULL;
    *output = (struct output){.folder = AT_FDCWD};
    if (strlen(path) >= sizeof here)
        return output_reason(ENAMETOOLONG);
    strcpy(here, path);
    for (int links = 0; why == NULL && output->file == NULL; links++) {
        why = links > MOST_LINKS ? output_reason(ELOOP) : follow(output, here, next);
        strcpy(here, next);
    }
    if (why != NULL)
        let_go(output);
    else {
        output->next = opened;
        opened = output;
    }
    return why;
}

/* A stream knows that a write failed, and not why: the next one says it. */
static int why_failed(int fd)
{
    return write(fd, " ", 1) < 0 ? errno : EIO;
}

/* Writes what is buffered, and cuts off the rest of a longer file that is overwritten in place. */
static int write_rest(struct output *output)
{
    int error = fflush(output->file) != 0 ? errno : 0;
    if (error == 0 && ferror(output->file))
        error = why_failed(fileno(output->file));
    if (error == 0 && output->in_place && ftruncate(fileno(output->file), ftello(output->file)) != 0 &&
        errno != EINVAL) /* of a device */
        error = errno;
    return error;
}

const char *output_close(struct output *output)
{
    int error = write_rest(output);
    if (fclose(output->file) != 0 && error == 0)
        error = errno;
    if (error == 0 && output->part[0] != '\0') {
        error = renameat(output->folder, output->part, output->folder, output->name) != 0 ? errno : 0;
        if (error == 0)
            output->part[0] = '\0';
    }
    let_go(output);
    return error != 0 ? output_reason(error) : NULL;
}

void output_drop(struct output *output)
{
    if (output->file == NULL)
        return;
    fclose(output->file);
    let_go(output);
}

void output_drop_all(void)
{
    while (opened != NULL)
        output_drop(opened);
}
