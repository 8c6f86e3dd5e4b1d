/* SPDX-License-Identifier: BSD-3-Clause */
/* A library to preload after the wrapper library: counts what it makes of MPI and what it frees, by the
 * names that only it calls (PMPI_), and says so when MPI is finalized: "handles: 2 communicators, ... left",
 * and "messages: 7 sent, 1 collective calls". */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>

static int communicators, types, operations, files, made, sent, collective;

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static int count(int *kind, int change, int result)
{
    if (result == MPI_SUCCESS) {
        *kind += change;
        made += change > 0;
    }
    return result;
}

int PMPI_Comm_dup(MPI_Comm comm, MPI_Comm *new_comm)
{
    return count(&communicators, 1, NEXT(PMPI_Comm_dup)(comm, new_comm));
}

int PMPI_Comm_idup(MPI_Comm comm, MPI_Comm *new_comm, MPI_Request *request)
{
    return count(&communicators, 1, NEXT(PMPI_Comm_idup)(comm, new_comm, request));
}

int PMPI_Isend(const void *from, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm,
               MPI_Request *request)
{
    sent++;
    return NEXT(PMPI_Isend)(from, n, type, to, tag, comm, request);
}

int PMPI_Iallreduce(const void *from, void *to, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                    MPI_Request *request)
{
    collective++;
    return NEXT(PMPI_Iallreduce)(from, to, n, type, op, comm, request);
}

int PMPI_Iallgather(const void *from, int n, MPI_Datatype type, void *to, int each, MPI_Datatype of,
                    MPI_Comm comm, MPI_Request *request)
{
    collective++;
    return NEXT(PMPI_Iallgather)(from, n, type, to, each, of, comm, request);
}

int PMPI_Ibcast(void *data, int n, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request *request)
{
    collective++;
    return NEXT(PMPI_Ibcast)(data, n, type, root, comm, request);
}

int PMPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *new_comm)
{
    return count(&communicators, 1, NEXT(PMPI_Comm_split_type)(comm, type, key, info, new_comm));
}

int PMPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *new_comm)
{
    return count(&communicators, 1, NEXT(PMPI_Comm_split)(comm, color, key, new_comm));
}

int PMPI_Comm_free(MPI_Comm *comm)
{
    return count(&communicators, -1, NEXT(PMPI_Comm_free)(comm));
}

int PMPI_Type_contiguous(int n, MPI_Datatype type, MPI_Datatype *new_type)
{
    return count(&types, 1, NEXT(PMPI_Type_contiguous)(n, type, new_type));
}

int PMPI_Type_free(MPI_Datatype *type)
{
    return count(&types, -1, NEXT(PMPI_Type_free)(type));
}

int PMPI_Op_create(MPI_User_function *function, int commute, MPI_Op *op)
{
    return count(&operations, 1, NEXT(PMPI_Op_create)(function, commute, op));
}

int PMPI_Op_free(MPI_Op *op)
{
    return count(&operations, -1, NEXT(PMPI_Op_free)(op));
}

int PMPI_File_open(MPI_Comm comm, const char *name, int mode, MPI_Info info, MPI_File *file)
{
    return count(&files, 1, NEXT(PMPI_File_open)(comm, name, mode, info, file));
}

int PMPI_File_close(MPI_File *file)
{
    return count(&files, -1, NEXT(PMPI_File_close)(file));
}

/* The wrapper library is done when it passes this on. */
int MPI_Finalize(void)
{
    fprintf(stderr, "handles: made %d, left %d communicators, %d types, %d operations, %d files\n", made,
            communicators, types, operations, files);
    fprintf(stderr, "messages: %d sent, %d collective calls\n", sent, collective);
    return NEXT(MPI_Finalize)();
}
