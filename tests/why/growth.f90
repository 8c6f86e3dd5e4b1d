! SPDX-License-Identifier: BSD-3-Clause
! Appends to an allocatable array.
program growth
    use, intrinsic :: iso_fortran_env, only: real64
    implicit none
    real(real64), allocatable :: a(:)
    real(real64) :: x
    integer :: i
    allocate(a(0))
    x = 0.5_real64
    do i = 1, 20000
        x = 3.9_real64 * x * (1 - x)
        a = [a, x] ! fault
    end do
    print *, size(a), sum(a)
end program
