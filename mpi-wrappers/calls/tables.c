/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Facts about MPI's handles that wrappers need in each call, kept so that MPI is seldom asked. Sizes of
 * predefined types are in a hash table that is complete before the first call and never changes. Others are
 * asked for each time, as their handles may come again for another type.
 * Ranks of MPI_COMM_WORLD: each thread remembers for some communicators and windows to which rank of the
 * world a rank of theirs translates (two places for each hash, the older one is replaced), together with the
 * place of that rank in its record. When a handle is freed, any thread's memory may be stale, so a counter of
 * such changes is compared at each look-up, and all that is known is dropped if it has moved.
 * Persistent requests are shared by all threads: one may make a request and another start it. The handle
 * selects a chain and a block within it, and in the block one of a few entries from the handle's own on. An
 * entry is claimed by a compare-and-swap of its key, and a block is prepended to its chain by another; blocks
 * are never freed, so that readers need no lock. MPI itself forbids that a request is freed while another
 * thread starts it.
 */
#include "calls/tables.h"

#include <stdlib.h>
#include <string.h>

/* ---- types */

static void know_type(struct call_tables *tables, MPI_Datatype type)
{
    unsigned i = tables_place((uintptr_t)type, KNOWN_TYPES);
    MPI_Count size;
    if (type == MPI_DATATYPE_NULL || tables->Type_size_x(type, &size) != MPI_SUCCESS || size < 0)
        return;
    while (tables->type[i].used && tables->type[i].type != type)
        i = (i + 1) % KNOWN_TYPES;
    tables->type[i] = (struct known_type){type, 1, size};
#ifndef MPI_Type_f2c
    MPI_Fint fortran = PMPI_Type_c2f(type);
    if (fortran >= 0 && fortran < FORTRAN_TYPES) {
        tables->fortran_type[fortran] = type;
        tables->fortran_known[fortran] = 1;
    }
#endif
}

/* Enters the types that every MPI has; a missing one is only slower. */
static void know_types(struct call_tables *tables)
{
    // clang-format off
    const MPI_Datatype types[] = {
        MPI_CHAR, MPI_SIGNED_CHAR, MPI_UNSIGNED_CHAR, MPI_BYTE, MPI_WCHAR, MPI_SHORT, MPI_UNSIGNED_SHORT,
        MPI_INT, MPI_UNSIGNED, MPI_LONG, MPI_UNSIGNED_LONG, MPI_LONG_LONG, MPI_UNSIGNED_LONG_LONG,
        MPI_FLOAT, MPI_DOUBLE, MPI_LONG_DOUBLE, MPI_INT8_T, MPI_INT16_T, MPI_INT32_T, MPI_INT64_T,
        MPI_UINT8_T, MPI_UINT16_T, MPI_UINT32_T, MPI_UINT64_T, MPI_C_BOOL, MPI_C_FLOAT_COMPLEX,
        MPI_C_DOUBLE_COMPLEX, MPI_AINT, MPI_OFFSET, MPI_COUNT, MPI_PACKED, MPI_FLOAT_INT, MPI_DOUBLE_INT,
        MPI_LONG_INT, MPI_SHORT_INT, MPI_2INT, MPI_CHARACTER, MPI_LOGICAL, MPI_INTEGER, MPI_REAL,
        MPI_DOUBLE_PRECISION, MPI_COMPLEX, MPI_DOUBLE_COMPLEX, MPI_INTEGER4, MPI_INTEGER8, MPI_REAL4,
        MPI_REAL8, MPI_2INTEGER, MPI_2REAL, MPI_2DOUBLE_PRECISION};
    // clang-format on

    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        know_type(tables, types[i]);
}

MPI_Count tables_other_type_size(const struct call_tables *tables, MPI_Datatype type)
{
    MPI_Count size = 0;
    for (unsigned i = tables_place((uintptr_t)type, KNOWN_TYPES); tables->type[i].used;
         i = (i + 1) % KNOWN_TYPES)
        if (tables->type[i].type == type)
            return tables->type[i].size;
    return tables->Type_size_x(type, &size) == MPI_SUCCESS && size > 0 ? size : 0;
}

/* ---- the tables */

static int find_functions(struct call_tables *tables)
{
    int complete = 1;
#define TABLE_FUNCTION(name)                                                                                 \
    tables->name = PMPI_##name;                                                                              \
    complete &= tables->name != NULL;
    TABLE_FUNCTIONS(TABLE_FUNCTION)
    TABLE_HANDLES(TABLE_FUNCTION)
#undef TABLE_FUNCTION
    return complete;
}

/* Fortran's MPI_IN_PLACE is a variable whose address says it. */
/* Places by which programs say that they want no status; in Fortran the address of a variable. */
static void find_ignored(struct call_tables *tables)
{
    static const char *const names[] = {"mpi_fortran_status_ignore_",     "mpi_fortran_statuses_ignore_",
                                        "mpi_fortran_status_ignore",      "mpi_fortran_statuses_ignore",
                                        "MPIR_F08_MPI_STATUS_IGNORE_OBJ", "MPIR_F08_MPI_STATUSES_IGNORE_OBJ"};
    _Static_assert(sizeof names / sizeof *names == IGNORED_STATUSES, "each has its place");
    for (int i = 0; i < IGNORED_STATUSES; i++)
        tables->ignored_status[i] = mpi_symbol(names[i]);
    tables->ignored_of_program[0] = mpi_symbol("MPI_F_STATUS_IGNORE");
    tables->ignored_of_program[1] = mpi_symbol("MPI_F_STATUSES_IGNORE");
}

_Static_assert(sizeof(MPI_Status) % sizeof(MPI_Fint) == 0 && sizeof(MPI_Fint) == sizeof(int),
               "statuses of Fortran are those of C, of as many integers");

int tables_fortran_ignores(const struct call_tables *tables, const void *status)
{
    for (int i = 0; i < IGNORED_STATUSES; i++)
        if (status == tables->ignored_status[i])
            return 1;
    for (int i = 0; i < 2; i++)
        if (tables->ignored_of_program[i] && status == *tables->ignored_of_program[i])
            return 1;
    return 0;
}

static void find_in_place(struct call_tables *tables)
{
    static const char *const names[] = {"mpi_fortran_in_place_", "mpi_fortran_in_place",
                                        "mpi_fortran_in_place__", "MPIR_F08_MPI_IN_PLACE"};
    int n = 0;

    for (int i = 0; i < IN_PLACE_NAMES; i++) {
        const void *found = mpi_symbol(names[i]);
        if (found)
            tables->in_place[n++] = found;
    }
    tables->in_place_of_program = mpi_symbol("MPIR_F_MPI_IN_PLACE");
}

/* MPI says 1. MPICH 4.0 says 0, so one of two requests is tested that is done. */
static int find_first_in_f08(MPI_Comm world)
{
    int count = 2, index = 2, flag = 0, error = 0;
    MPI_Request request[] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Status status;
    void (*testany)(const int *, void *, int *, int *, MPI_Status *, int *) = NULL;
    if (sizeof(MPI_Request) == sizeof(int))
        *(void **)&testany = mpi_symbol_behind("mpi_testany_f08_");
    if (!testany || PMPI_Irecv(NULL, 0, MPI_BYTE, MPI_PROC_NULL, 0, world, &request[1]) != MPI_SUCCESS)
        return 1;
    testany(&count, request, &index, &flag, &status, &error);
    if (request[1] != MPI_REQUEST_NULL)
        PMPI_Wait(&request[1], MPI_STATUS_IGNORE);
    return !flag || error != MPI_SUCCESS || index != 1;
}

struct call_tables *tables_make(MPI_Comm world)
{
    struct call_tables *tables = calloc(1, sizeof *tables);
    if (!tables)
        return NULL;
    if (!find_functions(tables)) {
        free(tables);
        return NULL;
    }
    tables->world = world;
    tables->no_op = MPI_NO_OP;
    tables->byte = MPI_BYTE;
    tables->no_request = MPI_REQUEST_NULL;
    tables->fortran_world = PMPI_Comm_c2f(tables->world);
    tables->Comm_rank(tables->world, &tables->rank);
    tables->Comm_size(tables->world, &tables->ranks);
    tables->Comm_group(tables->world, &tables->group);
    tables->of_world = (struct known_comm){0, tables->rank, tables->ranks, tables->ranks, 0};
    PMPI_Query_thread(&tables->multiple);
    tables->multiple = tables->multiple == MPI_THREAD_MULTIPLE;
    tables->first_in_f08 = find_first_in_f08(world);
    know_types(tables);
    find_in_place(tables);
    find_ignored(tables);
    return tables;
}

void tables_end(struct call_tables *tables)
{
    tables->ended = 1;
    tables->Group_free(&tables->group);
    if (tables->world != MPI_COMM_WORLD)
        PMPI_Comm_free(&tables->world);
}

/* ---- ranks of MPI_COMM_WORLD */

static int translate(const struct call_tables *tables, MPI_Group *group, int rank)
{
    int peer = -1;
    if (tables->Group_translate_ranks(*group, 1, &rank, tables->group, &peer) != MPI_SUCCESS || peer < 0)
        peer = -1;
    tables->Group_free(group);
    return peer;
}

static int peer_in_comm(const struct call_tables *tables, int rank, MPI_Comm comm)
{
    MPI_Group group;
    int inter = 0;
    if (comm == tables->world)
        return rank;
    tables->Comm_test_inter(comm, &inter);
    if ((inter ? tables->Comm_remote_group : tables->Comm_group)(comm, &group) != MPI_SUCCESS)
        return -1;
    return translate(tables, &group, rank);
}

static int peer_in_win(const struct call_tables *tables, int rank, MPI_Win win)
{
    MPI_Group group;
    return tables->Win_get_group(win, &group) == MPI_SUCCESS ? translate(tables, &group, rank) : -1;
}

/* Searches the thread's table for the place of a rank, from rank modulo MAX_PEERS on, which is a single step
 * as long as places do not collide. NULL: the table is full, or the rank is negative. */
static struct peer *place_in_record(struct thread_record *thread, int rank)
{
    for (int i = 0; rank >= 0 && i < MAX_PEERS; i++) {
        struct peer *peer = &thread->peer[((unsigned)rank + (unsigned)i) % MAX_PEERS];

        if (!peer->taken)
            *peer = (struct peer){.rank = rank, .taken = 1};
        if (peer->rank == rank)
            return peer;
    }
    return NULL;
}

void tables_forget_old(void)
{
    uint32_t now = atomic_load_explicit(&papi_mpi.handle_changes, memory_order_acquire);
    if (mpi_thread.handle_changes == now)
        return;
    memset(mpi_thread.known_peer, 0, sizeof mpi_thread.known_peer);
    memset(mpi_thread.known_comm, 0, sizeof mpi_thread.known_comm);
    mpi_thread.known_neighbors.key = 0;
    mpi_thread.handle_changes = now;
}

static const struct known_peer *learn(struct thread_record *thread, uintptr_t key, int rank, int peer)
{
    struct known_peer *known = tables_known_place(key, rank);
    tables_forget_old();
    known[1] = known[0];
    *known = (struct known_peer){key, rank, peer, place_in_record(thread, peer)};
    return known;
}

const struct known_peer *tables_learn_comm(struct thread_record *thread, int rank, MPI_Comm comm)
{
    return learn(thread, tables_key_of_comm(comm), rank, peer_in_comm(papi_mpi.tables, rank, comm));
}

const struct known_peer *tables_learn_win(struct thread_record *thread, int rank, MPI_Win win)
{
    return learn(thread, tables_key_of_win(win), rank, peer_in_win(papi_mpi.tables, rank, win));
}

const struct known_comm *tables_ask_comm(MPI_Comm comm)
{
    const struct call_tables *mpi = papi_mpi.tables;
    uintptr_t key = tables_key_of_comm(comm);
    struct known_comm *known = mpi_thread.known_comm[tables_place(key, KNOWN_COMMS)];
    int inter = 0, rank = mpi->rank, size = mpi->ranks;
    tables_forget_old();
    if (comm != mpi->world) {
        mpi->Comm_test_inter(comm, &inter);
        mpi->Comm_rank(comm, &rank);
        mpi->Comm_size(comm, &size);
    }
    known[1] = known[0];
    *known = (struct known_comm){key, rank, size, size, inter};
    if (inter) {
        int reached = 0;
        mpi->Comm_remote_size(comm, &reached);
        known->reached = reached;
    }
    return known;
}

/* ---- persistent requests */

/* Handles of MPICH are numbers one after the other; those of Open MPI are addresses of objects that have some
 * cache lines each. */
enum { UNIT = sizeof(MPI_Request) > sizeof(int) ? 512 : 1, STARTABLE_PROBES = 4 };

static uintptr_t block_of(MPI_Request request)
{
    return (uintptr_t)request / UNIT / STARTABLES;
}

static struct startables *next_of(struct startables *block, uintptr_t number)
{
    while (block && block->number != number)
        block = block->next;
    return block;
}

/* The entry of the block that has the request, or, with a key of 0, one that is free for it. */
static struct startable *find_in(struct startables *block, uintptr_t request, uintptr_t key)
{
    for (unsigned i = 0; i < STARTABLE_PROBES; i++) {
        struct startable *at = &block->at[(request / UNIT + i) % STARTABLES];
        uintptr_t there = key;
        if (key ? atomic_load_explicit(&at->request, memory_order_acquire) == key
                : atomic_compare_exchange_strong(&at->request, &there, request))
            return at;
    }
    return NULL;
}

static struct startable *find_in_chain(struct startables *first, MPI_Request request, uintptr_t key)
{
    struct startable *found = NULL;
    for (struct startables *block = next_of(first, block_of(request)); block && !found;
         block = next_of(block->next, block_of(request)))
        found = find_in(block, (uintptr_t)request, key);
    return found;
}

static struct startables *_Atomic *chain_of(struct startable_chains *chains, MPI_Request request)
{
    return &chains->first[tables_place(block_of(request), STARTABLE_CHAINS)];
}

struct startable *tables_startable(const struct call_tables *tables, MPI_Request request)
{
    struct startable_chains *chains = atomic_load_explicit(&tables->startables, memory_order_acquire);
    return chains && (uintptr_t)request
               ? find_in_chain(atomic_load_explicit(chain_of(chains, request), memory_order_acquire), request,
                               (uintptr_t)request)
               : NULL;
}

/* Makes the chains of persistent requests, unless another thread has made them meanwhile. NULL: no memory. */
static struct startable_chains *chains_there(struct call_tables *tables)
{
    struct startable_chains *there = atomic_load(&tables->startables), *made;
    if (there)
        return there;
    made = calloc(1, sizeof *made);
    if (!made || atomic_compare_exchange_strong(&tables->startables, &there, made))
        return made;
    free(made);
    return there;
}

static struct startable *take_startable(struct call_tables *tables, MPI_Request request)
{
    struct startable_chains *chains = chains_there(tables);
    struct startables *_Atomic *chain = chains ? chain_of(chains, request) : NULL;
    struct startable *taken = chain ? find_in_chain(atomic_load(chain), request, 0) : NULL;
    struct startables *made = chain && !taken ? calloc(1, sizeof *made) : NULL;
    if (!made)
        return taken;
    made->number = block_of(request);
    taken = find_in(made, (uintptr_t)request, 0);
    made->next = atomic_load(chain);
    while (!atomic_compare_exchange_weak(chain, &made->next, made))
        continue;
    return taken;
}

/* Notes what each start of a persistent request sends, or that it receives. Without memory its messages are
 * not counted: each start is said to be unknown. Another thread may not yet have noted that the last request
 * of this handle is done: then it is this one's beginning that is counted on. */
void tables_prepare(struct call_tables *tables, MPI_Request request, int peer, MPI_Count bytes,
                    MPI_Count received)
{
    struct startable *at = tables_startable(tables, request);
    at = at ? at : take_startable(tables, request); /* it may be there if it was freed behind our back */
    if (!at)
        return;
    at->peer = peer;
    at->bytes = bytes;
    at->received = received;
    if (!tables->multiple) {
        atomic_store_explicit(&at->done, 0, memory_order_relaxed);
        atomic_store_explicit(&at->posted, 0, memory_order_relaxed);
    }
    if (peer == RECEIVE_PEER)
        atomic_store_explicit(&tables->receives, 1, memory_order_relaxed);
}

void tables_begin(const struct call_tables *tables, struct startable *at)
{
    /* Another thread may not yet have noted that the last one of this handle is done. */
    uint32_t before = atomic_load_explicit(tables->multiple ? &at->posted : &at->done, memory_order_relaxed);
    atomic_store_explicit(&at->posted, before + 1, memory_order_relaxed);
}

void tables_receive(struct call_tables *tables, MPI_Request request)
{
    struct startable *at = tables_startable(tables, request);
    if (unlikely(!at || at->peer != RECEIVE_ONCE_PEER)) {
        tables_prepare(tables, request, RECEIVE_ONCE_PEER, 0, 0);
        if (!(at = tables_startable(tables, request)))
            return;
        atomic_store_explicit(&tables->receives, 1, memory_order_relaxed);
    }
    tables_begin(tables, at);
}

struct startable *tables_receives(const struct call_tables *tables, MPI_Request request)
{
    struct startable *at = tables_startable(tables, request);
    return at && tables_is_under_way(at) ? at : NULL;
}

void tables_forget(struct startable *at)
{
    atomic_store_explicit(&at->request, 0, memory_order_release);
}
