/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>

/* The CPUs that are switched on, as the kernel lists them ("0-3,8"). */

enum { CPUS_TEXT = 4096 }; /* a longer list is not read (EFBIG) */

/* Opens the kernel's list of them, to be read again and again, and closed. -1 with errno. */
int cpus_open(const char *root);

/* Reads an open list as it is now. False, with errno: it cannot be read. Async-signal-safe, as is the next
 * one. */
bool cpus_read(int file, char text[CPUS_TEXT]);

/* The smallest CPU of a list that is at least from; -1: none. */
int cpus_next(const char *text, int from);

/* The number of CPUs in a list. */
int cpus_count(const char *text);
