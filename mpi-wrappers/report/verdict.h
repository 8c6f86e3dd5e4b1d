/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "job/job.h"

#include <stdbool.h>

enum { VERDICT_ROOM = 768, VERDICT_PLACE = 120 /* columns of it */ };

/* Ranks that are on a processor for a smaller part of their time are worth a word. */
#define VERDICT_ON_PROCESSOR 0.8

/* Writes the sentence: where the time went, and what to look at first. */
void verdict(char text[VERDICT_ROOM], const struct job *job);

/* Adds the functions PMPI_... that the program calls itself: "PMPI_Send, PMPI_Recv". */
void verdict_unseen(char text[VERDICT_ROOM], const struct job *job);

/* Writes the second sentence: the call site or region that costs most, with file and line, and the command
 * that tells more. "": there is none. */
void verdict_place(char text[VERDICT_ROOM], const struct job *job);

/* True if most is lost to communication, and how much of that is waiting for other ranks only the critical
 * path would say; for those of other jobs, only a timeline. */
bool verdict_needs_path(const struct job *job);

/* Describes a job that did not end well, or that does not have all its ranks: which are missing, and what the
 * others were doing. "" for a whole job. */
void verdict_partial(char text[VERDICT_ROOM], const struct job *job);

/* Writes the texts of verdict_partial and verdict as one, and below them that of verdict_place. */
enum { VERDICT_WHOLE = 3 * VERDICT_ROOM };
void verdict_whole(char text[VERDICT_WHOLE], const struct job *job);

/* The part of the ranks' time in which they were on a processor, of several threads more than 1; 0 if
 * unknown. */
double verdict_on_processor(const struct job *job);

/* True if others were on instead of them: they were taken off again and again. Not where there are more ranks
 * than processors, which explains it. */
bool verdict_displaced(const struct job *job);

/* True if they also gave a processor up by themselves, for as long as nobody knows: few switches can be long
 * sleeps. */
bool verdict_may_have_slept(const struct job *job);

/* True if ranks of which nothing is lost to others hardly compute: outside MPI they sleep, or wait for files
 * or other processes. */
bool verdict_absent(const struct job *job);

/* The host that a rank ran on, where the rows tell; otherwise "". */
const char *verdict_host(const struct job *job, uint64_t rank);
