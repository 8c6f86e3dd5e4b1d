/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <string.h>

/* What a path ends with, as people name a program or a file: all of it where it ends with a slash. */
static inline const char *path_base(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}
