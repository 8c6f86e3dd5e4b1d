/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PAPI_MPI_TABLES_H
#define PAPI_MPI_TABLES_H

#include "calls/mpi_now.h"

#include <stdatomic.h>
#include <stdint.h>

/* What the wrappers have to know of MPI while calls are counted: made after MPI_Init, gone at MPI_Finalize.
 */

/* The functions that are called on the way: looked up once. */
#define TABLE_FUNCTIONS(X)                                                                                   \
    X(Type_size_x)                                                                                           \
    X(Comm_size)                                                                                             \
    X(Comm_rank)                                                                                             \
    X(Comm_test_inter)                                                                                       \
    X(Comm_remote_size)                                                                                      \
    X(Comm_group)                                                                                            \
    X(Comm_remote_group)                                                                                     \
    X(Win_get_group)                                                                                         \
    X(Group_translate_ranks)                                                                                 \
    X(Group_free)                                                                                            \
    X(Topo_test)                                                                                             \
    X(Cartdim_get)                                                                                           \
    X(Cart_shift)                                                                                            \
    X(Graph_neighbors_count)                                                                                 \
    X(Dist_graph_neighbors_count)

/* Where mpi.h has macros for these, Fortran's handles are C's. */
#ifdef MPI_Type_f2c
#define TABLE_HANDLES(X)
#else
#define TABLE_HANDLES(X) X(Type_f2c) X(Comm_f2c) X(Win_f2c) X(Op_f2c) X(Request_f2c)
#endif

enum { KNOWN_TYPES = 256, FORTRAN_TYPES = 256, STARTABLE = 4096, IN_PLACE_NAMES = 4 };

struct known_type {
    MPI_Datatype type;
    int used;
    MPI_Count size;
};

/* A persistent request that sends. */
struct startable {
    _Atomic uintptr_t request; /* 0: never used */
    int32_t peer;
    MPI_Count bytes;
};

struct call_tables {
#define TABLE_FUNCTION(name) __typeof__(PMPI_##name) name;
    TABLE_FUNCTIONS(TABLE_FUNCTION)
    TABLE_HANDLES(TABLE_FUNCTION)
#undef TABLE_FUNCTION
    MPI_Comm world;
    MPI_Group group; /* of world */
    MPI_Op no_op;
    MPI_Fint fortran_world;
    int rank, ranks;
    int complete; /* MPI has all of the functions */
    const void *in_place[IN_PLACE_NAMES];
    void *const *in_place_of_program; /* MPICH notes at the first Fortran call where the program has it */
    struct known_type type[KNOWN_TYPES];
    MPI_Datatype fortran_type[FORTRAN_TYPES];
    unsigned char fortran_known[FORTRAN_TYPES];
    struct startable startable[STARTABLE];
};

/* NULL: no memory, or not all of MPI there. */
struct call_tables *tables_make(void);
void tables_free(struct call_tables *tables);

/* Of a type that was valid in a call that succeeded. */
MPI_Count tables_type_size(const struct call_tables *tables, MPI_Datatype type);

/* The rank of MPI_COMM_WORLD that a rank of a communicator (of the remote group, where it has one) or of a
 * window is; -1: none of them. */
int tables_peer(const struct call_tables *tables, int rank, MPI_Comm comm);
int tables_target(const struct call_tables *tables, int rank, MPI_Win win);

/* Persistent requests. What does not fit is not noted. */
void tables_prepare(struct call_tables *tables, MPI_Request request, int peer, MPI_Count bytes);
const struct startable *tables_startable(struct call_tables *tables, MPI_Request request);
void tables_forget(struct call_tables *tables, MPI_Request request);

#endif
