! SPDX-License-Identifier: BSD-3-Clause
! Shares of a pipeline's slots, which are real numbers, on a machine whose slots are page faults (made_slots.h).
program topdown
  use, intrinsic :: iso_c_binding, only: c_int
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use papi
  use checks, only: require, same, skip, finish
  implicit none

  interface
    integer(c_int) function made_slots_skylake() bind(C)
      import :: c_int
    end function made_slots_skylake
    integer(c_int) function made_slots_end() bind(C)
      import :: c_int
    end function made_slots_end
    subroutine test_touch_pages(n) bind(C)
      import :: c_int
      integer(c_int), value :: n
    end subroutine test_touch_pages
  end interface

  integer(int64) :: values(2)
  real(real64) :: percent(2)
  integer :: check, es

  call require(made_slots_skylake() == 0, 'the machine is made')
  check = PAPI_VER_CURRENT
  call PAPIF_library_init(check)
  call same(check, PAPI_VER_CURRENT, 'PAPIF_library_init')
  es = PAPI_NULL
  call PAPIF_create_eventset(es, check)
  call PAPIF_add_named_event(es, 'topdown:::TOPDOWN_RETIRING_PERC', check)
  if (check == PAPI_OK) then
    call shares()
  else
    call skip('page faults in the kernel do not count here')
  end if
  call PAPIF_shutdown()
  call require(made_slots_end() == 0, 'the machine is removed')
  call finish()

contains

  subroutine shares()
    call PAPIF_add_named_event(es, 'topdown:::TOPDOWN_BAD_SPEC_PERC', check)
    call same(check, PAPI_OK, 'PAPIF_add_named_event')
    call PAPIF_start(es, check)
    call test_touch_pages(400)
    call PAPIF_read(es, values, check)
    call same(check, PAPI_OK, 'PAPIF_read')
    percent = transfer(values, percent)
    call require(abs(percent(1) - 25) < 1.5_real64, 'a quarter is retired')
    call require(abs(percent(2) - 50) < 1.5_real64, 'half is lost to bad speculation')
    call PAPIF_accum(es, values, check)
    call same(check, PAPI_ECMP, 'PAPIF_accum')
    call PAPIF_stop(es, values, check)
    call PAPIF_cleanup_eventset(es, check)
    call PAPIF_destroy_eventset(es, check)
    call same(check, PAPI_OK, 'PAPIF_destroy_eventset')
  end subroutine shares

end program topdown
