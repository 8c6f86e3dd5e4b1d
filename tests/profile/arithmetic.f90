! SPDX-License-Identifier: BSD-3-Clause
! Loops that compilers vectorise, that they cannot, and that calculate on integers.
program arithmetic
    use, intrinsic :: iso_fortran_env, only: int64, real64
    implicit none
    integer, parameter :: n = 4000
    real(real64) :: x(n), y(n)
    integer(int64) :: k(n), s
    integer :: i, j, turns
    character(20) :: word

    call get_command_argument(1, word)
    read (word, *) turns
    x = [(real(i, real64) / n, i = 1, n)]
    y = 1
    k = 1
    s = 0
    do j = 1, turns
        do i = 1, n
            y(i) = 0.5_real64 * y(i) + x(i)            ! vector
        end do
        do i = 2, n
            x(i) = 0.5_real64 * x(i - 1) + 0.25_real64 ! scalar
        end do
        do i = 2, n
            k(i) = ieor(ishft(k(i - 1), 1), k(i))      ! none
        end do
        s = s + k(n)
    end do
    print *, sum(x), sum(y), s
end program
