! SPDX-License-Identifier: BSD-3-Clause
! A critical section in a parallel loop.
program critical_loop
    use, intrinsic :: iso_fortran_env, only: real64
    implicit none
    real(real64) :: s, x
    integer :: i
    s = 0
    !$omp parallel do private(x) num_threads(2)
    do i = 1, 1000000
        x = 1.0_real64 / (1 + real(i, real64)**2)
        !$omp critical
        s = s + x ! fault
        !$omp end critical
    end do
    print *, s
end program
