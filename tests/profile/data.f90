! SPDX-License-Identifier: BSD-3-Clause
! Arrays of a module and of the heap, read along and across their columns.
module grid
    use, intrinsic :: iso_fortran_env, only: real64
    implicit none
    integer, parameter :: n = 512
    real(real64) :: a(n, n)
    real(real64), allocatable :: b(:, :)
contains
    subroutine across(s)
        real(real64), intent(inout) :: s
        integer :: i, j
        do i = 1, n
            do j = 1, n
                s = s + b(i, j) ! across
            end do
        end do
    end subroutine

    subroutine along(s)
        real(real64), intent(inout) :: s
        integer :: i, j
        do j = 1, n
            do i = 1, n
                s = s + a(i, j) ! along
            end do
        end do
    end subroutine
end module

program data
    use grid
    implicit none
    real(real64) :: s
    s = 0
    allocate(b(n, n))
    b = 1
    a = 2
    call across(s)
    call along(s)
    print *, s
end program
