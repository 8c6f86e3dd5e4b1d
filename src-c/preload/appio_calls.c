/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The functions of the C library that libpapi_appio.so stands before. Each calls the one behind it, counts,
 * and leaves result and errno as they were.
 */
#undef _FILE_OFFSET_BITS /* programs of both kinds call these */
#undef _TIME_BITS
#undef _FORTIFY_SOURCE /* whose headers define some of these functions themselves */
#include "base/likely.h"
#include "base/seconds.h"
#include "formats/appio_counts.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

/* ---- counters */

/* The calling thread's counters. All of these keep errno, allocate nothing and may be called in a signal's
 * handler, whatever it interrupted. */

/* The events of one way to move bytes; NONE: it has no such event. */
enum { NONE = -1 };
struct transfer {
    int bytes, calls, err, interrupted, would_block, few, eof, block_size, usec;
};

/* Beside the events: of seeks, those from the current position. */
enum { SEEKS_FROM_HERE = APPIO_EVENTS, SLOTS };

/* Times in ns; of averages, the sum. */
static __thread uint64_t count[SLOTS];

/* Descriptors of the process that open has given. */
enum { MOST_FDS = 1 << 16, BITS = 64 };
static uint64_t is_open[MOST_FDS / BITS];
static uint8_t given[MOST_FDS]; /* times in a row */

static const struct transfer reads = {READ_BYTES,       READ_CALLS,       READ_ERR,
                                      READ_INTERRUPTED, READ_WOULD_BLOCK, READ_SHORT,
                                      READ_EOF,         READ_BLOCK_SIZE,  READ_USEC};
static const struct transfer writes = {WRITE_BYTES,       WRITE_CALLS, WRITE_ERR, WRITE_INTERRUPTED,
                                       WRITE_WOULD_BLOCK, WRITE_SHORT, NONE,      WRITE_BLOCK_SIZE,
                                       WRITE_USEC};
static const struct transfer receives = {RECV_BYTES,       RECV_CALLS,       RECV_ERR,
                                         RECV_INTERRUPTED, RECV_WOULD_BLOCK, RECV_SHORT,
                                         RECV_EOF,         RECV_BLOCK_SIZE,  RECV_USEC};
static const struct transfer socket_reads = {SOCK_READ_BYTES,       SOCK_READ_CALLS, SOCK_READ_ERR, NONE,
                                             SOCK_READ_WOULD_BLOCK, SOCK_READ_SHORT, NONE,          NONE,
                                             SOCK_READ_USEC};
static const struct transfer socket_writes = {SOCK_WRITE_BYTES,       SOCK_WRITE_CALLS, SOCK_WRITE_ERR, NONE,
                                              SOCK_WRITE_WOULD_BLOCK, SOCK_WRITE_SHORT, NONE,           NONE,
                                              SOCK_WRITE_USEC};

/* Adds by a single instruction, or what a handler adds in between would be lost. */
static void add(int slot, uint64_t value)
{
    if (slot != NONE)
        __atomic_fetch_add(&count[slot], value, __ATOMIC_RELAXED);
}

/* ns of a clock that only goes on. */
static uint64_t clock_now(void)
{
    return nsec_of(CLOCK_MONOTONIC);
}

/* ---- transfers */

static void note(const struct transfer *transfer, uint64_t nsec, size_t asked, ssize_t got, int error)
{
    add(transfer->calls, 1);
    add(transfer->block_size, asked);
    add(transfer->usec, nsec);
    if (got < 0) {
        add(transfer->err, 1);
        if (error == EINTR)
            add(transfer->interrupted, 1);
        if (error == EAGAIN || error == EWOULDBLOCK)
            add(transfer->would_block, 1);
        return;
    }
    add(transfer->bytes, (uint64_t)got);
    if (got == 0 && asked > 0)
        add(transfer->eof, 1);
    else if ((size_t)got < asked)
        add(transfer->few, 1);
}

/* Counts a transfer, after a call that began at a time, asked for so many bytes and got this. Returns got. */
static ssize_t note_transfer(const struct transfer *transfer, uint64_t began, size_t asked, ssize_t got)
{
    int error = errno;
    note(transfer, clock_now() - began, asked, got, error);
    errno = error;
    return got;
}

/* Asked of the kernel each time: descriptors come and go by ways that nobody sees here. */
static bool is_socket(int fd)
{
    struct stat status;
    return fstat(fd, &status) == 0 && S_ISSOCK(status.st_mode);
}

static ssize_t note_both(const struct transfer *all, const struct transfer *of_sockets, int fd,
                         uint64_t began, size_t asked, ssize_t got)
{
    int error = errno;
    uint64_t nsec = clock_now() - began;
    note(all, nsec, asked, got, error);
    if (is_socket(fd))
        note(of_sockets, nsec, asked, got, error);
    errno = error;
    return got;
}

/* The same of reads and writes, which may be of sockets. */
static ssize_t note_read(int fd, uint64_t began, size_t asked, ssize_t got)
{
    return note_both(&reads, &socket_reads, fd, began, asked, got);
}

static ssize_t note_write(int fd, uint64_t began, size_t asked, ssize_t got)
{
    return note_both(&writes, &socket_writes, fd, began, asked, got);
}

/* ---- descriptors */

static void mark_open(int fd)
{
    __atomic_fetch_or(&is_open[fd / BITS], 1ULL << fd % BITS, __ATOMIC_SEQ_CST);
}

static int note_open(int fd)
{
    add(OPEN_CALLS, 1);
    if (fd < 0)
        add(OPEN_ERR, 1);
    if (fd < 0 || fd >= MOST_FDS)
        return fd;
    __atomic_fetch_add(&given[fd], 1, __ATOMIC_SEQ_CST);
    mark_open(fd);
    return fd;
}

/* Before the close: the number may be given again at once. */
static void note_close(int fd)
{
    if (fd >= 0 && fd < MOST_FDS)
        __atomic_fetch_and(&is_open[fd / BITS], ~(1ULL << fd % BITS), __ATOMIC_SEQ_CST);
}

/* Some are closed out of sight: by fclose, by a system call. What another thread's open is given meanwhile
 * stays marked. */
static bool is_still_open(int fd)
{
    uint8_t before = __atomic_load_n(&given[fd], __ATOMIC_SEQ_CST);
    if (fcntl(fd, F_GETFD) >= 0)
        return true;
    note_close(fd);
    if (__atomic_load_n(&given[fd], __ATOMIC_SEQ_CST) != before)
        mark_open(fd);
    return false;
}

static uint64_t count_open(void)
{
    uint64_t n = 0;
    int error = errno;
    for (int fd = 0; fd < MOST_FDS; fd++) {
        uint64_t word = __atomic_load_n(&is_open[fd / BITS], __ATOMIC_RELAXED) >> fd % BITS;
        if (word == 0)
            fd |= BITS - 1;
        else if ((word & 1) != 0)
            n += is_still_open(fd);
    }
    errno = error;
    return n;
}

static off64_t note_seek(uint64_t began, off64_t offset, int whence, off64_t result)
{
    int error = errno;
    add(SEEK_CALLS, 1);
    add(SEEK_USEC, clock_now() - began);
    if (result >= 0 && whence == SEEK_CUR) {
        add(SEEKS_FROM_HERE, 1);
        add(SEEK_ABS_STRIDE_SIZE, offset < 0 ? -(uint64_t)offset : (uint64_t)offset);
    }
    errno = error;
    return result;
}

static int note_select(uint64_t began, int result)
{
    int error = errno;
    add(SELECT_USEC, clock_now() - began);
    errno = error;
    return result;
}

/* ---- counts */

static uint64_t average(int sum, int n)
{
    return count[n] > 0 ? count[sum] / count[n] : 0;
}

__attribute__((visibility("default"))) uint64_t papi_appio_count_1(int event)
{
    switch (event) {
    case READ_USEC:
    case WRITE_USEC:
    case SELECT_USEC:
    case RECV_USEC:
    case SOCK_READ_USEC:
    case SOCK_WRITE_USEC:
    case SEEK_USEC:
        return count[event] / 1000;
    case READ_BLOCK_SIZE:
        return average(READ_BLOCK_SIZE, READ_CALLS);
    case WRITE_BLOCK_SIZE:
        return average(WRITE_BLOCK_SIZE, WRITE_CALLS);
    case RECV_BLOCK_SIZE:
        return average(RECV_BLOCK_SIZE, RECV_CALLS);
    case SEEK_ABS_STRIDE_SIZE:
        return average(SEEK_ABS_STRIDE_SIZE, SEEKS_FROM_HERE);
    case OPEN_FDS:
        return count_open();
    default:
        return event >= 0 && event < APPIO_EVENTS ? count[event] : 0;
    }
}

/* ---- calls */

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

/* ---- reads */

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

/* ---- writes */

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

/* ---- sockets */

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

/* ---- descriptors */

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
    return (off_t)note_seek(began, offset, whence, NEXT(lseek)(fd, offset, whence));
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
