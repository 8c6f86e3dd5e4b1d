! SPDX-License-Identifier: BSD-3-Clause
! To be compiled without optimisation.
program unoptimised
    use, intrinsic :: iso_fortran_env, only: real64
    implicit none
    integer, parameter :: n = 100000
    real(real64) :: x(n), y(n)
    integer :: i, turn
    x = 1
    y = 2
    do turn = 1, 500
        do i = 1, n
            y(i) = 0.5_real64 * y(i) + x(i) ! fault
        end do
    end do
    print *, y(n)
end program
