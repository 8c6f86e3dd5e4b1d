! SPDX-License-Identifier: BSD-3-Clause
! A user of the objects of module papi as it is installed.
program uses_objects
  use, intrinsic :: iso_fortran_env, only: int64
  use papi
  implicit none
  type(papi_event_set) :: set
  integer(int64) :: values(1)
  integer :: check

  call set%read(values, check)
  if (check >= 0) stop 1
  call set%add('PAPI_NO_SUCH_EVENT', check)
  if (check /= PAPI_ENOTPRESET .or. set%count() /= 0) stop 2
  print '(a, i0, a, i0)', 'PAPI ', ishft(PAPI_VERSION, -24), '.', iand(ishft(PAPI_VERSION, -16), 255)
end program uses_objects
