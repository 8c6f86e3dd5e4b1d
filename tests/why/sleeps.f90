! SPDX-License-Identifier: BSD-3-Clause
! A pause in each turn.
program sleeps
    use, intrinsic :: iso_c_binding, only: c_int
    implicit none
    interface
        integer(c_int) function usleep(microseconds) bind(c)
            import c_int
            integer(c_int), value :: microseconds
        end function
    end interface
    integer :: turn, i, status
    real :: s
    s = 0
    do turn = 1, 100
        do i = 1, 1000
            s = s + sin(real(i))
        end do
        status = usleep(8000_c_int) ! fault
    end do
    print *, s, status
end program
