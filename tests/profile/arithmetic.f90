! SPDX-License-Identifier: BSD-3-Clause
! Loops that compilers vectorise, that they cannot, and that calculate on integers: a line each, as processors differ in
! which instruction of a loop they take for the one that a sample interrupts.
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
        do i = 1, n; y(i) = 0.5_real64 * y(i) + x(i); end do            ! vector
        do i = 2, n; x(i) = 0.5_real64 * x(i - 1) + 0.25_real64; end do ! scalar
        do i = 2, n; k(i) = ieor(ishft(k(i - 1), 1), k(i)); end do      ! none
        s = s + k(n)
    end do
    print *, sum(x), sum(y), s
end program
