! SPDX-License-Identifier: BSD-3-Clause
! A user of f90papi.h as it is installed.
program uses_f90papi
  implicit none
  include 'f90papi.h'
  character(len=PAPI_MAX_STR_LEN) :: name
  integer :: check
  external :: PAPIF_library_init, PAPIF_event_code_to_name

  check = PAPI_VER_CURRENT
  call PAPIF_library_init(check)
  if (check /= PAPI_VER_CURRENT) stop 1
  call PAPIF_event_code_to_name(PAPI_TOT_INS, name, check)
  if (check /= PAPI_OK .or. name /= 'PAPI_TOT_INS') stop 2
  print '(a, i0, a, i0)', 'PAPI ', ishft(PAPI_VERSION, -24), '.', iand(ishft(PAPI_VERSION, -16), 255)
end program uses_f90papi
