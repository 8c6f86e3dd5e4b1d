/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The functions of the C library that libpapi_appio.so stands before. Each calls the one behind it, counts,
 * and leaves result and errno as they were.
 */
#undef _FORTIFY_SOURCE /* whose headers define some of these functions themselves */
#include "appio_counters.h"
#include "base/likely.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

/* Declared by headers only where the compiler checks the sizes of buffers. */
ssize_t __read_chk(int fd, void *buffer, size_t n, size_t size);
ssize_t __pread_chk(int fd, void *buffer, size_t n, off_t offset, size_t size);
ssize_t __pread64_chk(int fd, void *buffer, size_t n, off64_t offset, size_t size);
ssize_t __recv_chk(int fd, void *buffer, size_t n, size_t size, int flags);
ssize_t __recvfrom_chk(int fd, void *buffer, size_t n, size_t size, int flags, struct sockaddr *from,
                       socklen_t *length);
int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int folder, const char *path, int flags);
int __openat64_2(int folder, const char *path, int flags);

/* The functions of the C library that are called in turn. */
static struct {
#define FUNCTION(name) __typeof__(name) *name;
#include "appio_functions.def"
#undef FUNCTION
} next;

/* Finds the functions of the C library, before the program and other libraries begin, or when the first of
 * these calls: dlsym is not for handlers. */
__attribute__((constructor)) static void find_next(void)
{
    void *address;
#define FUNCTION(name)                                                                                       \
    address = dlsym(RTLD_NEXT, #name);                                                                       \
    memcpy(&next.name, &address, sizeof address);
#include "appio_functions.def"
#undef FUNCTION
}

#define NEXT(name) (likely(next.name != NULL) ? next.name : (find_next(), next.name))
#define VISIBLE __attribute__((visibility("default")))

/* Bytes that a call asked for and the kernel accepted; of other calls the pieces may not even be there. */
static size_t bytes_of(const struct iovec *vector, size_t n)
{
    size_t bytes = 0;
    for (size_t i = 0; i < n; i++)
        bytes += vector[i].iov_len;
    return bytes;
}

static size_t bytes_of_pieces(const struct iovec *vector, int n, ssize_t got)
{
    return got >= 0 ? bytes_of(vector, (size_t)n) : 0;
}

static size_t bytes_of_message(const struct msghdr *message, ssize_t got)
{
    return got >= 0 ? bytes_of(message->msg_iov, message->msg_iovlen) : 0;
}

/* --------------------------------------------------------------------- reads */

#define READ(name, asked, arguments, ...)                                                                    \
    VISIBLE ssize_t name(int fd, __VA_ARGS__)                                                                \
    {                                                                                                        \
        uint64_t began = clock_now();                                                                        \
        ssize_t got = NEXT(name) arguments;                                                                  \
        return note_read(fd, began, asked, got);                                                             \
    }

READ(read, n, (fd, buffer, n), void *buffer, size_t n)
READ(__read_chk, n, (fd, buffer, n, size), void *buffer, size_t n, size_t size)
READ(pread, n, (fd, buffer, n, offset), void *buffer, size_t n, off_t offset)
READ(pread64, n, (fd, buffer, n, offset), void *buffer, size_t n, off64_t offset)
READ(__pread_chk, n, (fd, buffer, n, offset, size), void *buffer, size_t n, off_t offset, size_t size)
READ(__pread64_chk, n, (fd, buffer, n, offset, size), void *buffer, size_t n, off64_t offset, size_t size)
READ(readv, bytes_of_pieces(vector, n, got), (fd, vector, n), const struct iovec *vector, int n)
READ(preadv, bytes_of_pieces(vector, n, got), (fd, vector, n, offset), const struct iovec *vector, int n,
     off_t offset)
READ(preadv64, bytes_of_pieces(vector, n, got), (fd, vector, n, offset), const struct iovec *vector, int n,
     off64_t offset)

/* -------------------------------------------------------------------- writes */

#define WRITE(name, asked, arguments, ...)                                                                   \
    VISIBLE ssize_t name(int fd, __VA_ARGS__)                                                                \
    {                                                                                                        \
        uint64_t began = clock_now();                                                                        \
        ssize_t got = NEXT(name) arguments;                                                                  \
        return note_write(fd, began, asked, got);                                                            \
    }

WRITE(write, n, (fd, buffer, n), const void *buffer, size_t n)
WRITE(pwrite, n, (fd, buffer, n, offset), const void *buffer, size_t n, off_t offset)
WRITE(pwrite64, n, (fd, buffer, n, offset), const void *buffer, size_t n, off64_t offset)
WRITE(writev, bytes_of_pieces(vector, n, got), (fd, vector, n), const struct iovec *vector, int n)
WRITE(pwritev, bytes_of_pieces(vector, n, got), (fd, vector, n, offset), const struct iovec *vector, int n,
      off_t offset)
WRITE(pwritev64, bytes_of_pieces(vector, n, got), (fd, vector, n, offset), const struct iovec *vector, int n,
      off64_t offset)

/* ------------------------------------------------------------------- sockets */

#define SOCKET(name, transfer, asked, arguments, ...)                                                        \
    VISIBLE ssize_t name(int fd, __VA_ARGS__)                                                                \
    {                                                                                                        \
        uint64_t began = clock_now();                                                                        \
        ssize_t got = NEXT(name) arguments;                                                                  \
        return note_transfer(&transfer, began, asked, got);                                                  \
    }

SOCKET(recv, receives, n, (fd, buffer, n, flags), void *buffer, size_t n, int flags)
SOCKET(__recv_chk, receives, n, (fd, buffer, n, size, flags), void *buffer, size_t n, size_t size, int flags)
SOCKET(recvfrom, receives, n, (fd, buffer, n, flags, from, length), void *buffer, size_t n, int flags,
       struct sockaddr *from, socklen_t *length)
SOCKET(__recvfrom_chk, receives, n, (fd, buffer, n, size, flags, from, length), void *buffer, size_t n,
       size_t size, int flags, struct sockaddr *from, socklen_t *length)
SOCKET(recvmsg, receives, bytes_of_message(message, got), (fd, message, flags), struct msghdr *message,
       int flags)
SOCKET(send, socket_writes, n, (fd, buffer, n, flags), const void *buffer, size_t n, int flags)
SOCKET(sendto, socket_writes, n, (fd, buffer, n, flags, to, length), const void *buffer, size_t n, int flags,
       const struct sockaddr *to, socklen_t length)
SOCKET(sendmsg, socket_writes, bytes_of_message(message, got), (fd, message, flags),
       const struct msghdr *message, int flags)

/* --------------------------------------------------------------- descriptors */

/* The file's mode, which is there only where a file may be made. */
#define TAKE_MODE(mode, flags)                                                                               \
    mode_t mode = 0;                                                                                         \
    if (((flags)&O_CREAT) != 0 || ((flags)&O_TMPFILE) == O_TMPFILE) {                                        \
        va_list arguments;                                                                                   \
        va_start(arguments, flags);                                                                          \
        mode = (mode_t)va_arg(arguments, unsigned);                                                          \
        va_end(arguments);                                                                                   \
    }

#define OPEN(name)                                                                                           \
    VISIBLE int name(const char *path, int flags, ...)                                                       \
    {                                                                                                        \
        TAKE_MODE(mode, flags)                                                                               \
        return note_open(NEXT(name)(path, flags, mode));                                                     \
    }
#define OPENAT(name)                                                                                         \
    VISIBLE int name(int folder, const char *path, int flags, ...)                                           \
    {                                                                                                        \
        TAKE_MODE(mode, flags)                                                                               \
        return note_open(NEXT(name)(folder, path, flags, mode));                                             \
    }

OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)

VISIBLE int __open_2(const char *path, int flags)
{
    return note_open(NEXT(__open_2)(path, flags));
}

VISIBLE int __open64_2(const char *path, int flags)
{
    return note_open(NEXT(__open64_2)(path, flags));
}

VISIBLE int __openat_2(int folder, const char *path, int flags)
{
    return note_open(NEXT(__openat_2)(folder, path, flags));
}

VISIBLE int __openat64_2(int folder, const char *path, int flags)
{
    return note_open(NEXT(__openat64_2)(folder, path, flags));
}

VISIBLE int creat(const char *path, mode_t mode)
{
    return note_open(NEXT(creat)(path, mode));
}

VISIBLE int creat64(const char *path, mode_t mode)
{
    return note_open(NEXT(creat64)(path, mode));
}

VISIBLE int close(int fd)
{
    note_close(fd);
    return NEXT(close)(fd);
}

VISIBLE off_t lseek(int fd, off_t offset, int whence)
{
    uint64_t began = clock_now();
    return note_seek(began, offset, whence, NEXT(lseek)(fd, offset, whence));
}

VISIBLE off64_t lseek64(int fd, off64_t offset, int whence)
{
    uint64_t began = clock_now();
    return note_seek(began, offset, whence, NEXT(lseek64)(fd, offset, whence));
}

VISIBLE int select(int n, fd_set *readable, fd_set *writable, fd_set *except, struct timeval *timeout)
{
    uint64_t began = clock_now();
    return note_select(began, NEXT(select)(n, readable, writable, except, timeout));
}

VISIBLE int pselect(int n, fd_set *readable, fd_set *writable, fd_set *except, const struct timespec *timeout,
                    const sigset_t *mask)
{
    uint64_t began = clock_now();
    return note_select(began, NEXT(pselect)(n, readable, writable, except, timeout, mask));
}
