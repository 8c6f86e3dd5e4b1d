/* SPDX-License-Identifier: BSD-3-Clause */
/* The calls that a job begins and ends with, until the table makes all of them. */
#include "calls/mpi_now.h"
#include "job/lifecycle.h"
#include "rank/rank.h"

#define SHOWN __attribute__((visibility("default")))
#define BEHIND(type, name)                                                                                   \
    typedef __typeof__(type) function;                                                                       \
    static function *next;                                                                                   \
    if (!next)                                                                                               \
    next = (function *)mpi_symbol_behind(name)

static int begun(int result)
{
    if (!--mpi_thread.depth && result == MPI_SUCCESS)
        job_begin();
    return result;
}

SHOWN int MPI_Init(int *argc, char ***argv)
{
    BEHIND(int(int *, char ***), "MPI_Init");
    mpi_thread.depth++;
    return begun(next(argc, argv));
}

SHOWN int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    BEHIND(int(int *, char ***, int, int *), "MPI_Init_thread");
    mpi_thread.depth++;
    return begun(next(argc, argv, required, provided));
}

SHOWN int MPI_Finalize(void)
{
    BEHIND(int(void), "MPI_Finalize");
    if (!mpi_thread.depth++)
        job_end();
    int result = next();
    mpi_thread.depth--;
    return result;
}

SHOWN int MPI_Abort(MPI_Comm comm, int code)
{
    BEHIND(int(MPI_Comm, int), "MPI_Abort");
    if (!mpi_thread.depth++)
        job_abort(code);
    int result = next(comm, code);
    mpi_thread.depth--;
    return result;
}

#define FORTRAN(suffix)                                                                                      \
    SHOWN void mpi_init##suffix(MPI_Fint *error);                                                            \
    SHOWN void mpi_init##suffix(MPI_Fint *error)                                                             \
    {                                                                                                        \
        MPI_Fint own;                                                                                        \
        BEHIND(void(MPI_Fint *), "mpi_init" #suffix);                                                        \
        mpi_thread.depth++;                                                                                  \
        next(error ? error : &own);                                                                          \
        begun(error ? *error : own);                                                                         \
    }                                                                                                        \
    SHOWN void mpi_init_thread##suffix(MPI_Fint *required, MPI_Fint *provided, MPI_Fint *error);             \
    SHOWN void mpi_init_thread##suffix(MPI_Fint *required, MPI_Fint *provided, MPI_Fint *error)              \
    {                                                                                                        \
        MPI_Fint own;                                                                                        \
        BEHIND(void(MPI_Fint *, MPI_Fint *, MPI_Fint *), "mpi_init_thread" #suffix);                         \
        mpi_thread.depth++;                                                                                  \
        next(required, provided, error ? error : &own);                                                      \
        begun(error ? *error : own);                                                                         \
    }                                                                                                        \
    SHOWN void mpi_finalize##suffix(MPI_Fint *error);                                                        \
    SHOWN void mpi_finalize##suffix(MPI_Fint *error)                                                         \
    {                                                                                                        \
        BEHIND(void(MPI_Fint *), "mpi_finalize" #suffix);                                                    \
        if (!mpi_thread.depth++)                                                                             \
            job_end();                                                                                       \
        next(error);                                                                                         \
        mpi_thread.depth--;                                                                                  \
    }                                                                                                        \
    SHOWN void mpi_abort##suffix(MPI_Fint *comm, MPI_Fint *code, MPI_Fint *error);                           \
    SHOWN void mpi_abort##suffix(MPI_Fint *comm, MPI_Fint *code, MPI_Fint *error)                            \
    {                                                                                                        \
        BEHIND(void(MPI_Fint *, MPI_Fint *, MPI_Fint *), "mpi_abort" #suffix);                               \
        if (!mpi_thread.depth++)                                                                             \
            job_abort(*code);                                                                                \
        next(comm, code, error);                                                                             \
        mpi_thread.depth--;                                                                                  \
    }

FORTRAN(_)
FORTRAN(_f08_)

/* Until job/ has them. */
__attribute__((weak)) void job_begin(void)
{
}
__attribute__((weak)) void job_end(void)
{
}
__attribute__((weak)) void job_abort(int code)
{
    (void)code;
}
