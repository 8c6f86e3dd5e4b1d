/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/common/mpi_launcher.h"

#include <limits.h>
#include <mpi.h>
#include <stddef.h>

__attribute__((visibility("default"))) nodes_begin_function papi_mpi_nodes_begin;
__attribute__((visibility("default"))) nodes_end_function papi_mpi_nodes_end;

static int rank_in(MPI_Comm comm)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    return rank;
}

int papi_mpi_nodes_begin(unsigned kind, struct nodes_place *place)
{
    MPI_Comm node, same;
    if (MPI_Init(NULL, NULL) != MPI_SUCCESS)
        return -1;
    place->rank = rank_in(MPI_COMM_WORLD);
    MPI_Comm_size(MPI_COMM_WORLD, &place->ranks);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, place->rank, MPI_INFO_NULL, &node);
    MPI_Comm_split(node, (int)(kind & INT_MAX), place->rank, &same);
    place->first_on_node = rank_in(node) == 0;
    place->first_of_kind = rank_in(same) == 0;
    MPI_Comm_free(&same);
    MPI_Comm_free(&node);
    return 0;
}

int papi_mpi_nodes_end(void *block, int size, nodes_merge_function *merge)
{
    MPI_Datatype type;
    MPI_Op op;
    int rank = rank_in(MPI_COMM_WORLD);
    MPI_Type_contiguous(size, MPI_BYTE, &type);
    MPI_Type_commit(&type);
    /* merge has MPI's arguments, except that the type of the last one is known here. */
    MPI_Op_create((MPI_User_function *)(void (*)(void))merge, 1, &op);
    MPI_Reduce(rank == 0 ? MPI_IN_PLACE : block, rank == 0 ? block : NULL, 1, type, op, 0, MPI_COMM_WORLD);
    MPI_Op_free(&op);
    MPI_Type_free(&type);
    return MPI_Finalize() == MPI_SUCCESS ? 0 : -1;
}
