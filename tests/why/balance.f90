! SPDX-License-Identifier: BSD-3-Clause
! A triangle, of which one thread has nearly all.
program balance
    use, intrinsic :: iso_fortran_env, only: real64
    implicit none
    integer, parameter :: n = 400
    real(real64) :: s(n), x(n)
    integer :: i
    x = 1
    s = 0
    !$omp parallel do num_threads(2) schedule(static)
    do i = 1, n
        if (i > n / 2) s(i) = work(i)
    end do
    print *, sum(s)
contains
    real(real64) function work(i) result(s)
        integer, intent(in) :: i
        integer :: j
        s = 0
        do j = 1, 4000 * i
            s = s + x(mod(j, 256) + 1) ! fault
        end do
    end function
end program
