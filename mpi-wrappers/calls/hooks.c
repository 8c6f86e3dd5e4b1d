/* SPDX-License-Identifier: BSD-3-Clause */
#include "calls/hooks.h"

#include "calls/tables.h"
#include "calls/wrapper.h"
#include "job/lifecycle.h"
#include "rank/rank.h"

void after_init(void)
{
    papi_mpi.tables = tables_make();
    job_begin(papi_mpi.tables != NULL); /* the other ranks wait for this one */
    if (papi_mpi.tables)
        call_measure();
}

/* A hook's own frame is below that of its call. */
static int is_inside(uintptr_t frame)
{
    return mpi_thread.outermost > frame;
}

/* MPI's Fortran function calls the C function: the first of them has done it. Whatever call the thread left
 * without an end, the other ranks wait for this one. */
void before_finalize(void)
{
    struct call_tables *tables = papi_mpi.tables;

    if (!tables || tables->ended)
        return;
    mpi_thread.outermost = UINTPTR_MAX; /* the calls that follow are our own */
    job_end();
    tables_end(tables);
    mpi_thread.outermost = 0;
}

void before_abort(int code)
{
    if (papi_mpi.tables && !papi_mpi.tables->ended)
        job_abort(code);
}

void before_pcontrol(int level)
{
    if (is_inside(CALL_FRAME))
        return;
    if (level == 0)
        rank_pause();
    else
        rank_resume();
}

void before_handles_change(void)
{
    atomic_fetch_add(&papi_mpi.handle_changes, 1);
}

void before_request_freed(MPI_Request request)
{
    if (papi_mpi.tables && request != MPI_REQUEST_NULL)
        tables_forget(papi_mpi.tables, request);
}
