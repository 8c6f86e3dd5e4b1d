! SPDX-License-Identifier: BSD-3-Clause
! Loops with a fault each that makes them slow, and the same without it: docs/slow-loops.md finds them.
!
!     gfortran -O3 -g -fno-inline -fopenmp slow_loops.f90 -o slow_loops
!     ./slow_loops                    all of them
!     ./slow_loops strided mended 5   one of them, mended, in five turns
module loops
    use, intrinsic :: iso_fortran_env, only: int64, real64
    implicit none
    integer, parameter :: rows = 1500, n = 100000, pages = 1000, page = 520
    real(real64) :: matrix(rows, rows), x(n), y(n), far(page, pages), near(pages)
contains
    ! Neighbours in memory are neighbours of the first index: each turn takes another line of the cache.
    real(real64) function strided() result(s)
        integer :: i, j
        s = 0
        do i = 1, rows
            do j = 1, rows
                s = s + matrix(i, j) ! strided
            end do
        end do
    end function

    real(real64) function strided_mended() result(s)
        integer :: i, j
        s = 0
        do j = 1, rows
            do i = 1, rows
                s = s + matrix(i, j) ! strided mended
            end do
        end do
    end function

    ! A division takes several times as long as a multiplication, and compilers may not replace it.
    subroutine divided(h)
        real(real64), intent(in) :: h
        integer :: i
        do i = 1, n
            y(i) = x(i) / h ! divided
        end do
    end subroutine

    subroutine divided_mended(h)
        real(real64), intent(in) :: h
        real(real64) :: inverse
        integer :: i
        inverse = 1 / h
        do i = 1, n
            y(i) = x(i) * inverse ! divided mended
        end do
    end subroutine

    ! The order of the additions is part of the language: one after the other, unless the program allows another.
    real(real64) function unvectorised() result(s)
        integer :: i
        s = 0
        do i = 1, n
            s = s + x(i) * y(i) ! unvectorised
        end do
    end function

    real(real64) function unvectorised_mended() result(s)
        integer :: i
        s = 0
        !$omp simd reduction(+:s)
        do i = 1, n
            s = s + x(i) * y(i) ! unvectorised mended
        end do
    end function

    ! Few numbers, each in a page of its own: they fit into a cache, but their addresses do not fit into the TLB.
    real(real64) function scattered() result(s)
        integer :: i
        s = 0
        do i = 1, pages
            s = s + far(1, i) ! scattered
        end do
    end function

    real(real64) function scattered_mended() result(s)
        integer :: i
        s = 0
        do i = 1, pages
            s = s + near(i) ! scattered mended
        end do
    end function

    ! Each thread has a number of its own, but all are on one line, which the cores take from one another.
    integer(int64) function shared() result(s)
        integer(int64), volatile :: number(2)
        integer :: i, t
        number = 0
        !$omp parallel do private(i) num_threads(2) schedule(static, 1)
        do t = 1, 2
            do i = 1, 20 * n
                number(t) = number(t) + ieor(i, t) ! shared
            end do
        end do
        s = sum(number)
    end function

    integer(int64) function shared_mended() result(s)
        integer(int64), volatile :: number(16, 2)
        integer :: i, t
        number = 0
        !$omp parallel do private(i) num_threads(2) schedule(static, 1)
        do t = 1, 2
            do i = 1, 20 * n
                number(1, t) = number(1, t) + ieor(i, t) ! shared mended
            end do
        end do
        s = sum(number)
    end function
end module

program slow_loops
    use loops
    implicit none
    character(*), parameter :: names(5) = [character(12) :: "strided", "divided", "unvectorised", "scattered", "shared"]
    integer, parameter :: turns(5) = [5, 200, 400, 20000, 10] ! so that all take about as long
    character(12) :: which, form, number
    integer :: i, n_turns, status
    call get_command_argument(1, which)
    call get_command_argument(2, form)
    call get_command_argument(3, number)
    read (number, *, iostat=status) n_turns
    if (which /= "" .and. all(names /= which)) then
        error stop "slow_loops: LOOP [mended] [TURNS], LOOP: strided, divided, unvectorised, scattered, shared"
    end if
    matrix = 1
    x = [(real(i, real64), i = 1, n)]
    y = 1
    far = 1
    near = 1
    do i = 1, size(names)
        if (which /= "" .and. which /= names(i)) cycle
        if (status /= 0) n_turns = turns(i)
        call run(trim(names(i)) // trim(" " // form), n_turns)
    end do
contains
    subroutine run(name, turns)
        character(*), intent(in) :: name
        integer, intent(in) :: turns
        real(real64) :: s
        integer :: turn
        s = 0
        do turn = 1, turns
            select case (name)
            case ("strided")
                s = s + strided()
            case ("strided mended")
                s = s + strided_mended()
            case ("divided")
                call divided(3 + s)
            case ("divided mended")
                call divided_mended(3 + s)
            case ("unvectorised")
                s = s + unvectorised()
            case ("unvectorised mended")
                s = s + unvectorised_mended()
            case ("scattered")
                s = s + scattered()
            case ("scattered mended")
                s = s + scattered_mended()
            case ("shared")
                s = s + real(shared(), real64)
            case ("shared mended")
                s = s + real(shared_mended(), real64)
            end select
        end do
        print "(a, t24, es24.16)", name, s
    end subroutine
end program
