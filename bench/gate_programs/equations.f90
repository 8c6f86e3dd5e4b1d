! SPDX-License-Identifier: BSD-3-Clause
! MINPACK: nonlinear equations and least squares.
program equations
  implicit none
  integer, parameter :: n = 60
  external tridiagonal, chain
  double precision :: x(n), f(n), work(n * (3 * n + 13)), work2(5 * n + n * n + n)
  integer :: info, integers(n)
  x = -1
  call hybrd1(tridiagonal, n, x, f, 1d-10, info, work, size(work))
  if (info /= 1 .or. maxval(abs(f)) > 1d-6) stop 1
  x = 0.5d0
  call lmdif1(chain, n, n, x, f, 1d-10, info, integers, work2, size(work2))
  if (info < 1 .or. info > 4) stop 2
end program
include 'tridiagonal.inc'
subroutine chain(m, n, x, f, flag)
  integer :: m, n, flag, i
  double precision :: x(n), f(m)
  do i = 1, n - 1
    f(i) = 2 * (x(i + 1) - x(i) * x(i)) + 0.1d0 * (1 - x(i))
  end do
  f(n) = 1 - x(1)
end subroutine
