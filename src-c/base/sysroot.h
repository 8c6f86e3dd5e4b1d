/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stddef.h>
#include <stdio.h>

/* The folder in which the kernel shows its PMUs. */
#define SYSROOT_PMUS "/sys/bus/event_source/devices"

/* Reads of /proc and /sys go through here. root is put before each path: "" is this machine,
 * a folder is a snapshot of another one, so that machines that nobody here owns are test data. */

/* The whole path into out; -1 if it does not fit. */
int sysroot_path(const char *root, const char *path, char *out, size_t size);

/* Opens a file for reading, or writing (flags); -1 with errno. Closed on exec. In a folder that replaces the
 * machine a pipe or a device is not waited for: ESPIPE. */
int sysroot_file(const char *root, const char *path, int flags);

/* The same as a stream for reading; NULL with errno. */
FILE *sysroot_open(const char *root, const char *path);

/* The first line without its line end. The number of characters, or -1 with errno; a longer line
 * is cut. */
int sysroot_line(const char *root, const char *path, char *out, size_t size);

/* The first line as a decimal number (0x and 0 prefixes as in C). 0, or -1 with errno (EINVAL: not
 * a number). */
int sysroot_number(const char *root, const char *path, long long *out);
