/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "call_tree.h"
#include "data_space.h"
#include "formats/allocation_record.h"
#include "line_sharing.h"
#include "memory_samples.h"
#include "objects.h"
#include "unwind.h"

/* The data of a process at the time of a sample. */

struct replay_data {
    struct profile *profile;
    struct objects *objects;
    struct index allocating; /* pids, uint32_t, of those that reported any allocation */
    struct index variables;  /* object and address of those that were asked for ... */
    int *datum, room;        /* ... and their data */
    uint64_t line_bytes;     /* of the caches; a power of two */
    struct index moved;      /* struct moved_line: lines that a load found in another core's cache */
    struct sharing sharing;
    struct widths *widths; /* NULL: until the first is asked for */
};

/* Notes the line of a sample, before all are taken: only lines that moved from one core to another are looked
 * at as shared ones. */
void replay_note_moved(struct replay_data *data, const struct memory_sample *sample);

/* Takes an allocation, made by the call in space that returns to its caller. */
void replay_allocation(struct replay_data *data, struct data_space *heap, const struct space *space,
                       const struct allocation_record *record);

/* Adds a sample of an access by an instruction.
 *   process  its number in the profile
 *   exact    the sample has the address of the very instruction */
struct replay_where {
    int process, place;
    bool exact;
};
void replay_access(struct replay_data *data, const struct data_space *heap, const struct space *space,
                   const struct replay_where *where, const struct memory_sample *sample);

/* Makes the profile's shared lines, and ends. */
void replay_data_end(struct replay_data *data);
