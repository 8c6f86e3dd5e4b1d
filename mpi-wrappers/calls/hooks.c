/* SPDX-License-Identifier: BSD-3-Clause */
#include "calls/hooks.h"

#include "calls/tables.h"
#include "calls/wrapper.h"
#include "rank/rank.h"

/* A hook's own frame is below that of its call. */
static int is_inside(uintptr_t frame)
{
    return mpi_thread.outermost > frame;
}

void before_abort(int code)
{
    if (papi_mpi.tables && !papi_mpi.tables->ended)
        rank_abort(code); /* no communication */
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
