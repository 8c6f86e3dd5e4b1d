/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "event_choice.h"

/* What a program left: sentences that say what failed are to be freed, NULL is none. */

/* The regions in all files of folder/papi_hl_output, added up by name; no point at all if there is no such
 * folder, or no region in it. */
char *regions_read(const char *folder, const struct source *source, const struct roofs *roofs,
                   struct points *points);

/* The whole run, from papi_emulate's report; name: for its point. */
char *regions_read_whole(const char *report, const char *name, const struct roofs *roofs,
                         struct points *points);
