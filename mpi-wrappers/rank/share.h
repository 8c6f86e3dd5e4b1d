/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "record/record.h"

/* How much of a counted build's processor time its counters do not see. Both are the main thread's to call.
 */

/* Samples the calling thread from now on, where the record has counters of the program's own code, and
 * PAPI_COUNTED_SHARE is not 0. */
void share_begin(struct rank_record *record);

/* What was found, into the record. A second call does nothing. */
void share_end(struct rank_record *record);
