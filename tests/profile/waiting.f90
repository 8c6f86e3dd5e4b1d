! SPDX-License-Identifier: BSD-3-Clause
! Of two threads one has all of the work.
program waiting
  implicit none
  integer :: i, k
  real(kind(1d0)) :: x
  x = 1
  !$omp parallel do schedule(static, 1) reduction(+: x) num_threads(2)
  do k = 1, 2
    do i = 1, 200000000 * (2 - k)
      x = x * 0.999999d0 + 0.1d0
    end do
  end do
  if (x < 0) print *, x
end program
