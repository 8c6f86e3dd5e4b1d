/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "job/link.h"

/* A job from MPI_Init to MPI_Finalize. This folder is the only one that knows both sides: a rank and its
 * calls, which are there while the program runs, and the job and its report, which are made of what the ranks
 * leave. The other source of it is generated: the wrappers that the program calls. All MPI calls in here are
 * PMPI_*. */

/* To be called before MPI_Init or MPI_Init_thread is passed on. Makes no MPI call. */
void before_init(void);

/* To be called after MPI_Init or MPI_Init_thread has returned MPI_SUCCESS: begins the job. Collective over
 * the ranks that have the library. */
void after_init(void);

/* The same of MPI 4's sessions, which no rank needs to open together with the others: a job begins when a
 * communicator of all ranks has been made of a group, and ends with the last session. */
void after_session(void);
void after_group_comm(MPI_Comm made);
void before_session_end(void);

/* To be called before MPI_Finalize is passed on: reduces, writes the result, prints the report on rank 0,
 * frees everything. Collective over the ranks that have the library. */
void before_finalize(void);

/* The ranks of world that have this library, after all have entered MPI: world itself, or a communicator that
 * the caller frees; MPI_COMM_NULL: MPI failed, or nobody can say. Ranks without the library are not waited
 * for, and named in a complaint, where the launcher's variables number the ranks; otherwise all must have it.
 * One machine knows by the sockets of its ranks. Several tell each other by the names that the launcher
 * keeps (MPI_Publish_name): where a machine has no rank with the library at all, that takes some seconds.
 * Collective over the ranks that have the library. */
MPI_Comm meeting_find(MPI_Comm world);

/* The ranks of a node tell each other which devices they may use; one rank of them finds the energy counter
 * of each (rank/energy.h). At the end, the first rank of the node gets what all of them know. Collective over
 * the ranks of the node that have the library. */
void node_devices_begin(const struct job_link *link);
void node_devices_end(const struct job_link *link);
