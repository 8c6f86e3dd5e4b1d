/* SPDX-License-Identifier: BSD-3-Clause */
#include "calls/follow_requests.h"

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

/* Of the first rank the result is undefined: what that has put in stays. */
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

/* How many ranks a rank of a topology gets something from. */
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

static struct followed_request *begin_later(struct following *following, MPI_Comm comm, int n)
{
    struct path own;
    struct followed *followed = begin(comm, &own);
    following->few[0] = NULL;
    if (!followed)
        return NULL;
    carrier_lock();
    struct followed_request *made = follow_make(REQUEST_COLLECTIVE, followed);
    carrier_unlock();
    if (!made)
        return NULL;
    made->path = calloc((size_t)n + 1, sizeof *made->path);
    if (!made->path) {
        carrier_lost();
        follow_abandon(made);
        return NULL;
    }
    made->n_paths = n;
    made->path[n] = own;
    made->request = MPI_REQUEST_NULL;
    following->few[0] = made;
    return made;
}

void into_later_all(struct following *following, MPI_Comm comm)
{
    const struct carrier *carrier = papi_mpi.carrier;
    struct followed_request *made = begin_later(following, comm, 1);
    if (made)
        carrier->Iallreduce(&made->path[1], made->path, 1, carrier->type, carrier->longer, comm,
                            &made->request);
}

void into_later_from_root(struct following *following, int root, MPI_Comm comm)
{
    struct followed_request *made = begin_later(following, comm, 1);
    if (!made)
        return;
    made->path[0] = made->path[1];
    papi_mpi.carrier->Ibcast(made->path, 1, papi_mpi.carrier->type, root, comm, &made->request);
}

void into_later_to_root(struct following *following, int root, MPI_Comm comm)
{
    const struct carrier *carrier = papi_mpi.carrier;
    struct followed_request *made = begin_later(following, comm, 1);
    if (made)
        carrier->Ireduce(&made->path[1], made->path, 1, carrier->type, carrier->longer, root, comm,
                         &made->request);
}

void into_later_scan(struct following *following, MPI_Comm comm)
{
    const struct carrier *carrier = papi_mpi.carrier;
    struct followed_request *made = begin_later(following, comm, 1);
    if (made)
        carrier->Iscan(&made->path[1], made->path, 1, carrier->type, carrier->longer, comm, &made->request);
}

void into_later_exscan(struct following *following, MPI_Comm comm)
{
    const struct carrier *carrier = papi_mpi.carrier;
    struct followed_request *made = begin_later(following, comm, 1);
    int rank = 0;
    if (!made)
        return;
    papi_mpi.tables->Comm_rank(comm, &rank);
    made->n_paths = rank > 0;
    carrier->Iexscan(&made->path[1], made->path, 1, carrier->type, carrier->longer, comm, &made->request);
}

void into_later_neighbors(struct following *following, MPI_Comm comm)
{
    const struct carrier *carrier = papi_mpi.carrier;
    struct followed_request *made = begin_later(following, comm, sources_of(comm));
    if (made)
        carrier->Ineighbor_allgather(&made->path[made->n_paths], 1, carrier->type, made->path, 1,
                                     carrier->type, comm, &made->request);
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
