/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "call_tree.h"
#include "source_lines.h"
#include "tools/common/report.h"

/* Data that causes misses of caches, as text and for programs: most of the last level first. Nothing is
 * printed of a profile without it.
 *   most  rows of the text */
void data_print(struct report *report, const struct profile *profile, struct sources *sources, int most);

/* The same of data whose accesses the processor sampled: shares with how far they may be off, and what the
 * loads waited. */
void sampled_data_print(struct report *report, const struct profile *profile, struct sources *sources,
                        int most);

/* Lines of the caches that threads share, by samples: which bytes of them who loads and stores. */
void lines_print(struct report *report, const struct profile *profile, struct sources *sources, int most);

/* Finds what all sampled loads waited, the sum of the squares, and how many loads there are. */
void sampled_data_waits(const struct profile *profile, double *wait, double *squares, uint64_t *loads);

/* By how much a share of the waiting may be off in 19 of 20 runs.
 *   squares  of the waits that are the share; all: of all, whose sum is wait */
double sampled_share_error(double share, double squares, double all, double wait);

/* ---- what they say */

/* Name of data: of a variable, of what is allocated the line that does it. The caller frees it. */
char *datum_text(const struct profile *profile, struct sources *sources, const struct datum *datum);
extern const char *const datum_kinds[DATUM_KINDS];

/* "file.f90:12" or the routine, where the line is not known. The caller frees it. */
char *place_text(const struct profile *profile, int number);

/* Lists routine, file and line of a place, for programs. */
void place_list(struct report *report, const struct profile *profile, int number);

/* Says why no allocation has a row. */
void unseen_say(struct report *report);
