! SPDX-License-Identifier: BSD-3-Clause
! Calls on communicators with names, by four ranks: comms.py knows how many.
#if BINDING == 2
#define MODULE mpi_f08
#define COMMUNICATOR type(MPI_Comm)
#else
#define MODULE mpi
#define COMMUNICATOR integer
#endif
program comms
    use MODULE
    implicit none
    COMMUNICATOR :: grid, pair
    integer :: rank, i, ierror
    character(len=20) :: name
    call MPI_Init(ierror)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
    call MPI_Comm_dup(MPI_COMM_WORLD, grid, ierror)
    call MPI_Comm_set_name(grid, 'the grid', ierror)
    do i = 1, 5
        call MPI_Barrier(grid, ierror)
    end do
    call MPI_Comm_split(grid, rank / 2, rank, pair, ierror)
    name = 'pair'
    call MPI_Comm_set_name(pair, name, ierror)
    call MPI_Barrier(pair, ierror)
    call MPI_Comm_free(pair, ierror)
    call MPI_Comm_split(grid, mod(rank, 2), rank, pair, ierror)
    call MPI_Barrier(pair, ierror)
    call MPI_Barrier(pair, ierror)
    call MPI_Comm_free(pair, ierror)
    call MPI_Comm_free(grid, ierror)
    call MPI_Finalize(ierror)
end program
