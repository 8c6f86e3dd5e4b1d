! SPDX-License-Identifier: BSD-3-Clause
! Products of matrices by a team of threads, each with its columns.
program team
  implicit none
  integer, parameter :: n = 200
  real(8) :: a(n, n), b(n, n), c(n, n)
  integer :: i, j, k, turn
  a = 0.5d0
  b = 2
  do turn = 1, 40
    c = 0
    !$omp parallel do schedule(static) private(i, k) num_threads(3)
    do j = 1, n
      do k = 1, n
        do i = 1, n
          c(i, j) = c(i, j) + a(i, k) * b(k, j)
        end do
      end do
    end do
    !$omp end parallel do
  end do
  print *, sum(c)
end program
