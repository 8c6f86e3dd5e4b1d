! SPDX-License-Identifier: BSD-3-Clause
! A triangle shared among threads in equal parts.
program imbalance
    use, intrinsic :: iso_fortran_env, only: real64
    implicit none
    integer, parameter :: n = 12000
    real(real64) :: s, t
    integer :: i, j
    real(real64) :: r(n)
    call random_number(r)
    s = 0
    !$omp parallel do schedule(static) private(t, j) reduction(+:s) num_threads(2)
    do i = 1, n
        t = 0
        do j = 1, i
            t = t + sqrt(r(j) + i) ! fault
        end do
        s = s + t
    end do
    print *, s
end program
