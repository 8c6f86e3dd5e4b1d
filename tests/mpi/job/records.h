/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "record/record.h"

/* Records of ranks as the library would have them, in plain memory: one chunk of thread records, of which the
 * first is that of the main thread. A tick is a nanosecond. free() ends it. */
struct rank_record *record_make(int rank, int ranks, int node, int nodes);
struct thread_record *record_thread(struct rank_record *record, int i);

void record_call(struct thread_record *thread, enum call call, uint64_t calls, uint64_t ticks,
                 uint64_t bytes);
void record_peer(struct thread_record *thread, int rank, uint64_t messages, uint64_t bytes);
/* Calls from an address in an object, which is its place. */
int record_object(struct rank_record *record, const char *path, uint64_t bias, const char *build_id);
void record_site(struct rank_record *record, int object, uint64_t address, enum call call, uint64_t calls,
                 uint64_t ticks, uint64_t bytes);
/* The region's place. */
int record_region(struct rank_record *record, const char *name);
/* The counter's place. */
int record_counter(struct rank_record *record, const char *name, int64_t value, int64_t in_mpi);
