! SPDX-License-Identifier: BSD-3-Clause
! Rank 0 hands out work, and the workers work equally long: it is rank 0 that has little to do.
program workers
  use mpi
  implicit none
  include 'known.f90'
  integer, parameter :: tasks = 10
  integer :: rank, ranks, task, i, error, status(MPI_STATUS_SIZE)
  call MPI_Init(error)
  call known_begin()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  if (rank == 0) then
    do i = 1, tasks * (ranks - 1)
      call MPI_Recv(task, 1, MPI_INTEGER, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, status, error) ! place: waits
      call known_work(0.005d0)
      call MPI_Send(task, 1, MPI_INTEGER, status(MPI_SOURCE), 1, MPI_COMM_WORLD, error)
    end do
  else
    do i = 1, tasks
      call known_work(0.05d0)
      call MPI_Sendrecv_replace(task, 1, MPI_INTEGER, 0, 2, 0, 1, MPI_COMM_WORLD, status, error)
    end do
  end if
  call known_end(rank)
  call MPI_Finalize(error)
end program
