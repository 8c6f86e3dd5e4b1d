/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes every call of the table that two ranks can make by themselves; every.py knows which are left out. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void save_records(int rank);

static int rank, other, a[64], b[64];
static const int ones[2] = {1, 1}, places[2] = {0, 1}, bytes[2] = {0, 4};
static MPI_Datatype types[2];
static MPI_Request request, requests[2];
static MPI_Status status, statuses[2];

#define WORLD MPI_COMM_WORLD

/* Open MPI 4.1 (its part sharedfp_sm) lets two ranks of a node run into each other where they open one file:
 * now and then one waits for ever or ends by SIGBUS. There each rank has a file of its own. */
#ifdef OPEN_MPI
#define FILES MPI_COMM_SELF
#define FILE_OF_RANK rank
#else
#define FILES MPI_COMM_WORLD
#define FILE_OF_RANK 0
#endif
#define WAIT MPI_Wait(&request, MPI_STATUS_IGNORE)

static void sends(void)
{
    int (*const blocking[])(const void *, int, MPI_Datatype, int, int, MPI_Comm) = {MPI_Send, MPI_Bsend,
                                                                                    MPI_Ssend, MPI_Rsend};
    int (*const starting[])(const void *, int, MPI_Datatype, int, int, MPI_Comm,
                            MPI_Request *) = {MPI_Isend, MPI_Ibsend, MPI_Issend, MPI_Irsend};
    int (*const prepared[])(const void *, int, MPI_Datatype, int, int, MPI_Comm,
                            MPI_Request *) = {MPI_Send_init, MPI_Bsend_init, MPI_Ssend_init, MPI_Rsend_init};
    static char room[100000];
    void *back;
    int size;

    MPI_Buffer_attach(room, sizeof room);
    for (int i = 0; i < 4; i++) {
        MPI_Irecv(b, 1, MPI_INT, other, i, WORLD, &requests[0]);
        MPI_Barrier(WORLD); /* the receive is there: so MPI_Rsend wants it */
        blocking[i](a, 1, MPI_INT, other, i, WORLD);
        MPI_Wait(&requests[0], &status);
        MPI_Irecv(b, 1, MPI_INT, other, i, WORLD, &requests[0]);
        MPI_Barrier(WORLD);
        starting[i](a, 1, MPI_INT, other, i, WORLD, &requests[1]);
        MPI_Waitall(2, requests, statuses);
        MPI_Recv_init(b, 1, MPI_INT, other, i, WORLD, &requests[0]);
        prepared[i](a, 1, MPI_INT, other, i, WORLD, &requests[1]);
        MPI_Start(&requests[0]);
        MPI_Barrier(WORLD);
        MPI_Startall(1, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        MPI_Request_free(&requests[0]);
        MPI_Request_free(&requests[1]);
    }
    MPI_Buffer_detach(&back, &size);
}

static void receives(void)
{
    MPI_Message message;
    int flag = 0;
    if (rank == 0) {
        for (int tag = 1; tag <= 5; tag++)
            MPI_Send(a, 1, MPI_INT, 1, tag, WORLD);
    } else {
        MPI_Probe(0, 1, WORLD, &status);
        MPI_Recv(b, 1, MPI_INT, 0, 1, WORLD, &status);
        while (!flag)
            MPI_Iprobe(0, 2, WORLD, &flag, &status);
        MPI_Recv(b, 1, MPI_INT, 0, 2, WORLD, MPI_STATUS_IGNORE);
        MPI_Mprobe(0, 3, WORLD, &message, &status);
        MPI_Mrecv(b, 1, MPI_INT, &message, &status);
        for (flag = 0; !flag;)
            MPI_Improbe(0, 4, WORLD, &flag, &message, &status);
        MPI_Imrecv(b, 1, MPI_INT, &message, &request);
        WAIT;
        MPI_Recv(b, 1, MPI_INT, 0, 5, WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Sendrecv(a, 1, MPI_INT, other, 6, b, 1, MPI_INT, other, 6, WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv_replace(a, 1, MPI_INT, other, 7, other, 7, WORLD, &status);
    MPI_Irecv(b, 1, MPI_INT, other, 8, WORLD, &request);
    MPI_Cancel(&request);
    WAIT;
}

static void completions(void)
{
    int flag = 0, index, n, indices[2];
    for (int kind = 0; kind < 7; kind++) {
        MPI_Irecv(b, 1, MPI_INT, other, kind, WORLD, &requests[0]);
        MPI_Isend(a, 1, MPI_INT, other, kind, WORLD, &requests[1]);
        if (kind == 0)
            MPI_Waitany(2, requests, &index, &status);
        else if (kind == 1)
            MPI_Waitsome(2, requests, &n, indices, statuses);
        else if (kind == 2)
            MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
        else if (kind == 3)
            MPI_Testall(2, requests, &flag, MPI_STATUSES_IGNORE);
        else if (kind == 4)
            MPI_Testany(2, requests, &index, &flag, &status);
        else if (kind == 5)
            MPI_Testsome(2, requests, &n, indices, statuses);
        else
            MPI_Request_get_status(requests[0], &flag, &status);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
}

static void collectives(void)
{
    MPI_Barrier(WORLD);
    MPI_Bcast(a, 1, MPI_INT, 0, WORLD);
    MPI_Bcast(a, 1, MPI_INT, 0, MPI_COMM_SELF);
    MPI_Gather(a, 1, MPI_INT, b, 1, MPI_INT, 0, WORLD);
    MPI_Gatherv(a, 1, MPI_INT, b, ones, places, MPI_INT, 0, WORLD);
    MPI_Scatter(a, 1, MPI_INT, b, 1, MPI_INT, 0, WORLD);
    MPI_Scatterv(a, ones, places, MPI_INT, b, 1, MPI_INT, 0, WORLD);
    MPI_Allgather(a, 1, MPI_INT, b, 1, MPI_INT, WORLD);
    MPI_Allgatherv(a, 1, MPI_INT, b, ones, places, MPI_INT, WORLD);
    MPI_Alltoall(a, 1, MPI_INT, b, 1, MPI_INT, WORLD);
    MPI_Alltoallv(a, ones, places, MPI_INT, b, ones, places, MPI_INT, WORLD);
    MPI_Alltoallw(a, ones, bytes, types, b, ones, bytes, types, WORLD);
    MPI_Reduce(a, b, 1, MPI_INT, MPI_SUM, 0, WORLD);
    MPI_Allreduce(a, b, 1, MPI_INT, MPI_SUM, WORLD);
    MPI_Reduce_scatter(a, b, ones, MPI_INT, MPI_SUM, WORLD);
    MPI_Reduce_scatter_block(a, b, 1, MPI_INT, MPI_SUM, WORLD);
    MPI_Scan(a, b, 1, MPI_INT, MPI_SUM, WORLD);
    MPI_Exscan(a, b, 1, MPI_INT, MPI_SUM, WORLD);
    MPI_Reduce_local(a, b, 1, MPI_INT, MPI_SUM);
}

static void started_collectives(void)
{
    MPI_Ibarrier(WORLD, &request), WAIT;
    MPI_Ibcast(a, 1, MPI_INT, 0, WORLD, &request), WAIT;
    MPI_Igather(a, 1, MPI_INT, b, 1, MPI_INT, 0, WORLD, &request), WAIT;
    MPI_Igatherv(a, 1, MPI_INT, b, ones, places, MPI_INT, 0, WORLD, &request), WAIT;
    MPI_Iscatter(a, 1, MPI_INT, b, 1, MPI_INT, 0, WORLD, &request), WAIT;
    MPI_Iscatterv(a, ones, places, MPI_INT, b, 1, MPI_INT, 0, WORLD, &request), WAIT;
    MPI_Iallgather(a, 1, MPI_INT, b, 1, MPI_INT, WORLD, &request), WAIT;
    MPI_Iallgatherv(a, 1, MPI_INT, b, ones, places, MPI_INT, WORLD, &request), WAIT;
    MPI_Ialltoall(a, 1, MPI_INT, b, 1, MPI_INT, WORLD, &request), WAIT;
    MPI_Ialltoallv(a, ones, places, MPI_INT, b, ones, places, MPI_INT, WORLD, &request), WAIT;
    MPI_Ialltoallw(a, ones, bytes, types, b, ones, bytes, types, WORLD, &request), WAIT;
    MPI_Ireduce(a, b, 1, MPI_INT, MPI_SUM, 0, WORLD, &request), WAIT;
    MPI_Iallreduce(a, b, 1, MPI_INT, MPI_SUM, WORLD, &request), WAIT;
    MPI_Ireduce_scatter(a, b, ones, MPI_INT, MPI_SUM, WORLD, &request), WAIT;
    MPI_Ireduce_scatter_block(a, b, 1, MPI_INT, MPI_SUM, WORLD, &request), WAIT;
    MPI_Iscan(a, b, 1, MPI_INT, MPI_SUM, WORLD, &request), WAIT;
    MPI_Iexscan(a, b, 1, MPI_INT, MPI_SUM, WORLD, &request), WAIT;
}

#if MPI_VERSION >= 4 && defined MPICH
#define MPI_4 1
static void run_twice(void)
{
    for (int i = 0; i < 2; i++)
        MPI_Start(&request), WAIT;
    MPI_Request_free(&request);
}
#define TWICE MPI_INFO_NULL, &request), run_twice()

/* Persistent collectives of MPI 4; each is started twice. */
static void prepared_collectives(void)
{
    const int dims[1] = {2}, round[1] = {0};
    const MPI_Aint places_of[2] = {0, 4};
    MPI_Comm row;
    MPI_Cart_create(WORLD, 1, dims, round, 0, &row);
    MPI_Barrier_init(WORLD, TWICE;
    MPI_Bcast_init(a, 1, MPI_INT, 0, WORLD, TWICE;
    MPI_Gather_init(a, 1, MPI_INT, b, 1, MPI_INT, 0, WORLD, TWICE;
    MPI_Gatherv_init(a, 1, MPI_INT, b, ones, places, MPI_INT, 0, WORLD, TWICE;
    MPI_Scatter_init(a, 1, MPI_INT, b, 1, MPI_INT, 0, WORLD, TWICE;
    MPI_Scatterv_init(a, ones, places, MPI_INT, b, 1, MPI_INT, 0, WORLD, TWICE;
    MPI_Allgather_init(a, 1, MPI_INT, b, 1, MPI_INT, WORLD, TWICE;
    MPI_Allgatherv_init(a, 1, MPI_INT, b, ones, places, MPI_INT, WORLD, TWICE;
    MPI_Alltoall_init(a, 1, MPI_INT, b, 1, MPI_INT, WORLD, TWICE;
    MPI_Alltoallv_init(a, ones, places, MPI_INT, b, ones, places, MPI_INT, WORLD, TWICE;
    MPI_Alltoallw_init(a, ones, bytes, types, b, ones, bytes, types, WORLD, TWICE;
    MPI_Reduce_init(a, b, 1, MPI_INT, MPI_SUM, 0, WORLD, TWICE;
    MPI_Allreduce_init(a, b, 1, MPI_INT, MPI_SUM, WORLD, TWICE;
    MPI_Reduce_scatter_init(a, b, ones, MPI_INT, MPI_SUM, WORLD, TWICE;
    MPI_Reduce_scatter_block_init(a, b, 1, MPI_INT, MPI_SUM, WORLD, TWICE;
    MPI_Scan_init(a, b, 1, MPI_INT, MPI_SUM, WORLD, TWICE;
    MPI_Exscan_init(a, b, 1, MPI_INT, MPI_SUM, WORLD, TWICE;
    MPI_Neighbor_allgather_init(a, 1, MPI_INT, b, 1, MPI_INT, row, TWICE;
    MPI_Neighbor_allgatherv_init(a, 1, MPI_INT, b, ones, places, MPI_INT, row, TWICE;
    MPI_Neighbor_alltoall_init(a, 1, MPI_INT, b, 1, MPI_INT, row, TWICE;
    MPI_Neighbor_alltoallv_init(a, ones, places, MPI_INT, b, ones, places, MPI_INT, row, TWICE;
    MPI_Neighbor_alltoallw_init(a, ones, places_of, types, b, ones, places_of, types, row, TWICE;
    MPI_Comm_free(&row);
    for (int i = 0; i < 3; i++)
        MPI_Comm_idup_with_info(WORLD, MPI_INFO_NULL, &row, &request), WAIT, MPI_Comm_free(&row);
    MPI_Isendrecv(a, 3, MPI_INT, other, 9, b, 3, MPI_INT, other, 9, WORLD, &request), WAIT;
    MPI_Isendrecv_replace(a, 1, MPI_INT, other, 9, other, 9, WORLD, &request), WAIT;
}

/* A message of four partitions, and one of two, which are the same. */
static void partitioned(void)
{
    int last[1] = {3}, flag = 0;
    MPI_Psend_init(a, 4, 2, MPI_INT, other, 0, WORLD, MPI_INFO_NULL, &requests[0]);
    MPI_Precv_init(b, 2, 4, MPI_INT, other, 0, WORLD, MPI_INFO_NULL, &requests[1]);
    MPI_Startall(2, requests);
    MPI_Pready(0, requests[0]);
    MPI_Pready_range(1, 2, requests[0]);
    MPI_Pready_list(1, last, requests[0]);
    MPI_Parrived(requests[1], 1, &flag);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
}

static void between_groups(void)
{
    MPI_Group world, own, others;
    MPI_Comm inter;
    MPI_Comm_group(WORLD, &world);
    MPI_Group_incl(world, 1, &rank, &own);
    MPI_Group_incl(world, 1, &other, &others);
    MPI_Intercomm_create_from_groups(own, 0, others, 0, "every", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &inter);
    MPI_Comm_free(&inter);
    MPI_Group_free(&own), MPI_Group_free(&others), MPI_Group_free(&world);
}

static void packs_large(void)
{
    char room[64];
    MPI_Count at = 0;
    MPI_Pack_c(a, 2, MPI_INT, room, sizeof room, &at, WORLD);
    at = 0;
    MPI_Unpack_c(room, sizeof room, &at, b, 2, MPI_INT, WORLD);
    at = 0;
    MPI_Pack_external_c("external32", a, 2, MPI_INT, room, sizeof room, &at);
    at = 0;
    MPI_Unpack_external_c("external32", room, sizeof room, &at, b, 2, MPI_INT);
}
#endif

static void packs(void)
{
    char room[64];
    int at = 0;
    MPI_Aint place = 0;
    MPI_Pack(a, 3, MPI_INT, room, sizeof room, &at, WORLD);
    at = 0;
    MPI_Unpack(room, sizeof room, &at, b, 3, MPI_INT, WORLD);
    MPI_Pack_external("external32", a, 3, MPI_INT, room, sizeof room, &place);
    place = 0;
    MPI_Unpack_external("external32", room, sizeof room, &place, b, 3, MPI_INT);
}

/* Calls that say something to MPI, on all ranks. */
static void hints(void)
{
    const int dims[1] = {2}, round[1] = {0}, index[2] = {1, 2}, edges[2] = {1, 0};
    int place;
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Comm_set_info(WORLD, info);
    MPI_Info_free(&info);
    MPI_Cart_map(WORLD, 1, dims, round, &place);
    MPI_Graph_map(WORLD, 2, index, edges, &place);
}

/* A row of two ranks, whose ends have one neighbor each. */
static void neighbors(void)
{
    const int dims[1] = {2}, round[1] = {0}, keep[1] = {1}, index[2] = {1, 2}, edges[2] = {1, 0};
    const MPI_Aint places_of[2] = {0, 4};
    int source = rank, degree = 1, destination = other;
    MPI_Comm row, part, graph, by_all, by_each;
    MPI_Cart_create(WORLD, 1, dims, round, 0, &row);
    MPI_Cart_sub(row, keep, &part);
    MPI_Graph_create(WORLD, 2, index, edges, 0, &graph);
    MPI_Dist_graph_create(WORLD, 1, &source, &degree, &destination, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                          &by_all);
    MPI_Dist_graph_create_adjacent(WORLD, 1, &destination, MPI_UNWEIGHTED, 1, &destination, MPI_UNWEIGHTED,
                                   MPI_INFO_NULL, 0, &by_each);
    MPI_Neighbor_allgather(a, 1, MPI_INT, b, 1, MPI_INT, row);
    MPI_Neighbor_allgatherv(a, 1, MPI_INT, b, ones, places, MPI_INT, graph);
    MPI_Neighbor_alltoall(a, 1, MPI_INT, b, 1, MPI_INT, row);
    MPI_Neighbor_alltoallv(a, ones, places, MPI_INT, b, ones, places, MPI_INT, by_all);
    MPI_Neighbor_alltoallw(a, ones, places_of, types, b, ones, places_of, types, by_each);
    MPI_Ineighbor_allgather(a, 1, MPI_INT, b, 1, MPI_INT, row, &request), WAIT;
    MPI_Ineighbor_allgatherv(a, 1, MPI_INT, b, ones, places, MPI_INT, graph, &request), WAIT;
    MPI_Ineighbor_alltoall(a, 1, MPI_INT, b, 1, MPI_INT, graph, &request), WAIT;
    MPI_Ineighbor_alltoallv(a, ones, places, MPI_INT, b, ones, places, MPI_INT, row, &request), WAIT;
    MPI_Ineighbor_alltoallw(a, ones, places_of, types, b, ones, places_of, types, by_each, &request), WAIT;
    MPI_Comm_free(&row), MPI_Comm_free(&part), MPI_Comm_free(&graph), MPI_Comm_free(&by_all),
        MPI_Comm_free(&by_each);
}

static void communicators(void)
{
    MPI_Comm made[9], inter, merged;
    MPI_Group group;
    MPI_Comm_group(WORLD, &group);
    MPI_Comm_create(WORLD, group, &made[0]);
    MPI_Comm_create_group(WORLD, group, 1, &made[1]);
    MPI_Comm_dup(WORLD, &made[2]);
    MPI_Comm_dup_with_info(WORLD, MPI_INFO_NULL, &made[3]);
    MPI_Comm_idup(WORLD, &made[4], &request), WAIT;
    MPI_Comm_split(WORLD, rank, 0, &made[5]);
    MPI_Comm_set_name(made[5], "half");
    MPI_Comm_split_type(WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &made[6]);
    MPI_Intercomm_create(made[5], 0, WORLD, other, 2, &inter);
    MPI_Intercomm_merge(inter, rank, &merged);
    /* Between the two: rank 0 of the other group is the other rank of MPI_COMM_WORLD. */
    MPI_Sendrecv(a, 2, MPI_INT, 0, 0, b, 2, MPI_INT, 0, 0, inter, MPI_STATUS_IGNORE);
    MPI_Bcast(a, 3, MPI_INT, rank == 0 ? MPI_ROOT : 0, inter);
    MPI_Reduce(a, b, 3, MPI_INT, MPI_SUM, rank == 0 ? MPI_ROOT : 0, inter);
    MPI_Alltoall(a, 5, MPI_INT, b, 5, MPI_INT, inter);
    MPI_Comm_free(&inter);
    MPI_Comm_disconnect(&merged);
    for (int i = 0; i < 7; i++)
        MPI_Comm_free(&made[i]);
    MPI_Group_free(&group);
}

static void operations(MPI_Win win)
{
    MPI_Put(a, 1, MPI_INT, other, 0, 1, MPI_INT, win);
    MPI_Get(b, 1, MPI_INT, other, 1, 1, MPI_INT, win);
    MPI_Accumulate(a, 1, MPI_INT, other, 2, 1, MPI_INT, MPI_SUM, win);
    MPI_Get_accumulate(a, 1, MPI_INT, b + 1, 1, MPI_INT, other, 3, 1, MPI_INT, MPI_SUM, win);
    MPI_Get_accumulate(NULL, 0, MPI_DATATYPE_NULL, b + 2, 1, MPI_INT, other, 4, 1, MPI_INT, MPI_NO_OP, win);
    MPI_Fetch_and_op(a, b + 3, MPI_INT, other, 5, MPI_SUM, win);
    MPI_Compare_and_swap(a, a + 1, b + 4, MPI_INT, other, 6, win);
}

static void windows(void)
{
    MPI_Win win, dynamic, shared;
    MPI_Group world, partner;
    MPI_Info info;
    int *base, flag = 0;
    MPI_Comm_group(WORLD, &world);
    MPI_Group_incl(world, 1, &other, &partner);
    MPI_Win_create(a, sizeof a, 4, MPI_INFO_NULL, WORLD, &win);
    MPI_Win_free(&win);
    MPI_Win_create_dynamic(MPI_INFO_NULL, WORLD, &dynamic);
    MPI_Win_attach(dynamic, a, sizeof a);
    MPI_Win_detach(dynamic, a);
    MPI_Win_free(&dynamic);
    MPI_Win_allocate_shared(64, 4, MPI_INFO_NULL, WORLD, &base, &shared);
    MPI_Win_free(&shared);
    MPI_Win_allocate(64, 4, MPI_INFO_NULL, WORLD, &base, &win);
    memset(base, 0, 64);
    MPI_Info_create(&info);
    MPI_Win_set_info(win, info);
    MPI_Info_free(&info);
    MPI_Win_fence(0, win);
    operations(win);
    MPI_Win_fence(0, win);
    for (int i = 0; i < 2; i++) {
        MPI_Win_post(partner, 0, win);
        MPI_Win_start(partner, 0, win);
        MPI_Put(a, 1, MPI_INT, other, 0, 1, MPI_INT, win);
        MPI_Win_complete(win);
        if (i)
            MPI_Win_wait(win);
        else
            for (flag = 0; !flag;)
                MPI_Win_test(win, &flag);
    }
    MPI_Win_lock(MPI_LOCK_SHARED, other, 0, win);
    MPI_Rput(a, 1, MPI_INT, other, 0, 1, MPI_INT, win, &request), WAIT;
    MPI_Rget(b, 1, MPI_INT, other, 0, 1, MPI_INT, win, &request), WAIT;
    MPI_Raccumulate(a, 1, MPI_INT, other, 2, 1, MPI_INT, MPI_SUM, win, &request), WAIT;
    MPI_Rget_accumulate(a, 1, MPI_INT, b, 1, MPI_INT, other, 3, 1, MPI_INT, MPI_SUM, win, &request), WAIT;
    MPI_Win_flush(other, win);
    MPI_Win_flush_local(other, win);
    MPI_Win_unlock(other, win);
    MPI_Win_lock_all(0, win);
    MPI_Win_flush_all(win);
    MPI_Win_flush_local_all(win);
    MPI_Win_sync(win);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Group_free(&world);
    MPI_Group_free(&partner);
}

static void files(void)
{
    MPI_File file;
    MPI_Offset size, at = 4 * rank;
    MPI_Info info;
    char name[4096];
    snprintf(name, sizeof name, "%s.%d", getenv("TEST_FILE"), FILE_OF_RANK);
    MPI_File_open(FILES, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_set_size(file, 64);
    MPI_File_preallocate(file, 64);
    MPI_File_set_atomicity(file, 1);
    MPI_File_set_atomicity(file, 0);
    MPI_Info_create(&info);
    MPI_File_set_info(file, info);
    MPI_Info_free(&info);
    MPI_File_get_size(file, &size);
    MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
    MPI_File_write_at(file, at, a, 1, MPI_INT, &status);
    MPI_File_write_at_all(file, at, a, 1, MPI_INT, &status);
    MPI_File_read_at(file, at, b, 1, MPI_INT, &status);
    MPI_File_read_at_all(file, at, b, 1, MPI_INT, &status);
    MPI_File_iwrite_at(file, at, a, 1, MPI_INT, &request), WAIT;
    MPI_File_iwrite_at_all(file, at, a, 1, MPI_INT, &request), WAIT;
    MPI_File_iread_at(file, at, b, 1, MPI_INT, &request), WAIT;
    MPI_File_iread_at_all(file, at, b, 1, MPI_INT, &request), WAIT;
    MPI_File_seek(file, 0, MPI_SEEK_SET);
    MPI_File_write(file, a, 1, MPI_INT, &status);
    MPI_File_write_all(file, a, 1, MPI_INT, &status);
    MPI_File_iwrite(file, a, 1, MPI_INT, &request), WAIT;
    MPI_File_iwrite_all(file, a, 1, MPI_INT, &request), WAIT;
    MPI_File_seek(file, 0, MPI_SEEK_SET);
    MPI_File_read(file, b, 1, MPI_INT, &status);
    MPI_File_read_all(file, b, 1, MPI_INT, &status);
    MPI_File_iread(file, b, 1, MPI_INT, &request), WAIT;
    MPI_File_iread_all(file, b, 1, MPI_INT, &request), WAIT;
    MPI_File_write_at_all_begin(file, at, a, 1, MPI_INT);
    MPI_File_write_at_all_end(file, a, &status);
    MPI_File_read_at_all_begin(file, at, b, 1, MPI_INT);
    MPI_File_read_at_all_end(file, b, &status);
    MPI_File_write_all_begin(file, a, 1, MPI_INT);
    MPI_File_write_all_end(file, a, &status);
    MPI_File_seek(file, 0, MPI_SEEK_SET);
    MPI_File_read_all_begin(file, b, 1, MPI_INT);
    MPI_File_read_all_end(file, b, &status);
    MPI_File_sync(file);
    MPI_File_close(&file);
    MPI_Barrier(WORLD);
    if (rank == 0)
        MPI_File_delete(name, MPI_INFO_NULL);
    MPI_Barrier(WORLD);
}

/* Calls on a file by a pointer that all ranks share. */
static void shared_files(void)
{
    MPI_File file;
    MPI_Offset place;
    char name[4096];
    /* Another name: what Open MPI shares of a file that was just closed may be in the way of the next. */
    snprintf(name, sizeof name, "%s.shared.%d", getenv("TEST_FILE"), FILE_OF_RANK);
    MPI_File_open(FILES, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_write_shared(file, a, 1, MPI_INT, &status);
    MPI_File_iwrite_shared(file, a, 1, MPI_INT, &request), WAIT;
    MPI_File_write_ordered(file, a, 1, MPI_INT, &status);
    MPI_File_write_ordered_begin(file, a, 1, MPI_INT);
    MPI_File_write_ordered_end(file, a, &status);
    MPI_File_get_position_shared(file, &place);
    MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
    MPI_File_read_shared(file, b, 1, MPI_INT, &status);
    MPI_File_iread_shared(file, b, 1, MPI_INT, &request), WAIT;
    MPI_File_read_ordered(file, b, 1, MPI_INT, &status);
    MPI_File_read_ordered_begin(file, b, 1, MPI_INT);
    MPI_File_read_ordered_end(file, b, &status);
    MPI_File_close(&file);
}

static void add(void *in, void *inout, int *length, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *length; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}

static void own_operation(void)
{
    MPI_Op op;
    MPI_Op_create(add, 1, &op);
    MPI_Op_free(&op);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(WORLD, &rank);
    other = 1 - rank;
    types[0] = types[1] = MPI_INT;
    sends();
    receives();
    completions();
    collectives();
    started_collectives();
#ifdef MPI_4
    prepared_collectives();
    partitioned();
    between_groups();
    packs_large();
#endif
    packs();
    hints();
    neighbors();
    communicators();
    windows();
    files();
    shared_files();
    own_operation();
    MPI_Pcontrol(1);
    save_records(rank);
    MPI_Finalize();
    return 0;
}
