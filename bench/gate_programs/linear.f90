! SPDX-License-Identifier: BSD-3-Clause
! BLAS and LAPACK: a system of linear equations, by dgetrf2 and dgetrs.
program linear
  implicit none
  integer, parameter :: n = 200
  double precision, allocatable :: a(:, :), factors(:, :), b(:, :), x(:, :)
  integer :: pivot(n), info, i, j
  external dgetrf2, dgetrs
  allocate (a(n, n), b(n, 4), x(n, 4))
  do j = 1, n
    do i = 1, n
      a(i, j) = mod(i * 7 + j * 13 + i * j, 31) - 15
    end do
    a(j, j) = a(j, j) + 40
    b(j, :) = [j, 1, -j, 2]
  end do
  factors = a
  x = b
  call dgetrf2(n, n, factors, n, pivot, info)
  if (info /= 0) stop 1
  call dgetrs('N', n, 4, factors, n, pivot, x, n, info)
  if (info /= 0 .or. maxval(abs(matmul(a, x) - b)) > 1d-6) stop 2
end program
