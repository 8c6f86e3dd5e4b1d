! SPDX-License-Identifier: BSD-3-Clause
! Rank 0 works in code of its own, the others in a routine of libgfortran, each for half a second of its processor's
! time. Rank 0 has waited before, inside MPI.
program share_ranks
  use mpi
  implicit none

  integer, parameter :: n = 128
  double precision, allocatable :: a(:, :), b(:, :), c(:, :)
  double precision :: sum, from, now
  integer :: rank, check, i

  allocate(a(n, n), b(n, n), c(n, n))
  a = 1.5d0
  b = 2.5d0
  sum = 0
  call MPI_Init(check)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, check)
  if (rank > 0) call work()
  call MPI_Barrier(MPI_COMM_WORLD, check)
  if (rank == 0) call work()
  if (sum < 0) print *, sum
  call MPI_Finalize(check)

contains

  subroutine work()
    call cpu_time(from)
    do
      call cpu_time(now)
      if (now - from > 0.5d0) exit
      if (rank > 0) then
        do i = 1, 5
          c = matmul(a, b)
        end do
        sum = sum + c(1, 1)
      else
        do i = 1, 2000000
          sum = sum + a(mod(i, n) + 1, 1) * b(1, 1)
        end do
      end if
    end do
  end subroutine work

end program share_ranks
