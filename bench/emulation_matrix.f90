! SPDX-License-Identifier: BSD-3-Clause
! Usage: emulation_matrix N
! What bench/emulation runs: a matrix product, in caches for the most part.
program emulation_matrix
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none
  real(real64), allocatable :: a(:, :), b(:, :), c(:, :)
  character(len=20) :: word
  integer :: n, i, j, k

  call get_command_argument(1, word)
  read (word, *) n
  allocate (a(n, n), b(n, n), c(n, n))
  call random_number(a)
  call random_number(b)
  c = 0
  do j = 1, n
    do k = 1, n
      do i = 1, n
        c(i, j) = c(i, j) + a(i, k) * b(k, j)
      end do
    end do
  end do
  print *, sum(c)
end program emulation_matrix
