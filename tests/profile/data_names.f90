! SPDX-License-Identifier: BSD-3-Clause
! Data of every kind that a routine can be given: each has 4096 elements, which "total" reads once.
module kinds
    use, intrinsic :: iso_fortran_env, only: real64
    implicit none
    integer, parameter :: n = 4096
    type :: field
        real(real64), allocatable :: values(:)
    end type
    type(field) :: state
    real(real64) :: fixed(n)
contains
    function total(x) result(s)
        real(real64), intent(in) :: x(n)
        real(real64) :: s
        integer :: i
        s = 0
        do i = 1, n
            s = s + x(i) ! total
        end do
    end function

    subroutine one(s)
        real(real64), intent(inout) :: s
        real(real64), save :: work(n) = 1
        s = s + total(work)
    end subroutine

    subroutine two(s)
        real(real64), intent(inout) :: s
        real(real64), save :: work(n) = 2
        s = s + total(work)
        work(1) = s
        s = s + total(work)
    end subroutine

    subroutine automatic(m, s)
        integer, intent(in) :: m
        real(real64), intent(inout) :: s
        real(real64) :: sized(m) ! automatic
        sized = s
        s = s + total(sized)
    end subroutine

    recursive subroutine on_stack(s)
        real(real64), intent(inout) :: s
        real(real64) :: local(n)
        local = s
        s = s + total(local)
    end subroutine

    subroutine common_block(s)
        real(real64), intent(inout) :: s
        real(real64) :: first(n), second(n)
        common /shared/ first, second
        second = s
        s = s + total(second)
    end subroutine
end module

program data_names
    use kinds
    implicit none
    real(real64), allocatable :: mine(:), other(:)
    real(real64) :: s
    s = 0
    allocate(mine(n)) ! mine
    mine = 1
    s = s + total(mine)
    deallocate(mine)
    allocate(other(n)) ! other
    other = 2
    s = s + total(other)
    other(1) = s
    s = s + total(other)
    allocate(state%values(n)) ! component
    state%values = 3
    s = s + total(state%values)
    fixed = 4
    s = s + total(fixed)
    call one(s)
    call two(s)
    call automatic(n, s)
    call on_stack(s)
    call common_block(s)
    print *, s
end program
