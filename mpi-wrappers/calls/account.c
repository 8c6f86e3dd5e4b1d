/* SPDX-License-Identifier: BSD-3-Clause */
#include "calls/account.h"

#include "base/likely.h"
#include "calls/fortran.h"
#include "record/call_ring.h"

/* ---- counts and types as C has them */

static MPI_Count size_of(MPI_Datatype type)
{
    return tables_type_size(papi_mpi.tables, type);
}

static MPI_Count count_at(struct counts counts, int i)
{
    return counts.width == sizeof(int) ? ((const int *)counts.array)[i]
                                       : ((const MPI_Count *)counts.array)[i];
}

static MPI_Count sum_of(struct counts counts, int n)
{
    MPI_Count sum = 0;
    for (int i = 0; i < n; i++)
        sum += count_at(counts, i);
    return sum;
}

static MPI_Datatype type_at(struct handles types, int i)
{
    return types.fortran ? fortran_type_of(((const MPI_Fint *)types.array)[i])
                         : ((const MPI_Datatype *)types.array)[i];
}

/* The type need not be one where there is nothing to send. */
static MPI_Count bytes_at(struct counts counts, struct handles types, int i)
{
    MPI_Count count = count_at(counts, i);
    return count ? count * size_of(type_at(types, i)) : 0;
}

/* Bytes that a rank puts in. In place they stand where they are received. */
static MPI_Count part_of(int in_place, MPI_Count sendcount, MPI_Datatype sendtype, MPI_Count recvcount,
                         MPI_Datatype recvtype)
{
    return in_place ? recvcount * size_of(recvtype) : sendcount * size_of(sendtype);
}

/* ---- what MPI says of a communicator */

static int rank_in(MPI_Comm comm)
{
    return comm == papi_mpi.tables->world ? papi_mpi.tables->rank : tables_comm(comm)->rank;
}

static int size_of_group(MPI_Comm comm)
{
    return comm == papi_mpi.tables->world ? papi_mpi.tables->ranks : tables_comm(comm)->size;
}

/* Number of ranks at the other end of a collective call. */
static int ranks_reached(MPI_Comm comm)
{
    return comm == papi_mpi.tables->world ? papi_mpi.tables->ranks : tables_comm(comm)->reached;
}

/* True for the rank whose data goes to the others: of intercommunicators the one that says MPI_ROOT. */
static int is_root(int root, MPI_Comm comm)
{
    int inter = comm != papi_mpi.tables->world && tables_comm(comm)->inter;
    return inter ? root == MPI_ROOT : root == rank_in(comm);
}

/* True for a communicator of one rank, which has nobody to send to. */
static int is_alone(MPI_Comm comm)
{
    return ranks_reached(comm) == 1 && !(comm != papi_mpi.tables->world && tables_comm(comm)->inter);
}

_Static_assert(MPI_ROOT != 0 && MPI_PROC_NULL != 0, "0 stands for all in the table of calls");

/* A rank whose data goes to a root: of intercommunicators those that name a rank of the other group. */
static int gives_to(int root)
{
    return root != MPI_ROOT && root != MPI_PROC_NULL;
}

/* ---- into the record */

static inline int bucket_of(uint64_t bytes)
{
    int bucket = bytes ? 64 - __builtin_clzll(bytes) : 0;
    return bucket < SIZE_BUCKETS ? bucket : SIZE_BUCKETS - 1;
}

/* Chooses where the call's sizes are counted from now on: one more than the place. */
static __attribute__((noinline, cold)) int take_sizes(ACCOUNT)
{
    int place = thread->n_sizes < MAX_SIZED ? thread->n_sizes++ : MAX_SIZED;
    thread->sizes[place].call = (int32_t)call;
    thread->sizes_at[call] = (uint8_t)(place + 1);
    return place + 1;
}

static inline void add_bytes(ACCOUNT, uint64_t n)
{
    int at = thread->sizes_at[call];
    if (unlikely(at == 0))
        at = take_sizes(thread, call);
    thread->sizes[at - 1].size[bucket_of(n)]++;
    thread->call[call].bytes += n;
    mpi_thread.site->bytes += n;
    if (unlikely(papi_mpi.ring != NULL))
        mpi_thread.noted->bytes += n;
}

static inline void add_collective(ACCOUNT, MPI_Count bytes)
{
    uint64_t n = bytes > 0 ? (uint64_t)bytes : 0;
    if (unlikely(mpi_thread.prepares)) {
        mpi_thread.prepared = n;
        return;
    }
    add_bytes(thread, call, n);
    thread->collective[bucket_of(n)]++;
}

/* Counts a message to a rank without a place of its own: to one of many, or, with a negative rank, to one
 * outside of MPI_COMM_WORLD. */
static __attribute__((noinline, cold)) void add_elsewhere(struct thread_record *thread, uint64_t n, int rank)
{
    if (rank < 0) {
        thread->outside_messages++;
        thread->outside_bytes += n;
    } else {
        thread->other_messages++;
        thread->other_bytes += n;
    }
}

static inline void add_message(ACCOUNT, MPI_Count bytes, const struct known_peer *known)
{
    uint64_t n = bytes > 0 ? (uint64_t)bytes : 0;
    struct peer *peer = known ? known->place : NULL;
    add_bytes(thread, call, n);
    thread->sent[bucket_of(n)]++;
    if (peer) {
        peer->messages++;
        peer->bytes += n;
    } else {
        add_elsewhere(thread, n, known ? known->peer : -1);
    }
}

/* ---- point to point */

void account_sent(ACCOUNT, MPI_Count count, MPI_Datatype type, int dest, MPI_Comm comm)
{
    if (dest != MPI_PROC_NULL)
        add_message(thread, call, count * size_of(type), tables_peer(thread, dest, comm));
}

void account_prepared(ACCOUNT, MPI_Count count, MPI_Datatype type, int dest, MPI_Comm comm,
                      MPI_Request request)
{
    (void)call;
    if (dest != MPI_PROC_NULL)
        tables_prepare(papi_mpi.tables, request, tables_peer(thread, dest, comm)->peer,
                       count * size_of(type));
}

void account_prepared_parts(ACCOUNT, int partitions, MPI_Count count, MPI_Datatype type, int dest,
                            MPI_Comm comm, MPI_Request request)
{
    account_prepared(thread, call, partitions * count, type, dest, comm, request);
}

void account_started(ACCOUNT, MPI_Request request)
{
    const struct startable *startable = tables_startable(papi_mpi.tables, request);
    if (!startable)
        return;
    if (startable->peer == COLLECTIVE_PEER) {
        add_collective(thread, call, startable->bytes);
        thread->started_bytes += (uint64_t)startable->bytes;
        return;
    }
    /* The request may have been prepared by another thread: its figures are in the tables. */
    add_message(thread, call, startable->bytes,
                startable->peer < 0 ? NULL : tables_peer(thread, startable->peer, papi_mpi.tables->world));
}

void account_started_all(ACCOUNT, int count, struct handles requests)
{
    for (int i = 0; i < count; i++)
        account_started(thread, call,
                        requests.fortran ? fortran_request_of(((const MPI_Fint *)requests.array)[i])
                                         : ((const MPI_Request *)requests.array)[i]);
}

/* ---- collective */

void account_collective_prepared(ACCOUNT, MPI_Request request)
{
    (void)thread, (void)call;
    mpi_thread.prepares = 0;
    tables_prepare(papi_mpi.tables, request, COLLECTIVE_PEER, (MPI_Count)mpi_thread.prepared);
}

void account_synchronized(ACCOUNT)
{
    add_collective(thread, call, 0);
}

void account_broadcast(ACCOUNT, MPI_Count count, MPI_Datatype type, int root, MPI_Comm comm)
{
    int sends = is_root(root, comm) && !is_alone(comm);
    add_collective(thread, call, sends ? count * size_of(type) : 0);
}

void account_gathered(ACCOUNT, int in_place, MPI_Count sendcount, MPI_Datatype sendtype, MPI_Count recvcount,
                      MPI_Datatype recvtype, int root)
{
    add_collective(thread, call,
                   gives_to(root) ? part_of(in_place, sendcount, sendtype, recvcount, recvtype) : 0);
}

void account_gathered_v(ACCOUNT, int in_place, MPI_Count sendcount, MPI_Datatype sendtype,
                        struct counts recvcounts, MPI_Datatype recvtype, int root, MPI_Comm comm)
{
    MPI_Count own = gives_to(root) && in_place ? count_at(recvcounts, rank_in(comm)) : 0;
    account_gathered(thread, call, in_place, sendcount, sendtype, own, recvtype, root);
}

void account_scattered(ACCOUNT, MPI_Count sendcount, MPI_Datatype sendtype, int root, MPI_Comm comm)
{
    add_collective(thread, call,
                   is_root(root, comm) ? sendcount * size_of(sendtype) * ranks_reached(comm) : 0);
}

void account_scattered_v(ACCOUNT, struct counts sendcounts, MPI_Datatype sendtype, int root, MPI_Comm comm)
{
    add_collective(thread, call,
                   is_root(root, comm) ? sum_of(sendcounts, ranks_reached(comm)) * size_of(sendtype) : 0);
}

void account_exchanged(ACCOUNT, int in_place, MPI_Count sendcount, MPI_Datatype sendtype, MPI_Count recvcount,
                       MPI_Datatype recvtype, MPI_Comm comm)
{
    add_collective(thread, call,
                   part_of(in_place, sendcount, sendtype, recvcount, recvtype) * ranks_reached(comm));
}

void account_exchanged_v(ACCOUNT, int in_place, struct counts sendcounts, MPI_Datatype sendtype,
                         struct counts recvcounts, MPI_Datatype recvtype, MPI_Comm comm)
{
    MPI_Count elements = sum_of(in_place ? recvcounts : sendcounts, ranks_reached(comm));
    add_collective(thread, call, elements * size_of(in_place ? recvtype : sendtype));
}

void account_exchanged_w(ACCOUNT, int in_place, struct counts sendcounts, struct handles sendtypes,
                         struct counts recvcounts, struct handles recvtypes, MPI_Comm comm)
{
    struct counts counts = in_place ? recvcounts : sendcounts;
    struct handles types = in_place ? recvtypes : sendtypes;
    MPI_Count bytes = 0;
    for (int i = 0, n = ranks_reached(comm); i < n; i++)
        bytes += bytes_at(counts, types, i);
    add_collective(thread, call, bytes);
}

void account_reduced(ACCOUNT, MPI_Count count, MPI_Datatype type, int root)
{
    add_collective(thread, call, gives_to(root) ? count * size_of(type) : 0);
}

void account_contributed_v(ACCOUNT, struct counts counts, MPI_Datatype type, MPI_Comm comm)
{
    add_collective(thread, call, sum_of(counts, size_of_group(comm)) * size_of(type));
}

void account_contributed_blocks(ACCOUNT, MPI_Count count, MPI_Datatype type, MPI_Comm comm)
{
    add_collective(thread, call, count * size_of_group(comm) * size_of(type));
}

/* ---- neighbors */

/* True if neighbour i is missing, at the border of a grid. */
static int nobody_at(MPI_Comm comm, int i)
{
    int before = MPI_PROC_NULL, behind = MPI_PROC_NULL;
    papi_mpi.tables->Cart_shift(comm, i / 2, 1, &before, &behind);
    return (i % 2 ? behind : before) == MPI_PROC_NULL;
}

static int is_there(const struct known_neighbors *known, int i)
{
    return i >= MOST_NEIGHBORS || !(known->absent >> i & 1);
}

static struct known_neighbors ask_neighbors(MPI_Comm comm)
{
    const struct call_tables *mpi = papi_mpi.tables;
    struct known_neighbors found = {tables_key_of_comm(comm), 0, 0, 0};
    int topology = MPI_UNDEFINED, sources, weighted;
    mpi->Topo_test(comm, &topology);
    if (topology == MPI_CART) {
        mpi->Cartdim_get(comm, &found.n);
        found.n *= 2;
    } else if (topology == MPI_GRAPH) {
        mpi->Graph_neighbors_count(comm, rank_in(comm), &found.n);
    } else if (topology == MPI_DIST_GRAPH) {
        mpi->Dist_graph_neighbors_count(comm, &sources, &found.n, &weighted);
    }
    for (int i = 0; topology == MPI_CART && i < found.n && i < MOST_NEIGHBORS; i++)
        found.absent |= (uint64_t)nobody_at(comm, i) << i;
    found.there = found.n - __builtin_popcountll(found.absent);
    return found;
}

/* Asked once for each communicator that a thread uses, if it uses one at a time. */
static const struct known_neighbors *neighbors_of(MPI_Comm comm)
{
    struct known_neighbors *known = &mpi_thread.known_neighbors;
    tables_forget_old();
    if (known->key != tables_key_of_comm(comm))
        *known = ask_neighbors(comm);
    return known;
}

void account_neighbors_same(ACCOUNT, MPI_Count count, MPI_Datatype type, MPI_Comm comm)
{
    add_collective(thread, call, neighbors_of(comm)->there ? count * size_of(type) : 0);
}

void account_neighbors(ACCOUNT, MPI_Count count, MPI_Datatype type, MPI_Comm comm)
{
    int n = neighbors_of(comm)->there;
    add_collective(thread, call, n ? n * count * size_of(type) : 0);
}

void account_neighbors_v(ACCOUNT, struct counts counts, MPI_Datatype type, MPI_Comm comm)
{
    const struct known_neighbors *known = neighbors_of(comm);
    MPI_Count elements = 0;
    for (int i = 0; i < known->n; i++)
        elements += is_there(known, i) ? count_at(counts, i) : 0;
    add_collective(thread, call, elements ? elements * size_of(type) : 0);
}

void account_neighbors_w(ACCOUNT, struct counts counts, struct handles types, MPI_Comm comm)
{
    const struct known_neighbors *known = neighbors_of(comm);
    MPI_Count bytes = 0;
    for (int i = 0; i < known->n; i++)
        bytes += is_there(known, i) ? bytes_at(counts, types, i) : 0;
    add_collective(thread, call, bytes);
}

/* ---- one-sided */

void account_put(ACCOUNT, MPI_Count count, MPI_Datatype type, int target, MPI_Win win)
{
    if (target != MPI_PROC_NULL)
        add_message(thread, call, count * size_of(type), tables_target(thread, target, win));
}

void account_fetched(ACCOUNT, MPI_Count count, MPI_Datatype type, int target)
{
    if (target != MPI_PROC_NULL)
        add_bytes(thread, call, (uint64_t)(count * size_of(type)));
}

/* MPI_NO_OP only reads: what would be sent is not looked at. */
void account_accumulated(ACCOUNT, MPI_Count count, MPI_Datatype type, MPI_Count result_count,
                         MPI_Datatype result_type, MPI_Op op, int target, MPI_Win win)
{
    if (op == papi_mpi.tables->no_op)
        account_fetched(thread, call, result_count, result_type, target);
    else
        account_put(thread, call, count, type, target, win);
}

/* ---- files, and copies in memory */

void account_moved(ACCOUNT, MPI_Count count, MPI_Datatype type)
{
    add_bytes(thread, call, (uint64_t)(count * size_of(type)));
}
