! SPDX-License-Identifier: BSD-3-Clause
! Lines that are written to text and read again.
program lines
  implicit none
  character(80) :: line
  real(8) :: x, total
  integer :: i
  total = 0
  do i = 1, 50000
    write (line, '(i0, 1x, f12.4)') i, i * 0.25d0
    read (line(index(line, ' '):), *) x
    total = total + x
  end do
  print *, total
end program
