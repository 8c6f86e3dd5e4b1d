! SPDX-License-Identifier: BSD-3-Clause
! An array of structures of which one number is used.
program structures
    use, intrinsic :: iso_fortran_env, only: real64
    implicit none
    type particle
        real(real64) :: x(3), v(3), f(3), mass, charge, radius, temperature, pad(3)
    end type
    integer, parameter :: n = 1000000
    type(particle), allocatable :: p(:)
    real(real64) :: s
    integer :: i, k
    allocate(p(n))
    do i = 1, n
        p(i)%mass = i
        p(i)%x = 0
    end do
    s = 0
    do k = 1, 30
        do i = 1, n
            p(i)%mass = p(i)%mass * 1.0001_real64 ! fault
        end do
    end do
    print *, sum(p%mass)
end program
