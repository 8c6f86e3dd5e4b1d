/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <jansson.h>

/* What a file of JSON holds. NULL: *why is a sentence that names the file, to be freed. flags: jansson's. */
json_t *json_file_read(const char *path, size_t flags, char **why);
