/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "call_tree.h"

#include <stdio.h>

struct json; /* base/json.h, which jansson's header does not go with */

/* A profile's file: JSON, which docs/profile.md describes. */

void file_write(FILE *out, const struct profile *profile);

/* The same with more members at its end; more may be NULL. */
void file_write_with(FILE *out, const struct profile *profile, void (*more)(struct json *json, void *data),
                     void *data);

/* NULL: read. Else a sentence, to be freed: the profile is what it was, perhaps with more strings. Several
 * files may be read into one profile: their events must be the same, and their values are added up. */
char *file_read(struct profile *profile, const char *path);
