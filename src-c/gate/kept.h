/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "counting.h"

#include <stdbool.h>

/* Results of commits, kept below a repository's own folder: papi_gate/KEY/COMMIT.json, or COMMIT.skip with
 * the reason of a commit that cannot be counted. KEY is of all that decides the counts of a commit: how it is
 * built and run, the tools, the compilers. */
struct kept {
    char *folder; /* NULL: nothing is kept */
};

/* Opens the folder. NULL; or a sentence, to be freed: nothing will be kept.
 *   common  the repository's own folder
 *   inside  where in the tree the commands run */
char *kept_open(struct kept *kept, const char *common, const char *inside, const struct counting *counting,
                char *const *build, char *const *run);

/* Reads what is kept of a commit. True: it is in counts, or in skipped, to be freed, why it has none. */
bool kept_read(const struct kept *kept, const char *commit, struct counts *counts, char **skipped);

/* Keeps the counts of a commit; or, where counts is NULL, why it has none. What cannot be written is not
 * kept. */
void kept_write(const struct kept *kept, const char *commit, const struct counts *counts,
                const char *skipped);
void kept_close(struct kept *kept);
