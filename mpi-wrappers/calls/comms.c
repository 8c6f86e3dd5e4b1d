/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Communicators in the record: who is in them, so that a reader knows which rank of the job a rank of one is,
 * and who is missing in a collective call. They are noted when they are made, which all their ranks do
 * together and which takes as long for MPI itself; a call looks nothing up. Ranks that follow each other at
 * the same distance, as in the rows and columns of a grid, are one run.
 */
#include "calls/tables.h"
#include "calls/wrapper.h"

#include <pthread.h>
#include <stdlib.h>

/* Cuts ranks into runs. Returns their number, or more than most: there is no room for all. */
static int make_runs(struct comm_run *run, int most, const int *rank, int n)
{
    int runs = 0;
    for (int i = 0; i < n && runs < most; runs++) {
        int stride = i + 1 < n ? rank[i + 1] - rank[i] : 1, end = i + 1;
        while (end < n && rank[end] - rank[end - 1] == stride)
            end++;
        run[runs] = (struct comm_run){rank[i], stride, end - i};
        i = end;
        if (i == n)
            return runs + 1;
    }
    return n > 0 ? most + 1 : 0;
}

/* The ranks of MPI_COMM_WORLD that are in a group, for the caller to free; NULL: no memory, or a rank of
 * another world. */
static int *world_ranks(const struct call_tables *tables, MPI_Group group, int n)
{
    int *rank = malloc((size_t)n * 2 * sizeof *rank + 1);
    if (!rank)
        return NULL;
    for (int i = 0; i < n; i++)
        rank[n + i] = i;
    if (tables->Group_translate_ranks(group, n, rank + n, tables->group, rank) == MPI_SUCCESS) {
        int i = 0;
        while (i < n && rank[i] >= 0)
            i++;
        if (i == n)
            return rank;
    }
    free(rank);
    return NULL;
}

/* The place of a communicator: that of one with the same handle, which was freed, or the oldest. */
static struct noted_comm *place_of(struct rank_record *record, uint64_t handle)
{
    for (int i = 0; i < NOTED_COMMS; i++)
        if (record->comm[i].handle == handle)
            return &record->comm[i];
    return &record->comm[(unsigned)record->made_comms % NOTED_COMMS];
}

/* Puts the ranks into the runs of a place, if these have room, or else behind the last ones. */
static void put_runs(struct rank_record *record, struct noted_comm *known, const int *rank, int n)
{
    struct comm_run *behind = record->comm_run + record->used_runs;
    int runs = make_runs(record->comm_run + known->first, known->room, rank, n);
    if (runs > known->room) {
        int room = COMM_RUNS - record->used_runs;
        runs = make_runs(behind, room, rank, n);
        if (runs > room)
            return; /* who is in it is not known */
        known->first = record->used_runs;
        known->room = runs;
        record->used_runs += runs;
    }
    known->n_runs = runs;
}

static void note(enum call call, MPI_Comm comm, int made)
{
    struct rank_record *record = papi_mpi.record;
    const struct call_tables *tables = papi_mpi.tables;
    MPI_Group group;
    int inter = 0, n = 0;
    if (tables->Comm_test_inter(comm, &inter) != MPI_SUCCESS ||
        (inter ? tables->Comm_remote_group : tables->Comm_group)(comm, &group) != MPI_SUCCESS)
        return;
    (inter ? tables->Comm_remote_size : tables->Comm_size)(comm, &n);
    int *rank = world_ranks(tables, group, n);
    tables->Group_free(&group);
    pthread_mutex_lock(&papi_mpi.object_lock);
    struct noted_comm *known = place_of(record, FACT_HANDLE(comm));
    __atomic_store_n(&known->handle, 0, __ATOMIC_RELEASE);
    known->fortran = (uint64_t)(uint32_t)PMPI_Comm_c2f(comm) | HANDLE_OF_FORTRAN;
    known->size = n;
    known->call = made ? (int32_t)call : -1;
    known->inter = inter;
    known->n_runs = 0;
    if (rank)
        put_runs(record, known, rank, n);
    record->made_comms++;
    __atomic_store_n(&known->handle, FACT_HANDLE(comm), __ATOMIC_RELEASE);
    pthread_mutex_unlock(&papi_mpi.object_lock);
    free(rank);
}

void call_made_comm(enum call call, MPI_Comm comm)
{
    if (papi_mpi.record && papi_mpi.tables && !papi_mpi.tables->ended && comm != MPI_COMM_NULL)
        note(call, comm, 1);
}

void call_begin_comms(void)
{
    struct rank_record *record = papi_mpi.record;
    if (!record)
        return;
    record->any_source = MPI_ANY_SOURCE;
    record->proc_null = MPI_PROC_NULL;
    record->any_tag = MPI_ANY_TAG;
    note(CALL_INIT, papi_mpi.tables->world, 0);
    if (papi_mpi.tables->world == MPI_COMM_WORLD)
        note(CALL_INIT, MPI_COMM_SELF, 0);
}
