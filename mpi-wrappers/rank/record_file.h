/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "record/record.h"
#include "record/settings.h"

/* The memory of a rank's record: a file that is mapped, so that it outlives the process, or plain memory
 * where none can be made. The mode of its directory is 0700, its own 0600.
 *
 * What is mapped has its blocks allocated before: a disk that fills up later cannot hit the program. The
 * process holds a lock on the file as long as it lives. */
struct rank_file;

/* Creates room for a record and its first chunk, all zero; *record is its address. NULL: there is no
 * memory. */
struct rank_file *file_create(struct settings *settings, const char *job, int rank,
                              struct rank_record **record);

/* Adds a chunk if there are as many as known; another thread may have been faster. 0, or -1: there is no
 * room. */
int file_grow(struct rank_file *file, struct rank_record *record, int known);

/* Maps another file beside the record, all zero, that goes with it: of the last calls (record/call_ring.h).
 * It stays mapped. NULL: there is no room for it, or the record is plain memory. */
void *file_add_ring(struct rank_file *file, size_t size);

/* The directory of the file; NULL: it is plain memory. */
const char *file_directory(const struct rank_file *file);

/* Gives the memory and the file back. Threads that still write to where the record was do no harm. */
void file_remove(struct rank_file *file);
