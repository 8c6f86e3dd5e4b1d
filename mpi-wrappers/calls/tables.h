/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/likely.h"
#include "mpi/mpi_now.h"

#include "rank/rank.h"

#include <stdatomic.h>
#include <stdint.h>

/* Facts about MPI that the wrappers need while calls are counted: made after MPI_Init.
 */

/* The functions that are called on the way: looked up once. */
// clang-format off
#define TABLE_FUNCTIONS(X)                                                                                   \
    X(Type_size_x) X(Comm_size) X(Comm_rank) X(Comm_test_inter) X(Comm_remote_size) X(Comm_group)            \
    X(Comm_remote_group) X(Win_get_group) X(Group_translate_ranks) X(Group_free)                             \
    X(Topo_test) X(Cartdim_get) X(Cart_shift) X(Graph_neighbors_count) X(Dist_graph_neighbors_count)
// clang-format on

/* Kinds of Fortran's handles that are not C's: none where mpi.h has macros for these. */
#ifdef MPI_Type_f2c
#define TABLE_HANDLES(X)
#else
#define TABLE_HANDLES(X) X(Type_f2c) X(Comm_f2c) X(Win_f2c) X(Op_f2c) X(Request_f2c)
#endif

enum { KNOWN_TYPES = 256, FORTRAN_TYPES = 256, IN_PLACE_NAMES = 4, IGNORED_STATUSES = 6 };

struct known_type {
    MPI_Datatype type;
    int used;
    MPI_Count size;
};

/* Stand in the place of a rank: a collective call; a receive, persistent or not; MPI_PROC_NULL. */
enum { COLLECTIVE_PEER = INT32_MIN, RECEIVE_PEER, RECEIVE_ONCE_PEER, NOBODY_PEER };

/* A persistent request, or one that receives. What a thread does with one comes before or after what others
 * do; but MPI may give its handle to another request before the call that has completed it returns. */
struct startable {
    _Atomic uintptr_t request; /* 0: none */
    int32_t peer;
    MPI_Count bytes, received;     /* of one that sends, or of a collective call */
    _Atomic uint32_t posted, done; /* receives; they differ where it is under way */
};

/* A block of persistent requests whose handles are neighbours, so that the next one is near. Blocks of the
 * same hash are chained, new ones first; none is given back, because other threads look into them without a
 * lock (so not base/hash.h's table, which moves when it grows). */
enum { STARTABLES = 32, STARTABLE_CHAINS = 16384 };
struct startables {
    struct startables *next;
    uintptr_t number; /* of its handles: there may be several blocks of one */
    struct startable at[STARTABLES];
};
struct startable_chains {
    struct startables *_Atomic first[STARTABLE_CHAINS];
};

struct call_tables {
#define TABLE_FUNCTION(name) __typeof__(PMPI_##name) name;
    TABLE_FUNCTIONS(TABLE_FUNCTION)
    TABLE_HANDLES(TABLE_FUNCTION)
#undef TABLE_FUNCTION
    MPI_Comm world;
    MPI_Group group; /* of world */
    MPI_Op no_op;
    MPI_Datatype byte; /* looked up once, as a program has it: Open MPI's is an address */
    MPI_Request no_request;
    MPI_Fint fortran_world;
    int rank, ranks;
    int ended;
    int first_in_f08; /* the number that mpi_f08 gives to the first of several requests */
    int multiple;     /* several threads may call MPI at a time */
    struct known_comm of_world;
    _Atomic int receives; /* a request that receives was ever made */
    const void *in_place[IN_PLACE_NAMES];
    const void *ignored_status[IGNORED_STATUSES];
    void *const *ignored_of_program[2];
    void *const *in_place_of_program; /* MPICH notes at the first Fortran call where the program has it */
    struct known_type type[KNOWN_TYPES];
    MPI_Datatype fortran_type[FORTRAN_TYPES];
    unsigned char fortran_known[FORTRAN_TYPES];
    struct startable_chains *_Atomic startables; /* NULL: there was no request yet */
};

/* world: of all ranks of the job. NULL: no memory, or not all of MPI there. */
struct call_tables *tables_make(MPI_Comm world);
/* Gives back what is MPI's, before MPI_Finalize. The memory stays: a thread that MPI_Finalize does not wait
 * for may be in a call. */
void tables_end(struct call_tables *tables);

static inline unsigned tables_place(uintptr_t handle, unsigned places)
{
    return (unsigned)((uint64_t)handle * 0x9e3779b97f4a7c15u >> 40) % places;
}

MPI_Count tables_other_type_size(const struct call_tables *tables, MPI_Datatype type);

/* Size of a type that was valid in a call that succeeded. */
static inline MPI_Count tables_type_size(const struct call_tables *tables, MPI_Datatype type)
{
    const struct known_type *known = &tables->type[tables_place((uintptr_t)type, KNOWN_TYPES)];
    return likely(known->type == type && known->used) ? known->size : tables_other_type_size(tables, type);
}

/* Rank of a communicator (of the remote group, where it has one) or of a window, as the thread knows it:
 * tables_learn makes it known. */
static inline uintptr_t tables_key_of_comm(MPI_Comm comm)
{
    return (uintptr_t)comm << 1;
}

static inline uintptr_t tables_key_of_win(MPI_Win win)
{
    return (uintptr_t)win << 1 | 1;
}

/* Forgets what the thread knows of communicators and windows, where one of them went. */
void tables_forget_old(void);
const struct known_peer *tables_learn_comm(struct thread_record *thread, int rank, MPI_Comm comm);
const struct known_peer *tables_learn_win(struct thread_record *thread, int rank, MPI_Win win);

/* The place of a rank in the thread's cache. Neighbouring ranks of a communicator have different places.
 * Where those of another communicator begin, the whole handle says: MPICH's differ in their last bits, Open
 * MPI's in none of them. */
static inline struct known_peer *tables_known_place(uintptr_t key, int rank)
{
    return mpi_thread
        .known_peer[((unsigned)((uint64_t)key * 0x9e3779b97f4a7c15u >> 40) + (unsigned)rank) % KNOWN_PEERS];
}

static inline int tables_is(const struct known_peer *known, uintptr_t key, int rank)
{
    return known->key == key && known->rank == rank;
}

/* The partner that is known for a rank of a communicator or window. If any of them was freed since, all are
 * forgotten: a handle may be another one's by now. */
static inline const struct known_peer *tables_known(uintptr_t key, int rank)
{
    const struct known_peer *known = tables_known_place(key, rank);
    if (unlikely(mpi_thread.handle_changes !=
                 atomic_load_explicit(&papi_mpi.handle_changes, memory_order_acquire)))
        return NULL;
    if (likely(tables_is(known, key, rank)))
        return known;
    return tables_is(known + 1, key, rank) ? known + 1 : NULL;
}

static inline const struct known_peer *tables_peer(struct thread_record *thread, int rank, MPI_Comm comm)
{
    const struct known_peer *known = tables_known(tables_key_of_comm(comm), rank);
    return known ? known : tables_learn_comm(thread, rank, comm);
}

static inline const struct known_peer *tables_target(struct thread_record *thread, int rank, MPI_Win win)
{
    const struct known_peer *known = tables_known(tables_key_of_win(win), rank);
    return known ? known : tables_learn_win(thread, rank, win);
}

const struct known_comm *tables_ask_comm(MPI_Comm comm);

/* Facts of a communicator. MPI is asked once, as long as no handle is freed. */
static inline const struct known_comm *tables_comm(MPI_Comm comm)
{
    uintptr_t key = tables_key_of_comm(comm);
    const struct known_comm *known = mpi_thread.known_comm[tables_place(key, KNOWN_COMMS)];
    if (unlikely(mpi_thread.handle_changes !=
                 atomic_load_explicit(&papi_mpi.handle_changes, memory_order_acquire)))
        return tables_ask_comm(comm);
    if (likely(known->key == key))
        return known;
    return known[1].key == key ? known + 1 : tables_ask_comm(comm);
}

/* The same, and of MPI_COMM_WORLD without a search. */
static inline const struct known_comm *tables_facts(MPI_Comm comm)
{
    const struct call_tables *tables = papi_mpi.tables;
    return comm == tables->world ? &tables->of_world : tables_comm(comm);
}

/* The binding by which a program calls MPI, which says what its handles, statuses and places in arrays are.
 */
enum binding { BINDING_C, BINDING_FORTRAN, BINDING_F08 };

/* The number of the first of several requests: 1 in Fortran, but 0 as in C in the module mpi_f08 of
 * MPICH 4.0. */
static inline int tables_first_place(enum binding binding)
{
    return binding == BINDING_F08 ? papi_mpi.tables->first_in_f08 : binding == BINDING_FORTRAN;
}

int tables_fortran_ignores(const struct call_tables *tables, const void *status);
/* True if a call's status, or array of statuses, says that the program wants none. */
static inline int tables_ignores(enum binding binding, const void *status)
{
    if (binding != BINDING_C)
        return tables_fortran_ignores(papi_mpi.tables, status);
    return status == (void *)MPI_STATUS_IGNORE || status == (void *)MPI_STATUSES_IGNORE;
}

/* The table of persistent requests and of receives: enters one when it is made, finds it at each start,
 * forgets it when it is freed. */
void tables_prepare(struct call_tables *tables, MPI_Request request, int peer, MPI_Count bytes,
                    MPI_Count received);
/* Notes that a request of the table that receives is under way. */
void tables_begin(const struct call_tables *tables, struct startable *at);
/* The same of one that is not persistent, which is entered. */
void tables_receive(struct call_tables *tables, MPI_Request request);
/* The same request while it is under way; NULL: it receives nothing. */
struct startable *tables_receives(const struct call_tables *tables, MPI_Request request);
static inline int tables_is_under_way(struct startable *at)
{
    return atomic_load_explicit(&at->posted, memory_order_relaxed) !=
           atomic_load_explicit(&at->done, memory_order_relaxed);
}
struct startable *tables_startable(const struct call_tables *tables, MPI_Request request);
void tables_forget(struct startable *at);
