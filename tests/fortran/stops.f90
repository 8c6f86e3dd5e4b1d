! SPDX-License-Identifier: BSD-3-Clause
! stops CASE: an error without stat= ends the program, as of the language's own statements.
program stops
  use, intrinsic :: iso_fortran_env, only: int64
  use papi
  implicit none
  type(papi_event_set) :: set
  integer(int64) :: values(1)
  character(len=20) :: which, text

  call get_command_argument(1, which)
  select case (which)
  case ('start')
    call set%start()
  case ('read')
    call set%read(values)
  case ('errmsg') ! by itself it does not keep a program alive
    call set%start(errmsg=text)
  case ('add')
    call set%add('PAPI_NO_SUCH_EVENT')
  end select
  print '(a)', 'went on'
end program stops
