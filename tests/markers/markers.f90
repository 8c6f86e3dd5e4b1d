! SPDX-License-Identifier: BSD-3-Clause
program markers
  use likwid
  implicit none
  integer :: n, count
  double precision :: events(1), time
  real, allocatable :: x(:)
  call likwid_markerInit()
  call likwid_markerThreadInit()
  call likwid_markerRegisterRegion('fortran   ')
  call likwid_markerStartRegion('fortran')
  allocate (x(10000000))
  x = 1
  call likwid_markerStopRegion('fortran  ')
  n = 1
  call likwid_markerGetRegion('fortran', n, events, time, count)
  if (n /= 0 .or. count /= 1 .or. time <= 0) error stop 'the region is wrong'
  call likwid_markerResetRegion('fortran')
  call likwid_markerNextGroup()
  call likwid_markerClose()
  print *, sum(x)
end program markers
