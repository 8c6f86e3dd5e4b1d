! SPDX-License-Identifier: BSD-3-Clause
! Passes a number around the ranks, and sums the ranks up without waiting in between.
program passes_on
  use mpi
  implicit none
  integer :: rank, ranks, number, total, request, error
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  call MPI_Iallreduce(rank, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, request, error)
  call MPI_Sendrecv(rank, 1, MPI_INTEGER, modulo(rank + 1, ranks), 0, number, 1, MPI_INTEGER, &
                    modulo(rank - 1, ranks), 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
  call MPI_Wait(request, MPI_STATUS_IGNORE, error)
  if (number == modulo(rank - 1, ranks) .and. 2 * total == ranks * (ranks - 1)) print '(a)', 'right'
  call MPI_Finalize(error)
end program passes_on
