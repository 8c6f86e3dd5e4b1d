! SPDX-License-Identifier: BSD-3-Clause
!
! Prints how many of 10,000 loops of a microsecond have a rate that one thread cannot have: more than one processor
! kept busy.
program marks
  use papi
  implicit none
  type(papi_event_set) :: set
  integer :: i, j, above
  real(8) :: busy
  real(8), volatile :: x

  call set%add('perf::TASK-CLOCK')
  above = 0
  x = 1
  do i = 1, 10000
    call set%mark()
    do j = 1, 200
      x = x * 1.0000001d0
    end do
    call set%metric('cpus_busy', busy)
    if (busy > 1) above = above + 1
  end do
  print '(i0, a)', above, ' above'
end program marks
