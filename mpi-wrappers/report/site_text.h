/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "job/job.h"

#include <stdbool.h>

enum { SITE_TEXT = ROUTINE_NAME * 2 + SOURCE_PATH + 64 };

/* Where a call is made, as far as it is known, for a line of text: "halo.f90:57 halo::exchange", with "(in
 * solve)" behind a routine that was inlined; "solver.so+0x1a2b". C++'s routines are without the types of
 * their arguments. Returns text. */
const char *site_text(char text[SITE_TEXT], const struct job *job, const struct job_site *site);

/* Whether more is known of the place than an address in a file. */
bool site_is_named(const struct job *job, const struct job_site *site);

/* The call sites of two results that are one place of the program: in a file and a routine of the same names,
 * where the same MPI call is made. Their lines may differ, as may the folder of the file. Where a routine has
 * several of a call, they are in the order of their lines; if one result has more of them than the other,
 * those are the same that most agree on how far the routine has moved. Without debug information, the program
 * or library stands for the file, and the address for the line. */
struct site_pair {
    const struct job_site *here, *there; /* NULL: this run, or the reference, has none */
};

enum { MAX_SITE_PAIRS = 2 * MAX_JOB_SITES };

/* All of both that were called, those first whose times differ most. Returns how many. */
int site_pairs(struct site_pair pair[MAX_SITE_PAIRS], const struct job *job, const struct job *reference);
