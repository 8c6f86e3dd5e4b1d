/* SPDX-License-Identifier: BSD-3-Clause */
#include "calls/account.h"

#include "base/likely.h"
#include "calls/fortran.h"
#include "record/call_ring.h"

#include <string.h>

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
    return tables_facts(comm)->rank;
}

static int size_of_group(MPI_Comm comm)
{
    return tables_facts(comm)->size;
}

/* Number of ranks at the other end of a collective call. */
static int ranks_reached(MPI_Comm comm)
{
    return tables_facts(comm)->reached;
}

/* True for the rank whose data goes to the others, or that all others' comes to: of intercommunicators the
 * one that says MPI_ROOT. */
static inline int is_the_root(int root, const struct known_comm *known)
{
    return root == (known->inter ? MPI_ROOT : known->rank);
}

static int is_root(int root, MPI_Comm comm)
{
    return is_the_root(root, tables_facts(comm));
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

/* Adds what a collective call, or a one-sided one, brings to the rank. */
static inline void add_received(ACCOUNT, MPI_Count bytes)
{
    uint64_t n = bytes > 0 ? (uint64_t)bytes : 0;
    if (unlikely(mpi_thread.prepares))
        mpi_thread.prepared_received = n;
    else
        thread->received[call] += n;
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
    if (dest == MPI_PROC_NULL)
        tables_prepare(papi_mpi.tables, request, NOBODY_PEER, 0, 0);
    else
        tables_prepare(papi_mpi.tables, request, tables_peer(thread, dest, comm)->peer, count * size_of(type),
                       0);
}

void account_prepared_parts(ACCOUNT, int partitions, MPI_Count count, MPI_Datatype type, int dest,
                            MPI_Comm comm, MPI_Request request)
{
    account_prepared(thread, call, partitions * count, type, dest, comm, request);
}

void account_started(ACCOUNT, MPI_Request request)
{
    const struct startable *startable = tables_startable(papi_mpi.tables, request);
    if (!startable || startable->peer == RECEIVE_ONCE_PEER) {
        thread->uncounted[call]++; /* it was made while nothing was counted, or without memory */
        return;
    }
    if (startable->peer == RECEIVE_PEER || startable->peer == NOBODY_PEER)
        return;
    if (startable->peer == COLLECTIVE_PEER) {
        add_collective(thread, call, startable->bytes);
        add_received(thread, call, startable->received);
        thread->started_bytes += (uint64_t)startable->bytes;
        thread->started_received += (uint64_t)startable->received;
        return;
    }
    /* The request may have been prepared by another thread: its figures are in the tables. */
    add_message(thread, call, startable->bytes,
                startable->peer < 0 ? NULL : tables_peer(thread, startable->peer, papi_mpi.tables->world));
}

void account_started_all(ACCOUNT, int count, struct handles requests)
{
    for (int i = 0; i < count; i++)
        account_started(thread, call, fortran_or_c_request(requests.fortran, requests.array, i));
}

/* A member of a status. Fortran's are aligned like integers; and what MPI has just written word by word is
 * read so, too: the processor waits where a larger read needs several writes. */
#define STATUS_MEMBER(status, member)                                                                        \
    __extension__({                                                                                          \
        __typeof__(((MPI_Status *)0)->member) value;                                                         \
        memcpy(&value, (const char *)(status) + offsetof(MPI_Status, member), sizeof value);                 \
        value;                                                                                               \
    })

void account_received(ACCOUNT, const void *status)
{
#ifdef OPEN_MPI
    int cancelled = STATUS_MEMBER(status, _cancelled);
    uint64_t bytes = STATUS_MEMBER(status, _ucount);
#else
    int cancelled = 0;
    uint64_t bytes = (uint32_t)STATUS_MEMBER(status, count_lo);
    if (unlikely(STATUS_MEMBER(status, count_hi_and_cancelled) != 0)) { /* its bits differ between versions */
        MPI_Status came;
        MPI_Count count = 0;
        memcpy(&came, status, sizeof came);
        PMPI_Test_cancelled(&came, &cancelled);
        PMPI_Get_elements_x(&came, papi_mpi.tables->byte, &count);
        bytes = (uint64_t)count;
    }
#endif
    if (STATUS_MEMBER(status, MPI_SOURCE) < 0 ||
        cancelled) /* from nobody, or there was nothing to wait for */
        return;
    thread->received[call] += bytes;
    thread->received_messages++;
}

/* ---- collective */

void account_collective_prepared(ACCOUNT, MPI_Request request)
{
    (void)thread, (void)call;
    mpi_thread.prepares = 0;
    tables_prepare(papi_mpi.tables, request, COLLECTIVE_PEER, (MPI_Count)mpi_thread.prepared,
                   (MPI_Count)mpi_thread.prepared_received);
    mpi_thread.prepared_received = 0;
}

void account_synchronized(ACCOUNT)
{
    add_collective(thread, call, 0);
}

void account_broadcast(ACCOUNT, MPI_Count count, MPI_Datatype type, int root, MPI_Comm comm)
{
    const struct known_comm *known = tables_facts(comm);
    int sends = is_the_root(root, known) && (known->reached > 1 || known->inter);
    int receives = !is_the_root(root, known) && gives_to(root);
    MPI_Count bytes = sends || receives ? count * size_of(type) : 0;
    add_collective(thread, call, sends ? bytes : 0);
    if (receives)
        add_received(thread, call, bytes);
}

void account_gathered(ACCOUNT, int in_place, MPI_Count sendcount, MPI_Datatype sendtype, MPI_Count recvcount,
                      MPI_Datatype recvtype, int root, MPI_Comm comm)
{
    add_collective(thread, call,
                   gives_to(root) ? part_of(in_place, sendcount, sendtype, recvcount, recvtype) : 0);
    if (is_root(root, comm))
        add_received(thread, call, recvcount * size_of(recvtype) * ranks_reached(comm));
}

void account_gathered_by_all(ACCOUNT, int in_place, MPI_Count sendcount, MPI_Datatype sendtype,
                             MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    add_collective(thread, call, part_of(in_place, sendcount, sendtype, recvcount, recvtype));
    add_received(thread, call, recvcount * size_of(recvtype) * ranks_reached(comm));
}

void account_gathered_v(ACCOUNT, int in_place, MPI_Count sendcount, MPI_Datatype sendtype,
                        struct counts recvcounts, MPI_Datatype recvtype, int root, MPI_Comm comm)
{
    MPI_Count own = gives_to(root) && in_place ? count_at(recvcounts, rank_in(comm)) : 0;
    add_collective(thread, call, gives_to(root) ? part_of(in_place, sendcount, sendtype, own, recvtype) : 0);
    if (is_root(root, comm))
        add_received(thread, call, sum_of(recvcounts, ranks_reached(comm)) * size_of(recvtype));
}

void account_gathered_by_all_v(ACCOUNT, int in_place, MPI_Count sendcount, MPI_Datatype sendtype,
                               struct counts recvcounts, MPI_Datatype recvtype, MPI_Comm comm)
{
    MPI_Count own = in_place ? count_at(recvcounts, rank_in(comm)) : 0;
    add_collective(thread, call, part_of(in_place, sendcount, sendtype, own, recvtype));
    add_received(thread, call, sum_of(recvcounts, ranks_reached(comm)) * size_of(recvtype));
}

/* Adds what a rank gets that is scattered. The root of an intercommunicator gets nothing; where it is in
 * place, its own part stays where it is sent. own: its count there. */
static void add_scattered(ACCOUNT, int root, MPI_Comm comm, int stays, MPI_Count own, MPI_Datatype sendtype,
                          MPI_Count recvcount, MPI_Datatype recvtype)
{
    if (!gives_to(root))
        return;
    int in_place = stays && is_root(root, comm);
    add_received(thread, call, in_place ? own * size_of(sendtype) : recvcount * size_of(recvtype));
}

void account_scattered(ACCOUNT, MPI_Count sendcount, MPI_Datatype sendtype, int in_place, MPI_Count recvcount,
                       MPI_Datatype recvtype, int root, MPI_Comm comm)
{
    add_collective(thread, call,
                   is_root(root, comm) ? sendcount * size_of(sendtype) * ranks_reached(comm) : 0);
    add_scattered(thread, call, root, comm, in_place, sendcount, sendtype, recvcount, recvtype);
}

void account_scattered_v(ACCOUNT, struct counts sendcounts, MPI_Datatype sendtype, int in_place,
                         MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm)
{
    int is = is_root(root, comm);
    add_collective(thread, call, is ? sum_of(sendcounts, ranks_reached(comm)) * size_of(sendtype) : 0);
    add_scattered(thread, call, root, comm, in_place,
                  is && in_place ? count_at(sendcounts, rank_in(comm)) : 0, sendtype, recvcount, recvtype);
}

void account_exchanged(ACCOUNT, int in_place, MPI_Count sendcount, MPI_Datatype sendtype, MPI_Count recvcount,
                       MPI_Datatype recvtype, MPI_Comm comm)
{
    int ranks = ranks_reached(comm);
    add_collective(thread, call, part_of(in_place, sendcount, sendtype, recvcount, recvtype) * ranks);
    add_received(thread, call, recvcount * size_of(recvtype) * ranks);
}

void account_exchanged_v(ACCOUNT, int in_place, struct counts sendcounts, MPI_Datatype sendtype,
                         struct counts recvcounts, MPI_Datatype recvtype, MPI_Comm comm)
{
    int ranks = ranks_reached(comm);
    MPI_Count received = sum_of(recvcounts, ranks) * size_of(recvtype);
    add_collective(thread, call, in_place ? received : sum_of(sendcounts, ranks) * size_of(sendtype));
    add_received(thread, call, received);
}

static MPI_Count sum_of_types(struct counts counts, struct handles types, int n)
{
    MPI_Count bytes = 0;
    for (int i = 0; i < n; i++)
        bytes += bytes_at(counts, types, i);
    return bytes;
}

void account_exchanged_w(ACCOUNT, int in_place, struct counts sendcounts, struct handles sendtypes,
                         struct counts recvcounts, struct handles recvtypes, MPI_Comm comm)
{
    int ranks = ranks_reached(comm);
    MPI_Count received = sum_of_types(recvcounts, recvtypes, ranks);
    add_collective(thread, call, in_place ? received : sum_of_types(sendcounts, sendtypes, ranks));
    add_received(thread, call, received);
}

void account_reduced(ACCOUNT, MPI_Count count, MPI_Datatype type, int root, MPI_Comm comm)
{
    add_collective(thread, call, gives_to(root) ? count * size_of(type) : 0);
    if (is_root(root, comm))
        add_received(thread, call, count * size_of(type));
}

void account_reduced_to_all(ACCOUNT, MPI_Count count, MPI_Datatype type)
{
    MPI_Count bytes = count * size_of(type);
    add_collective(thread, call, bytes);
    add_received(thread, call, bytes);
}

void account_reduced_before(ACCOUNT, MPI_Count count, MPI_Datatype type, MPI_Comm comm)
{
    MPI_Count bytes = count * size_of(type);
    add_collective(thread, call, bytes);
    if (rank_in(comm) > 0)
        add_received(thread, call, bytes);
}

void account_contributed_v(ACCOUNT, struct counts counts, MPI_Datatype type, MPI_Comm comm)
{
    add_collective(thread, call, sum_of(counts, size_of_group(comm)) * size_of(type));
    add_received(thread, call, count_at(counts, rank_in(comm)) * size_of(type));
}

void account_contributed_blocks(ACCOUNT, MPI_Count count, MPI_Datatype type, MPI_Comm comm)
{
    add_collective(thread, call, count * size_of_group(comm) * size_of(type));
    add_received(thread, call, count * size_of(type));
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
    struct known_neighbors found = {.key = tables_key_of_comm(comm)};
    int topology = MPI_UNDEFINED, weighted;
    mpi->Topo_test(comm, &topology);
    if (topology == MPI_CART) {
        mpi->Cartdim_get(comm, &found.n);
        found.n *= 2;
    } else if (topology == MPI_GRAPH) {
        mpi->Graph_neighbors_count(comm, rank_in(comm), &found.n);
    }
    found.sources = found.n;
    if (topology == MPI_DIST_GRAPH)
        mpi->Dist_graph_neighbors_count(comm, &found.sources, &found.n, &weighted);
    for (int i = 0; topology == MPI_CART && i < found.n && i < MOST_NEIGHBORS; i++)
        found.absent |= (uint64_t)nobody_at(comm, i) << i;
    found.there = found.n - __builtin_popcountll(found.absent);
    found.from = found.sources - __builtin_popcountll(found.absent);
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

/* Types need not be any where there is nobody. */
static MPI_Count times(int n, MPI_Count count, MPI_Datatype type)
{
    return n > 0 ? n * count * size_of(type) : 0;
}

/* The bytes for, or of, n places for neighbors, of one type and of several. */
static MPI_Count sum_of_neighbors(const struct known_neighbors *known, int n, struct counts counts,
                                  MPI_Datatype type)
{
    MPI_Count elements = 0;
    for (int i = 0; i < n; i++)
        elements += is_there(known, i) ? count_at(counts, i) : 0;
    return elements ? elements * size_of(type) : 0;
}

static MPI_Count sum_of_neighbors_w(const struct known_neighbors *known, int n, struct counts counts,
                                    struct handles types)
{
    MPI_Count bytes = 0;
    for (int i = 0; i < n; i++)
        bytes += is_there(known, i) ? bytes_at(counts, types, i) : 0;
    return bytes;
}

void account_neighbors_same(ACCOUNT, MPI_Count count, MPI_Datatype type, MPI_Count recvcount,
                            MPI_Datatype recvtype, MPI_Comm comm)
{
    const struct known_neighbors *known = neighbors_of(comm);
    add_collective(thread, call, times(known->there > 0, count, type));
    add_received(thread, call, times(known->from, recvcount, recvtype));
}

void account_neighbors_same_v(ACCOUNT, MPI_Count count, MPI_Datatype type, struct counts recvcounts,
                              MPI_Datatype recvtype, MPI_Comm comm)
{
    const struct known_neighbors *known = neighbors_of(comm);
    add_collective(thread, call, times(known->there > 0, count, type));
    add_received(thread, call, sum_of_neighbors(known, known->sources, recvcounts, recvtype));
}

void account_neighbors(ACCOUNT, MPI_Count count, MPI_Datatype type, MPI_Count recvcount,
                       MPI_Datatype recvtype, MPI_Comm comm)
{
    const struct known_neighbors *known = neighbors_of(comm);
    add_collective(thread, call, times(known->there, count, type));
    add_received(thread, call, times(known->from, recvcount, recvtype));
}

void account_neighbors_v(ACCOUNT, struct counts counts, MPI_Datatype type, struct counts recvcounts,
                         MPI_Datatype recvtype, MPI_Comm comm)
{
    const struct known_neighbors *known = neighbors_of(comm);
    add_collective(thread, call, sum_of_neighbors(known, known->n, counts, type));
    add_received(thread, call, sum_of_neighbors(known, known->sources, recvcounts, recvtype));
}

void account_neighbors_w(ACCOUNT, struct counts counts, struct handles types, struct counts recvcounts,
                         struct handles recvtypes, MPI_Comm comm)
{
    const struct known_neighbors *known = neighbors_of(comm);
    add_collective(thread, call, sum_of_neighbors_w(known, known->n, counts, types));
    add_received(thread, call, sum_of_neighbors_w(known, known->sources, recvcounts, recvtypes));
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
    if (op == papi_mpi.tables->no_op) {
        account_fetched(thread, call, result_count, result_type, target);
    } else if (target != MPI_PROC_NULL) {
        account_put(thread, call, count, type, target, win);
        add_received(thread, call, result_count * size_of(result_type));
    }
}

void account_swapped(ACCOUNT, MPI_Datatype type, int target, MPI_Win win)
{
    account_put(thread, call, 1, type, target, win);
    if (target != MPI_PROC_NULL)
        add_received(thread, call, size_of(type));
}

/* ---- files, and copies in memory */

void account_moved(ACCOUNT, MPI_Count count, MPI_Datatype type)
{
    add_bytes(thread, call, (uint64_t)(count * size_of(type)));
}
