! SPDX-License-Identifier: BSD-3-Clause
! f90papi.h inside a module that is implicit none, as codes keep their counters.
module old_counters
  implicit none
  include 'f90papi.h'
  integer, parameter :: wanted(2) = [PAPI_TOT_INS, PAPI_L1_DCM]
  integer :: event_set = PAPI_NULL

contains

  subroutine set_up(check)
    integer, intent(out) :: check

    check = PAPI_VER_CURRENT
    call PAPIF_library_init(check)
    if (check /= PAPI_VER_CURRENT) return
    call PAPIF_create_eventset(event_set, check)
  end subroutine set_up

end module old_counters

program old_f90
  use old_counters
  implicit none
  integer :: check

  call set_up(check)
  if (check /= PAPI_OK) stop 1
  if (event_set == PAPI_NULL) stop 1
  if (wanted(2) /= PAPI_PRESET_MASK) stop 1
end program old_f90
