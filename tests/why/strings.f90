! SPDX-License-Identifier: BSD-3-Clause
! Builds a text by appending to it.
program strings
    implicit none
    character(:), allocatable :: text
    character(12) :: number
    integer :: i
    text = ''
    do i = 1, 20000
        write(number, '(i0)') i
        text = text // trim(number) // ',' ! fault
    end do
    print *, len(text)
end program
