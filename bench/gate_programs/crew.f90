! SPDX-License-Identifier: BSD-3-Clause
! MINPACK: each rank of MPI solves equations of a size of its own.
program crew
  use mpi
  implicit none
  external tridiagonal
  integer :: rank, info, code, n
  double precision :: worst, worst_of_all
  double precision, allocatable :: x(:), f(:), work(:)
  call mpi_init(code)
  call mpi_comm_rank(mpi_comm_world, rank, code)
  n = 20 + 10 * rank
  allocate (x(n), f(n), work(n * (3 * n + 13)))
  x = -1
  call hybrd1(tridiagonal, n, x, f, 1d-10, info, work, size(work))
  worst = maxval(abs(f))
  call mpi_allreduce(worst, worst_of_all, 1, mpi_double_precision, mpi_max, mpi_comm_world, code)
  call mpi_finalize(code)
  if (info /= 1 .or. worst_of_all > 1d-6) stop 1
end program
include 'tridiagonal.inc'
