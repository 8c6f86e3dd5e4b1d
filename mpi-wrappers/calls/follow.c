/* SPDX-License-Identifier: BSD-3-Clause */
#include "calls/follow.h"

#include "calls/fortran.h"

#include <stdlib.h>

/* ---- statuses */

void follow_want_status(struct following *following, int n)
{
    if (!tables_ignores(following->binding, following->status))
        return;
    following->statuses =
        n <= FEW_REQUESTS ? following->own : malloc((size_t)n * sizeof *following->statuses);
    if (following->statuses)
        following->status = following->statuses;
    else
        carrier_lost();
}

void follow_forget_status(struct following *following)
{
    if (following->statuses != following->own)
        free(following->statuses);
}

int follow_has_come(int code)
{
    int class = code;
    if (code != MPI_SUCCESS)
        PMPI_Error_class(code, &class);
    return class == MPI_SUCCESS || class == MPI_ERR_TRUNCATE;
}

/* ---- messages */

void into_send(struct following *following, int dest, int tag, MPI_Comm comm)
{
    (void)following;
    if (dest == MPI_PROC_NULL)
        return;
    carrier_lock();
    struct followed *followed = carrier_comm(comm);
    if (followed && dest >= 0 && dest < followed->size) {
        rank_path_in_call(papi_mpi.record);
        carrier_send(carrier_world(followed, dest), tag, followed);
    }
    carrier_unlock();
}

void into_receive(struct following *following, int source, int tag, MPI_Comm comm)
{
    (void)comm;
    following->statuses = NULL;
    if (source == MPI_ANY_SOURCE || (tag == MPI_ANY_TAG && source != MPI_PROC_NULL))
        follow_want_status(following, 1);
}

static int is_rank(const struct followed *comm, int source)
{
    return source == MPI_ANY_SOURCE || (source >= 0 && source < comm->size);
}

/* The peer that a request has for a source of the program's: a rank of MPI_COMM_WORLD, or ANY_RANK. */
static int peer_of(const struct followed *comm, int source)
{
    return source == MPI_ANY_SOURCE ? ANY_RANK : carrier_world(comm, source);
}

void out_receive(struct following *following, int code, int source, int tag, MPI_Comm comm)
{
    if (source == MPI_PROC_NULL || !follow_has_come(code))
        return;
    struct path path = {.ns = 0};
    carrier_lock();
    struct followed *followed = carrier_comm(comm);
    if (followed && is_rank(followed, source)) {
        rank_path_in_call(papi_mpi.record);
        follow_received(followed, peer_of(followed, source), tag, following->status, NULL, &path);
        rank_path_meets(papi_mpi.record, &path);
    }
    carrier_unlock();
}

static void add_receive(const struct following *following, int source, int tag, MPI_Comm comm,
                        const void *request, int persistent)
{
    carrier_lock();
    struct followed *followed = carrier_comm(comm);
    struct followed_request *made =
        followed && is_rank(followed, source)
            ? follow_add(follow_key(follow_request_at(following, request, 0)), REQUEST_RECEIVE, followed)
            : NULL;
    if (made) {
        made->peer = peer_of(followed, source);
        made->tag = tag;
        made->persistent = persistent;
        if (!persistent)
            follow_post(made);
    }
    carrier_unlock();
}

void out_receive_posted(struct following *following, int code, int source, int tag, MPI_Comm comm,
                        const void *request)
{
    if (code == MPI_SUCCESS && source != MPI_PROC_NULL)
        add_receive(following, source, tag, comm, request, 0);
}

void out_receive_made(struct following *following, int code, int source, int tag, MPI_Comm comm,
                      const void *request)
{
    if (code == MPI_SUCCESS && source != MPI_PROC_NULL)
        add_receive(following, source, tag, comm, request, 1);
}

static void add_send(const struct following *following, int dest, int tag, MPI_Comm comm, const void *request,
                     int partitions)
{
    carrier_lock();
    struct followed *followed = carrier_comm(comm);
    struct followed_request *made =
        followed ? follow_add(follow_key(follow_request_at(following, request, 0)), REQUEST_SEND, followed)
                 : NULL;
    if (made) {
        made->peer = carrier_world(followed, dest);
        made->tag = tag;
        made->persistent = 1;
        made->partitions = partitions;
    }
    carrier_unlock();
}

void out_send_made(struct following *following, int code, int dest, int tag, MPI_Comm comm,
                   const void *request)
{
    if (code == MPI_SUCCESS && dest != MPI_PROC_NULL)
        add_send(following, dest, tag, comm, request, 0);
}

/* The tag of a partitioned message's parcels: MPI does not match it with other messages of its tag. No tag of
 * a program's is negative but MPI_ANY_TAG. */
static int tag_of_parts(int tag)
{
    _Static_assert(MPI_ANY_TAG >= -2, "tags of partitioned messages are below");
    return -3 - tag;
}

void out_parts_made(struct following *following, int code, int partitions, int dest, int tag, MPI_Comm comm,
                    const void *request)
{
    if (code == MPI_SUCCESS && dest != MPI_PROC_NULL)
        add_send(following, dest, tag_of_parts(tag), comm, request, partitions);
}

void out_parts_expected(struct following *following, int code, int source, int tag, MPI_Comm comm,
                        const void *request)
{
    out_receive_made(following, code, source, tag_of_parts(tag), comm, request);
}

/* ---- matching probes: the message is taken from all others there, so its parcel is, too */

void into_match(struct following *following, int source, int tag, MPI_Comm comm)
{
    into_receive(following, source, tag, comm);
}

static MPI_Message message_of(const struct following *following, const void *message)
{
    return following->binding != BINDING_C ? PMPI_Message_f2c(*(const MPI_Fint *)message)
                                           : *(const MPI_Message *)message;
}

void out_match(struct following *following, int code, int source, int tag, MPI_Comm comm, const void *message)
{
    if (code != MPI_SUCCESS || source == MPI_PROC_NULL)
        return;
    carrier_lock();
    struct followed *followed = carrier_comm(comm);
    struct followed_request *made =
        followed && is_rank(followed, source)
            ? follow_add(follow_key_of_message(message_of(following, message)), REQUEST_MESSAGE, followed)
            : NULL;
    if (made)
        made->path = calloc(1, sizeof *made->path);
    if (made && made->path) {
        follow_received(followed, peer_of(followed, source), tag, following->status, NULL, made->path);
    } else if (made) {
        follow_remove(made);
        carrier_lost();
    }
    carrier_unlock();
}

void out_match_if(struct following *following, int code, int source, int tag, MPI_Comm comm, const int *flag,
                  const void *message)
{
    if (code == MPI_SUCCESS && *flag)
        out_match(following, code, source, tag, comm, message);
}

void into_message(struct following *following, const void *message)
{
    carrier_lock();
    following->request = following->few;
    following->few[0] = follow_find(follow_key_of_message(message_of(following, message)));
    if (following->few[0])
        following->few[0]->held++;
    carrier_unlock();
}

void out_message(struct following *following, int code)
{
    struct followed_request *message = following->few[0];
    if (!message)
        return;
    carrier_lock();
    message->held--;
    if (follow_has_come(code)) {
        rank_path_in_call(papi_mpi.record);
        rank_path_meets(papi_mpi.record, message->path);
        follow_remove(message);
    }
    carrier_unlock();
}

void out_message_posted(struct following *following, int code, const void *request)
{
    struct followed_request *message = following->few[0], *made = NULL;
    if (!message)
        return;
    carrier_lock();
    message->held--;
    if (code == MPI_SUCCESS)
        made =
            follow_add(follow_key(follow_request_at(following, request, 0)), REQUEST_RECEIVE, message->comm);
    if (made) {
        made->path = message->path;
        message->path = NULL;
        follow_post(made);
        follow_remove(message);
    }
    carrier_unlock();
}

/* ---- communicators */

static MPI_Comm comm_of(const struct following *following, const void *comm)
{
    return following->binding != BINDING_C ? PMPI_Comm_f2c(*(const MPI_Fint *)comm) : *(const MPI_Comm *)comm;
}

void out_made(struct following *following, int code, const void *comm)
{
    if (code == MPI_SUCCESS)
        carrier_made(comm_of(following, comm));
}

void out_dupped(struct following *following, int code, MPI_Comm from, const void *comm)
{
    if (code == MPI_SUCCESS)
        carrier_dupped(from, comm_of(following, comm));
}

void into_gone(struct following *following, const void *comm)
{
    carrier_gone(comm_of(following, comm));
}
