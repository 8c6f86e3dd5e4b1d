/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

/* True if the program's caller may direct it by the environment. Not where the program has rights that its
 * caller lacks: set-user-ID, set-group-ID, file capabilities. secure_getenv follows the same rule. */
static inline bool trust_environment(void)
{
    return getauxval(AT_SECURE) == 0;
}

/* True if the thing in the folder is this user's or root's. What belongs to the folder's own owner is as good
 * as the folder. */
static inline bool trust_owner(const struct stat *thing, const struct stat *folder)
{
    return thing->st_uid == geteuid() || thing->st_uid == 0 || thing->st_uid == folder->st_uid;
}

/* True if others than its owner can put things into it. */
static inline bool trust_shared(const struct stat *folder)
{
    return (folder->st_mode & (S_IWGRP | S_IWOTH)) != 0;
}

/* True if this user or root wrote what is in a file: a regular one that nobody else owns, and that not
 * everybody may write to. What comes through a pipe is anybody's. */
static inline bool trust_contents(const struct stat *file)
{
    return S_ISREG(file->st_mode) && (file->st_mode & S_IWOTH) == 0 &&
           (file->st_uid == geteuid() || file->st_uid == 0);
}

/* Reads where the link in a folder leads to; false with errno. EPERM: it is another user's. folder NULL:
 * anybody's will do. The link itself is held open, so that nobody exchanges it between the question whose it
 * is and the answer. */
static inline bool trust_read_link(int place, const struct stat *folder, const char *name,
                                   char target[PATH_MAX])
{
    struct stat link;
    int fd = openat(place, name, O_PATH | O_NOFOLLOW | O_CLOEXEC), error = 0;
    if (fd < 0)
        return false;
    ssize_t n = fstat(fd, &link) == 0 && S_ISLNK(link.st_mode) ? readlinkat(fd, "", target, PATH_MAX) : -1;
    if (n < 0 || n == PATH_MAX)
        error = ENOTDIR;
    else if (folder != NULL && !trust_owner(&link, folder))
        error = EPERM;
    close(fd);
    if (error == 0)
        target[n] = '\0';
    errno = error;
    return error == 0;
}

/* As openat, of a name in an open folder. In a folder that others may write to, a link of another user is not
 * followed: -1 with EPERM. */
static inline int trust_openat(int place, const char *name, int flags, mode_t mode)
{
    char target[PATH_MAX];
    struct stat folder;
    if (fstat(place, &folder) != 0)
        return -1;
    if (!trust_shared(&folder))
        return openat(place, name, flags, mode);
    int fd = openat(place, name, flags | O_NOFOLLOW, mode), saved = errno;
    if (fd >= 0 || (saved != ELOOP && saved != ENOTDIR))
        return fd;
    if (!trust_read_link(place, &folder, name, target)) {
        errno = errno == EPERM ? EPERM : saved;
        return -1;
    }
    return openat(place, target, flags, mode);
}

/* The folder that a path's last name is in, seen from another, opened for the other functions; -1 with errno.
 * name: that name. */
static inline int trust_folder_at(int from, const char *path, const char **name)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    *name = slash != NULL ? slash + 1 : path;
    size_t length = slash == NULL ? 0 : slash == path ? 1 : (size_t)(slash - path);
    if (length >= sizeof folder) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(folder, length > 0 ? path : ".", length > 0 ? length : 1);
    folder[length > 0 ? length : 1] = '\0';
    return openat(from, folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

/* trust_folder_at, seen from the working directory. */
static inline int trust_folder(const char *path, const char **name)
{
    return trust_folder_at(AT_FDCWD, path, name);
}

/* trust_openat of a path, which has no slash at its end. */
static inline int trust_open(const char *path, int flags, mode_t mode)
{
    const char *name;
    int folder = trust_folder(path, &name);
    if (folder < 0)
        return -1;
    int fd = trust_openat(folder, name, flags, mode), saved = errno;
    close(folder);
    errno = saved;
    return fd;
}

/* True if a path may be followed where it is a link. */
static inline bool trust_link(const char *path)
{
    const char *name;
    struct stat folder, link;
    int fd = trust_folder(path, &name);
    if (fd < 0)
        return true;
    bool trusted = fstat(fd, &folder) != 0 || !trust_shared(&folder) ||
                   fstatat(fd, name, &link, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISLNK(link.st_mode) ||
                   trust_owner(&link, &folder);
    close(fd);
    return trusted;
}
