/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <jansson.h>

/* Reads a file of JSON; flags are jansson's. Returns NULL on an error: *why is then a sentence that names the
 * file, to be freed by the caller. */
json_t *json_file_read(const char *path, size_t flags, char **why);

/* The words of a profile's command, to be freed. */
char *json_words(const json_t *list);
