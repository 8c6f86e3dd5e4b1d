/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "calls/tables.h"
#include "calls/wrapper.h"

/* Arguments of Fortran as C has them. Where calls are counted there are tables. A handle that is not
 * significant may be any integer: MPI answers with some handle then, which nobody looks at. */

#ifdef MPI_Type_f2c /* there are macros for all kinds: Fortran's handles are C's */
#define FROM_FORTRAN(kind, handle) MPI_##kind##_f2c(handle)
#else
#define FROM_FORTRAN(kind, handle) papi_mpi.tables->kind##_f2c(handle)
#endif

static inline MPI_Datatype fortran_type_of(MPI_Fint handle)
{
#ifndef MPI_Type_f2c
    const struct call_tables *tables = papi_mpi.tables;

    if (handle >= 0 && handle < FORTRAN_TYPES && tables->fortran_known[handle])
        return tables->fortran_type[handle];
#endif
    return FROM_FORTRAN(Type, handle);
}

static inline MPI_Datatype fortran_type(const void *handle)
{
    return fortran_type_of(*(const MPI_Fint *)handle);
}

static inline MPI_Request fortran_request_of(MPI_Fint handle)
{
    return FROM_FORTRAN(Request, handle);
}

/* Request i of a program's array. */
static inline MPI_Request fortran_or_c_request(int fortran, const void *requests, int i)
{
    return fortran ? fortran_request_of(((const MPI_Fint *)requests)[i]) : ((const MPI_Request *)requests)[i];
}

/* A hook may come before there are tables. */
static inline MPI_Request fortran_request(const void *handle)
{
    return papi_mpi.tables ? fortran_request_of(*(const MPI_Fint *)handle) : NO_REQUEST;
}

static inline MPI_Comm fortran_comm(const void *handle)
{
    const struct call_tables *tables = papi_mpi.tables;
    MPI_Fint comm = *(const MPI_Fint *)handle;
    return comm == tables->fortran_world ? tables->world : FROM_FORTRAN(Comm, comm);
}

static inline MPI_Win fortran_win(const void *handle)
{
    return FROM_FORTRAN(Win, *(const MPI_Fint *)handle);
}

static inline MPI_Op fortran_op(const void *handle)
{
    return FROM_FORTRAN(Op, *(const MPI_Fint *)handle);
}

static inline int fortran_in_place(const void *buffer)
{
    const struct call_tables *tables = papi_mpi.tables;
    if (tables->in_place_of_program && *tables->in_place_of_program == buffer)
        return buffer != NULL;
    for (int i = 0; i < IN_PLACE_NAMES && tables->in_place[i]; i++)
        if (tables->in_place[i] == buffer)
            return 1;
    return 0;
}
