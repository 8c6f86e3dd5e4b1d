/* SPDX-License-Identifier: BSD-3-Clause */
#include "appio_counters.h"
#include "base/seconds.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Beside the events: of seeks, those from the current position. */
enum { SEEKS_FROM_HERE = APPIO_EVENTS, SLOTS };

/* Times in ns; of averages, the sum. */
static __thread uint64_t count[SLOTS];

/* Descriptors of the process that open has given. */
enum { MOST_FDS = 1 << 16, BITS = 64 };
static uint64_t is_open[MOST_FDS / BITS];
static uint8_t given[MOST_FDS]; /* times in a row */

const struct transfer reads = {READ_BYTES, READ_CALLS, READ_ERR,        READ_INTERRUPTED, READ_WOULD_BLOCK,
                               READ_SHORT, READ_EOF,   READ_BLOCK_SIZE, READ_USEC};
const struct transfer writes = {WRITE_BYTES,       WRITE_CALLS, WRITE_ERR, WRITE_INTERRUPTED,
                                WRITE_WOULD_BLOCK, WRITE_SHORT, NONE,      WRITE_BLOCK_SIZE,
                                WRITE_USEC};
const struct transfer receives = {RECV_BYTES, RECV_CALLS, RECV_ERR,        RECV_INTERRUPTED, RECV_WOULD_BLOCK,
                                  RECV_SHORT, RECV_EOF,   RECV_BLOCK_SIZE, RECV_USEC};
static const struct transfer socket_reads = {SOCK_READ_BYTES,       SOCK_READ_CALLS, SOCK_READ_ERR, NONE,
                                             SOCK_READ_WOULD_BLOCK, SOCK_READ_SHORT, NONE,          NONE,
                                             SOCK_READ_USEC};
const struct transfer socket_writes = {SOCK_WRITE_BYTES,       SOCK_WRITE_CALLS, SOCK_WRITE_ERR, NONE,
                                       SOCK_WRITE_WOULD_BLOCK, SOCK_WRITE_SHORT, NONE,           NONE,
                                       SOCK_WRITE_USEC};

/* Adds by a single instruction, or what a handler adds in between would be lost. */
static void add(int slot, uint64_t value)
{
    if (slot != NONE)
        __atomic_fetch_add(&count[slot], value, __ATOMIC_RELAXED);
}

uint64_t clock_now(void)
{
    return nsec_of(CLOCK_MONOTONIC);
}

/* ----------------------------------------------------------------- transfers */

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

ssize_t note_transfer(const struct transfer *transfer, uint64_t began, size_t asked, ssize_t got)
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

ssize_t note_read(int fd, uint64_t began, size_t asked, ssize_t got)
{
    return note_both(&reads, &socket_reads, fd, began, asked, got);
}

ssize_t note_write(int fd, uint64_t began, size_t asked, ssize_t got)
{
    return note_both(&writes, &socket_writes, fd, began, asked, got);
}

/* --------------------------------------------------------------- descriptors */

static void mark_open(int fd)
{
    __atomic_fetch_or(&is_open[fd / BITS], 1ULL << fd % BITS, __ATOMIC_SEQ_CST);
}

int note_open(int fd)
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

void note_close(int fd)
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

off_t note_seek(uint64_t began, off_t offset, int whence, off_t result)
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

int note_select(uint64_t began, int result)
{
    int error = errno;
    add(SELECT_USEC, clock_now() - began);
    errno = error;
    return result;
}

/* -------------------------------------------------------------------- counts */

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
