! SPDX-License-Identifier: BSD-3-Clause
! Three arrays that no cache holds.
program triad
    use, intrinsic :: iso_fortran_env, only: real64
    implicit none
    integer, parameter :: n = 12000000
    real(real64), allocatable :: a(:), b(:), c(:)
    integer :: i, turn
    allocate (a(n), b(n), c(n))
    a = 0
    b = 1
    c = 2
    do turn = 1, 12
        call step(a, b, c, 0.5_real64 * turn)
    end do
    print *, a(n / 2)
contains
    subroutine step(a, b, c, s)
        real(real64), intent(out) :: a(n)
        real(real64), intent(in) :: b(n), c(n), s
        do i = 1, n
            a(i) = b(i) + s * c(i) ! fault
        end do
    end subroutine
end program
