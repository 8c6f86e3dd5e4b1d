! SPDX-License-Identifier: BSD-3-Clause
! A square root in each turn.
program roots
    use, intrinsic :: iso_fortran_env, only: real64
    implicit none
    integer, parameter :: n = 2000
    real(real64) :: x(n), y(n)
    integer :: i, turn
    x = [(real(i, real64), i = 1, n)]
    y = 0
    do turn = 1, 25000
        call step(x, y)
    end do
    print *, y(n)
contains
    subroutine step(x, y)
        real(real64), intent(in) :: x(n)
        real(real64), intent(inout) :: y(n)
        do i = 1, n
            y(i) = sqrt(x(i) + y(i)) ! fault
        end do
    end subroutine
end program
