! SPDX-License-Identifier: BSD-3-Clause
! All ranks have the same to do, and the second node takes three times as long for it, as one does whose fan is broken.
program slownode
  use mpi_f08
  implicit none
  include 'known.f90'
  integer :: rank, ranks, step
  double precision :: residual, sum
  call MPI_Init()
  call known_begin()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  residual = 1
  do step = 1, 30
    call known_work(merge(0.03d0, 0.01d0, rank >= ranks / 2))
    call MPI_Allreduce(residual, sum, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD) ! place: waits
  end do
  call known_end(rank)
  call MPI_Finalize()
end program
