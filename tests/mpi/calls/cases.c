/* SPDX-License-Identifier: BSD-3-Clause */
/* The calls of cases.F90, in C. Two ranks; cases.py knows what each rank's record must have. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void save_records(int rank);

static int rank, other;

#define CHECK(condition)                                                                                     \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            fprintf(stderr, "rank %d: line %d: not so: %s\n", rank, __LINE__, #condition);                   \
            MPI_Abort(MPI_COMM_WORLD, 3);                                                                    \
        }                                                                                                    \
    } while (0)

static void messages(void)
{
    int ten[10], i;
    double out[5], in[5];
    MPI_Request requests[2];
    MPI_Status statuses[2]; /* of MPI_STATUSES_IGNORE gcc 12 warns here with MPICH's mpi.h */
    for (i = 0; i < 10; i++)
        ten[i] = rank ? 0 : i + 1;
    if (rank == 0)
        MPI_Send(ten, 10, MPI_INT, 1, 7, MPI_COMM_WORLD);
    else
        MPI_Recv(ten, 10, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(ten[9] == 10);

    for (i = 0; i < 5; i++)
        out[i] = rank * 10 + i + 1;
    MPI_Irecv(in, 5, MPI_DOUBLE, other, 8, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(out, 5, MPI_DOUBLE, other, 8, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, statuses);
    CHECK(in[4] == other * 10 + 5);

    MPI_Sendrecv(out, 3, MPI_DOUBLE, other, 9, in, 3, MPI_DOUBLE, other, 9, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    CHECK(in[0] == other * 10 + 1);
    MPI_Send(out, 5, MPI_DOUBLE, MPI_PROC_NULL, 9, MPI_COMM_WORLD);
}

static void in_place(void)
{
    double two[2] = {rank + 1, 10};
    int six[6] = {0}, four[4], pair[2], i;
    MPI_Allreduce(MPI_IN_PLACE, two, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    CHECK(two[0] == 3 && two[1] == 20);
    for (i = 0; i < 3; i++)
        six[3 * rank + i] = rank + 1;
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, six, 3, MPI_INT, MPI_COMM_WORLD);
    CHECK(six[0] == 1 && six[5] == 2);
    four[0] = four[1] = four[2] = four[3] = rank + 5;
    if (rank == 1)
        MPI_Gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, four, 2, MPI_INT, 1, MPI_COMM_WORLD);
    else
        MPI_Gather(four, 2, MPI_INT, NULL, 0, MPI_DATATYPE_NULL, 1, MPI_COMM_WORLD);
    CHECK(rank == 0 || (four[1] == 5 && four[3] == 6));
    for (i = 0; i < 4; i++)
        four[i] = i;
    if (rank == 0)
        MPI_Scatter(four, 2, MPI_INT, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD);
    else
        MPI_Scatter(NULL, 0, MPI_DATATYPE_NULL, four, 2, MPI_INT, 0, MPI_COMM_WORLD);
    CHECK(four[1] == (rank ? 3 : 1));
    pair[0] = pair[1] = rank;
    MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, pair, 1, MPI_INT, MPI_COMM_WORLD);
    CHECK(pair[0] == 0 && pair[1] == 1);
    if (rank == 0)
        MPI_Reduce(MPI_IN_PLACE, two, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    else
        MPI_Reduce(two, NULL, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    CHECK(rank || two[0] == 6);
}

static void of_different_lengths(void)
{
    int counts[2] = {1, 3}, places[2] = {0, 1}, in_bytes[2] = {0, 4}, mine[4], all[4], sent[4], i;
    int to[2], from[2], to_places[2], from_places[2];
    MPI_Datatype types[2] = {MPI_INT, MPI_INT};
    for (i = 0; i < 4; i++)
        mine[i] = 10 * rank + i;
    MPI_Gatherv(mine, counts[rank], MPI_INT, all, counts, places, MPI_INT, 0, MPI_COMM_WORLD);
    CHECK(rank || (all[0] == 0 && all[3] == 12));
    MPI_Scatterv(all, counts, places, MPI_INT, mine, counts[rank], MPI_INT, 0, MPI_COMM_WORLD);
    CHECK(mine[0] == (rank ? 10 : 0));
    MPI_Allgatherv(mine, counts[rank], MPI_INT, all, counts, places, MPI_INT, MPI_COMM_WORLD);
    CHECK(all[0] == 0 && all[3] == 12);
    /* Rank r sends r + 1 to rank 0 and 1 to rank 1. */
    to[0] = rank + 1, to[1] = 1, to_places[0] = 0, to_places[1] = rank + 1;
    from[0] = rank ? 1 : 1, from[1] = rank ? 1 : 2, from_places[0] = 0, from_places[1] = 1;
    for (i = 0; i < 4; i++)
        sent[i] = 100 * rank + i;
    MPI_Alltoallv(sent, to, to_places, MPI_INT, all, from, from_places, MPI_INT, MPI_COMM_WORLD);
    CHECK(all[1] == (rank ? 102 : 100));
    in_bytes[1] = 4 * to_places[1];
    from_places[1] = 4;
    MPI_Alltoallw(sent, to, in_bytes, types, all, from, from_places, types, MPI_COMM_WORLD);
    CHECK(all[1] == (rank ? 102 : 100));
    MPI_Reduce_scatter(sent, all, (int[]){1, 2}, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(all[0] == (rank ? 102 : 100));
}

static void of_absolute_addresses(void)
{
    int value[2] = {rank + 1, rank + 2}, length = 2;
    MPI_Aint address;
    MPI_Datatype there;
    MPI_Get_address(value, &address);
    MPI_Type_create_hindexed(1, &length, &address, MPI_INT, &there);
    MPI_Type_commit(&there);
    if (rank == 0)
        MPI_Ssend(MPI_BOTTOM, 1, there, 1, 3, MPI_COMM_WORLD);
    else
        MPI_Recv(MPI_BOTTOM, 1, there, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(value[0] == 1 && value[1] == 2);
    MPI_Type_free(&there);
}

static void of_a_section(void)
{
    float ten[10];
    MPI_Datatype every_other;
    for (int i = 0; i < 10; i++)
        ten[i] = rank ? -1 : i + 1;
    MPI_Type_vector(5, 1, 2, MPI_FLOAT, &every_other);
    MPI_Type_commit(&every_other);
    if (rank == 0)
        MPI_Bsend(NULL, 0, MPI_BYTE, MPI_PROC_NULL, 4, MPI_COMM_WORLD),
            MPI_Rsend(NULL, 0, MPI_BYTE, 1, 4, MPI_COMM_WORLD);
    else
        MPI_Recv(NULL, 0, MPI_BYTE, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Bcast(ten, 1, every_other, 0, MPI_COMM_WORLD);
    CHECK(ten[8] == 9 && ten[9] == (rank ? -1 : 10));
    MPI_Type_free(&every_other);
}

static void persistent(void)
{
    int six[6];
    MPI_Request request;
    if (rank == 0)
        MPI_Send_init(six, 6, MPI_INT, 1, 5, MPI_COMM_WORLD, &request);
    else
        MPI_Recv_init(six, 6, MPI_INT, 0, 5, MPI_COMM_WORLD, &request);
    for (int i = 1; i <= 3; i++) {
        if (rank == 0)
            six[5] = i;
        if (i < 3)
            MPI_Start(&request);
        else
            MPI_Startall(1, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        CHECK(six[5] == i);
    }
    MPI_Request_free(&request);
}

static void of_another_order(void)
{
    MPI_Comm reversed;
    int value = rank;
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
    if (rank == 0) /* rank 1 there; world's rank 1 is its rank 0 */
        MPI_Send(&value, 1, MPI_INT, 0, 6, reversed);
    else
        MPI_Recv(&value, 1, MPI_INT, 1, 6, reversed, MPI_STATUS_IGNORE);
    MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, 6, reversed);
    MPI_Comm_free(&reversed);
    CHECK(value == 0);
}

static void one_sided(void)
{
    int window[4] = {0}, four[4] = {rank, rank, rank, rank};
    MPI_Win win;
    MPI_Win_create(window, sizeof window, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    MPI_Put(four, 4, MPI_INT, other, 0, 4, MPI_INT, win);
    MPI_Win_fence(0, win);
    CHECK(window[3] == other);
    MPI_Get(four, 2, MPI_INT, other, 0, 2, MPI_INT, win);
    MPI_Win_fence(0, win);
    CHECK(four[0] == rank);
    MPI_Win_free(&win);
}

static void files(void)
{
    int five[5] = {rank + 1, 0, 0, 0, rank + 5};
    MPI_File file;
    const char *name = getenv("TEST_FILE");
    CHECK(name);
    MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_write_at_all(file, rank * 20, five, 5, MPI_INT, MPI_STATUS_IGNORE);
    memset(five, 0, sizeof five);
    MPI_File_read_at(file, rank * 20, five, 5, MPI_INT, MPI_STATUS_IGNORE);
    CHECK(five[0] == rank + 1 && five[4] == rank + 5);
    MPI_File_close(&file);
}

static void stopped(void)
{
    MPI_Pcontrol(0);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Pcontrol(1);
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    int provided;
    if (argc > 1 && strcmp(argv[1], "threads") == 0)
        MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
    else
        MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = 1 - rank;
    messages();
    in_place();
    of_different_lengths();
    of_absolute_addresses();
    of_a_section();
    persistent();
    of_another_order();
    one_sided();
    files();
    stopped();
    save_records(rank);
    MPI_Finalize();
    printf("rank %d: all values right\n", rank);
    return 0;
}
