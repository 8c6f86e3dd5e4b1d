! SPDX-License-Identifier: BSD-3-Clause
! LAPACK: systems of linear equations, which threads of OpenMP divide in equal parts.
program systems
  implicit none
  integer, parameter :: n = 80, m = 24
  double precision, allocatable :: a(:, :, :), x(:, :)
  integer :: pivot(n, m), info(m), i, j, k
  external dgetrf2, dgetrs
  allocate (a(n, n, m), x(n, m))
  do k = 1, m
    do j = 1, n
      do i = 1, n
        a(i, j, k) = mod(i * 7 + j * 13 + i * j + k, 31) - 15
      end do
      a(j, j, k) = a(j, j, k) + 40
      x(j, k) = j
    end do
  end do
  !$omp parallel do schedule(static) num_threads(4)
  do k = 1, m
    call dgetrf2(n, n, a(1, 1, k), n, pivot(1, k), info(k))
    if (info(k) == 0) call dgetrs('N', n, 1, a(1, 1, k), n, pivot(1, k), x(1, k), n, info(k))
  end do
  !$omp end parallel do
  if (any(info /= 0) .or. any(x /= x)) stop 1
end program
