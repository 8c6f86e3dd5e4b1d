/* SPDX-License-Identifier: BSD-3-Clause */
/* The least that a wrapper can do: it passes calls on. mpi_calls.c compares. */
#include <mpi.h>

#include <dlfcn.h>

void pass_to(void *mpi);

static __typeof__(MPI_Allreduce) *allreduce;
static __typeof__(MPI_Barrier) *barrier;
static __typeof__(MPI_Sendrecv) *sendrecv;
static __typeof__(MPI_Send) *send;
static __typeof__(MPI_Irecv) *irecv;
static __typeof__(MPI_Wait) *wait;
static __typeof__(MPI_Iprobe) *iprobe;
static __typeof__(MPI_Bcast) *bcast;

void pass_to(void *mpi)
{
    allreduce = dlsym(mpi, "MPI_Allreduce");
    barrier = dlsym(mpi, "MPI_Barrier");
    sendrecv = dlsym(mpi, "MPI_Sendrecv");
    send = dlsym(mpi, "MPI_Send");
    irecv = dlsym(mpi, "MPI_Irecv");
    wait = dlsym(mpi, "MPI_Wait");
    iprobe = dlsym(mpi, "MPI_Iprobe");
    bcast = dlsym(mpi, "MPI_Bcast");
}

int MPI_Allreduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    return allreduce(from, to, count, type, op, comm);
}

int MPI_Barrier(MPI_Comm comm)
{
    return barrier(comm);
}

int MPI_Sendrecv(const void *from, int count, MPI_Datatype type, int dest, int tag, void *to, int to_count,
                 MPI_Datatype to_type, int source, int to_tag, MPI_Comm comm, MPI_Status *status)
{
    return sendrecv(from, count, type, dest, tag, to, to_count, to_type, source, to_tag, comm, status);
}

int MPI_Send(const void *from, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm)
{
    return send(from, count, type, dest, tag, comm);
}

int MPI_Irecv(void *to, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    return irecv(to, count, type, source, tag, comm, request);
}

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    return wait(request, status);
}

int MPI_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
    return iprobe(source, tag, comm, flag, status);
}

int MPI_Bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    return bcast(buffer, count, type, root, comm);
}
