/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Chains in collective calls. Before the program's call each rank makes one of the library's own on the same
 * communicator, which moves a chain exactly where the program's call moves data: an allreduce of the longest
 * chain where each rank waits for all, a broadcast from the root, a reduction to it, a scan, or an exchange
 * with neighbours. A rank's chain then becomes the longest of those on which it has to wait. The communicator
 * of the program serves for this, and no message of the program can be confused with the library's: MPI
 * orders collective calls by their sequence, which is the same on all ranks, since each of them has the
 * library and makes its own call at the same point.
 * Calls that are completed later are taken along by one of MPI's calls that are completed later, with memory
 * that belongs to the request until both are complete: out_later enters it under the program's handle, and
 * follow_requests.c waits for it when the program has learned that its own is completed. Persistent ones keep
 * their request and launch another call at each start.
 * Limits: in a call whose data nobody needs (a count of 0) the chain is moved all the same; a communicator
 * with processes that are no ranks of this job is not followed.
 */
#include "calls/follow.h"

#include "calls/fortran.h"

#include <stdlib.h>

/* A communicator that is followed, and this rank's chain as the call begins. NULL: nothing to do. */
static struct followed *begin(MPI_Comm comm, struct path *own)
{
    carrier_lock();
    struct followed *followed = carrier_comm(comm);
    if (followed && followed->size == 1 && !followed->inter)
        followed = NULL;
    if (followed) {
        rank_path_in_call(papi_mpi.record);
        *own = *carrier_path();
    }
    carrier_unlock();
    return followed;
}

static void meet(const struct path *got, int n)
{
    carrier_lock();
    for (int i = 0; i < n; i++)
        rank_path_meets(papi_mpi.record, &got[i]);
    carrier_unlock();
}

void into_all(struct following *following, MPI_Comm comm)
{
    const struct carrier *carrier = papi_mpi.carrier;
    struct path own, got = {.ns = 0};
    (void)following;
    if (!begin(comm, &own))
        return;
    carrier->Allreduce(&own, &got, 1, carrier->type, carrier->longer, comm);
    meet(&got, 1);
}

void into_from_root(struct following *following, int root, MPI_Comm comm)
{
    struct path path;
    (void)following;
    if (!begin(comm, &path))
        return;
    papi_mpi.carrier->Bcast(&path, 1, papi_mpi.carrier->type, root, comm);
    meet(&path, 1);
}

void into_to_root(struct following *following, int root, MPI_Comm comm)
{
    const struct carrier *carrier = papi_mpi.carrier;
    struct path own, got = {.ns = 0};
    (void)following;
    if (!begin(comm, &own))
        return;
    carrier->Reduce(&own, &got, 1, carrier->type, carrier->longer, root, comm);
    meet(&got, 1);
}

void into_scan(struct following *following, MPI_Comm comm)
{
    const struct carrier *carrier = papi_mpi.carrier;
    struct path own, got = {.ns = 0};
    (void)following;
    if (!begin(comm, &own))
        return;
    carrier->Scan(&own, &got, 1, carrier->type, carrier->longer, comm);
    meet(&got, 1);
}

/* The same for MPI_Exscan, whose result is undefined on the first rank: that one meets nobody. */
void into_exscan(struct following *following, MPI_Comm comm)
{
    const struct carrier *carrier = papi_mpi.carrier;
    struct path own, got = {.ns = 0};
    int rank = 0;
    (void)following;
    if (!begin(comm, &own))
        return;
    carrier->Exscan(&own, &got, 1, carrier->type, carrier->longer, comm);
    papi_mpi.tables->Comm_rank(comm, &rank);
    meet(&got, rank > 0);
}

/* Number of ranks that a rank of a topology gets something from. */
static int sources_of(MPI_Comm comm)
{
    const struct call_tables *mpi = papi_mpi.tables;
    int topology = MPI_UNDEFINED, n = 0, others, weighted, rank = 0;
    mpi->Topo_test(comm, &topology);
    mpi->Comm_rank(comm, &rank);
    if (topology == MPI_GRAPH)
        mpi->Graph_neighbors_count(comm, rank, &n);
    else if (topology == MPI_DIST_GRAPH)
        mpi->Dist_graph_neighbors_count(comm, &n, &others, &weighted);
    else if (topology == MPI_CART && mpi->Cartdim_get(comm, &n) == MPI_SUCCESS)
        n *= 2;
    return n;
}

void into_neighbors(struct following *following, MPI_Comm comm)
{
    const struct carrier *carrier = papi_mpi.carrier;
    struct path own;
    (void)following;
    if (!begin(comm, &own))
        return;
    int n = sources_of(comm);
    struct path *got = calloc((size_t)n + 1, sizeof *got); /* at a border nothing comes */
    if (!got) {
        carrier_lost();
        return;
    }
    carrier->Neighbor_allgather(&own, 1, carrier->type, got, 1, carrier->type, comm);
    meet(got, n);
    free(got);
}

/* ---- those that are completed later. The path's own begins before the program's, on all ranks. */

/* Number of ranks that this one gets something from. */
static int paths_of(enum later later, MPI_Comm comm)
{
    int rank = 0;
    if (later == LATER_NEIGHBORS)
        return sources_of(comm);
    if (later == LATER_EXSCAN)
        papi_mpi.tables->Comm_rank(comm, &rank);
    return later != LATER_EXSCAN || rank > 0;
}

/* Makes the request of a collective call that is completed later. The caller holds the lock. */
static struct followed_request *make_later(struct followed *comm, enum later later, int root)
{
    struct followed_request *made = follow_make(REQUEST_COLLECTIVE, comm);
    if (!made)
        return NULL;
    made->later = later;
    made->root = root;
    made->n_paths = paths_of(later, comm->comm);
    made->room = made->n_paths > 0 ? made->n_paths : 1; /* what nobody reads is written all the same */
    made->request = MPI_REQUEST_NULL;
    made->done = 1;
    made->path = calloc((size_t)made->room + 1, sizeof *made->path);
    if (made->path)
        return made;
    carrier_lost();
    follow_abandon(made);
    return NULL;
}

void follow_launch(struct followed_request *made, const struct path *own)
{
    const struct carrier *carrier = papi_mpi.carrier;
    struct path *got = made->path, *mine = &made->path[made->room];
    MPI_Datatype type = carrier->type;
    MPI_Comm comm = made->comm->comm;
    *mine = *own;
    made->done = 0;
    if (made->later == LATER_ALL)
        carrier->Iallreduce(mine, got, 1, type, carrier->longer, comm, &made->request);
    else if (made->later == LATER_TO_ROOT)
        carrier->Ireduce(mine, got, 1, type, carrier->longer, made->root, comm, &made->request);
    else if (made->later == LATER_SCAN)
        carrier->Iscan(mine, got, 1, type, carrier->longer, comm, &made->request);
    else if (made->later == LATER_EXSCAN)
        carrier->Iexscan(mine, got, 1, type, carrier->longer, comm, &made->request);
    else if (made->later == LATER_NEIGHBORS)
        carrier->Ineighbor_allgather(mine, 1, type, got, 1, type, comm, &made->request);
    if (made->later != LATER_FROM_ROOT)
        return;
    *got = *own;
    carrier->Ibcast(got, 1, type, made->root, comm, &made->request);
}

static void begin_later(struct following *following, MPI_Comm comm, enum later later, int root)
{
    struct path own;
    struct followed *followed = begin(comm, &own);
    following->few[0] = NULL;
    if (!followed)
        return;
    carrier_lock();
    struct followed_request *made = make_later(followed, later, root);
    carrier_unlock();
    following->few[0] = made;
    if (made)
        follow_launch(made, &own);
}

void into_later_all(struct following *following, MPI_Comm comm)
{
    begin_later(following, comm, LATER_ALL, 0);
}

void into_later_from_root(struct following *following, int root, MPI_Comm comm)
{
    begin_later(following, comm, LATER_FROM_ROOT, root);
}

void into_later_to_root(struct following *following, int root, MPI_Comm comm)
{
    begin_later(following, comm, LATER_TO_ROOT, root);
}

void into_later_scan(struct following *following, MPI_Comm comm)
{
    begin_later(following, comm, LATER_SCAN, 0);
}

void into_later_exscan(struct following *following, MPI_Comm comm)
{
    begin_later(following, comm, LATER_EXSCAN, 0);
}

void into_later_neighbors(struct following *following, MPI_Comm comm)
{
    begin_later(following, comm, LATER_NEIGHBORS, 0);
}

void out_later(struct following *following, int code, const void *request)
{
    struct followed_request *made = following->few[0];
    if (!made)
        return;
    carrier_lock();
    if (code == MPI_SUCCESS)
        follow_insert(made, follow_key(follow_request_at(following, request, 0)));
    else
        follow_abandon(made);
    carrier_unlock();
}

/* ---- those that are prepared once, and begin at each start */

static void prepare(struct following *following, int code, MPI_Comm comm, enum later later, int root,
                    const void *request)
{
    if (code != MPI_SUCCESS)
        return;
    carrier_lock();
    struct followed *followed = carrier_comm(comm);
    struct followed_request *made =
        followed && (followed->size > 1 || followed->inter) ? make_later(followed, later, root) : NULL;
    if (made) {
        made->persistent = 1;
        follow_insert(made, follow_key(follow_request_at(following, request, 0)));
    }
    carrier_unlock();
}

void out_prepared_all(struct following *following, int code, MPI_Comm comm, const void *request)
{
    prepare(following, code, comm, LATER_ALL, 0, request);
}

void out_prepared_from_root(struct following *following, int code, int root, MPI_Comm comm,
                            const void *request)
{
    prepare(following, code, comm, LATER_FROM_ROOT, root, request);
}

void out_prepared_to_root(struct following *following, int code, int root, MPI_Comm comm, const void *request)
{
    prepare(following, code, comm, LATER_TO_ROOT, root, request);
}

void out_prepared_scan(struct following *following, int code, MPI_Comm comm, const void *request)
{
    prepare(following, code, comm, LATER_SCAN, 0, request);
}

void out_prepared_exscan(struct following *following, int code, MPI_Comm comm, const void *request)
{
    prepare(following, code, comm, LATER_EXSCAN, 0, request);
}

void out_prepared_neighbors(struct following *following, int code, MPI_Comm comm, const void *request)
{
    prepare(following, code, comm, LATER_NEIGHBORS, 0, request);
}
