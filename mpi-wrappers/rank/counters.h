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

/* Starts the event sets. */
void counters_start(struct rank_counters *counters, struct settings *settings, struct rank_record *record);

/* Checks the event sets before a read or the end: if the program has closed their descriptors, they are lost,
 * and nothing is read or closed any more. Takes a system call for each counter of each thread. */
void counters_check(struct rank_counters *counters);

/* The counts since the start. What cannot be read any more stays as it was, and is lost in the record. */
void counters_read(struct rank_counters *counters, struct rank_record *record);

/* To be called before and after an MPI call of the main thread, where record->counters_inside says so. */
void counters_enter(struct rank_counters *counters);
void counters_leave(struct rank_counters *counters, struct rank_record *record);

void counters_end(struct rank_counters *counters);
