! SPDX-License-Identifier: BSD-3-Clause
! A power with a real exponent where a small whole one is meant.
program power
    use, intrinsic :: iso_fortran_env, only: real64
    implicit none
    integer, parameter :: n = 1000
    real(real64) :: r(n), e(n), p
    integer :: i, k
    call random_number(r)
    r = r + 1
    p = 2.5_real64
    e = 0
    read(*, *, iostat=i) p ! so that the compiler does not know it
    do k = 1, 20000
        do i = 1, n
            e(i) = e(i) + r(i)**p ! fault
        end do
    end do
    print *, sum(e)
end program
