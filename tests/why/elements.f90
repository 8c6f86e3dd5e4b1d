! SPDX-License-Identifier: BSD-3-Clause
! Writes an array unformatted, element by element.
program elements
    use, intrinsic :: iso_fortran_env, only: real64
    implicit none
    integer, parameter :: n = 700
    real(real64) :: a(n, n)
    integer :: i, j, u
    call random_number(a)
    open(newunit=u, file='elements.out', form='unformatted', access='stream', status='replace')
    do j = 1, n
        do i = 1, n
            write(u) a(i, j) ! fault
        end do
    end do
    close(u, status='delete')
end program
