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
#include <string.h>

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

/* ---- communicators whose calls are counted */

static uint64_t mixed(uint64_t a, uint64_t b)
{
    uint64_t hash = (a ^ b) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

/* A hash of the ranks of MPI_COMM_WORLD that are in a group. */
static uint64_t hash_of(MPI_Group group)
{
    const struct call_tables *tables = papi_mpi.tables;
    int n = 0;
    PMPI_Group_size(group, &n);
    int *rank = malloc((size_t)n * 2 * sizeof *rank + 1);
    uint64_t hash = mixed((uint64_t)n, 1);
    for (int i = 0; rank && i < n; i++)
        rank[n + i] = i;
    if (rank && tables->Group_translate_ranks(group, n, rank + n, tables->group, rank) == MPI_SUCCESS)
        for (int i = 0; i < n; i++)
            hash = mixed(hash, (uint64_t)(uint32_t)rank[i]);
    free(rank);
    return hash;
}

/* The same of all ranks of a communicator; of an intercommunicator both sides have the same. */
static uint64_t group_hash(MPI_Comm comm, int inter)
{
    const struct call_tables *tables = papi_mpi.tables;
    MPI_Group group;
    uint64_t hash = 0;
    for (int remote = 0; remote <= inter; remote++) {
        if ((remote ? tables->Comm_remote_group : tables->Comm_group)(comm, &group) != MPI_SUCCESS)
            continue;
        hash += hash_of(group);
        tables->Group_free(&group);
    }
    return hash;
}

/* True for a call that all ranks of its communicator make: then it is one after the other on all of them. */
static int is_made_by_all(enum call call)
{
    return call != CALL_COMM_CREATE_GROUP && call != CALL_COMM_CREATE_FROM_GROUP &&
           call != CALL_INTERCOMM_CREATE && call != CALL_INTERCOMM_CREATE_FROM_GROUPS &&
           call != CALL_INTERCOMM_MERGE && !record_meets(call, false);
}

static uint64_t key_of(uint64_t order, uint64_t hash)
{
    return (order < 0xffff ? order : 0xffff) << 48 | (hash >> 16 != 0 ? hash >> 16 : 1);
}

/* The identity of a communicator that is made of another one: the same on all ranks, because all make the
 * same ones of it in the same order. Those that do not get one count, too. 0: it needs another one. */
static uint64_t key_of_child(struct rank_record *record, enum call call, MPI_Comm parent)
{
    int place = parent && is_made_by_all(call) ? comms_find(record, FACT_HANDLE(parent)) : COMM_OTHERS;
    if (place == COMM_OTHERS)
        return 0;
    struct counted_comm *of = &record->counted_comm[place];
    of->made++;
    return key_of((of->key >> 48) + 1 + of->made, mixed(mixed(of->key, call), of->made));
}

/* The identity by the ranks that are in it, which make those with just these ranks in the same order. */
static uint64_t key_of_group(const struct rank_record *record, uint64_t group)
{
    uint64_t before = 0;
    for (int i = 0; i < record->n_counted; i++)
        before += record->counted_comm[i].group == group;
    return key_of(2 + before, mixed(group, before));
}

/* True for one rank of a communicator, which counts it. */
static int is_first(MPI_Comm comm, int inter)
{
    const struct call_tables *tables = papi_mpi.tables;
    MPI_Group remote;
    int rank = 0, other = -1;
    tables->Comm_rank(comm, &rank);
    if (rank != 0 || !inter || tables->Comm_remote_group(comm, &remote) != MPI_SUCCESS)
        return rank == 0;
    tables->Group_translate_ranks(remote, 1, &rank, tables->group, &other);
    tables->Group_free(&remote);
    return other < 0 || tables->rank < other;
}

/* Facts about a communicator that can be used. */
static struct counted_comm look_at(enum call call, MPI_Comm comm)
{
    const struct call_tables *tables = papi_mpi.tables;
    struct counted_comm found = {.call = (int32_t)call};
    int inter = 0, remote = 0;
    tables->Comm_test_inter(comm, &inter);
    tables->Comm_size(comm, &found.size);
    if (inter && tables->Comm_remote_size(comm, &remote) == MPI_SUCCESS)
        found.size += remote;
    found.first = is_first(comm, inter);
    return found;
}

/* Has the calls of a communicator counted from now on, if there is a place. */
static void count(struct counted_comm comm, MPI_Comm handle)
{
    struct rank_record *record = papi_mpi.record;
    if (record->n_counted == MAX_COMMS || comm.key == 0)
        return;
    struct counted_comm *place = &record->counted_comm[record->n_counted];
    comm.handle = FACT_HANDLE(handle);
    comm.fortran = (uint64_t)(uint32_t)PMPI_Comm_c2f(handle) | HANDLE_OF_FORTRAN;
    *place = comm;
    __atomic_store_n(&record->n_counted, record->n_counted + 1, __ATOMIC_RELEASE);
}

/* Counts one that a call has made. With later it may not be used yet: it has the ranks of its parent. */
static void count_made(enum call call, MPI_Comm comm, MPI_Comm parent, int later)
{
    struct rank_record *record = papi_mpi.record;
    pthread_mutex_lock(&papi_mpi.object_lock);
    uint64_t key = key_of_child(record, call, parent);
    int from = later ? comms_find(record, FACT_HANDLE(parent)) : COMM_OTHERS;
    if (from != COMM_OTHERS) {
        struct counted_comm made = {.key = key,
                                    .call = (int32_t)call,
                                    .size = record->counted_comm[from].size,
                                    .first = record->counted_comm[from].first};
        count(made, comm);
    } else if (!later && comm != MPI_COMM_NULL) {
        struct counted_comm made = look_at(call, comm);
        int inter = 0;
        papi_mpi.tables->Comm_test_inter(comm, &inter);
        made.group = key == 0 ? mixed(group_hash(comm, inter), call) : 0;
        made.key = key == 0 ? key_of_group(record, made.group) : key;
        count(made, comm);
    }
    pthread_mutex_unlock(&papi_mpi.object_lock);
}

static void count_first(MPI_Comm comm, uint64_t key)
{
    struct counted_comm first = look_at(CALL_INIT, comm);
    first.call = -1;
    first.key = key;
    count(first, comm);
}

static int counts_comms(void)
{
    return papi_mpi.record && papi_mpi.record->by_comm && papi_mpi.tables && !papi_mpi.tables->ended;
}

void before_comm_gone(MPI_Comm comm)
{
    struct rank_record *record = papi_mpi.record;
    if (likely(!counts_comms()) || !comm ||
        mpi_thread.outermost > CALL_FRAME) /* inside of a call: the hook's own frame is below that one's */
        return;
    pthread_mutex_lock(&papi_mpi.object_lock);
    int place = comms_find(record, FACT_HANDLE(comm));
    if (place != COMM_OTHERS)
        record->counted_comm[place].handle = record->counted_comm[place].fortran = 0;
    if (mpi_thread.record)
        mpi_thread.record->comms.gone = place != COMM_OTHERS ? place + 1 : 0;
    pthread_mutex_unlock(&papi_mpi.object_lock);
}

void after_named(MPI_Comm comm, struct possible_name name)
{
    char text[POSSIBLE_NAME];
    if (!counts_comms() || !possible_name_read(text, name))
        return;
    pthread_mutex_lock(&papi_mpi.object_lock);
    int place = comms_find(papi_mpi.record, FACT_HANDLE(comm));
    if (place != COMM_OTHERS)
        region_text(papi_mpi.record->counted_comm[place].name, COMM_NAME, text, strlen(text));
    pthread_mutex_unlock(&papi_mpi.object_lock);
}

/* ---- communicators as a reader of the record is told of them */

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

void call_made_comm(enum call call, MPI_Comm comm, MPI_Comm parent)
{
    if (counts_comms())
        count_made(call, comm, parent, 0);
    if (papi_mpi.record && papi_mpi.tables && !papi_mpi.tables->ended && comm != MPI_COMM_NULL)
        note(call, comm, 1);
}

void call_makes_comm(enum call call, MPI_Comm comm, MPI_Comm parent)
{
    if (counts_comms())
        count_made(call, comm, parent, 1);
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
    if (!record->by_comm)
        return;
    count_first(papi_mpi.tables->world, COMM_KEY_WORLD);
    if (papi_mpi.tables->world == MPI_COMM_WORLD)
        count_first(MPI_COMM_SELF, COMM_KEY_SELF);
}
