/* SPDX-License-Identifier: BSD-3-Clause */
#include "calls/arrivals.h"

#include "calls/fortran.h"

#include <stdlib.h>
#include <string.h>

/* ---- requests that receive */

void take_posted(int source, MPI_Request request)
{
    if (papi_mpi.tables && source != MPI_PROC_NULL)
        tables_receive(papi_mpi.tables, request);
}

void after_receive_made(int source, MPI_Request request)
{
    if (papi_mpi.tables)
        tables_prepare(papi_mpi.tables, request, source == MPI_PROC_NULL ? NOBODY_PEER : RECEIVE_PEER, 0, 0);
}

void take_started(MPI_Request request)
{
    struct startable *at = papi_mpi.tables ? tables_startable(papi_mpi.tables, request) : NULL;
    if (at && at->peer == RECEIVE_PEER)
        tables_begin(papi_mpi.tables, at);
}

void take_started_all(int count, struct handles requests)
{
    for (int i = 0; papi_mpi.tables && i < count; i++)
        take_started(fortran_or_c_request(requests.fortran, requests.array, i));
}

/* The receive is done. The handle may be another thread's meanwhile, which has posted the next one. */
static void finish(struct startable *at)
{
    if (papi_mpi.tables->multiple)
        atomic_fetch_add_explicit(&at->done, 1, memory_order_relaxed);
    else
        atomic_store_explicit(&at->done, atomic_load_explicit(&at->done, memory_order_relaxed) + 1,
                              memory_order_relaxed);
}

void before_request_freed(MPI_Request request)
{
    /* The null request is not among them; to ask whether it is it costs more. */
    struct startable *at = papi_mpi.tables ? tables_startable(papi_mpi.tables, request) : NULL;
    if (!at)
        return;
    if (tables_is_under_way(at)) {
        finish(at); /* it goes on, and nobody will say how long it was */
        if (mpi_thread.record && atomic_load_explicit(&papi_mpi.counting, memory_order_relaxed))
            mpi_thread.record->uncounted[CALL_REQUEST_FREE]++;
    }
    tables_forget(at);
}

/* ---- calls that complete them */

/* Memory for so many requests and statuses. 0: there is none. */
static int take_room(struct arrivals *arrivals, int count, int own)
{
    size_t statuses = own ? (size_t)count * sizeof(MPI_Status) : 0;
    arrivals->more = count > FEW_ARRIVALS ? malloc(statuses + (size_t)count * sizeof(uintptr_t)) : NULL;
    arrivals->request = count > FEW_ARRIVALS ? (uintptr_t *)arrivals->more : arrivals->few;
    return arrivals->request != NULL;
}

void *arrivals_look(struct arrivals *arrivals, enum binding binding, int count, const void *requests,
                    void *status)
{
    const struct call_tables *tables = papi_mpi.tables;
    int ignored = tables_ignores(binding, status), receives = 0;
    if (count <= 0 || !requests || !take_room(arrivals, count, ignored))
        return status;
    /* Looks up those of several when they are done, as a test may fail often; but another thread may have
     * made the next request of the same handle by then. */
    arrivals->looked = tables->multiple || count == 1;
    for (int i = 0; i < count; i++) {
        MPI_Request request = fortran_or_c_request(binding != BINDING_C, requests, i);
        arrivals->request[i] =
            arrivals->looked ? (uintptr_t)tables_receives(tables, request) : (uintptr_t)request;
        receives |= arrivals->request[i] != 0;
    }
    if (!receives) {
        free(arrivals->more);
        return status;
    }
    arrivals->n = count;
    arrivals->binding = binding;
    arrivals->requests = requests;
    return !ignored ? status : arrivals->more ? (void *)(arrivals->request + count) : (void *)arrivals->own;
}

static struct startable *receive_at(const struct arrivals *arrivals, int i)
{
    if (arrivals->looked)
        return (struct startable *)arrivals->request[i];
    return tables_receives(papi_mpi.tables, (MPI_Request)arrivals->request[i]);
}

/* Request i has been completed, with status k. */
static void come(struct thread_record *thread, enum call call, const struct arrivals *arrivals, int i,
                 const void *status, int k)
{
    struct startable *at = i >= 0 && i < arrivals->n ? receive_at(arrivals, i) : NULL;
    if (!at)
        return;
    finish(at);
    if (thread)
        account_received(thread, call, (const char *)status + (size_t)k * sizeof(MPI_Status));
}

/* The call has failed. Those that are done nevertheless have lost their handle. */
static void fail(struct thread_record *thread, enum call call, const struct arrivals *arrivals)
{
    for (int i = 0; i < arrivals->n; i++) {
        int gone = fortran_or_c_request(arrivals->binding != BINDING_C, arrivals->requests, i) ==
                   papi_mpi.tables->no_request;
        struct startable *at = gone ? receive_at(arrivals, i) : NULL;
        if (!at)
            continue;
        finish(at);
        if (thread)
            thread->uncounted[call]++;
    }
}

static void end(struct arrivals *arrivals)
{
    if (arrivals->n > 0)
        free(arrivals->more);
}

void arrivals_all(struct thread_record *thread, enum call call, struct arrivals *arrivals, int code,
                  const void *status)
{
    if (code != MPI_SUCCESS)
        fail(thread, call, arrivals);
    for (int i = 0; i < arrivals->n && code == MPI_SUCCESS; i++)
        come(thread, call, arrivals, i, status, i);
    end(arrivals);
}

void arrivals_all_if(struct thread_record *thread, enum call call, struct arrivals *arrivals, int code,
                     const void *status, const int *flag)
{
    if (arrivals->n > 0 && (code != MPI_SUCCESS || *flag))
        arrivals_all(thread, call, arrivals, code, status);
    else
        end(arrivals);
}

void arrivals_any(struct thread_record *thread, enum call call, struct arrivals *arrivals, int code,
                  const void *status, const int *index)
{
    if (code != MPI_SUCCESS)
        fail(thread, call, arrivals);
    else if (arrivals->n > 0)
        come(thread, call, arrivals, *index - tables_first_place(arrivals->binding), status, 0);
    end(arrivals);
}

void arrivals_any_if(struct thread_record *thread, enum call call, struct arrivals *arrivals, int code,
                     const void *status, const int *index, const int *flag)
{
    if (arrivals->n > 0 && (code != MPI_SUCCESS || *flag))
        arrivals_any(thread, call, arrivals, code, status, index);
    else
        end(arrivals);
}

void arrivals_some(struct thread_record *thread, enum call call, struct arrivals *arrivals, int code,
                   const void *status, const int *count, const int *indices)
{
    if (code != MPI_SUCCESS)
        fail(thread, call, arrivals);
    for (int k = 0; code == MPI_SUCCESS && arrivals->n > 0 && k < *count; k++)
        come(thread, call, arrivals, indices[k] - tables_first_place(arrivals->binding), status, k);
    end(arrivals);
}
