/* SPDX-License-Identifier: BSD-3-Clause */
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

/* Those that every MPI has; a missing one is only slower. */
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

struct call_tables *tables_make(void)
{
    struct call_tables *tables = calloc(1, sizeof *tables);
    if (!tables)
        return NULL;
    if (!find_functions(tables)) {
        free(tables);
        return NULL;
    }
    tables->world = MPI_COMM_WORLD;
    tables->no_op = MPI_NO_OP;
    tables->fortran_world = PMPI_Comm_c2f(tables->world);
    tables->Comm_rank(tables->world, &tables->rank);
    tables->Comm_size(tables->world, &tables->ranks);
    tables->Comm_group(tables->world, &tables->group);
    know_types(tables);
    find_in_place(tables);
    return tables;
}

void tables_end(struct call_tables *tables)
{
    tables->ended = 1;
    tables->Group_free(&tables->group);
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

/* The place of a rank in the thread's table, NULL: there is none left. Looked for once, if all goes well. */
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

/* ---- persistent requests */

/* Handles are none of these: requests of MPICH have bits for their kind, those of Open MPI are addresses. */
enum { NEVER_USED = 0, FREED = 1, BEING_WRITTEN = 2, STARTABLE_PROBES = 32, FIRST_STARTABLES = 4096 };

static struct startable *startable_at(struct startables *table, uintptr_t request, unsigned probe)
{
    return &table->at[(tables_place(request, table->places) + probe) % table->places];
}

static struct startable *find_in(struct startables *table, uintptr_t request)
{
    for (unsigned i = 0; i < STARTABLE_PROBES; i++) {
        struct startable *at = startable_at(table, request, i);
        uintptr_t there = atomic_load_explicit(&at->request, memory_order_acquire);

        if (there == request)
            return at;
        if (there == NEVER_USED)
            return NULL;
    }
    return NULL;
}

struct startable *tables_startable(const struct call_tables *tables, MPI_Request request)
{
    struct startable *found = NULL;
    for (struct startables *table = atomic_load(&tables->startables); table && !found;
         table = atomic_load(&table->next))
        found = find_in(table, (uintptr_t)request);
    return found;
}

static struct startable *take_in(struct startables *table, uintptr_t request)
{
    for (unsigned i = 0; i < STARTABLE_PROBES; i++) {
        struct startable *at = startable_at(table, request, i);
        uintptr_t there = atomic_load_explicit(&at->request, memory_order_relaxed);

        if (there <= FREED && atomic_compare_exchange_strong(&at->request, &there, BEING_WRITTEN))
            return at;
    }
    return NULL;
}

/* The table behind a link, made where there is none: another thread may be quicker. NULL: no memory. */
static struct startables *table_behind(struct startables *_Atomic *link, unsigned places)
{
    struct startables *made, *there = atomic_load(link);
    if (there)
        return there;
    made = calloc(1, sizeof *made + places * sizeof *made->at);
    if (!made)
        return NULL;
    made->places = places;
    if (atomic_compare_exchange_strong(link, &there, made))
        return made;
    free(made);
    return there;
}

static struct startable *take_startable(struct call_tables *tables, uintptr_t request)
{
    struct startables *table = table_behind(&tables->startables, FIRST_STARTABLES);
    struct startable *taken = NULL;
    while (table && !(taken = take_in(table, request)))
        table = table_behind(&table->next, 4 * table->places);
    return taken;
}

/* Without memory its messages are not counted. */
void tables_prepare(struct call_tables *tables, MPI_Request request, int peer, MPI_Count bytes)
{
    struct startable *at = tables_startable(tables, request);
    /* It may be there if it was freed behind our back. */
    if (at)
        atomic_store_explicit(&at->request, BEING_WRITTEN, memory_order_relaxed);
    else
        at = take_startable(tables, (uintptr_t)request);
    if (!at)
        return;
    at->peer = peer;
    at->bytes = bytes;
    atomic_store_explicit(&at->request, (uintptr_t)request, memory_order_release);
}

void tables_forget(struct call_tables *tables, MPI_Request request)
{
    struct startable *at = tables_startable(tables, request);
    if (at)
        atomic_store_explicit(&at->request, FREED, memory_order_release);
}
