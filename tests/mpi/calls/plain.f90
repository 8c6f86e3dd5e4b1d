! SPDX-License-Identifier: BSD-3-Clause
! The same.
program plain
    use mpi
    implicit none
    integer :: rank, value(1), got(1), i, error

    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    value = 1
    do i = 1, 7
        call MPI_Barrier(MPI_COMM_WORLD, error)
    end do
    do i = 1, 3
        call MPI_Sendrecv(value, 1, MPI_INTEGER, rank, 0, got, 1, MPI_INTEGER, rank, 0, MPI_COMM_WORLD, &
                          MPI_STATUS_IGNORE, error)
    end do
    call MPI_Finalize(error)
end program plain
