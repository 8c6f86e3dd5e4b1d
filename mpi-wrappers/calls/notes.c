/* SPDX-License-Identifier: BSD-3-Clause */
#include "calls/notes.h"

#include "calls/fortran.h"
#include "record/call_ring.h"

#include <stdlib.h>

void note_call(enum call call, uint64_t since, uint64_t now)
{
    struct ring_entry *entry = ring_add(papi_mpi.ring, (int)call, mpi_thread.number, since, now);
    entry->address = papi_mpi.sites ? mpi_thread.site->address : 0; /* 0: it had no room */
    mpi_thread.noted = entry;
}

/* ---- messages */

static int partner_of(int rank, MPI_Comm comm)
{
    return comm != papi_mpi.tables->world ? PARTNER_ELSEWHERE : rank == MPI_ANY_SOURCE ? PARTNER_ANY : rank;
}

static int tag_of(int tag)
{
    return tag == MPI_ANY_TAG ? TAG_ANY : tag;
}

/* True in the thread whose messages have an order. Threads have none among each other. */
static int is_main(void)
{
    return papi_mpi.main == mpi_thread.record;
}

static int order_is_known(int code)
{
    return code == MPI_SUCCESS && is_main();
}

void note_send(int code, int dest, int tag, MPI_Comm comm)
{
    if (dest != MPI_PROC_NULL)
        ring_sends(papi_mpi.ring, mpi_thread.noted, partner_of(dest, comm), tag, order_is_known(code));
}

void note_posted(int code, int source, int tag, MPI_Comm comm)
{
    if (source != MPI_PROC_NULL)
        ring_receives(papi_mpi.ring, mpi_thread.noted, partner_of(source, comm), tag_of(tag),
                      order_is_known(code));
}

void note_disorder(int code)
{
    (void)code;
    ring_lose_order(papi_mpi.ring);
}

/* ---- statuses */

static void want_status(struct keeping *keeping, int n)
{
    if (!tables_ignores(keeping->binding, keeping->status))
        return;
    keeping->statuses = n <= KEPT_REQUESTS ? keeping->few : malloc((size_t)n * sizeof *keeping->statuses);
    if (keeping->statuses)
        keeping->status = keeping->statuses;
}

/* Returns what came: nothing is known where there is no status. */
static struct ring_got got(const struct keeping *keeping, int at, int may_be_cancelled)
{
    struct ring_got found = {.known = 0};
    if (tables_ignores(keeping->binding, keeping->status))
        return found;
    const MPI_Status *status = (const MPI_Status *)keeping->status + at;
    if (may_be_cancelled)
        PMPI_Test_cancelled(status, &found.cancelled);
    found.known = 1;
    found.partner = status->MPI_SOURCE;
    found.tag = status->MPI_TAG;
    return found;
}

void keep_receive(struct keeping *keeping, int source, int tag)
{
    keeping->statuses = NULL;
    if (source == MPI_ANY_SOURCE || (tag == MPI_ANY_TAG && source != MPI_PROC_NULL))
        want_status(keeping, 1);
}

void kept_receive(struct keeping *keeping, int code, int source, int tag, MPI_Comm comm)
{
    note_posted(code, source, tag, comm);
    if (!order_is_known(code) || mpi_thread.noted->from.number != RING_OPEN)
        return;
    struct ring_got found = got(keeping, 0, 0);
    if (found.known)
        ring_found(papi_mpi.ring, mpi_thread.noted, found.partner, found.tag);
}

/* ---- requests */

static uint64_t key_of(MPI_Request request)
{
    return request != papi_mpi.tables->no_request ? (uint64_t)(uintptr_t)request : 0;
}

/* Request i of the program's array. */
static uint64_t key_at(const struct keeping *keeping, const void *requests, int i)
{
    return key_of(fortran_or_c_request(keeping->binding != BINDING_C, requests, i));
}

void note_made(int code, MPI_Request request)
{
    if (order_is_known(code))
        ring_requested(papi_mpi.ring, mpi_thread.noted, key_of(request));
}

static void prepared(int code, int sends, int partner, int tag, MPI_Comm comm, MPI_Request request)
{
    if (order_is_known(code))
        ring_prepared(papi_mpi.ring, sends,
                      partner == MPI_PROC_NULL ? PARTNER_NONE : partner_of(partner, comm), tag_of(tag),
                      key_of(request));
}

void note_send_made(int code, int dest, int tag, MPI_Comm comm, MPI_Request request)
{
    prepared(code, 1, dest, tag, comm, request);
}

void note_receive_made(int code, int source, int tag, MPI_Comm comm, MPI_Request request)
{
    prepared(code, 0, source, tag, comm, request);
}

static int is_collective(MPI_Request request)
{
    const struct startable *startable = tables_startable(papi_mpi.tables, request);
    return startable && startable->peer == COLLECTIVE_PEER;
}

static void started(int code, MPI_Request request, struct ring_entry *entry)
{
    if (is_collective(request))
        return;
    if (!order_is_known(code) || ring_started(papi_mpi.ring, entry, key_of(request)) != 0)
        note_disorder(code);
}

void note_started(int code, MPI_Request request)
{
    started(code, request, mpi_thread.noted);
}

/* Each of several has an entry: the first one that of the call. */
void note_started_all(int code, int count, struct handles requests)
{
    const struct ring_entry call = *mpi_thread.noted;
    for (int i = 0; i < count; i++) {
        struct ring_entry *entry = mpi_thread.noted;
        if (i > 0) {
            entry = ring_add(papi_mpi.ring, RING_MESSAGE, call.thread, call.begin, call.end);
            entry->address = call.address;
        }
        started(code, fortran_or_c_request(requests.fortran, requests.array, i), entry);
    }
}

void keep_cancel(struct keeping *keeping, const void *request)
{
    ring_cancels(papi_mpi.ring, is_main() ? key_at(keeping, request, 0) : 0);
}

void keep_freed(struct keeping *keeping, const void *request)
{
    if (is_main())
        ring_freed(papi_mpi.ring, key_at(keeping, request, 0));
    else
        ring_forget_requests(papi_mpi.ring);
}

/* ---- completion */

void keep_completion(struct keeping *keeping, int count, const void *requests)
{
    int asks = 0;
    keeping->statuses = NULL;
    keeping->requests = requests;
    keeping->n = count > 0 ? count : 0;
    keeping->key = count <= KEPT_REQUESTS ? keeping->few_keys : malloc((size_t)count * sizeof *keeping->key);
    if (!keeping->key || !is_main()) {
        ring_forget_requests(papi_mpi.ring);
        if (keeping->key != keeping->few_keys)
            free(keeping->key);
        keeping->key = keeping->few_keys;
        keeping->n = 0;
    }
    for (int i = 0; i < keeping->n; i++) {
        keeping->key[i] = key_at(keeping, requests, i);
        asks |= ring_asks(papi_mpi.ring, keeping->key[i]);
    }
    if (asks)
        want_status(keeping, count);
}

/* Request i is completed; its status is number at. */
static void completed(const struct keeping *keeping, int i, int at, int alone)
{
    if (i < 0 || i >= keeping->n || keeping->key[i] == 0)
        return;
    int asks = ring_asks(papi_mpi.ring, keeping->key[i]);
    ring_completed(papi_mpi.ring, mpi_thread.noted, keeping->key[i], alone,
                   asks ? got(keeping, at, 1) : (struct ring_got){.known = 0});
}

/* Ends a completion. Where the call has failed some requests may be completed and others not. */
static void finish(const struct keeping *keeping, int code)
{
    if (code != MPI_SUCCESS && keeping->n > 0)
        ring_forget_requests(papi_mpi.ring);
    if (keeping->statuses != keeping->few)
        free(keeping->statuses);
    if (keeping->key != keeping->few_keys)
        free(keeping->key);
}

void kept_all(struct keeping *keeping, int code)
{
    int there = 0;
    for (int i = 0; i < keeping->n; i++)
        there += keeping->key[i] != 0;
    for (int i = 0; i < keeping->n && code == MPI_SUCCESS; i++)
        completed(keeping, i, i, there == 1);
    finish(keeping, code);
}

void kept_all_if(struct keeping *keeping, int code, const int *flag)
{
    if (code != MPI_SUCCESS || *flag)
        kept_all(keeping, code);
    else
        finish(keeping, code);
}

void kept_any(struct keeping *keeping, int code, const int *index)
{
    if (code == MPI_SUCCESS)
        completed(keeping, *index - tables_first_place(keeping->binding), 0, 1);
    finish(keeping, code);
}

void kept_any_if(struct keeping *keeping, int code, const int *index, const int *flag)
{
    if (code != MPI_SUCCESS || *flag)
        kept_any(keeping, code, index);
    else
        finish(keeping, code);
}

void kept_some(struct keeping *keeping, int code, const int *count, const int *indices)
{
    int n = code == MPI_SUCCESS ? *count : 0; /* MPI_UNDEFINED is negative */
    int first = tables_first_place(keeping->binding);
    for (int i = 0; i < n; i++)
        completed(keeping, indices[i] - first, i, n == 1);
    finish(keeping, code);
}
