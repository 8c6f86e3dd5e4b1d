/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "record/record.h"
#include "record/settings.h"

#include <stdint.h>

/* The counters of a rank: of all its threads, those that it starts later among them. The thread that
 * began them reads them. */
struct rank_counters;

/* Makes the event sets and fills in the record's names, units and reason. NULL: nothing is counted, and the
 * reason is there. */
struct rank_counters *counters_begin(struct settings *settings, struct rank_record *record);

/* From here on they count. */
void counters_start(struct rank_counters *counters, struct settings *settings, struct rank_record *record);

/* Before a read or the end: where the program has closed what the event sets read, they are lost, and nothing
 * is read or closed any more. A system call for each counter of each thread. */
void counters_check(struct rank_counters *counters);

/* The counts since the start. What cannot be read any more stays as it was, and is lost in the record. */
void counters_read(struct rank_counters *counters, struct rank_record *record);

/* Around an MPI call of the main thread, where record->counters_inside says so. */
void counters_enter(struct rank_counters *counters);
void counters_leave(struct rank_counters *counters, struct rank_record *record);

void counters_end(struct rank_counters *counters);
