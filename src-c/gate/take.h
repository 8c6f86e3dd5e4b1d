/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "counts.h"

struct json_t;

/* Adds what the counted processes of a run left in a folder (formats/counted_totals.h). NULL; or a sentence,
 * to be freed: nothing was counted, or not all. */
char *take_totals(struct counts *counts, const char *folder);

struct model;

/* Adds the estimated time of the blocks that were counted, and forgets them. model: NULL: it only does that.
 */
void take_estimate(struct counts *counts, const struct model *model);

/* Adds the counts of an exact profile of papi_profile. The same. */
char *take_profile(struct counts *counts, const char *path);

/* Adds the counts of regions, as the processes of a run wrote them below a folder. A region that ran several
 * times, in threads and processes, is one. */
void take_regions(struct counts *counts, const char *folder);

/* Adds the sources of what counts, and the texts of their lines that have counts, where the files can be
 * read. */
void take_sources(struct counts *counts);
