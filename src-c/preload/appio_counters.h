/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "formats/appio_counts.h"
#include <stddef.h>
#include <sys/types.h>

/* The calling thread's counters. All of these keep errno, allocate nothing and may be called in a signal's
 * handler, whatever it interrupted. */

/* The events of one way to move bytes; NONE: it has no such event. */
enum { NONE = -1 };
struct transfer {
    int bytes, calls, err, interrupted, would_block, few, eof, block_size, usec;
};
extern const struct transfer reads, writes, receives, socket_writes;

/* ns of a clock that only goes on. */
uint64_t clock_now(void);

/* Counts a transfer, after a call that began at a time, asked for so many bytes and got this. Returns got. */
ssize_t note_transfer(const struct transfer *transfer, uint64_t began, size_t asked, ssize_t got);

/* The same of reads and writes, which may be of sockets. */
ssize_t note_read(int fd, uint64_t began, size_t asked, ssize_t got);
ssize_t note_write(int fd, uint64_t began, size_t asked, ssize_t got);

int note_open(int fd);
void note_close(int fd); /* before the close: the number may be given again at once */
off_t note_seek(uint64_t began, off_t offset, int whence, off_t result);
int note_select(uint64_t began, int result);
