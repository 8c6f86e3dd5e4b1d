! SPDX-License-Identifier: BSD-3-Clause
! Each rank does a number of operations of its own: 2000 for each of rank + 1.
program ranks
  use mpi
  implicit none

  integer, parameter :: n = 1000
  double precision :: a(n), b(n), total
  integer :: rank, check, i, k

  call MPI_Init(check)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, check)
  a = 1.5d0
  b = 2.5d0
  total = 0
  do k = 0, rank
    do i = 1, n
      total = total + a(i) * b(i)
    end do
    a(1) = total
  end do
  call MPI_Barrier(MPI_COMM_WORLD, check)
  if (total < 0) print *, total
  call MPI_Finalize(check)
end program ranks
