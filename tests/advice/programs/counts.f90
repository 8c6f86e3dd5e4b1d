! SPDX-License-Identifier: BSD-3-Clause
!
! A program as people have it: counts NAME around 2,000 operations, or prints why it cannot.
!   ./counts [NAME]
program counts
  use papi
  implicit none
  type(papi_event_set) :: set
  integer(8) :: value(1)
  integer :: i, check
  real(8), volatile :: x
  character(len=60) :: name
  character(len=1000) :: message

  name = 'PAPI_DP_OPS'
  if (command_argument_count() > 0) call get_command_argument(1, name)
  call set%add(trim(name), stat=check, errmsg=message)
  if (check /= PAPI_OK) then
    print '(a)', trim(message)
    stop 1
  end if
  call set%start()
  x = 1
  do i = 1, 1000
    x = x * 1.0000001d0 + 1d-9
  end do
  call set%stop(value)
  print '(a, 1x, i0)', trim(name), value
end program counts
