! SPDX-License-Identifier: BSD-3-Clause
! f77papi.h in free form, with implicit none.
program old_f77_free
  implicit none
  include 'f77papi.h'
  integer :: check

  check = PAPI_VER_CURRENT
  call PAPIF_library_init(check)
  if (check /= PAPI_VER_CURRENT) stop 1
  call PAPIF_set_domain(PAPI_DOM_USER, check)
  if (check /= PAPI_OK) stop 1
  if (PAPI_L1_DCM /= PAPI_PRESET_MASK) stop 1
end program old_f77_free
