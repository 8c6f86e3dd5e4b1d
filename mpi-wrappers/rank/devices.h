/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "record/record.h"

/* Devices that the rank gives work to, as libpapi_activity sees them. Where PAPI_MPI_DEVICES does not ask for
 * it, that library is not loaded, and only whether the program has a runtime of devices is looked at. */

enum devices_side { DEVICES_BEGIN, DEVICES_END };
enum { DEVICES_OF_RANK = MAX_REGIONS }; /* in place of a region: all that is counted */

/* Begins to record them, before anything is counted. */
void devices_begin(struct rank_record *record);

/* Marks where the main thread enters a region or leaves it. Nothing for one that is inside of itself, while
 * nothing is counted, and where devices are not recorded. */
void devices_mark(struct rank_record *record, int region, enum devices_side side);

/* Marks where counting ends for a while (DEVICES_END), or goes on. */
void devices_pause(struct rank_record *record, enum devices_side side);

/* Ends all that is open, and takes in what the devices did. */
void devices_end(struct rank_record *record);
