/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Facts about the node that a rank is on. root: before each path ("" is this machine). */

/* Bytes of memory that this process may use, with all others for which the same holds: that of the node, or
 * less where its control group, or one that this is in, has a limit. 0: not known. */
uint64_t machine_memory(const char *root);

/* Hertz of a CPU now, as cpufreq has it. 0: not known, as in most virtual machines. */
uint64_t machine_frequency(const char *root, int cpu);

/* Reads what the kernel accounts for this process, in the order of enum usage of the record. */

/* Reads the figures of this process so far. */
void usage_read(uint64_t *usage);

/* Computes into used what was added since begin. */
void usage_since(const uint64_t *begin, uint64_t *used);

/* The launcher's information about this process, and which ranks have this library: one without it, such as a
 * helper that is linked statically, would be waited for in vain. Before MPI_Init, which nobody leaves before
 * all have entered it, a rank that has the library opens a socket of a name that the others of this machine
 * work out. */

/* Read the launcher's variables, whether MPI is there or not. presence_rank: the rank; -1: the process was
 * started alone. presence_ranks: the number of ranks of the job, presence_here: of those on this machine; 0:
 * the launcher does not say. */
int presence_rank(void);
int presence_ranks(void);
int presence_here(void);

/* Returns a number that is the same on all ranks for which the launcher has one process on their machine, and
 * another on others. */
uint64_t presence_machine(void);

/* Shows the others that this rank has the library; before MPI_Init. A second call does nothing. */
void presence_show(void);
/* False: there is nothing by which ranks of this job could know each other. */
bool presence_is_shown(void);
/* True on one of the ranks of this machine that are shown: it asks for the others, too. */
bool presence_asks(void);

/* Finds the ranks of the job that are shown on this machine, after MPI_Init: sets their bytes in is_here,
 * which has one for each rank and is 0 before. Returns their number. */
int presence_find(int ranks, char *is_here);

/* Send a text of any length, with its \0, to a rank that is here, and receive one. Return 0, or -1: nothing
 * came in so many milliseconds, or there is no way to the other. */
int presence_tell(int rank, const char *text);
int presence_hear(char *text, int room, int milliseconds);

/* Closes the socket, once all have looked. */
void presence_end(void);
