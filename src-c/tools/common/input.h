/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdio.h>

/* Opens a file to read, without waiting: a regular one, or what the process was given (/dev/stdin,
 * /dev/fd/3) and /dev/null, of whatever kind. Anything else, as a pipe in the place of a file, is not read.
 * NULL with errno; why: what to say of it. */
FILE *input_open(const char *path, const char **why);

/* Opens a file as input_open does, but as a descriptor; -1 with errno. */
int input_open_file(const char *path, const char **why);
