! SPDX-License-Identifier: BSD-3-Clause
! Single and double precision in one expression.
program conversions
    use, intrinsic :: iso_fortran_env, only: real32, real64
    implicit none
    integer, parameter :: n = 4000
    real(real32) :: x(n), y(n)
    integer :: i, turn
    x = [(real(i, real32), i = 1, n)]
    y = 1
    do turn = 1, 50000
        call step(x, y)
    end do
    print *, y(n)
contains
    subroutine step(x, y)
        real(real32), intent(in) :: x(n)
        real(real32), intent(inout) :: y(n)
        do i = 1, n
            y(i) = y(i) * 0.5d0 + x(i) ! fault
        end do
    end subroutine
end program
