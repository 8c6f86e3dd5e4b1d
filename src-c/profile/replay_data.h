/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "call_tree.h"
#include "data_space.h"
#include "formats/allocation_record.h"
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
};

/* Takes an allocation, made by the call in space that returns to its caller. */
void replay_allocation(struct replay_data *data, struct data_space *heap, const struct space *space,
                       const struct allocation_record *record);

/* Adds a sample of an access by an instruction at a place. */
void replay_access(struct replay_data *data, const struct data_space *heap, const struct space *space,
                   int place, const struct memory_sample *sample);

void replay_data_free(struct replay_data *data);
