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
