! SPDX-License-Identifier: BSD-3-Clause
! One rank works at a time and hands on to the next one: balanced, and still half of the time is waiting.
program pipeline
  use mpi
  implicit none
  include 'known.f90'
  integer :: rank, ranks, turn, token, error
  call MPI_Init(error)
  call known_begin()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  token = 0
  do turn = 1, 10
    if (turn > 1 .or. rank > 0) &
      call MPI_Recv(token, 1, MPI_INTEGER, modulo(rank - 1, ranks), 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error) ! place: waits
    call known_work(0.05d0)
    if (turn < 10 .or. rank < ranks - 1) &
      call MPI_Send(token, 1, MPI_INTEGER, modulo(rank + 1, ranks), 7, MPI_COMM_WORLD, error)
  end do
  call MPI_Barrier(MPI_COMM_WORLD, error)
  call known_end(rank)
  call MPI_Finalize(error)
end program
