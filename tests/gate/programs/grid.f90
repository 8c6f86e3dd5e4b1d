! SPDX-License-Identifier: BSD-3-Clause
! A relaxation on a grid.
program grid
  implicit none
  real(8), allocatable :: a(:, :), b(:, :)
  integer :: i, j, k
  allocate (a(500, 500), b(500, 500))
  a = 1
  b = 2
  do k = 1, 600
    do j = 2, 499
      do i = 2, 499
        b(i, j) = 0.25d0 * (a(i - 1, j) + a(i + 1, j) + a(i, j - 1) + a(i, j + 1))
      end do
    end do
    a = b
  end do
  print *, sum(a), maxval(a)
end program
