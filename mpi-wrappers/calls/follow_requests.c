/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Chains of requests. A table has the requests of the program that matter to the path, by their handles;
 * sends are in it only if they are persistent, since the chain of a send goes along when it is called. A
 * message's chain comes in a parcel of its own, and parcels of the same sender, tag and communicator come in
 * the order of the messages. MPI matches messages to receives in the order in which the receives were posted,
 * but they may complete in any order: so receives that wait are in a list in this order, and when one is
 * found completed, take_earlier first gives the next parcels to the receives of the same kind before it,
 * which keep them until they are completed themselves.
 * A receive from any rank or of any tag says only in its status what it got. For these a status is provided
 * even if the program wants none. They are taken to have got none of the earlier parcels, which can be wrong
 * if several such receives overlap: the chain is then that of a message that came a little earlier or later
 * from the same rank.
 * Completion holds the requests between the call's beginning and end, since another thread may complete the
 * same ones; a handle that comes again while its old request is held takes the old one's place in the table.
 */
#include "calls/follow.h"

#include "calls/fortran.h"

#include <stdlib.h>

/* ---- the requests that are followed */

MPI_Request follow_request_at(const struct following *following, const void *requests, int i)
{
    return fortran_or_c_request(following->binding != BINDING_C, requests, i);
}

static struct followed_request **place_of(uintptr_t key)
{
    struct carrier *carrier = papi_mpi.carrier;
    struct followed_request **at = &carrier->request[tables_place(key, carrier->places)];
    while (*at && (*at)->key != key)
        at = &(*at)->next;
    return at;
}

struct followed_request *follow_find(uintptr_t key)
{
    return *place_of(key);
}

/* Takes a request out of the list of receives that wait for their message. */
static void unpost(struct followed_request *request)
{
    struct carrier *carrier = papi_mpi.carrier;
    if (!request->active || request->kind != REQUEST_RECEIVE)
        return;
    *(request->before ? &request->before->after : &carrier->oldest) = request->after;
    *(request->after ? &request->after->before : &carrier->newest) = request->before;
    request->active = 0;
}

static void end(struct followed_request *request)
{
    unpost(request);
    carrier_release(request->comm);
    free(request->path);
    free(request);
}

/* Doubles the places of requests; without memory they stay as they are. */
static void grow(struct carrier *carrier)
{
    unsigned before = carrier->places;
    struct followed_request **old = carrier->request, **made = calloc(2 * before, sizeof *made);
    if (!made)
        return;
    carrier->request = made;
    carrier->places = 2 * before;
    for (unsigned i = 0; i < before; i++)
        for (struct followed_request *one = old[i], *next; one; one = next) {
            struct followed_request **at = &made[tables_place(one->key, carrier->places)];
            next = one->next;
            one->next = *at;
            *at = one;
        }
    free(old);
}

static void take_out(struct followed_request *request)
{
    struct followed_request **at = place_of(request->key);
    if (*at != request)
        return;
    *at = request->next;
    papi_mpi.carrier->requests--;
}

void follow_remove(struct followed_request *request)
{
    take_out(request);
    end(request);
}

void follow_abandon(struct followed_request *request)
{
    request->next = papi_mpi.carrier->abandoned;
    papi_mpi.carrier->abandoned = request;
}

struct followed_request *follow_make(enum request_kind kind, struct followed *comm)
{
    struct followed_request *made = calloc(1, sizeof *made);
    if (!made) {
        carrier_lost();
        return NULL;
    }
    made->kind = kind;
    made->comm = comm;
    comm->used++;
    return made;
}

void follow_insert(struct followed_request *request, uintptr_t key)
{
    struct carrier *carrier = papi_mpi.carrier;
    struct followed_request *there = follow_find(key), **at;
    if (there && there->held > 0)
        take_out(there);
    else if (there) /* it was freed past the wrappers */
        follow_remove(there);
    if (++carrier->requests > 2 * carrier->places)
        grow(carrier);
    at = place_of(key);
    request->key = key;
    request->next = *at;
    *at = request;
}

struct followed_request *follow_add(uintptr_t key, enum request_kind kind, struct followed *comm)
{
    struct followed_request *made = follow_make(kind, comm);
    if (made)
        follow_insert(made, key);
    return made;
}

void follow_post(struct followed_request *request)
{
    struct carrier *carrier = papi_mpi.carrier;
    request->before = carrier->newest;
    request->after = NULL;
    *(carrier->newest ? &carrier->newest->after : &carrier->oldest) = request;
    carrier->newest = request;
    request->active = 1;
}

/* ---- a message has come */

static int is_same(const struct followed_request *request, const struct followed *comm, int peer, int tag)
{
    return !request->path && request->comm == comm && request->peer == peer && request->tag == tag;
}

/* The receives that were posted earlier have got earlier messages, though their requests are not completed.
 * Which one a receive from any rank or of any tag has got is not known yet: it is taken to have got none of
 * these. */
static int take_earlier(struct followed *comm, int peer, int tag, const struct followed_request *before)
{
    struct followed_request *after;
    for (struct followed_request *one = papi_mpi.carrier->oldest; one && one != before; one = after) {
        after = one->after;
        if (!is_same(one, comm, peer, tag))
            continue;
        one->path = calloc(1, sizeof *one->path);
        if (!one->path)
            carrier_lost();
        if (!one->path || carrier_take(peer, tag, comm, one->path) != 0)
            return -1;
        if (one->freed)
            end(one);
    }
    return 0;
}

void follow_received(struct followed *comm, int peer, int tag, const MPI_Status *status,
                     const struct followed_request *before, struct path *path)
{
    int any = peer == ANY_RANK || tag == MPI_ANY_TAG;
    if (any && !status) {
        carrier_lost();
        return;
    }
    if (peer == ANY_RANK)
        peer = status->MPI_SOURCE >= 0 && status->MPI_SOURCE < comm->size
                   ? carrier_world(comm, status->MPI_SOURCE)
                   : ANY_RANK;
    if (tag == MPI_ANY_TAG)
        tag = status->MPI_TAG;
    if (peer != ANY_RANK && take_earlier(comm, peer, tag, before) == 0)
        carrier_take(peer, tag, comm, path);
}

/* ---- requests that begin anew, or end otherwise */

static void start(struct followed_request *request)
{
    if (request->kind == REQUEST_COLLECTIVE) {
        if (request->comm->gone)
            carrier_lost();
        else if (request->done)
            follow_launch(request, carrier_path());
        return;
    }
    free(request->path);
    request->path = NULL;
    request->cancelled = 0;
    if (request->partitions)
        request->missing = request->partitions;
    else if (request->kind == REQUEST_SEND)
        carrier_send(request->peer, request->tag, request->comm);
    else if (!request->active)
        follow_post(request);
}

void into_start(struct following *following, int count, const void *requests)
{
    carrier_lock();
    rank_path_in_call(papi_mpi.record);
    for (int i = 0; i < count; i++) {
        struct followed_request *request = follow_find(follow_key(follow_request_at(following, requests, i)));
        if (request && request->persistent)
            start(request);
    }
    carrier_unlock();
}

void into_ready(struct following *following, int n, const void *request)
{
    carrier_lock();
    struct followed_request *found = follow_find(follow_key(follow_request_at(following, request, 0)));
    if (found && found->missing > 0) {
        found->missing -= n;
        if (found->missing <= 0) {
            rank_path_in_call(papi_mpi.record);
            carrier_send(found->peer, found->tag, found->comm);
        }
    }
    carrier_unlock();
}

void into_ready_range(struct following *following, int low, int high, const void *request)
{
    into_ready(following, high - low + 1, request);
}

void into_cancel(struct following *following, const void *request)
{
    carrier_lock();
    struct followed_request *found = follow_find(follow_key(follow_request_at(following, request, 0)));
    if (found)
        found->cancelled = 1;
    carrier_unlock();
}

/* Takes a request of which the program has no handle any more out of the table, and ends it. A collective one
 * that MPI may still write into is abandoned instead. */
static void drop(struct followed_request *request)
{
    take_out(request);
    if (request->kind == REQUEST_COLLECTIVE && !request->done)
        follow_abandon(request);
    else
        end(request);
}

/* Follows a request that the program frees. Its message still comes: the parcel must be taken before those of
 * later ones. */
void into_free(struct following *following, const void *request)
{
    carrier_lock();
    struct followed_request *found = follow_find(follow_key(follow_request_at(following, request, 0)));
    int waits = found && found->active && !found->path && !found->cancelled && found->peer != ANY_RANK &&
                found->tag != MPI_ANY_TAG;
    if (waits) {
        take_out(found);
        found->freed = 1;
    } else if (found) {
        drop(found);
    }
    carrier_unlock();
}

/* ---- completion */

static int needs_status(const struct followed_request *request)
{
    return request->kind == REQUEST_RECEIVE && !request->path &&
           (request->peer == ANY_RANK || request->tag == MPI_ANY_TAG || request->cancelled);
}

void into_completion(struct following *following, int count, const void *requests)
{
    int needed = 0;
    following->statuses = NULL;
    following->requests = requests;
    following->request = following->few;
    following->n = 0;
    if (count > FEW_REQUESTS)
        following->request = malloc((size_t)count * sizeof *following->request);
    if (!following->request) {
        carrier_lost();
        return;
    }
    carrier_lock();
    for (int i = 0; i < count; i++) {
        struct followed_request *found = follow_find(follow_key(follow_request_at(following, requests, i)));
        following->request[i] = found;
        if (found)
            found->held++;
        needed |= found && needs_status(found);
    }
    following->n = count;
    carrier_unlock();
    if (needed)
        follow_want_status(following, count);
}

static void receive_done(struct followed_request *request, const MPI_Status *status)
{
    int cancelled = 0;
    if (request->cancelled && status)
        papi_mpi.carrier->Test_cancelled(status, &cancelled);
    struct path path = {.ns = 0};
    if (!cancelled && !request->path)
        follow_received(request->comm, request->peer, request->tag, status, request, &path);
    if (!cancelled)
        rank_path_meets(papi_mpi.record, request->path ? request->path : &path);
    unpost(request);
}

static void collective_done(struct followed_request *request)
{
    if (request->done)
        return;
    if (carrier_wait(&request->request) != 0) {
        carrier_lost();
        return;
    }
    request->done = 1;
    for (int i = 0; i < request->n_paths; i++)
        rank_path_meets(papi_mpi.record, &request->path[i]);
}

/* Request i of the array is completed; its status is number at. */
static void done(struct following *following, int i, int at, int keeps)
{
    struct followed_request *request = i >= 0 && i < following->n ? following->request[i] : NULL;
    const MPI_Status *status = (const MPI_Status *)following->status;
    if (!request)
        return;
    rank_path_in_call(papi_mpi.record);
    if (request->kind == REQUEST_RECEIVE && request->active)
        receive_done(request, needs_status(request) ? status + at : NULL);
    else if (request->kind == REQUEST_COLLECTIVE)
        collective_done(request);
    if (request->persistent || keeps)
        return;
    following->request[i] = NULL;
    drop(request);
}

/* Releases the requests that a completion held, gives the lock back, and frees what following had
 * allocated. */
static void finish(struct following *following)
{
    for (int i = 0; i < following->n; i++)
        if (following->request[i])
            following->request[i]->held--;
    carrier_unlock();
    follow_forget_status(following);
    if (following->request != following->few)
        free(following->request);
}

/* True if request i is completed. After a failure of one of several, those whose handles are gone are. */
static int is_done(const struct following *following, int code, const void *requests, int i)
{
    return code == MPI_SUCCESS || (following->request[i] &&
                                   follow_request_at(following, requests, i) == papi_mpi.tables->no_request);
}

void out_all(struct following *following, int code, const void *requests)
{
    carrier_lock();
    for (int i = 0; i < following->n; i++)
        if (is_done(following, code, requests, i))
            done(following, i, i, 0);
    finish(following);
}

void out_all_if(struct following *following, int code, const int *flag, const void *requests)
{
    if (code != MPI_SUCCESS || *flag) {
        out_all(following, code, requests);
        return;
    }
    carrier_lock();
    finish(following);
}

void out_any(struct following *following, int code, const int *index)
{
    carrier_lock();
    if (code == MPI_SUCCESS)
        done(following, *index - tables_first_place(following->binding), 0, 0);
    finish(following);
}

void out_any_if(struct following *following, int code, const int *index, const int *flag)
{
    out_any(following, code == MPI_SUCCESS && !*flag ? MPI_ERR_PENDING : code, index);
}

void out_some(struct following *following, int code, const int *count, const int *indices)
{
    carrier_lock();
    int n = code == MPI_SUCCESS ? *count : 0; /* MPI_UNDEFINED is negative */
    int first = tables_first_place(following->binding);
    for (int i = 0; i < n; i++)
        done(following, indices[i] - first, i, 0);
    finish(following);
}

/* MPI_Request_get_status: the message has come, but the request stays in the table. */
void out_status(struct following *following, int code, const int *flag)
{
    carrier_lock();
    if (code == MPI_SUCCESS && *flag)
        done(following, 0, 0, 1);
    finish(following);
}
