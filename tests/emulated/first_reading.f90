! SPDX-License-Identifier: BSD-3-Clause
!
! The same as first.c for Fortran: the first call of PAPIF_start and PAPIF_stop, and of an event set's %start and
! %stop, count what the second ones do.
program first_reading
  use papi
  implicit none
  integer :: es, check, i
  integer, volatile :: two = 2 ! turns: the compiler would make each from instructions of its own
  integer(8) :: values(3,2), counted(3,2)
  type(papi_event_set) :: set
  character(*), parameter :: names(3) = [character(12) :: 'PAPI_TOT_INS', 'PAPI_VEC_INS', 'PAPI_LD_INS']
  check = PAPI_VER_CURRENT
  call PAPIF_library_init(check)
  es = PAPI_NULL
  call PAPIF_create_eventset(es, check)
  do i = 1, 3
    call PAPIF_add_named_event(es, trim(names(i)), check)
    if (check /= PAPI_OK) call skip()
  end do
  do i = 1, two
    call PAPIF_start(es, check)
    call PAPIF_stop(es, values(:,i), check)
  end do
  call set%add(names)
  do i = 1, two
    call set%start()
    call set%stop(counted(:,i))
  end do
  print '(a,3(1x,i0),a,3(1x,i0))', 'PAPIF_start and PAPIF_stop:', values(:,1), ', then', values(:,2)
  print '(a,3(1x,i0),a,3(1x,i0))', '%start and %stop:', counted(:,1), ', then', counted(:,2)
  if (any(values(:,1) /= values(:,2)) .or. any(counted(:,1) /= counted(:,2))) stop 1
  if (any(values(:2,2) /= [values(1,2), 0_8]) .or. values(1,2) <= 0 .or. values(1,2) > 2000) stop 2
  if (counted(1,2) <= 0 .or. counted(1,2) > 5000) stop 3
contains
  subroutine skip()
    print '(a)', 'SKIP: the program does not run in the emulator'
    stop 77
  end subroutine
end program
